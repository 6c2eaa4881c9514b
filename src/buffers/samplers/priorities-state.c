/* Priorities as a state: TorchRL's leaves of both trees, and what its sampler_metadata.json says.
 */
#include "priorities.h"

#include "../../core/object/error.h"
#include "../../core/tensordict/state-values.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- out ---- */

/* In TorchRL's tree of minima, slots that hold no row have the greatest number of the tree's dtype,
 * of float64 trees rounded up. */
static double
no_minimum (const ReelPriorities *self)
{
  return self->dtype == REEL_PRIORITY_FLOAT32 ? (double) FLT_MAX : INFINITY;
}

static gboolean
add_leaves (const ReelPriorities *self, ReelTensordict *state, GError **error)
{
  gint64 n = reel_priority_tree_size (self->tree);
  const double *weights = reel_priority_tree_weights (self->tree);
  g_autoptr (ReelTensor) minima = NULL;

  if (!reel_state_set (state, "sumtree", REEL_DTYPE_FLOAT64, 1, n, weights, error)
      || !reel_state_set (state, "mintree", REEL_DTYPE_FLOAT64, 1, n, weights, error))
    return FALSE;
  minima = reel_tensor_ref (reel_tensordict_get_tensor (state, "mintree", NULL));
  for (gint64 i = 0; i < n; i++)
    if (weights[i] == 0)
      ((double *) minima->data)[i] = no_minimum (self);
  return TRUE;
}

ReelTensordict *
reel_priorities_dup_state (const ReelPriorities *self, GError **error)
{
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);
  const double greatest[2] = { reel_priorities_default (self),
                               self->has_greatest ? (double) self->greatest_slot : 0 };
  const double size = (double) reel_priority_tree_size (self->tree);
  const gint64 version = 1;

  if (add_leaves (self, state, error)
      && reel_state_set (state, "_alpha", REEL_DTYPE_FLOAT64, 0, 1, &self->alpha, error)
      && reel_state_set (state, "_beta", REEL_DTYPE_FLOAT64, 0, 1, &self->beta, error)
      && reel_state_set (state, "_eps", REEL_DTYPE_FLOAT64, 0, 1, &self->eps, error)
      && reel_state_set (state, "_max_priority", REEL_DTYPE_FLOAT64, 1, 2, greatest, error)
      && reel_state_set (state, "_max_capacity", REEL_DTYPE_FLOAT64, 0, 1, &size, error)
      && reel_state_set (state, "_schema_version", REEL_DTYPE_INT64, 0, 1, &version, error))
    return g_steal_pointer (&state);
  return NULL;
}

/* ---- in ---- */

/* The values of a state, checked. */
typedef struct
{
  double alpha, beta, eps;
  double greatest[2];
  gint64 n;
  double weights[];
} State;

static gboolean
read_real (const ReelTensordict *state, const char *key, double *value, GError **error)
{
  const ReelTensor *tensor = reel_state_get (state, key, REEL_DTYPE_FLOAT64, 0, error);

  if (!tensor)
    return FALSE;
  *value = *(const double *) tensor->data;
  if (*value >= 0 && *value <= G_MAXDOUBLE)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" is %g, a finite number of 0 or more expected", key, *value);
  return FALSE;
}

static gboolean
read_greatest (State *to, const ReelTensordict *state, GError **error)
{
  const ReelTensor *tensor = reel_state_get (state, "_max_priority", REEL_DTYPE_FLOAT64, 1, error);

  if (!tensor)
    return FALSE;
  if (reel_tensor_numel (tensor) == 2)
    {
      to->greatest[0] = ((const double *) tensor->data)[0];
      to->greatest[1] = ((const double *) tensor->data)[1];
      if (to->greatest[0] >= 0 && to->greatest[0] <= G_MAXDOUBLE && to->greatest[1] >= 0
          && to->greatest[1] < 0x1p53)
        return TRUE;
    }
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "\"_max_priority\" is not a pair of a finite priority and its row slot");
  return FALSE;
}

/* New rows get the greatest priority: what it weighs must be finite too. */
static gboolean
check_greatest (const State *from, int dtype, GError **error)
{
  double weight = pow (from->greatest[0] + from->eps, from->alpha);

  if (weight <= (dtype == REEL_PRIORITY_FLOAT32 ? (double) FLT_MAX : DBL_MAX))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a \"_max_priority\" of %g with an \"_eps\" of %g to the power of an \"_alpha\" of "
               "%g is too large",
               from->greatest[0], from->eps, from->alpha);
  return FALSE;
}

/* A copy, for files can change. */
static State *
read_weights (const ReelTensordict *state, GError **error)
{
  const ReelTensor *tensor = reel_state_get (state, "sumtree", REEL_DTYPE_FLOAT64, 1, error);
  gsize bytes = tensor ? reel_tensor_nbytes (tensor) : 0;
  g_autofree State *to = tensor ? g_try_malloc (sizeof *to + bytes) : NULL;

  if (!tensor)
    return NULL;
  if (!to)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                   "no memory for %" G_GSIZE_FORMAT " bytes of priorities", bytes);
      return NULL;
    }
  *to = (State){ .n = reel_tensor_numel (tensor) };
  if (bytes > 0)
    memcpy (to->weights, tensor->data, bytes);
  for (gint64 i = 0; i < to->n; i++)
    if (!(to->weights[i] >= 0 && to->weights[i] <= G_MAXDOUBLE))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "\"sumtree\" has %g for row slot %" G_GINT64_FORMAT
                     ", a finite number of 0 or more expected",
                     to->weights[i], i);
        return NULL;
      }
  return g_steal_pointer (&to);
}

/* Values derived from the weights must be there all the same. */
static gboolean
check_rest (const ReelTensordict *state, gint64 n, GError **error)
{
  const ReelTensor *minima = reel_state_get (state, "mintree", REEL_DTYPE_FLOAT64, 1, error);
  double size;

  if (!minima || !read_real (state, "_max_capacity", &size, error)
      || !reel_state_get (state, "_schema_version", REEL_DTYPE_INT64, 0, error))
    return FALSE;
  if (reel_tensor_numel (minima) == n && size == (double) n)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"sumtree\" has %" G_GINT64_FORMAT " leaves, \"mintree\" %" G_GINT64_FORMAT
               ", \"_max_capacity\" is %g: they must be equal",
               n, reel_tensor_numel (minima), size);
  return FALSE;
}

static void
take_weights (ReelPriorities *self, ReelStorage *storage, const State *from)
{
  gint64 size = reel_priority_tree_size (self->tree);
  ReelStorageView view;

  reel_priorities_skip_replaced (self, storage);
  reel_storage_get_view (storage, &view);
  reel_priorities_restore (self, &view, from->weights, MIN (from->n, size));
}

gpointer
reel_priorities_read_state (const ReelPriorities *self, const ReelTensordict *state, GError **error)
{
  g_autofree State *to = read_weights (state, error);

  if (!to || !read_real (state, "_alpha", &to->alpha, error)
      || !read_real (state, "_beta", &to->beta, error)
      || !read_real (state, "_eps", &to->eps, error) || !read_greatest (to, state, error)
      || !check_greatest (to, self->dtype, error) || !check_rest (state, to->n, error))
    return NULL;
  return g_steal_pointer (&to);
}

void
reel_priorities_take_state (ReelPriorities *self, ReelStorage *storage, gconstpointer said)
{
  const State *from = said;

  self->alpha = self->applied_alpha = from->alpha;
  self->beta = from->beta;
  self->eps = from->eps;
  if (self->tree)
    take_weights (self, storage, from);
  self->is_restored = !self->tree;
  self->has_greatest = TRUE;
  self->greatest = from->greatest[0];
  self->greatest_slot = MIN ((gint64) from->greatest[1], reel_storage_get_capacity (storage) - 1);
}
