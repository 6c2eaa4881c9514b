/* Arrays of NumPy in pickles: numpy/core/src/multiarray (methods.c, descriptor.c, scalartypes.c) of
 * NumPy 1, and numpy/_core of NumPy 2. Nothing is called: each global stands for what it would
 * make. */
#include "numpy-types.h"
#include "pickle-reader.h"

#include <string.h>

typedef ReelPickleItem Item;
typedef ReelPickleReader Reader;

static const char *const cores[] = { "numpy.core.multiarray", "numpy._core.multiarray", NULL };
static const char *const collections[] = { "collections", NULL };
static const char *const codecs[] = { "_codecs", NULL };
static const char *const numpy[] = { "numpy", NULL };

static const struct
{
  const char *const *modules;
  const char *name;
  ReelPickleCallable callable;
} globals[] = {
  { collections, "OrderedDict", REEL_PICKLE_ORDERED_DICT },
  { cores, "_reconstruct", REEL_PICKLE_NEW_ARRAY },
  { cores, "scalar", REEL_PICKLE_NEW_SCALAR },
  { numpy, "ndarray", REEL_PICKLE_ARRAY_CLASS },
  { numpy, "dtype", REEL_PICKLE_DTYPE_CLASS },
  { codecs, "encode", REEL_PICKLE_ENCODE },
};

gboolean
reel_pickle_numpy_push_global (Reader *self, const char *module, const char *name, GError **error)
{
  Item *item;

  for (gsize i = 0; i < G_N_ELEMENTS (globals); i++)
    if (g_str_equal (globals[i].name, name) && g_strv_contains (globals[i].modules, module))
      {
        item = reel_pickle_item_new (REEL_PICKLE_GLOBAL);
        item->callable = globals[i].callable;
        return reel_pickle_push (self, item);
      }
  return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                           "the global %.100s.%.100s is refused: only plain values and arrays of "
                           "NumPy are read, and nothing is run",
                           module, name);
}

static const char *
get_text (const Item *item)
{
  GVariant *value = reel_pickle_get_plain (item);

  return value && g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
             ? g_variant_get_string (value, NULL)
             : NULL;
}

/* ---- types ---- */

/* dtype ('f4', False, True). */
static gboolean
push_type (Reader *self, const Item *arguments, GError **error)
{
  const char *code = arguments->items->len > 0 ? get_text (arguments->items->pdata[0]) : NULL;
  g_autoptr (ReelPickleItem) item = reel_pickle_item_new (REEL_PICKLE_DTYPE);
  gint dtype;

  if (!code)
    return reel_pickle_fail_damaged (self, "a type of NumPy has no code", error);
  item->ordered = *code == 'O';
  dtype = item->ordered ? 0 : reel_numpy_find_type (code);
  if (dtype < 0)
    return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                             "elements of NumPy's type \"%.20s\" cannot be read", code);
  item->dtype = (ReelDtype) dtype;
  return reel_pickle_push (self, g_steal_pointer (&item));
}

/* (version, order of the bytes, …): the host is little-endian. */
static gboolean
build_type (Reader *self, const Item *type, const Item *state, GError **error)
{
  const char *order = state->items->len >= 2 ? get_text (state->items->pdata[1]) : NULL;

  if (!order || strlen (order) != 1 || !strchr ("<>=|", *order))
    return reel_pickle_fail_damaged (self, "a type of NumPy has no order of bytes", error);
  return *order != '>' || type->ordered || reel_dtype_size (type->dtype) == 1
         || reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                              "elements with the highest byte first cannot be read");
}

/* ---- arrays ---- */

static gboolean
get_shape (const Item *tuple, ReelArrayInfo *array, gint64 *n)
{
  *n = 1;
  if (tuple->kind != REEL_PICKLE_SEQUENCE || tuple->items->len > REEL_MAX_NDIM)
    return FALSE;
  array->ndim = (gint) tuple->items->len;
  for (gint d = 0; d < array->ndim; d++)
    {
      GVariant *extent = reel_pickle_get_plain (tuple->items->pdata[d]);

      if (!extent || !g_variant_is_of_type (extent, G_VARIANT_TYPE_INT64)
          || (array->shape[d] = g_variant_get_int64 (extent)) < 0
          || __builtin_mul_overflow (*n, array->shape[d], n))
        return FALSE;
    }
  return TRUE;
}

/* An array of objects is a list of them. */
static gboolean
build_objects (Reader *self, Item *item, const Item *list, gint64 n, GError **error)
{
  if (list->kind != REEL_PICKLE_SEQUENCE || (gint64) list->items->len != n)
    return reel_pickle_fail_damaged (self, "an array of objects has not as many as its shape",
                                     error);
  item->kind = REEL_PICKLE_SEQUENCE;
  item->items = g_ptr_array_ref (list->items);
  item->depth = list->depth;
  return TRUE;
}

static gboolean
fill_array (Reader *self, Item *item, const Item *type, const ReelArrayInfo *array, gint64 n,
            const Item *elements, GError **error)
{
  gint64 n_bytes;

  if (elements->kind != REEL_PICKLE_BYTES || elements->ordered
      || __builtin_mul_overflow (n, (gint64) reel_dtype_size (type->dtype), &n_bytes)
      || (gint64) g_bytes_get_size (elements->bytes) != n_bytes)
    return reel_pickle_fail_damaged (
        self, "an array of NumPy has other bytes than its type and shape say", error);
  item->bytes = g_bytes_ref (elements->bytes);
  item->array = g_memdup2 (array, sizeof *array);
  item->array->dtype = (gint) type->dtype;
  return TRUE;
}

/* (version, shape, type, whether the first index is the fastest, elements). */
static gboolean
build_array (Reader *self, Item *item, const Item *state, GError **error)
{
  Item *const *parts = (Item *const *) state->items->pdata;
  ReelArrayInfo array = { .dtype = -1 };
  gint64 n;

  if (item->array || state->items->len != 5 || !get_shape (parts[1], &array, &n)
      || parts[2]->kind != REEL_PICKLE_DTYPE || !reel_pickle_get_plain (parts[3])
      || !g_variant_is_of_type (parts[3]->value, G_VARIANT_TYPE_BOOLEAN))
    return reel_pickle_fail_damaged (self, "an array is not in the form of NumPy", error);
  if (parts[2]->ordered)
    return build_objects (self, item, parts[4], n, error);
  if (array.ndim > 1 && g_variant_get_boolean (parts[3]->value))
    return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                             "an array whose first index is the fastest cannot be read");
  return fill_array (self, item, parts[2], &array, n, parts[4], error);
}

gboolean
reel_pickle_numpy_build (Reader *self, GError **error)
{
  g_autoptr (ReelPickleItem) state = reel_pickle_pop (self, REEL_PICKLE_SEQUENCE, error);
  Item *item = state && self->stack->len > 0 ? self->stack->pdata[self->stack->len - 1] : NULL;

  if (!state)
    return FALSE;
  if (item && item->kind == REEL_PICKLE_DTYPE)
    return build_type (self, item, state, error);
  if (item && item->kind == REEL_PICKLE_ARRAY)
    return build_array (self, item, state, error);
  return reel_pickle_fail_damaged (self, "attributes are set of a value without attributes", error);
}

/* ---- calls ---- */

/* scalar (type, element). */
static gboolean
push_scalar (Reader *self, const Item *arguments, GError **error)
{
  Item *const *parts = (Item *const *) arguments->items->pdata;
  g_autoptr (ReelPickleItem) item = reel_pickle_item_new (REEL_PICKLE_ARRAY);
  const ReelArrayInfo array = { .ndim = 0 };

  if (arguments->items->len != 2 || parts[0]->kind != REEL_PICKLE_DTYPE || parts[0]->ordered)
    return reel_pickle_fail_damaged (self, "a scalar is not in the form of NumPy", error);
  return fill_array (self, item, parts[0], &array, 1, parts[1], error)
         && reel_pickle_push (self, g_steal_pointer (&item));
}

static GBytes *
encode (const guint8 *text, gsize length)
{
  g_autofree guint8 *bytes = g_malloc (MAX (length, 1));
  gsize n = 0;

  for (const guint8 *at = text, *end = text + length; at < end; n++)
    if (*at < 0x80)
      bytes[n] = *at++;
    else if ((*at == 0xc2 || *at == 0xc3) && end - at >= 2 && (at[1] & 0xc0) == 0x80)
      {
        bytes[n] = (guint8) (*at << 6 | (at[1] & 0x3f));
        at += 2;
      }
    else
      return NULL;
  return g_bytes_new_take (g_steal_pointer (&bytes), n);
}

/* encode (text, 'latin1'): bytes, as protocol 2 writes them. */
static gboolean
push_encoded (Reader *self, const Item *arguments, GError **error)
{
  Item *const *parts = (Item *const *) arguments->items->pdata;
  g_autoptr (ReelPickleItem) item = reel_pickle_item_new (REEL_PICKLE_BYTES);
  const char *text = arguments->items->len == 2 ? get_text (parts[0]) : NULL;

  if (arguments->items->len != 2 || g_strcmp0 (get_text (parts[1]), "latin1") != 0)
    return reel_pickle_fail_damaged (self, "bytes are encoded in another way than latin1", error);
  if (text)
    item->bytes = encode ((const guint8 *) text, strlen (text));
  else if (parts[0]->kind == REEL_PICKLE_BYTES && parts[0]->ordered)
    item->bytes =
        encode (g_bytes_get_data (parts[0]->bytes, NULL), g_bytes_get_size (parts[0]->bytes));
  if (!item->bytes)
    return reel_pickle_fail_damaged (self, "bytes are encoded from other text than latin1", error);
  return reel_pickle_push (self, g_steal_pointer (&item));
}

/* _reconstruct (ndarray, (0,), b'b'): an array whose elements follow. */
static gboolean
push_array (Reader *self, const Item *arguments, GError **error)
{
  const Item *klass = arguments->items->len == 3 ? arguments->items->pdata[0] : NULL;

  if (!klass || klass->kind != REEL_PICKLE_GLOBAL || klass->callable != REEL_PICKLE_ARRAY_CLASS)
    return reel_pickle_fail_damaged (self, "an array is not in the form of NumPy", error);
  return reel_pickle_push (self, reel_pickle_item_new (REEL_PICKLE_ARRAY));
}

gboolean
reel_pickle_numpy_reduce (Reader *self, const Item *callable, const Item *arguments, GError **error)
{
  switch (callable->callable)
    {
    case REEL_PICKLE_NEW_ARRAY: return push_array (self, arguments, error);
    case REEL_PICKLE_NEW_SCALAR: return push_scalar (self, arguments, error);
    case REEL_PICKLE_DTYPE_CLASS: return push_type (self, arguments, error);
    case REEL_PICKLE_ENCODE: return push_encoded (self, arguments, error);
    case REEL_PICKLE_ORDERED_DICT:
      if (arguments->items->len == 0)
        return reel_pickle_push (self, reel_pickle_container_new (REEL_PICKLE_MAP, FALSE));
      break;
    default: break;
    }
  return reel_pickle_fail_damaged (
      self, "something is called in a way in which NumPy calls nothing", error);
}
