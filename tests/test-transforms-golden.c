/* Each case of TorchRL's transforms, without an environment: stored data and specs. */
#include "golden-transforms.h"

#include <string.h>

/* ---- where Reel differs ---- */

/* A section, or all with NULL, of a case, or of all whose name begins so. */
typedef struct
{
  const char *id;
  const char *section;
  const char *reason;
} Difference;

#define FLOAT_PIXELS "TorchRL prints bounds of pixels that are floats as those of integers"
#define OTHER_DIM "TorchRL fails where dim is not the first of a frame"
#define NESTED_NEXT "TorchRL does not pair nested keys with those below next"
#define OVER_BATCH "TorchRL joins over the batch, and breaks its size"
#define FROM_THE_END "dimensions count from the end"
#define OLD_BOUNDS "TorchRL prints the bounds of the rewards that were added up"
#define STRIDED "TorchRL fails at the view of lanes and steps that a buffer gives"

static const Difference differences[] = {
  { "to-tensor-image*", "specs", FLOAT_PIXELS },
  { "resize-*", "specs", FLOAT_PIXELS },
  { "gray-scale*", "specs", FLOAT_PIXELS },
  { "center-crop*", "specs", FLOAT_PIXELS },
  { "crop*", "specs", FLOAT_PIXELS },
  { "center-crop*", "prints", "TorchRL prints no closing bracket" },
  { "crop*", "prints", "TorchRL prints no closing bracket" },
  { "dtype-cast-int", "specs", "TorchRL prints floats as discrete" },
  { "frame-skip*", "forward", "stored data are refused as unsupported" },
  { "frame-skip*", "sampled*", "stored data are refused as unsupported" },
  { "traj-counter*", "forward", "stored data are refused as unsupported" },
  { "traj-counter*", "sampled*", "stored data are refused as unsupported" },
  { "cat-frames-1", NULL, "TorchRL fails at windows of one frame" },
  { "cat-frames-pixels", "forward", OTHER_DIM },
  { "cat-frames-pixels", "sampled*", OTHER_DIM },
  { "cat-frames-two-keys", NULL, NESTED_NEXT },
  { "cat-frames-group", NULL, NESTED_NEXT },
  { "atari-chain", "specs", FLOAT_PIXELS },
  { "cat-frames-channels-first", "specs", FLOAT_PIXELS },
  { "cat-frames-inverse", "specs", "CatFrames as inverse does not serve environments" },
  { "exclude-absent", "specs", "TorchRL refuses a key that is absent at the first step" },
  { "cat-tensors-lazy", "prints", "TorchRL prints the keys that its env has" },
  { "cat-tensors-dim", "specs", OVER_BATCH },
  { "cat-tensors-dim", "forward", OVER_BATCH },
  { "cat-tensors-dim", "sampled*", OVER_BATCH },
  { "cat-tensors-oor", "forward", OVER_BATCH },
  { "cat-tensors-oor", "sampled*", OVER_BATCH },
  { "cat-tensors-nested", "specs", "the env has no such key" },
  { "reward-sum*", "sampled-all", "all rows of a buffer have their names back, time among them" },
  { "reward-sum-offline*", "forward", "TorchRL adds along another dimension, and across episodes" },
  { "observation-norm-init-keep-dims", "specs", "TorchRL changes the shape of the bounds" },
  { "linearise-rewards", "specs", OLD_BOUNDS },
  { "linearise-rewards-weights", "specs", OLD_BOUNDS },
  { "linearise-rewards-two-keys", NULL, "linearise-rewards is refused before it is used" },
  { "flatten-observation-positive", NULL, FROM_THE_END },
  { "unsqueeze-positive", NULL, FROM_THE_END },
  { "squeeze-action", "specs", "TorchRL leaves the spec of an action that it unsqueezes" },
  { "permute*", "specs", "TorchRL prints whether bounds are contiguous" },
  { "vec-norm-batch", "sampled-all", STRIDED },
  { "vec-norm-decay", "sampled-all", STRIDED },
  { "vec-norm-out", "sampled-all", STRIDED },
  { NULL, NULL, NULL },
};

static const char *
find_difference (const char *id, const char *section)
{
  for (const Difference *one = differences; one->id; one++)
    if (g_pattern_match_simple (one->id, id)
        && (!one->section || g_pattern_match_simple (one->section, section)))
      return one->reason;
  return NULL;
}

/* How far values may be from TorchRL's, relative to those above 1. */
static double
find_bound (const char *chain)
{
  if (strstr (chain, "Resize") && strstr (chain, "uint8"))
    return 1; /* torchvision rounds between rows and columns */
  if (strstr (chain, "Resize") || strstr (chain, "GrayScale"))
    return 1e-6;
  if (strstr (chain, "VecNorm"))
    return 1e-5; /* TorchRL adds up in float32 */
  return strstr (chain, "MultiStep") || strstr (chain, "Reward2Go") ? 2e-7 : 0;
}

/* ---- the sections ---- */

typedef struct
{
  GoldenCase golden;
  const char *section;
} Check;

static ReelTensordict *
do_forward (ReelTransform *transform, ReelTensordict *rollout, GError **error)
{
  return reel_transform_forward (transform, rollout, error);
}

static ReelTensordict *
do_inverse (ReelTransform *transform, ReelTensordict *rollout, GError **error)
{
  ReelTensordict *result = NULL;

  return reel_transform_inverse (transform, rollout, &result, error) ? result : NULL;
}

/* A buffer of TorchRL's that was extended by the rollout: time is first in its storage. */
static ReelReplayBuffer *
fill_buffer (ReelTransform *transform, ReelTensordict *rollout, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (rollout, &ndim);
  g_autofree char *storage =
      g_strdup_printf ("LazyTensorStorage:max-size=%" G_GINT64_FORMAT ",ndim=%d",
                       reel_tensordict_numel (rollout), ndim);
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text (storage, "random", 0, error);

  g_assert_nonnull (buffer);
  g_assert_true (size != NULL);
  if (!reel_replay_buffer_append_transform (buffer, transform, FALSE, error)
      || !reel_replay_buffer_extend (buffer, rollout, NULL, error))
    return NULL;
  return g_steal_pointer (&buffer);
}

static ReelTensordict *
do_stored (ReelTransform *transform, ReelTensordict *rollout, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer = fill_buffer (transform, rollout, error);
  ReelTensordict *data;
  g_autoptr (ReelTensordict) rows = NULL;
  gint64 lanes;

  if (!buffer)
    return NULL;
  data = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));
  if (!data)
    return NULL;
  rows = reel_tensordict_clone (data, FALSE, NULL);
  if (reel_tensordict_contains (rows, "index"))
    reel_tensordict_remove (rows, "index", NULL);
  lanes = reel_storage_get_lanes (reel_replay_buffer_get_storage (buffer));
  return reel_tensordict_slice (rows, 0, 0, reel_replay_buffer_get_length (buffer) / lanes, 1,
                                error);
}

static ReelTensordict *
read_some (ReelReplayBuffer *buffer, GError **error)
{
  static const gint64 rows[] = { 3, 9, 0, 7, 7 }, n = G_N_ELEMENTS (rows);
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);

  memcpy (index->data, rows, sizeof rows);
  return reel_replay_buffer_get_at (buffer, index, error);
}

static ReelTensordict *
do_sampled (ReelTransform *transform, ReelTensordict *rollout, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer = fill_buffer (transform, rollout, error);

  return buffer ? read_some (buffer, error) : NULL;
}

/* Behind the other read, where there was one: a transform may learn from it. */
static ReelTensordict *
do_sampled_all (ReelTransform *transform, ReelTensordict *rollout, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer = fill_buffer (transform, rollout, error);
  g_autoptr (ReelTensordict) some = NULL;

  if (!buffer)
    return NULL;
  if (reel_storage_get_lanes (reel_replay_buffer_get_storage (buffer)) == 1)
    some = read_some (buffer, NULL);
  return reel_replay_buffer_get_all (buffer, error);
}

static const struct
{
  const char *name;
  ReelTensordict *(*run) (ReelTransform *transform, ReelTensordict *rollout, GError **error);
} sections[] = {
  { "forward", do_forward }, { "inverse", do_inverse },         { "stored", do_stored },
  { "sampled", do_sampled }, { "sampled-all", do_sampled_all },
};

static void
compare (const Check *check, ReelTensordict *ours, const GError *error, double bound)
{
  const json_t *section = golden_section (check->golden.json, check->section);
  const json_t *refused = json_object_get (section, "error");
  g_autofree char *what = g_strdup_printf ("%s of %s", check->section, check->golden.id);
  g_autoptr (ReelTensordict) theirs = NULL;

  if (refused)
    {
      if (ours || !error)
        g_error ("%s is not refused", what);
      if (golden_error (refused) >= 0 && error->code != golden_error (refused))
        g_error ("%s is refused with code %d, \"%s\", not with \"%s\"", what, error->code,
                 error->message, json_string_value (json_object_get (refused, "text")));
      return;
    }
  if (json_object_get (section, "none"))
    {
      g_assert_no_error (error);
      g_assert_null (ours);
      return;
    }
  if (!ours)
    g_error ("%s: %s", what, error ? error->message : "nothing");
  theirs = golden_section_data (section);
  if (reel_tensordict_contains (ours, "index"))
    reel_tensordict_remove (ours, "index", NULL);
  golden_assert_same (what, ours, theirs, bound);
}

static void
test_section (gconstpointer data)
{
  const Check *check = data;
  const char *reason = find_difference (check->golden.id, check->section);
  g_autofree char *chain = golden_chain (&check->golden, TRUE);
  g_autoptr (ReelTensordict) rollout =
      golden_section_data (golden_section (check->golden.bare, "run"));
  g_autoptr (ReelTransform) transform = NULL;
  g_autoptr (ReelTensordict) ours = NULL;
  g_autoptr (GError) error = NULL;

  if (reason)
    {
      g_test_skip (reason);
      return;
    }
  transform = reel_object_new_from_text (REEL_TYPE_TRANSFORM, chain, &error, NULL);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (sections); i++)
    if (g_str_equal (sections[i].name, check->section))
      ours = sections[i].run (transform, rollout, &error);
  compare (check, ours, error, find_bound (chain));
}

/* ---- specs and prints (T12.4-6) ---- */

static void
test_specs (gconstpointer data)
{
  static const char *const parts[] = { "observation", "action", "reward", "done" };
  const GoldenCase *golden = &((const Check *) data)->golden;
  const char *reason = find_difference (golden->id, "specs");
  const json_t *specs = json_object_get (golden->json, "specs");
  g_autofree char *chain = golden_chain (golden, FALSE);
  g_autoptr (ReelTransform) transform =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, chain, NULL, NULL);
  g_autoptr (ReelSpec) bare = golden_env_spec (golden), changed = NULL;
  g_autoptr (GError) error = NULL;

  if (reason)
    {
      g_test_skip (reason);
      return;
    }
  changed = reel_transform_env_spec (transform, bare, &error);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (json_object_get (json_object_get (specs, parts[i]), "type"))
      {
        g_assert_nonnull (error);
        g_assert_cmpint (error->code, ==, golden_error (json_object_get (specs, parts[i])));
        return;
      }
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      const json_t *wanted = json_object_get (specs, parts[i]);
      const char *text = json_string_value (wanted);

      if (g_strcmp0 (text, "bare") == 0)
        text =
            json_string_value (json_object_get (json_object_get (golden->bare, "specs"), parts[i]));
      if (!text)
        continue;
      g_autofree char *ours = reel_spec_to_string (reel_env_spec_get_part (changed, parts[i]));
      g_assert_cmpstr (ours, ==, text);
    }
}

static void
test_print (gconstpointer data)
{
  const GoldenCase *golden = &((const Check *) data)->golden;
  const char *reason = find_difference (golden->id, "prints");
  static const char *const keys[] = { "prints", "prints_offline" };

  if (reason)
    {
      g_test_skip (reason);
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const json_t *text = json_object_get (json_object_get (golden->json, keys[i]), "transform");
      g_autofree char *chain = golden_chain (golden, i == 1);
      g_autoptr (ReelTransform) transform =
          reel_object_new_from_text (REEL_TYPE_TRANSFORM, chain, NULL, NULL);
      g_autoptr (ReelSpec) bare = i == 0 ? golden_env_spec (golden) : NULL;
      g_autoptr (ReelSpec) seen =
          bare ? reel_transform_env_spec (transform, bare, NULL) : NULL; /* keys of the env */
      g_autofree char *ours = reel_transform_to_string (transform);

      if (json_is_string (text))
        g_assert_cmpstr (ours, ==, json_string_value (text));
    }
}

/* A chain of such a case is refused when it is made, or when it meets the specs. */
static void
test_refused (gconstpointer data)
{
  const GoldenCase *golden = &((const Check *) data)->golden;
  const json_t *refused = json_object_get (golden->json, "construct");
  const char *reason = find_difference (golden->id, "construct");
  g_autofree char *chain = golden_chain (golden, FALSE);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTransform) transform =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, chain, &error, NULL);
  g_autoptr (ReelSpec) bare = golden_env_spec (golden), changed = NULL;

  if (reason)
    {
      g_test_skip (reason);
      return;
    }
  if (transform)
    changed = reel_transform_env_spec (transform, bare, &error);
  g_assert_null (changed);
  g_assert_nonnull (error);
  if (golden_error (refused) >= 0)
    g_assert_cmpint (error->code, ==, golden_error (refused));
}

/* ---- the list ---- */

static void
add (const GoldenCase *golden, const char *section, GTestDataFunc run)
{
  Check *check = g_new (Check, 1);
  g_autofree char *path = g_strdup_printf ("/transforms/golden/%s/%s", golden->id, section);

  *check = (Check){ *golden, section };
  g_test_add_data_func_full (path, check, run, g_free);
}

static void
add_case (const GoldenCase *golden)
{
  if (json_object_get (golden->json, "construct"))
    {
      add (golden, "refused", test_refused);
      return;
    }
  for (gsize s = 0; s < G_N_ELEMENTS (sections); s++)
    if (golden_section (golden->json, sections[s].name))
      add (golden, sections[s].name, test_section);
  if (json_object_get (golden->json, "specs"))
    add (golden, "specs", test_specs);
  if (json_object_get (golden->json, "prints") || json_object_get (golden->json, "prints_offline"))
    add (golden, "prints", test_print);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_autoptr (GArray) cases = golden_transforms ();

  for (guint i = 0; i < cases->len; i++)
    if (golden_is_supported (&g_array_index (cases, GoldenCase, i)))
      add_case (&g_array_index (cases, GoldenCase, i));

  return g_test_run ();
}
