/* Batches in a directory: a memory-mapped tensordict each. */
#include "checkpoint.h"

#include "../../core/system/directories.h"
#include "../../core/system/drafts.h"
#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../../core/tensordict-files/save-plan.h"
#include "checkpoint-files.h"

static gboolean
check_free (const char *path, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "cannot write %s: it exists; choose another path", path);
  return FALSE;
}

/* Where batches come from. */
typedef struct
{
  ReelBatchFunc draw;
  gpointer source;
  gint64 batch_size;
} Drawing;

static gint64
count_bytes (ReelTensordict *batch)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (batch);
  gint64 bytes = 0;

  for (char **leaf = leaves; *leaf; leaf++)
    {
      const ReelTensor *tensor = reel_tensordict_get_tensor (batch, *leaf, NULL);
      bytes += tensor ? (gint64) reel_tensor_nbytes (tensor) : 0;
    }
  return bytes;
}

/* The first batch tells how large all will be. */
static gboolean
check_space (ReelTensordict *first, gint64 n, const char *path, GError **error)
{
  gint64 bytes;

  if (__builtin_mul_overflow (count_bytes (first), n, &bytes))
    bytes = G_MAXINT64;
  return reel_directory_check_space (path, bytes, error);
}

/* All are synced together in the end. */
static gboolean
save_one (ReelTensordict *batch, const char *directory, gint64 i, GError **error)
{
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, i);
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (ReelSavePlan) plan = reel_save_plan_new (batch, NULL, error);

  return plan && reel_save_directory (plan, path, FALSE, NULL, error);
}

static gint64
count_rows (ReelTensordict *batch)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (batch, &ndim);
  gint64 rows = 1;

  for (gint d = 0; d < ndim; d++)
    rows *= size[d];
  return rows;
}

/* n becomes the number of those that there were. */
static gboolean
fill (const Drawing *self, gint64 *n, const char *path, const char *directory, gint64 *n_rows,
      GError **error)
{
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 wanted = *n;

  *n_rows = 0;
  for (*n = 0; *n < wanted; ++*n)
    {
      gboolean drawn = self->draw (self->source, self->batch_size, &batch, error);

      if (drawn && !batch)
        break;
      if (drawn && *n == 0 && !check_space (batch, wanted, path, error))
        return FALSE;
      if (!drawn || !save_one (batch, directory, *n, error))
        {
          g_prefix_error (error, "%s: batch %" G_GINT64_FORMAT ": ", path, *n);
          return FALSE;
        }
      *n_rows += count_rows (batch);
    }
  return reel_checkpoint_sync_tree (directory, error);
}

gboolean
reel_batches_save (ReelBatchFunc draw, gpointer source, gint64 batch_size, gint64 *n,
                   const char *path, gint64 *n_rows, GError **error)
{
  const Drawing drawing = { draw, source, batch_size };
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
  gint64 rows, wanted;
  gboolean filled, none;

  g_return_val_if_fail (draw && path && n && *n >= 0, FALSE);
  if (!check_free (path, error) || !reel_draft_begin (&draft, path, error))
    return FALSE;
  wanted = *n;
  filled = fill (&drawing, n, path, draft.path, n_rows ? n_rows : &rows, error);
  none = filled && *n == 0 && wanted > 0;
  return none || (filled && reel_draft_install (&draft, TRUE, error));
}

static gboolean
draw_of_buffer (gpointer source, gint64 batch_size, ReelTensordict **batch, GError **error)
{
  return reel_replay_buffer_sample (source, batch_size, batch, error);
}

gboolean
reel_replay_buffer_save_batches (ReelReplayBuffer *self, gint64 batch_size, gint64 n,
                                 const char *path, gint64 *n_rows, GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self), FALSE);
  return reel_batches_save (draw_of_buffer, self, batch_size, &n, path, n_rows, error);
}
