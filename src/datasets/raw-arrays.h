/* Arrays of a raw file, found by name, and the errors of what is wrong with them. Private to the
 * library. */
#pragma once

#include "raw-file.h"

G_BEGIN_DECLS

/**
 * reel_raw_find:
 * @arrays: (element-type ReelArrayInfo): those of a file
 * @name: a name
 *
 * Returns: (transfer none) (nullable): the array of that name
 */
const ReelArrayInfo *reel_raw_find (const GArray *arrays, const char *name);

/**
 * reel_raw_require:
 * @arrays: (element-type ReelArrayInfo): those of a file
 * @name: a name
 * @error: DAMAGED where there is none, with the names that there are
 *
 * Returns: (transfer none) (nullable): the array of that name
 */
const ReelArrayInfo *reel_raw_require (const GArray *arrays, const char *name, GError **error);

/**
 * reel_raw_check_rows:
 * @array: an array
 * @n_rows: rows that it must have
 * @like: the array that they follow from
 * @error: DAMAGED with what was found and expected
 *
 * Returns: whether it contains numbers or bools, in @n_rows rows
 */
gboolean reel_raw_check_rows (const ReelArrayInfo *array, gint64 n_rows, const ReelArrayInfo *like,
                              GError **error);

/**
 * reel_raw_check_alike:
 * @array: an array of one dimension at least
 * @like: another, of a part of the file that is like the part of @array
 * @error: DAMAGED with what was found and expected
 *
 * Returns: whether both have rows of the same type and shape
 */
gboolean reel_raw_check_alike (const ReelArrayInfo *array, const ReelArrayInfo *like,
                               GError **error);

/**
 * reel_raw_check_column:
 * @array: an array that reel_raw_check_rows() accepted
 * @error: DAMAGED where a row is more than one number that is not complex
 *
 * Returns: whether its shape is `[rows]` or `[rows, 1]`
 */
gboolean reel_raw_check_column (const ReelArrayInfo *array, GError **error);

/**
 * reel_raw_key:
 * @name: the name of an array below a group
 *
 * Returns: (transfer full): the path of a leaf with the same components
 */
char *reel_raw_key (const char *name);

/**
 * ReelRawName:
 * @name: of an array, or of a group of arrays
 * @key: of its leaf, or of the tensordict of its leaves
 * @use: a number of the class
 *
 * An array that a format defines.
 */
typedef struct
{
  const char *name;
  const char *key;
  int use;
} ReelRawName;

/**
 * reel_raw_find_key:
 * @known: (array zero-terminated=1): the arrays that the format defines
 * @name: the name of an array
 * @use: (out): its use; 0 for an array that the format does not define
 *
 * Returns: (transfer full): the key of its leaf
 */
char *reel_raw_find_key (const ReelRawName *known, const char *name, int *use);

G_END_DECLS
