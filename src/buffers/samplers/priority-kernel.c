/* The loops over the rows of a draw or an update by priority. They have no branches, so that the
 * compiler makes vectors of them. */
#include "priority-kernel.h"

#include <float.h>
#include <string.h>

static void
scale (double *restrict values, gint64 n, double total)
{
  for (gint64 i = 0; i < n; i++)
    /* From [0, 1) to (0, total]: a mass of 0 would lead to a slot of weight 0. */
    values[i] = MAX ((1 - values[i]) * total, DBL_TRUE_MIN);
}

static void
divide (double *restrict values, gint64 n, double divisor)
{
  for (gint64 i = 0; i < n; i++)
    values[i] /= divisor;
}

static void
add (double *restrict values, gint64 n, double summand)
{
  for (gint64 i = 0; i < n; i++)
    values[i] += summand;
}

static void
wrap (gint64 *restrict slots, gint64 n, gint64 first, gint64 oldest, gint64 capacity)
{
  for (gint64 i = 0; i < n; i++)
    /* Slots before that of the oldest row hold rows of the next round. */
    slots[i] += first + (slots[i] < oldest ? capacity : 0);
}

/* Numbers that are not negative are in the order of their bits, NaN behind all of them. A negative
 * number has the highest bit; −0 does, too, and becomes 0 here. */
static inline gint64
bits_of (double value)
{
  gint64 bits;

  value += 0.0;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* The highest bit is set where @value is negative or greater than @most. */
static inline gint64
is_beyond (gint64 value, gint64 most)
{
  return value | (gint64) ((guint64) most - (guint64) value);
}

static gboolean
are_fine (const gint64 *restrict slots, const double *restrict priorities,
          const double *restrict rounded, gint64 n, gint64 n_held)
{
  const gint64 most = bits_of (DBL_MAX);
  gint64 beyond = 0;

  for (gint64 i = 0; i < n; i++)
    beyond |= is_beyond (slots[i], n_held - 1) | is_beyond (bits_of (priorities[i]), most)
              | is_beyond (bits_of (rounded[i]), most);
  return beyond >= 0;
}

static double
greatest (const double *values, gint64 n)
{
  gint64 bits = 0;
  double found;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 of_one = bits_of (values[i]);

      bits = MAX (bits, of_one);
    }
  memcpy (&found, &bits, sizeof found);
  return found;
}

const ReelPriorityKernels REEL_KERNEL_NAME (reel_priority_kernels) = {
  .scale = scale,
  .divide = divide,
  .add = add,
  .wrap = wrap,
  .are_fine = are_fine,
  .greatest = greatest,
};
