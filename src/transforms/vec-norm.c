#include "vec-norm.h"

#include "../core/system/turns.h"
#include "../core/tensor/tensor-private.h"
#include "running-norm.h"

#include <math.h>

#define REWARD "output_spec/full_reward_spec"

/* The numbers of an element are the sums of its values and of their squares, which decay as the
 * count does. */
struct _ReelVecNorm
{
  ReelRunningNorm parent_instance;

  ReelTurns turns; /* at stored data, which several threads read */
};

G_DECLARE_FINAL_TYPE (ReelVecNorm, reel_vec_norm, REEL, VEC_NORM, ReelRunningNorm)
G_DEFINE_FINAL_TYPE (ReelVecNorm, reel_vec_norm, REEL_TYPE_RUNNING_NORM)

/* ---- the formula ---- */

static char *
name (const char *key, ReelRunningPart part)
{
  static const char *const ends[] = { "sum", "ssq", "count" };

  return g_strdup_printf ("%s_%s", key, ends[part]);
}

static void
update (const ReelRunning *self, double *group, gsize n, const double *sums, gsize rows)
{
  double *numbers = group + 1;

  group[0] = group[0] * self->decay + (double) rows;
  for (gsize i = 0; i < 2 * n; i++)
    numbers[i] = numbers[i] * self->decay + sums[i];
}

static void
conclude (const ReelRunning *self, const double *group, gsize n, double *loc, double *scale)
{
  const double *sum = group + 1, *squares = sum + n;

  for (gsize i = 0; i < n; i++)
    {
      double mean = sum[i] / group[0];
      double variance = squares[i] / group[0] - mean * mean;
      double width = sqrt (variance > self->eps ? variance : self->eps);

      loc[i] = mean;
      scale[i] = width > self->eps ? width : self->eps;
    }
}

/* ---- stored data: all rows of a call are one update ---- */

static gboolean
pass (ReelVecNorm *self, ReelTensordict *td, const char *in, const char *out, GError **error)
{
  g_autoptr (ReelTensor) values = reel_tensordict_ref_tensor (td, in, error);
  g_autoptr (ReelTensor) plain = NULL, normalised = NULL;
  ReelRunningStats *stats;
  gint n_batch;

  if (!values)
    return FALSE;
  if (values->dtype != REEL_DTYPE_FLOAT32 && values->dtype != REEL_DTYPE_FLOAT64)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "vec-norm normalises float32 and float64, and \"%s\" is of dtype %s", in,
                   reel_dtype_name (values->dtype));
      return FALSE;
    }
  reel_tensordict_get_batch_size (td, &n_batch);
  plain = reel_tensor_in_order (values, error);
  stats = plain ? reel_running_norm_take_stats (REEL_RUNNING_NORM (self), in, plain->ndim - n_batch,
                                                plain->shape + n_batch, 1, error)
                : NULL;
  normalised =
      stats ? reel_running_norm_pass (REEL_RUNNING_NORM (self), stats, plain, error) : NULL;
  return normalised && reel_tensordict_set_tensor (td, out, normalised, error);
}

/* Keys that are not there are left alone: rewards are not at the root of stored steps. */
static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelVecNorm *self = REEL_VEC_NORM (transform);
  const char *const *in = reel_transform_get_in_keys (transform);
  const char *const *out = reel_transform_get_out_keys (transform);
  gboolean passed = TRUE;

  reel_turns_take (&self->turns);
  for (gsize i = 0; passed && in[i]; i++)
    if (reel_tensordict_contains (td, in[i]))
      passed = pass (self, td, in[i], out[i], error);
  reel_turns_pass (&self->turns);
  return passed ? reel_tensordict_ref (td) : NULL;
}

/* ---- in an env ---- */

/* Rewards keep their keys, as TorchRL's do. */
static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    if (!g_str_equal (in[i], out[i]) && reel_spec_get_in_part (spec, REWARD, in[i]))
      {
        g_set_error (
            error, REEL_ERROR, REEL_ERROR_KEY,
            "vec-norm: \"%s\" is a reward, which keeps its key; \"%s\" is not in the specs "
            "of the env",
            in[i], out[i]);
        return NULL;
      }
  return REEL_TRANSFORM_CLASS (reel_vec_norm_parent_class)->env_spec (self, spec, error);
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    if (!reel_running_norm_bind (REEL_RUNNING_NORM (self), plan, in[i], out[i], error))
      return FALSE;
  return TRUE;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  ReelTransform *self = REEL_TRANSFORM (object);

  if (!*reel_transform_get_in_keys (self))
    {
      const char *const keys[] = { "observation", "reward", NULL };
      gboolean renamed = *reel_transform_get_out_keys (self) != NULL;
      g_auto (GStrv) out = g_strdupv ((char **) reel_transform_get_out_keys (self));

      reel_transform_set_keys (self, keys, renamed ? (const char *const *) out : keys);
    }
  return REEL_OBJECT_CLASS (reel_vec_norm_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *self)
{
  const ReelRunning *running = reel_running_norm_get (REEL_RUNNING_NORM (self));
  g_autofree char *in = reel_key_format_list (reel_transform_get_in_keys (self));
  g_autofree char *out = reel_key_format_list (reel_transform_get_out_keys (self));

  return g_strdup_printf ("VecNorm(decay=%.4f,eps=%.4f, in_keys=%s, out_keys=%s)", running->decay,
                          running->eps, in, out);
}

static void
reel_vec_norm_class_init (ReelVecNormClass *klass)
{
  static const ReelId ids[] = {
    { "vec-norm", NULL, "normalises by sums over all lanes so far" },
    { "VecNorm", NULL, "normalises by sums over all lanes so far, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);
  ReelRunningNormClass *norm_class = REEL_RUNNING_NORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  transform_class->peer_name = "VecNorm";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
  norm_class->name = name;
  norm_class->count_ndim = 1;
  norm_class->count_dtype = REEL_DTYPE_FLOAT64;
  norm_class->update = update;
  norm_class->conclude = conclude;
}

static void
reel_vec_norm_init (ReelVecNorm *self)
{
}
