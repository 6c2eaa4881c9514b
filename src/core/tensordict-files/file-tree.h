/* Files that are found by name: those below a directory, or those in an archive. Private to the
 * library. */
#pragma once

#include "../system/files.h"
#include "../formats/json.h"
#include "../system/mapping.h"

G_BEGIN_DECLS

/**
 * REEL_FILE_TREE_DEPTH:
 *
 * The deepest that directories are followed: no tensordict nests so far, and every level takes
 * some of the stack.
 */
#define REEL_FILE_TREE_DEPTH 256

typedef struct _ReelFileTree ReelFileTree;

/**
 * ReelFileTreeKind:
 * @where: see reel_file_tree_where()
 * @query: see reel_file_tree_query()
 * @enter: see reel_file_tree_enter()
 * @read_json: see reel_file_tree_read_json()
 * @map: see reel_file_tree_map()
 * @list: see reel_file_tree_list()
 * @close: see reel_file_tree_close()
 *
 * The operations of a kind of tree. Names are relative to the root, which is the empty name.
 */
typedef struct
{
  char *(*where) (ReelFileTree *tree, const char *name);
  gboolean (*query) (ReelFileTree *tree, const char *name, ReelPathKind *kind, GError **error);
  gboolean (*enter) (ReelFileTree *tree, const char *name, GError **error);
  json_t *(*read_json) (ReelFileTree *tree, const char *name, GError **error);
  gboolean (*map) (ReelFileTree *tree, const char *name, gint64 size, gsize alignment,
                   ReelMemory **memory, gsize *offset, GError **error);
  char **(*list) (ReelFileTree *tree, const char *name, GError **error);
  void (*close) (ReelFileTree *tree);
} ReelFileTreeKind;

/**
 * ReelFileTree:
 * @kind: what it is
 * @path: its root, for messages
 * @mode: how its files are mapped
 *
 * Used by one thread at a time. Values from it outlive it.
 */
struct _ReelFileTree
{
  const ReelFileTreeKind *kind;
  char *path;
  ReelMapMode mode;
};

/**
 * reel_file_tree_open:
 * @path: a directory or a zip archive
 * @mode: how to map files
 * @verify: whether to compare the checksums of mapped files too, where there are any
 * @error: DAMAGED when it is neither, or a damaged archive; IO
 *
 * Returns: (transfer full): the tree
 */
ReelFileTree *reel_file_tree_open (const char *path, ReelMapMode mode, gboolean verify,
                                   GError **error);

/**
 * reel_file_tree_close:
 * @tree: (nullable) (transfer full): a tree
 */
void reel_file_tree_close (ReelFileTree *tree);

/**
 * reel_file_tree_where:
 * @tree: a tree
 * @name: a name in it
 *
 * Returns: (transfer full): the name as messages say it: a path, or `archive.tdz::name`
 */
char *reel_file_tree_where (ReelFileTree *tree, const char *name);

/**
 * reel_file_tree_query:
 * @tree: a tree
 * @name: a name in it
 * @kind: (out): what is there
 * @error: IO
 *
 * Returns: whether that could be found out
 */
gboolean reel_file_tree_query (ReelFileTree *tree, const char *name, ReelPathKind *kind,
                               GError **error);

/**
 * reel_file_tree_enter:
 * @tree: a tree
 * @name: a directory in it, which is about to be read
 * @error: DAMAGED when it is too deep, or was entered before by this or another name, as links
 *   make it; IO
 *
 * Keeps reading finite: each directory is entered once.
 *
 * Returns: whether to go on
 */
gboolean reel_file_tree_enter (ReelFileTree *tree, const char *name, GError **error);

/**
 * reel_file_tree_read_json:
 * @tree: a tree
 * @name: a file that holds one JSON object
 * @error: DAMAGED when it is missing, unreasonably large, no JSON or no object; IO
 *
 * Returns: (transfer full): the object
 */
json_t *reel_file_tree_read_json (ReelFileTree *tree, const char *name, GError **error);

/**
 * reel_file_tree_map:
 * @tree: a tree
 * @name: a file in it
 * @size: bytes from its beginning, more than none
 * @alignment: what its place in memory must be a multiple of, a power of two up to 64
 * @memory: (out) (transfer full) (nullable): what holds it; %NULL where nothing of this name is
 * @offset: (out): where in @memory it begins
 * @error: DAMAGED when it is shorter or no file; NOT_IMPLEMENTED where it cannot be read, or shared
 *   because it must be copied; NO_SPACE, IO
 *
 * Maps a file, or copies it where that is not possible.
 *
 * Returns: FALSE on error
 */
gboolean reel_file_tree_map (ReelFileTree *tree, const char *name, gint64 size, gsize alignment,
                             ReelMemory **memory, gsize *offset, GError **error);

/**
 * reel_file_tree_list:
 * @tree: a tree
 * @name: a directory in it
 * @error: IO
 *
 * Returns: (transfer full) (array zero-terminated=1): the names in it
 */
char **reel_file_tree_list (ReelFileTree *tree, const char *name, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelFileTree, reel_file_tree_close)

/**
 * reel_directory_tree_new:
 * @path: a directory
 * @mode: how to map files
 *
 * Returns: (transfer full): the files below it
 */
ReelFileTree *reel_directory_tree_new (const char *path, ReelMapMode mode);

/**
 * reel_archive_tree_new:
 * @path: a zip archive
 * @mode: how to map it
 * @verify: whether to compare the checksums of what is mapped
 * @error: as reel_zip_open()
 *
 * Returns: (transfer full): the files in it
 */
ReelFileTree *reel_archive_tree_new (const char *path, ReelMapMode mode, gboolean verify,
                                     GError **error);

G_END_DECLS
