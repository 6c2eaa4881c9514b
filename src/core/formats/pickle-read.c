/* Reads pickles without running anything. The opcodes and globals are those that `torch.save`
 * writes of dicts of tensors, and `pickle.dump` of dicts of plain values and of NumPy's arrays:
 * Python's Lib/pickletools.py, PyTorch's torch/serialization.py and torch/_utils.py. A container
 * that was memorised is never fetched again, so what is read is a tree, no larger than the pickle.
 */
#include "pickle-reader.h"
#include "pickle-tree.h"

#include "../tensordict/variant.h"

#include <string.h>

typedef ReelPickleItem Item;
typedef ReelPickleReader Reader;

/* ---- bytes and memo ---- */

static gboolean
take (Reader *self, gsize n, const guint8 **bytes, GError **error)
{
  if (n > (gsize) (self->end - self->at))
    return reel_pickle_fail_damaged (self, "it is cut off", error);
  *bytes = self->at;
  self->at += n;
  return TRUE;
}

/* Little-endian, as the host is. */
static gboolean
take_count (Reader *self, gsize n_bytes, guint64 *count, GError **error)
{
  const guint8 *bytes = NULL;

  *count = 0;
  if (!take (self, n_bytes, &bytes, error))
    return FALSE;
  memcpy (count, bytes, n_bytes);
  return TRUE;
}

static gboolean
push_value (Reader *self, GVariant *value)
{
  Item *item = reel_pickle_item_new (REEL_PICKLE_VALUE);

  item->value = g_variant_ref_sink (value);
  return reel_pickle_push (self, item);
}

static GPtrArray *
pop_to_mark (Reader *self, GError **error)
{
  guint n = 0;
  GPtrArray *items;

  while (n < self->stack->len
         && ((Item *) self->stack->pdata[self->stack->len - 1 - n])->kind != REEL_PICKLE_MARK)
    n++;
  if (n == self->stack->len)
    {
      reel_pickle_fail_damaged (self, "there is no mark", error);
      return NULL;
    }
  items = reel_pickle_pop_last (self, n, error);
  reel_pickle_item_unref (reel_pickle_pop (self, REEL_PICKLE_MARK, NULL));
  return items;
}

/* Numbered in the order in which Python does it. */
static gboolean
memorise (Reader *self, guint64 number, GError **error)
{
  if (self->stack->len == 0 || number != self->memo->len)
    return reel_pickle_fail_damaged (self, "a memorised object is missing, or its number is taken",
                                     error);
  g_ptr_array_add (self->memo, reel_pickle_item_ref (self->stack->pdata[self->stack->len - 1]));
  return TRUE;
}

static gboolean
is_container (const Item *item)
{
  return item->kind == REEL_PICKLE_SEQUENCE || item->kind == REEL_PICKLE_DICT
         || item->kind == REEL_PICKLE_MAP;
}

static gboolean
remember (Reader *self, guint64 number, GError **error)
{
  Item *item;

  if (number >= self->memo->len)
    return reel_pickle_fail_damaged (self, "nothing is memorised by that number", error);
  item = self->memo->pdata[number];
  /* References to containers could build graphs, or trees beyond the size of the pickle. */
  if (is_container (item))
    return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                             "a list, tuple or dict is in two places, which is unsupported");
  if (item->kind == REEL_PICKLE_MARK)
    return reel_pickle_fail_damaged (self, "a mark is memorised", error);
  return reel_pickle_push (self, reel_pickle_item_ref (item));
}

/* ---- plain values ---- */

/* The bytes of the pickle itself, which outlives its tree. */
static gboolean
push_bytes (Reader *self, const guint8 *bytes, gsize length, gboolean is_text)
{
  Item *item = reel_pickle_item_new (REEL_PICKLE_BYTES);

  item->bytes = g_bytes_new_static (bytes, length);
  item->ordered = is_text;
  return reel_pickle_push (self, item);
}

static gboolean
read_bytes (Reader *self, gsize n_bytes, GError **error)
{
  const guint8 *bytes = NULL;
  guint64 length;

  if (!self->is_tree)
    return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                             "bytes are in the place of a plain value");
  return take_count (self, n_bytes, &length, error) && take (self, length, &bytes, error)
         && push_bytes (self, bytes, length, FALSE);
}

static gboolean
read_short_bytes (Reader *self, GError **error)
{
  return read_bytes (self, 1, error);
}

static gboolean
read_bytes4 (Reader *self, GError **error)
{
  return read_bytes (self, 4, error);
}

static gboolean
read_bytes8 (Reader *self, GError **error)
{
  return read_bytes (self, 8, error);
}

static gboolean
read_text (Reader *self, gsize n_bytes, GError **error)
{
  g_autofree char *text = NULL;
  const guint8 *bytes = NULL;
  guint64 length;

  if (!take_count (self, n_bytes, &length, error) || !take (self, length, &bytes, error))
    return FALSE;
  if (self->is_tree && memchr (bytes, 0, length))
    return push_bytes (self, bytes, length, TRUE);
  if (!g_utf8_validate ((const char *) bytes, (gssize) length, NULL))
    return reel_pickle_fail_damaged (self, "a string is not UTF-8, or contains a zero", error);
  text = g_strndup ((const char *) bytes, length);
  return push_value (self, g_variant_new_string (text));
}

static gboolean
read_unicode (Reader *self, GError **error)
{
  return read_text (self, 4, error);
}

static gboolean
read_short_unicode (Reader *self, GError **error)
{
  return read_text (self, 1, error);
}

/* @n_bytes of two's complement. */
static gboolean
read_integer (Reader *self, gsize n_bytes, gboolean is_signed, GError **error)
{
  const guint shift = (guint) (8 * (sizeof (gint64) - n_bytes));
  guint64 number;

  if (!take_count (self, n_bytes, &number, error))
    return FALSE;
  if (is_signed && n_bytes > 0)
    /* Up and down again, which fills the upper bytes with the sign. */
    number = (guint64) ((gint64) (number << shift) >> shift);
  return push_value (self, g_variant_new_int64 ((gint64) number));
}

static gboolean
read_int1 (Reader *self, GError **error)
{
  return read_integer (self, 1, FALSE, error);
}

static gboolean
read_int2 (Reader *self, GError **error)
{
  return read_integer (self, 2, FALSE, error);
}

static gboolean
read_int4 (Reader *self, GError **error)
{
  return read_integer (self, 4, TRUE, error);
}

static gboolean
read_long (Reader *self, GError **error)
{
  guint64 n_bytes;

  if (!take_count (self, 1, &n_bytes, error))
    return FALSE;
  if (n_bytes > sizeof (gint64))
    return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                             "an integer of %d bytes cannot be read, only those of 8",
                             (int) n_bytes);
  return read_integer (self, n_bytes, TRUE, error);
}

static gboolean
read_float (Reader *self, GError **error)
{
  guint64 bits;
  double number;

  if (!take_count (self, sizeof bits, &bits, error))
    return FALSE;
  bits = GUINT64_FROM_BE (bits);
  memcpy (&number, &bits, sizeof number);
  return push_value (self, g_variant_new_double (number));
}

static gboolean
read_none (Reader *self, GError **error)
{
  g_autoptr (GVariant) none = reel_variant_new_none ();

  return push_value (self, none);
}

static gboolean
read_true (Reader *self, GError **error)
{
  return push_value (self, g_variant_new_boolean (TRUE));
}

static gboolean
read_false (Reader *self, GError **error)
{
  return push_value (self, g_variant_new_boolean (FALSE));
}

/* ---- containers ---- */

static gboolean
read_mark (Reader *self, GError **error)
{
  return reel_pickle_push (self, reel_pickle_item_new (REEL_PICKLE_MARK));
}

/* A container takes another in; whatever does is part of a tree from then on. */
static gboolean
deepen (Reader *self, Item *into, const Item *item, GError **error)
{
  if (!is_container (item))
    return TRUE;
  /* The item left the stack and no memo returns it, so that its depth is final. */
  into->depth = MAX (into->depth, item->depth + 1);
  return into->depth < REEL_VARIANT_MAX_DEPTH
         || reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                              "is nested more than %d levels deep, which cannot be read",
                              REEL_VARIANT_MAX_DEPTH);
}

static gboolean
append (Reader *self, Item *list, GPtrArray *items, GError **error)
{
  for (guint i = 0; i < items->len; i++)
    {
      if (!deepen (self, list, items->pdata[i], error))
        return FALSE;
      g_ptr_array_add (list->items, reel_pickle_item_ref (items->pdata[i]));
    }
  return TRUE;
}

/* Takes @items. */
static gboolean
push_tuple (Reader *self, GPtrArray *items, GError **error)
{
  g_autoptr (GPtrArray) owned = items;
  g_autoptr (ReelPickleItem) tuple = reel_pickle_container_new (REEL_PICKLE_SEQUENCE, TRUE);

  return owned && append (self, tuple, owned, error)
         && reel_pickle_push (self, g_steal_pointer (&tuple));
}

static gboolean
read_tuple (Reader *self, GError **error)
{
  return push_tuple (self, pop_to_mark (self, error), error);
}

static gboolean
read_tuple0 (Reader *self, GError **error)
{
  return reel_pickle_push (self, reel_pickle_container_new (REEL_PICKLE_SEQUENCE, TRUE));
}

static gboolean
read_tuple1 (Reader *self, GError **error)
{
  return push_tuple (self, reel_pickle_pop_last (self, 1, error), error);
}

static gboolean
read_tuple2 (Reader *self, GError **error)
{
  return push_tuple (self, reel_pickle_pop_last (self, 2, error), error);
}

static gboolean
read_tuple3 (Reader *self, GError **error)
{
  return push_tuple (self, reel_pickle_pop_last (self, 3, error), error);
}

static gboolean
read_list (Reader *self, GError **error)
{
  return reel_pickle_push (self, reel_pickle_container_new (REEL_PICKLE_SEQUENCE, FALSE));
}

/* Takes @items. */
static gboolean
append_to_top (Reader *self, GPtrArray *items, GError **error)
{
  g_autoptr (GPtrArray) owned = items;
  Item *list = owned ? reel_pickle_peek (self, REEL_PICKLE_SEQUENCE, error) : NULL;

  if (list && list->ordered)
    return reel_pickle_fail_damaged (self, "something is appended to a tuple", error);
  return list && append (self, list, owned, error);
}

static gboolean
read_append (Reader *self, GError **error)
{
  return append_to_top (self, reel_pickle_pop_last (self, 1, error), error);
}

static gboolean
read_appends (Reader *self, GError **error)
{
  return append_to_top (self, pop_to_mark (self, error), error);
}

static gboolean
read_dict (Reader *self, GError **error)
{
  return reel_pickle_push (self, self->is_tree ? reel_pickle_container_new (REEL_PICKLE_MAP, FALSE)
                                               : reel_pickle_dict_new (FALSE));
}

/* A plain value, or a list or tuple of such; NULL where there is something else in it. */
static GVariant *
to_variant (const Reader *self, const Item *item, GError **error)
{
  g_autoptr (GPtrArray) values = NULL;

  if (item->kind == REEL_PICKLE_VALUE)
    return g_variant_ref (item->value);
  if (item->kind != REEL_PICKLE_SEQUENCE)
    {
      reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                        "a %s is in the place of a plain value",
                        item->kind == REEL_PICKLE_TENSOR ? "tensor"
                        : item->kind == REEL_PICKLE_DICT ? "dict"
                                                         : "class");
      return NULL;
    }
  values = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  for (guint i = 0; i < item->items->len; i++)
    {
      GVariant *value = to_variant (self, item->items->pdata[i], error);

      if (!value)
        return NULL;
      g_ptr_array_add (values,
                       item->ordered ? value : g_variant_ref_sink (g_variant_new_variant (value)));
      if (!item->ordered)
        g_variant_unref (value);
    }
  return g_variant_ref_sink (
      item->ordered ? g_variant_new_tuple ((GVariant *const *) values->pdata, values->len)
                    : g_variant_new_array (G_VARIANT_TYPE_VARIANT,
                                           (GVariant *const *) values->pdata, values->len));
}

static gboolean
set_item (Reader *self, Item *dict, const Item *key, const Item *item, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (GVariant) value = NULL;

  if (key->kind != REEL_PICKLE_VALUE || !g_variant_is_of_type (key->value, G_VARIANT_TYPE_STRING))
    return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                             "a key of a dict is not a string, which is unsupported");
  path = reel_path_escape (g_variant_get_string (key->value, NULL));
  if (reel_tensordict_contains (dict->dict, path))
    return reel_pickle_fail (self, REEL_ERROR_DAMAGED, error, "the key \"%s\" is repeated",
                             g_variant_get_string (key->value, NULL));
  if (!deepen (self, dict, item, error))
    return FALSE;
  if (item->kind == REEL_PICKLE_TENSOR)
    return reel_tensordict_set_tensor (dict->dict, path, item->tensor, error);
  if (item->kind == REEL_PICKLE_DICT)
    return reel_tensordict_set_tensordict (dict->dict, path, item->dict, error);
  value = to_variant (self, item, error);
  return value && reel_tensordict_set_value (dict->dict, path, value, error);
}

/* Takes @items. */
static gboolean
set_items (Reader *self, GPtrArray *items, GError **error)
{
  g_autoptr (GPtrArray) owned = items;
  const ReelPickleKind kind = self->is_tree ? REEL_PICKLE_MAP : REEL_PICKLE_DICT;
  Item *dict = owned ? reel_pickle_peek (self, kind, error) : NULL;

  if (dict && owned->len % 2 != 0)
    return reel_pickle_fail_damaged (self, "a key of a dict is without a value", error);
  if (dict && self->is_tree)
    return append (self, dict, owned, error);
  for (guint i = 0; dict && i < owned->len; i += 2)
    if (!set_item (self, dict, owned->pdata[i], owned->pdata[i + 1], error))
      return FALSE;
  return dict != NULL;
}

static gboolean
read_set_item (Reader *self, GError **error)
{
  return set_items (self, reel_pickle_pop_last (self, 2, error), error);
}

static gboolean
read_set_items (Reader *self, GError **error)
{
  return set_items (self, pop_to_mark (self, error), error);
}

/* ---- the pickle ---- */

static gboolean
read_protocol (Reader *self, GError **error)
{
  guint64 version;

  if (self->at - self->begin != 1)
    return reel_pickle_fail_damaged (self, "the protocol is in the middle", error);
  if (!take_count (self, 1, &version, error))
    return FALSE;
  return (version >= 2 && version <= 4)
         || reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                              "protocol %d cannot be read, only 2 to 4", (int) version);
}

static gboolean
read_frame (Reader *self, GError **error)
{
  guint64 length;

  return take_count (self, 8, &length, error)
         && (length <= (guint64) (self->end - self->at)
             || reel_pickle_fail_damaged (self, "it is cut off", error));
}

static gboolean
read_put (Reader *self, GError **error)
{
  guint64 number;

  return take_count (self, 1, &number, error) && memorise (self, number, error);
}

static gboolean
read_long_put (Reader *self, GError **error)
{
  guint64 number;

  return take_count (self, 4, &number, error) && memorise (self, number, error);
}

static gboolean
read_memorise (Reader *self, GError **error)
{
  return memorise (self, self->memo->len, error);
}

static gboolean
read_get (Reader *self, GError **error)
{
  guint64 number;

  return take_count (self, 1, &number, error) && remember (self, number, error);
}

static gboolean
read_long_get (Reader *self, GError **error)
{
  guint64 number;

  return take_count (self, 4, &number, error) && remember (self, number, error);
}

static gboolean
read_stop (Reader *self, GError **error)
{
  self->stopped = TRUE;
  return self->at == self->end
         || reel_pickle_fail_damaged (self, "something follows its end", error);
}

/* By opcode: Lib/pickletools.py names them PROTO, FRAME, … */
static gboolean (*const actions[256]) (Reader *self, GError **error) = {
  [0x80] = read_protocol,
  [0x95] = read_frame,
  ['.'] = read_stop,
  ['('] = read_mark,
  ['q'] = read_put,
  ['r'] = read_long_put,
  [0x94] = read_memorise,
  ['h'] = read_get,
  ['j'] = read_long_get,
  ['X'] = read_unicode,
  [0x8c] = read_short_unicode,
  ['C'] = read_short_bytes,
  ['B'] = read_bytes4,
  [0x8e] = read_bytes8,
  ['K'] = read_int1,
  ['M'] = read_int2,
  ['J'] = read_int4,
  [0x8a] = read_long,
  ['G'] = read_float,
  ['N'] = read_none,
  [0x88] = read_true,
  [0x89] = read_false,
  [')'] = read_tuple0,
  ['t'] = read_tuple,
  [0x85] = read_tuple1,
  [0x86] = read_tuple2,
  [0x87] = read_tuple3,
  [']'] = read_list,
  ['a'] = read_append,
  ['e'] = read_appends,
  ['}'] = read_dict,
  ['s'] = read_set_item,
  ['u'] = read_set_items,
  ['c'] = reel_pickle_read_global,
  [0x93] = reel_pickle_read_stack_global,
  ['Q'] = reel_pickle_read_persistent,
  ['R'] = reel_pickle_read_reduce,
  ['b'] = reel_pickle_read_build,
};

static gboolean
run (Reader *self, GError **error)
{
  while (!self->stopped)
    {
      const guint8 *opcode = NULL;

      if (!take (self, 1, &opcode, error))
        return FALSE;
      if (!actions[*opcode])
        return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                                 "opcode 0x%02x cannot be read", *opcode);
      if (!actions[*opcode](self, error))
        return FALSE;
    }
  return TRUE;
}

/* The one value that it is. */
static Item *
read_root (Reader *self, GError **error)
{
  if (!run (self, error))
    return NULL;
  if (self->stack->len == 1)
    return self->stack->pdata[0];
  reel_pickle_fail_damaged (self, "it ends without one value", error);
  return NULL;
}

ReelTensordict *
reel_pickle_read (const guint8 *data, gsize length, ReelPickleStorageFunc find, gpointer source,
                  GError **error)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new_with_free_func (reel_pickle_item_unref);
  g_autoptr (GPtrArray) memo = g_ptr_array_new_with_free_func (reel_pickle_item_unref);
  Reader self = { data, data, data + length, stack, memo, find, source, FALSE, FALSE };
  const Item *dict = read_root (&self, error);

  if (!dict)
    return NULL;
  if (dict->kind == REEL_PICKLE_DICT)
    return reel_tensordict_ref (dict->dict);
  reel_pickle_fail (&self, REEL_ERROR_NOT_IMPLEMENTED, error,
                    "it is not a dict, which is unsupported");
  return NULL;
}

ReelPickleItem *
reel_pickle_read_tree (const guint8 *data, gsize length, GError **error)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new_with_free_func (reel_pickle_item_unref);
  g_autoptr (GPtrArray) memo = g_ptr_array_new_with_free_func (reel_pickle_item_unref);
  Reader self = { data, data, data + length, stack, memo, NULL, NULL, FALSE, TRUE };
  Item *root = read_root (&self, error);

  return root ? reel_pickle_item_ref (root) : NULL;
}
