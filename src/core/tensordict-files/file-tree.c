/* Directories and archives behind one table of functions, and the bound of their depth. */
#include "file-tree.h"

#include "../object/error.h"

#include <string.h>

ReelFileTree *
reel_file_tree_open (const char *path, ReelMapMode mode, gboolean verify, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return NULL;
  if (kind == REEL_PATH_DIRECTORY)
    return reel_directory_tree_new (path, mode);
  if (kind == REEL_PATH_FILE)
    return reel_archive_tree_new (path, mode, verify, error);
  reel_path_kind_error (path, "a directory or an archive", kind, error);
  return NULL;
}

void
reel_file_tree_close (ReelFileTree *tree)
{
  if (!tree)
    return;
  g_free (tree->path);
  tree->kind->close (tree);
}

char *
reel_file_tree_where (ReelFileTree *tree, const char *name)
{
  return tree->kind->where (tree, name);
}

gboolean
reel_file_tree_query (ReelFileTree *tree, const char *name, ReelPathKind *kind, GError **error)
{
  return tree->kind->query (tree, name, kind, error);
}

gboolean
reel_file_tree_enter (ReelFileTree *tree, const char *name, GError **error)
{
  guint depth = *name ? 1 : 0;

  for (const char *at = name; (at = strchr (at, '/')); at++)
    depth++;
  if (depth <= REEL_FILE_TREE_DEPTH)
    return tree->kind->enter (tree, name, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: holds directories more than %d levels deep, which no tensordict does",
               tree->path, REEL_FILE_TREE_DEPTH);
  return FALSE;
}

json_t *
reel_file_tree_read_json (ReelFileTree *tree, const char *name, GError **error)
{
  return tree->kind->read_json (tree, name, error);
}

gboolean
reel_file_tree_map (ReelFileTree *tree, const char *name, gint64 size, gsize alignment,
                    ReelMemory **memory, gsize *offset, GError **error)
{
  *memory = NULL;
  *offset = 0;
  return tree->kind->map (tree, name, size, alignment, memory, offset, error);
}

char **
reel_file_tree_list (ReelFileTree *tree, const char *name, GError **error)
{
  return tree->kind->list (tree, name, error);
}
