/* Which keys a tensordict has, and tensordicts with fewer or other keys. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * ReelKeysFlags:
 * @REEL_KEYS_DEFAULT: the keys of the tensordict itself
 * @REEL_KEYS_NESTED: and those below it; a nested tensordict stands after what it holds
 * @REEL_KEYS_LEAVES: without the keys of tensordicts
 *
 * Keys to list, and their kinds. The flags add up.
 */
typedef enum
{
  REEL_KEYS_DEFAULT = 0,
  REEL_KEYS_NESTED = 1 << 0,
  REEL_KEYS_LEAVES = 1 << 1,
} ReelKeysFlags;

/**
 * reel_tensordict_list_keys:
 * @td: a tensordict
 * @flags: which
 *
 * Returns: (transfer full) (array zero-terminated=1): their paths, in TensorDict's order; free with
 *   g_strfreev()
 */
REEL_API
char **reel_tensordict_list_keys (const ReelTensordict *td, ReelKeysFlags flags);

/**
 * reel_tensordict_empty:
 * @td: a tensordict
 * @recurse: whether to keep the nested tensordicts, empty ones too
 *
 * Returns: (transfer full): a tensordict with the batch size, device, names and class of @td, and
 *   no leaf
 */
REEL_API
ReelTensordict *reel_tensordict_empty (const ReelTensordict *td, gboolean recurse);

/**
 * reel_tensordict_pop_tensor:
 * @td: a tensordict
 * @path: a key or path
 * @error: KEY when there is none, with the keys there are; TYPE when it is no tensor; RUNTIME when
 *   locked
 *
 * Returns: (transfer full): the tensor, which @td does not hold any more
 */
REEL_API
ReelTensor *reel_tensordict_pop_tensor (ReelTensordict *td, const char *path, GError **error);

/**
 * reel_tensordict_pop_tensordict:
 * @td: a tensordict
 * @path: a key or path
 * @error: as reel_tensordict_pop_tensor()
 *
 * Returns: (transfer full): the nested tensordict, which @td does not hold any more
 */
REEL_API
ReelTensordict *reel_tensordict_pop_tensordict (ReelTensordict *td, const char *path,
                                                GError **error);

/**
 * reel_tensordict_pop_non_tensor:
 * @td: a tensordict
 * @path: a key or path
 * @error: as reel_tensordict_pop_tensor()
 *
 * Returns: (transfer full): the values, which @td does not hold any more
 */
REEL_API
ReelNonTensor *reel_tensordict_pop_non_tensor (ReelTensordict *td, const char *path,
                                               GError **error);

/**
 * reel_tensordict_select_keys:
 * @td: a tensordict
 * @paths: (array zero-terminated=1): keys or paths, in the order in which the result has them
 * @strict: whether all of them must be there
 * @error: KEY when one is missing and @strict, with the keys there are
 *
 * A path below another that is listed adds nothing. A nested tensordict of which nothing is there
 * stays, empty, where @strict is not asked for.
 *
 * Returns: (transfer full): an unlocked tensordict with these keys only: nested tensordicts made
 *   anew, leaves shared; batch size, names, device and class kept
 */
REEL_API
ReelTensordict *reel_tensordict_select_keys (const ReelTensordict *td, const char *const *paths,
                                             gboolean strict, GError **error);

/**
 * reel_tensordict_exclude_keys:
 * @td: a tensordict
 * @paths: (array zero-terminated=1): keys or paths; those that are not there are ignored
 *
 * Returns: (transfer full): an unlocked tensordict without these keys: nested tensordicts made anew
 *   and kept though they may be empty, leaves shared; batch size, names, device and class kept
 */
REEL_API
ReelTensordict *reel_tensordict_exclude_keys (const ReelTensordict *td, const char *const *paths);

/**
 * reel_tensordict_rename_key:
 * @td: a tensordict
 * @old_path: a key or path
 * @new_path: where its value goes; missing tensordicts on the way are made
 * @safe: whether to refuse a @new_path that is there already; else it is replaced
 * @error: KEY when @old_path is missing, or @new_path is there and @safe, or its class has no such
 *   field; RUNTIME when locked, or the value does not fit there
 *
 * Returns: whether it was renamed; on failure nothing is changed
 */
REEL_API
gboolean reel_tensordict_rename_key (ReelTensordict *td, const char *old_path, const char *new_path,
                                     gboolean safe, GError **error);

/**
 * reel_tensordict_flatten_keys:
 * @td: a tensordict
 * @separator: what joins the keys of a path, `.` in TensorDict
 * @error: KEY naming the paths of which another has become the same key
 *
 * Returns: (transfer full): an unlocked tensordict without nested ones, of no class, leaves shared,
 *   the key of each made of its path; names and device kept. Empty nested tensordicts leave nothing
 */
REEL_API
ReelTensordict *reel_tensordict_flatten_keys (const ReelTensordict *td, const char *separator,
                                              GError **error);

/**
 * reel_tensordict_unflatten_keys:
 * @td: a tensordict
 * @separator: what stands between the keys of a path
 * @error: KEY naming a path that is taken already; VALUE for an empty @separator
 *
 * Splits the keys of @td itself; those of nested tensordicts stay.
 *
 * Returns: (transfer full): an unlocked tensordict of no class, leaves shared, names and device
 *   kept: first what has no @separator in its key, then the rest
 */
REEL_API
ReelTensordict *reel_tensordict_unflatten_keys (const ReelTensordict *td, const char *separator,
                                                GError **error);

G_END_DECLS
