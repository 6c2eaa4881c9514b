/* Transforms in environments: each case of TorchRL's over environments that are tables. */
#include "table-env.h"

#include <string.h>

#define STEPS 14

/* Cases, or a section of one, in which Reel differs, or which wait for a class to serve
 * environments. */
#define PARTIAL_RESETS "a reset of some lanes counts their values alone, not those of all"

static const struct
{
  const char *id;
  const char *reason;
} differences[] = {
  { "frame-skip", "an episode ends where its first done is" },
  { "frame-skip-3", "an episode ends where its first done is" },
  { "time-max-pool", "frames before an episode count for nothing, not as zeros" },
  { "time-max-pool-batch", "frames before an episode count for nothing, not as zeros" },
  { "action-discretizer-one-hot", "the action of the base env is not stored beside the choice" },
  { "action-discretizer-batch", "TorchRL fails at several numbers of intervals in a batch" },
  { "noop-reset-batch", "each lane of a batch begins with actions of its own" },
  { "*-positive", "dimensions count from the end" },
  { "cat-tensors-dim", "TorchRL joins over the batch and breaks its size" },
  { "squeeze-action", "TorchRL leaves the spec of an action that it unsqueezes" },
  { "linearise-rewards-two-keys", "linearise-rewards is refused before it is used" },
  { "vec-norm-batch/run", PARTIAL_RESETS },
  { "vec-norm-out/run", PARTIAL_RESETS },
  { "vec-norm-v2-reduce/run", PARTIAL_RESETS },
  { "vec-norm-v2-decay/run", PARTIAL_RESETS },
  { NULL, NULL },
};

static const char *
find_difference (const char *id, const char *section)
{
  g_autofree char *both = g_strconcat (id, "/", section, NULL);

  for (gsize i = 0; differences[i].id; i++)
    if (g_pattern_match_simple (differences[i].id, id)
        || g_pattern_match_simple (differences[i].id, both))
      return differences[i].reason;
  return NULL;
}

/* ---- rollouts (T12.3-6: rename-reward, rename-done; T12.5-6: step-counter-batch,
 * step-counter-no-truncated; T12.5-8: those of target-return) ---- */

/* The actions of a case, a row a call. */
typedef struct
{
  const GoldenCase *golden;
  ReelEnv *env;
  gint64 n_calls;
} Actor;

#define N_ACTIONS 24

static ReelTensordict *
act (ReelTensordict *td, gpointer user_data, GError **error)
{
  Actor *actor = user_data;
  const ReelSpec *spec = reel_env_get_action_spec (actor->env);
  g_auto (GStrv) paths = reel_spec_list_leaves (spec);

  for (char **path = paths; *path; path++)
    {
      const ReelSpec *leaf = reel_spec_get (spec, *path, NULL);
      g_autofree char *name = g_strconcat ("actions/", *path, NULL);
      const guint8 *own = golden_array (actor->golden->json, name);
      const guint8 *rows = own ? own : golden_array (actor->golden->env, name);
      gint n_batch, ndim;
      const gint64 *batch = reel_tensordict_get_batch_size (td, &n_batch);
      const gint64 *extents = reel_spec_get_shape (leaf, &ndim);
      gint64 shape[REEL_MAX_NDIM];
      g_autoptr (ReelTensor) action = NULL;
      gsize bytes;

      memcpy (shape, batch, (gsize) n_batch * sizeof *shape);
      memcpy (shape + n_batch, extents, (gsize) ndim * sizeof *shape);
      action = reel_tensor_new (reel_spec_get_dtype (leaf), n_batch + ndim, shape, NULL);
      bytes = (gsize) reel_tensor_nbytes (action);
      memcpy (action->data, rows + (gsize) (actor->n_calls % N_ACTIONS) * bytes, bytes);
      g_assert_true (reel_tensordict_set_tensor (td, *path, action, NULL));
    }
  actor->n_calls++;
  return reel_tensordict_ref (td);
}

typedef struct
{
  GoldenCase golden;
  const char *section;
} Check;

static ReelTensordict *
play (const Check *check, ReelEnv *env, GError **error)
{
  Actor actor = { &check->golden, env, 0 };
  const ReelRolloutOptions options = {
    .end = g_str_equal (check->section, "stop") ? REEL_ROLLOUT_ANY_DONE : REEL_ROLLOUT_MAX_STEPS,
    .act = act,
    .act_data = &actor,
  };

  return reel_env_rollout (env, STEPS, &options, error);
}

static void
test_bare (gconstpointer data)
{
  const Check *check = data;
  g_autoptr (ReelEnv) env = table_env_new (check->golden.env);
  g_autoptr (ReelTensordict) ours = play (check, env, NULL);
  g_autoptr (ReelTensordict) theirs =
      golden_section_data (golden_section (check->golden.bare, check->section));

  golden_assert_same (check->golden.id, ours, theirs, 0);
}

/* ---- numbers that are learned (T12.2-2, T12.2-3) ---- */

static void
skip_episodes (ReelEnv *env, gint n)
{
  for (gint i = 0; i < n; i++)
    {
      g_autoptr (ReelTensordict) first = reel_env_reset (env, NULL, NULL);

      g_assert_nonnull (first);
    }
}

static gsize
read_dims (const json_t *json, gint *dims)
{
  gsize n = json_array_size (json);

  if (json_is_integer (json))
    dims[n++] = (gint) json_integer_value (json);
  for (gsize i = 0; i < json_array_size (json); i++)
    dims[i] = (gint) json_integer_value (json_array_get (json, i));
  return n;
}

/* Has the transform learn what TorchRL's did, where it did. @n_played: the episodes that it did so
 * from; a transformed env begins at the first one again. */
static gboolean
init_stats (const GoldenCase *golden, ReelTransform *transform, ReelEnv *base, gint *n_played,
            GError **error)
{
  const json_t *arguments = json_object_get (golden->json, "init_stats");
  gint reduce[REEL_MAX_NDIM], keep[REEL_MAX_NDIM], cat;
  ReelStatsOptions options = {
    .num_iter = json_integer_value (json_object_get (arguments, "num_iter")),
    .reduce_dims = reduce,
    .n_reduce_dims = read_dims (json_object_get (arguments, "reduce_dim"), reduce),
    .keep_dims = keep,
    .n_keep_dims = read_dims (json_object_get (arguments, "keep_dims"), keep),
  };

  if (!arguments)
    return TRUE;
  if (options.n_reduce_dims == 0)
    options.reduce_dims = NULL;
  if (read_dims (json_object_get (arguments, "cat_dim"), &cat) > 0)
    options.cat_dim = &cat;
  for (gint64 frames = 0; frames < options.num_iter; ++*n_played)
    {
      g_autoptr (ReelEnv) env = table_env_new (golden->env);
      g_autoptr (ReelTensordict) rollout = NULL;

      skip_episodes (env, *n_played);
      rollout = reel_env_rollout (env, options.num_iter, NULL, NULL);
      frames += reel_tensordict_numel (rollout);
    }
  return reel_observation_norm_init_stats (transform, base, &options, error);
}

static double
find_bound (const GoldenCase *golden, const char *chain)
{
  if (json_object_get (golden->json, "init_stats"))
    return 1e-6; /* TorchRL adds up in float32 */
  if (strstr (chain, "Resize") && strstr (chain, "uint8"))
    return 1; /* torchvision rounds between rows and columns */
  if (strstr (chain, "VecNormV2"))
    return 5e-4; /* TorchRL's correction of the bias loses digits in float32 */
  if (strstr (chain, "VecNorm"))
    return 1e-5;
  return strstr (chain, "Resize") || strstr (chain, "GrayScale") ? 1e-6 : 0;
}

static void
test_case (gconstpointer data)
{
  const Check *check = data;
  const json_t *section = golden_section (check->golden.json, check->section);
  const json_t *refused = json_object_get (section, "error");
  const char *reason = find_difference (check->golden.id, check->section);
  g_autofree char *chain = golden_chain (&check->golden, FALSE);
  g_autoptr (ReelTransform) transform =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, chain, NULL, NULL);
  g_autoptr (ReelEnv) base = table_env_new (check->golden.env), env = NULL;
  g_autoptr (ReelTensordict) ours = NULL, theirs = NULL;
  g_autoptr (GError) error = NULL;
  gint n_played = 0;

  if (reason)
    {
      g_test_skip (reason);
      return;
    }
  if (init_stats (&check->golden, transform, base, &n_played, &error))
    env = reel_transformed_env_new (base, transform, &error);
  if (env)
    skip_episodes (env, n_played);
  if (env)
    ours = play (check, env, &error);
  if (refused)
    {
      g_assert_null (ours);
      g_assert_nonnull (error);
      return;
    }
  g_assert_no_error (error);
  theirs = golden_section_data (section);
  golden_assert_same (check->golden.id, ours, theirs, find_bound (&check->golden, chain));
}

/* ---- the list ---- */

static void
add (const GoldenCase *golden, const char *folder, const char *section, GTestDataFunc run)
{
  Check *check = g_new (Check, 1);
  g_autofree char *path =
      g_strdup_printf ("/envs/transformed/%s/%s/%s", folder, golden->id, section);

  *check = (Check){ *golden, section };
  g_test_add_data_func_full (path, check, run, g_free);
}

int
main (int argc, char **argv)
{
  static const char *const sections[] = { "run", "stop" };

  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_autoptr (GArray) cases = golden_transforms ();
  g_autoptr (GHashTable) played = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < cases->len; i++)
    {
      const GoldenCase *golden = &g_array_index (cases, GoldenCase, i);

      for (gsize s = 0; s < G_N_ELEMENTS (sections); s++)
        if (golden_section (golden->json, sections[s]) && table_env_can_play (golden->env)
            && golden_is_supported (golden))
          {
            add (golden, "golden", sections[s], test_case);
            if (g_hash_table_add (
                    played,
                    g_strconcat (sections[s], " ",
                                 json_string_value (json_object_get (golden->json, "env")), NULL)))
              add (golden, "bare", sections[s], test_bare);
          }
    }

  return g_test_run ();
}
