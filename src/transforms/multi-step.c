/* N-step returns: an order of memory is chosen, jobs are listed, then
 * all leaves are made chunk by chunk. */
#include "multi-step.h"

#include "multi-step-kernel.h"

#include "../core/tensordict/lazy-stack.h"
#include "../core/tensordict/shape.h"
#include "../core/tensor/tensor-private.h"
#include "../core/tensordict/tensordict-apply.h"
#include "../core/tensordict/tensordict-keys.h"
#include "../core/tensordict/tensordict-update.h"

#include <math.h>
#include <string.h>

/* Elements worked on at a time: few enough for their counts to stay in a near cache, and many
 * enough for each leaf to be read and written in long runs, which is what memory is fast at. */
#define CHUNK 16384

/* Rewards whose counts are repeated for each feature at a time. */
#define REPEATED 1024

static const char *const default_reward_keys[] = { "reward", NULL };
static const char *const default_done_keys[] = { "done", "terminated", "truncated", NULL };

/* A leaf that is made of another, both contiguous in the order of memory. */
typedef struct
{
  ReelTensor *from;
  ReelTensor *to;
  gsize n; /* bytes, or elements of a sum, that one flag stands for */
} Job;

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
  ReelTensor *done;        /* what where.done points into */
  ReelTensor *ids;         /* likewise, or %NULL */
  ReelTensor *counts;      /* contiguous int64 */
  ReelTensor *gamma;       /* float32 */
  ReelTensor *nonterminal; /* bool */
  ReelTensor *mask;        /* bool, or %NULL */
  GArray *moves;           /* of Job */
  GArray *sums;            /* of Job, float32 or float64 */
  double *powers;          /* of gamma, up to n_steps */
} Plan;

static void
job_clear (gpointer data)
{
  Job *job = data;

  reel_tensor_unref (job->from);
  reel_tensor_unref (job->to);
}

static void
plan_clear (Plan *plan)
{
  g_clear_pointer (&plan->done, reel_tensor_unref);
  g_clear_pointer (&plan->ids, reel_tensor_unref);
  g_clear_pointer (&plan->counts, reel_tensor_unref);
  g_clear_pointer (&plan->gamma, reel_tensor_unref);
  g_clear_pointer (&plan->nonterminal, reel_tensor_unref);
  g_clear_pointer (&plan->mask, reel_tensor_unref);
  g_clear_pointer (&plan->moves, g_array_unref);
  g_clear_pointer (&plan->sums, g_array_unref);
  g_free (plan->powers);
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
  plan->moves = g_array_new (FALSE, FALSE, sizeof (Job));
  plan->sums = g_array_new (FALSE, FALSE, sizeof (Job));
  g_array_set_clear_func (plan->moves, job_clear);
  g_array_set_clear_func (plan->sums, job_clear);
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
find_ends (Plan *plan, const ReelTensordict *td, ReelTensor *done, gint time_dim, GError **error)
{
  const char *key = plan->how.trajectory_key, *mask = plan->how.mask_key;

  plan->done = turn_done (plan, done, time_dim, error);
  if (!plan->done)
    return FALSE;
  if (key && reel_tensordict_contains (td, key))
    {
      plan->ids = get_marks (plan, td, key, REEL_DTYPE_INT64, done, error);
      if (!plan->ids)
        return FALSE;
    }
  if (mask && reel_tensordict_contains (td, mask))
    {
      plan->mask = get_marks (plan, td, mask, REEL_DTYPE_BOOL, done, error);
      if (!plan->mask)
        return FALSE;
    }
  plan->where.done = plan->done->data;
  plan->where.ids = plan->ids ? (const gint64 *) plan->ids->data : NULL;
  return TRUE;
}

static gboolean
make_marks (Plan *plan, GError **error)
{
  gint64 most = plan->where.n_steps;

  plan->counts = reel_tensor_new_unfilled (REEL_DTYPE_INT64, plan->ndim, plan->shape, error);
  plan->gamma = plan->counts
                    ? reel_tensor_new_unfilled (REEL_DTYPE_FLOAT32, plan->ndim, plan->shape, error)
                    : NULL;
  plan->nonterminal =
      plan->gamma ? reel_tensor_new_unfilled (REEL_DTYPE_BOOL, plan->ndim, plan->shape, error)
                  : NULL;
  if (!plan->nonterminal)
    return FALSE;
  plan->powers = g_new (double, most + 1);
  for (gint64 i = 0; i <= most; i++)
    plan->powers[i] = pow (plan->how.gamma, (double) i);
  return TRUE;
}

/* ---- what is made of what ---- */

/* The leaf that will be made of @tensor, in the dimensions of the data. */
static ReelTensor *
add_job (const Plan *plan, GArray *jobs, ReelTensor *tensor, gsize size, GError **error)
{
  g_autoptr (ReelTensor) from = turn (plan, tensor, error);
  ReelTensor *to =
      from ? reel_tensor_new_unfilled (from->dtype, from->ndim, from->shape, error) : NULL;

  if (!to)
    return NULL;
  for (gint i = plan->ndim; i < from->ndim; i++)
    size *= (gsize) from->shape[i];
  g_array_append_vals (jobs, &(Job){ g_steal_pointer (&from), to, size }, 1);
  return turn_back (plan, to, error);
}

static gboolean
add_move (const char *path, ReelTensor *const *tensors, gsize n, ReelTensor **result,
          gpointer user_data, GError **error)
{
  const Plan *plan = user_data;

  *result = add_job (plan, plan->moves, tensors[0], reel_dtype_size (tensors[0]->dtype), error);
  return *result != NULL;
}

static ReelTensor *
add_sum (const Plan *plan, ReelTensor *reward, GError **error)
{
  g_autoptr (ReelTensor) turned = NULL, wide = NULL;

  if (reward->dtype == REEL_DTYPE_FLOAT32 || reward->dtype == REEL_DTYPE_FLOAT64)
    return add_job (plan, plan->sums, reward, 1, error);
  turned = reel_tensor_in_order (reward, error);
  wide = turned ? reel_tensor_convert (turned, REEL_DTYPE_FLOAT64, error) : NULL;
  return wide ? add_job (plan, plan->sums, wide, 1, error) : NULL;
}

/* ---- rewards ---- */

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

static ReelTensor *
get_reward (const ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (ReelTensor) reward = reel_tensordict_ref_tensor (td, path, error);

  if (!reward || reel_dtype_is_float (reward->dtype))
    return g_steal_pointer (&reward);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" must be of a real dtype, not %s", path,
               reel_dtype_name (reward->dtype));
  return NULL;
}

/* In the place of rewards their sums, which are not there yet. */
static gboolean
add_rewards (const Plan *plan, ReelTensordict *td, GError **error)
{
  for (const char *const *key = plan->how.reward_keys; *key; key++)
    {
      g_autofree char *path = g_strconcat ("next/", *key, NULL);
      g_autofree char *original = original_path (plan, *key);
      g_autoptr (ReelTensor) reward = get_reward (td, path, error);
      g_autoptr (ReelTensor) sums = reward ? add_sum (plan, reward, error) : NULL;

      if (!sums || !reel_tensordict_set_tensor (td, original, reward, error)
          || !reel_tensordict_set_tensor (td, path, sums, error))
        return FALSE;
    }
  return TRUE;
}

/* Sums of rewards of a narrow type, which were made in a wide one. */
static gboolean
narrow_rewards (const Plan *plan, ReelTensordict *td, GError **error)
{
  for (const char *const *key = plan->how.reward_keys; *key; key++)
    {
      g_autofree char *path = g_strconcat ("next/", *key, NULL);
      g_autofree char *original = original_path (plan, *key);
      ReelDtype dtype = reel_tensordict_get_tensor (td, original, NULL)->dtype;
      g_autoptr (ReelTensor) sums = reel_tensordict_ref_tensor (td, path, error);
      g_autoptr (ReelTensor) dense = NULL, narrow = NULL;

      if (sums->dtype == dtype)
        continue;
      dense = reel_tensor_contiguous (sums, error);
      narrow = dense ? reel_tensor_convert (dense, dtype, error) : NULL;
      if (!narrow || !reel_tensordict_set_tensor (td, path, narrow, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- what came after ---- */

static gboolean
is_plain (const ReelTensordict *td)
{
  ReelTensordictIter iter;
  ReelTensor *tensor;
  ReelTensordict *child;

  if (reel_tensordict_get_kind (td) != REEL_TENSORDICT_DICT)
    return FALSE;
  reel_tensordict_iter_init (&iter, td);
  while (reel_tensordict_iter_next (&iter, NULL, &tensor, &child))
    if (!tensor && (!child || !is_plain (child)))
      return FALSE;
  return TRUE;
}

static ReelTensordict *
find_moving (const Plan *plan, ReelTensordict *next)
{
  g_autoptr (ReelTensordict) others = reel_tensordict_exclude_keys (next, plan->how.reward_keys);

  return reel_tensordict_exclude_keys (others, plan->how.done_keys);
}

/* Data that are not tensors alone, such as values and stacks: by numbers of rows, once there are
 * counts. */
static ReelTensordict *
move_any (const Plan *plan, ReelTensordict *moving, GError **error)
{
  const gint64 *counts = (const gint64 *) plan->counts->data;
  g_autoptr (ReelTensor) ahead = reel_tensor_new_unfilled (REEL_DTYPE_INT64, 1, &plan->n, error);
  g_autoptr (ReelTensordict) turned = NULL, flat = NULL, taken = NULL, shaped = NULL;

  if (!ahead)
    return NULL;
  for (gint64 i = 0; i < plan->n; i++)
    ((gint64 *) ahead->data)[i] = i + (counts[i] - 1) * plan->where.inner;
  turned = reel_tensordict_permute (moving, plan->order, error);
  flat = turned ? reel_tensordict_flatten (turned, 0, plan->ndim - 1, error) : NULL;
  taken = flat ? reel_tensordict_gather_rows (flat, (const gint64 *) ahead->data, (gsize) plan->n,
                                              error)
               : NULL;
  shaped = taken ? reel_tensordict_view (taken, plan->ndim, plan->shape, error) : NULL;
  return shaped ? reel_tensordict_permute (shaped, plan->place, error) : NULL;
}

/* ---- chunk by chunk ---- */

static void
move_chunk (const Plan *plan, const Job *job, gint64 begin, gint64 n)
{
  gsize at = (gsize) begin * job->n;

  if (job->n > 0)
    plan->kernels->move ((const gint64 *) plan->counts->data + begin, n, plan->where.inner, job->n,
                         job->from->data + at, job->to->data + at);
}

/* Counts of some elements from the @begin-th feature of all on, a feature at a time. */
static const gint64 *
repeat_counts (const Plan *plan, gint64 features, gint64 begin, gint64 n, gint64 *repeated)
{
  const gint64 *counts = (const gint64 *) plan->counts->data;

  if (features == 1)
    return counts + begin;
  for (gint64 i = 0; i < n; i++)
    repeated[i] = counts[(begin + i) / features];
  return repeated;
}

static void
sum_chunk (const Plan *plan, const Job *job, gint64 begin, gint64 end)
{
  gint64 features = (gint64) job->n, stride = plan->where.inner * features, n;
  gint64 most = plan->where.n_steps, all = plan->n * features, repeated[REPEATED];

  for (gint64 i = begin * features; i < end * features; i += n)
    {
      n = MIN (REPEATED, end * features - i);
      const gint64 *counts = repeat_counts (plan, features, i, n, repeated);
      if (job->from->dtype == REEL_DTYPE_FLOAT32)
        plan->kernels->sum_f32 ((const float *) job->from->data + i, counts, n, all - i, stride,
                                plan->powers, most, (float *) job->to->data + i);
      else
        plan->kernels->sum_f64 ((const double *) job->from->data + i, counts, n, all - i, stride,
                                plan->powers, most, (double *) job->to->data + i);
    }
}

static void
mark_chunk (const Plan *plan, gint64 begin, gint64 end)
{
  gint64 *counts = (gint64 *) plan->counts->data;

  plan->kernels->count (&plan->where, begin, end, counts);
  plan->kernels->spread (counts + begin, end - begin, plan->powers, plan->where.n_steps,
                         (float *) plan->gamma->data + begin, plan->nonterminal->data + begin);
  for (gint64 i = begin; plan->mask && i < end; i++)
    plan->nonterminal->data[i] &= plan->mask->data[i];
}

static void
fill_all (const Plan *plan)
{
  for (gint64 begin, end = plan->n; end > 0; end = begin)
    {
      /* From the end back, since counts follow from those of later steps. */
      begin = (end - 1) / CHUNK * CHUNK;
      mark_chunk (plan, begin, end);
      for (guint i = 0; i < plan->moves->len; i++)
        move_chunk (plan, &g_array_index (plan->moves, Job, i), begin, end - begin);
      for (guint i = 0; i < plan->sums->len; i++)
        sum_chunk (plan, &g_array_index (plan->sums, Job, i), begin, end);
    }
}

/* ---- all of it ---- */

static gboolean
set_turned (const Plan *plan, ReelTensordict *td, const char *key, ReelTensor *tensor,
            GError **error)
{
  g_autoptr (ReelTensor) back = turn_back (plan, tensor, error);

  return back && reel_tensordict_set_tensor (td, key, back, error);
}

static gboolean
change (Plan *plan, ReelTensordict *td, ReelTensor *done, gint time_dim, GError **error)
{
  g_autoptr (ReelTensordict) next = NULL, moving = NULL, moved = NULL;
  gboolean plain;

  if (!find_ends (plan, td, done, time_dim, error) || !make_marks (plan, error))
    return FALSE;
  next = reel_tensordict_ref_tensordict (td, "next", error);
  if (!next)
    return FALSE;
  moving = find_moving (plan, next);
  plain = is_plain (moving);
  if (plain)
    moved = reel_tensordict_apply (&moving, 1, -1, NULL, FALSE, add_move, plan, error);
  if ((plain && !moved) || !add_rewards (plan, td, error))
    return FALSE;
  fill_all (plan);
  if (!plain)
    moved = move_any (plan, moving, error);
  return moved && reel_tensordict_update (next, moved, NULL, FALSE, error)
         && narrow_rewards (plan, td, error)
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
