#include "ensemble-members.h"

#include "../core/lazy-stack.h"
#include "../core/random.h"
#include "../core/shape.h"

#include <math.h>

#define INDEX "index"
#define INDEX_INDEX "index/index"
#define INDEX_IDS "index/buffer_ids"
#define STREAM 0x656e73656d626c65 /* samplers of the same seed draw from other streams */

struct _ReelReplayBufferEnsemble
{
  GObject parent_instance;

  GPtrArray *members; /* buffers, and ensembles of them */
  double *p;          /* NULL where all are alike */
  gboolean sample_from_all;
  gint64 asked_parts; /* 0: as many as buffers */
  gint64 n_parts;
  gint64 batch_size;
  gint64 seed;
  gint64 n_calls;
  ReelCompose *transform;

  gint64 *ids;            /* whose each part is */
  ReelTensordict **parts; /* of the last batch, views of it where it is dense */
  ReelTensordict *raw;    /* before the transform */
  ReelTensordict *given;  /* who gives it back gives the rest back */
};

G_DEFINE_FINAL_TYPE (ReelReplayBufferEnsemble, reel_replay_buffer_ensemble, G_TYPE_OBJECT)

static void
forget_batch (ReelReplayBufferEnsemble *self)
{
  for (gint64 i = 0; self->parts && i < self->n_parts; i++)
    g_clear_pointer (&self->parts[i], reel_tensordict_unref);
  g_clear_pointer (&self->raw, reel_tensordict_unref);
  g_clear_pointer (&self->given, reel_tensordict_unref);
}

static void
finalize (GObject *object)
{
  ReelReplayBufferEnsemble *self = REEL_REPLAY_BUFFER_ENSEMBLE (object);

  forget_batch (self);
  g_free (self->parts);
  g_free (self->ids);
  g_free (self->p);
  reel_transform_set_parent (REEL_TRANSFORM (self->transform), NULL, NULL);
  g_object_unref (self->transform);
  g_ptr_array_unref (self->members);
  G_OBJECT_CLASS (reel_replay_buffer_ensemble_parent_class)->finalize (object);
}

static void
reel_replay_buffer_ensemble_class_init (ReelReplayBufferEnsembleClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_replay_buffer_ensemble_init (ReelReplayBufferEnsemble *self)
{
  self->members = g_ptr_array_new_with_free_func (g_object_unref);
  self->transform = reel_compose_new ();
  reel_transform_set_parent (REEL_TRANSFORM (self->transform), G_OBJECT (self), NULL);
}

/* ---- making ---- */

static gboolean
take_weights (ReelReplayBufferEnsemble *self, const double *p, guint n, GError **error)
{
  double sum = 0;

  if (p && self->sample_from_all)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot pass both `p` argument and `sample_from_all=True`.");
      return FALSE;
    }
  for (guint i = 0; p && i < n; i++)
    {
      sum += p[i];
      if (isfinite (sum) && p[i] >= 0)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the weight of buffer %u is %g: weights are finite and not negative", i, p[i]);
      return FALSE;
    }
  if (p && sum <= 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "no buffer has a weight above 0, so none could be sampled");
      return FALSE;
    }
  self->p = p ? g_new (double, n) : NULL;
  for (guint i = 0; p && i < n; i++)
    self->p[i] = p[i] / sum;
  return TRUE;
}

ReelReplayBufferEnsemble *
reel_replay_buffer_ensemble_new_mixed (GObject *const *members, guint n,
                                       const ReelEnsembleOptions *options, GError **error)
{
  static const ReelEnsembleOptions none = { 0 };
  g_autoptr (ReelReplayBufferEnsemble) self = NULL;

  g_return_val_if_fail (n > 0, NULL);
  if (!options)
    options = &none;
  g_return_val_if_fail (options->num_buffer_sampled >= 0 && options->batch_size >= 0, NULL);
  self = g_object_new (REEL_TYPE_REPLAY_BUFFER_ENSEMBLE, NULL);
  for (guint i = 0; i < n; i++)
    {
      g_return_val_if_fail (
          REEL_IS_REPLAY_BUFFER (members[i]) || REEL_IS_REPLAY_BUFFER_ENSEMBLE (members[i]), NULL);
      g_ptr_array_add (self->members, g_object_ref (members[i]));
    }
  self->sample_from_all = options->sample_from_all;
  self->asked_parts = options->sample_from_all ? 0 : options->num_buffer_sampled;
  self->n_parts = self->asked_parts > 0 ? self->asked_parts : (gint64) n;
  self->batch_size = options->batch_size;
  self->seed = options->seed;
  self->ids = g_new0 (gint64, self->n_parts);
  self->parts = g_new0 (ReelTensordict *, self->n_parts);
  if (!take_weights (self, options->p, n, error))
    return NULL;
  if (options->transform && !reel_compose_append (self->transform, options->transform, error))
    return NULL;
  return g_steal_pointer (&self);
}

ReelReplayBufferEnsemble *
reel_replay_buffer_ensemble_new (ReelReplayBuffer *const *buffers, guint n,
                                 const ReelEnsembleOptions *options, GError **error)
{
  g_autofree GObject **members = g_new (GObject *, n);

  for (guint i = 0; i < n; i++)
    members[i] = G_OBJECT (buffers[i]);
  return reel_replay_buffer_ensemble_new_mixed (members, n, options, error);
}

void
reel_replay_buffer_ensemble_get_options (ReelReplayBufferEnsemble *self,
                                         ReelEnsembleOptions *options)
{
  *options = (ReelEnsembleOptions){
    .p = self->p,
    .sample_from_all = self->sample_from_all,
    .num_buffer_sampled = self->asked_parts,
    .batch_size = self->batch_size,
    .seed = self->seed,
    .transform = REEL_TRANSFORM (self->transform),
  };
}

void
reel_replay_buffer_ensemble_set_batch_size (ReelReplayBufferEnsemble *self, gint64 batch_size)
{
  g_return_if_fail (batch_size >= 0);
  self->batch_size = batch_size;
}

void
reel_replay_buffer_ensemble_get_stats (ReelReplayBufferEnsemble *self, ReelReplayBufferStats *stats)
{
  *stats = (ReelReplayBufferStats){ .initialized = TRUE };
  for (guint i = 0; i < self->members->len; i++)
    {
      ReelReplayBufferStats own;

      reel_ensemble_member_get_stats (self->members->pdata[i], &own);
      stats->size += own.size;
      stats->capacity += own.capacity;
      stats->write_count += own.write_count;
      stats->n_prefetched += own.n_prefetched;
      stats->initialized = stats->initialized && own.initialized;
    }
  stats->utilization = (double) stats->size / (double) stats->capacity;
}

/* ---- its buffers ---- */

gint64
reel_replay_buffer_ensemble_get_length (ReelReplayBufferEnsemble *self)
{
  return self->members->len;
}

/* The place among the buffers, −1 on failure. */
static gint64
find (ReelReplayBufferEnsemble *self, gint64 i, GError **error)
{
  gint64 n = self->members->len, place = i < 0 ? i + n : i;

  if (place >= 0 && place < n)
    return place;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "there is no buffer %" G_GINT64_FORMAT ": the ensemble has %" G_GINT64_FORMAT, i, n);
  return -1;
}

gpointer
reel_replay_buffer_ensemble_get (ReelReplayBufferEnsemble *self, gint64 i, GError **error)
{
  gint64 place = find (self, i, error);

  return place < 0 ? NULL : g_ptr_array_index (self->members, place);
}

ReelReplayBufferEnsemble *
reel_replay_buffer_ensemble_select (ReelReplayBufferEnsemble *self, const gint64 *ids, guint n,
                                    GError **error)
{
  g_autofree GObject **members = NULL;
  g_autofree double *p = NULL;
  ReelEnsembleOptions options = { .sample_from_all = self->sample_from_all,
                                  .num_buffer_sampled = self->asked_parts,
                                  .batch_size = self->batch_size,
                                  .seed = self->seed };

  g_return_val_if_fail (n > 0, NULL);
  members = g_new (GObject *, n);
  p = g_new (double, n);
  for (guint i = 0; i < n; i++)
    {
      gint64 place = find (self, ids[i], error);

      if (place < 0)
        return NULL;
      members[i] = g_ptr_array_index (self->members, place);
      p[i] = self->p ? self->p[place] : 1;
    }
  options.p = self->p ? p : NULL;
  return reel_replay_buffer_ensemble_new_mixed (members, n, &options, error);
}

static void
free_all (ReelTensordict **tds, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (tds[i])
      reel_tensordict_unref (tds[i]);
  g_free (tds);
}

ReelTensordict *
reel_replay_buffer_ensemble_index (ReelReplayBufferEnsemble *self, const ReelIndex *index,
                                   GError **error)
{
  guint n = self->members->len, i = 0;
  ReelTensordict **parts = g_new0 (ReelTensordict *, n), *stack = NULL;

  while (i < n && (parts[i] = reel_ensemble_member_index (self->members->pdata[i], index, error)))
    i++;
  if (i == n)
    stack = reel_tensordict_maybe_dense_stack (parts, n, 0, error);
  free_all (parts, n);
  return stack;
}

/* The members that one item picks, as of a list. */
static ReelReplayBufferEnsemble *
select_item (ReelReplayBufferEnsemble *self, const ReelIndex *which, GError **error)
{
  gint64 n = self->members->len;
  g_autoptr (ReelTensor) all = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  g_autoptr (ReelTensor) ids = NULL;
  g_autoptr (ReelTensor) picked = NULL;

  for (gint64 i = 0; all && i < n; i++)
    ((gint64 *) all->data)[i] = i;
  picked = all ? reel_tensor_index (all, which, error) : NULL;
  ids = picked ? reel_tensor_contiguous (picked, error) : NULL;
  if (!ids)
    return NULL;
  if (ids->ndim == 1 && ids->shape[0] > 0)
    return reel_replay_buffer_ensemble_select (self, (const gint64 *) ids->data,
                                               (guint) ids->shape[0], error);
  g_set_error (error, REEL_ERROR, ids->ndim == 1 ? REEL_ERROR_INDEX : REEL_ERROR_RUNTIME,
               ids->ndim == 1
                   ? "no buffer is picked of %" G_GINT64_FORMAT
                   : "buffers are picked by an index of one dimension, of %" G_GINT64_FORMAT,
               n);
  return NULL;
}

ReelTensordict *
reel_replay_buffer_ensemble_index_some (ReelReplayBufferEnsemble *self, const ReelIndex *which,
                                        const ReelIndex *index, GError **error)
{
  g_autoptr (ReelReplayBufferEnsemble) some = NULL;
  const ReelTensor *tensor;
  gint64 i;

  g_return_val_if_fail (which->n_items == 1, NULL);
  tensor = which->items[0].tensor;
  if (tensor && reel_dtype_is_float (tensor->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "A floating point index was received when an integer dtype was expected: %s",
                   reel_dtype_name (tensor->dtype));
      return NULL;
    }
  if (which->items[0].kind == REEL_INDEX_INT)
    {
      i = find (self, which->items[0].begin, error);
      return i < 0 ? NULL : reel_ensemble_member_index (self->members->pdata[i], index, error);
    }
  some = select_item (self, which, error);
  return some ? reel_replay_buffer_ensemble_index (some, index, error) : NULL;
}

/* ---- sampling ---- */

static void
choose_buffers (ReelReplayBufferEnsemble *self)
{
  ReelRandomKey key = reel_random_key ((guint64) self->seed ^ STREAM, self->n_calls++);
  gint64 n = self->members->len;

  for (gint64 i = 0; i < self->n_parts; i++)
    {
      double left = reel_random_double (key, i);
      gint64 last = 0;

      self->ids[i] = self->sample_from_all ? i : reel_random_below (key, i, n);
      if (!self->p)
        continue;
      for (gint64 j = 0; j < n && left >= 0; j++)
        if (self->p[j] > 0)
          {
            left -= self->p[j];
            last = j;
          }
      self->ids[i] = last;
    }
}

static gint64
count_rows (const ReelTensordict *td)
{
  gint ndim;

  return reel_tensordict_get_batch_size (td, &ndim)[0];
}

/* One that gives fewer rows, at the end of its pass, is asked for the rest. */
static gboolean
complete_part (ReelReplayBufferEnsemble *self, gint64 i, gint64 n, GError **error)
{
  GObject *member = self->members->pdata[self->ids[i]];

  while (count_rows (self->parts[i]) < n)
    {
      g_autoptr (ReelTensordict) first = g_steal_pointer (&self->parts[i]);
      g_autoptr (ReelTensordict) more = NULL;

      if (!reel_ensemble_member_sample (member, n - count_rows (first), &more, error))
        return FALSE;
      self->parts[i] = reel_tensordict_cat ((ReelTensordict *[]){ first, more }, 2, 0, error);
      if (!self->parts[i])
        return FALSE;
    }
  return TRUE;
}

static gboolean
sample_part (ReelReplayBufferEnsemble *self, gint64 i, gint64 n, GError **error)
{
  GObject *member = self->members->pdata[self->ids[i]];

  if (!reel_ensemble_member_sample (member, n, &self->parts[i], error))
    return FALSE;
  return self->sample_from_all || !REEL_IS_REPLAY_BUFFER (member)
         || complete_part (self, i, n, error);
}

/* Whatever stands at @from, if anything does. */
static gboolean
copy_entry (ReelTensordict *source, const char *from, ReelTensordict *td, const char *to,
            GError **error)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (source, from, NULL);
  ReelTensordict *below = tensor ? NULL : reel_tensordict_get_tensordict (source, from, NULL);

  if (below)
    return reel_tensordict_set_tensordict (td, to, below, error);
  return !tensor || reel_tensordict_set_tensor (td, to, tensor, error);
}

/* A copy of the structure of @part whose index says whose its rows are. */
static ReelTensordict *
name_rows (ReelTensordict *part, gint64 id, GError **error)
{
  g_autoptr (ReelTensordict) named = reel_tensordict_clone (part, FALSE, error);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (part, &ndim);
  g_autoptr (ReelTensordict) both = reel_tensordict_new (ndim, size);
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, ndim, size, error);

  if (!named || !ids)
    return NULL;
  for (gint64 i = 0; i < reel_tensor_numel (ids); i++)
    ((gint64 *) ids->data)[i] = id;
  if (!copy_entry (part, INDEX, both, INDEX, error)
      || !reel_tensordict_set_tensor (both, "buffer_ids", ids, error)
      || !reel_tensordict_set_tensordict (named, INDEX, both, error))
    return NULL;
  return g_steal_pointer (&named);
}

/* Views of the parts of a dense batch, in the form in which the buffers fill them. */
static gboolean
make_views (ReelReplayBufferEnsemble *self, GError **error)
{
  for (gint64 i = 0; i < self->n_parts; i++)
    {
      g_autoptr (ReelTensordict) named = reel_tensordict_select_index (self->raw, 0, i, error);
      g_autoptr (ReelTensordict) view = named ? reel_tensordict_clone (named, FALSE, error) : NULL;

      if (!view || !copy_entry (named, INDEX_INDEX, view, INDEX, error))
        return FALSE;
      reel_tensordict_unref (self->parts[i]);
      self->parts[i] = g_steal_pointer (&view);
    }
  return TRUE;
}

static gboolean
stack_parts (ReelReplayBufferEnsemble *self, GError **error)
{
  ReelTensordict **named = g_new0 (ReelTensordict *, self->n_parts);
  gint64 i = 0;

  g_clear_pointer (&self->raw, reel_tensordict_unref);
  while (i < self->n_parts && (named[i] = name_rows (self->parts[i], self->ids[i], error)))
    i++;
  if (i == self->n_parts)
    self->raw = reel_tensordict_maybe_dense_stack (named, (gsize) self->n_parts, 0, error);
  free_all (named, self->n_parts);
  if (!self->raw)
    return FALSE;
  return reel_tensordict_get_kind (self->raw) == REEL_TENSORDICT_LAZY_STACK
         || make_views (self, error);
}

/* The batch was filled through its views: what is left is whose the parts are. */
static void
rename_rows (ReelReplayBufferEnsemble *self)
{
  ReelTensor *ids = reel_tensordict_get_tensor (self->raw, INDEX_IDS, NULL);
  gint64 n = reel_tensor_numel (ids) / self->n_parts;

  for (gint64 i = 0; i < self->n_parts; i++)
    for (gint64 j = 0; j < n; j++)
      ((gint64 *) ids->data)[i * n + j] = self->ids[i];
}

static gboolean
fill (ReelReplayBufferEnsemble *self, gint64 rows, GError **error)
{
  gboolean refilled = self->raw != NULL;

  for (gint64 i = 0; i < self->n_parts; i++)
    {
      ReelTensordict *view = self->parts[i];

      if (!sample_part (self, i, rows, error))
        return FALSE;
      refilled = refilled && self->parts[i] == view;
    }
  if (!refilled)
    return stack_parts (self, error);
  if (reel_tensordict_get_kind (self->raw) == REEL_TENSORDICT_LAZY_STACK)
    return stack_parts (self, error);
  rename_rows (self);
  return TRUE;
}

static gboolean
check_size (ReelReplayBufferEnsemble *self, gint64 n, GError **error)
{
  if (n <= 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "batch_size not specified. You can specify the batch_size when "
                         "constructing the replay buffer, or pass it to the sample method.");
  else if (n % self->n_parts != 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "The batch size must be divisible by num_buffer_sampled. Got %" G_GINT64_FORMAT
                 " rows for %" G_GINT64_FORMAT " parts",
                 n, self->n_parts);
  else
    return TRUE;
  return FALSE;
}

static ReelTensordict *
transform (ReelReplayBufferEnsemble *self, GError **error)
{
  g_autoptr (ReelTensordict) copy = NULL;

  if (reel_compose_get_length (self->transform) == 0)
    return reel_tensordict_ref (self->raw);
  copy = reel_tensordict_clone (self->raw, FALSE, error);
  return copy ? reel_transform_forward (REEL_TRANSFORM (self->transform), copy, error) : NULL;
}

gboolean
reel_replay_buffer_ensemble_sample (ReelReplayBufferEnsemble *self, gint64 batch_size,
                                    ReelTensordict **batch, GError **error)
{
  gint64 n = batch_size > 0 ? batch_size : self->batch_size;
  ReelTensordict *result;

  if (!check_size (self, n, error))
    return FALSE;
  if (!*batch || *batch != self->given)
    forget_batch (self);
  choose_buffers (self);
  if (!fill (self, n / self->n_parts, error) || !(result = transform (self, error)))
    {
      forget_batch (self);
      return FALSE;
    }
  if (result == self->given)
    {
      reel_tensordict_unref (result);
      return TRUE;
    }
  g_clear_pointer (&self->given, reel_tensordict_unref);
  self->given = reel_tensordict_ref (result);
  if (*batch)
    reel_tensordict_unref (*batch);
  *batch = result;
  return TRUE;
}
