/* Writes pickles byte by byte as Python's pickler does with protocol 2: Lib/pickle.py, and
 * torch/_tensor.py for tensors. */
#include "pickle.h"

#include "../object/error.h"
#include "../tensordict/tensordict-private.h"
#include "../tensordict/variant.h"

#include <string.h>

#define BATCH 1000 /* items that are set at once: Pickler._BATCHSIZE */

#define ORDERED_DICT "ccollections\nOrderedDict\n"
#define REBUILD_TENSOR "ctorch._utils\n_rebuild_tensor_v2\n"

typedef struct
{
  GByteArray *bytes;
  GHashTable *memo; /* of the bytes of what was written and may come again, to its number */
  guint n_memorised;
  GPtrArray *storages; /* of ReelTensor */
} Writer;

const char *
reel_pickle_storage_class (ReelDtype dtype)
{
  static const char *const names[REEL_N_DTYPES] = {
    [REEL_DTYPE_BOOL] = "BoolStorage",
    [REEL_DTYPE_UINT8] = "ByteStorage",
    [REEL_DTYPE_INT8] = "CharStorage",
    [REEL_DTYPE_INT16] = "ShortStorage",
    [REEL_DTYPE_INT32] = "IntStorage",
    [REEL_DTYPE_INT64] = "LongStorage",
    [REEL_DTYPE_FLOAT16] = "HalfStorage",
    [REEL_DTYPE_BFLOAT16] = "BFloat16Storage",
    [REEL_DTYPE_FLOAT32] = "FloatStorage",
    [REEL_DTYPE_FLOAT64] = "DoubleStorage",
    [REEL_DTYPE_COMPLEX64] = "ComplexFloatStorage",
    [REEL_DTYPE_COMPLEX128] = "ComplexDoubleStorage",
  };

  return names[dtype];
}

/* ---- bytes and memo ---- */

static void
put (Writer *self, gconstpointer bytes, gsize n)
{
  g_byte_array_append (self->bytes, bytes, (guint) n);
}

static void
put_opcode (Writer *self, guint8 opcode)
{
  put (self, &opcode, 1);
}

/* Little-endian, as the host is; @number in the first that takes it. */
static void
put_number (Writer *self, guint8 opcode_1, guint8 opcode_4, guint number)
{
  put_opcode (self, number <= G_MAXUINT8 ? opcode_1 : opcode_4);
  put (self, &number, number <= G_MAXUINT8 ? 1 : sizeof number);
}

static void
memorise (Writer *self)
{
  put_number (self, 'q', 'r', self->n_memorised++);
}

/* A value written once, and by its number from then on. Takes @bytes. */
static void
put_shared (Writer *self, GByteArray *bytes)
{
  g_autoptr (GBytes) content = g_byte_array_free_to_bytes (bytes);
  gpointer number;

  if (g_hash_table_lookup_extended (self->memo, content, NULL, &number))
    {
      put_number (self, 'h', 'j', GPOINTER_TO_UINT (number));
      return;
    }
  put (self, g_bytes_get_data (content, NULL), g_bytes_get_size (content));
  g_hash_table_insert (self->memo, g_bytes_ref (content), GUINT_TO_POINTER (self->n_memorised));
  memorise (self);
}

static void
put_global (Writer *self, const char *opcode)
{
  put_shared (self, g_byte_array_append (g_byte_array_new (), (const guint8 *) opcode,
                                         (guint) strlen (opcode)));
}

static void
put_text (Writer *self, const char *text)
{
  const guint32 length = (guint32) strlen (text);
  GByteArray *bytes = g_byte_array_append (g_byte_array_new (), (const guint8 *) "X", 1);

  g_byte_array_append (bytes, (const guint8 *) &length, sizeof length);
  put_shared (self, g_byte_array_append (bytes, (const guint8 *) text, length));
}

/* ---- plain values ---- */

static void
put_integer (Writer *self, gint64 number)
{
  guint8 n = 1;

  if (number == (guint8) number)
    put_opcode (self, 'K');
  else if (number == (guint16) number)
    put_opcode (self, 'M');
  else if (number == (gint32) number)
    put_opcode (self, 'J');
  if (number == (gint32) number || number == (guint16) number)
    {
      put (self, &number, number == (guint8) number ? 1 : number == (guint16) number ? 2 : 4);
      return;
    }
  /* The fewest bytes of two's complement: all bits above them are the sign. */
  while (n < sizeof number && number >> (8 * n - 1) != 0 && number >> (8 * n - 1) != -1)
    n++;
  put_opcode (self, 0x8a);
  put_opcode (self, n);
  put (self, &number, n);
}

static void
put_float (Writer *self, double number)
{
  guint64 bits;

  memcpy (&bits, &number, sizeof bits);
  bits = GUINT64_TO_BE (bits);
  put_opcode (self, 'G');
  put (self, &bits, sizeof bits);
}

/* The codes before and behind the elements of a tuple of so many. */
static void
begin_tuple (Writer *self, gsize n)
{
  if (n > 3)
    put_opcode (self, '(');
}

static void
end_tuple (Writer *self, gsize n)
{
  static const guint8 opcodes[] = { ')', 0x85, 0x86, 0x87, 't' };

  put_opcode (self, opcodes[MIN (n, 4)]);
  if (n > 0)
    memorise (self);
}

static gboolean put_value (Writer *self, GVariant *value);

static gboolean
put_tuple (Writer *self, GVariant *value)
{
  gsize n = g_variant_n_children (value);
  gboolean done = TRUE;

  begin_tuple (self, n);
  for (gsize i = 0; i < n && done; i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (value, i);

      done = put_value (self, child);
    }
  end_tuple (self, n);
  return done;
}

static gboolean
put_list (Writer *self, GVariant *value)
{
  gsize n = g_variant_n_children (value);
  gboolean done = TRUE;

  put_opcode (self, ']');
  memorise (self);
  for (gsize i = 0; i < n && done; i++)
    {
      g_autoptr (GVariant) boxed = g_variant_get_child_value (value, i);
      g_autoptr (GVariant) child = g_variant_get_variant (boxed);

      if (i % BATCH == 0 && n - i > 1)
        put_opcode (self, '(');
      done = put_value (self, child);
      if (n - i == 1 && i % BATCH == 0)
        put_opcode (self, 'a');
      else if (n - i == 1 || i % BATCH == BATCH - 1)
        put_opcode (self, 'e');
    }
  return done;
}

/* Dicts among plain values are none: those of a pickle become tensordicts. */
static gboolean
put_value (Writer *self, GVariant *value)
{
  if (reel_variant_is_none (value))
    put_opcode (self, 'N');
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    put_opcode (self, g_variant_get_boolean (value) ? 0x88 : 0x89);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    put_integer (self, g_variant_get_int64 (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    put_float (self, g_variant_get_double (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    put_text (self, g_variant_get_string (value, NULL));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_TUPLE))
    return put_tuple (self, value);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE ("av")))
    return put_list (self, value);
  else
    return FALSE;
  return TRUE;
}

/* ---- tensors ---- */

static void
put_counts (Writer *self, gint n, const gint64 *counts)
{
  begin_tuple (self, (gsize) n);
  for (gint i = 0; i < n; i++)
    put_integer (self, counts[i]);
  end_tuple (self, (gsize) n);
}

/* Of a dense tensor, in elements; an empty extent counts as one. */
static void
put_strides (Writer *self, const ReelTensor *tensor)
{
  gint64 strides[REEL_MAX_NDIM], stride = 1;

  for (gint d = tensor->ndim - 1; d >= 0; d--)
    {
      strides[d] = stride;
      stride = (gint64) ((guint64) stride * (guint64) MAX (tensor->shape[d], 1));
    }
  put_counts (self, tensor->ndim, strides);
}

static void
put_storage (Writer *self, ReelTensor *tensor)
{
  g_autofree char *number = g_strdup_printf ("%u", self->storages->len);
  g_autofree char *class =
      g_strdup_printf ("ctorch\n%s\n", reel_pickle_storage_class (tensor->dtype));

  begin_tuple (self, 5);
  put_text (self, "storage");
  put_global (self, class);
  put_text (self, number);
  put_text (self, "cpu");
  put_integer (self, reel_tensor_numel (tensor));
  end_tuple (self, 5);
  put_opcode (self, 'Q');
  g_ptr_array_add (self->storages, reel_tensor_ref (tensor));
}

static void
put_ordered_dict (Writer *self)
{
  put_global (self, ORDERED_DICT);
  put (self, ")R", 2);
  memorise (self);
}

static gboolean
put_tensor (Writer *self, ReelTensor *tensor, GError **error)
{
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous (tensor, error);

  if (!dense)
    return FALSE;
  put_global (self, REBUILD_TENSOR);
  begin_tuple (self, 6);
  put_storage (self, dense);
  put_integer (self, 0);
  put_counts (self, dense->ndim, dense->shape);
  put_strides (self, dense);
  put_opcode (self, 0x89); /* it requires no gradient */
  put_ordered_dict (self); /* and has no hooks */
  end_tuple (self, 6);
  put_opcode (self, 'R');
  memorise (self);
  return TRUE;
}

/* ---- dicts ---- */

static gboolean put_items (Writer *self, const ReelTensordict *dict, GError **error);

static gboolean
put_dict (Writer *self, const ReelTensordict *dict, GError **error)
{
  put_opcode (self, '}');
  memorise (self);
  return put_items (self, dict, error);
}

static gboolean
put_entry (Writer *self, const ReelTensordictEntry *entry, GError **error)
{
  g_autoptr (GVariant) value = NULL;

  put_text (self, entry->key);
  if (entry->child)
    return put_dict (self, entry->child, error);
  if (entry->tensor && reel_pickle_storage_class (entry->tensor->dtype))
    return put_tensor (self, entry->tensor, error);
  value = entry->non_tensor ? reel_non_tensor_dup_data (entry->non_tensor) : NULL;
  if (value && put_value (self, value))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "\"%s\" is not a tensor or plain value with a simple form in PyTorch's pickles",
               entry->key);
  return FALSE;
}

static gboolean
put_items (Writer *self, const ReelTensordict *dict, GError **error)
{
  guint n = dict->entries->len;

  for (guint i = 0; i < n; i++)
    {
      if (i % BATCH == 0 && n - i > 1)
        put_opcode (self, '(');
      if (!put_entry (self, reel_tensordict_get_entry (dict, i), error))
        return FALSE;
      if (n - i == 1 && i % BATCH == 0)
        put_opcode (self, 's');
      else if (n - i == 1 || i % BATCH == BATCH - 1)
        put_opcode (self, 'u');
    }
  return TRUE;
}

/* Attributes of an OrderedDict are a dict of their own. */
static gboolean
put_metadata (Writer *self, const ReelTensordict *metadata, GError **error)
{
  put_opcode (self, '}');
  memorise (self);
  put_text (self, "_metadata");
  put_ordered_dict (self);
  if (!put_items (self, metadata, error))
    return FALSE;
  put (self, "sb", 2);
  return TRUE;
}

GByteArray *
reel_pickle_write (const ReelTensordict *dict, const ReelTensordict *metadata, GPtrArray *storages,
                   GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GHashTable) memo =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  Writer self = { bytes, memo, 0, storages };

  put (&self, "\x80\x02", 2);
  put_ordered_dict (&self);
  if (!put_items (&self, dict, error) || (metadata && !put_metadata (&self, metadata, error)))
    return NULL;
  put_opcode (&self, '.');
  return g_steal_pointer (&bytes);
}
