/* The files of a directory, as a tree. */
#include "../system/directories.h"
#include "../object/error.h"
#include "../system/file-ops.h"
#include "file-tree.h"
#include "../tensor/mapped-memory.h"

#include <errno.h>

/* A directory, whichever name leads to it. */
typedef struct
{
  guint64 device, inode;
} Identity;

typedef struct
{
  ReelFileTree parent;
  GHashTable *entered; /* set of Identity */
} DirectoryTree;

static guint
hash_identity (gconstpointer key)
{
  const Identity *identity = key;

  return (guint) (identity->inode * 31 + identity->device);
}

static gboolean
equal_identities (gconstpointer a, gconstpointer b)
{
  const Identity *first = a, *second = b;

  return first->inode == second->inode && first->device == second->device;
}

static char *
directory_where (ReelFileTree *tree, const char *name)
{
  return *name ? g_build_filename (tree->path, name, NULL) : g_strdup (tree->path);
}

static gboolean
directory_query (ReelFileTree *tree, const char *name, ReelPathKind *kind, GError **error)
{
  g_autofree char *path = directory_where (tree, name);

  return reel_path_query (path, kind, NULL, error);
}

static gboolean
directory_enter (ReelFileTree *tree, const char *name, GError **error)
{
  DirectoryTree *self = (DirectoryTree *) tree;
  g_autofree char *path = directory_where (tree, name);
  struct stat status;

  if (TEMP_FAILURE_RETRY (reel_file_ops ()->fstatat (AT_FDCWD, path, &status, 0)) != 0)
    {
      reel_set_error_errno (error, errno, "%s: could not be examined", path);
      return FALSE;
    }
  const Identity identity = { status.st_dev, status.st_ino };
  if (g_hash_table_add (self->entered, g_memdup2 (&identity, sizeof identity)))
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_DAMAGED,
      "%s: is a directory of another key too, by a link; each needs a directory of its own", path);
  return FALSE;
}

static json_t *
directory_read_json (ReelFileTree *tree, const char *name, GError **error)
{
  g_autofree char *path = directory_where (tree, name);

  return reel_json_load_file (path, error);
}

/* Opens first and asks later: most leaves are there. */
static gboolean
directory_map (ReelFileTree *tree, const char *name, gint64 size, gsize alignment,
               ReelMemory **memory, gsize *offset, GError **error)
{
  g_autofree char *path = directory_where (tree, name);
  g_autoptr (GError) fault = NULL;
  ReelPathKind kind;

  /* A link could make writes reach a file of another directory. */
  if (tree->mode == REEL_MAP_WRITE && !reel_path_check_inside (path, tree->path, error))
    return FALSE;
  *memory = reel_memory_new_mapped (REEL_MEMORY_FILE, path, -1, tree->mode, size, &fault);
  if (*memory)
    return TRUE;
  if (reel_path_query (path, &kind, NULL, NULL) && kind != REEL_PATH_FILE)
    {
      g_autofree char *what = g_strdup_printf ("a file of %" G_GINT64_FORMAT " bytes", size);
      return kind == REEL_PATH_MISSING || reel_path_kind_error (path, what, kind, error);
    }
  g_propagate_error (error, g_steal_pointer (&fault));
  return FALSE;
}

static char **
directory_list (ReelFileTree *tree, const char *name, GError **error)
{
  g_autofree char *path = directory_where (tree, name);

  return reel_directory_list (path, error);
}

static void
directory_close (ReelFileTree *tree)
{
  DirectoryTree *self = (DirectoryTree *) tree;

  g_hash_table_unref (self->entered);
  g_free (self);
}

ReelFileTree *
reel_directory_tree_new (const char *path, ReelMapMode mode)
{
  static const ReelFileTreeKind kind = {
    .where = directory_where,
    .query = directory_query,
    .enter = directory_enter,
    .read_json = directory_read_json,
    .map = directory_map,
    .list = directory_list,
    .close = directory_close,
  };
  DirectoryTree *self = g_new0 (DirectoryTree, 1);

  self->parent = (ReelFileTree){ &kind, g_strdup (path), mode };
  self->entered = g_hash_table_new_full (hash_identity, equal_identities, g_free, NULL);
  return &self->parent;
}
