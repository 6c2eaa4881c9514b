/* Groups of a raw file that are numbered by their names, one a trajectory. Private to the
 * library. */
#pragma once

#include "raw-arrays.h"

G_BEGIN_DECLS

/**
 * ReelRawGroup:
 * @number: the end of its name
 * @arrays: (array length=n_arrays): the arrays in it and below it, of a list that must stay
 * @n_arrays: how many
 * @prefix: bytes of the name of an array before the name that it has in the group; 0 where a file
 *   is one group
 * @file: for the caller: which of several files it is in
 * @length: for the caller: steps
 * @at: for the caller: the row of the dataset that its first step becomes
 *
 * A group.
 */
typedef struct
{
  gint64 number;
  const ReelArrayInfo *arrays;
  guint n_arrays;
  gsize prefix;
  guint file;
  gint64 length;
  gint64 at;
} ReelRawGroup;

/**
 * reel_raw_groups_find:
 * @arrays: (element-type ReelArrayInfo): those of a file
 * @prefix: the names of groups without their number
 * @error: DAMAGED naming an array that is in no such group
 *
 * Returns: (transfer full) (element-type ReelRawGroup): the groups, by number
 */
GArray *reel_raw_groups_find (const GArray *arrays, const char *prefix, GError **error);

/**
 * reel_raw_group_name:
 * @self: a group
 * @i: which of its arrays
 *
 * Returns: (transfer none): the name that the array has in the group
 */
const char *reel_raw_group_name (const ReelRawGroup *self, guint i);

/**
 * reel_raw_group_require:
 * @self: a group
 * @name: a name in it
 * @error: DAMAGED where there is none
 *
 * Returns: (transfer none) (nullable): the array of that name, or the first below it
 */
const ReelArrayInfo *reel_raw_group_require (const ReelRawGroup *self, const char *name,
                                             GError **error);

/**
 * reel_raw_group_check_alike:
 * @self: a group, each of whose arrays has one dimension at least and a type that a tensor has
 * @first: another
 * @any_type: whether types may differ, but for complex ones
 * @error: DAMAGED naming the array that is not as in @first, with found and expected
 *
 * Returns: whether both have arrays of the same names, with rows that are alike
 */
gboolean reel_raw_group_check_alike (const ReelRawGroup *self, const ReelRawGroup *first,
                                     gboolean any_type, GError **error);

G_END_DECLS
