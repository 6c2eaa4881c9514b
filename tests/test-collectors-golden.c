/* Batches and buffers of TorchRL's Collector over scripted environments:
 * tests/data/collectors.json. Trajectory ids are equal up to a renaming. */
#include <string.h>

#include "collecting.h"
#include "table-env.h"

static json_t *golden;

/* A case, and its policy. */
typedef struct
{
  const char *id;
  const json_t *json;
  gint64 n_lanes;
  guint seen;       /* which leaf the policy sees */
  gboolean noisy;   /* the policy adds 0.5 where it explores */
  GHashTable *ours; /* ids of TorchRL by ours, and the other way round */
  GHashTable *theirs;
  GString *events; /* of hooks */
} Play;

static const json_t *
get (const json_t *json, const char *key)
{
  return json_object_get (json, key);
}

static const char *
get_text (const Play *play, const char *key)
{
  return json_string_value (get (play->json, key));
}

static gint64
get_number (const json_t *json, const char *key)
{
  return json_integer_value (get (json, key));
}

/* ---- the policy: clip (0.25 × the first elements observed, −1, 1) ---- */

static gboolean
act (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  const Play *play = user_data;
  gboolean best =
      io->exploration == REEL_EXPLORATION_DETERMINISTIC || io->exploration == REEL_EXPLORATION_MODE;
  const float (*seen)[4] = (gconstpointer) io->observation[play->seen];
  float (*action)[2] = (gpointer) io->action[0];

  for (gint64 lane = 0; lane < n_lanes; lane++)
    for (gint i = 0; i < 2; i++)
      action[lane][i] =
          CLAMP (0.25f * seen[lane][i] + (play->noisy && !best ? 0.5f : 0), -1.0f, 1.0f);
  for (gint64 lane = 0; lane < n_lanes && io->output; lane++)
    if (get (get (get (play->json, "policy"), "extra"), "kept"))
      ((float *) (gpointer) io->output[0])[lane] = 4;
  for (gint64 lane = 0; lane < n_lanes && io->next_state; lane++)
    if (get (get (get (play->json, "policy"), "extra"), "next/hidden"))
      ((float *) (gpointer) io->next_state[0])[lane] = 2;
  return TRUE;
}

static ReelSpec *
make_extra (const char *key)
{
  const gint64 one = 1;
  g_autoptr (ReelSpec) leaf = reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, &one, NULL);

  return reel_composite_spec_new (0, NULL, &key, &leaf, 1, NULL);
}

/* Keys that begin with `_` are refused here, where TorchRL removes them. */
static ReelPolicy *
make_policy (Play *play)
{
  const json_t *policy = get (play->json, "policy");
  const json_t *extra = get (policy, "extra");
  g_autoptr (ReelSpec) output = get (extra, "kept") ? make_extra ("kept") : NULL;
  g_autoptr (ReelSpec) state = get (extra, "next/hidden") ? make_extra ("hidden") : NULL;

  if (json_is_string (policy))
    return collecting_make (REEL_TYPE_POLICY, "random:seed=3");
  play->noisy = json_is_true (get (policy, "noise"));
  return reel_policy_new_callback_with_outputs (output, state, act, play, NULL);
}

/* ---- the environment ---- */

static ReelEnv *
make_env (const Play *play)
{
  const json_t *names = get (play->json, "env");
  const char *chain = get_text (play, "chain");
  g_autoptr (GPtrArray) envs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (ReelEnv) env = NULL;
  g_autoptr (ReelTransform) transform = NULL;

  for (gsize i = 0; i < json_array_size (names); i++)
    {
      const char *name = json_string_value (json_array_get (names, i));

      g_ptr_array_add (envs, table_env_new (golden_env_table (name)));
      table_env_follow_seeds (envs->pdata[i]);
    }
  env = envs->len > 1 ? reel_serial_env_new ((ReelEnv *const *) envs->pdata, envs->len, NULL)
                      : g_object_ref (envs->pdata[0]);
  if (chain == NULL)
    return g_steal_pointer (&env);
  transform = collecting_make (REEL_TYPE_TRANSFORM, chain);
  return reel_transformed_env_new (env, transform, NULL);
}

/* TorchRL resets when the collector is made, and again before the first batch where that resets at
 * each: the first episode that is seen is the second. */
static void
seed_env (const Play *play, ReelCollector *collector)
{
  const json_t *seed = get (play->json, "env_seed");
  gboolean again = strstr (get_text (play, "collector"), "reset-at-each-iter") != NULL;

  g_assert_true (reel_collector_set_seed (
      collector, seed ? (guint64) json_integer_value (seed) : (guint64) again,
      seed ? REEL_SEEDING_CHAIN : REEL_SEEDING_STATIC, NULL, NULL));
}

/* ---- comparison ---- */

/* rename: ids of ours to those of TorchRL, which must be as many. */
static gint64
rename_id (Play *play, gint64 ours, gint64 theirs)
{
  gpointer known;

  if (!g_hash_table_lookup_extended (play->ours, &ours, NULL, &known))
    {
      if (g_hash_table_contains (play->theirs, &theirs))
        g_error ("%s: two ids for %" G_GINT64_FORMAT, play->id, theirs);
      g_hash_table_insert (play->ours, g_memdup2 (&ours, sizeof ours),
                           g_memdup2 (&theirs, sizeof theirs));
      g_hash_table_add (play->theirs, g_memdup2 (&theirs, sizeof theirs));
      return theirs;
    }
  return *(gint64 *) known;
}

static void
rename_ids (Play *play, ReelTensordict *ours, ReelTensordict *theirs)
{
  static const char path[] = "collector/traj_ids";
  g_autoptr (ReelTensor) mine = reel_tensordict_ref_tensor (ours, path, NULL);
  const ReelTensor *others = reel_tensordict_get_tensor (theirs, path, NULL);
  const ReelTensor *mask = reel_tensordict_get_tensor (theirs, "collector/mask", NULL);
  g_autoptr (ReelTensor) copy = NULL;

  if (mine == NULL || others == NULL)
    return;
  copy = reel_tensor_clone (mine, NULL);
  for (gint64 i = 0; i < reel_tensor_numel (copy); i++)
    if (mask == NULL || mask->data[i])
      ((gint64 *) (gpointer) copy->data)[i] =
          rename_id (play, ((const gint64 *) (gconstpointer) copy->data)[i],
                     ((const gint64 *) (gconstpointer) others->data)[i]);
  g_assert_true (reel_tensordict_set_tensor (ours, path, copy, NULL));
}

static void
drop (ReelTensordict *td, const char *path)
{
  if (reel_tensordict_contains (td, path))
    g_assert_true (reel_tensordict_remove (td, path, NULL));
}

static void
drop_actions (ReelTensordict *td)
{
  static const char *const paths[] = { "action",      "echo",      "next/echo",
                                       "data/action", "data/echo", "next/data/echo" };

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    drop (td, paths[i]);
}

static gboolean
is_random (const Play *play, gint64 batch)
{
  const json_t *list = get (play->json, "random_batches");

  for (gsize i = 0; i < json_array_size (list); i++)
    if (json_integer_value (json_array_get (list, i)) == batch)
      return TRUE;
  return FALSE;
}

/* Our last batch is as short as it must be, where TorchRL collects a whole one. */
static ReelTensordict *
cut (ReelTensordict *theirs, ReelTensordict *ours)
{
  gint ndim, n;
  const gint64 *size = reel_tensordict_get_batch_size (ours, &ndim);

  reel_tensordict_get_batch_size (theirs, &n);
  return n == ndim ? reel_tensordict_slice (theirs, -1, 0, size[ndim - 1], 1, NULL)
                   : reel_tensordict_ref (theirs);
}

static void
compare (Play *play, const json_t *section, ReelTensordict *batch, const char *what,
         gboolean random)
{
  g_autofree char *name = g_strdup_printf ("%s of %s", what, play->id);
  g_autoptr (ReelTensordict) theirs = golden_tensordict (section);
  g_autoptr (ReelTensordict) ours = reel_tensordict_contiguous (batch, NULL);
  g_autoptr (ReelTensordict) part = cut (theirs, ours);
  g_autoptr (ReelTensordict) plain = reel_tensordict_contiguous (part, NULL);

  rename_ids (play, ours, plain);
  if (random)
    {
      drop_actions (ours);
      drop_actions (plain);
    }
  if (get (play->json, "random_batches")) /* the last action of the batch before */
    {
      drop (ours, "echo");
      drop (plain, "echo");
    }
  drop (plain, "index"); /* kept here by the storage, not as a leaf */
  drop (ours, "hidden"); /* of a state: TorchRL's is under `next` alone */
  golden_assert_same (name, ours, plain, 1e-6);
}

/* ---- a case ---- */

static gboolean
before (ReelCollector *collector, gpointer user_data, GError **error)
{
  g_string_append (((Play *) user_data)->events, "pre;");
  return TRUE;
}

static gboolean
after (ReelCollector *collector, ReelTensordict *batch, gpointer user_data, GError **error)
{
  gint ndim;

  g_string_append_printf (((Play *) user_data)->events, "post [%d];",
                          (int) reel_tensordict_get_batch_size (batch, &ndim)[0]);
  return TRUE;
}

static void
check_hooks (const Play *play)
{
  const json_t *hooks = get (play->json, "hooks");
  g_autoptr (GString) wanted = g_string_new (NULL);

  for (gsize i = 0; i < json_array_size (hooks); i++)
    g_string_append_printf (wanted, "%s;", json_string_value (json_array_get (hooks, i)));
  if (hooks)
    g_assert_cmpstr (play->events->str, ==, wanted->str);
}

static void
check_counts (const Play *play, ReelCollector *collector)
{
  const json_t *stats = get (play->json, "stats"), *length = get (play->json, "len");
  gint64 n = play->n_lanes;
  gint64 total = (get_number (stats, "total_frames") + n - 1) / n * n;
  gint64 whole = (get_number (stats, "requested_frames_per_batch") + n - 1) / n * n;
  ReelCollectorStats ours;
  g_autoptr (GError) error = NULL;

  reel_collector_get_stats (collector, &ours);
  g_assert_cmpint (ours.batches, ==, get_number (stats, "batches"));
  g_assert_cmpint (ours.requested_frames_per_batch, ==, whole);
  g_assert_cmpint (ours.completed, ==, json_is_true (get (stats, "completed")));
  if (json_is_integer (length))
    g_assert_cmpint (ours.frames, ==, total);
  if (json_is_integer (length))
    g_assert_cmpint (reel_collector_count_batches (collector, NULL), ==,
                     json_integer_value (length));
  else
    {
      g_assert_cmpint (reel_collector_count_batches (collector, &error), ==, -1);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
    }
}

/* T14.8-14 */
static void
check_written (Play *play, ReelReplayBuffer *buffer)
{
  const json_t *written = get (play->json, "written");
  const json_t *section = get (get (play->json, "sections"), "buffer");
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  gint64 length = get_number (written, "len");
  gint64 lanes = reel_storage_get_lanes (storage);
  g_autoptr (ReelTensordict) rows = NULL, theirs = golden_tensordict (section);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (theirs, &ndim);

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, length);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==,
                   get_number (written, "write_count"));
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, get_number (written, "cursor"));
  rows = reel_tensordict_slice (reel_storage_get_data (storage), 0, 0, length / lanes, 1, NULL);
  g_assert_true (reel_tensordict_set_batch_size (rows, ndim, size, NULL));
  if (is_random (play, 0)) /* of four batches of four, two are */
    {
      g_autoptr (ReelTensordict) part = reel_tensordict_slice (rows, 0, 8, 16, 1, NULL);
      g_autoptr (ReelTensordict) other = reel_tensordict_slice (theirs, 0, 8, 16, 1, NULL);
      g_autoptr (ReelTensordict) ours = reel_tensordict_contiguous (part, NULL);
      g_autoptr (ReelTensordict) plain = reel_tensordict_contiguous (other, NULL);

      drop (ours, "echo");
      drop (plain, "echo");
      drop (plain, "index");
      rename_ids (play, ours, plain);
      golden_assert_same (play->id, ours, plain, 0);
    }
  compare (play, section, rows, "buffer", is_random (play, 0));
}

static ReelReplayBuffer *
make_buffer (const Play *play)
{
  const json_t *buffer = get (play->json, "buffer");
  gint64 ndim = MAX (get_number (buffer, "ndim"), 1);

  return buffer ? collecting_make_buffer ("tensor", get_number (buffer, "capacity"), (gint) ndim)
                : NULL;
}

/* The peer's own postproc, a function here. */
static ReelTensordict *
look_ahead (const Play *play, ReelTensordict *batch)
{
  static const struct
  {
    const char *id;
    ReelMultiStep how;
  } known[] = {
    { "split-postproc", { .n_steps = 3, .gamma = 0.5, .mask_key = "collector/mask" } },
    { "postproc-multi-step", { .n_steps = 3, .gamma = 0.9 } },
    { "postproc-multi-step-batched", { .n_steps = 2, .gamma = 1 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (known[i].id, play->id))
      return reel_multi_step (batch, &known[i].how, NULL);
  return reel_tensordict_ref (batch);
}

static void
play_batches (Play *play, ReelCollector *collector)
{
  const json_t *sections = get (play->json, "sections"), *reset = get (play->json, "reset_after");
  gboolean same = json_is_true (get (play->json, "same_object_each_time"));
  gint64 most = get (play->json, "batches") ? get_number (play->json, "batches") : G_MAXINT64;
  gint64 n = 0;
  ReelTensordict *batch, *first = NULL;
  static const gint64 counts[] = { 2, 12, 25, 33, 40 }; /* T14.7-2 */

  while (n < most && collecting_next (collector, &batch) > 0)
    {
      g_autofree char *name = g_strdup_printf ("batch%d", (int) n);
      g_autoptr (ReelTensordict) made = batch ? look_ahead (play, batch) : NULL;

      if (made)
        compare (play, get (sections, name), made, name, is_random (play, n));
      first = first ? first : batch;
      g_assert_true (!same || batch == first);
      if (reset && json_integer_value (reset) == n)
        g_assert_true (reel_collector_reset (collector, NULL));
      if (g_str_equal (play->id, "trajs-per-batch-buffer"))
        g_assert_cmpint (reel_replay_buffer_get_write_count (reel_collector_get_buffer (collector)),
                         ==, counts[n]);
      n++;
    }
  g_assert_cmpint (n, ==, get_number (play->json, "batches_yielded"));
}

static char *
dup_text (const Play *play)
{
  const char *text = get_text (play, "collector"), *look = strstr (text, ",postproc=(MultiStep");

  return look ? g_strndup (text, (gsize) (look - text)) : g_strdup (text);
}

static void
find_seen (Play *play, ReelEnv *env)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (reel_env_get_observation_spec (env));

  while (leaves[play->seen] && !g_str_equal (leaves[play->seen], "observation"))
    play->seen++;
}

static void
play_case (Play *play)
{
  const json_t *failure = get (play->json, "error");
  g_autoptr (ReelEnv) env = make_env (play);
  g_autoptr (ReelPolicy) policy = make_policy (play);
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (play);
  g_autofree char *text = dup_text (play);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCollector) collector = NULL;

  play->n_lanes = reel_env_get_num_envs (env);
  find_seen (play, env);
  collector = reel_collector_new (text, env, policy, buffer, &error);
  if (failure)
    {
      g_assert_error (error, REEL_ERROR, golden_error (failure));
      return;
    }
  g_assert_no_error (error);
  seed_env (play, collector);
  if (get (play->json, "hooks"))
    reel_collector_set_hooks (collector, before, after, play, NULL);
  play_batches (play, collector);
  check_counts (play, collector);
  check_hooks (play);
  if (buffer)
    check_written (play, buffer);
}

static void
test_case (gconstpointer id)
{
  Play play = { .id = id, .json = get (golden, id), .events = g_string_new (NULL) };

  play.ours = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  play.theirs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  play_case (&play);
  g_hash_table_unref (play.ours);
  g_hash_table_unref (play.theirs);
  g_string_free (play.events, TRUE);
}

int
main (int argc, char **argv)
{
  const char *id;
  json_t *json;

  g_test_init (&argc, &argv, NULL);
  reel_init ();

  golden = golden_load ("collectors.json");
  json_object_foreach (golden, id, json)
  {
    g_autofree char *path = g_strconcat ("/collectors/golden/", id, NULL);

    /* seed-after: TorchRL has reset the env before the seed comes. */
    if (!g_str_equal (id, "seed-after"))
      g_test_add_data_func (path, id, test_case);
  }
  return g_test_run ();
}
