/* The replies of OpenML's server, as files: which table a dataset is, and the use of its columns.
 * Private to the library. */
#pragma once

#include "../core/formats/byte-stream.h"

G_BEGIN_DECLS

/**
 * ReelOpenmlTable:
 * @path: its file, in ARFF
 * @md5: the MD5 of its text, in hexadecimal digits
 * @n_rows: how many rows it has
 * @target: the name of the column that is predicted
 * @ignored: (element-type utf8 utf8): the names of columns that are no features
 *
 * A table.
 */
typedef struct
{
  char *path;
  char *md5;
  gint64 n_rows;
  char *target;
  GHashTable *ignored;
} ReelOpenmlTable;

/**
 * reel_openml_find:
 * @from: the directory of the replies, each at the path of its URL, plain or with the suffix `.gz`
 * @name: the name of a table, in small letters
 * @version: which version
 * @error: VALUE naming the reply that is missing; DAMAGED naming reply and member; IO
 *
 * Returns: (transfer full): the table
 */
ReelOpenmlTable *reel_openml_find (const char *from, const char *name, int version, GError **error);

/**
 * reel_openml_table_free:
 * @self: (nullable) (transfer full): a table
 */
void reel_openml_table_free (ReelOpenmlTable *self);

/**
 * reel_openml_open:
 * @path: a file, which gzip packed if it ends in `.gz`
 * @error: IO
 *
 * Returns: (transfer full): its text
 */
ReelByteStream *reel_openml_open (const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelOpenmlTable, reel_openml_table_free)

G_END_DECLS
