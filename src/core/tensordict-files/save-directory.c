/* Saves tensordicts into directories: all files under other names, then synced, then renamed,
 * metadata last. */
#include "../system/directories.h"
#include "../system/files.h"
#include "../system/parallel.h"
#include "save-plan.h"

#include <string.h>

/* Files synced by one thread in one go. */
#define SYNC_GROUP 64

/* A file on its way. */
typedef struct
{
  char *temporary; /* NULL before it is written and once it is in place */
  GArray *sums;    /* of its blocks, once it is written, if they are asked for */
} Draft;

typedef struct
{
  const ReelSavePlan *plan;
  const char *root;
  gboolean durable;
  ReelFileSums *sums;
  Draft *drafts; /* one a file */
} Save;

static char *
path_below (const Save *save, const char *name)
{
  return *name ? g_build_filename (save->root, name, NULL) : g_strdup (save->root);
}

/* ---- directories ---- */

/* A link would lead the files elsewhere; tensordict refuses it too. */
static gboolean
make_directories (const Save *save, GError **error)
{
  gboolean (*make_root) (const char *path, GError **error) =
      save->durable ? reel_directory_make_durable : reel_directory_make;

  for (guint i = 0; i < save->plan->directories->len; i++)
    {
      const char *name = save->plan->directories->pdata[i];
      g_autofree char *path = path_below (save, name);
      if (!(*name ? reel_directory_make_unlinked : make_root) (path, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
sync_directories (const Save *save, GError **error)
{
  for (guint i = 0; save->durable && i < save->plan->directories->len; i++)
    {
      g_autofree char *path = path_below (save, save->plan->directories->pdata[i]);
      if (!reel_directory_sync (path, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- files ---- */

/* A view of whatever strides, along its first dimension. */
static gboolean
write_strided (ReelTensor *tensor, ReelFileStream *to, GError **error)
{
  gsize row_bytes = reel_tensor_nbytes (tensor) / (gsize) MAX (tensor->shape[0], 1);
  gint64 part = reel_row_stream_part (row_bytes);

  for (gint64 begin = 0; begin < tensor->shape[0]; begin += part)
    {
      g_autoptr (ReelTensor) rows = reel_tensor_slice (tensor, 0, begin, begin + part, 1, error);
      g_autoptr (ReelTensor) dense = rows ? reel_tensor_contiguous (rows, error) : NULL;

      if (!dense || !reel_file_stream_write (to, dense->data, reel_tensor_nbytes (dense), error))
        return FALSE;
    }
  return TRUE;
}

static gint64
count_bytes (const ReelPlannedFile *file)
{
  if (file->text)
    return (gint64) strlen (file->text);
  return file->stream ? file->stream->n_rows * (gint64) file->stream->row_bytes
                      : (gint64) reel_tensor_nbytes (file->tensor);
}

static gboolean
write_content (const ReelPlannedFile *file, ReelFileStream *to, GError **error)
{
  if (file->text)
    return reel_file_stream_write (to, file->text, strlen (file->text), error);
  if (file->stream)
    return reel_row_stream_write (file->stream, to, error);
  if (!reel_tensor_is_contiguous (file->tensor))
    return write_strided (file->tensor, to, error);
  return reel_file_stream_write (to, file->tensor->data, reel_tensor_nbytes (file->tensor), error);
}

static gboolean
write_file (gpointer data, gint64 item, GError **error)
{
  Save *save = data;
  Draft *draft = &save->drafts[item];
  const ReelPlannedFile *file = reel_save_plan_file (save->plan, (guint) item);
  g_autofree char *path = path_below (save, file->name);
  int fd = reel_file_begin_temporary (path, &draft->temporary, error);
  ReelFileStream stream;
  gboolean written;

  if (fd < 0)
    return FALSE;
  reel_file_stream_begin (&stream, fd, draft->temporary, count_bytes (file),
                          save->sums ? save->sums->block : 0);
  written =
      reel_file_stream_end (&stream, write_content (file, &stream, error), &draft->sums, error);
  return reel_file_end_temporary (fd, path, written, error);
}

static gboolean
sync_group (gpointer data, gint64 item, GError **error)
{
  Save *save = data;
  ReelFileHandle handles[SYNC_GROUP];
  guint first = (guint) item * SYNC_GROUP, n = MIN (save->plan->files->len - first, SYNC_GROUP);

  for (guint i = 0; i < n; i++)
    handles[i] = (ReelFileHandle){ save->drafts[first + i].temporary, -1 };
  return reel_files_sync (handles, n, NULL, 0, error);
}

static gboolean
sync_files (Save *save, gint64 n_threads, GError **error)
{
  gint64 n_groups = ((gint64) save->plan->files->len + SYNC_GROUP - 1) / SYNC_GROUP;

  return !save->durable || reel_parallel_run (n_threads, n_groups, sync_group, save, error);
}

static gboolean
put_in_place (Save *save, GError **error)
{
  for (guint i = 0; i < save->plan->files->len; i++)
    {
      Draft *draft = &save->drafts[i];
      g_autofree char *path = path_below (save, reel_save_plan_file (save->plan, i)->name);

      if (!reel_file_rename (draft->temporary, path, error))
        return FALSE;
      g_clear_pointer (&draft->temporary, g_free);
      if (draft->sums)
        reel_file_sums_set (save->sums, path, g_steal_pointer (&draft->sums));
    }
  return TRUE;
}

static gboolean
remove_stale (const Save *save, GError **error)
{
  for (guint i = 0; i < save->plan->stale->len; i++)
    {
      g_autofree char *path = path_below (save, save->plan->stale->pdata[i]);
      if (!reel_directory_remove (path, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_files (Save *save, GError **error)
{
  gint64 n_threads = reel_save_plan_threads (save->plan);

  /* A failure before the first rename replaces no file. Renames follow the plan: leaves, then the
   * metadata that describe them. */
  return reel_parallel_run (n_threads, save->plan->files->len, write_file, save, error)
         && sync_files (save, n_threads, error) && put_in_place (save, error)
         && remove_stale (save, error);
}

gboolean
reel_save_directory (const ReelSavePlan *plan, const char *path, gboolean durable,
                     ReelFileSums *sums, GError **error)
{
  guint n_files = plan->files->len;
  g_autofree Draft *drafts = g_new0 (Draft, n_files);
  Save save = { plan, path, durable, sums, drafts };

  if (!reel_directory_check_space (path, plan->n_bytes, error) || !make_directories (&save, error))
    return FALSE;
  gboolean saved = write_files (&save, error) && sync_directories (&save, error);
  for (guint i = 0; i < n_files; i++)
    {
      g_clear_pointer (&drafts[i].sums, g_array_unref);
      if (!drafts[i].temporary)
        continue;
      reel_file_remove (drafts[i].temporary, NULL);
      g_free (drafts[i].temporary);
    }
  return saved;
}
