#include "checkpoint-files.h"
#include "checkpoint.h"
#include "checkpoint-values.h"

#include "../../core/error.h"
#include "../../core/files.h"

/* Files that tell what TorchRL's component classes wrote: R/checkpointers.py, samplers, writers. */
typedef struct
{
  const char *file; /* below the checkpoint */
  const char *key;  /* that its JSON must hold, or NULL */
  const char *what;
} Trace;

/* Storages without a storage_metadata.json. */
static const Trace others[] = {
  { "storage/metadata.json", NULL,
    "an ensemble of buffers (ReplayBufferEnsemble), which are its storage/0, storage/1, …" },
  { "storage/0", NULL,
    "an ensemble of buffers (ReplayBufferEnsemble), which are its storage/0, storage/1, …" },
};

typedef struct
{
  Trace trace;
  const char *id;
} StateTrace;

static const StateTrace samplers[] = {
  { { "sampler/sumtree.memmap", NULL, "priorities (PrioritizedSampler)" }, "prioritized" },
  { { "sampler/meta.json", "_sample_list", "a list of remaining rows (SamplerWithoutReplacement)" },
    "without-replacement" },
  { { "sampler/meta.json", "consumer_version", "versions (StalenessAwareSampler)" },
    "staleness-aware" },
  { { "sampler/consuming_sampler.pt", NULL, "counts of use (ConsumingSampler)" }, "consuming" },
};

static const StateTrace writers[] = {
  { { "writer/metadata.json", "rank_key", "ranks (TensorDictMaxValueWriter)" }, "max-value" },
  { { "writer/generation.memmap", NULL, "generations of rows" }, "round-robin" },
};

/* −1 on failure. */
static gint
exists (const char *path, const char *file, ReelPathKind *kind, GError **error)
{
  g_autofree char *full = reel_checkpoint_part (path, file);

  if (!reel_path_query (full, kind, NULL, error))
    return -1;
  return *kind != REEL_PATH_MISSING;
}

static gint
is_there (const char *path, const Trace *trace, GError **error)
{
  g_autofree char *full = reel_checkpoint_part (path, trace->file);
  g_autoptr (json_t) root = NULL;
  ReelPathKind kind;
  gint there = exists (path, trace->file, &kind, error);

  if (there < 1 || !trace->key)
    return there;
  root = reel_json_load_file (full, error);
  return root ? json_object_get (root, trace->key) != NULL : -1;
}

/* @what stays as it is where there is none. */
static gboolean
find_state (const char *path, const StateTrace *traces, gsize n, const char **id, const char **what,
            GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      gint there = is_there (path, &traces[i].trace, error);

      if (there < 0)
        return FALSE;
      if (!there)
        continue;
      *id = traces[i].id;
      *what = traces[i].trace.what;
      return TRUE;
    }
  return TRUE;
}

static gboolean
refuse (const char *path, const Trace *traces, gsize n, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      gint there = is_there (path, &traces[i], error);

      if (there < 0)
        return FALSE;
      if (there)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "%s: is %s; only buffers over one tensordict storage can be read", path,
                       traces[i].what);
          return FALSE;
        }
    }
  return TRUE;
}

/* Trajectories say of which storage they are; cut ones are a batch. */
static gboolean
find_tensordict_format (const char *path, const char **format, GError **error)
{
  g_autofree char *file = reel_checkpoint_part (path, "storage/meta.json");
  g_autoptr (json_t) root = NULL;
  ReelPathKind kind;

  *format = "tensor";
  if (!reel_path_query (file, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return TRUE;
  root = reel_json_load_file (file, error);
  if (root && json_object_get (root, "_storage_shape"))
    *format = json_array_size (json_object_get (root, "shape")) > 0 ? "nested" : "flat";
  return root != NULL;
}

static gboolean
find_format (const char *path, const char **format, GError **error)
{
  ReelPathKind kind;
  gint there = exists (path, "storage/storage_metadata.json", &kind, error);

  if (there > 0)
    return find_tensordict_format (path, format, error);
  if (there == 0)
    there = exists (path, "storage/" REEL_CHECKPOINT_H5_FILE, &kind, error);
  if (there > 0)
    *format = "h5";
  if (there == 0)
    {
      there = exists (path, "storage/data_indices.json", &kind, error);
      if (there > 0)
        *format = REEL_VALUES_FORMAT;
    }
  return there > 0 || (there == 0 && refuse (path, others, G_N_ELEMENTS (others), error));
}

static gboolean
check_is_checkpoint (const char *path, GError **error)
{
  ReelPathKind kind;
  gint there;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind != REEL_PATH_DIRECTORY)
    {
      g_set_error (error, REEL_ERROR,
                   kind == REEL_PATH_MISSING ? REEL_ERROR_IO : REEL_ERROR_DAMAGED, "%s: %s", path,
                   kind == REEL_PATH_MISSING ? "there is no such directory"
                                             : "is no directory, a checkpoint expected");
      return FALSE;
    }
  there = exists (path, "buffer_metadata.json", &kind, error);
  if (there < 0)
    return FALSE;
  if (there == 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s: is no replay buffer: it has no buffer_metadata.json", path);
  return there;
}

gboolean
reel_checkpoint_recognise (const char *path, ReelCheckpointKind *kind, GPtrArray *warnings,
                           GError **error)
{
  ReelPathKind writer;
  gint there;

  *kind = (ReelCheckpointKind){ "random", NULL, "round-robin", NULL, "tensor" };
  if (!check_is_checkpoint (path, error) || !find_format (path, &kind->format, error)
      || !find_state (path, samplers, G_N_ELEMENTS (samplers), &kind->sampler, &kind->sampler_state,
                      error))
    return FALSE;
  there = exists (path, "writer", &writer, error);
  if (there < 0)
    return FALSE;
  if (there == 0)
    kind->writer = "immutable";
  return find_state (path, writers, G_N_ELEMENTS (writers), &kind->writer, &kind->writer_state,
                     error)
         && reel_checkpoint_name_left_out (path, warnings, error);
}

gboolean
reel_checkpoint_recognise_with_sidecar (const char *path, ReelCheckpointKind *kind,
                                        ReelSidecar **sidecar, GError **error)
{
  g_autofree char *file = reel_checkpoint_part (path, REEL_SIDECAR_FILE);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  ReelPathKind found;

  *sidecar = NULL;
  if (!reel_checkpoint_recognise (path, kind, warnings, error)
      || !reel_path_query (file, &found, NULL, error))
    return FALSE;
  if (found != REEL_PATH_MISSING)
    *sidecar = reel_sidecar_read (file, error);
  return found == REEL_PATH_MISSING || *sidecar;
}

char *
reel_checkpoint_get_form (const char *path, GError **error)
{
  g_autoptr (ReelSidecar) sidecar = NULL;
  ReelCheckpointKind kind;

  g_return_val_if_fail (path, NULL);
  if (!reel_checkpoint_recognise_with_sidecar (path, &kind, &sidecar, error))
    return NULL;
  return g_strdup (sidecar && sidecar->checkpointer ? sidecar->checkpointer : kind.format);
}
