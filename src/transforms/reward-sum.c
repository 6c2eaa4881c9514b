/* The rewards of an episode up to each step. */
#include "episode-rewards.h"
#include "lane-plan.h"
#include "link-kernel.h"

#include "../core/tensor/tensor-private.h"

#include <string.h>

#define OBSERVATION "output_spec/full_observation_spec"
#define REWARD "output_spec/full_reward_spec"
#define STATE "input_spec/full_state_spec"

struct _ReelRewardSum
{
  ReelTransform parent_instance;

  GStrv reset_keys;
  gboolean reward_spec;
};

G_DECLARE_FINAL_TYPE (ReelRewardSum, reel_reward_sum, REEL, REWARD_SUM, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelRewardSum, reel_reward_sum, REEL_TYPE_TRANSFORM)

/* ---- keys ---- */

/* Where none are given, and no environment says which rewards it has. */
static const char *const default_in[] = { "reward", NULL };
static const char *const default_out[] = { "episode_reward", NULL };

/* `a/reward` is summed up at `a/episode_reward`. */
static char *
name_sum (const char *key)
{
  const char *slash = strrchr (key, '/');
  gsize n = slash ? (gsize) (slash - key) + 1 : 0;

  return g_strdup_printf ("%.*sepisode_%s", (int) n, key, key + n);
}

static void
set_keys (ReelTransform *self, const char *const *in)
{
  guint n = g_strv_length ((char **) in);
  g_auto (GStrv) out = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    out[i] = name_sum (in[i]);
  reel_transform_set_keys (self, in, (const char *const *) out);
}

/* ---- stored steps ---- */

/* The flag of the group of @key, or of the nearest one around it. Flags of `next` end there. */
static char *
find_done (const ReelTensordict *td, const char *key)
{
  g_autofree char *group = g_strdup (key);
  char *slash;

  while ((slash = strrchr (group, '/')))
    {
      g_autofree char *path = NULL;

      *slash = '\0';
      path = g_strconcat (group, "/done", NULL);
      if (reel_tensordict_contains (td, path))
        return g_steal_pointer (&path);
      if (g_str_equal (group, "next"))
        return NULL;
    }
  return reel_tensordict_contains (td, "done") ? g_strdup ("done") : NULL;
}

static gboolean
refuse_flags (const char *path, const ReelTensor *done, const ReelTensor *reward, GError **error)
{
  g_autofree char *shape = reel_shape_to_string (done->ndim, done->shape);
  g_autofree char *wanted = reel_shape_to_string (reward->ndim, reward->shape);

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" of shape %s has neither one flag for each step nor one for each reward of "
               "shape %s",
               path, shape, wanted);
  return FALSE;
}

/* A flag for each reward, of one for each, or for each step. */
static gboolean
get_ends (const ReelTensordict *td, const char *key, const ReelTensor *reward, ReelTensor **ends,
          GError **error)
{
  g_autofree char *path = find_done (td, key);
  g_autoptr (ReelTensor) done = path ? reel_tensordict_ref_tensor (td, path, error) : NULL;
  g_autoptr (ReelTensor) plain = NULL, steps = NULL;
  ReelTensor view;
  gint ndim;
  const gint64 *batch = reel_tensordict_get_batch_size (td, &ndim);

  if (!path)
    return TRUE;
  if (!done)
    return FALSE;
  if (done->dtype != REEL_DTYPE_BOOL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is of dtype %s, not bool", path,
                   reel_dtype_name (done->dtype));
      return FALSE;
    }
  if (done->ndim == reward->ndim
      && memcmp (done->shape, reward->shape, sizeof *done->shape * (gsize) done->ndim) == 0)
    {
      *ends = g_steal_pointer (&done);
      return TRUE;
    }
  if (reel_tensor_numel (done) != reel_tensordict_numel (td))
    return refuse_flags (path, done, reward, error);
  plain = reel_tensor_in_order (done, error);
  steps = plain ? reel_tensor_view (plain, ndim, batch, error) : NULL;
  if (!steps || !reel_tensor_broadcast_right (steps, reward->ndim, reward->shape, &view, error))
    return FALSE;
  *ends = reel_tensor_clone (&view, error);
  return *ends != NULL;
}

static gboolean
sum_up (ReelTensordict *td, const char *in, const char *out, gint time, GError **error)
{
  g_autoptr (ReelTensor) reward = reel_tensordict_ref_tensor (td, in, error);
  g_autoptr (ReelTensor) ends = NULL, sums = NULL;

  if (!reward || !get_ends (td, in, reward, &ends, error))
    return FALSE;
  sums = reel_sum_rewards (reward, ends, time, error);
  return sums && reel_tensordict_set_tensor (td, out, sums, error);
}

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  gboolean given = *reel_transform_get_in_keys (self) != NULL;
  const char *const *in = given ? reel_transform_get_in_keys (self) : default_in;
  const char *const *out = given ? reel_transform_get_out_keys (self) : default_out;
  gint ndim, time = 0;

  reel_tensordict_get_batch_size (td, &ndim);
  while (time < ndim && g_strcmp0 (reel_tensordict_get_name (td, time), "time") != 0)
    time++;
  if (time == ndim)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "reward-sum adds up steps along the batch dimension named \"time\", "
                           "and none has that name");
      return NULL;
    }
  for (; *in; in++, out++)
    if (!sum_up (td, *in, *out, time, error))
      return NULL;
  return reel_tensordict_ref (td);
}

/* ---- specs ---- */

static gboolean
add_sum (ReelRewardSum *self, ReelSpec **spec, const char *in, const char *out, GError **error)
{
  const ReelSpec *reward = reel_spec_get_in_part (*spec, REWARD, in);
  g_autoptr (ReelSpec) sum = NULL;
  gint ndim;
  const gint64 *shape;

  if (!reward)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "reward-sum: \"%s\" is not among the env's rewards", in);
      return FALSE;
    }
  shape = reel_spec_get_shape (reward, &ndim);
  sum = reel_unbounded_spec_new (reel_spec_get_dtype (reward), ndim, shape, error);
  return sum
         && reel_spec_set_in_part (spec, self->reward_spec ? REWARD : OBSERVATION, out, sum, error)
         && reel_spec_set_in_part (spec, STATE, out, sum, error);
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelRewardSum *self = REEL_REWARD_SUM (transform);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);
  const char *const *in, *const *out;

  if (!*reel_transform_get_in_keys (transform))
    {
      g_auto (GStrv) rewards = reel_spec_list_part (spec, REWARD);
      set_keys (transform, (const char *const *) rewards);
    }
  in = reel_transform_get_in_keys (transform);
  out = reel_transform_get_out_keys (transform);
  for (; *in; in++, out++)
    if (!add_sum (self, &changed, *in, *out, error))
      return NULL;
  return g_steal_pointer (&changed);
}

/* ---- in an env: each lane keeps the sum of its episode ---- */

typedef struct
{
  ReelLaneWork work;
  const ReelLinkKernels *kernels;
  guint from, to;
  ReelDtype dtype;
  gsize row_bytes;
} Sum;

static void
sum_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Sum *self = (const Sum *) work;
  gsize at = (gsize) begin * self->row_bytes, bytes = (gsize) (end - begin) * self->row_bytes;
  gsize n = bytes / reel_dtype_size (self->dtype);
  guint8 *sums = work->state + at, *out = columns[self->to] + at;
  const guint8 *rewards = columns[self->from] + at;

  if (self->dtype == REEL_DTYPE_FLOAT32)
    self->kernels->sum_f32 ((gpointer) sums, (gconstpointer) rewards, (gpointer) out, n);
  else if (self->dtype == REEL_DTYPE_FLOAT64)
    self->kernels->sum_f64 ((gpointer) sums, (gconstpointer) rewards, (gpointer) out, n);
  else
    {
      reel_sum_rewards_row (self->dtype, (gint64) n, sums, NULL, rewards, out);
      memcpy (sums, out, bytes);
    }
}

/* Most rewards are floats: a store, in the place of a call. */
static inline void
clear (guint8 *at, gsize bytes)
{
  if (bytes == sizeof (float))
    memset (at, 0, sizeof (float));
  else
    memset (at, 0, bytes);
}

static void
sum_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Sum *self = (const Sum *) work;

  for (gsize i = 0; i < n; i++)
    {
      gsize at = (gsize) lanes[i] * self->row_bytes;

      clear (work->state + at, self->row_bytes);
      clear (columns[self->to] + at, self->row_bytes);
    }
}

static void
sum_free (ReelLaneWork *work)
{
  g_free (work);
}

static gboolean
bind_sum (ReelLanePlan *plan, const char *in, const char *out, GError **error)
{
  gint from = reel_lane_plan_require (plan, in, error);
  ReelLaneLeaf leaf;
  Sum *sum;
  ReelIsa isa;

  if (from < 0 || !reel_isa_choose (&isa, error))
    return FALSE;
  leaf = *reel_lane_plan_get_leaf (plan, (guint) from);
  sum = g_new0 (Sum, 1);
  *sum = (Sum){
    .work = { .step = sum_step, .reset = sum_reset, .free = sum_free },
    .kernels = REEL_KERNEL_PICK (reel_link_kernels, isa),
    .from = (guint) from,
    .to =
        reel_lane_plan_define (plan, out, REEL_LANE_OBSERVATION, leaf.dtype, leaf.ndim, leaf.shape),
    .dtype = leaf.dtype,
    .row_bytes = leaf.row_bytes,
  };
  return reel_lane_plan_add (plan, &sum->work, leaf.row_bytes, error);
}

/* env_spec() has taken the keys from the env where none were given. */
static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    if (!bind_sum (plan, in[i], out[i], error))
      return FALSE;
  return TRUE;
}

/* ---- the class ---- */

static gboolean
check_reset_keys (ReelRewardSum *self, GError **error)
{
  guint n = g_strv_length ((char **) reel_transform_get_in_keys (REEL_TRANSFORM (self)));

  if (self->reset_keys && n > 0 && g_strv_length (self->reset_keys) != n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "reward-sum has %u in-keys and %u reset-keys: give as many", n,
                   g_strv_length (self->reset_keys));
      return FALSE;
    }
  return reel_key_check_all ((const char *const *) self->reset_keys, error);
}

static char *
to_string (ReelTransform *self)
{
  const char *const *in = reel_transform_get_in_keys (self);
  g_autofree char *keys = reel_key_format_list (*in ? in : default_in);

  return g_strdup_printf ("RewardSum(keys=%s)", keys);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelRewardSum *self = REEL_REWARD_SUM (object);
  ReelTransform *transform = REEL_TRANSFORM (object);
  const char *const *in = reel_transform_get_in_keys (transform);
  const char *const *out = reel_transform_get_out_keys (transform);

  if (*in && in == out)
    {
      g_auto (GStrv) keys = g_strdupv ((char **) in);
      set_keys (transform, (const char *const *) keys);
    }
  return REEL_OBJECT_CLASS (reel_reward_sum_parent_class)->build (object, error)
         && check_reset_keys (self, error);
}

static void
reel_reward_sum_class_init (ReelRewardSumClass *klass)
{
  static const ReelId ids[] = {
    { "reward-sum", NULL, "rewards of an episode up to each step" },
    { "RewardSum", NULL, "rewards of an episode up to each step, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_words (
      object_class, "reset-keys", G_STRUCT_OFFSET (ReelRewardSum, reset_keys),
      "flags of resets in an environment, one for each of in-keys", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (
      object_class, "reward-spec", G_STRUCT_OFFSET (ReelRewardSum, reward_spec), FALSE,
      "whether sums are rewards of an environment, not observations", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "RewardSum";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
}

static void
reel_reward_sum_init (ReelRewardSum *self)
{
}
