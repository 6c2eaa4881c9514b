/* A return to aim at, less the rewards so far. */
#include "lane-plan.h"
#include "transform-private.h"

#include "../core/tensor/tensor-private.h"

#include <string.h>

#define OBSERVATION "output_spec/full_observation_spec"
#define REWARD "output_spec/full_reward_spec"
#define STATE "input_spec/full_state_spec"

enum
{
  MODE_REDUCE,
  MODE_CONSTANT
};

struct _ReelTargetReturn
{
  ReelTransform parent_instance;

  double target_return;
  gint mode;
};

G_DECLARE_FINAL_TYPE (ReelTargetReturn, reel_target_return, REEL, TARGET_RETURN, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelTargetReturn, reel_target_return, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "target-return is set where an environment is reset, and resets of stored "
                       "data are not known; put it behind an environment");
  return NULL;
}

/* ---- specs ---- */

static gboolean
add_target (ReelSpec **spec, const char *in, const char *out, GError **error)
{
  const ReelSpec *reward = reel_spec_get_in_part (*spec, REWARD, in);
  g_autoptr (ReelSpec) target = NULL;
  gint ndim;
  const gint64 *shape;

  if (!reward)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "target-return: \"%s\" is not among the env's rewards", in);
      return FALSE;
    }
  shape = reel_spec_get_shape (reward, &ndim);
  target = reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, ndim, shape, error);
  return target && reel_spec_set_in_part (spec, OBSERVATION, out, target, error)
         && reel_spec_set_in_part (spec, STATE, out, target, error);
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    if (!add_target (&changed, in[i], out[i], error))
      return NULL;
  return g_steal_pointer (&changed);
}

/* ---- in an env: each lane keeps its rest ---- */

typedef struct
{
  ReelLaneWork work;
  float target;
  gboolean reduces;
  guint from, to;
  gsize n_values;
} Target;

static void
target_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Target *self = (const Target *) work;
  gsize at = (gsize) begin * self->n_values, n = (gsize) (end - begin) * self->n_values;
  const float *reward = (const float *) (gconstpointer) columns[self->from] + at;
  float *rest = (float *) (gpointer) work->state + at;
  float *out = (float *) (gpointer) columns[self->to] + at;

  if (self->reduces)
    for (gsize i = 0; i < n; i++)
      rest[i] -= reward[i];
  memcpy (out, rest, n * sizeof *out);
}

static void
target_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Target *self = (const Target *) work;
  float *rest = (float *) (gpointer) work->state;
  float *out = (float *) (gpointer) columns[self->to];

  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < self->n_values; k++)
      rest[(gsize) lanes[i] * self->n_values + k] = out[(gsize) lanes[i] * self->n_values + k] =
          self->target;
}

static void
target_free (ReelLaneWork *work)
{
  g_free (work);
}

static gboolean
bind_target (ReelTargetReturn *self, ReelLanePlan *plan, const char *in, const char *out,
             GError **error)
{
  gint from = reel_lane_plan_require (plan, in, error);
  ReelLaneLeaf leaf;
  Target *target;

  if (from < 0)
    return FALSE;
  leaf = *reel_lane_plan_get_leaf (plan, (guint) from);
  if (leaf.dtype != REEL_DTYPE_FLOAT32)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "target-return takes float32 rewards, and \"%s\" is of dtype %s", in,
                   reel_dtype_name (leaf.dtype));
      return FALSE;
    }
  target = g_new0 (Target, 1);
  *target = (Target){
    .work = { .step = target_step, .reset = target_reset, .free = target_free },
    .target = (float) self->target_return,
    .reduces = self->mode == MODE_REDUCE,
    .from = (guint) from,
    .to =
        reel_lane_plan_define (plan, out, REEL_LANE_OBSERVATION, leaf.dtype, leaf.ndim, leaf.shape),
    .n_values = leaf.row_bytes / sizeof (float),
  };
  return reel_lane_plan_add (plan, &target->work, leaf.row_bytes, error);
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    if (!bind_target (REEL_TARGET_RETURN (self), plan, in[i], out[i], error))
      return FALSE;
  return TRUE;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  ReelTransform *self = REEL_TRANSFORM (object);
  const char *const *in, *const *out;

  reel_transform_default_to_reward (self);
  in = reel_transform_get_in_keys (self);
  out = reel_transform_get_out_keys (self);
  if (in == out)
    {
      g_auto (GStrv) keys = g_strdupv ((char **) in);

      reel_transform_set_keys (self, (const char *const *) keys,
                               (const char *const[]){ "target_return", NULL });
    }
  return REEL_OBJECT_CLASS (reel_target_return_parent_class)->build (object, error);
}

static void
reel_target_return_class_init (ReelTargetReturnClass *klass)
{
  static const ReelId ids[] = {
    { "target-return", NULL, "a return to aim at, less the rewards so far" },
    { "TargetReturn", NULL, "a return to aim at, by TorchRL's name" },
    { NULL },
  };
  static const char *const modes[] = { "reduce", "constant", NULL };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_double (
      object_class, "target-return", G_STRUCT_OFFSET (ReelTargetReturn, target_return), -G_MAXFLOAT,
      G_MAXFLOAT, 0, NULL, "the return of a whole episode", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (object_class, "mode", G_STRUCT_OFFSET (ReelTargetReturn, mode), modes,
                              MODE_REDUCE, "whether rewards are taken off",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "TargetReturn";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
}

static void
reel_target_return_init (ReelTargetReturn *self)
{
}
