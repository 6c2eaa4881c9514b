#include "running-norm.h"

#include "../core/tensor/tensor-private.h"
#include "running-norm-kernel.h"
#include "vec-norm.h"

#include <math.h>
#include <string.h>

typedef struct
{
  ReelRunning running;
} ReelRunningNormPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelRunningNorm, reel_running_norm, REEL_TYPE_TRANSFORM)

ReelRunning *
reel_running_norm_get (ReelRunningNorm *self)
{
  ReelRunningNormPrivate *private = reel_running_norm_get_instance_private (self);

  return &private->running;
}

/* ---- statistics ---- */

static void
free_stats (gpointer data)
{
  ReelRunningStats *stats = data;

  g_free (stats->key);
  g_free (stats->numbers);
  g_free (stats);
}

static gsize
group_length (const ReelRunningStats *stats)
{
  return 1 + 2 * stats->n;
}

static gsize
count_numbers (const ReelRunningStats *stats)
{
  return (gsize) stats->n_groups * group_length (stats);
}

static ReelRunningStats *
find_stats (ReelRunningNorm *self, const char *key)
{
  GPtrArray *stats = reel_running_norm_get (self)->stats;

  for (guint i = 0; i < stats->len; i++)
    if (g_str_equal (((ReelRunningStats *) stats->pdata[i])->key, key))
      return stats->pdata[i];
  return NULL;
}

static ReelRunningStats *
new_stats (const char *key, gint ndim, const gint64 *shape, gint64 n_groups, GError **error)
{
  ReelRunningStats *stats = g_new0 (ReelRunningStats, 1);

  stats->key = g_strdup (key);
  stats->ndim = ndim;
  stats->n = 1;
  stats->n_groups = n_groups;
  for (gint i = 0; i < ndim; i++)
    {
      stats->shape[i] = shape[i];
      stats->n *= (gsize) shape[i];
    }
  stats->numbers = g_try_new0 (double, count_numbers (stats));
  if (stats->numbers)
    return stats;
  free_stats (stats);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "there is no memory for statistics of \"%s\"", key);
  return NULL;
}

static gboolean
check_shape (const ReelRunningStats *stats, gint ndim, const gint64 *shape, gint64 n_groups,
             GError **error)
{
  g_autofree char *has = NULL, *wanted = NULL;

  if (stats->n_groups == n_groups && stats->ndim == ndim
      && memcmp (stats->shape, shape, (gsize) ndim * sizeof *shape) == 0)
    return TRUE;
  has = reel_shape_to_string (stats->ndim, stats->shape);
  wanted = reel_shape_to_string (ndim, shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" has statistics of %" G_GINT64_FORMAT " × values of shape %s, and the env "
               "needs %" G_GINT64_FORMAT " × %s",
               stats->key, stats->n_groups, has, n_groups, wanted);
  return FALSE;
}

ReelRunningStats *
reel_running_norm_take_stats (ReelRunningNorm *self, const char *key, gint ndim,
                              const gint64 *shape, gint64 n_groups, GError **error)
{
  ReelRunningStats *stats = find_stats (self, key);

  if (stats)
    return check_shape (stats, ndim, shape, n_groups, error) ? stats : NULL;
  stats = new_stats (key, ndim, shape, n_groups, error);
  if (stats)
    g_ptr_array_add (reel_running_norm_get (self)->stats, stats);
  return stats;
}

/* ---- rows: sums of them, an update, and what they are then ---- */

/* Room for the sums, their squares, the middle and the width of each element. */
#define N_SCRATCH 4

static void
add_rows (const ReelRunningNormKernels *kernels, ReelDtype dtype, const guint8 *rows, gsize n_rows,
          gsize n, double *sums)
{
  if (dtype == REEL_DTYPE_FLOAT32)
    kernels->add_f32 ((const float *) (gconstpointer) rows, n_rows, n, sums, sums + n);
  else
    kernels->add_f64 ((const double *) (gconstpointer) rows, n_rows, n, sums, sums + n);
}

static void
normalise_rows (const ReelRunningNormKernels *kernels, ReelDtype dtype, const guint8 *rows,
                gsize n_rows, gsize n, const double *loc, guint8 *out)
{
  if (dtype == REEL_DTYPE_FLOAT32)
    kernels->normalise_f32 ((const float *) (gconstpointer) rows, n_rows, n, loc, loc + n,
                            (float *) (gpointer) out);
  else
    kernels->normalise_f64 ((const double *) (gconstpointer) rows, n_rows, n, loc, loc + n,
                            (double *) (gpointer) out);
}

/* conclude: the middle and the width behind the sums of @scratch, after an update by these. */
static void
conclude (ReelRunningNorm *self, double *group, gsize n, double *scratch, gsize n_rows)
{
  const ReelRunning *running = reel_running_norm_get (self);
  const ReelRunningNormClass *klass = REEL_RUNNING_NORM_GET_CLASS (self);

  if (!running->frozen)
    klass->update (running, group, n, scratch, n_rows);
  klass->conclude (running, group, n, scratch + 2 * n, scratch + 3 * n);
}

ReelTensor *
reel_running_norm_pass (ReelRunningNorm *self, ReelRunningStats *stats, ReelTensor *values,
                        GError **error)
{
  const ReelRunning *running = reel_running_norm_get (self);
  const ReelRunningNormKernels *kernels =
      REEL_KERNEL_PICK (reel_running_norm_kernels, running->isa);
  g_autoptr (ReelTensor) out =
      reel_tensor_new_unfilled (values->dtype, values->ndim, values->shape, error);
  g_autofree double *scratch = out ? g_try_new0 (double, N_SCRATCH * stats->n) : NULL;
  gsize rows = stats->n > 0 ? (gsize) reel_tensor_numel (values) / stats->n : 0;

  if (!out)
    return NULL;
  if (!scratch && stats->n > 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "there is no memory for sums of \"%s\"",
                   stats->key);
      return NULL;
    }
  if (rows == 0)
    return g_steal_pointer (&out);
  add_rows (kernels, values->dtype, values->data, rows, stats->n, scratch);
  conclude (self, stats->numbers, stats->n, scratch, rows);
  normalise_rows (kernels, values->dtype, values->data, rows, stats->n, scratch + 2 * stats->n,
                  out->data);
  return g_steal_pointer (&out);
}

/* ---- in an env whose lanes share statistics ---- */

typedef struct
{
  ReelLaneWork work;
  ReelRunningNorm *norm;
  const ReelRunningNormKernels *kernels;
  ReelRunningStats *stats;
  guint from, to;
  ReelDtype dtype;
  gsize row_bytes;
  double *scratch;
} Norm;

static void
norm_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Norm *self = (const Norm *) work;
  gsize at = (gsize) begin * self->row_bytes, rows = (gsize) (end - begin), n = self->stats->n;

  memset (self->scratch, 0, 2 * n * sizeof (double));
  add_rows (self->kernels, self->dtype, columns[self->from] + at, rows, n, self->scratch);
  conclude (self->norm, self->stats->numbers, n, self->scratch, rows);
  normalise_rows (self->kernels, self->dtype, columns[self->from] + at, rows, n,
                  self->scratch + 2 * n, columns[self->to] + at);
}

static void
norm_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n_lanes)
{
  const Norm *self = (const Norm *) work;
  const guint8 *from = columns[self->from];
  guint8 *to = columns[self->to];
  gsize n = self->stats->n;

  if (n_lanes == 0)
    return;
  memset (self->scratch, 0, 2 * n * sizeof (double));
  for (gsize i = 0; i < n_lanes; i++)
    add_rows (self->kernels, self->dtype, from + (gsize) lanes[i] * self->row_bytes, 1, n,
              self->scratch);
  conclude (self->norm, self->stats->numbers, n, self->scratch, n_lanes);
  for (gsize i = 0; i < n_lanes; i++)
    normalise_rows (self->kernels, self->dtype, from + (gsize) lanes[i] * self->row_bytes, 1, n,
                    self->scratch + 2 * n, to + (gsize) lanes[i] * self->row_bytes);
}

static void
norm_free (ReelLaneWork *work)
{
  Norm *self = (Norm *) work;

  g_free (self->scratch);
  g_object_unref (self->norm);
  g_free (self);
}

gint
reel_running_norm_require (ReelRunningNorm *self, const ReelLanePlan *plan, const char *key,
                           GError **error)
{
  gint leaf = reel_lane_plan_require (plan, key, error);
  ReelDtype dtype =
      leaf < 0 ? REEL_DTYPE_FLOAT32 : reel_lane_plan_get_leaf (plan, (guint) leaf)->dtype;

  if (dtype == REEL_DTYPE_FLOAT32 || dtype == REEL_DTYPE_FLOAT64)
    return leaf;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_TYPE,
      "%s normalises float32 and float64, and \"%s\" is of dtype %s; dtype-cast converts it",
      reel_object_get_id (REEL_OBJECT (self)), key, reel_dtype_name (dtype));
  return -1;
}

gboolean
reel_running_norm_bind (ReelRunningNorm *self, ReelLanePlan *plan, const char *in, const char *out,
                        GError **error)
{
  gint from = reel_running_norm_require (self, plan, in, error);
  ReelLaneLeaf leaf;
  ReelRunningStats *stats;
  Norm *work;

  if (from < 0)
    return FALSE;
  leaf = *reel_lane_plan_get_leaf (plan, (guint) from);
  stats = reel_running_norm_take_stats (self, in, leaf.ndim, leaf.shape, 1, error);
  if (!stats)
    return FALSE;
  reel_lane_plan_join_lanes (plan);
  reel_lane_plan_outlast_episodes (plan);
  work = g_new0 (Norm, 1);
  *work = (Norm){
    .work = { .step = norm_step,
              .free = norm_free,
              .common = (guint8 *) stats->numbers,
              .common_bytes = count_numbers (stats) * sizeof (double) },
    .norm = g_object_ref (self),
    .kernels = REEL_KERNEL_PICK (reel_running_norm_kernels, reel_running_norm_get (self)->isa),
    .stats = stats,
    .from = (guint) from,
    .to = reel_lane_plan_define (plan, out, leaf.role, leaf.dtype, leaf.ndim, leaf.shape),
    .dtype = leaf.dtype,
    .row_bytes = leaf.row_bytes,
    .scratch = g_new0 (double, N_SCRATCH * stats->n),
  };
  if (leaf.role == REEL_LANE_OBSERVATION)
    work->work.reset = norm_reset;
  return reel_lane_plan_add (plan, &work->work, 0, error);
}

/* ---- statistics as tensors ---- */

/* The shape of a part: groups where there are several, then that of a value, or of a count. */
static gint
shape_part (ReelRunningNorm *self, const ReelRunningStats *stats, ReelRunningPart part,
            gint64 *shape)
{
  gint n = 0;

  if (stats->n_groups > 1)
    shape[n++] = stats->n_groups;
  if (part == REEL_RUNNING_COUNT)
    for (gint i = 0; i < REEL_RUNNING_NORM_GET_CLASS (self)->count_ndim; i++)
      shape[n++] = 1;
  else
    for (gint i = 0; i < stats->ndim; i++)
      shape[n++] = stats->shape[i];
  return n;
}

/* Where the numbers of a part are in a group, and how many. */
static gsize
find_part (const ReelRunningStats *stats, ReelRunningPart part, gsize *n)
{
  *n = part == REEL_RUNNING_COUNT ? 1 : stats->n;
  return part == REEL_RUNNING_COUNT ? 0 : part == REEL_RUNNING_FIRST ? 1 : 1 + stats->n;
}

static ReelTensor *
dup_part (ReelRunningNorm *self, const ReelRunningStats *stats, ReelRunningPart part,
          GError **error)
{
  ReelDtype dtype = part == REEL_RUNNING_COUNT ? REEL_RUNNING_NORM_GET_CLASS (self)->count_dtype
                                               : REEL_DTYPE_FLOAT64;
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = shape_part (self, stats, part, shape);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT64, ndim, shape, error);
  gsize n, at = find_part (stats, part, &n);

  if (!tensor)
    return NULL;
  for (gint64 group = 0; group < stats->n_groups; group++)
    memcpy ((double *) (gpointer) tensor->data + (gsize) group * n,
            stats->numbers + (gsize) group * group_length (stats) + at, n * sizeof (double));
  return dtype == tensor->dtype ? g_steal_pointer (&tensor)
                                : reel_tensor_convert (tensor, dtype, error);
}

static gboolean
store_stats (ReelRunningNorm *self, ReelTensordict *td, GError **error)
{
  const GPtrArray *all = reel_running_norm_get (self)->stats;

  for (guint i = 0; i < all->len; i++)
    for (gint part = 0; part < REEL_N_RUNNING_PARTS; part++)
      {
        const ReelRunningStats *stats = all->pdata[i];
        g_autofree char *name =
            REEL_RUNNING_NORM_GET_CLASS (self)->name (stats->key, (ReelRunningPart) part);
        g_autoptr (ReelTensor) tensor = dup_part (self, stats, (ReelRunningPart) part, error);

        if (!tensor || !reel_tensordict_set_tensor (td, name, tensor, error))
          return FALSE;
      }
  return TRUE;
}

/* get_part: a part of the statistics of @key as float64; NULL where there is none. */
static gboolean
get_part (ReelRunningNorm *self, const ReelTensordict *td, const char *key, ReelRunningPart part,
          ReelTensor **tensor, GError **error)
{
  g_autofree char *name = REEL_RUNNING_NORM_GET_CLASS (self)->name (key, part);
  g_autoptr (ReelTensor) stored = NULL, plain = NULL;

  if (!reel_tensordict_contains (td, name))
    return TRUE;
  stored = reel_tensordict_ref_tensor (td, name, error);
  if (stored && reel_dtype_is_complex (stored->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is of dtype %s, not of real numbers",
                   name, reel_dtype_name (stored->dtype));
      return FALSE;
    }
  plain = stored ? reel_tensor_convert (stored, REEL_DTYPE_FLOAT64, error) : NULL;
  *tensor = plain ? reel_tensor_in_order (plain, error) : NULL;
  return *tensor != NULL;
}

/* Statistics that are frozen are of something. */
static gboolean
check_counts (const char *key, const ReelTensor *counts, gboolean frozen, GError **error)
{
  for (gint64 i = 0; i < reel_tensor_numel (counts); i++)
    {
      double count = ((const double *) (gconstpointer) counts->data)[i];

      if (isfinite (count) && (count > 0 || (count == 0 && !frozen)))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the count of the statistics of \"%s\" is %g; it is a number %s 0", key, count,
                   frozen ? "above" : "from");
      return FALSE;
    }
  return TRUE;
}

/* shape_like: statistics of nothing, of the shape that the parts have. */
static ReelRunningStats *
shape_like (ReelRunningNorm *self, const char *key, ReelTensor *const *parts, GError **error)
{
  const ReelTensor *first = parts[REEL_RUNNING_FIRST], *second = parts[REEL_RUNNING_SECOND];
  gint64 n_groups = reel_tensor_numel (parts[REEL_RUNNING_COUNT]);
  gint skip = n_groups > 1;
  g_autofree char *has = NULL, *other = NULL;

  if (first->ndim == second->ndim && first->ndim >= skip
      && memcmp (first->shape, second->shape, (gsize) first->ndim * sizeof *first->shape) == 0
      && (!skip || first->shape[0] == n_groups) && n_groups > 0)
    return new_stats (key, first->ndim - skip, first->shape + skip, n_groups, error);
  has = reel_shape_to_string (first->ndim, first->shape);
  other = reel_shape_to_string (second->ndim, second->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the statistics of \"%s\" do not fit one another: %" G_GINT64_FORMAT
               " counts, shapes %s and %s",
               key, n_groups, has, other);
  return NULL;
}

static void
fill_stats (ReelRunningStats *stats, ReelTensor *const *parts)
{
  for (gint part = 0; part < REEL_N_RUNNING_PARTS; part++)
    {
      gsize n, at = find_part (stats, (ReelRunningPart) part, &n);
      const double *from = (const double *) (gconstpointer) parts[part]->data;

      for (gint64 group = 0; group < stats->n_groups; group++)
        memcpy (stats->numbers + (gsize) group * group_length (stats) + at,
                from + (gsize) group * n, n * sizeof *from);
    }
}

/* read_stats: those of @key, NULL where @td has none. */
static gboolean
read_stats (ReelRunningNorm *self, const ReelTensordict *td, const char *key,
            ReelRunningStats **stats, GError **error)
{
  ReelTensor *parts[REEL_N_RUNNING_PARTS] = { NULL };
  gint n_found = 0;
  gboolean read = TRUE;

  for (gint part = 0; read && part < REEL_N_RUNNING_PARTS; part++)
    {
      read = get_part (self, td, key, (ReelRunningPart) part, &parts[part], error);
      n_found += parts[part] != NULL;
    }
  if (read && n_found > 0 && n_found < REEL_N_RUNNING_PARTS)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "the statistics of \"%s\" lack some of their three parts", key);
      read = FALSE;
    }
  if (read && n_found > 0)
    {
      read = check_counts (key, parts[REEL_RUNNING_COUNT], reel_running_norm_get (self)->frozen,
                           error);
      *stats = read ? shape_like (self, key, parts, error) : NULL;
      read = *stats != NULL;
    }
  if (read && n_found > 0)
    fill_stats (*stats, parts);
  for (gint part = 0; part < REEL_N_RUNNING_PARTS; part++)
    g_clear_pointer (&parts[part], reel_tensor_unref);
  return read;
}

/* Works point to the numbers of statistics that there are already. */
static void
replace_stats (ReelRunningNorm *self, ReelRunningStats *read)
{
  ReelRunningStats *old = find_stats (self, read->key);

  if (!old)
    {
      g_ptr_array_add (reel_running_norm_get (self)->stats, read);
      return;
    }
  memcpy (old->numbers, read->numbers, count_numbers (old) * sizeof (double));
  free_stats (read);
}

static gboolean
load_stats (ReelRunningNorm *self, const ReelTensordict *td, GError **error)
{
  const char *const *keys = reel_transform_get_in_keys (REEL_TRANSFORM (self));
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (free_stats);

  for (; *keys; keys++)
    {
      const ReelRunningStats *old = find_stats (self, *keys);
      ReelRunningStats *stats = NULL;

      if (!read_stats (self, td, *keys, &stats, error))
        return FALSE;
      if (!stats)
        continue;
      g_ptr_array_add (all, stats);
      if (old && !check_shape (stats, old->ndim, old->shape, old->n_groups, error))
        return FALSE;
    }
  while (all->len > 0)
    replace_stats (self, g_ptr_array_steal_index (all, 0));
  return TRUE;
}

/* ---- what callers see ---- */

static gboolean
check_class (ReelTransform *self, GError **error)
{
  if (REEL_IS_RUNNING_NORM (self))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "%s has no running statistics, as vec-norm and vec-norm-v2 have",
               reel_object_get_id (REEL_OBJECT (self)));
  return FALSE;
}

ReelTensordict *
reel_vec_norm_dup_stats (ReelTransform *self, GError **error)
{
  g_autoptr (ReelTensordict) td = NULL;

  g_return_val_if_fail (REEL_IS_TRANSFORM (self), NULL);

  if (!check_class (self, error))
    return NULL;
  td = reel_tensordict_new (0, NULL);
  return store_stats (REEL_RUNNING_NORM (self), td, error) ? g_steal_pointer (&td) : NULL;
}

gboolean
reel_vec_norm_set_stats (ReelTransform *self, const ReelTensordict *stats, GError **error)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self) && stats, FALSE);

  return check_class (self, error) && load_stats (REEL_RUNNING_NORM (self), stats, error);
}

static gboolean
has_counts (const ReelRunningStats *stats)
{
  for (gint64 group = 0; stats && group < stats->n_groups; group++)
    if (stats->numbers[(gsize) group * group_length (stats)] == 0)
      return FALSE;
  return stats != NULL;
}

gboolean
reel_vec_norm_freeze (ReelTransform *self, gboolean frozen, GError **error)
{
  const char *const *keys;

  g_return_val_if_fail (REEL_IS_TRANSFORM (self), FALSE);

  if (!check_class (self, error))
    return FALSE;
  for (keys = reel_transform_get_in_keys (self); frozen && *keys; keys++)
    if (!has_counts (find_stats (REEL_RUNNING_NORM (self), *keys)))
      {
        g_set_error (
            error, REEL_ERROR, REEL_ERROR_RUNTIME,
            "%s cannot be frozen: \"%s\" has no statistics yet; step the env first, or set "
            "them",
            reel_object_get_id (REEL_OBJECT (self)), *keys);
        return FALSE;
      }
  reel_running_norm_get (REEL_RUNNING_NORM (self))->frozen = frozen;
  return TRUE;
}

gboolean
reel_vec_norm_is_frozen (ReelTransform *self)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), FALSE);

  return REEL_IS_RUNNING_NORM (self) && reel_running_norm_get (REEL_RUNNING_NORM (self))->frozen;
}

/* ---- the class ---- */

/* Normalised values have no bounds. */
static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  return reel_unbounded_spec_new (reel_spec_get_dtype (spec), ndim, shape, error);
}

static gboolean
dup_state (ReelTransform *self, ReelTensordict *state, GError **error)
{
  g_autoptr (ReelTensordict) stats = reel_vec_norm_dup_stats (self, error);
  g_autoptr (ReelTensor) frozen = stats ? reel_tensor_new (REEL_DTYPE_BOOL, 0, NULL, error) : NULL;

  if (!frozen)
    return FALSE;
  frozen->data[0] = reel_vec_norm_is_frozen (self) ? 1 : 0;
  return reel_tensordict_set_tensor (state, "frozen", frozen, error)
         && reel_tensordict_set_tensordict (state, "stats", stats, error);
}

static gboolean
set_state (ReelTransform *self, const ReelTensordict *state, GError **error)
{
  const ReelTensor *frozen = reel_tensordict_get_tensor (state, "frozen", error);
  ReelTensordict *stats = frozen ? reel_tensordict_get_tensordict (state, "stats", error) : NULL;

  if (!stats)
    return FALSE;
  if (frozen->dtype != REEL_DTYPE_BOOL || reel_tensor_numel (frozen) != 1)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                           "\"frozen\" of a state of running statistics is one bool");
      return FALSE;
    }
  return reel_vec_norm_set_stats (self, stats, error)
         && reel_vec_norm_freeze (self, frozen->data[0] != 0, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  return reel_isa_choose (&reel_running_norm_get (REEL_RUNNING_NORM (object))->isa, error)
         && REEL_OBJECT_CLASS (reel_running_norm_parent_class)->build (object, error);
}

static void
finalize (GObject *object)
{
  g_ptr_array_unref (reel_running_norm_get (REEL_RUNNING_NORM (object))->stats);
  G_OBJECT_CLASS (reel_running_norm_parent_class)->finalize (object);
}

static void
reel_running_norm_class_init (ReelRunningNormClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_double (
      object_class, "decay", G_PRIVATE_OFFSET (ReelRunningNorm, running.decay), G_MINDOUBLE, 1,
      0.9999, NULL, "factor of earlier values at each update", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_double (
      object_class, "eps", G_PRIVATE_OFFSET (ReelRunningNorm, running.eps), G_MINDOUBLE, G_MAXFLOAT,
      1e-4, NULL, "the least width that values are divided by", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->apply_spec = apply_spec;
  transform_class->dup_state = dup_state;
  transform_class->set_state = set_state;
}

static void
reel_running_norm_init (ReelRunningNorm *self)
{
  reel_running_norm_get (self)->stats = g_ptr_array_new_with_free_func (free_stats);
}
