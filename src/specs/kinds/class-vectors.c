/* Values of classes as vectors of 0 and 1. */
#include <math.h>
#include <string.h>

#include "class-spec.h"
#include "one-hot-kernel.h"

/* Vectors drawn at a time. */
#define CHUNK 256

static gint64
get_width (const ReelClassSpec *self)
{
  return self->offsets[self->n_components];
}

/* ---- random ---- */

/* Component c of vector v is drawn from index v × components + c. */
static void
draw_components (const ReelClassSpec *self, ReelRandomKey key, gint64 begin, gint64 end,
                 guint8 *values)
{
  gsize size = reel_dtype_size (self->head.dtype);

  for (gint64 vector = begin; vector < end; vector++, values += (gsize) get_width (self) * size)
    for (gint64 c = 0; c < self->n_components; c++)
      {
        gint64 index = vector * self->n_components + c;
        gint64 n = self->sizes[c];
        const gint64 *allowed =
            self->mask.n_rows > 0 ? reel_mask_get (&self->mask, index, &n) : NULL;
        gint64 class = reel_random_below (key, index, n);

        class = self->offsets[c] + (allowed ? allowed[class] : class);
        reel_element_store_integer (self->head.dtype, values + (gsize) class * size, 1);
      }
}

/* The values of draw_components () for a single component without a mask. */
static void
draw_single (const ReelClassSpec *self, ReelRandomKey key, gint64 begin, gint64 end, guint8 *values)
{
  gint64 width = get_width (self);
  gsize size = reel_dtype_size (self->head.dtype);
  gint64 hot[CHUNK];

  for (gint64 at = begin; at < end; at += CHUNK)
    {
      gint64 n_vectors = MIN (CHUNK, end - at);

      reel_random_fill_below (key, at, n_vectors, width, hot);
      for (gint64 i = 0; i < n_vectors; i++, values += (gsize) width * size)
        reel_element_store_integer (self->head.dtype, values + (gsize) hot[i] * size, 1);
    }
}

void
reel_class_vectors_draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n,
                         guint8 *values)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gint64 begin = first / get_width (self);
  gint64 end = begin + n / get_width (self);
  gboolean single = self->n_components == 1 && self->mask.n_rows == 0;

  if (single && spec->dtype == REEL_DTYPE_INT64)
    {
      reel_random_fill_one_hot (key, begin, end - begin, get_width (self),
                                (gint64 *) (gpointer) values);
      return;
    }
  memset (values, 0, (gsize) n * reel_dtype_size (spec->dtype));
  if (single)
    draw_single (self, key, begin, end, values);
  else
    draw_components (self, key, begin, end, values);
}

/* ---- inside ---- */

/* Inlined with a constant dtype where it matters. */
static inline __attribute__ ((always_inline)) gint64
sum_all (ReelDtype dtype, const guint8 *values, gint64 n)
{
  const gint64 *integers = (const gint64 *) (gconstpointer) values;
  guint64 sum = 0;

  if (dtype == REEL_DTYPE_BOOL)
    for (gint64 i = 0; i < n; i++)
      sum += values[i] != 0;
  else if (dtype == REEL_DTYPE_INT64)
    for (gint64 i = 0; i < n; i++)
      sum += (guint64) integers[i];
  else
    for (gint64 i = 0; i < n; i++, values += reel_dtype_size (dtype))
      sum += (guint64) reel_element_load_integer (dtype, values);
  return (gint64) sum;
}

static gint64
sum_allowed (const ReelClassSpec *self, gint64 component, const guint8 *values)
{
  gint64 n;
  const gint64 *allowed = reel_mask_get (&self->mask, component, &n);
  guint64 sum = 0;

  for (gint64 i = 0; i < n; i++)
    sum += (guint64) reel_element_load_integer (
        self->head.dtype, values + (gsize) allowed[i] * reel_dtype_size (self->head.dtype));
  return (gint64) sum;
}

/* Why component number @i, whose elements these are, is outside, or %NULL. */
static char *
explain (const ReelClassSpec *self, gint64 i, const guint8 *values)
{
  gint64 n = self->sizes[i % self->n_components];
  gint64 sum = sum_all (self->head.dtype, values, n);

  if (sum != 1)
    return g_strdup_printf ("begins a vector that sums to %" G_GINT64_FORMAT ", not 1", sum);
  if (self->mask.n_rows > 0 && sum_allowed (self, i, values) != 1)
    return g_strdup ("begins a vector of a class that the mask forbids");
  return NULL;
}

/* How many of the first vectors are certainly inside: of a single component without a mask. */
static gint64
count_inside (const ReelClassSpec *self, const guint8 *values, gint64 n_vectors)
{
  gint64 width = get_width (self);
  ReelIsa isa;

  if (self->n_components > 1 || self->mask.n_rows > 0 || width > REEL_ONE_HOT_MAX
      || width * n_vectors < REEL_ONE_HOT_MAX || !reel_isa_choose (&isa, NULL))
    return 0;
  const ReelOneHotKernels *kernels = REEL_KERNEL_PICK (reel_one_hot_kernels, isa);
  if (self->head.dtype == REEL_DTYPE_BOOL)
    return kernels->count_flags (values, n_vectors, width);
  if (self->head.dtype == REEL_DTYPE_INT64)
    return kernels->count_integers ((const gint64 *) (gconstpointer) values, n_vectors, width);
  return 0;
}

gint64
reel_class_vectors_find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values,
                                 char **why)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gsize size = reel_dtype_size (spec->dtype);
  gint64 k = self->n_components;

  for (gint64 i = count_inside (self, values, n_values / get_width (self));
       i < n_values / get_width (self) * k; i++)
    {
      gint64 at = i / k * get_width (self) + self->offsets[i % k];

      *why = explain (self, i, values + (gsize) at * size);
      if (*why)
        return at;
    }
  return -1;
}

/* ---- projected ---- */

/* NaN is above nothing and below everything. */
static gboolean
is_above (ReelDtype dtype, const guint8 *a, const guint8 *b)
{
  if (reel_element_is_integer (dtype))
    return reel_element_load_integer (dtype, a) > reel_element_load_integer (dtype, b);

  double x, y;
  reel_element_cast (dtype, a, REEL_DTYPE_FLOAT64, &x);
  reel_element_cast (dtype, b, REEL_DTYPE_FLOAT64, &y);
  return x > y || (isnan (y) && !isnan (x));
}

gint64
reel_class_vectors_find_greatest (ReelDtype dtype, const guint8 *values, gint64 n,
                                  const gint64 *among)
{
  gsize size = reel_dtype_size (dtype);
  gint64 greatest = among ? among[0] : 0;

  for (gint64 i = 1; i < n; i++)
    {
      gint64 at = among ? among[i] : i;
      if (is_above (dtype, values + (gsize) at * size, values + (gsize) greatest * size))
        greatest = at;
    }
  return greatest;
}

/* TorchRL draws a class at random, weighted by the values; the greatest of them is the likeliest.
 */
static gint64
find_class (const ReelClassSpec *self, gint64 component, ReelDtype dtype, const guint8 *values)
{
  gint64 n = self->sizes[component % self->n_components];
  const gint64 *allowed = self->mask.n_rows > 0 ? reel_mask_get (&self->mask, component, &n) : NULL;

  return reel_class_vectors_find_greatest (dtype, values, n, allowed);
}

void
reel_class_vectors_project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values,
                            gint64 n_values, guint8 *projected)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gint64 k = self->n_components;

  memset (projected, 0, (gsize) n_values * reel_dtype_size (spec->dtype));
  for (gint64 i = 0; i < n_values / get_width (self) * k; i++)
    {
      gint64 at = i / k * get_width (self) + self->offsets[i % k];
      gint64 greatest = find_class (self, i, dtype, values + (gsize) at * reel_dtype_size (dtype));

      reel_element_store_integer (
          spec->dtype, projected + (gsize) (at + greatest) * reel_dtype_size (spec->dtype), 1);
    }
}
