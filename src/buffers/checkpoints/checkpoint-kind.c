/* The kind of a checkpoint, from its files. */
#include "checkpoint-files.h"
#include "checkpoint.h"
#include "checkpoint-values.h"

#include "../../core/object/error.h"
#include "../../core/system/files.h"

/* Files that tell what TorchRL's component classes wrote: R/checkpointers.py, samplers, writers. */
typedef struct
{
  const char *file; /* of a part: storage, sampler or writer */
  const char *key;  /* that its JSON must hold, or NULL */
  const char *what;
} Trace;

/* Storages without a storage_metadata.json. */
static const Trace others[] = {
  { "metadata.json", NULL,
    "an ensemble of buffers (ReplayBufferEnsemble), which are its storage/0, storage/1, …" },
  { "0", NULL,
    "an ensemble of buffers (ReplayBufferEnsemble), which are its storage/0, storage/1, …" },
};

typedef struct
{
  Trace trace;
  const char *id;
} StateTrace;

static const StateTrace samplers[] = {
  { { "sumtree.memmap", NULL, "priorities (PrioritizedSampler)" }, "prioritized" },
  { { "meta.json", "_sample_list", "a list of remaining rows (SamplerWithoutReplacement)" },
    "without-replacement" },
  { { "meta.json", "consumer_version", "versions (StalenessAwareSampler)" }, "staleness-aware" },
  { { "consuming_sampler.pt", NULL, "counts of use (ConsumingSampler)" }, "consuming" },
};

static const StateTrace writers[] = {
  { { "metadata.json", "rank_key", "ranks (TensorDictMaxValueWriter)" }, "max-value" },
  { { "generation.memmap", NULL, "generations of rows" }, "round-robin" },
};

/* −1 on failure. */
static gint
exists (const char *directory, const char *file, ReelPathKind *kind, GError **error)
{
  g_autofree char *full = g_build_filename (directory, file, NULL);

  if (!reel_path_query (full, kind, NULL, error))
    return -1;
  return *kind != REEL_PATH_MISSING;
}

static gint
is_there (const char *part, const Trace *trace, GError **error)
{
  g_autofree char *full = g_build_filename (part, trace->file, NULL);
  g_autoptr (json_t) root = NULL;
  ReelPathKind kind;
  gint there = exists (part, trace->file, &kind, error);

  if (there < 1 || !trace->key)
    return there;
  root = reel_json_load_file (full, error);
  return root ? json_object_get (root, trace->key) != NULL : -1;
}

/* @id and @what stay as they are where there is none. */
static gboolean
find_state (const char *part, const StateTrace *traces, gsize n, const char **id, const char **what,
            GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      gint there = is_there (part, &traces[i].trace, error);

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

gboolean
reel_checkpoint_find_sampler (const char *directory, const char **id, const char **what,
                              GError **error)
{
  return find_state (directory, samplers, G_N_ELEMENTS (samplers), id, what, error);
}

static gboolean
refuse (const char *storage, const char *path, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      gint there = is_there (storage, &others[i], error);

      if (there < 0)
        return FALSE;
      if (there)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "%s: is %s; only buffers over one tensordict storage can be read", path,
                       others[i].what);
          return FALSE;
        }
    }
  return TRUE;
}

/* Trajectories say of which storage they are; cut ones are a batch. */
static gboolean
find_tensordict_format (const char *storage, const char **format, GError **error)
{
  g_autofree char *file = g_build_filename (storage, "meta.json", NULL);
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

gint
reel_checkpoint_find_format (const char *storage, const char **format, GError **error)
{
  ReelPathKind kind;
  gint there = exists (storage, "storage_metadata.json", &kind, error);

  if (there > 0)
    return find_tensordict_format (storage, format, error) ? 1 : -1;
  if (there == 0)
    there = exists (storage, REEL_CHECKPOINT_H5_FILE, &kind, error);
  if (there > 0)
    *format = "h5";
  if (there == 0)
    {
      there = exists (storage, "data_indices.json", &kind, error);
      if (there > 0)
        *format = REEL_VALUES_FORMAT;
    }
  return there;
}

static gboolean
find_format (const char *path, const char **format, GError **error)
{
  g_autofree char *storage = reel_checkpoint_part (path, "storage");
  gint there = reel_checkpoint_find_format (storage, format, error);

  return there > 0 || (there == 0 && refuse (storage, path, error));
}

static gboolean
check_is_checkpoint (const char *path, GError **error)
{
  g_autofree char *mark = reel_checkpoint_part (path, "buffer_metadata.json");
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind != REEL_PATH_DIRECTORY)
    {
      g_set_error (error, REEL_ERROR,
                   kind == REEL_PATH_MISSING ? REEL_ERROR_IO : REEL_ERROR_DAMAGED, "%s: %s", path,
                   kind == REEL_PATH_MISSING ? "there is no such directory"
                                             : "is not a directory, a checkpoint expected");
      return FALSE;
    }
  if (!reel_path_query (mark, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s: is not a replay buffer: it has no buffer_metadata.json", path);
  return kind != REEL_PATH_MISSING;
}

gboolean
reel_checkpoint_recognise (const char *path, ReelCheckpointKind *kind, GPtrArray *warnings,
                           GError **error)
{
  g_autofree char *sampler = reel_checkpoint_part (path, "sampler");
  g_autofree char *writer = reel_checkpoint_part (path, "writer");
  ReelPathKind found;

  *kind = (ReelCheckpointKind){ "random", NULL, "round-robin", NULL, "tensor" };
  if (!check_is_checkpoint (path, error) || !find_format (path, &kind->format, error)
      || !reel_checkpoint_find_sampler (sampler, &kind->sampler, &kind->sampler_state, error)
      || !reel_path_query (writer, &found, NULL, error))
    return FALSE;
  if (found == REEL_PATH_MISSING)
    kind->writer = "immutable";
  return find_state (writer, writers, G_N_ELEMENTS (writers), &kind->writer, &kind->writer_state,
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
reel_checkpoint_read_form (const char *path, GError **error)
{
  g_autoptr (ReelSidecar) sidecar = NULL;
  ReelCheckpointKind kind;

  g_return_val_if_fail (path, NULL);
  if (!reel_checkpoint_recognise_with_sidecar (path, &kind, &sidecar, error))
    return NULL;
  return g_strdup (sidecar && sidecar->checkpointer ? sidecar->checkpointer : kind.format);
}
