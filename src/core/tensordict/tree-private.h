/* Trees, for the files of ReelTensordict; not installed. */
#pragma once

#include "tensordict-private.h"
#include "tree.h"

#include <string.h>

G_BEGIN_DECLS

/**
 * reel_tensordict_is_tree:
 * @td: a tensordict
 *
 * Returns: whether it is neither a tensordict proper nor a lazy stack of them
 */
static inline gboolean
reel_tensordict_is_tree (const ReelTensordict *td)
{
  return td->kind != REEL_TENSORDICT_DICT && td->kind != REEL_TENSORDICT_LAZY_STACK;
}

/**
 * reel_tree_check_key:
 * @td: a tensordict that is no lazy stack
 * @key: a plain key
 * @error: KEY when a list, tuple or single tensor has no such item
 *
 * Returns: whether an entry @key may be set by its path
 */
gboolean reel_tree_check_key (const ReelTensordict *td, const char *key, GError **error);

/**
 * reel_tree_check_removal:
 * @td: a tensordict that is no lazy stack
 * @key: one of its keys
 * @error: RUNTIME when it is an item of a list, tuple or single tensor
 *
 * Returns: whether an entry may be removed
 */
gboolean reel_tree_check_removal (const ReelTensordict *td, const char *key, GError **error);

/**
 * reel_tree_key_is_name:
 * @key: a plain key
 *
 * Returns: whether a file or directory of a tree can be named after it, which TorchRL does without
 *   changing a character
 */
static inline gboolean
reel_tree_key_is_name (const char *key)
{
  return *key && strcmp (key, ".") != 0 && strcmp (key, "..") != 0 && !strchr (key, '/');
}

/**
 * reel_tree_append_text:
 * @text: where to
 * @tree: a tree
 * @level: indentation of the line that it begins in, in steps of 4
 *
 * Appends what TorchRL prints of a tree in a storage: `{'a': ('Tensor(shape=…)',), 3: …}`.
 */
void reel_tree_append_text (GString *text, const ReelTensordict *tree, gint level);

/**
 * reel_tree_to_repr:
 * @tree: a tree that is no single tensor or value
 *
 * Returns: (transfer full): what Python's `repr` gives of the like list, tuple or dict
 */
char *reel_tree_to_repr (const ReelTensordict *tree);

/**
 * reel_tensordict_append_text:
 * @text: where to
 * @td: a tensordict of any kind
 * @level: indentation of the line that it begins in, in steps of 4
 */
void reel_tensordict_append_text (GString *text, const ReelTensordict *td, gint level);

G_END_DECLS
