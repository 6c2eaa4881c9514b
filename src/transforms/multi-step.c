#include "multi-step.h"

#include "multi-step-kernel.h"

#include "../core/lazy-stack.h"
#include "../core/shape.h"
#include "../core/tensor-private.h"
#include "../core/tensordict-keys.h"
#include "../core/tensordict-update.h"

#include <math.h>
#include <string.h>

/* Elements whose counts are spread over features at a time. */
#define CHUNK 1024

static const char *const default_reward_keys[] = { "reward", NULL };
static const char *const default_done_keys[] = { "done", "terminated", "truncated", NULL };

/* Data and the order in which they lie: time where it is, or first where that is how memory goes.
 */
typedef struct
{
  const ReelMultiStepKernels *kernels;
  ReelMultiStep how;
  gint ndim;                   /* dimensions of the flag */
  gint order[REEL_MAX_NDIM];   /* which of the data's dimensions each is */
  gint place[REEL_MAX_NDIM];   /* where each of the data's dimensions is */
  gint64 shape[REEL_MAX_NDIM]; /* in that order */
  ReelLookAhead where;
  gint64 n;                /* elements of the flag */
  ReelTensor *counts;      /* contiguous int64 */
  ReelTensor *ahead;       /* flat int64: what each looks at */
  ReelTensor *gamma;       /* float32 */
  ReelTensor *nonterminal; /* bool */
} Plan;

static void
plan_clear (Plan *plan)
{
  g_clear_pointer (&plan->counts, reel_tensor_unref);
  g_clear_pointer (&plan->ahead, reel_tensor_unref);
  g_clear_pointer (&plan->gamma, reel_tensor_unref);
  g_clear_pointer (&plan->nonterminal, reel_tensor_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

/* ---- what is asked for ---- */

static gboolean
take_arguments (Plan *plan, const ReelMultiStep *how, GError **error)
{
  ReelIsa isa;

  if (how->n_steps < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "The value of n_steps must be a strictly positive integer, not "
                   "%" G_GINT64_FORMAT ".",
                   how->n_steps);
      return FALSE;
    }
  if (!(how->gamma > 0 && how->gamma <= 1))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "got out-of-bounds gamma decay: gamma=%g, which must be above 0 and at most 1",
                   how->gamma);
      return FALSE;
    }
  if (!reel_isa_choose (&isa, error))
    return FALSE;
  plan->kernels = REEL_KERNEL_PICK (reel_multi_step_kernels, isa);
  plan->how = *how;
  plan->how.reward_keys = how->reward_keys ? how->reward_keys : default_reward_keys;
  plan->how.done_key = how->done_key ? how->done_key : "done";
  plan->how.done_keys = how->done_keys ? how->done_keys : default_done_keys;
  return TRUE;
}

static gboolean
begins_with (const ReelTensor *tensor, gint ndim, const gint64 *shape)
{
  gboolean same = tensor->ndim >= ndim;

  for (gint i = 0; same && i < ndim; i++)
    same = tensor->shape[i] == shape[i];
  return same;
}

/* The flag of each step. Where it has more dimensions than the batch, the batch gets them. */
static ReelTensor *
get_done (const Plan *plan, ReelTensordict *td, GError **error)
{
  g_autofree char *path = g_strconcat ("next/", plan->how.done_key, NULL);
  g_autoptr (ReelTensor) done = reel_tensordict_ref_tensor (td, path, error);
  g_autoptr (GError) reason = NULL;
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  if (!done)
    return NULL;
  if (done->dtype != REEL_DTYPE_BOOL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is a flag of dtype bool, not %s",
                   path, reel_dtype_name (done->dtype));
      return NULL;
    }
  if (begins_with (done, ndim, size) && done->ndim == ndim)
    return g_steal_pointer (&done);
  if (begins_with (done, ndim, size) && done->ndim == ndim + 1 && done->shape[ndim] == 1)
    return reel_tensor_squeeze (done, ndim, error);
  if (reel_tensordict_set_batch_size (td, done->ndim, done->shape, &reason))
    return g_steal_pointer (&done);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "tensordict shape must be compatible with the done's shape (trailing singleton "
               "dimension excluded): %s",
               reason->message);
  return NULL;
}

/* ---- the order of memory ---- */

/* Time, dimension @time_dim, stays, or comes first. */
static void
set_order (Plan *plan, const ReelTensor *done, gint time_dim, gboolean first)
{
  plan->ndim = done->ndim;
  for (gint i = 0; i < done->ndim; i++)
    plan->order[i] = !first || i > time_dim ? i : i == 0 ? time_dim : i - 1;
  for (gint i = 0; i < done->ndim; i++)
    {
      plan->place[plan->order[i]] = i;
      plan->shape[i] = done->shape[plan->order[i]];
    }
  plan->n = reel_tensor_numel (done);
  plan->where = (ReelLookAhead){ .outer = 1,
                                 .steps = done->shape[time_dim],
                                 .inner = 1,
                                 .n_steps = MIN (plan->how.n_steps, done->shape[time_dim]) };
  for (gint i = 0; i < plan->ndim; i++)
    if (i < plan->place[time_dim])
      plan->where.outer *= plan->shape[i];
    else if (i > plan->place[time_dim])
      plan->where.inner *= plan->shape[i];
}

/* @tensor, whose dimensions begin with the data's, turned into the order of memory. */
static ReelTensor *
turn (const Plan *plan, ReelTensor *tensor, GError **error)
{
  gint dims[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) turned = NULL;

  for (gint i = 0; i < tensor->ndim; i++)
    dims[i] = i < plan->ndim ? plan->order[i] : i;
  turned = reel_tensor_permute (tensor, dims, error);
  return turned ? reel_tensor_in_order (turned, error) : NULL;
}

static ReelTensor *
turn_back (const Plan *plan, ReelTensor *tensor, GError **error)
{
  gint dims[REEL_MAX_NDIM];

  for (gint i = 0; i < tensor->ndim; i++)
    dims[i] = i < plan->ndim ? plan->place[i] : i;
  return reel_tensor_permute (tensor, dims, error);
}

static ReelTensor *
turn_done (Plan *plan, ReelTensor *done, gint time_dim, GError **error)
{
  set_order (plan, done, time_dim, FALSE);
  if (reel_tensor_is_contiguous (done))
    return turn (plan, done, error);

  set_order (plan, done, time_dim, TRUE);
  g_autoptr (ReelTensor) turned = reel_tensor_permute (done, plan->order, error);
  if (!turned || reel_tensor_is_contiguous (turned))
    return g_steal_pointer (&turned);
  set_order (plan, done, time_dim, FALSE);
  return turn (plan, done, error);
}

/* ---- how far ahead ---- */

/* A mark a step: of the shape of the flag, or of its first dimensions. */
static ReelTensor *
get_marks (const Plan *plan, const ReelTensordict *td, const char *path, ReelDtype dtype,
           const ReelTensor *done, GError **error)
{
  g_autoptr (ReelTensor) given = reel_tensordict_ref_tensor (td, path, error);
  g_autoptr (ReelTensor) marks = NULL;

  if (!given)
    return NULL;
  if (given->dtype != dtype)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" must be of dtype %s, not %s", path,
                   reel_dtype_name (dtype), reel_dtype_name (given->dtype));
      return NULL;
    }
  while (given->ndim > done->ndim && given->shape[given->ndim - 1] == 1)
    {
      g_autoptr (ReelTensor) wider = g_steal_pointer (&given);
      given = reel_tensor_squeeze (wider, -1, error);
    }
  if (given->ndim > done->ndim || !begins_with (done, given->ndim, given->shape))
    {
      g_autofree char *found = reel_shape_to_string (given->ndim, given->shape);
      g_autofree char *expected = reel_shape_to_string (done->ndim, done->shape);

      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "\"%s\" is %s, but one a step %s is needed",
                   path, found, expected);
      return NULL;
    }
  marks = reel_tensor_expand_as_right (given, done->ndim, done->shape, error);
  return marks ? turn (plan, marks, error) : NULL;
}

static gboolean
count_steps (Plan *plan, const ReelTensordict *td, ReelTensor *done, gint time_dim, GError **error)
{
  const char *key = plan->how.trajectory_key;
  g_autoptr (ReelTensor) flags = turn_done (plan, done, time_dim, error);
  g_autoptr (ReelTensor) ids = NULL;

  if (!flags)
    return FALSE;
  if (key && reel_tensordict_contains (td, key))
    {
      ids = get_marks (plan, td, key, REEL_DTYPE_INT64, done, error);
      if (!ids)
        return FALSE;
    }
  plan->counts = reel_tensor_new_unfilled (REEL_DTYPE_INT64, plan->ndim, plan->shape, error);
  if (!plan->counts)
    return FALSE;
  plan->where.done = flags->data;
  plan->where.ids = ids ? (const gint64 *) ids->data : NULL;
  if (plan->n > 0)
    plan->kernels->count (&plan->where, (gint64 *) plan->counts->data);
  return TRUE;
}

/* ---- rewards ---- */

/* One dtype that the kernels know, a feature at a time or all of one. */
static void
sum_elements (const Plan *plan, const ReelTensor *reward, gint64 features, const double *powers,
              ReelTensor *sums)
{
  const gint64 *counts = (const gint64 *) plan->counts->data;
  gint64 n = plan->n * features, stride = plan->where.inner * features, size;
  gint64 spread[CHUNK];

  for (gint64 i = 0; i < n; i += size)
    {
      const gint64 *of = counts + i;

      size = features > 1 ? MIN (CHUNK, n - i) : n;
      if (features > 1)
        {
          of = spread;
          for (gint64 k = 0; k < size; k++)
            spread[k] = counts[(i + k) / features];
        }
      if (reward->dtype == REEL_DTYPE_FLOAT32)
        plan->kernels->sum_f32 ((const float *) reward->data + i, of, size, n - i, stride, powers,
                                plan->where.n_steps, (float *) sums->data + i);
      else
        plan->kernels->sum_f64 ((const double *) reward->data + i, of, size, n - i, stride, powers,
                                plan->where.n_steps, (double *) sums->data + i);
    }
}

static ReelTensor *
sum_rewards (const Plan *plan, ReelTensor *reward, const double *powers, GError **error)
{
  gboolean known = reward->dtype == REEL_DTYPE_FLOAT32 || reward->dtype == REEL_DTYPE_FLOAT64;
  g_autoptr (ReelTensor) turned = turn (plan, reward, error);
  g_autoptr (ReelTensor) from = NULL, sums = NULL, narrow = NULL;

  if (!turned)
    return NULL;
  from = known ? reel_tensor_ref (turned) : reel_tensor_convert (turned, REEL_DTYPE_FLOAT64, error);
  sums = from ? reel_tensor_new_unfilled (from->dtype, from->ndim, from->shape, error) : NULL;
  if (!sums)
    return NULL;
  if (reel_tensor_numel (from) > 0)
    sum_elements (plan, from, reel_tensor_numel (from) / plan->n, powers, sums);
  narrow = known ? reel_tensor_ref (sums) : reel_tensor_convert (sums, reward->dtype, error);
  return narrow ? turn_back (plan, narrow, error) : NULL;
}

/* TorchRL's name for the one reward; of several each has its own. */
static char *
original_path (const Plan *plan, const char *key)
{
  const char *last = strrchr (key, '/');

  if (!plan->how.reward_keys[1])
    return g_strdup ("next/original_reward");
  return g_strdup_printf ("next/%.*soriginal_%s", last ? (int) (last + 1 - key) : 0, key,
                          last ? last + 1 : key);
}

static gboolean
set_rewards (const Plan *plan, ReelTensordict *td, const double *powers, GError **error)
{
  for (const char *const *key = plan->how.reward_keys; *key; key++)
    {
      g_autofree char *path = g_strconcat ("next/", *key, NULL);
      g_autofree char *original = original_path (plan, *key);
      g_autoptr (ReelTensor) reward = reel_tensordict_ref_tensor (td, path, error);
      g_autoptr (ReelTensor) sums = NULL;

      if (!reward)
        return FALSE;
      if (!reel_dtype_is_float (reward->dtype))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" must be of a real dtype, not %s",
                       path, reel_dtype_name (reward->dtype));
          return FALSE;
        }
      sums = sum_rewards (plan, reward, powers, error);
      if (!sums || !reel_tensordict_set_tensor (td, original, reward, error)
          || !reel_tensordict_set_tensor (td, path, sums, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- what came after ---- */

static gboolean
move_next (const Plan *plan, ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensordict) next = reel_tensordict_ref_tensordict (td, "next", error);
  g_autoptr (ReelTensordict) others = NULL, moving = NULL, turned = NULL, flat = NULL, taken = NULL,
                             shaped = NULL, back = NULL;

  if (!next)
    return FALSE;
  others = reel_tensordict_exclude_keys (next, plan->how.reward_keys);
  moving = reel_tensordict_exclude_keys (others, plan->how.done_keys);
  turned = reel_tensordict_permute (moving, plan->order, error);
  flat = turned ? reel_tensordict_flatten (turned, 0, plan->ndim - 1, error) : NULL;
  taken = flat ? reel_tensordict_gather_rows (flat, (const gint64 *) plan->ahead->data,
                                              (gsize) plan->n, error)
               : NULL;
  shaped = taken ? reel_tensordict_view (taken, plan->ndim, plan->shape, error) : NULL;
  back = shaped ? reel_tensordict_permute (shaped, plan->place, error) : NULL;
  return back && reel_tensordict_update (next, back, NULL, FALSE, error);
}

/* ---- the new keys ---- */

static gboolean
set_turned (const Plan *plan, ReelTensordict *td, const char *key, ReelTensor *tensor,
            GError **error)
{
  g_autoptr (ReelTensor) back = turn_back (plan, tensor, error);

  return back && reel_tensordict_set_tensor (td, key, back, error);
}

static gboolean
apply_mask (const Plan *plan, const ReelTensordict *td, const ReelTensor *done, GError **error)
{
  const char *key = plan->how.mask_key;
  g_autoptr (ReelTensor) mask = NULL;

  if (!key || !reel_tensordict_contains (td, key))
    return TRUE;
  mask = get_marks (plan, td, key, REEL_DTYPE_BOOL, done, error);
  for (gint64 i = 0; mask && i < plan->n; i++)
    plan->nonterminal->data[i] &= mask->data[i];
  return mask != NULL;
}

static gboolean
spread_counts (Plan *plan, const double *powers, GError **error)
{
  g_autofree float *narrow = g_new (float, plan->where.n_steps + 1);

  for (gint64 i = 0; i <= plan->where.n_steps; i++)
    narrow[i] = (float) powers[i];
  plan->ahead = reel_tensor_new_unfilled (REEL_DTYPE_INT64, 1, &plan->n, error);
  plan->gamma = plan->ahead
                    ? reel_tensor_new_unfilled (REEL_DTYPE_FLOAT32, plan->ndim, plan->shape, error)
                    : NULL;
  plan->nonterminal =
      plan->gamma ? reel_tensor_new_unfilled (REEL_DTYPE_BOOL, plan->ndim, plan->shape, error)
                  : NULL;
  if (!plan->nonterminal)
    return FALSE;
  plan->kernels->spread ((const gint64 *) plan->counts->data, plan->n, plan->where.inner, narrow,
                         (gint64 *) plan->ahead->data, (float *) plan->gamma->data,
                         plan->nonterminal->data);
  return TRUE;
}

static gboolean
change (Plan *plan, ReelTensordict *td, ReelTensor *done, gint time_dim, GError **error)
{
  g_autofree double *powers = NULL;

  if (!count_steps (plan, td, done, time_dim, error))
    return FALSE;
  powers = g_new (double, plan->where.n_steps + 1);
  for (gint64 i = 0; i <= plan->where.n_steps; i++)
    powers[i] = pow (plan->how.gamma, (double) i);
  return spread_counts (plan, powers, error) && apply_mask (plan, td, done, error)
         && move_next (plan, td, error) && set_rewards (plan, td, powers, error)
         && set_turned (plan, td, "steps_to_next_obs", plan->counts, error)
         && set_turned (plan, td, "gamma", plan->gamma, error)
         && set_turned (plan, td, "nonterminal", plan->nonterminal, error);
}

ReelTensordict *
reel_multi_step (ReelTensordict *td, const ReelMultiStep *how, GError **error)
{
  g_auto (Plan) plan = { NULL };
  g_autoptr (ReelTensordict) dense = NULL, result = NULL;
  g_autoptr (ReelTensor) done = NULL;
  gint64 size[REEL_MAX_NDIM];
  gint ndim;

  g_return_val_if_fail (td && how, NULL);

  memcpy (size, reel_tensordict_get_batch_size (td, &ndim), sizeof size);
  if (!take_arguments (&plan, how, error))
    return NULL;
  if (ndim == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "a tensordict without batch dimensions has no time to look ahead in");
      return NULL;
    }
  dense = reel_tensordict_get_kind (td) == REEL_TENSORDICT_LAZY_STACK
              ? reel_tensordict_contiguous (td, error)
              : reel_tensordict_ref (td);
  result = dense ? reel_tensordict_clone (dense, FALSE, error) : NULL;
  done = result ? get_done (&plan, result, error) : NULL;
  if (!done || !change (&plan, result, done, ndim - 1, error)
      || !reel_tensordict_set_batch_size (result, ndim, size, error))
    return NULL;
  return g_steal_pointer (&result);
}
