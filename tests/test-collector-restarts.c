/* Decisions at the beginning or the end of a batch, and runs that continue from anywhere: from a
 * state, from a buffer, after a cut. */
#include "collecting.h"
#include "scratch.h"
#include "scribe-policy.h"

#include <string.h>

#define LANES 3
#define POLICY "random:seed=11"

static ReelReplayBuffer *
make_buffer (gint64 lanes)
{
  return collecting_make_buffer ("tensor", 600, lanes > 1 ? 2 : 1);
}

static const char *chain = ""; /* behind the env */

static char *
dup_env (gint64 lanes)
{
  return g_strdup_printf ("CartPole:seed=5,max-episode-steps=9,num-envs=%d%s", (int) lanes, chain);
}

static ReelCollector *
make (const char *how, gint64 lanes, const char *policy, ReelReplayBuffer *buffer)
{
  g_autofree char *text = g_strconcat ("sync:", how, NULL);
  g_autofree char *env = dup_env (lanes);

  return collecting_make_collector (text, env, policy, buffer);
}

/* policy_for: one that acts unlike the random one, where that acts before it. */
static const char *
policy_for (const char *how)
{
  return strstr (how, "init-random") ? "constant:value=1" : POLICY;
}

/* gather: all that a collector hands out, as one. */
static ReelTensordict *
gather (ReelCollector *collector)
{
  g_autoptr (GPtrArray) batches = g_ptr_array_new ();
  ReelTensordict *batch, *all;

  while (collecting_next (collector, &batch) > 0)
    g_ptr_array_add (batches, reel_tensordict_ref (batch));
  all = reel_tensordict_cat ((ReelTensordict *const *) batches->pdata, batches->len, -1, NULL);
  g_ptr_array_foreach (batches, (GFunc) (void *) reel_tensordict_unref, NULL);
  return all;
}

static ReelTensordict *
gather_text (const char *how, gint64 lanes, const char *policy)
{
  g_autoptr (ReelCollector) collector = make (how, lanes, policy, NULL);

  return gather (collector);
}

static const gint64 *
ids_of (ReelTensordict *td)
{
  return (const gint64 *) (gconstpointer) reel_tensordict_get_tensor (td, "collector/traj_ids",
                                                                      NULL)
      ->data;
}

/* ---- random frames ---- */

/* count_ones: actions of the policy `constant`, which takes the last class, where the random one
 * takes it half of the time. */
static gint64
count_random_batches (ReelTensordict *all, gint64 batch, gint64 n_batches)
{
  g_autoptr (ReelTensordict) plain = reel_tensordict_contiguous (all, NULL);
  const gint64 *action =
      (const gint64 *) (gconstpointer) reel_tensordict_get_tensor (plain, "action", NULL)->data;
  gint64 n = 0;

  for (gint64 b = 0; b < n_batches; b++)
    {
      gboolean random = FALSE;

      for (gint64 i = 0; i < batch; i++)
        random = random || action[2 * (b * batch + i)] == 1;
      n += random;
      g_assert_true (!random || n == b + 1);
    }
  return n;
}

/* T14.8-26, and more of the kind: by the count before each batch. */
static void
test_batches_are_random (void)
{
  for (gint64 batch = 8; batch <= 20; batch += 6)
    for (gint64 init = -1; init <= 65; init += 3)
      for (gint buffered = 0; buffered < 2; buffered++)
        {
          g_autofree char *how =
              g_strdup_printf ("frames-per-batch=%d,total-frames=%d,init-random-frames=%d",
                               (int) batch, (int) (5 * batch), (int) init);
          g_autoptr (ReelReplayBuffer) buffer = buffered ? make_buffer (1) : NULL;
          g_autoptr (ReelCollector) collector = make (how, 1, "constant:value=1", buffer);
          g_autoptr (ReelTensordict) all = NULL;
          gint64 wanted = init <= 0 ? 0 : MIN ((init + batch - 1) / batch, 5);

          if (buffered)
            {
              while (collecting_next (collector, NULL) > 0)
                ;
              all = reel_replay_buffer_get_all (buffer, NULL);
            }
          else
            all = gather (collector);
          g_assert_cmpint (count_random_batches (all, batch, 5), ==, wanted);
        }
}

/* A buffer that has rows counts them. */
static void
test_rows_of_the_buffer_count (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (LANES);
  g_autoptr (ReelCollector) first =
      make ("frames-per-batch=30,total-frames=30", LANES, "constant:value=1", buffer);
  g_autoptr (ReelCollector) second =
      make ("frames-per-batch=30,total-frames=90,init-random-frames=60", LANES, "constant:value=1",
            buffer);
  g_autoptr (ReelTensordict) all = NULL, steps = NULL, part = NULL;

  while (collecting_next (first, NULL) > 0)
    ;
  while (collecting_next (second, NULL) > 0)
    ;
  all = reel_replay_buffer_get_all (buffer, NULL);
  steps = reel_tensordict_transpose (all, 0, 1, NULL);
  part = reel_tensordict_slice (steps, 0, 10, 40, 1, NULL);
  g_assert_cmpint (count_random_batches (part, 30, 3), ==, 1);
}

/* The seed is that of the policy, or of the env. All else that the policy would write is 0. */
static void
test_random_actions_are_seeded (void)
{
  g_autoptr (ReelTensordict) all =
      gather_text ("total-frames=300,init-random-frames=300", LANES, "random:seed=77");
  g_autoptr (ReelTensordict) env_seed =
      gather_text ("total-frames=300,init-random-frames=300", LANES, "scribe");
  g_autoptr (ReelTensordict) plain = gather_text ("total-frames=300", LANES, "random:seed=77");
  g_autoptr (ReelTensordict) five = gather_text ("total-frames=300", LANES, "random:seed=5");
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (five);
  g_auto (GStrv) more = reel_tensordict_list_leaves (env_seed);
  gint n = 0;

  g_assert_true (reel_tensordict_equal (all, plain));
  for (char **leaf = leaves; *leaf; leaf++)
    g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (env_seed, *leaf, NULL),
                                      reel_tensordict_get_tensor (five, *leaf, NULL)));
  for (char **leaf = more; *leaf; leaf++)
    if (!g_strv_contains ((const char *const *) leaves, *leaf))
      {
        const ReelTensor *written = reel_tensordict_get_tensor (env_seed, *leaf, NULL);
        g_autoptr (ReelTensor) zeros =
            reel_tensor_new (written->dtype, written->ndim, written->shape, NULL);

        g_assert_true (reel_tensor_equal (written, zeros));
        n++;
      }
  g_assert_cmpint (n, >, 2);
}

/* Also where the ring has what the policy wrote before. */
static void
test_written_keys_are_cleared (void)
{
  static const char *const keys[] = { "value/deep", "next/hidden/mood", "hidden/mood" };
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 90, 2);
  g_autoptr (ReelCollector) first = make ("total-frames=90", LANES, "scribe", buffer);
  g_autoptr (ReelCollector) second =
      make ("total-frames=90,init-random-frames=1000", LANES, "scribe", buffer);
  g_autoptr (ReelTensordict) all = NULL;

  collecting_next (first, NULL);
  collecting_next (second, NULL);
  all = reel_replay_buffer_get_all (buffer, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (ReelTensor) leaf = reel_tensordict_ref_tensor (all, keys[i], NULL);
      g_autoptr (ReelTensor) plain = reel_tensor_contiguous (leaf, NULL);
      g_autoptr (ReelTensor) zeros =
          reel_tensor_new (plain->dtype, plain->ndim, plain->shape, NULL);

      g_assert_true (reel_tensor_equal (plain, zeros));
    }
}

/* ---- from a buffer ---- */

/* list: `number lane length return`, of each episode that ends. */
static void
list (ReelCollector *collector, GString *episodes)
{
  gsize n;
  const ReelCollectorEpisode *ended = reel_collector_get_episodes (collector, &n);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (episodes, "%d %d %d %d %g;", (int) ended[i].number, (int) ended[i].lane,
                            (int) ended[i].length, (int) ended[i].n_steps, ended[i].reward_sum);
}

static ReelTensordict *
fill (ReelReplayBuffer *buffer, const char *how, gint64 lanes, gint64 total, gboolean resume,
      GString *episodes)
{
  g_autofree char *text = g_strdup_printf ("%s,total-frames=%d,resume=%s,list-episodes=true", how,
                                           (int) total, resume ? "true" : "false");
  g_autoptr (ReelCollector) collector = make (text, lanes, policy_for (how), buffer);

  while (collecting_next (collector, NULL) > 0)
    list (collector, episodes);
  return reel_replay_buffer_get_all (buffer, NULL);
}

/* A run that stopped after any step, and went on: the bytes and the episodes of one that never
 * stopped, also where what is decided by batch is decided in the middle of one. */
static void
test_resumed_run_is_the_same (void)
{
  static const char *const texts[] = {
    "frames-per-batch=12,init-random-frames=40",
    "frames-per-batch=12,reset-at-each-iter=true",
    "frames-per-batch=3,reset-at-each-iter=true,init-random-frames=20",
    "frames-per-batch=24,reset-at-each-iter=true,max-frames-per-traj=4",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    for (gint64 lanes = 1; lanes <= LANES; lanes += 2)
      for (gint64 step = 1; step < 28; step++)
        {
          const gint64 n_steps = 28;
          g_autoptr (ReelReplayBuffer) whole = make_buffer (lanes), parts = make_buffer (lanes);
          g_autoptr (GString) episodes = g_string_new (NULL), others = g_string_new (NULL);
          g_autoptr (ReelTensordict) all =
              fill (whole, texts[i], lanes, n_steps * lanes, FALSE, episodes);
          g_autoptr (ReelTensordict) first =
              fill (parts, texts[i], lanes, step * lanes, FALSE, others);
          g_autoptr (ReelTensordict) both =
              fill (parts, texts[i], lanes, (n_steps - step) * lanes, TRUE, others);

          g_assert_true (reel_tensordict_equal (all, both));
          g_assert_cmpstr (episodes->str, ==, others->str);
        }
}

/* ---- resets ---- */

/* T14.8-31: each batch begins new episodes, without a flag at the seam. */
static void
test_each_batch_begins_anew (void)
{
  g_autoptr (ReelCollector) collector =
      make ("frames-per-batch=15,total-frames=150,reset-at-each-iter=true", LANES, POLICY, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  ReelCollectorStats stats;
  ReelTensordict *batch;
  gint64 n_flags = 0;

  while (collecting_next (collector, &batch) > 0)
    {
      g_autoptr (ReelTensordict) plain = reel_tensordict_contiguous (batch, NULL);
      const guint8 *done = reel_tensordict_get_tensor (plain, "next/done", NULL)->data;
      g_autoptr (GHashTable) here = g_hash_table_new (NULL, NULL);

      for (gint64 i = 0; i < 15; i++)
        {
          gpointer id = GSIZE_TO_POINTER ((gsize) ids_of (plain)[i] + 1);

          g_assert_false (g_hash_table_contains (seen, id));
          g_hash_table_add (here, id);
          n_flags += done[i];
        }
      for (gint64 i = 0; i < 15; i++)
        g_hash_table_add (seen, GSIZE_TO_POINTER ((gsize) ids_of (plain)[i] + 1));
    }
  reel_collector_get_stats (collector, &stats);
  /* Those of the last batch are under way, or were just begun. */
  g_assert_cmpint (stats.episodes, >=, (gint64) g_hash_table_size (seen) - LANES);
  g_assert_cmpint (stats.episodes, <=, (gint64) g_hash_table_size (seen));
  g_assert_cmpint (stats.length_sum, <=, 150);
  g_assert_cmpint (n_flags, <, stats.episodes);
}

/* ---- T14.8-7: marks at the ends of batches ---- */

static void
test_ends_are_marked (void)
{
  for (gint buffered = 0; buffered < 2; buffered++)
    {
      const char *how = "frames-per-batch=15,total-frames=90,set-truncated=true";
      g_autoptr (ReelReplayBuffer) buffer = make_buffer (LANES);
      g_autoptr (ReelTensordict) plain = gather_text ("total-frames=90", LANES, POLICY);
      g_autoptr (ReelTensordict) marked = NULL, whole = NULL;
      g_autoptr (ReelCollector) collector = make (how, LANES, POLICY, buffered ? buffer : NULL);
      static const char *const flags[] = { "next/done", "next/truncated" };

      if (buffered)
        {
          while (collecting_next (collector, NULL) > 0)
            ;
          marked = reel_replay_buffer_get_all (buffer, NULL);
        }
      else
        marked = gather (collector);
      whole = reel_tensordict_clone (plain, TRUE, NULL);
      for (gsize f = 0; f < G_N_ELEMENTS (flags); f++)
        {
          const ReelTensor *flag = reel_tensordict_get_tensor (whole, flags[f], NULL);

          for (gint64 lane = 0; lane < LANES; lane++)
            for (gint64 step = 4; step < 30; step += 5)
              flag->data[lane * flag->strides[0] + step * flag->strides[1]] = TRUE;
        }
      g_assert_true (reel_tensordict_equal (marked, whole));
    }
}

/* ---- T14.8-18: from a state ---- */

static ReelTensordict *
save_and_load (ReelTensordict *state)
{
  g_autofree char *path = scratch_path ("state");
  ReelTensordict *loaded;
  g_autoptr (GError) error = NULL;

  reel_tensordict_save (state, path, 0, &error);
  g_assert_no_error (error);
  loaded = reel_tensordict_load (path, 0, &error);
  g_assert_no_error (error);
  return loaded;
}

static const char *const states[] = {
  "frames-per-batch=12",
  "frames-per-batch=12,init-random-frames=40,reset-at-each-iter=true",
  "frames-per-batch=12,trajs-per-batch=2",
  "frames-per-batch=12,postproc=(multi-step:n-steps=3)",
};

/* A collector that takes the state of another after any of its batches goes on as that does. */
static void
test_state_continues (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    for (gint n = 0; n < 6; n++)
      {
        g_autofree char *how = g_strdup_printf ("%s,total-frames=120", states[i]);
        g_autoptr (ReelCollector) one = make (how, LANES, policy_for (how), NULL);
        g_autoptr (ReelCollector) other = make (how, LANES, policy_for (how), NULL);
        g_autoptr (ReelTensordict) state = NULL;
        ReelTensordict *ours, *theirs;
        g_autoptr (GError) error = NULL;
        gint64 rows;

        for (gint k = 0; k < n; k++)
          collecting_next (one, NULL);
        for (gint k = 0; k < 3; k++)
          collecting_next (other, NULL);
        state = reel_collector_dup_state (one, &error);
        g_assert_no_error (error);
        reel_collector_set_state (other, state, &error);
        g_assert_no_error (error);
        while ((rows = collecting_next (one, &ours)) > 0)
          {
            g_assert_cmpint (collecting_next (other, &theirs), ==, rows);
            g_assert_true ((ours == NULL) == (theirs == NULL));
            g_assert_true (ours == NULL || reel_tensordict_equal (ours, theirs));
          }
        g_assert_cmpint (collecting_next (other, &theirs), ==, 0);
      }
}

/* Statistics of all lanes are of their state. */
static void
test_state_of_statistics_continues (void)
{
  chain = "|vec-norm:decay=0.9|step-counter";
  test_state_continues ();
  chain = "";
}

static void
test_state_is_saved (void)
{
  g_autoptr (ReelCollector) one = make (states[2], LANES, POLICY, NULL);
  g_autoptr (ReelCollector) other = make (states[2], LANES, POLICY, NULL);
  g_autoptr (ReelTensordict) state = NULL, loaded = NULL;
  g_autoptr (GError) error = NULL;
  ReelTensordict *ours, *theirs;

  collecting_next (one, NULL);
  state = reel_collector_dup_state (one, NULL);
  loaded = save_and_load (state);
  reel_collector_set_state (other, loaded, &error);
  g_assert_no_error (error);
  collecting_next (one, &ours);
  collecting_next (other, &theirs);
  g_assert_true (reel_tensordict_equal (ours, theirs));
}

/* refuse_state: without or with another value at @path, and the collector goes on as if nothing
 * had been tried. */
static void
refuse_state (const char *how, const char *path, gboolean remove)
{
  g_autoptr (ReelCollector) one = make (how, LANES, POLICY, NULL);
  g_autoptr (ReelCollector) other = make (how, LANES, POLICY, NULL);
  g_autoptr (ReelTensordict) taken = NULL, state = NULL;
  g_autoptr (GError) error = NULL;
  ReelTensordict *ours, *theirs;

  collecting_next (one, NULL);
  taken = reel_collector_dup_state (one, NULL);
  collecting_next (one, NULL);
  collecting_next (other, NULL);
  collecting_next (other, NULL);
  state = reel_tensordict_clone (taken, TRUE, NULL);
  if (remove)
    g_assert_true (reel_tensordict_remove (state, path, NULL));
  else
    reel_tensordict_get_tensor (state, path, NULL)->data[0] ^= 1;
  g_assert_false (reel_collector_set_state (other, state, &error));
  g_assert_nonnull (error);
  collecting_next (one, &ours);
  collecting_next (other, &theirs);
  g_assert_true (ours == NULL || reel_tensordict_equal (ours, theirs));
}

static void
test_other_states_are_refused (void)
{
  static const char *const parts[] = { "env", "policy", "frames", "counts", "lanes", "sum" };
  static const char *const changed[] = { "env", "policy", "counts", "lanes", "sum" };

  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    {
      for (gsize k = 0; k < G_N_ELEMENTS (parts); k++)
        refuse_state (states[i], parts[k], TRUE);
      for (gsize k = 0; k < G_N_ELEMENTS (changed); k++)
        refuse_state (states[i], changed[k], FALSE);
    }
  refuse_state (states[2], "trajectories", TRUE);
  refuse_state (states[2], "trajectories/complete/n", TRUE);
  refuse_state (states[2], "trajectories/partial/0/words", TRUE);
  refuse_state (states[3], "postproc", TRUE);
}

static void
test_state_of_other_lanes_is_refused (void)
{
  g_autoptr (ReelCollector) one = make ("frames-per-batch=12", 1, POLICY, NULL);
  g_autoptr (ReelCollector) other = make ("frames-per-batch=12", LANES, POLICY, NULL);
  g_autoptr (ReelTensordict) state = reel_collector_dup_state (one, NULL);
  g_autoptr (ReelTensordict) nothing = reel_tensordict_new (0, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_collector_set_state (other, state, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "num-envs=3"));
  g_clear_error (&error);
  g_assert_false (reel_collector_set_state (other, nothing, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

/* ---- cuts ---- */

typedef struct
{
  ReelCollector *collector;
  gint64 at;
} Cut;

static gboolean
act_and_cut (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data,
             GError **error)
{
  const Cut *cut = user_data;

  memset (io->action[0], 0, (gsize) n_lanes * 2 * sizeof (gint64));
  for (gint64 lane = 0; lane < n_lanes; lane++)
    ((gint64 *) (gpointer) io->action[0])[2 * lane + (step + lane) % 2] = 1;
  if (step == cut->at)
    reel_collector_interrupt (cut->collector);
  return TRUE;
}

/* The batch is cut after the step, its rest is padding, and the next one follows. */
static void
check_cut (gint64 lanes, gint64 at)
{
  g_autofree char *text = dup_env (lanes);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  g_autoptr (ReelEnv) same = collecting_make (REEL_TYPE_ENV, text);
  Cut cut = { .at = at }, none = { .at = -1 };
  g_autoptr (ReelPolicy) policy = reel_policy_new_callback (act_and_cut, &cut, NULL);
  g_autoptr (ReelPolicy) calm = reel_policy_new_callback (act_and_cut, &none, NULL);
  g_autofree char *how = g_strdup_printf ("sync:frames-per-batch=%d", (int) (6 * lanes));
  g_autoptr (ReelCollector) collector = reel_collector_new (how, env, policy, NULL, NULL);
  g_autoptr (ReelCollector) plain = reel_collector_new (how, same, calm, NULL, NULL);
  g_autoptr (ReelTensordict) first = NULL, rest = NULL, begun = NULL, all = NULL;
  ReelTensordict *batch, *other;
  gint ndim;

  cut.collector = collector;
  g_assert_cmpint (collecting_next (plain, &batch), ==, 6 * lanes);
  all = reel_tensordict_ref (batch);
  g_assert_cmpint (collecting_next (collector, &batch), ==, (at + 1) * lanes);
  g_assert_cmpint (reel_tensordict_get_batch_size (batch, &ndim)[ndim - 1], ==, 6);
  g_assert_cmpstr (reel_tensordict_get_name (batch, ndim - 1), ==, "time");
  first = reel_tensordict_slice (batch, -1, 0, at + 1, 1, NULL);
  begun = reel_tensordict_slice (all, -1, 0, at + 1, 1, NULL);
  g_assert_true (reel_tensordict_equal (first, begun));
  rest = reel_tensordict_slice (batch, -1, at + 1, 6, 1, NULL);
  g_autoptr (ReelTensordict) padding = reel_tensordict_contiguous (rest, NULL);
  for (gint64 i = 0; i < (5 - at) * lanes; i++)
    g_assert_cmpint (ids_of (padding)[i], ==, -1);
  /* A whole batch follows. */
  g_assert_cmpint (collecting_next (plain, &other), ==, 6 * lanes);
  g_autoptr (ReelTensordict) both =
      reel_tensordict_cat ((ReelTensordict *[]){ all, other }, 2, -1, NULL);
  g_autoptr (ReelTensordict) after = reel_tensordict_slice (both, -1, at + 1, at + 7, 1, NULL);
  g_assert_cmpint (collecting_next (collector, &batch), ==, 6 * lanes);
  g_assert_true (reel_tensordict_equal (batch, after));
}

static void
test_cut_batches_are_padded (void)
{
  for (gint64 lanes = 1; lanes <= LANES; lanes += 2)
    for (gint64 at = 0; at < 6; at++)
      check_cut (lanes, at);
}

/* Asked between two batches, the next has one step at least. */
static void
test_cut_before_a_batch (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (LANES);
  g_autoptr (ReelCollector) collector = make ("frames-per-batch=30", LANES, POLICY, buffer);

  reel_collector_interrupt (collector);
  g_assert_cmpint (collecting_next (collector, NULL), >=, LANES);
}

/* Fails the first time that it is asked for step @user_data, a gint64. */
static gboolean
fail_once (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  gint64 *at = user_data;

  for (gint64 lane = 0; lane < n_lanes; lane++)
    ((gint64 *) (gpointer) io->action[0])[2 * lane] = 1;
  if (step != *at)
    return TRUE;
  *at = -1;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "this time not");
  return FALSE;
}

/* The last batch is shorter than the others, and begins where actions are random no more. */
static void
test_a_short_batch_that_failed_is_not_random (void)
{
  gint64 fails_at = 8;
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "CartPole:num-envs=2,seed=1");
  g_autoptr (ReelPolicy) policy = reel_policy_new_callback (fail_once, &fails_at, NULL);
  g_autoptr (ReelCollector) collector = reel_collector_new (
      "sync:frames-per-batch=8,total-frames=20,init-random-frames=16", env, policy, NULL, NULL);
  ReelTensordict *batch = NULL;

  for (gint i = 0; i < 2; i++)
    g_assert_cmpint (collecting_next (collector, &batch), ==, 8);
  g_assert_cmpint (reel_collector_next (collector, &batch, NULL), ==, -1);
  g_assert_cmpint (reel_collector_next (collector, &batch, NULL), ==, 4);

  g_autoptr (ReelTensor) actions =
      reel_tensor_contiguous (reel_tensordict_get_tensor (batch, "action", NULL), NULL);

  for (gsize row = 0; row < 4; row++)
    g_assert_cmpint (((const gint64 *) (gconstpointer) actions->data)[2 * row], ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (TYPE_SCRIBE_POLICY);

#define TEST(path, function) g_test_add_func ("/collectors/restarts/" path, function)
  TEST ("batches-are-random", test_batches_are_random);
  TEST ("rows-of-the-buffer-count", test_rows_of_the_buffer_count);
  TEST ("random-actions-are-seeded", test_random_actions_are_seeded);
  TEST ("written-keys-are-cleared", test_written_keys_are_cleared);
  TEST ("resumed-run-is-the-same", test_resumed_run_is_the_same);
  TEST ("each-batch-begins-anew", test_each_batch_begins_anew);
  TEST ("ends-are-marked", test_ends_are_marked);
  TEST ("state-continues", test_state_continues);
  TEST ("state-of-statistics-continues", test_state_of_statistics_continues);
  TEST ("a-short-batch-that-failed-is-not-random", test_a_short_batch_that_failed_is_not_random);
  scratch_test ("/collectors/restarts/state-is-saved", test_state_is_saved);
  TEST ("other-states-are-refused", test_other_states_are_refused);
  TEST ("state-of-other-lanes-is-refused", test_state_of_other_lanes_is_refused);
  TEST ("cut-batches-are-padded", test_cut_batches_are_padded);
  TEST ("cut-before-a-batch", test_cut_before_a_batch);
  return g_test_run ();
}
