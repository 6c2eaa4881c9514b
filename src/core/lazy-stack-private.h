/* What the files of ReelTensordict know of lazy stacks; not installed. */
#pragma once

#include "lazy-stack.h"
#include "tensordict-private.h"

G_BEGIN_DECLS

typedef ReelTensordict *(*ReelElementFunc) (ReelTensordict *element, gconstpointer data,
                                            GError **error);

/**
 * reel_tensordict_is_lazy:
 * @td: a tensordict
 *
 * Returns: whether it is a lazy stack
 */
static inline gboolean
reel_tensordict_is_lazy (const ReelTensordict *td)
{
  return td->elements != NULL;
}

/**
 * reel_lazy_stack_new_like:
 * @td: a lazy stack
 * @elements: (array length=n): new elements; references are taken
 * @n: how many; may be 0
 * @dim: the dimension that the result stacks along
 * @error: as reel_lazy_stack_new()
 *
 * Returns: (transfer full): an unlocked stack of other elements, the stack's dimension named as in
 *   @td
 */
ReelTensordict *reel_lazy_stack_new_like (const ReelTensordict *td, ReelTensordict *const *elements,
                                          gsize n, gint dim, GError **error);

/**
 * reel_lazy_stack_map:
 * @td: a lazy stack
 * @dim: the dimension that the result stacks along
 * @func: what to do with each element; returns a full reference
 * @data: for @func
 * @error: as @func
 *
 * Returns: (transfer full): the stack of what @func made of the elements
 */
ReelTensordict *reel_lazy_stack_map (const ReelTensordict *td, gint dim, ReelElementFunc func,
                                     gconstpointer data, GError **error);

/**
 * reel_tensordict_list_entries:
 * @td: a tensordict or lazy stack
 *
 * Returns: (transfer container) (element-type ReelTensordictEntry): the entries in their order; of
 *   a lazy stack, for each key that all elements have, sorted, one element's entry, whose key
 *   counts, and not its value
 */
GPtrArray *reel_tensordict_list_entries (const ReelTensordict *td);

/**
 * reel_tensordict_has_key:
 * @td: a tensordict or lazy stack
 * @escaped: one component of a path
 * @length: its bytes
 *
 * Returns: whether there is an entry; in a lazy stack, in every element
 */
gboolean reel_tensordict_has_key (const ReelTensordict *td, const char *escaped, gsize length);

/**
 * reel_tensordict_ref_entry:
 * @td: a tensordict or lazy stack
 * @escaped: one component of a path
 * @length: its bytes
 * @value: (out): what it stands for, full references; of a lazy stack, stacked
 * @error: KEY when there is none; RUNTIME when it cannot be stacked, TYPE when it is not of one
 *   kind in all elements
 *
 * Returns: whether @value was set
 */
gboolean reel_tensordict_ref_entry (const ReelTensordict *td, const char *escaped, gsize length,
                                    ReelTensordictValue *value, GError **error);

typedef ReelTensordict *(*ReelStackFunc) (ReelTensordict *const *tds, gsize n, gint dim,
                                          gconstpointer data, GError **error);

/**
 * reel_values_new:
 * @n: how many
 *
 * Returns: (transfer full) (element-type ReelTensordictValue): an array of empty values, which
 *   drops what is put there
 */
GArray *reel_values_new (gsize n);

/**
 * reel_values_stack:
 * @key: what they are, for messages
 * @values: (element-type ReelTensordictValue): values of one key, at least one
 * @dim: where the new dimension goes, 0 to their ndim
 * @nested: stacks tensordicts
 * @data: for @nested
 * @result: (out): the stack
 * @error: RUNTIME for shapes that differ, TYPE for kinds or element types; NO_SPACE
 *
 * Returns: whether @result was set
 */
gboolean reel_values_stack (const char *key, const GArray *values, gint dim, ReelStackFunc nested,
                            gconstpointer data, ReelTensordictValue *result, GError **error);

/**
 * reel_lazy_stack_select:
 * @td: a lazy stack
 * @dim: a batch dimension
 * @index: an index of it, in range unless the extent is −1
 * @error: INDEX from an element
 *
 * Returns: (transfer full): the element itself along the stack, else a stack of views
 */
ReelTensordict *reel_lazy_stack_select (const ReelTensordict *td, gint dim, gint64 index,
                                        GError **error);

/**
 * reel_lazy_stack_slice:
 * @td: a lazy stack
 * @dim: a batch dimension
 * @begin: as reel_tensordict_slice()
 * @end: as reel_tensordict_slice()
 * @step: as reel_tensordict_slice()
 * @error: VALUE for @step
 *
 * Returns: (transfer full): a stack of some of the elements, or of views; where no element is left,
 *   an empty tensordict
 */
ReelTensordict *reel_lazy_stack_slice (const ReelTensordict *td, gint dim, gint64 begin, gint64 end,
                                       gint64 step, GError **error);

/**
 * reel_lazy_stack_gather_rows:
 * @td: a lazy stack
 * @rows: (array length=n): indices of dimension 0, in range unless its extent is −1
 * @n: how many
 * @error: INDEX from an element, NO_SPACE
 *
 * Returns: (transfer full): a stack of these elements, or of copies; where no element is left, an
 *   empty tensordict
 */
ReelTensordict *reel_lazy_stack_gather_rows (const ReelTensordict *td, const gint64 *rows, gsize n,
                                             GError **error);

G_END_DECLS
