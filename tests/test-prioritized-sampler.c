/* Sampling by priority: what rows get when they are written, updated and overwritten, how often
 * they are drawn, and what is refused. */
#include "../src/buffers/samplers/priority-sampler.h"
#include "counted-rows.h"

#include <math.h>
#include <string.h>

#define MOST 4096

typedef struct
{
  ReelReplayBuffer *buffer;
  ReelStorage *storage;
  ReelSampler *sampler;
  ReelPriorities *priorities;
} Fixture;

static Fixture
open_buffer (const char *text, gint64 capacity, gint ndim)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) plain = counted_new_buffer ("tensor", capacity, ndim);
  Fixture f = { .storage = reel_replay_buffer_get_storage (plain) };

  f.sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, &error, NULL);
  g_assert_no_error (error);
  f.buffer = reel_replay_buffer_new (f.storage, f.sampler, NULL, 0, &error);
  g_assert_no_error (error);
  f.priorities = reel_priority_sampler_get (f.sampler);
  return f;
}

static void
close_buffer (Fixture *f)
{
  g_object_unref (f->buffer);
  g_object_unref (f->sampler);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, close_buffer)

static void
update (Fixture *f, gint64 n, const gint64 *slots, const double *priorities)
{
  g_autoptr (GError) error = NULL;

  reel_sampler_update_priority (f->sampler, f->storage, slots, n, priorities, &error);
  g_assert_no_error (error);
}

static double
weight (const Fixture *f, gint64 slot)
{
  return reel_priority_tree_weights (f->priorities->tree)[slot];
}

static double
sum (const Fixture *f, gint64 begin, gint64 end)
{
  double total = 0;

  for (gint64 slot = begin; slot < end; slot++)
    total += weight (f, slot);
  return total;
}

static ReelTensordict *
sample (Fixture *f, gint64 n)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *batch = NULL;

  reel_replay_buffer_sample (f->buffer, n, &batch, &error);
  g_assert_no_error (error);
  return batch;
}

static const float *
corrections (ReelTensordict *batch)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (batch, "priority_weight", NULL);

  g_assert_cmpint (leaf->dtype, ==, REEL_DTYPE_FLOAT32);
  g_assert_cmpint (leaf->ndim, ==, 1);
  return (const float *) leaf->data;
}

static const gint64 *
get_index (ReelTensordict *batch)
{
  return (const gint64 *) reel_tensordict_get_tensor (batch, "index", NULL)->data;
}

static void
count_draws (Fixture *f, gint64 n, gint64 *counts)
{
  for (gint64 done = 0; done < n; done += MOST)
    {
      g_autoptr (ReelTensordict) batch = sample (f, MOST);

      for (gint64 i = 0; i < MOST; i++)
        counts[get_index (batch)[i]]++;
    }
}

/* ---- weights ---- */

/* T7.5-2: equal priorities are corrected by 1. T7.5-4 */
static void
test_equal_priorities (void)
{
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=0.7,beta=0.9", 20, 1);
  const gint64 slots[] = { 3 };

  counted_extend (f.buffer, 1, 12, 0);
  for (gint round = 0; round < 2; round++)
    {
      g_autoptr (ReelTensordict) batch = sample (&f, 100);

      for (gint i = 0; i < 100; i++)
        g_assert_true (corrections (batch)[i] == 1);
      g_assert_true (sum (&f, 0, 20) == 12);
      update (&f, 1, slots, (const double[]){ 5 });
      g_assert_true (reel_sampler_get_default_priority (f.sampler) == 5);
      g_assert_true (reel_replay_buffer_empty (f.buffer, TRUE, NULL));
      g_assert_true (reel_sampler_get_default_priority (f.sampler) == 1);
      counted_extend (f.buffer, 1, 12, 0);
    }
}

/* T4.3-1, and the numbers of the tutorial: priorities 0, 1000, 0.1. T7.5-3, T7.5-6 */
static void
test_tutorial (void)
{
  static const double expected[] = { 3.981071705534969e-07, 251.1886431529676,
                                     0.15848933192525674 };
  static const double corrected[] = { 1, 2.0892961308356473e-10, 6.918309100378155e-07 };
  g_auto (Fixture) f =
      open_buffer ("prioritized:alpha=0.8,beta=1.1,eps=1e-8,dtype=float64", 1000, 1);
  gint64 n_second = 0;

  counted_extend (f.buffer, 1, 3, 0);
  update (&f, 3, (const gint64[]){ 0, 1, 2 }, (const double[]){ 0, 1000, 0.1 });
  for (gint i = 0; i < 3; i++)
    {
      double w = weight (&f, i), c;

      g_assert_cmpfloat_with_epsilon (w, expected[i], 1e-15 * expected[i]);
      reel_priorities_correct (f.priorities, &w, 1, (guint8 *) &c);
      g_assert_cmpfloat_with_epsilon (c, corrected[i], 3e-15 * corrected[i]);
    }
  g_autoptr (ReelTensordict) batch = sample (&f, 1000);
  g_assert_cmpint (reel_tensordict_get_tensor (batch, "priority_weight", NULL)->dtype, ==,
                   REEL_DTYPE_FLOAT64);
  for (gint i = 0; i < 1000; i++)
    n_second += get_index (batch)[i] == 1;
  g_assert_cmpint (n_second, >=, 990);
  update (&f, 2, (const gint64[]){ 0, 1 }, (const double[]){ 1e-8, 3e-8 });
  g_assert_cmpfloat_with_epsilon (weight (&f, 1), pow (4e-8, 0.8), 1e-14 * pow (4e-8, 0.8));
}

static void
test_zero_is_never_drawn (void)
{
  g_auto (Fixture) f = open_buffer ("prioritized:eps=0,alpha=1,beta=1", 100, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) none = NULL;
  gint64 counts[100] = { 0 };

  counted_extend (f.buffer, 1, 50, 0);
  for (gint64 slot = 0; slot < 50; slot++)
    update (&f, 1, &slot, (const double[]){ slot % 3 == 1 ? 2 : 0 });
  count_draws (&f, 20 * MOST, counts);
  for (gint slot = 0; slot < 100; slot++)
    g_assert_true ((counts[slot] > 0) == (slot < 50 && slot % 3 == 1));
  for (gint64 slot = 0; slot < 50; slot++)
    update (&f, 1, &slot, (const double[]){ 0 });
  g_assert_false (reel_replay_buffer_sample (f.buffer, 4, &none, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_str_has_prefix (error->message, "non-positive p_sum"));
}

/* ---- chances ---- */

/* T7.5-5: chi-squared of 199 degrees of freedom, deviation 20; 1e7 draws with -m slow. */
static void
test_chances_are_weights (void)
{
  const gint64 n = (g_test_slow () ? 10000000 : 400000) / MOST * MOST;
  gint64 seed = g_test_rand_int_range (0, G_MAXINT32), counts[200] = { 0 };
  g_autofree char *text = g_strdup_printf ("prioritized:alpha=0.6,seed=%" G_GINT64_FORMAT, seed);
  g_auto (Fixture) f = open_buffer (text, 200, 1);
  double total, chi = 0;

  counted_extend (f.buffer, 1, 200, 0);
  for (gint64 slot = 0; slot < 200; slot++)
    update (&f, 1, &slot, (const double[]){ 0.1 + (double) (slot * 37 % 200) });
  total = reel_priority_tree_total (f.priorities->tree);
  count_draws (&f, n, counts);
  for (gint slot = 0; slot < 200; slot++)
    {
      double expected = (double) n * weight (&f, slot) / total;

      chi += pow ((double) counts[slot] - expected, 2) / expected;
    }
  g_test_message ("seed %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " draws, chi-squared %.1f of 199",
                  seed, n, chi);
  g_assert_cmpfloat (chi, >, 199 - 6 * 20);
  g_assert_cmpfloat (chi, <, 199 + 6 * 20);
}

/* T4.3-2: by a key of the batch, then the other way round. */
static void
test_order_flips (void)
{
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=1,beta=1", 10, 1);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 10, 0);
  g_autoptr (GError) error = NULL;
  gint64 shape[] = { 10 };
  g_autoptr (ReelTensor) td_error = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, shape, NULL);
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 1, shape, NULL);

  for (gint i = 0; i < 10; i++)
    {
      ((float *) td_error->data)[i] = (float) i;
      ((gint64 *) index->data)[i] = i;
    }
  reel_tensordict_set_tensor (data, "td_error", td_error, &error);
  reel_tensordict_set_tensor (data, "index", index, &error);
  reel_replay_buffer_set_priority_key (f.buffer, "td_error");
  g_assert_true (reel_replay_buffer_extend (f.buffer, data, NULL, &error));
  for (gint round = 0; round < 2; round++)
    {
      gint64 counts[10] = { 0 };

      count_draws (&f, 20 * MOST, counts);
      for (gint i = 1; i < 10; i++)
        g_assert_true (round == 0 ? counts[i] > counts[i - 1] : counts[i] < counts[i - 1]);
      for (gint i = 0; i < 10; i++)
        ((float *) td_error->data)[i] = (float) (10 - i);
      g_assert_true (reel_replay_buffer_update_tensordict_priority (f.buffer, data, &error));
    }
}

/* ---- new rows ---- */

/* T3.8-19: a buffer writes, the sampler of another over the same storage draws. T7.5-8 */
static void
test_two_buffers_of_one_storage (void)
{
  g_auto (Fixture) f = open_buffer ("prioritized", 100, 1);
  g_autoptr (ReelReplayBuffer) other = reel_replay_buffer_new (f.storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelSampler) late =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "prioritized", NULL, NULL);

  counted_extend (other, 1, 50, 0);
  update (&f, 0, NULL, NULL);
  g_assert_true (sum (&f, 0, 10) == 10 && sum (&f, 0, 50) == 50 && sum (&f, 0, 70) == 50);
  f.priorities = reel_priority_sampler_get (late);
  reel_sampler_update_priority (late, f.storage, NULL, 0, NULL, NULL);
  g_assert_true (sum (&f, 0, 50) == 50 && sum (&f, 0, 70) == 50);
}

/* New rows get the greatest priority at their write, not after the update that
 * follows. */
static void
test_default_is_that_of_the_moment (void)
{
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=1,eps=0,dtype=float64", 8, 1);

  counted_extend (f.buffer, 1, 2, 0);
  update (&f, 1, (const gint64[]){ 0 }, (const double[]){ 3 });
  counted_extend (f.buffer, 1, 2, 2);
  update (&f, 1, (const gint64[]){ 1 }, (const double[]){ 7 });
  counted_extend (f.buffer, 1, 2, 4);
  update (&f, 1, (const gint64[]){ 0 }, (const double[]){ 0.5 });
  g_assert_true (weight (&f, 0) == 0.5 && weight (&f, 1) == 7 && weight (&f, 2) == 3
                 && weight (&f, 3) == 3 && weight (&f, 4) == 7 && weight (&f, 5) == 7
                 && weight (&f, 6) == 0);
  counted_extend (f.buffer, 1, 5, 6);
  g_autoptr (ReelTensordict) batch = sample (&f, 64);
  g_assert_true (weight (&f, 2) == 7 && weight (&f, 3) == 3 && sum (&f, 0, 8) == 7 * 7 + 3);
}

/* T4.3-4, T7.5-10 */
static void
check_greatest (double alpha, gboolean within)
{
  g_autofree char *text = g_strdup_printf ("prioritized:dtype=float64,alpha=%g,"
                                           "max-priority-within-buffer=%s",
                                           alpha, within ? "true" : "false");
  g_auto (Fixture) f = open_buffer (text, 11, 1);

  for (gint64 i = 0; i < 20; i++)
    {
      const gint64 slot = i % 11;
      const double priority = (double) (21 - i);
      const gint64 greatest = within && i > 10 ? i - 10 : 0;

      counted_extend (f.buffer, 1, 1, i);
      update (&f, 1, &slot, &priority);
      g_assert_cmpint (f.priorities->greatest_slot, ==, greatest);
      g_assert_cmpfloat_with_epsilon (f.priorities->greatest, (double) (21 - greatest), 1e-13);
      if (i > 10)
        for (gint64 k = 0; k < 11; k++)
          g_assert_true (k == i - 10 || weight (&f, k) < weight (&f, i - 10));
      if (i > 10)
        g_assert_cmpfloat_with_epsilon (weight (&f, i - 10), pow ((double) (31 - i) + 1e-8, alpha),
                                        1e-12);
    }
  for (gint64 i = 20; i < 30; i++)
    counted_extend (f.buffer, 1, 1, i);
  for (gint64 i = 20; i < 30; i++)
    update (&f, 1, (const gint64[]){ i % 11 }, (const double[]){ 12 });
  g_assert_cmpfloat_with_epsilon (f.priorities->greatest, within ? 12 : 21, 1e-13);
}

static void
test_greatest (void)
{
  check_greatest (1, FALSE);
  check_greatest (1, TRUE);
  check_greatest (0.6, FALSE);
  check_greatest (0.6, TRUE);
}

/* Every short history of writing, updating and looking, over a ring of a few rows: the weights are
 * those of a list that each write and update changes at once. */
static void
walk (gint64 capacity, gint code, gint depth)
{
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=1,eps=0,dtype=float64", capacity, 1);
  double list[8] = { 0 }, greatest = 0;
  gint64 end = 0;

  for (gint i = 0; i < depth; i++, code /= 6)
    {
      gint what = code % 6;

      if (what < 3)
        {
          double given = greatest > 0 ? greatest : 1;

          counted_extend (f.buffer, 1, what + 1, end);
          for (gint64 row = end; row < end + what + 1; row++)
            list[row % capacity] = given;
          end += what + 1;
          greatest = given;
        }
      else if (what < 5 && end > 0)
        {
          gint64 slot = (end - 1) % capacity;
          double priority = what == 3 ? 4 + i : 0.5;

          update (&f, 1, &slot, &priority);
          list[slot] = priority;
          greatest = MAX (greatest, priority);
        }
      else if (end > 0)
        {
          g_autoptr (ReelTensordict) batch = sample (&f, 4);
        }
    }
  update (&f, 0, NULL, NULL);
  for (gint64 slot = 0; slot < capacity && end > 0; slot++)
    g_assert_true (weight (&f, slot) == list[slot]);
}

static void
test_every_short_history (void)
{
  gint n = 0;

  for (gint64 capacity = 3; capacity <= 5; capacity++)
    for (gint code = 0; code < 6 * 6 * 6 * 6; code++, n++)
      walk (capacity, code, 4);
  g_test_message ("%d histories", n);
}

/* Between two looks the writer goes round the ring and claims a block: the slots of the block are
 * not drawn, whatever they held at the last look. */
static void
test_claimed_rows_are_not_drawn (void)
{
  gint n = 0;

  for (gint64 seen = 1; seen <= 20; seen++)
    for (gint64 written = 0; written <= 40; written++)
      for (gint64 claimed = 0; claimed <= 2; claimed++, n++)
        {
          g_auto (Fixture) f = open_buffer ("prioritized:alpha=1,eps=0", 16, 1);
          ReelStorageView view;
          ReelReservation block;

          counted_extend (f.buffer, 1, seen, 0);
          update (&f, 0, NULL, NULL);
          for (gint64 i = 0; i < written; i++)
            counted_extend (f.buffer, 1, 1, seen + i);
          if (claimed > 0)
            g_assert_true (reel_storage_reserve (f.storage, claimed, &block, NULL));
          update (&f, 0, NULL, NULL);
          reel_storage_get_view (f.storage, &view);
          for (gint64 row = view.end_row - 16; row < view.end_row; row++)
            if (row >= 0)
              g_assert_true (weight (&f, row % 16) == (row >= view.first_row));
          if (claimed > 0)
            reel_storage_commit (f.storage, &block, 0);
        }
  g_test_message ("%d looks", n);
}

/* ---- alpha and beta ---- */

/* T7.5-9 */
static void
test_alpha_may_change (void)
{
  static const double alphas[] = { 0.9, 0.3, 1, 0.05, 0.6 };
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=0.6,dtype=float64", 300, 1);

  counted_extend (f.buffer, 1, 290, 0);
  for (gint64 slot = 0; slot < 290; slot++)
    update (&f, 1, &slot, (const double[]){ (double) slot / 7 });
  for (gsize k = 0; k < G_N_ELEMENTS (alphas); k++)
    {
      g_object_set (f.sampler, "alpha", alphas[k], NULL);
      update (&f, 0, NULL, NULL);
      for (gint64 slot = 0; slot < 290; slot++)
        {
          double expected = pow ((double) slot / 7 + 1e-8, alphas[k]);

          g_assert_cmpfloat_with_epsilon (weight (&f, slot), expected, 1e-9 * expected);
        }
      g_assert_true (sum (&f, 290, 300) == 0);
    }
  g_object_set (f.sampler, "alpha", 0.0, NULL);
  update (&f, 0, NULL, NULL);
  g_assert_true (reel_priority_tree_total (f.priorities->tree) == 290);
  g_object_set (f.sampler, "alpha", 0.5, NULL);
  update (&f, 1, (const gint64[]){ 7 }, (const double[]){ 4 });
  g_assert_cmpfloat_with_epsilon (reel_priority_tree_total (f.priorities->tree), 291, 1e-6);
}

static void
test_beta_may_change (void)
{
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=1,beta=1,eps=0", 4, 1);

  counted_extend (f.buffer, 1, 2, 0);
  update (&f, 2, (const gint64[]){ 0, 1 }, (const double[]){ 1, 4 });
  for (gint beta = 0; beta < 3; beta++)
    {
      g_object_set (f.sampler, "beta", (double) beta, NULL);
      g_autoptr (ReelTensordict) batch = sample (&f, 50);
      for (gint i = 0; i < 50; i++)
        g_assert_true (corrections (batch)[i]
                       == (float) (get_index (batch)[i] == 1 ? pow (0.25, beta) : 1));
    }
}

/* ---- what is refused ---- */

static void
assert_refused (Fixture *f, gint64 slot, double priority, ReelError code, const char *word)
{
  const gint64 slots[] = { 0, slot };
  const double priorities[] = { 9, priority };
  g_autoptr (GError) error = NULL;
  double before = reel_priority_tree_total (f->priorities->tree);

  g_assert_false (
      reel_sampler_update_priority (f->sampler, f->storage, slots, 2, priorities, &error));
  g_assert_error (error, REEL_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, word));
  g_assert_true (reel_priority_tree_total (f->priorities->tree) == before);
  g_assert_true (reel_sampler_get_default_priority (f->sampler) == 1);
}

static void
test_bad_priorities (void)
{
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=2", 10, 1);

  counted_extend (f.buffer, 1, 5, 0);
  update (&f, 0, NULL, NULL);
  assert_refused (&f, 3, NAN, REEL_ERROR_VALUE, "row slot 3 is nan");
  assert_refused (&f, 3, INFINITY, REEL_ERROR_VALUE, "row slot 3 is inf");
  assert_refused (&f, 2, -0.5, REEL_ERROR_VALUE, "row slot 2 is -0.5");
  assert_refused (&f, 4, 1e30, REEL_ERROR_VALUE, "row slot 4 is 1e+30");
  assert_refused (&f, 4, 1e300, REEL_ERROR_VALUE, "row slot 4 is");
  assert_refused (&f, 5, 1, REEL_ERROR_INDEX, "row slot 5 never contained a row");
  assert_refused (&f, 10, 1, REEL_ERROR_INDEX, "row slot 10");
}

/* T7.5-1 */
/* A priority without a finite weight is refused until the property is another, and changes nothing.
 */
static void
test_weights_stay_finite (void)
{
  static const struct
  {
    const char *text, *word;
  } bad[] = {
    { "prioritized:eps=1e300,alpha=2,dtype=float64", "eps=1e+300 has no finite weight" },
    { "prioritized:eps=1e39", "eps=1e+39 has no finite weight with alpha=0.6" },
    { "prioritized:eps=1,alpha=1e308", "alpha=1e+308: choose a smaller alpha or eps" },
  };
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=1,dtype=float64", 300, 1);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    for (gint again = 0; again < 2; again++)
      {
        g_auto (Fixture) absurd = open_buffer (bad[i].text, 10, 1);
        g_autoptr (ReelTensordict) batch = NULL;
        g_autoptr (GError) refused = NULL;

        counted_extend (absurd.buffer, 1, 5, 0);
        g_assert_false (reel_replay_buffer_sample (absurd.buffer, 4, &batch, &refused));
        g_assert_error (refused, REEL_ERROR, REEL_ERROR_VALUE);
        g_assert_nonnull (strstr (refused->message, bad[i].word));
      }
  counted_extend (f.buffer, 1, 290, 0);
  update (&f, 1, (const gint64[]){ 7 }, (const double[]){ 1e30 });
  g_object_set (f.sampler, "alpha", 20.0, NULL);
  for (gint again = 0; again < 2; again++, g_clear_error (&error))
    {
      g_assert_false (reel_sampler_update_priority (f.sampler, f.storage, NULL, 0, NULL, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, "a priority of 1e+30 with eps=1e-08"));
      g_assert_true (weight (&f, 7) == 1e30 && weight (&f, 8) == 1 + 1e-8);
    }
  g_object_set (f.sampler, "alpha", 5e-324, NULL);
  update (&f, 0, NULL, NULL);
  g_assert_true (reel_priority_tree_total (f.priorities->tree) == 290);
  g_object_set (f.sampler, "alpha", 1.0, NULL);
  update (&f, 0, NULL, NULL);
  g_assert_cmpfloat_with_epsilon (reel_priority_tree_total (f.priorities->tree), 290, 290e-6);
}

static void
test_bad_properties (void)
{
  static const struct
  {
    const char *text, *word;
  } bad[] = {
    { "prioritized:alpha=-0.1", "alpha cannot be -0.1: it must be at least 0" },
    { "prioritized:beta=-1", "beta" },
    { "prioritized:alpha=nan", "alpha" },
    { "prioritized:dtype=float16", "dtype" },
    { "prioritized:reduction=mode", "reduction" },
    { "prioritized:eps=-1", "eps" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (REEL_TYPE_SAMPLER, bad[i].text, &error, NULL));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, bad[i].word));
    }
}

static void
test_capacity_must_do (void)
{
  g_autoptr (ReelReplayBuffer) plain = counted_new_buffer ("tensor", 7, 2);
  ReelStorage *storage = reel_replay_buffer_get_storage (plain);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "prioritized:max-capacity=7", NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_sampler_bind (sampler, storage, &error));
  counted_extend (plain, 2, 1, 0);
  g_assert_false (reel_sampler_bind (sampler, storage, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "max-capacity is 7, but the storage holds 8 rows"));
}

/* A stored priority that cannot be is told once; its rows have the default one. */
static void
test_bad_stored_priority (void)
{
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=1,eps=0", 10, 1);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 4, 0), batch = NULL;
  g_autoptr (ReelTensor) p = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, (gint64[]){ 4 }, NULL);
  g_autoptr (GError) error = NULL;

  ((float *) p->data)[2] = NAN;
  reel_tensordict_set_tensor (data, "td_error", p, NULL);
  reel_replay_buffer_set_priority_key (f.buffer, "td_error");
  reel_replay_buffer_extend (f.buffer, data, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (reel_replay_buffer_sample (f.buffer, 4, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "row slot 2 is nan"));
  g_clear_error (&error);
  g_assert_true (reel_replay_buffer_sample (f.buffer, 4, &batch, &error));
  g_assert_true (sum (&f, 0, 10) == 4);
}

/* ---- lanes, printing, memory ---- */

/* T7.5-7: an index of coordinates, priorities of another shape. */
static void
test_lanes (void)
{
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=1,eps=0", 10, 2);
  const gint64 at[] = { 0, 1, 3, 0 };
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 2, (gint64[]){ 2, 2 }, NULL);
  g_autoptr (ReelTensor) p = reel_tensor_new (REEL_DTYPE_FLOAT64, 2, (gint64[]){ 2, 1 }, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (f.buffer, 2, 5, 0);
  update (&f, 0, NULL, NULL);
  g_assert_true (sum (&f, 0, 10) == 10);
  memcpy (index->data, at, sizeof at);
  memcpy (p->data, (const double[]){ 3, 6 }, 2 * sizeof (double));
  g_assert_true (reel_replay_buffer_update_priority (f.buffer, index, p, &error));
  g_assert_true (weight (&f, 1) == 3 && weight (&f, 6) == 6 && sum (&f, 0, 10) == 17);
  batch = sample (&f, 500);
  for (gint i = 0; i < 500; i++)
    {
      const gint64 *place = get_index (batch) + 2 * i;
      double w = weight (&f, place[0] * 2 + place[1]);

      g_assert_cmpfloat_with_epsilon (corrections (batch)[i], (float) pow (w, -0.4), 1e-6);
    }
}

static void
test_prints (void)
{
  g_autoptr (ReelSampler) sampler = reel_object_new_from_text (
      REEL_TYPE_SAMPLER, "PrioritizedSampler:alpha=0.7,beta=1,reduction=mean", NULL, NULL);
  g_autofree char *text = reel_sampler_to_string (sampler);

  g_assert_cmpstr (text, ==, "PrioritizedSampler(alpha=0.7, beta=1.0, eps=1e-08, reduction=mean)");
}

/* Rows that were emptied have slots, and cannot be read: a priority of theirs would be drawn. */
static void
test_priorities_of_emptied_rows (void)
{
  const gint64 slots[] = { 0, 3 };
  const double priorities[] = { 2, 100 };
  g_auto (Fixture) f = open_buffer ("prioritized:alpha=1", 8, 1);
  g_autoptr (ReelTensordict) batch = NULL;

  counted_extend (f.buffer, 1, 5, 0);
  batch = sample (&f, 4);
  g_assert_true (reel_replay_buffer_empty (f.buffer, FALSE, NULL));
  counted_extend (f.buffer, 1, 1, 0);
  update (&f, 2, slots, priorities);
  g_assert_cmpfloat (weight (&f, 3), ==, 0);
  g_assert_cmpfloat_with_epsilon (sum (&f, 0, 8), 2, 1e-6);
}

/* New rows of a buffer without memory get the greatest priority of the state, as TorchRL's do. */
static void
test_state_before_memory (void)
{
  const gint64 slots[] = { 1, 3 };
  const double priorities[] = { 5, 2 };
  g_auto (Fixture) from = open_buffer ("prioritized:alpha=0.7,beta=0.5", 8, 1);
  g_auto (Fixture) to = open_buffer ("prioritized:alpha=0.9,beta=0.5", 8, 1);
  g_autoptr (ReelTensordict) state = NULL, batch = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (from.buffer, 1, 5, 0);
  update (&from, 2, slots, priorities);
  state = reel_sampler_dup_state (from.sampler, from.storage, &error);
  g_assert_no_error (error);
  g_assert_true (reel_sampler_set_state (to.sampler, to.storage, state, &error));
  counted_extend (to.buffer, 1, 1, 0);
  batch = sample (&to, 1);
  g_assert_cmpfloat_with_epsilon (weight (&to, 0), pow (5, 0.7), 1e-5);
  g_assert_true (reel_replay_buffer_empty (to.buffer, TRUE, NULL));
  counted_extend (to.buffer, 1, 1, 0);
  g_clear_pointer (&batch, reel_tensordict_unref);
  batch = sample (&to, 1);
  g_assert_cmpfloat_with_epsilon (weight (&to, 0), 1, 1e-5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(path, test) g_test_add_func ("/buffers/prioritized-sampler/" path, test)
  ADD ("priorities-of-emptied-rows", test_priorities_of_emptied_rows);
  ADD ("state-before-memory", test_state_before_memory);
  ADD ("equal-priorities", test_equal_priorities);
  ADD ("tutorial", test_tutorial);
  ADD ("zero-is-never-drawn", test_zero_is_never_drawn);
  ADD ("chances-are-weights", test_chances_are_weights);
  ADD ("order-flips", test_order_flips);
  ADD ("two-buffers-of-one-storage", test_two_buffers_of_one_storage);
  ADD ("default-is-that-of-the-moment", test_default_is_that_of_the_moment);
  ADD ("greatest", test_greatest);
  ADD ("every-short-history", test_every_short_history);
  ADD ("claimed-rows-are-not-drawn", test_claimed_rows_are_not_drawn);
  ADD ("alpha-may-change", test_alpha_may_change);
  ADD ("beta-may-change", test_beta_may_change);
  ADD ("bad-priorities", test_bad_priorities);
  ADD ("bad-properties", test_bad_properties);
  ADD ("weights-stay-finite", test_weights_stay_finite);
  ADD ("capacity-must-do", test_capacity_must_do);
  ADD ("bad-stored-priority", test_bad_stored_priority);
  ADD ("lanes", test_lanes);
  ADD ("prints", test_prints);

  return g_test_run ();
}
