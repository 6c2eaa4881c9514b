/* Batches of an ensemble that are drawn ahead are those that would be drawn one by one. */
#include "race.h"
#include "three-buffers.h"

static void
sample (ReelReplayBufferEnsemble *ensemble, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_ensemble_sample (ensemble, 0, batch, &error);
  g_assert_no_error (error);
}

static gint64
count_pending (ReelReplayBufferEnsemble *ensemble)
{
  ReelReplayBufferStats stats;

  reel_replay_buffer_ensemble_get_stats (ensemble, &stats);
  return stats.n_prefetched;
}

static gboolean
are_equal (ReelTensordict *a, ReelTensordict *b)
{
  g_autoptr (GError) error = NULL;
  gboolean equal = reel_tensordict_get_kind (a) == reel_tensordict_get_kind (b);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (a, &ndim);

  for (gint64 i = 0; i < size[0] && equal; i++)
    {
      g_autoptr (ReelTensordict) mine = reel_tensordict_select_index (a, 0, i, &error);
      g_autoptr (ReelTensordict) its = reel_tensordict_select_index (b, 0, i, &error);
      g_auto (GStrv) leaves = reel_tensordict_list_leaves (mine);
      g_auto (GStrv) others = reel_tensordict_list_leaves (its);

      equal = equal && g_strv_equal ((const char *const *) leaves, (const char *const *) others);
      for (char **leaf = leaves; equal && *leaf; leaf++)
        equal = reel_tensor_equal (reel_tensordict_get_tensor (mine, *leaf, NULL),
                                   reel_tensordict_get_tensor (its, *leaf, NULL));
    }
  return equal;
}

/* ---- the same batches ---- */

typedef struct
{
  const char *sampler;
  ReelEnsembleOptions options;
  gboolean nested;
  gint transforms; /* 1: of a member, 2: of the ensemble */
} Case;

typedef struct
{
  Three three;
  ReelReplayBufferEnsemble *ensemble;
} Set;

static void
set_clear (Set *set)
{
  g_object_unref (set->ensemble);
  three_clear (&set->three);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Set, set_clear)

static ReelTransform *
new_rename (const char *from, const char *to)
{
  g_autofree char *text = g_strdup_printf ("rename:in-keys=[%s],out-keys=[%s]", from, to);

  return reel_object_new_from_text (REEL_TYPE_TRANSFORM, text, NULL, NULL);
}

/* Nested: two ensembles of two parts each, of the first two buffers and of the last two. */
static ReelReplayBufferEnsemble *
nest (Three *three, const ReelEnsembleOptions *options)
{
  ReelEnsembleOptions inner = { .num_buffer_sampled = 2, .seed = 9 };
  GObject *members[2];
  ReelReplayBufferEnsemble *ensemble;

  for (gint i = 0; i < 2; i++)
    members[i] = G_OBJECT (reel_replay_buffer_ensemble_new (three->buffers + i, 2, &inner, NULL));
  ensemble = reel_replay_buffer_ensemble_new_mixed (members, 2, options, NULL);
  g_object_unref (members[0]);
  g_object_unref (members[1]);
  return ensemble;
}

static Set
new_set (const Case *c, gint64 prefetch)
{
  ReelEnsembleOptions options = c->options;
  g_autoptr (ReelTransform) outer = new_rename ("id", "name");
  g_autoptr (GError) error = NULL;
  Set set;

  options.batch_size = 24;
  if (c->transforms & 2)
    options.transform = outer;
  set.three = three_new (c->sampler, c->nested ? NULL : &options);
  set.ensemble = c->nested ? nest (&set.three, &options) : g_object_ref (set.three.ensemble);
  for (gint b = 0; b < 3 && c->transforms & 1; b++)
    {
      g_autoptr (ReelTransform) inner = new_rename ("next/wide", "wide");

      g_assert_true (
          reel_replay_buffer_append_transform (set.three.buffers[b], inner, FALSE, NULL));
    }
  counted_extend (set.three.buffers[1], 1, 2, APART + 6);
  reel_replay_buffer_ensemble_set_prefetch (set.ensemble, prefetch, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_ensemble_get_prefetch (set.ensemble), ==, prefetch);
  return set;
}

/* Given back or not. */
static gint64
compare (const Case *c, gint64 prefetch, gboolean give_back)
{
  g_auto (Set) bare = new_set (c, 0);
  g_auto (Set) ahead = new_set (c, prefetch);
  g_autoptr (ReelTensordict) one = NULL, other = NULL, kept = NULL, copy = NULL;
  gint64 n = 0;

  for (; n < 12; n++)
    {
      if (!give_back)
        {
          g_assert_true (!kept || are_equal (kept, copy));
          g_clear_pointer (&kept, reel_tensordict_unref);
          g_clear_pointer (&copy, reel_tensordict_unref);
          kept = g_steal_pointer (&other);
          copy = kept ? reel_tensordict_clone (kept, TRUE, NULL) : NULL;
        }
      sample (bare.ensemble, &one);
      sample (ahead.ensemble, &other);
      g_assert_true (are_equal (one, other));
      g_assert_cmpint (count_pending (ahead.ensemble), ==, prefetch);
    }
  return n;
}

static void
test_the_same_batches (void)
{
  static const char *const samplers[] = { "random", "without-replacement", "prioritized",
                                          "slice:slice-len=2,end-key=next/flag",
                                          "slice-without-replacement:slice-len=2,end-key=next/"
                                          "flag" };
  static const double p[] = { 1, 0, 2 };
  const ReelEnsembleOptions ways[] = {
    { .num_buffer_sampled = 0 }, { .num_buffer_sampled = 1 }, { .p = p, .num_buffer_sampled = 6 },
    { .sample_from_all = TRUE }, { .sampleable = TRUE },
  };
  gint64 n = 0;

  for (gsize s = 0; s < G_N_ELEMENTS (samplers); s++)
    for (gsize w = 0; w < G_N_ELEMENTS (ways); w++)
      for (gint form = 0; form < 8; form++)
        for (gint64 prefetch = 1; prefetch <= 4; prefetch += 3)
          for (gint give_back = 0; give_back < 2; give_back++)
            {
              Case c = { samplers[s], ways[w], form & 4, form & 3 };

              if (c.nested && ways[w].p)
                continue;
              n += compare (&c, prefetch, give_back);
            }
  g_test_message ("%" G_GINT64_FORMAT " batches compared", n);
}

/* ---- the queue ---- */

static const ReelEnsembleOptions of_six = { .batch_size = 6 };

static void
test_as_many_are_ready (void)
{
  g_auto (Three) three = three_new ("without-replacement", &of_six);
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, 4, NULL));
  g_assert_cmpint (count_pending (three.ensemble), ==, 0);
  for (gint i = 0; i < 20; i++)
    {
      sample (three.ensemble, &batch);
      g_assert_cmpint (count_pending (three.ensemble), ==, 4);
    }
  g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, 2, NULL));
  g_assert_cmpint (count_pending (three.ensemble), ==, 0);
  sample (three.ensemble, &batch);
  g_assert_cmpint (count_pending (three.ensemble), ==, 2);
  g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, 0, NULL));
  g_assert_cmpint (count_pending (three.ensemble), ==, 0);
  g_assert_cmpint (reel_replay_buffer_ensemble_get_prefetch (three.ensemble), ==, 0);
  sample (three.ensemble, &batch);
  three_assert_batch (batch, 3, 2);
}

/* Nothing is allocated for a batch that comes back: the same few go round. */
static void
test_batches_go_round (void)
{
  g_auto (Three) three = three_new ("random", &of_six);
  g_autoptr (GHashTable) batches = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) memory = g_hash_table_new (NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, 2, NULL));
  for (gint i = 0; i < 100; i++)
    {
      sample (three.ensemble, &batch);
      three_assert_batch (batch, 3, 2);
      g_hash_table_add (batches, batch);
      g_hash_table_add (memory, reel_tensordict_get_tensor (batch, "observation", NULL)->data);
    }
  g_assert_cmpint (g_hash_table_size (batches), ==, 3);
  g_assert_cmpint (g_hash_table_size (memory), ==, 3);
}

/* The batches that are there come first, then the error, then what there is by then. */
static void
test_errors_come_in_their_turn (void)
{
  const ReelEnsembleOptions options = { .batch_size = 6, .sampleable = TRUE };
  g_auto (Three) three = three_new ("random", &options);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, 2, NULL));
  sample (three.ensemble, &batch);
  for (gint b = 0; b < 3; b++)
    g_assert_true (reel_replay_buffer_empty (three.buffers[b], TRUE, NULL));
  for (gint i = 0; i < 2; i++)
    {
      sample (three.ensemble, &batch);
      three_assert_batch (batch, 3, 2);
    }
  g_assert_false (reel_replay_buffer_ensemble_sample (three.ensemble, 0, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  for (gint b = 0; b < 3; b++)
    counted_extend (three.buffers[b], 1, 8, b * APART);
  sample (three.ensemble, &batch);
  three_assert_batch (batch, 3, 2);
}

/* Batches that another sampler drew ahead come first. */
static void
test_members_may_change (void)
{
  const ReelEnsembleOptions options = { .batch_size = 6, .sample_from_all = TRUE };
  static const gint64 expect[] = { 0, 2, 4, 0, 2 };
  g_auto (Three) three = three_new ("without-replacement:shuffle=false", &options);
  g_autoptr (ReelSampler) sampler = reel_object_new_from_text (
      REEL_TYPE_SAMPLER, "without-replacement:shuffle=false", NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, 2, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (expect); i++)
    {
      sample (three.ensemble, &batch);
      g_assert_cmpint (three_get (batch, "index/index", 1, 0), ==, expect[i]);
      if (i == 0)
        g_assert_true (reel_replay_buffer_set_sampler (three.buffers[1], sampler, NULL, NULL));
    }
}

static void
test_refuses (void)
{
  g_auto (Three) three = three_new ("consuming", &of_six);
  g_auto (Three) dynamic = three_new ("random", NULL);
  g_auto (Three) ahead = three_new ("random", &of_six);
  g_autoptr (ReelSampler) consuming =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "consuming", NULL, NULL);
  g_autoptr (GError) consumes = NULL, size = NULL, changed = NULL;

  g_assert_false (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, 1, &consumes));
  g_assert_error (consumes, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_false (reel_replay_buffer_ensemble_set_prefetch (dynamic.ensemble, 1, &size));
  g_assert_error (size, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (reel_replay_buffer_ensemble_set_prefetch (ahead.ensemble, 1, NULL));
  g_assert_false (reel_replay_buffer_set_sampler (ahead.buffers[2], consuming, NULL, &changed));
  g_assert_error (changed, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (reel_replay_buffer_ensemble_set_prefetch (ahead.ensemble, 0, NULL));
  g_assert_true (reel_replay_buffer_set_sampler (ahead.buffers[2], consuming, NULL, NULL));
}

/* Ensembles go away with batches under way, and their members after them. */
static void
test_stops_at_once (void)
{
  for (gint i = 0; i < 200; i++)
    {
      g_auto (Three) three = three_new ("random", &of_six);
      g_autoptr (ReelTensordict) batch = NULL;

      g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, 1 + i % 7, NULL));
      for (gint k = 0; k < i % 4; k++)
        sample (three.ensemble, &batch);
    }
}

/* As TorchRL's, it has no last batch; passes of its members go on. */
static void
test_next (void)
{
  for (gint64 prefetch = 0; prefetch < 3; prefetch++)
    {
      g_auto (Three) three = three_new ("without-replacement", &of_six);
      g_auto (Three) dynamic = three_new ("random", NULL);
      g_autoptr (ReelTensordict) batch = NULL, none = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, prefetch, NULL));
      for (gint i = 0; i < 40; i++)
        {
          g_assert_true (reel_replay_buffer_ensemble_next (three.ensemble, &batch, NULL));
          three_assert_batch (batch, 3, 2);
        }
      g_assert_false (reel_replay_buffer_ensemble_next (dynamic.ensemble, &none, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
    }
}

/* ---- while a writer goes round ---- */

static gboolean
extend (Race *race)
{
  Three *three = race->data;

  for (gint b = 0; b < 3; b++)
    counted_extend (three->buffers[b], 1, 1, race->n_written);
  return ++race->n_written < race->n_steps;
}

static gboolean
sample_ahead (Race *race, ReelSampler *sampler, ReelTensordict **batch, GError **error)
{
  return reel_replay_buffer_ensemble_sample (((Three *) race->data)->ensemble, 0, batch, error);
}

static gint64
count_torn (Race *race, const ReelTensordict *batch)
{
  gint64 n_torn = 0;

  for (gint64 part = 0; part < 3; part++)
    for (gint64 row = 0; row < 2; row++)
      {
        const gint64 place[] = { part, row };

        n_torn +=
            !counted_is_whole (batch, place)
            || counted_get_number (batch, place) % 8 != three_get (batch, "index/index", part, row);
      }
  return n_torn;
}

static void
test_no_row_is_torn (void)
{
  g_auto (Three) three = three_new ("random", &of_six);
  Race race = { .write = extend,
                .sample = sample_ahead,
                .count_torn = count_torn,
                .n_steps = 8 * 400,
                .n_written = 8,
                .data = &three };

  for (gint b = 0; b < 3; b++)
    {
      g_assert_true (reel_replay_buffer_empty (three.buffers[b], TRUE, NULL));
      counted_extend (three.buffers[b], 1, 8, 0);
    }
  g_assert_true (reel_replay_buffer_ensemble_set_prefetch (three.ensemble, 3, NULL));
  race_run (&race, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, func) g_test_add_func ("/buffers/ensemble-prefetch/" name, func)
  ADD ("the-same-batches", test_the_same_batches);
  ADD ("as-many-are-ready", test_as_many_are_ready);
  ADD ("batches-go-round", test_batches_go_round);
  ADD ("errors-come-in-their-turn", test_errors_come_in_their_turn);
  ADD ("members-may-change", test_members_may_change);
  ADD ("refuses", test_refuses);
  ADD ("stops-at-once", test_stops_at_once);
  ADD ("next", test_next);
  ADD ("no-row-is-torn", test_no_row_is_torn);
#undef ADD
  return g_test_run ();
}
