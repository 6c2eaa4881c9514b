/* Saves tensordicts, to a directory or an archive by the suffix, and makes files for others to
 * fill. */
#include "tree-files.h"
#include "../system/directories.h"
#include "../system/files.h"
#include "save-plan.h"
#include "../tensordict/tree-private.h"

#include <string.h>

#define ARCHIVE_SUFFIX ".tdz"

static gboolean
check_options (const char *path, ReelSaveFlags flags, GError **error)
{
  ReelPathKind kind;

  if (flags & REEL_SAVE_COMPRESSED && !g_str_has_suffix (path, ARCHIVE_SUFFIX))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%s: only an archive can be compressed; give it a name that ends in "
                   "\"" ARCHIVE_SUFFIX "\"",
                   path);
      return FALSE;
    }
  if (!(flags & REEL_SAVE_NEW))
    return TRUE;
  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind != REEL_PATH_MISSING)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s: is there already; choose another name, or save without REEL_SAVE_NEW", path);
  return kind == REEL_PATH_MISSING;
}

gboolean
reel_tensordict_save (const ReelTensordict *td, const char *path, ReelSaveFlags flags,
                      GError **error)
{
  g_autoptr (ReelSavePlan) plan = NULL;

  if (!check_options (path, flags, error) || !(plan = reel_save_plan_new (td, NULL, error)))
    return FALSE;
  if (g_str_has_suffix (path, ARCHIVE_SUFFIX))
    return reel_save_archive (plan, path, flags & REEL_SAVE_COMPRESSED, FALSE, error);
  return reel_save_directory (plan, path, TRUE, NULL, error);
}

gboolean
reel_tensordict_save_summed (const ReelTensordict *td, const char *path, ReelFileSums *sums,
                             GError **error)
{
  g_autoptr (ReelSavePlan) plan = reel_tensordict_is_tree (td)
                                      ? reel_save_plan_new_tree (td, 0, error)
                                      : reel_save_plan_new (td, NULL, error);

  return plan && reel_save_directory (plan, path, FALSE, sums, error);
}

gboolean
reel_tensordict_save_streamed (const ReelTensordict *outline, const ReelLeafStreams *streams,
                               const char *path, ReelFileSums *sums, GError **error)
{
  g_autoptr (ReelSavePlan) plan = reel_save_plan_new (outline, streams, error);

  return plan && reel_save_directory (plan, path, FALSE, sums, error);
}

/* ---- like another ---- */

static gboolean
create_leaf (const char *path, gsize size, GError **error)
{
  int fd = reel_file_create (path, (gint64) size, error);

  return fd >= 0 && reel_file_close (fd, path, error);
}

static gboolean
make_directories (const ReelSavePlan *plan, const char *root, GError **error)
{
  for (guint i = 0; i < plan->directories->len; i++)
    {
      g_autofree char *path = g_build_filename (root, plan->directories->pdata[i], NULL);
      if (!reel_directory_make (path, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
create_files (const ReelSavePlan *plan, const char *root, gboolean with_leaves, GError **error)
{
  if (!make_directories (plan, root, error))
    return FALSE;
  for (guint i = with_leaves ? 0 : plan->n_leaves; i < plan->files->len; i++)
    {
      const ReelPlannedFile *file = reel_save_plan_file (plan, i);
      g_autofree char *path = g_build_filename (root, file->name, NULL);
      if (!(file->tensor
                ? create_leaf (path, reel_tensor_nbytes (file->tensor), error)
                : reel_file_write_atomic (path, file->text, strlen (file->text), FALSE, error)))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_tensordict_save_metadata (const ReelTensordict *outline, const char *path, GError **error)
{
  g_autoptr (ReelSavePlan) plan = reel_save_plan_new (outline, NULL, error);

  return plan && create_files (plan, path, FALSE, error);
}

/* As a storage of such trees makes its files. */
static ReelTensordict *
save_tree_like (const ReelTensordict *like, const char *path, GError **error)
{
  g_autoptr (ReelSavePlan) plan = reel_save_plan_new_tree (like, 0, error);
  g_autoptr (ReelTensordict) tree = NULL;
  gint64 length;

  if (!plan || !reel_directory_check_space (path, plan->n_bytes, error)
      || !create_files (plan, path, TRUE, error))
    return NULL;
  tree = reel_tree_load (path, like, REEL_LOAD_SHARED, &length, error);
  return tree && reel_tensordict_set_batch_size (tree, like->ndim, like->batch_size, error)
             ? g_steal_pointer (&tree)
             : NULL;
}

ReelTensordict *
reel_tensordict_save_like (const ReelTensordict *like, const char *path, GError **error)
{
  g_autoptr (ReelSavePlan) plan = NULL;
  gboolean archive = g_str_has_suffix (path, ARCHIVE_SUFFIX);

  if (reel_tensordict_is_tree (like))
    return save_tree_like (like, path, error);
  if ((archive && !check_options (path, REEL_SAVE_NEW, error))
      || !(plan = reel_save_plan_new (like, NULL, error)))
    return NULL;
  gboolean made = archive ? reel_save_archive (plan, path, FALSE, TRUE, error)
                          : reel_directory_check_space (path, plan->n_bytes, error)
                                && create_files (plan, path, TRUE, error);
  return made ? reel_tensordict_load (path, REEL_LOAD_SHARED, error) : NULL;
}
