/* Lazy stacks, for the files of ReelTensordict; not installed. */
#pragma once

#include "lazy-stack.h"
#include "shape-operation.h"
#include "tensordict-index.h"
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
 * reel_lazy_stack_change:
 * @td: a lazy stack
 * @dim: the dimension that the result stacks along
 * @operation: a change of shape
 * @args: what each element is changed by
 * @error: as @operation says
 *
 * Returns: (transfer full): the stack of the changed elements
 */
ReelTensordict *reel_lazy_stack_change (const ReelTensordict *td, gint dim,
                                        const ReelShapeOperation *operation,
                                        const ReelShapeArgs *args, GError **error);

/**
 * reel_lazy_stack_new_part:
 * @td: a lazy stack
 * @elements: some of its elements, perhaps none
 * @error: as reel_lazy_stack_new()
 *
 * Returns: (transfer full): a stack of these along the same dimension; without any, a tensordict
 *   without entries, since nothing says which keys there are
 */
ReelTensordict *reel_lazy_stack_new_part (const ReelTensordict *td, const GPtrArray *elements,
                                          GError **error);

/**
 * reel_lazy_stack_check_size:
 * @td: a lazy stack
 * @error: RUNTIME when its elements differ in a batch dimension
 *
 * Returns: whether its batch is one of a dense tensordict
 */
gboolean reel_lazy_stack_check_size (const ReelTensordict *td, GError **error);

/**
 * reel_lazy_stack_index:
 * @td: a lazy stack
 * @index: an index
 * @error: as reel_tensordict_index()
 *
 * Returns: (transfer full): one element, indexed by the rest; a stack of some elements, indexed by
 *   the rest; where @index holds several tensors or masks over several dimensions, a dense
 *   tensordict
 */
ReelTensordict *reel_lazy_stack_index (const ReelTensordict *td, const ReelIndex *index,
                                       GError **error);

/**
 * reel_lazy_stack_assign:
 * @td: a lazy stack
 * @index: an index
 * @value: what to write
 * @check_only: whether to write nothing
 * @error: as reel_tensordict_assign()
 *
 * Writes to the elements that @index chooses, each at the rest of it.
 *
 * Returns: whether it was done, or could be
 */
gboolean reel_lazy_stack_assign (ReelTensordict *td, const ReelIndex *index,
                                 const ReelTensordict *value, gboolean check_only, GError **error);

/**
 * reel_tensordict_assign_checked:
 * @td: a tensordict
 * @index: an index
 * @value: what to write
 * @check_only: whether to write nothing
 * @error: as reel_tensordict_assign()
 *
 * Returns: whether it was done, or could be
 */
gboolean reel_tensordict_assign_checked (ReelTensordict *td, const ReelIndex *index,
                                         const ReelTensordict *value, gboolean check_only,
                                         GError **error);

/**
 * reel_tensordict_fill_under:
 * @td: a tensordict or lazy stack
 * @n_dims: how many of its batch dimensions the mask is about
 * @operation: reel_shape_masked_fill or reel_shape_masked_fill_in_place
 * @mask: bool or uint8, of at most @n_dims dimensions
 * @value: what to fill with
 * @error: as reel_tensordict_masked_fill()
 *
 * Returns: (transfer full): what is filled
 */
ReelTensordict *reel_tensordict_fill_under (const ReelTensordict *td, gint n_dims,
                                            const ReelShapeOperation *operation, ReelTensor *mask,
                                            double value, GError **error);

G_END_DECLS
