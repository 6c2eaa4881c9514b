/* The files of an archive, as a tree. */
#include "../object/error.h"
#include "file-tree.h"
#include "../formats/zip.h"

/* As json.c has it for files. */
#define MAX_JSON_SIZE ((guint64) 256 << 20)

typedef struct
{
  ReelFileTree parent;
  ReelZip *zip;
  gboolean verify;
} ArchiveTree;

static const ReelZip *
zip_of (ReelFileTree *tree)
{
  return ((ArchiveTree *) tree)->zip;
}

static char *
archive_where (ReelFileTree *tree, const char *name)
{
  return *name ? g_strconcat (tree->path, "::", name, NULL) : g_strdup (tree->path);
}

static gboolean
archive_query (ReelFileTree *tree, const char *name, ReelPathKind *kind, GError **error)
{
  *kind = REEL_PATH_FILE;
  if (*name && reel_zip_find (zip_of (tree), name))
    return TRUE;
  *kind = reel_zip_has_directory (zip_of (tree), name) ? REEL_PATH_DIRECTORY : REEL_PATH_MISSING;
  return TRUE;
}

/* No name leads to the directory of another. */
static gboolean
archive_enter (ReelFileTree *tree, const char *name, GError **error)
{
  return TRUE;
}

/* The entry, or an error that says what is there instead. */
static const ReelZipEntry *
find (ReelFileTree *tree, const char *name, const char *expected, GError **error)
{
  const ReelZipEntry *entry = reel_zip_find (zip_of (tree), name);
  g_autofree char *where = entry ? NULL : archive_where (tree, name);

  if (!entry)
    reel_path_kind_error (where, expected,
                          reel_zip_has_directory (zip_of (tree), name) ? REEL_PATH_DIRECTORY
                                                                       : REEL_PATH_MISSING,
                          error);
  return entry;
}

static json_t *
archive_read_json (ReelFileTree *tree, const char *name, GError **error)
{
  const ReelZipEntry *entry = find (tree, name, "a JSON file", error);
  g_autofree char *where = archive_where (tree, name);

  if (!entry)
    return NULL;
  if (entry->size > MAX_JSON_SIZE)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: larger than the %" G_GUINT64_FORMAT " bytes that such a file may hold",
                   where, MAX_JSON_SIZE);
      return NULL;
    }
  g_autoptr (ReelMemory) memory = reel_zip_extract (zip_of (tree), entry, error);
  return memory ? reel_json_parse (where, reel_memory_get_data (memory, NULL), entry->size, error)
                : NULL;
}

/* Why the entry cannot be a view of the archive, or %NULL. */
static const char *
reason_to_copy (const ReelZipEntry *entry, gsize alignment)
{
  if (entry->method != REEL_ZIP_STORED)
    return "compressed";
  return entry->payload % alignment != 0 ? "not aligned" : NULL;
}

static gboolean
map_entry (ReelFileTree *tree, const ReelZipEntry *entry, const char *where, gsize alignment,
           ReelMemory **memory, gsize *offset, GError **error)
{
  ArchiveTree *self = (ArchiveTree *) tree;
  const char *reason = reason_to_copy (entry, alignment);

  /* A copy would take writes that never reach the file. */
  if (reason && tree->mode == REEL_MAP_WRITE)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "%s: is %s, so that nothing written to it would reach the archive; save it "
                   "again without compression, or load it unshared",
                   where, reason);
      return FALSE;
    }
  if (reason)
    return (*memory = reel_zip_extract (self->zip, entry, error)) != NULL;
  if (self->verify && !reel_zip_check (self->zip, entry, error))
    return FALSE;
  *memory = reel_memory_ref (reel_zip_get_memory (self->zip));
  *offset = entry->payload;
  return TRUE;
}

static gboolean
archive_map (ReelFileTree *tree, const char *name, gint64 size, gsize alignment,
             ReelMemory **memory, gsize *offset, GError **error)
{
  ReelPathKind kind;
  const ReelZipEntry *entry = reel_zip_find (zip_of (tree), name);
  g_autofree char *where = archive_where (tree, name);

  if (!entry)
    {
      archive_query (tree, name, &kind, NULL);
      return kind == REEL_PATH_MISSING || reel_path_kind_error (where, "a file", kind, error);
    }
  if (entry->size >= (guint64) size)
    return map_entry (tree, entry, where, alignment, memory, offset, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: has %" G_GUINT64_FORMAT " bytes, %" G_GINT64_FORMAT " expected", where,
               entry->size, size);
  return FALSE;
}

static char **
archive_list (ReelFileTree *tree, const char *name, GError **error)
{
  return reel_zip_list (zip_of (tree), name);
}

static void
archive_close (ReelFileTree *tree)
{
  ArchiveTree *self = (ArchiveTree *) tree;

  reel_zip_close (self->zip);
  g_free (self);
}

ReelFileTree *
reel_archive_tree_new (const char *path, ReelMapMode mode, gboolean verify, GError **error)
{
  static const ReelFileTreeKind kind = {
    .where = archive_where,
    .query = archive_query,
    .enter = archive_enter,
    .read_json = archive_read_json,
    .map = archive_map,
    .list = archive_list,
    .close = archive_close,
  };
  ReelZip *zip = reel_zip_open (path, mode, error);

  if (!zip)
    return NULL;
  ArchiveTree *self = g_new0 (ArchiveTree, 1);
  self->parent = (ReelFileTree){ &kind, g_strdup (path), mode };
  self->zip = zip;
  self->verify = verify;
  return &self->parent;
}
