/* Drawing batches from an ensemble: whose the parts are, and what is made of them. */
#include "ensemble-members.h"
#include "ensemble-private.h"

#include "../../core/math/random.h"
#include "../../core/tensordict/shape.h"
#include "../samplers/sampler-private.h"

#define STREAM 0x656e73656d626c65 /* samplers of the same seed draw from other streams */

/* ---- whose the parts are ---- */

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

/* The rows of one member that a part can sample; none where it is never chosen. */
static gboolean
count_member (ReelReplayBufferEnsemble *self, guint i, gint64 rows, gint64 *count, GError **error)
{
  *count = 0;
  if ((self->p && self->p[i] == 0)
      || reel_ensemble_member_count_sampleable (self->members->pdata[i], rows, count, error))
    return TRUE;
  g_prefix_error (error, "buffer %u: ", i);
  return FALSE;
}

gboolean
reel_ensemble_count_sampleable (ReelReplayBufferEnsemble *self, gint64 n, gint64 *count,
                                GError **error)
{
  gint64 one;

  *count = 0;
  if (!check_size (self, n, error))
    return FALSE;
  for (guint i = 0; i < self->members->len; i++)
    {
      if (!count_member (self, i, n / self->n_parts, &one, error))
        return FALSE;
      *count += one;
    }
  return TRUE;
}

/* Each member as often as there is something to draw from it. */
static gboolean
weigh_members (ReelReplayBufferEnsemble *self, gint64 rows, GError **error)
{
  gint64 sum = 0, count;

  for (guint i = 0; i < self->members->len; i++)
    {
      if (!count_member (self, i, rows, &count, error))
        return FALSE;
      self->weights[i] = (double) count;
      sum += count;
    }
  for (guint i = 0; i < self->members->len && sum > 0; i++)
    self->weights[i] /= (double) sum;
  if (sum > 0)
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_RUNTIME,
      "None of the replay-buffer ensemble members can be sampled: of all %u, none can fill "
      "a part of %" G_GINT64_FORMAT " rows",
      self->members->len, rows);
  return FALSE;
}

static gint64
pick (const double *p, gint64 n, double left)
{
  gint64 last = 0;

  for (gint64 i = 0; i < n && left >= 0; i++)
    if (p[i] > 0)
      {
        left -= p[i];
        last = i;
      }
  return last;
}

gboolean
reel_ensemble_choose (ReelReplayBufferEnsemble *self, gint64 n, ReelEnsembleBatch *batch,
                      GError **error)
{
  const double *p = self->sampleable ? self->weights : self->p;
  gint64 n_members = self->members->len;
  ReelRandomKey key;

  if (!check_size (self, n, error))
    return FALSE;
  batch->rows = n / self->n_parts;
  if (self->sampleable && !weigh_members (self, batch->rows, error))
    return FALSE;
  key = reel_random_key ((guint64) self->seed ^ STREAM, self->n_calls++);
  for (gint64 i = 0; i < self->n_parts; i++)
    batch->ids[i] = self->sample_from_all ? i
                    : p                   ? pick (p, n_members, reel_random_double (key, i))
                                          : reel_random_below (key, i, n_members);
  return TRUE;
}

/* ---- parts ---- */

static gint64
count_rows (const ReelTensordict *td)
{
  gint ndim;

  return reel_tensordict_get_batch_size (td, &ndim)[0];
}

/* Rows of a part, and what is said of them. */
static gboolean
draw_rows (ReelReplayBufferEnsemble *self, ReelEnsembleBatch *batch, gint64 i, gint64 n,
           ReelTensordict **rows, GError **error)
{
  gpointer member = self->members->pdata[batch->ids[i]];

  if (!reel_ensemble_member_sample (member, n, rows, error))
    return FALSE;
  return REEL_IS_REPLAY_BUFFER (member)
             ? reel_ensemble_note_draw (
                 batch, i, reel_sampling_of (reel_replay_buffer_get_sampler (member)), error)
             : reel_ensemble_note_batch (batch, i, reel_ensemble_get_last (member), error);
}

gboolean
reel_ensemble_complete_part (ReelReplayBufferEnsemble *self, ReelEnsembleBatch *batch, gint64 i,
                             ReelTensordict **part, GError **error)
{
  gint64 n = batch->rows;

  if (self->sample_from_all || !REEL_IS_REPLAY_BUFFER (self->members->pdata[batch->ids[i]]))
    return TRUE;
  while (count_rows (*part) < n)
    {
      g_autoptr (ReelTensordict) more = NULL;
      ReelTensordict *whole;

      if (!draw_rows (self, batch, i, n - count_rows (*part), &more, error)
          || !(whole = reel_tensordict_cat ((ReelTensordict *[]){ *part, more }, 2, 0, error)))
        return FALSE;
      reel_tensordict_unref (*part);
      *part = whole;
    }
  return TRUE;
}

/* The part of last time is filled again where it fits. */
static gboolean
sample_part (ReelReplayBufferEnsemble *self, gint64 i, GError **error)
{
  ReelEnsembleBatch *batch = self->batch;
  g_autoptr (ReelTensordict) part = batch->parts[i] ? reel_tensordict_ref (batch->parts[i]) : NULL;

  batch->n_notes[i] = 0;
  if (!draw_rows (self, batch, i, batch->rows, &part, error)
      || !reel_ensemble_complete_part (self, batch, i, &part, error))
    return FALSE;
  reel_ensemble_batch_put (batch, i, g_steal_pointer (&part));
  return TRUE;
}

/* ---- batches ---- */

ReelTensordict *
reel_ensemble_finish (ReelReplayBufferEnsemble *self, ReelEnsembleBatch *batch, GError **error)
{
  g_autoptr (ReelTensordict) copy = NULL;

  if (!reel_ensemble_batch_join (batch, error))
    return NULL;
  if (reel_compose_get_length (self->transform) == 0)
    return reel_tensordict_ref (batch->raw);
  copy = reel_tensordict_clone (batch->raw, FALSE, error);
  return copy ? reel_transform_forward (REEL_TRANSFORM (self->transform), copy, error) : NULL;
}

static gboolean
sample_now (ReelReplayBufferEnsemble *self, gint64 n, ReelTensordict **batch, GError **error)
{
  ReelEnsembleBatch *own = self->batch;
  ReelTensordict *result = NULL;
  gint64 i = 0;

  if (!*batch || *batch != own->given)
    reel_ensemble_batch_forget (own);
  if (reel_ensemble_choose (self, n, own, error))
    {
      while (i < self->n_parts && sample_part (self, i, error))
        i++;
      result = i == self->n_parts ? reel_ensemble_finish (self, own, error) : NULL;
    }
  own->told = result != NULL;
  if (result)
    reel_ensemble_batch_give (own, result, batch);
  else
    reel_ensemble_batch_forget (own);
  return result != NULL;
}

gboolean
reel_replay_buffer_ensemble_sample (ReelReplayBufferEnsemble *self, gint64 batch_size,
                                    ReelTensordict **batch, GError **error)
{
  gint64 n = batch_size > 0 ? batch_size : self->batch_size;

  return self->ahead.queue ? reel_ensemble_sample_ahead (self, n, batch, error)
                           : sample_now (self, n, batch, error);
}

gboolean
reel_replay_buffer_ensemble_next (ReelReplayBufferEnsemble *self, ReelTensordict **batch,
                                  GError **error)
{
  if (self->batch_size > 0)
    return reel_replay_buffer_ensemble_sample (self, 0, batch, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "Cannot iterate over the replay buffer. Batch_size was not specified "
                       "during construction of the replay buffer.");
  return FALSE;
}
