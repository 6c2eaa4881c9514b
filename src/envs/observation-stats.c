#include "observation-stats.h"

#include <math.h>
#include <string.h>

#include "../core/tensor/tensor-private.h"
#include "../core/tensordict/shape.h"
#include "../specs/spec-keys.h"
#include "../transforms/observation-norm.h"
#include "env-private.h"
#include "env-rollout.h"

/* ---- what is asked for ---- */

typedef struct
{
  const ReelStatsOptions *options;
  const char *key;
  gint ndim;                       /* of the rollouts' values */
  gint n_batch;                    /* of a step: 1 for several lanes, else 0 */
  gint n_leaf;                     /* of a value of one lane */
  gint64 leaf[REEL_MAX_NDIM];      /* its extents */
  gint64 n_lanes;                  /* of the env */
  gboolean reduced[REEL_MAX_NDIM]; /* by dimension */
  gboolean kept[REEL_MAX_NDIM];
  gint cat_dim;
} Plan;

static gboolean
choose_key (Plan *self, ReelTransform *norm, GError **error)
{
  const char *const *keys = reel_transform_get_in_keys (norm);

  self->key = self->options->key ? self->options->key : keys[0];
  if (self->key && (self->options->key || !keys[1]))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "cannot choose the key: observation-norm has %u in-keys; name one",
               g_strv_length ((char **) keys));
  return FALSE;
}

/* find_leaf: the form of an observation. */
static gboolean
find_leaf (Plan *self, ReelEnv *env, GError **error)
{
  const ReelSpec *leaf = reel_spec_get (reel_env_get_observation_spec (env), self->key, error);
  const gint64 *shape;

  if (!leaf)
    return FALSE;
  if (reel_spec_is_composite (leaf) || reel_dtype_is_complex (reel_spec_get_dtype (leaf)))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is not an observation of reals",
                   self->key);
      return FALSE;
    }
  shape = reel_spec_get_shape (leaf, &self->n_leaf);
  memcpy (self->leaf, shape, (gsize) self->n_leaf * sizeof *shape);
  self->n_lanes = reel_env_get_num_envs (env);
  self->n_batch = self->n_lanes > 1 ? 1 : 0;
  self->ndim = self->n_batch + 1 + self->n_leaf;
  return TRUE;
}

/* resolve: the dimension that @dim means, −1 with an error where there is none. */
static gint
resolve (const Plan *self, const char *name, gint dim, GError **error)
{
  gint found = dim < 0 ? dim + self->ndim : dim;

  if (found >= 0 && found < self->ndim)
    return found;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s %d is not one of the %d dimensions of \"%s\" in a rollout", name, dim,
               self->ndim, self->key);
  return -1;
}

/* mark: sets each of @dims, which must be among @within. */
static gboolean
mark (const Plan *self, const char *name, const gint *dims, gsize n, const gboolean *within,
      gboolean *marks, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      gint dim = resolve (self, name, dims[i], error);

      if (dim < 0)
        return FALSE;
      if (within && !within[dim])
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s %d is not one of the reduce dims",
                       name, dims[i]);
          return FALSE;
        }
      marks[dim] = TRUE;
    }
  return TRUE;
}

static gboolean
choose_dims (Plan *self, GError **error)
{
  static const gint first[] = { 0 };
  const ReelStatsOptions *options = self->options;
  const gint *dims = options->reduce_dims ? options->reduce_dims : first;
  gsize n = options->reduce_dims ? options->n_reduce_dims : 1;
  gboolean cat[REEL_MAX_NDIM] = { FALSE };

  if (!options->cat_dim && n != 1)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "the cat dim must be given where there is not one reduce dim alone");
      return FALSE;
    }
  if (!mark (self, "reduce dim", dims, n, NULL, self->reduced, error)
      || !mark (self, "cat dim", options->cat_dim ? options->cat_dim : dims, 1, self->reduced, cat,
                error)
      || !mark (self, "keep dim", options->keep_dims, options->n_keep_dims, self->reduced,
                self->kept, error))
    return FALSE;
  for (gint i = 0; i < self->ndim; i++)
    self->cat_dim = cat[i] ? i : self->cat_dim;
  return TRUE;
}

/* ---- rollouts ---- */

/* play: the observations of the rollouts, one behind the other. */
static ReelTensor *
play (const Plan *self, ReelEnv *env, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  for (gint64 frames = 0; frames < self->options->num_iter;)
    {
      g_autoptr (ReelTensordict) rollout =
          reel_env_rollout (env, self->options->num_iter, NULL, error);
      ReelTensor *part = rollout ? reel_tensordict_ref_tensor (rollout, self->key, error) : NULL;

      if (!part)
        return NULL;
      frames += reel_tensordict_numel (rollout);
      g_ptr_array_add (parts, part);
    }
  return reel_tensor_cat ((ReelTensor *const *) parts->pdata, parts->len, self->cat_dim, error);
}

/* ---- means and deviations ---- */

/* Numbers over the dimensions that are left. */
typedef struct
{
  gint64 n;                    /* how many */
  gint64 n_each;               /* values that each is of */
  gint64 steps[REEL_MAX_NDIM]; /* from a number to the next one along a dimension; 0 if reduced */
  double *means;
  double *deviations;
} Stats;

static void
stats_clear (Stats *self)
{
  g_free (self->means);
  g_free (self->deviations);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Stats, stats_clear)

/* advance: the place of the next element, and the number that it belongs to. */
static gint64
advance (const Stats *self, const ReelTensor *values, gint64 *place, gint64 number)
{
  for (gint i = values->ndim - 1; i >= 0; i--)
    {
      number += self->steps[i];
      if (++place[i] < values->shape[i])
        return number;
      number -= self->steps[i] * place[i];
      place[i] = 0;
    }
  return number;
}

/* add_up: adds the values, or the squares of their distances from the means, to each number. */
static void
add_up (const Stats *self, const ReelTensor *values, const double *means, double *sums)
{
  const double *value = (const double *) (gconstpointer) values->data;
  gint64 place[REEL_MAX_NDIM] = { 0 }, number = 0;

  for (gint64 i = 0; i < reel_tensor_numel (values); i++)
    {
      double distance = means ? value[i] - means[number] : value[i];

      sums[number] += means ? distance * distance : distance;
      number = advance (self, values, place, number);
    }
}

/* measure: @values are of float64, in order. */
static void
measure (const Plan *plan, const ReelTensor *values, Stats *self)
{
  self->n = self->n_each = 1;
  for (gint i = values->ndim - 1; i >= 0; i--)
    {
      self->steps[i] = plan->reduced[i] ? 0 : self->n;
      self->n *= plan->reduced[i] ? 1 : values->shape[i];
      self->n_each *= plan->reduced[i] ? values->shape[i] : 1;
    }
  self->means = g_new0 (double, self->n);
  self->deviations = g_new0 (double, self->n);
  add_up (self, values, NULL, self->means);
  for (gint64 i = 0; i < self->n; i++)
    self->means[i] /= (double) self->n_each;
  add_up (self, values, self->means, self->deviations);
  for (gint64 i = 0; i < self->n; i++)
    self->deviations[i] = sqrt (self->deviations[i] / (double) (self->n_each - 1));
}

static gboolean
check_stats (const Plan *plan, const Stats *self, GError **error)
{
  for (gint64 i = 0; i < self->n; i++)
    if (!isfinite (self->means[i]) || !(self->deviations[i] > 0) || !isfinite (self->deviations[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                     "cannot normalise \"%s\": element %" G_GINT64_FORMAT
                     " has the mean %g and the deviation %g over %" G_GINT64_FORMAT " values",
                     plan->key, i, self->means[i], self->deviations[i], self->n_each);
        return FALSE;
      }
  return TRUE;
}

/* ---- the numbers of the transform ---- */

/* The shape of the numbers: dimensions that were not reduced, and those that are kept. */
static gint
list_extents (const Plan *plan, const ReelTensor *values, gint64 *shape)
{
  gint n = 0;

  for (gint i = 0; i < values->ndim; i++)
    if (!plan->reduced[i] || plan->kept[i])
      shape[n++] = plan->reduced[i] ? 1 : values->shape[i];
  return n;
}

static gboolean
refuse_shape (const Plan *plan, gint ndim, const gint64 *shape, GError **error)
{
  g_autofree char *given = reel_shape_to_string (ndim, shape);
  g_autofree char *leaf = reel_shape_to_string (plan->n_leaf, plan->leaf);

  g_set_error (
      error, REEL_ERROR, REEL_ERROR_RUNTIME,
      "numbers of shape %s would change the shape of \"%s\", %s of each of %" G_GINT64_FORMAT
      " lanes: reduce other dims, or keep fewer",
      given, plan->key, leaf, plan->n_lanes);
  return FALSE;
}

/* align: the last dimensions of a step's values that the numbers are of, where they broadcast to
 * these without changing their shape. */
static gboolean
align (const Plan *plan, gint ndim, const gint64 *shape, gint *n_wide, gint64 *wide, GError **error)
{
  gint n_value = plan->n_batch + plan->n_leaf;
  gboolean by_lane = FALSE;

  if (ndim > n_value)
    return refuse_shape (plan, ndim, shape, error);
  for (gint i = 0; i < ndim; i++)
    {
      gint at = n_value - ndim + i; /* in a step's value */
      gboolean is_lane = at < plan->n_batch;

      wide[i] = is_lane ? plan->n_lanes : plan->leaf[at - plan->n_batch];
      if (shape[i] != 1 && shape[i] != wide[i])
        return refuse_shape (plan, ndim, shape, error);
      by_lane = by_lane || (is_lane && shape[i] > 1);
    }
  *n_wide = by_lane || ndim <= plan->n_leaf ? ndim : plan->n_leaf;
  memmove (wide, wide + ndim - *n_wide, (gsize) *n_wide * sizeof *wide);
  return TRUE;
}

/* widen: @numbers of @shape, one for each element of @wide. */
static GArray *
widen (gint ndim, const gint64 *shape, gint n_wide, const gint64 *wide, const double *numbers)
{
  GArray *result = g_array_new (FALSE, FALSE, sizeof (double));
  gint64 n = 1;

  for (gint i = 0; i < n_wide; i++)
    n *= wide[i];
  for (gint64 at = 0; at < n; at++)
    {
      gint64 rest = at, from = 0, step = 1;

      for (gint i = n_wide - 1; i >= 0; rest /= wide[i--])
        {
          gint64 extent = shape[ndim - n_wide + i];

          from += extent > 1 ? rest % wide[i] * step : 0;
          step *= extent;
        }
      g_array_append_val (result, numbers[from]);
    }
  return result;
}

static GArray *
list_shape (gint ndim, const gint64 *shape)
{
  GArray *list = ndim > 1 ? g_array_new (FALSE, FALSE, sizeof (double)) : NULL;

  for (gint i = 0; list && i < ndim; i++)
    g_array_append_vals (list, &(double){ (double) shape[i] }, 1);
  return list;
}

/* turn: means and deviations become what the transform adds and multiplies with. */
static void
turn (Stats *self, gboolean standard_normal, gboolean narrow)
{
  for (gint64 i = 0; i < self->n; i++)
    {
      double mean = self->means[i], deviation = self->deviations[i];

      self->means[i] = standard_normal ? mean : -mean / deviation;
      self->deviations[i] = standard_normal ? deviation : 1 / deviation;
      if (!narrow)
        continue;
      self->means[i] = (double) (float) self->means[i];
      self->deviations[i] = (double) (float) self->deviations[i];
    }
}

/* finish: gives the numbers of @values to @norm. */
static gboolean
finish (const Plan *plan, ReelTransform *norm, ReelTensor *values, GError **error)
{
  g_autoptr (ReelTensor) plain = reel_tensor_in_order (values, error);
  g_autoptr (ReelTensor) wide_values =
      plain ? reel_tensor_convert (plain, REEL_DTYPE_FLOAT64, error) : NULL;
  gint64 shape[REEL_MAX_NDIM], wide[REEL_MAX_NDIM];
  gint ndim, n_wide = 0;
  g_auto (Stats) stats = { 0 };

  if (!wide_values)
    return FALSE;
  ndim = list_extents (plan, values, shape);
  if (!align (plan, ndim, shape, &n_wide, wide, error))
    return FALSE;
  measure (plan, wide_values, &stats);
  if (!check_stats (plan, &stats, error))
    return FALSE;
  turn (&stats, reel_observation_norm_is_standard_normal (norm),
        values->dtype != REEL_DTYPE_FLOAT64);
  return reel_observation_norm_take (norm, widen (ndim, shape, n_wide, wide, stats.means),
                                     widen (ndim, shape, n_wide, wide, stats.deviations),
                                     list_shape (n_wide, wide), error);
}

gboolean
reel_observation_norm_init_stats (ReelTransform *norm, ReelEnv *env,
                                  const ReelStatsOptions *options, GError **error)
{
  Plan plan = { .options = options };
  g_autoptr (ReelTensor) values = NULL;

  g_return_val_if_fail (REEL_IS_TRANSFORM (norm), FALSE);
  g_return_val_if_fail (REEL_IS_ENV (env), FALSE);
  g_return_val_if_fail (options != NULL, FALSE);

  if (!reel_env_check_alike (env, error) || !reel_observation_norm_check (norm, error)
      || !choose_key (&plan, norm, error) || !find_leaf (&plan, env, error)
      || !choose_dims (&plan, error))
    return FALSE;
  if (options->num_iter < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot learn from %" G_GINT64_FORMAT " frames: at least 1", options->num_iter);
      return FALSE;
    }
  values = play (&plan, env, error);
  return values && finish (&plan, norm, values, error);
}
