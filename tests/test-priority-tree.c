/* Priority trees against a plain list of weights: after every short sequence of changes, across all
 * the places where groups and nodes meet. */
#include "../src/buffers/samplers/priority-tree.h"
#include "../src/core/math/isa.h"
#include "../src/core/math/random.h"
#include "golden-tensor.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MOST_SLOTS 3

/* Three slots of a tree, so that the tree can be large while the list stays short. */
typedef struct
{
  gint64 size;
  gint64 slots[MOST_SLOTS];
  gint depth;
} Places;

static const Places places[] = {
  { 1, { 0, 0, 0 }, 2 },
  { 3, { 0, 1, 2 }, 3 },
  { 9, { 0, 7, 8 }, 2 },
  { 65, { 7, 63, 64 }, 2 },
  { 513, { 63, 511, 512 }, 2 },
  { 4097, { 511, 4095, 4096 }, 2 },
  { 40000, { 0, 32767, 32768 }, 2 },
};

static const char *const levels[] = { "generic", "avx2", "avx512" };

/* Trees are made at a level; those that the machine lacks are left out. */
static gboolean
force_level (gsize level)
{
  ReelIsa isa;

  if (!reel_isa_parse (levels[level], reel_isa_detect (), &isa, NULL))
    return FALSE;
  g_setenv ("REEL_ISA", levels[level], TRUE);
  return TRUE;
}

static ReelPriorityTree *
new_tree (gint64 n)
{
  g_autoptr (GError) error = NULL;
  ReelPriorityTree *tree = reel_priority_tree_new (n, &error);

  g_assert_no_error (error);
  return tree;
}

/* ---- the oracle ---- */

/* Weights are small integers, so that every sum is exact. */
static void
check (const ReelPriorityTree *tree, const Places *at, gint n_slots, const double *list)
{
  double total = 0, least = INFINITY, masses[24], weights[24];
  gint64 slots[24], n = 0;

  for (gint i = 0; i < n_slots; i++)
    {
      total += list[i];
      if (list[i] > 0)
        least = MIN (least, list[i]);
      g_assert_true (reel_priority_tree_weights (tree)[at->slots[i]] == list[i]);
    }
  g_assert_true (reel_priority_tree_total (tree) == total);
  g_assert_true (reel_priority_tree_least (tree) == least);
  for (double mass = 0.5; mass <= total; mass += 0.5)
    masses[n++] = mass;
  if (total > 0)
    masses[n++] = 0x1p-1074;
  reel_priority_tree_find (tree, masses, n, slots, weights, NULL);
  for (gint64 k = 0; k < n; k++)
    {
      double mass = k < n - 1 ? 0.5 * (double) (k + 1) : 0x1p-1074, sum = 0;
      gint i = 0;

      while ((sum += list[i]) < mass)
        i++;
      g_assert_cmpint (slots[k], ==, at->slots[i]);
      g_assert_true (weights[k] == list[i] && list[i] > 0);
    }
}

/* Change @code of the 9 that set one slot, and the 81 that set two at once, maybe the same. */
static void
change (ReelPriorityTree *tree, const Places *at, gint n_slots, gint code, double *list)
{
  static const double values[3] = { 0, 1, 3 };
  gint64 slots[2];
  double weights[2];
  gint n = code < 9 ? 1 : 2;

  code -= n == 2 ? 9 : 0;
  for (gint i = 0; i < n; i++, code /= 9)
    {
      gint slot = code % 9 / 3 % n_slots;

      slots[i] = at->slots[slot];
      weights[i] = list[slot] = values[code % 3];
    }
  reel_priority_tree_set (tree, slots, weights, n);
}

static gint64
walk (ReelPriorityTree *tree, const Places *at, gint n_slots, gint depth, const double *list)
{
  gint64 n = 0;

  for (gint code = 0; code < 90 && depth > 0; code++)
    {
      double next[MOST_SLOTS];

      memcpy (next, list, sizeof next);
      change (tree, at, n_slots, code, next);
      check (tree, at, n_slots, next);
      n += 1 + walk (tree, at, n_slots, depth - 1, next);
      reel_priority_tree_set (tree, at->slots, list, n_slots);
    }
  return n;
}

static void
test_every_short_sequence (void)
{
  gint64 n = 0;

  for (gsize level = 0; level < G_N_ELEMENTS (levels); level++)
    for (gsize i = 0; i < G_N_ELEMENTS (places) && force_level (level); i++)
      {
        gint n_slots = places[i].size < MOST_SLOTS ? 1 : MOST_SLOTS;
        g_autoptr (ReelPriorityTree) tree = new_tree (places[i].size);
        double list[MOST_SLOTS] = { 0 };

        check (tree, &places[i], n_slots, list);
        n += walk (tree, &places[i], n_slots, places[i].depth, list);
        check (tree, &places[i], n_slots, list);
      }
  g_unsetenv ("REEL_ISA");
  g_test_message ("%" G_GINT64_FORMAT " states of trees compared", n);
}

/* Every range of small trees, filled and assigned. */
static void
test_every_range (void)
{
  static const gint64 sizes[] = { 1, 2, 7, 8, 9, 17, 33 };
  gint64 n = 0;

  for (gsize level = 0; level < G_N_ELEMENTS (levels); level++)
    for (gsize i = 0; i < G_N_ELEMENTS (sizes) && force_level (level); i++)
      for (gint64 begin = 0; begin <= sizes[i]; begin++)
        for (gint64 end = begin; end <= sizes[i]; end++, n++)
          {
            g_autoptr (ReelPriorityTree) tree = new_tree (sizes[i]);
            double values[33], mass = 1, weight;
            gint64 slot;

            for (gint64 k = 0; k < 33; k++)
              values[k] = (double) (k + 1);
            reel_priority_tree_fill (tree, begin, end, 2);
            g_assert_true (reel_priority_tree_total (tree) == 2.0 * (double) (end - begin));
            if (end > begin)
              {
                reel_priority_tree_find (tree, &mass, 1, &slot, &weight, NULL);
                g_assert_cmpint (slot, ==, begin);
              }
            reel_priority_tree_assign (tree, begin, end, values + begin);
            g_assert_true (reel_priority_tree_total (tree)
                           == (double) ((end * (end + 1) - begin * (begin + 1)) / 2));
            g_assert_true (reel_priority_tree_least (tree)
                           == (end > begin ? (double) (begin + 1) : INFINITY));
          }
  g_unsetenv ("REEL_ISA");
  g_test_message ("%" G_GINT64_FORMAT " ranges", n);
}

/* ---- weights of any size ---- */

#define SIZE 5003
#define DRAWS 512

/* A third of them 0, the others across 30 powers of two. */
static double
some_weight (guint64 word)
{
  double u = (double) (word >> 11) * 0x1p-53;

  return word % 3 == 0 ? 0 : ldexp (1 + u, -(int) (word % 31));
}

static void
some_changes (ReelPriorityTree *tree, double *list, gint64 round)
{
  guint64 words[2 * DRAWS];
  gint64 slots[DRAWS];
  double weights[DRAWS];

  reel_random_fill_words (reel_random_key (5, round), 0, 2 * DRAWS, words);
  for (gint i = 0; i < DRAWS; i++)
    {
      slots[i] = (gint64) (words[2 * i] % (round % 2 ? SIZE : 70));
      weights[i] = list[slots[i]] = some_weight (words[2 * i + 1]);
    }
  reel_priority_tree_set (tree, slots, weights, DRAWS);
}

/* Each draw is of a slot with a weight, near whose range of sums the mass lies. */
static void
check_draws (ReelPriorityTree *tree, const double *list, gint64 round, gint64 *slots)
{
  double total = reel_priority_tree_total (tree), masses[DRAWS], kept[DRAWS], weights[DRAWS];
  long double sums[SIZE + 1] = { 0 };

  for (gint i = 0; i < SIZE; i++)
    sums[i + 1] = sums[i] + list[i];
  g_assert_cmpfloat_with_epsilon ((double) sums[SIZE], total, 1e-13 * total);
  reel_random_fill_doubles (reel_random_key (6, round), 0, DRAWS, masses);
  for (gint i = 0; i < DRAWS; i++)
    masses[i] = kept[i] = i == 0   ? total
                          : i == 1 ? nextafter (total, 0)
                          : i == 2 ? 0x1p-1074
                          : i % 2  ? MIN ((double) sums[i * 9], total)
                                   : (1 - masses[i]) * total;
  for (gint i = 0; i < DRAWS; i++)
    if (kept[i] == 0)
      masses[i] = kept[i] = total;
  reel_priority_tree_find (tree, masses, DRAWS, slots, weights, NULL);
  for (gint i = 0; i < DRAWS; i++)
    {
      g_assert_true (weights[i] > 0 && weights[i] == list[slots[i]]);
      g_assert_true (kept[i] >= sums[slots[i]] * (1 - 1e-13L));
      g_assert_true (kept[i] <= sums[slots[i] + 1] * (1 + 1e-13L));
    }
}

/* Sums are those of a tree that was made at once, and those of every other level, to the bit. */
static void
test_bits_depend_on_weights_alone (void)
{
  static double totals[G_N_ELEMENTS (levels)][200];
  static gint64 slots[G_N_ELEMENTS (levels)][200][DRAWS];

  for (gsize level = 0; level < G_N_ELEMENTS (levels) && force_level (level); level++)
    {
      g_autoptr (ReelPriorityTree) tree = new_tree (SIZE);
      double list[SIZE] = { 0 };

      for (gint round = 0; round < 200; round++)
        {
          g_autoptr (ReelPriorityTree) fresh = new_tree (SIZE);

          some_changes (tree, list, round);
          reel_priority_tree_assign (fresh, 0, SIZE, list);
          totals[level][round] = reel_priority_tree_total (tree);
          g_assert_true (reel_priority_tree_total (fresh) == totals[level][round]);
          g_assert_true (reel_priority_tree_least (fresh) == reel_priority_tree_least (tree));
          g_assert_true (totals[level][round] == totals[0][round]);
          check_draws (tree, list, round, slots[level][round]);
          g_assert_cmpmem (slots[level][round], sizeof slots[0][0], slots[0][round],
                           sizeof slots[0][0]);
        }
    }
  g_unsetenv ("REEL_ISA");
}

/* Where rounding leads to: between weights that are 0, past the last, before the first. */
static void
test_zeros_are_never_found (void)
{
  static const double few[] = { 0, 0x1p-60, 1, 0.1, 0.7 };
  gint64 n = 0;

  for (gsize level = 0; level < G_N_ELEMENTS (levels) && force_level (level); level++)
    {
      g_autoptr (ReelPriorityTree) tree = new_tree (300);

      for (gint code = 0; code < 5 * 5 * 5 * 5; code++)
        {
          gint64 slots[4] = { 3, 15, 17, 290 }, found[12];
          double weights[4], masses[12], values[12], total;

          for (gint i = 0, rest = code; i < 4; i++, rest /= 5)
            weights[i] = few[rest % 5];
          reel_priority_tree_set (tree, slots, weights, 4);
          total = reel_priority_tree_total (tree);
          if (total == 0)
            continue;
          for (gint i = 0; i < 12; i++)
            masses[i] = i < 4    ? nextafter (weights[i], i % 2 ? 2 : 0)
                        : i == 4 ? total
                                 : total * (i - 4) / 7;
          for (gint i = 0; i < 12; i++)
            masses[i] = masses[i] > 0 ? MIN (masses[i], total) : total;
          reel_priority_tree_find (tree, masses, 12, found, values, NULL);
          for (gint i = 0; i < 12; i++, n++)
            g_assert_true (values[i] > 0
                           && reel_priority_tree_weights (tree)[found[i]] == values[i]);
        }
    }
  g_unsetenv ("REEL_ISA");
  g_test_message ("%" G_GINT64_FORMAT " searches", n);
}

static gint64
count_pages (void)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  return g_ascii_strtoll (text, NULL, 10);
}

static void
test_takes_few_bytes (void)
{
  gint64 before = count_pages (), size = 1 << 24;
  g_autoptr (ReelPriorityTree) tree = new_tree (size);

  g_assert_cmpint ((count_pages () - before) * sysconf (_SC_PAGESIZE), <, 10 * size);
}

/* ---- the peer's trees ---- */

/* Sums of the peer's binary tree may round the other way where a mass stands on a border. */
static void
test_golden (void)
{
  g_autoptr (json_t) file = golden_load ("segment-tree.json");
  const json_t *json, *item;
  gsize i, k;
  gint n = 0, borders = 0;

  json_array_foreach (json_object_get (file, "cases"), i, json)
  {
    gint64 size = json_integer_value (json_object_get (json, "size"));
    const json_t *leaves = json_object_get (json, "leaves");
    const json_t *expected = json_object_get (json, "scan_lower_bound");
    g_autoptr (ReelPriorityTree) tree = new_tree (size);
    double list[16], sums[17] = { 0 };

    json_array_foreach (leaves, k, item) list[k] = golden_double (item);
    for (gint64 slot = 0; slot < size; slot++)
      sums[slot + 1] = sums[slot] + list[slot];
    reel_priority_tree_assign (tree, 0, size, list);
    json_array_foreach (json_object_get (json, "mass"), k, item)
    {
      double mass = golden_double (item), kept = mass, weight;
      gint64 slot, theirs = json_integer_value (json_array_get (expected, k));

      /* Beyond their sum they say their size, or what lies behind it. */
      if (mass <= 0 || mass > reel_priority_tree_total (tree) || theirs >= size)
        continue;
      reel_priority_tree_find (tree, &mass, 1, &slot, &weight, NULL);
      n++;
      if (slot == theirs)
        continue;
      g_assert_cmpfloat_with_epsilon (kept, sums[MAX (slot, theirs)], 1e-15 * kept);
      borders++;
    }
    for (k = 0; k < json_array_size (json_object_get (json, "query")); k++)
      {
        const json_t *query = json_array_get (json_object_get (json, "query"), k);
        gint64 begin = json_integer_value (json_array_get (query, 0));
        gint64 end = json_integer_value (json_array_get (query, 1));
        g_autoptr (ReelPriorityTree) part = new_tree (size);

        reel_priority_tree_assign (part, begin, end, list + begin);
        g_assert_cmpfloat_with_epsilon (reel_priority_tree_total (part),
                                        golden_double (json_array_get (query, 2)), 1e-14);
        g_assert_true (reel_priority_tree_least (part)
                       == golden_double (json_array_get (query, 3)));
        n++;
      }
  }
  g_assert_cmpint (n, >, 200);
  g_assert_cmpint (borders, <=, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/buffers/priority-tree/every-short-sequence", test_every_short_sequence);
  g_test_add_func ("/buffers/priority-tree/every-range", test_every_range);
  g_test_add_func ("/buffers/priority-tree/bits-depend-on-weights-alone",
                   test_bits_depend_on_weights_alone);
  g_test_add_func ("/buffers/priority-tree/zeros-are-never-found", test_zeros_are_never_found);
  g_test_add_func ("/buffers/priority-tree/takes-few-bytes", test_takes_few_bytes);
  g_test_add_func ("/buffers/priority-tree/golden", test_golden);

  return g_test_run ();
}
