/* Pickles of plain values and of NumPy's arrays, read as a tree. Nothing is called, and a global
 * besides those of arrays is an error that names it. Private to the library. */
#pragma once

#include "array-info.h"

G_BEGIN_DECLS

/**
 * ReelPickleItem:
 *
 * A value of a tree, immutable. It belongs to one thread at a time.
 */
typedef struct _ReelPickleItem ReelPickleItem;

/**
 * reel_pickle_read_tree:
 * @data: (array length=length): a pickle of protocols 2 to 4, which must outlive the tree
 * @length: its bytes
 * @error: DAMAGED for what no Python wrote, with the place; NOT_IMPLEMENTED naming what is there
 *   beyond that: an opcode or a global, a container that stands twice, elements of a type or order
 *   that no tensor has
 *
 * Reads None, bools, integers of 64 bits, floats, strings, bytes, lists, tuples, dicts, and arrays
 * and scalars of NumPy (its numpy/core/multiarray, NumPy 1 and 2). Elements of arrays and bytes
 * stay where they are; the memory of the tree is bounded by @length.
 *
 * Returns: (transfer full): the root, for reel_pickle_item_unref()
 */
ReelPickleItem *reel_pickle_read_tree (const guint8 *data, gsize length, GError **error);

/**
 * reel_pickle_item_unref:
 * @item: (transfer full): a #ReelPickleItem; a pointer of any type, to free arrays with
 */
void reel_pickle_item_unref (gpointer item);

/**
 * reel_pickle_is_list:
 * @value: a value
 *
 * Returns: whether it is a list, a tuple, or an array of objects
 */
gboolean reel_pickle_is_list (const ReelPickleItem *value);

/**
 * reel_pickle_is_dict:
 * @value: a value
 *
 * Returns: whether it is a dict
 */
gboolean reel_pickle_is_dict (const ReelPickleItem *value);

/**
 * reel_pickle_count:
 * @value: a list or a dict
 *
 * Returns: its elements or members
 */
guint reel_pickle_count (const ReelPickleItem *value);

/**
 * reel_pickle_get:
 * @value: a list or a dict
 * @i: which
 *
 * Returns: (transfer none): the element, or the value of the member
 */
const ReelPickleItem *reel_pickle_get (const ReelPickleItem *value, guint i);

/**
 * reel_pickle_get_key:
 * @value: a dict
 * @i: which member
 *
 * Returns: (transfer none) (nullable): its key, %NULL where that is no string
 */
const char *reel_pickle_get_key (const ReelPickleItem *value, guint i);

/**
 * reel_pickle_find:
 * @value: any value
 * @key: a key
 *
 * Returns: (transfer none) (nullable): the member of a dict, the last of that key; else %NULL
 */
const ReelPickleItem *reel_pickle_find (const ReelPickleItem *value, const char *key);

/**
 * reel_pickle_get_plain:
 * @value: any value
 *
 * Returns: (transfer none) (nullable): a bool, an int64, a double, a string or None; %NULL for
 *   anything else
 */
GVariant *reel_pickle_get_plain (const ReelPickleItem *value);

/**
 * reel_pickle_get_bytes:
 * @value: any value
 *
 * Returns: (transfer none) (nullable): bytes, %NULL for anything else
 */
GBytes *reel_pickle_get_bytes (const ReelPickleItem *value);

/**
 * reel_pickle_get_array:
 * @value: any value
 * @data: (out) (transfer none): its elements, row-major, wherever they begin
 *
 * Returns: (transfer none) (nullable): type and shape of an array or a scalar of NumPy, without a
 *   name; %NULL for anything else
 */
const ReelArrayInfo *reel_pickle_get_array (const ReelPickleItem *value, const guint8 **data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelPickleItem, reel_pickle_item_unref)

G_END_DECLS
