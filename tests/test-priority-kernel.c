/* The work on all rows of a draw or an update by priority, on every level. */
#include "../src/buffers/samplers/priority-kernel.h"

#include <math.h>
#include <string.h>

#define MOST 21 /* more than two of the widest vectors */
#define N_HELD 100

typedef struct
{
  gint64 slots[MOST];
  double told[MOST], rounded[MOST];
} Update;

static Update
make_update (void)
{
  Update update;

  for (gint i = 0; i < MOST; i++)
    {
      update.slots[i] = i * 7 % N_HELD;
      update.told[i] = update.rounded[i] = i % 5 == 0 ? -0.0 : ldexp (1.5, i * 50 - 500);
    }
  update.slots[MOST / 2] = N_HELD - 1;
  update.told[MOST / 3] = update.rounded[MOST / 3] = G_MAXDOUBLE;
  return update;
}

static gboolean
are_fine (const ReelPriorityKernels *kernels, const Update *update, gint n)
{
  return kernels->are_fine (update->slots, update->told, update->rounded, n, N_HELD);
}

static void
assert_refused (const ReelPriorityKernels *kernels, gint n, gint at)
{
  static const double priorities[] = { NAN, -NAN, INFINITY, -INFINITY, -1, -0x1p-1074 };
  static const gint64 slots[] = { -1, N_HELD, G_MININT64, G_MAXINT64 };

  for (guint k = 0; k < G_N_ELEMENTS (priorities); k++)
    {
      Update told = make_update (), rounded = make_update ();

      told.told[at] = rounded.rounded[at] = priorities[k];
      g_assert_false (are_fine (kernels, &told, n));
      g_assert_false (are_fine (kernels, &rounded, n));
    }
  for (guint k = 0; k < G_N_ELEMENTS (slots); k++)
    {
      Update update = make_update ();

      update.slots[at] = slots[k];
      g_assert_false (are_fine (kernels, &update, n));
    }
}

static void
test_one_wrong_among_many_is_seen (void)
{
  const Update update = make_update ();

  for (ReelIsa isa = REEL_ISA_GENERIC; isa <= reel_isa_detect (); isa++)
    for (gint n = 1; n <= MOST; n++)
      {
        const ReelPriorityKernels *kernels = REEL_KERNEL_PICK (reel_priority_kernels, isa);

        g_assert_true (are_fine (kernels, &update, n));
        g_assert_false (kernels->are_fine (update.slots, update.told, update.rounded, n, 0));
        for (gint at = 0; at < n; at++)
          assert_refused (kernels, n, at);
      }
}

/* Among zeros of both signs. */
static void
test_the_greatest_is_found_wherever_it_is (void)
{
  for (ReelIsa isa = REEL_ISA_GENERIC; isa <= reel_isa_detect (); isa++)
    for (gint n = 1; n <= MOST; n++)
      for (gint at = 0; at < n; at++)
        {
          const ReelPriorityKernels *kernels = REEL_KERNEL_PICK (reel_priority_kernels, isa);
          double values[MOST];

          for (gint i = 0; i < n; i++)
            values[i] = i % 2 ? 0 : -0.0;
          g_assert_true (kernels->greatest (values, n) == 0);
          values[at] = 0x1p-1074;
          g_assert_true (kernels->greatest (values, n) == 0x1p-1074);
          values[n - 1 - at] = G_MAXDOUBLE;
          g_assert_true (kernels->greatest (values, n) == G_MAXDOUBLE);
        }
}

static void
test_every_level_gives_what_a_loop_gives (void)
{
  for (ReelIsa isa = REEL_ISA_GENERIC; isa <= reel_isa_detect (); isa++)
    for (gint n = 1; n <= MOST; n++)
      {
        const ReelPriorityKernels *kernels = REEL_KERNEL_PICK (reel_priority_kernels, isa);
        double masses[MOST], parts[MOST], sums[MOST];
        gint64 rows[MOST];

        for (gint i = 0; i < n; i++)
          {
            masses[i] = i == 0 ? 0x1.fffffffffffffp-1 : (double) i / MOST;
            parts[i] = sums[i] = 0.1 * i;
            rows[i] = i;
          }
        kernels->scale (masses, n, 0x1p-1070);
        kernels->divide (parts, n, 0.3);
        kernels->add (sums, n, 0.7);
        kernels->wrap (rows, n, 1000, 5, 30);
        g_assert_true (masses[0] == 0x1p-1074);
        for (gint i = 0; i < n; i++)
          {
            g_assert_true (i == 0 || masses[i] == (1 - (double) i / MOST) * 0x1p-1070);
            g_assert_true (parts[i] == 0.1 * i / 0.3);
            g_assert_true (sums[i] == 0.1 * i + 0.7);
            g_assert_cmpint (rows[i], ==, 1000 + i + (i < 5 ? 30 : 0));
          }
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/buffers/priority-kernel/one-wrong-among-many-is-seen",
                   test_one_wrong_among_many_is_seen);
  g_test_add_func ("/buffers/priority-kernel/the-greatest-is-found-wherever-it-is",
                   test_the_greatest_is_found_wherever_it_is);
  g_test_add_func ("/buffers/priority-kernel/every-level-gives-what-a-loop-gives",
                   test_every_level_gives_what_a_loop_gives);
  return g_test_run ();
}
