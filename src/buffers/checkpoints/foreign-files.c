/* Looks for files that no checkpoint has, by name, before a directory is replaced. */
#include "foreign-files.h"

#include "../../core/system/directories.h"
#include "../../core/object/error.h"
#include "../../core/system/file-ops.h"
#include "../../core/tensordict-files/memmap-format.h"
#include "../storages/ring.h"
#include "buffer-files.h"
#include "run-state.h"

#include <errno.h>
#include <unistd.h>

/* ---- names ---- */

static gboolean
is_temporary (const char *name)
{
  return name[0] == '.' && g_str_has_suffix (name, REEL_TEMPORARY_SUFFIX);
}

static gboolean
is_root_file (const char *name)
{
  static const char *const names[] = { "buffer_metadata.json",
                                       REEL_SIDECAR_FILE,
                                       REEL_RING_FILE,
                                       REEL_RUN_STATE_FILE,
                                       "transform.t",
                                       "prefetch.pkl",
                                       NULL };

  return g_strv_contains (names, name) || is_temporary (name);
}

static gboolean
is_root_directory (const char *name)
{
  static const char *const names[] = {
    "storage", "writer", "sampler", "prefetch", "rng_state", NULL
  };

  return g_strv_contains (names, name) || is_temporary (name);
}

static gboolean
is_part_file (const char *name)
{
  static const char *const names[] = { REEL_MEMMAP_METADATA,
                                       REEL_MEMMAP_PICKLED_DATA,
                                       REEL_MEMMAP_PICKLED_LIST,
                                       REEL_CHECKPOINT_H5_FILE,
                                       REEL_SIDECAR_FILE,
                                       "metadata.json",
                                       "storage_metadata.json",
                                       "sampler_metadata.json",
                                       "data_indices.json",
                                       "consuming_sampler.pt",
                                       NULL };

  return g_strv_contains (names, name) || g_str_has_suffix (name, REEL_MEMMAP_SUFFIX)
         || g_str_has_suffix (name, "_transform.pt") || is_temporary (name);
}

static gboolean
is_leaf_file (const char *name)
{
  return g_str_equal (name, REEL_MEMMAP_METADATA) || g_str_has_suffix (name, REEL_MEMMAP_SUFFIX);
}

static gboolean
is_dataset_file (const char *name)
{
  return is_leaf_file (name) || g_str_equal (name, REEL_DATASET_FILE);
}

/* Names at a level: the root of a checkpoint, or below. Directories below are keys of nested
 * tensordicts and numbers of members, of any name. */
typedef struct _Level Level;
struct _Level
{
  const char *whole; /* to which the names belong */
  gboolean (*is_file) (const char *name);
  gboolean (*is_directory) (const char *name);
  const Level *below;
};

static const Level part = { "checkpoint", is_part_file, NULL, &part };
static const Level root = { "checkpoint", is_root_file, is_root_directory, &part };
static const Level leaves = { "dataset", is_leaf_file, NULL, &leaves };
static const Level dataset = { "dataset", is_dataset_file, NULL, &leaves };

/* ---- the tree ---- */

static gboolean check_directory (const char *path, const Level *level, GError **error);

static gboolean
check_entry (const char *path, const char *name, const Level *level, GError **error)
{
  struct stat status;

  if (TEMP_FAILURE_RETRY (reel_file_ops ()->fstatat (AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW))
      != 0)
    {
      reel_set_error_errno (error, errno, "%s: could not be examined", path);
      return FALSE;
    }
  if (S_ISDIR (status.st_mode) && (!level->is_directory || level->is_directory (name)))
    return check_directory (path, level->below, error);
  if (!S_ISDIR (status.st_mode) && level->is_file (name))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: is not part of the %s that is to be replaced; move it away, or choose another "
               "path",
               path, level->whole);
  return FALSE;
}

static gboolean
check_directory (const char *path, const Level *level, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (path, error);

  if (!names)
    return FALSE;
  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *below = g_build_filename (path, names[i], NULL);

      if (!check_entry (below, names[i], level, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_checkpoint_check_foreign (const char *path, GError **error)
{
  return check_directory (path, &root, error);
}

gboolean
reel_part_check_foreign (const char *path, GError **error)
{
  return check_directory (path, &part, error);
}

gboolean
reel_dataset_check_foreign (const char *path, GError **error)
{
  return check_directory (path, &dataset, error);
}
