/* Loops of links of a chain, against plain ones, on every level of instruction sets. */
#include "../src/transforms/link-kernel.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 300

static const ReelLinkKernels *
pick (ReelIsa isa)
{
  return REEL_KERNEL_PICK (reel_link_kernels, isa);
}

/* ---- joins ---- */

typedef struct
{
  gsize bytes[5];
  guint n;
  guint8 *from[5];
} Sources;

/* Memory of just the rows, so that a sanitizer sees what reads beyond them. */
static void
fill (Sources *sources, gsize n_rows)
{
  guint8 value = 1;

  for (guint s = 0; s < sources->n; s++)
    {
      sources->from[s] = g_malloc (sources->bytes[s] * n_rows);
      for (gsize i = 0; i < sources->bytes[s] * n_rows; i++)
        sources->from[s][i] = (guint8) (value += 7 + i % 3);
    }
}

static gsize
count_row (const Sources *sources)
{
  gsize row = 0;

  for (guint s = 0; s < sources->n; s++)
    row += sources->bytes[s];
  return row;
}

static void
join_plainly (const Sources *sources, gsize n_rows, guint8 *out)
{
  for (gsize i = 0; i < n_rows; i++)
    for (guint s = 0; s < sources->n; out += sources->bytes[s++])
      memcpy (out, sources->from[s] + i * sources->bytes[s], sources->bytes[s]);
}

static void
check_join (ReelIsa isa, Sources *sources, gsize n_rows)
{
  gsize row = count_row (sources), done = 0, at = 0;
  g_autofree guint8 *expected = g_malloc (row * n_rows), *found = g_malloc0 (row * n_rows);
  ReelWordPlan *plan = pick (isa)->plan_words (sources->bytes, sources->n);

  fill (sources, n_rows);
  join_plainly (sources, n_rows, expected);
  if (plan)
    done = pick (isa)->join_words (plan, (const guint8 *const *) sources->from, found, n_rows);
  g_assert_cmpuint (done, <=, n_rows);
  g_assert_true (done == 0 || memcmp (found, expected, row * done) == 0);
  if (plan)
    g_assert_cmpuint (n_rows - done, <, 16);
  for (guint s = 0; s < sources->n; at += sources->bytes[s++])
    pick (isa)->place (sources->from[s] + done * sources->bytes[s], sources->bytes[s],
                       found + done * row + at, row, n_rows - done);
  g_assert_true (row * n_rows == 0 || memcmp (found, expected, row * n_rows) == 0);
  for (guint s = 0; s < sources->n; s++)
    g_free (sources->from[s]);
  g_aligned_free (plan);
}

/* All rows of one to four sources of up to three words, and some that are no words. */
static void
test_join (void)
{
  static const gsize counts[] = { 0, 1, 7, 8, 15, 16, 17, 40, 255, 256, MOST_ROWS };
  static const gsize sizes[] = { 4, 8, 12, 16, 6, 32 };
  const guint n_sizes = G_N_ELEMENTS (sizes);

  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    for (guint n = 1; n <= 4; n++)
      for (guint code = 0; code < (guint) pow (n_sizes, n); code++)
        {
          Sources sources = { .n = n };
          guint rest = code;

          for (guint s = 0; s < n; s++, rest /= n_sizes)
            sources.bytes[s] = sizes[rest % n_sizes];
          for (gsize c = 0; c < (n < 3 ? G_N_ELEMENTS (counts) : 7); c++)
            check_join (isa, &sources, counts[c]);
        }
}

static void
test_place_lanes (void)
{
  static const gsize sizes[] = { 1, 4, 8, 16, 20 };
  static const gint64 lanes[] = { 0, 2, 3, 9 };

  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        gsize bytes = sizes[i], stride = bytes + 3;
        guint8 from[10 * 20], found[10 * 23] = { 0 }, expected[10 * 23] = { 0 };

        for (gsize k = 0; k < sizeof from; k++)
          from[k] = (guint8) (k + 1);
        for (gsize k = 0; k < G_N_ELEMENTS (lanes); k++)
          memcpy (expected + (gsize) lanes[k] * stride, from + (gsize) lanes[k] * bytes, bytes);
        pick (isa)->place_lanes (from, bytes, found, stride, lanes, G_N_ELEMENTS (lanes));
        g_assert_cmpmem (found, sizeof found, expected, sizeof expected);
      }
}

/* ---- counts, sums, flags ---- */

static void
test_count_and_limit (void)
{
  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    for (gsize n = 0; n < 70; n++)
      {
        gint64 counts[70], out[70];
        guint8 truncated[70], after[71], done[70], either[71];

        after[n] = either[n] = 7;
        for (gsize i = 0; i < n; i++)
          {
            counts[i] = (gint64) (i * 5 % 9);
            truncated[i] = i % 7 == 3;
            done[i] = i % 5 == 1;
          }
        pick (isa)->count (counts, out, n);
        pick (isa)->limit (counts, 5, truncated, after, n);
        pick (isa)->either (done, after, either, n);
        for (gsize i = 0; i < n; i++)
          {
            g_assert_cmpint (counts[i], ==, (gint64) (i * 5 % 9) + 1);
            g_assert_cmpint (out[i], ==, counts[i]);
            g_assert_cmpint (after[i], ==, i % 7 == 3 || counts[i] >= 5);
            g_assert_cmpint (either[i], ==, after[i] || i % 5 == 1);
          }
        g_assert_true (after[n] == 7 && either[n] == 7);
      }
}

static void
test_sum (void)
{
  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    for (gsize n = 0; n < 70; n++)
      {
        float sums[70], rewards[70], out[70];
        double wide_sums[70], wide_rewards[70], wide_out[70];

        for (gsize i = 0; i < n; i++)
          {
            wide_sums[i] = sums[i] = (float) i * 0.1f;
            wide_rewards[i] = rewards[i] = 1 / (float) (i + 3);
          }
        pick (isa)->sum_f32 (sums, rewards, out, n);
        pick (isa)->sum_f64 (wide_sums, wide_rewards, wide_out, n);
        for (gsize i = 0; i < n; i++)
          {
            float sum = (float) i * 0.1f + rewards[i];
            double wide_sum = (double) ((float) i * 0.1f) + wide_rewards[i];

            g_assert_true (sums[i] == sum && out[i] == sum);
            g_assert_true (wide_sums[i] == wide_sum && wide_out[i] == wide_sum);
          }
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transforms/link-kernels/joined-rows-are-those-of-a-plain-loop", test_join);
  g_test_add_func ("/transforms/link-kernels/pieces-of-listed-lanes-are-placed", test_place_lanes);
  g_test_add_func ("/transforms/link-kernels/counts-and-flags-are-those-of-a-plain-loop",
                   test_count_and_limit);
  g_test_add_func ("/transforms/link-kernels/sums-are-those-of-a-plain-loop", test_sum);
  return g_test_run ();
}
