#include "source.h"

#include "replay-directories.h"

#include "info.h"
#include "../common/row-transform.h"
#include "source-sampler.h"

/* A default that parts divide. */
#define ROWS 256

static gboolean
draw_of_buffer (gpointer source, gint64 batch_size, ReelTensordict **batch, GError **error)
{
  return reel_replay_buffer_sample (source, batch_size, batch, error);
}

static gboolean
draw_of_ensemble (gpointer source, gint64 batch_size, ReelTensordict **batch, GError **error)
{
  return reel_replay_buffer_ensemble_sample (source, batch_size, batch, error);
}

static ReelTransform *
new_transform (Source *source, const SourceOptions *options, GError **error)
{
  ReelTransform *transform = row_transform_new_for_reading (options->transform, error);

  if (transform)
    source->demand = MAX (source->demand, reel_transform_get_demand (transform));
  return transform;
}

/* Bytes of a row and of its index. */
static gint64
count_row_bytes (ReelReplayBuffer *buffer)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  gsize bytes = (gsize) (reel_storage_get_ndim (storage) + 1) * sizeof (gint64);
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (guint i = 0; i < n; i++)
    bytes += columns[i].row_bytes;
  return (gint64) bytes;
}

/* The rows of a buffer, drawn by a sampler of ours. */
static ReelReplayBuffer *
draw_anew (ReelReplayBuffer *opened, const char *path, const SourceOptions *options,
           gint64 batch_size, Source *source, GError **error)
{
  g_autoptr (ReelSampler) sampler =
      source_sampler_new (opened, options->sampler, options->seed, error);
  g_autoptr (ReelReplayBuffer) buffer = NULL;

  if (!sampler)
    return NULL;
  source->row_bytes = MAX (source->row_bytes, count_row_bytes (opened));
  if (!source->sampler)
    source->sampler = reel_object_to_text (REEL_OBJECT (sampler));
  buffer = reel_replay_buffer_new (reel_replay_buffer_get_storage (opened), sampler, NULL,
                                   batch_size, error);
  return buffer && source_sampler_keep_state (opened, sampler, path, error)
             ? g_steal_pointer (&buffer)
             : NULL;
}

static gint64
choose_batch_size (ReelReplayBuffer *opened, const SourceOptions *options)
{
  gint64 own = reel_replay_buffer_get_batch_size (opened);

  if (options->batch_size > 0)
    return options->batch_size;
  return own > 0 ? own : ROWS;
}

static gboolean
open_buffer (Source *source, const char *path, const SourceOptions *options, GError **error)
{
  ReelReplayBuffer *opened = REEL_REPLAY_BUFFER (source->opened);
  g_autoptr (ReelReplayBuffer) buffer = NULL;

  source->batch_size = choose_batch_size (opened, options);
  buffer = draw_anew (opened, path, options, source->batch_size, source, error);
  if (!buffer)
    return FALSE;
  if (options->transform)
    {
      g_autoptr (ReelTransform) transform = new_transform (source, options, error);
      if (!transform || !reel_replay_buffer_append_transform (buffer, transform, FALSE, error))
        return FALSE;
    }
  source->draw = draw_of_buffer;
  source->object = G_OBJECT (g_steal_pointer (&buffer));
  return TRUE;
}

static gint64
count_parts (const ReelEnsembleOptions *how, ReelReplayBufferEnsemble *ensemble)
{
  return how->num_buffer_sampled > 0 ? how->num_buffer_sampled
                                     : reel_replay_buffer_ensemble_get_length (ensemble);
}

/* The same ensemble, its members drawn from anew; n_parts becomes what a batch must be a multiple
   of. */
static ReelReplayBufferEnsemble *
draw_members (ReelReplayBufferEnsemble *opened, const char *path, const SourceOptions *options,
              gboolean outermost, gint64 *n_parts, Source *source, GError **error)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (ReelTransform) transform = NULL;
  ReelEnsembleOptions how;
  gint64 inner = 1;

  reel_replay_buffer_ensemble_get_options (opened, &how);
  how.transform = NULL;
  if (options->seed && !reel_parse_int64 (options->seed, G_MININT64, G_MAXINT64, &how.seed, error))
    return NULL;
  if (outermost && options->transform
      && !(how.transform = transform = new_transform (source, options, error)))
    return NULL;
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (opened); i++)
    {
      gpointer member = reel_replay_buffer_ensemble_get (opened, i, NULL);
      g_autofree char *below = info_member_path (path, i);
      gint64 parts = 1;
      GObject *anew =
          REEL_IS_REPLAY_BUFFER (member)
              ? (GObject *) draw_anew (member, below, options, 0, source, error)
              : (GObject *) draw_members (member, below, options, FALSE, &parts, source, error);
      if (!anew)
        return NULL;
      g_ptr_array_add (members, anew);
      inner = MAX (inner, parts);
    }
  *n_parts = inner * count_parts (&how, opened);
  return reel_replay_buffer_ensemble_new_mixed ((GObject *const *) members->pdata, members->len,
                                                &how, error);
}

static gboolean
open_ensemble (Source *source, const char *path, const SourceOptions *options, GError **error)
{
  gint64 n_parts = 1;

  source->object = (GObject *) draw_members (REEL_REPLAY_BUFFER_ENSEMBLE (source->opened), path,
                                             options, TRUE, &n_parts, source, error);
  source->draw = draw_of_ensemble;
  source->batch_size =
      options->batch_size > 0 ? options->batch_size : MAX (ROWS / n_parts, 1) * n_parts;
  return source->object != NULL;
}

static gboolean
draw_of_both (gpointer source, gint64 batch_size, ReelTensordict **batch, GError **error)
{
  return reel_offline_to_online_buffer_sample (source, batch_size, batch, error);
}

/* The directory is what is online. */
static gboolean
open_both (Source *source, const char *path, const SourceOptions *options, GError **error)
{
  ReelReplayBuffer *opened = REEL_REPLAY_BUFFER (source->opened);
  g_autoptr (ReelReplayBuffer) offline = NULL, online = NULL;

  source->batch_size = choose_batch_size (opened, options);
  source->offline = (GObject *) replay_open ((char *[]){ (char *) options->offline, NULL },
                                             options->read_only, error);
  if (!source->offline)
    return FALSE;
  offline =
      draw_anew (REEL_REPLAY_BUFFER (source->offline), options->offline, options, 0, source, error);
  online = offline ? draw_anew (opened, path, options, 0, source, error) : NULL;
  if (!online)
    return FALSE;
  for (gint i = 0; options->transform && i < 2; i++)
    {
      g_autoptr (ReelTransform) transform = new_transform (source, options, error);
      if (!transform
          || !reel_replay_buffer_append_transform (i ? online : offline, transform, FALSE, error))
        return FALSE;
    }
  source->object = (GObject *) reel_offline_to_online_buffer_new (
      offline, online, options->offline_fraction, source->batch_size, error);
  source->draw = draw_of_both;
  return source->object != NULL;
}

gboolean
source_open (Source *source, const char *path, const SourceOptions *options, GError **error)
{
  source->opened = replay_open_any (path, options->read_only, error);
  if (!source->opened)
    return FALSE;
  if (options->offline && REEL_IS_REPLAY_BUFFER (source->opened))
    return open_both (source, path, options, error);
  if (options->offline)
    {
      set_usage_error (error, "--offline needs one buffer, not an ensemble");
      return FALSE;
    }
  return (REEL_IS_REPLAY_BUFFER (source->opened) ? open_buffer : open_ensemble) (source, path,
                                                                                 options, error);
}

gboolean
source_prefetch (Source *source, gint64 n, GError **error)
{
  if (REEL_IS_REPLAY_BUFFER (source->object))
    return reel_replay_buffer_set_prefetch (REEL_REPLAY_BUFFER (source->object), n, error);
  if (n == 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "--prefetch: batches of several buffers are not drawn ahead");
  return FALSE;
}

void
source_clear (Source *source)
{
  g_clear_object (&source->object);
  g_clear_object (&source->opened);
  g_clear_object (&source->offline);
  g_clear_pointer (&source->sampler, g_free);
}
