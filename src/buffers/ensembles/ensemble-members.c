#include "ensemble-members.h"

#include "ensemble-private.h"
#include "../../core/tensordict/component-print.h"

#include <string.h>

gboolean
reel_ensemble_member_sample (GObject *member, gint64 n, ReelTensordict **batch, GError **error)
{
  ReelReplayBuffer *buffer;

  if (REEL_IS_REPLAY_BUFFER_ENSEMBLE (member))
    return reel_replay_buffer_ensemble_sample (REEL_REPLAY_BUFFER_ENSEMBLE (member), n, batch,
                                               error);
  buffer = REEL_REPLAY_BUFFER (member);
  return reel_replay_buffer_sample_with (buffer, reel_replay_buffer_get_sampler (buffer), n, batch,
                                         error);
}

gboolean
reel_ensemble_member_count_sampleable (GObject *member, gint64 n, gint64 *count, GError **error)
{
  ReelReplayBuffer *buffer;

  if (REEL_IS_REPLAY_BUFFER_ENSEMBLE (member))
    return reel_ensemble_count_sampleable (REEL_REPLAY_BUFFER_ENSEMBLE (member), n, count, error);
  buffer = REEL_REPLAY_BUFFER (member);
  return reel_sampler_count_sampleable (reel_replay_buffer_get_sampler (buffer),
                                        reel_replay_buffer_get_storage (buffer), n, count, error);
}

ReelTensordict *
reel_ensemble_member_index (GObject *member, const ReelIndex *index, GError **error)
{
  return REEL_IS_REPLAY_BUFFER_ENSEMBLE (member)
             ? reel_replay_buffer_ensemble_index (REEL_REPLAY_BUFFER_ENSEMBLE (member), index,
                                                  error)
             : reel_replay_buffer_index (REEL_REPLAY_BUFFER (member), index, error);
}

void
reel_ensemble_member_get_stats (GObject *member, ReelReplayBufferStats *stats)
{
  if (REEL_IS_REPLAY_BUFFER_ENSEMBLE (member))
    reel_replay_buffer_ensemble_get_stats (REEL_REPLAY_BUFFER_ENSEMBLE (member), stats);
  else
    reel_replay_buffer_get_stats (REEL_REPLAY_BUFFER (member), stats);
}

/* ---- printing: TorchRL's parts are ensembles, each of the parts of the members ---- */

static char *
print_chain (GObject *member)
{
  ReelEnsembleOptions options;

  if (REEL_IS_REPLAY_BUFFER (member))
    return reel_transform_to_string (
        REEL_TRANSFORM (reel_replay_buffer_get_transform (REEL_REPLAY_BUFFER (member))));
  reel_replay_buffer_ensemble_get_options (REEL_REPLAY_BUFFER_ENSEMBLE (member), &options);
  return reel_transform_to_string (options.transform);
}

static char *print_storages (ReelReplayBufferEnsemble *self);
static char *print_samplers (ReelReplayBufferEnsemble *self);
static char *print_writers (ReelReplayBufferEnsemble *self);

static char *
print_storage (GObject *member)
{
  return REEL_IS_REPLAY_BUFFER_ENSEMBLE (member)
             ? print_storages (REEL_REPLAY_BUFFER_ENSEMBLE (member))
             : reel_storage_to_string (
                 reel_replay_buffer_get_storage (REEL_REPLAY_BUFFER (member)));
}

static char *
print_sampler (GObject *member)
{
  return REEL_IS_REPLAY_BUFFER_ENSEMBLE (member)
             ? print_samplers (REEL_REPLAY_BUFFER_ENSEMBLE (member))
             : reel_sampler_to_string (
                 reel_replay_buffer_get_sampler (REEL_REPLAY_BUFFER (member)));
}

static char *
print_writer (GObject *member)
{
  ReelReplayBuffer *buffer;

  if (REEL_IS_REPLAY_BUFFER_ENSEMBLE (member))
    return print_writers (REEL_REPLAY_BUFFER_ENSEMBLE (member));
  buffer = REEL_REPLAY_BUFFER (member);
  return reel_writer_to_string (reel_replay_buffer_get_writer (buffer),
                                reel_replay_buffer_get_storage (buffer));
}

/* A Python tuple, which has a comma where it is of one. */
static char *
print_each (ReelReplayBufferEnsemble *self, char *(*print) (GObject *), gboolean tuple)
{
  gint64 n = reel_replay_buffer_ensemble_get_length (self);
  GString *text = g_string_new (tuple ? "(" : "[");

  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *one = print (reel_replay_buffer_ensemble_get (self, i, NULL));

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", one);
    }
  g_string_append (text, !tuple ? "]" : n == 1 ? ",)" : ")");
  return g_string_free (text, FALSE);
}

static char *
print_storages (ReelReplayBufferEnsemble *self)
{
  g_autofree char *storages = print_each (self, print_storage, TRUE);
  g_autofree char *chains = print_each (self, print_chain, FALSE);
  g_autofree char *text = g_strdup_printf ("storages=%s, \ntransforms=%s", storages, chains);

  return reel_print_call ("StorageEnsemble", text);
}

static char *
print_samplers (ReelReplayBufferEnsemble *self)
{
  g_autofree char *samplers = print_each (self, print_sampler, TRUE);
  g_autofree char *text = g_strconcat ("samplers=", samplers, NULL);

  return reel_print_call ("SamplerEnsemble", text);
}

static char *
print_writers (ReelReplayBufferEnsemble *self)
{
  g_autofree char *writers = print_each (self, print_writer, TRUE);
  g_autofree char *text = g_strconcat ("writers=", writers, NULL);

  return reel_print_call ("WriterEnsemble", text);
}

/* TorchRL indents the first three parts alone. */
char *
reel_replay_buffer_ensemble_to_string (ReelReplayBufferEnsemble *self)
{
  g_autofree char *storages = print_storages (self), *samplers = print_samplers (self);
  g_autofree char *writers = print_writers (self), *chain = print_chain (G_OBJECT (self));
  g_autofree char *parts =
      g_strdup_printf ("storages=%s, \nsamplers=%s, \nwriters=%s, ", storages, samplers, writers);
  g_autofree char *call = reel_print_call ("ReplayBufferEnsemble", parts);
  g_autofree char *size = NULL;
  ReelEnsembleOptions options;

  reel_replay_buffer_ensemble_get_options (self, &options);
  size = options.batch_size > 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, options.batch_size)
                                : g_strdup ("None");
  call[strlen (call) - 1] = '\0';
  return g_strdup_printf ("%s\nbatch_size=%s, \ntransform=%s)", call, size, chain);
}
