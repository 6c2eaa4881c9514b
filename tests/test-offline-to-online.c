/* Batches of old data and new. */
#include "../src/reel.h"
#include "counted-rows.h"

#define APART 1000 /* online rows are numbered from here */

typedef struct
{
  ReelReplayBuffer *offline;
  ReelReplayBuffer *online;
  ReelOfflineToOnlineBuffer *both;
} Mix;

static Mix
new_mix (double fraction)
{
  Mix mix = { counted_new_buffer ("tensor", 20, 1), counted_new_buffer ("tensor", 10, 1), NULL };
  g_autoptr (GError) error = NULL;

  counted_extend (mix.offline, 1, 20, 0);
  mix.both = reel_offline_to_online_buffer_new (mix.offline, mix.online, fraction, 8, &error);
  g_assert_no_error (error);
  return mix;
}

static void
mix_clear (Mix *mix)
{
  g_object_unref (mix->both);
  g_object_unref (mix->offline);
  g_object_unref (mix->online);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Mix, mix_clear)

static void
assert_split (ReelTensordict *batch, gint64 n, gint64 n_offline)
{
  gint ndim;

  g_assert_cmpint (reel_tensordict_get_batch_size (batch, &ndim)[0], ==, n);
  g_assert_cmpint (ndim, ==, 1);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 number = counted_get_number (batch, &i);

      counted_assert_row (batch, &i, number);
      g_assert_cmpint (number >= APART, ==, i >= n_offline);
    }
}

/* Python's round() of f × n, for every fraction of 16ths and every batch to 24 rows;
 * with the batch that comes back filled again. */
static void
test_split_is_exact (void)
{
  gint64 n_cases = 0;

  for (gint sixteenths = 1; sixteenths < 16; sixteenths++)
    {
      g_auto (Mix) mix = new_mix (sixteenths / 16.0);
      g_autoptr (ReelTensordict) batch = NULL;

      counted_extend (mix.online, 1, 4, APART);
      for (gint64 n = 1; n <= 24; n++)
        for (gint turn = 0; turn < 3; turn++, n_cases++)
          {
            gint64 whole = sixteenths * n / 16, rest = sixteenths * n % 16;
            gint64 expected = whole + (rest > 8 || (rest == 8 && whole % 2));

            g_assert_cmpint (reel_offline_to_online_buffer_count_offline (mix.both, n), ==,
                             expected);
            g_assert_true (reel_offline_to_online_buffer_sample (mix.both, n, &batch, NULL));
            assert_split (batch, n, expected);
          }
    }
  g_assert_cmpint (n_cases, ==, 15 * 24 * 3);
}

static void
test_batch_is_recycled (void)
{
  g_auto (Mix) mix = new_mix (0.25);
  g_autoptr (ReelTensordict) batch = NULL;
  ReelTensordict *first;
  const guint8 *data;

  counted_extend (mix.online, 1, 4, APART);
  g_assert_true (reel_offline_to_online_buffer_sample (mix.both, 0, &batch, NULL));
  first = batch;
  data = reel_tensordict_get_tensor (batch, "observation", NULL)->data;
  for (gint turn = 0; turn < 20; turn++)
    {
      g_autoptr (ReelTensordict) other = NULL;
      gint64 kept;

      g_assert_true (reel_offline_to_online_buffer_sample (mix.both, 0, &batch, NULL));
      g_assert_true (turn > 0 || batch == first);
      g_assert_true (turn > 0
                     || reel_tensordict_get_tensor (batch, "observation", NULL)->data == data);
      assert_split (batch, 8, 2);
      kept = counted_get_number (batch, (gint64[]){ 0 });
      g_assert_true (reel_offline_to_online_buffer_sample (mix.both, 12, &other, NULL));
      assert_split (other, 12, 3);
      g_assert_cmpint (counted_get_number (batch, (gint64[]){ 0 }), ==, kept);
    }
}

/* Nothing is online at first; what is written goes there alone. */
static void
test_online_begins_empty (void)
{
  g_auto (Mix) mix = new_mix (0.5);
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_true (reel_offline_to_online_buffer_sample (mix.both, 6, &batch, NULL));
  assert_split (batch, 6, 6);
  counted_extend (reel_offline_to_online_buffer_get_online (mix.both), 1, 3, APART);
  g_assert_cmpint (reel_replay_buffer_get_length (mix.offline), ==, 20);
  g_assert_cmpint (reel_offline_to_online_buffer_get_length (mix.both), ==, 23);
  g_assert_true (reel_offline_to_online_buffer_sample (mix.both, 6, &batch, NULL));
  assert_split (batch, 6, 3);
}

/* By itself, and by a scheduler, which write the same property. */
static void
test_fraction_changes (void)
{
  g_auto (Mix) mix = new_mix (0.5);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (ReelScheduler) scheduler = reel_object_new_from_text (
      REEL_TYPE_SCHEDULER, "linear:parameter=offline-fraction,final-value=0,num-steps=2", NULL,
      NULL);
  g_autoptr (GError) error = NULL;
  double fraction;

  counted_extend (mix.online, 1, 4, APART);
  for (gint64 step = 0; step <= 6; step++)
    {
      reel_offline_to_online_buffer_anneal (mix.both, step, 4);
      g_object_get (mix.both, "offline-fraction", &fraction, NULL);
      g_assert_cmpfloat (fraction, ==, step < 4 ? 0.5 * (1 - step / 4.0) : 0);
      g_assert_true (reel_offline_to_online_buffer_sample (mix.both, 8, &batch, NULL));
      assert_split (batch, 8, step < 4 ? 4 - step : 0);
    }
  reel_offline_to_online_buffer_anneal (mix.both, 0, 4);
  reel_scheduler_attach (scheduler, REEL_OBJECT (mix.both), &error);
  g_assert_no_error (error);
  g_assert_true (reel_scheduler_step (scheduler, NULL));
  g_assert_true (reel_offline_to_online_buffer_sample (mix.both, 8, &batch, NULL));
  assert_split (batch, 8, 2);
  g_assert_true (reel_scheduler_step (scheduler, NULL));
  g_assert_true (reel_offline_to_online_buffer_sample (mix.both, 8, &batch, NULL));
  assert_split (batch, 8, 0);
}

static void
test_refuses (void)
{
  static const double bad[] = { 0, 1, -0.5, 1.5 };
  g_auto (Mix) mix = new_mix (0.5);
  g_autoptr (ReelOfflineToOnlineBuffer) without = NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_null (
          reel_offline_to_online_buffer_new (mix.offline, mix.online, bad[i], 0, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_clear_error (&error);
    }
  without = reel_offline_to_online_buffer_new (mix.offline, mix.online, 0.5, 0, NULL);
  g_assert_false (reel_offline_to_online_buffer_sample (without, 0, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, func) g_test_add_func ("/buffers/offline-to-online/" name, func)
  ADD ("split-is-exact", test_split_is_exact);
  ADD ("batch-is-recycled", test_batch_is_recycled);
  ADD ("online-begins-empty", test_online_begins_empty);
  ADD ("fraction-changes", test_fraction_changes);
  ADD ("refuses", test_refuses);
#undef ADD
  return g_test_run ();
}
