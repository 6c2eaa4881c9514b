/* Normalises by moving averages of values and of their squares, freed of the bias of their start.
 */
#include "running-norm.h"

#include "../core/math/power-kernel.h"

#include <math.h>
#include <string.h>

#define OBSERVATION "output_spec/full_observation_spec"

/* The numbers of an element are the averages of its values and of their squares; the count is that
 * of updates, or of rows where lanes are reduced to one. */
struct _ReelVecNormV2
{
  ReelRunningNorm parent_instance;

  gboolean stateful;
  gboolean reduce_batch_dims;
};

G_DECLARE_FINAL_TYPE (ReelVecNormV2, reel_vec_norm_v2, REEL, VEC_NORM_V2, ReelRunningNorm)
G_DEFINE_FINAL_TYPE (ReelVecNormV2, reel_vec_norm_v2, REEL_TYPE_RUNNING_NORM)

/* ---- the formula ---- */

static double
raise_decay (const ReelRunning *self, double exponent)
{
  double result;

  REEL_KERNEL_PICK (reel_power_kernels, self->isa)->power (&self->decay, 1, exponent, &result);
  return result;
}

/* weigh: the part that @rows rows have in the average of @count. */
static double
weigh (const ReelRunning *self, double rows, double count)
{
  return self->decay < 1 ? 1 - raise_decay (self, rows) : rows / count;
}

/* correct: the part of the average of @count that is not of the zeros that it began with. */
static double
correct (const ReelRunning *self, double count)
{
  return self->decay < 1 ? 1 - raise_decay (self, count) : 1;
}

static inline double
find_width (const ReelRunning *self, double loc, double squares, double part)
{
  double variance = (squares - loc * loc) / part;
  double width = variance > 0 ? sqrt (variance) : 0;

  return width > self->eps ? width : self->eps;
}

static void
update (const ReelRunning *self, double *group, gsize n, const double *sums, gsize rows)
{
  double *numbers = group + 1, weight;

  group[0] += (double) rows;
  weight = weigh (self, (double) rows, group[0]);
  for (gsize i = 0; i < 2 * n; i++)
    numbers[i] += weight * (sums[i] / (double) rows - numbers[i]);
}

static void
conclude (const ReelRunning *self, const double *group, gsize n, double *loc, double *scale)
{
  double part = correct (self, group[0]);

  for (gsize i = 0; i < n; i++)
    {
      loc[i] = group[1 + i] / part;
      scale[i] = find_width (self, group[1 + i], group[1 + n + i], part);
    }
}

static char *
name (const char *key, ReelRunningPart part)
{
  static const char *const begins[] = { "loc", "var", "count" };

  return g_strdup_printf ("%s/%s", begins[part], key);
}

/* ---- lanes with statistics of their own ---- */

typedef struct
{
  ReelLaneWork work;
  ReelRunningNorm *norm;
  const ReelRunning *running;
  gboolean renewed; /* by each reset, and shown */
  guint from, to;
  guint loc, var, count; /* where they are shown */
  ReelDtype dtype;
  gsize n, row_bytes;
} Own;

static void
normalise_f32 (const ReelRunning *self, double *group, gsize n, double weight, double part,
               const float *in, float *out)
{
  double *loc = group + 1, *squares = loc + n;

  for (gsize i = 0; i < n; i++)
    {
      double value = (double) in[i];

      loc[i] += weight * (value - loc[i]);
      squares[i] += weight * (value * value - squares[i]);
      out[i] = (float) ((value - loc[i] / part) / find_width (self, loc[i], squares[i], part));
    }
}

static void
normalise_f64 (const ReelRunning *self, double *group, gsize n, double weight, double part,
               const double *in, double *out)
{
  double *loc = group + 1, *squares = loc + n;

  for (gsize i = 0; i < n; i++)
    {
      double value = in[i];

      loc[i] += weight * (value - loc[i]);
      squares[i] += weight * (value * value - squares[i]);
      out[i] = (value - loc[i] / part) / find_width (self, loc[i], squares[i], part);
    }
}

/* Weights of lanes that have the same count are the same. */
typedef struct
{
  double count, weight, part;
} Weights;

static void
own_lane (const Own *self, guint8 *const *columns, gint64 lane, Weights *weights)
{
  double *group = (double *) (gpointer) (self->work.state + (gsize) lane * self->work.state_bytes);
  gsize at = (gsize) lane * self->row_bytes;
  double count = group[0] + !self->running->frozen;

  if (weights->count != count)
    *weights = (Weights){ count, weigh (self->running, 1, count), correct (self->running, count) };
  group[0] = count;
  if (self->dtype == REEL_DTYPE_FLOAT32)
    normalise_f32 (self->running, group, self->n, self->running->frozen ? 0 : weights->weight,
                   weights->part, (const float *) (gconstpointer) (columns[self->from] + at),
                   (float *) (gpointer) (columns[self->to] + at));
  else
    normalise_f64 (self->running, group, self->n, self->running->frozen ? 0 : weights->weight,
                   weights->part, (const double *) (gconstpointer) (columns[self->from] + at),
                   (double *) (gpointer) (columns[self->to] + at));
}

static void
show_lane (const Own *self, guint8 *const *columns, gint64 lane)
{
  const double *group =
      (const double *) (gconstpointer) (self->work.state + (gsize) lane * self->work.state_bytes);
  gsize size = reel_dtype_size (self->dtype), at = (gsize) lane * self->n;
  gint64 *counts = (gint64 *) (gpointer) columns[self->count];

  for (gsize i = 0; i < self->n; i++)
    {
      counts[at + i] = (gint64) group[0];
      reel_dtype_store_double (self->dtype, columns[self->loc] + (at + i) * size, group[1 + i]);
      reel_dtype_store_double (self->dtype, columns[self->var] + (at + i) * size,
                               group[1 + self->n + i]);
    }
}

static void
own_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Own *self = (const Own *) work;
  Weights weights = { .count = -1 };

  for (gint64 lane = begin; lane < end; lane++)
    {
      own_lane (self, columns, lane, &weights);
      if (self->renewed)
        show_lane (self, columns, lane);
    }
}

static void
own_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Own *self = (const Own *) work;
  Weights weights = { .count = -1 };

  for (gsize i = 0; i < n; i++)
    {
      if (self->renewed)
        memset (work->state + (gsize) lanes[i] * work->state_bytes, 0, work->state_bytes);
      own_lane (self, columns, lanes[i], &weights);
      if (self->renewed)
        show_lane (self, columns, lanes[i]);
    }
}

/* A reward has no value at a reset, so that its lane's statistics begin with the episode. */
static void
renew_reward (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Own *self = (const Own *) work;

  for (gsize i = 0; i < n; i++)
    {
      memset (work->state + (gsize) lanes[i] * work->state_bytes, 0, work->state_bytes);
      show_lane (self, columns, lanes[i]);
    }
}

static void
own_free (ReelLaneWork *work)
{
  g_object_unref (((Own *) work)->norm);
  g_free (work);
}

static guint
define_shown (ReelLanePlan *plan, const char *part, const char *key, ReelDtype dtype,
              const ReelLaneLeaf *leaf)
{
  g_autofree char *path = g_strdup_printf ("_vecnorm_%s/%s", part, key);

  return reel_lane_plan_define (plan, path, REEL_LANE_OBSERVATION, dtype, leaf->ndim, leaf->shape);
}

/* bind_kept: statistics of each lane that last, and that callers may read. */
static gboolean
bind_kept (Own *own, ReelLanePlan *plan, const char *in, const ReelLaneLeaf *leaf, GError **error)
{
  ReelRunningStats *stats = reel_running_norm_take_stats (own->norm, in, leaf->ndim, leaf->shape,
                                                          reel_lane_plan_get_n_lanes (plan), error);

  if (!stats)
    return FALSE;
  own->work.state = (guint8 *) stats->numbers;
  reel_lane_plan_outlast_episodes (plan);
  return TRUE;
}

static void
bind_shown (Own *own, ReelLanePlan *plan, const char *in, const ReelLaneLeaf *leaf)
{
  own->renewed = TRUE;
  own->loc = define_shown (plan, "loc", in, leaf->dtype, leaf);
  own->var = define_shown (plan, "var", in, leaf->dtype, leaf);
  own->count = define_shown (plan, "count", in, REEL_DTYPE_INT64, leaf);
  if (leaf->role != REEL_LANE_OBSERVATION)
    own->work.reset = renew_reward;
}

static gboolean
bind_own (ReelVecNormV2 *self, ReelLanePlan *plan, const char *in, const char *out, GError **error)
{
  gint from = reel_running_norm_require (REEL_RUNNING_NORM (self), plan, in, error);
  ReelLaneLeaf leaf;
  Own *own;

  if (from < 0)
    return FALSE;
  leaf = *reel_lane_plan_get_leaf (plan, (guint) from);
  own = g_new0 (Own, 1);
  *own = (Own){
    .work = { .step = own_step, .free = own_free },
    .norm = g_object_ref (REEL_RUNNING_NORM (self)),
    .running = reel_running_norm_get (REEL_RUNNING_NORM (self)),
    .from = (guint) from,
    .dtype = leaf.dtype,
    .n = leaf.row_bytes / reel_dtype_size (leaf.dtype),
    .row_bytes = leaf.row_bytes,
  };
  if (leaf.role == REEL_LANE_OBSERVATION)
    own->work.reset = own_reset;
  if (self->stateful && !bind_kept (own, plan, in, &leaf, error))
    {
      own_free (&own->work);
      return FALSE;
    }
  if (!self->stateful)
    bind_shown (own, plan, in, &leaf);
  own->to = reel_lane_plan_define (plan, out, leaf.role, leaf.dtype, leaf.ndim, leaf.shape);
  return reel_lane_plan_add (plan, &own->work, (1 + 2 * own->n) * sizeof (double), error);
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelVecNormV2 *self = REEL_VEC_NORM_V2 (transform);
  const char *const *in = reel_transform_get_in_keys (transform);
  const char *const *out = reel_transform_get_out_keys (transform);

  for (gsize i = 0; in[i]; i++)
    if (!(self->reduce_batch_dims
              ? reel_running_norm_bind (REEL_RUNNING_NORM (self), plan, in[i], out[i], error)
              : bind_own (self, plan, in[i], out[i], error)))
      return FALSE;
  return TRUE;
}

/* ---- specs and data ---- */

static gboolean
show_spec (ReelSpec **spec, const char *part, const char *key, ReelDtype dtype,
           const ReelSpec *value, GError **error)
{
  g_autofree char *path = g_strdup_printf ("_vecnorm_%s/%s", part, key);
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (value, &ndim);
  g_autoptr (ReelSpec) shown = reel_unbounded_spec_new (dtype, ndim, shape, error);

  if (shown && reel_spec_get_in_part (*spec, OBSERVATION, path))
    {
      g_set_error (
          error, REEL_ERROR, REEL_ERROR_KEY,
          "vec-norm-v2: the env has \"%s\" already: one with stateful=false serves all keys", path);
      return FALSE;
    }
  return shown && reel_spec_set_in_part (spec, OBSERVATION, path, shown, error);
}

/* Leaf groups as TorchRL orders them: all middles, all squares, all counts. */
static gboolean
show_specs (ReelTransform *self, const ReelSpec *before, ReelSpec **spec, GError **error)
{
  static const char *const parts[] = { "loc", "var", "count" };
  const char *const *in = reel_transform_get_in_keys (self);

  for (gsize p = 0; p < G_N_ELEMENTS (parts); p++)
    for (gsize i = 0; in[i]; i++)
      {
        g_autofree char *part = reel_spec_find_part (before, REEL_SPEC_OUTPUT, in[i]);
        const ReelSpec *value = reel_spec_get_in_part (before, part, in[i]);
        ReelDtype dtype = p == 2 ? REEL_DTYPE_INT64 : reel_spec_get_dtype (value);

        if (!show_spec (spec, parts[p], in[i], dtype, value, error))
          return FALSE;
      }
  return TRUE;
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) changed =
      REEL_TRANSFORM_CLASS (reel_vec_norm_v2_parent_class)->env_spec (self, spec, error);

  if (!changed || REEL_VEC_NORM_V2 (self)->stateful)
    return g_steal_pointer (&changed);
  return show_specs (self, spec, &changed, error) ? g_steal_pointer (&changed) : NULL;
}

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "vec-norm-v2 normalises the steps of an environment, and not stored data; "
                       "vec-norm does both");
  return NULL;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  const ReelVecNormV2 *self = REEL_VEC_NORM_V2 (object);

  if (!*reel_transform_get_in_keys (REEL_TRANSFORM (object)))
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                         "vec-norm-v2 needs to know which keys: in-keys=[observation]");
  else if (self->reduce_batch_dims && !self->stateful)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "vec-norm-v2: with stateful=false each lane has its own statistics, which "
                         "reduce-batch-dims=true cannot join");
  else
    return REEL_OBJECT_CLASS (reel_vec_norm_v2_parent_class)->build (object, error);
  return FALSE;
}

static char *
to_string (ReelTransform *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) keys = NULL;
  g_autofree char *list = NULL;

  g_strv_builder_addv (builder, (const char **) reel_transform_get_in_keys (self));
  if (!REEL_VEC_NORM_V2 (self)->stateful)
    g_strv_builder_add_many (builder, "_vecnorm_count", "_vecnorm_loc", "_vecnorm_var", NULL);
  keys = g_strv_builder_end (builder);
  list = reel_key_format_list ((const char *const *) keys);
  return g_strdup_printf ("VecNormV2(keys=%s)", list);
}

static void
reel_vec_norm_v2_class_init (ReelVecNormV2Class *klass)
{
  static const ReelId ids[] = {
    { "vec-norm-v2", NULL, "normalises by moving averages so far" },
    { "VecNormV2", NULL, "normalises by moving averages so far, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);
  ReelRunningNormClass *norm_class = REEL_RUNNING_NORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_bool (object_class, "stateful", G_STRUCT_OFFSET (ReelVecNormV2, stateful),
                              TRUE,
                              "whether statistics outlast episodes, and are not shown as "
                              "_vecnorm_loc, _vecnorm_var and _vecnorm_count",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (
      object_class, "reduce-batch-dims", G_STRUCT_OFFSET (ReelVecNormV2, reduce_batch_dims), FALSE,
      "whether all lanes share statistics, not each its own", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "VecNormV2";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
  norm_class->name = name;
  norm_class->count_ndim = 0;
  norm_class->count_dtype = REEL_DTYPE_INT64;
  norm_class->update = update;
  norm_class->conclude = conclude;
}

static void
reel_vec_norm_v2_init (ReelVecNormV2 *self)
{
}
