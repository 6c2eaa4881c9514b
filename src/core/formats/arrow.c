/* Lends the columns of a tensordict to Arrow as a struct array;
 * dimensions become fixed-size lists. */
#include "arrow-node.h"
#include "../tensordict/lazy-stack-private.h"

/* By ReelDtype; of a complex one, that of its parts. */
static const char *const formats[REEL_N_DTYPES] = {
  [REEL_DTYPE_BOOL] = "c",       [REEL_DTYPE_UINT8] = "C",     [REEL_DTYPE_INT8] = "c",
  [REEL_DTYPE_INT16] = "s",      [REEL_DTYPE_INT32] = "i",     [REEL_DTYPE_INT64] = "l",
  [REEL_DTYPE_UINT16] = "S",     [REEL_DTYPE_UINT32] = "I",    [REEL_DTYPE_UINT64] = "L",
  [REEL_DTYPE_FLOAT16] = "e",    [REEL_DTYPE_BFLOAT16] = "S",  [REEL_DTYPE_FLOAT32] = "f",
  [REEL_DTYPE_FLOAT64] = "g",    [REEL_DTYPE_COMPLEX32] = "e", [REEL_DTYPE_COMPLEX64] = "f",
  [REEL_DTYPE_COMPLEX128] = "g",
};

/* ---- tensors ---- */

static gboolean
check_lendable (const ReelTensor *tensor, const char *path, GError **error)
{
  gboolean contiguous = reel_tensor_is_contiguous (tensor);

  if (contiguous && reel_tensor_is_aligned (tensor))
    return TRUE;
  g_autofree char *shape = reel_shape_to_string (tensor->ndim, tensor->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" of shape %s is not %s, as a column of Arrow must be: copy it first", path,
               shape, contiguous ? "aligned" : "contiguous");
  return FALSE;
}

/* Facts that the type alone lacks. */
static void
annotate (struct ArrowSchema *schema, ReelDtype dtype)
{
  if (dtype == REEL_DTYPE_BOOL)
    reel_arrow_schema_annotate (
        schema, 2,
        (const char *[]){ "ARROW:extension:name", "arrow.bool8", "ARROW:extension:metadata", "" });
  else if (dtype == REEL_DTYPE_BFLOAT16 || reel_dtype_is_complex (dtype))
    reel_arrow_schema_annotate (schema, 1,
                                (const char *[]){ "reel:dtype", reel_dtype_name (dtype) });
}

static void
release_tensor (gpointer tensor)
{
  reel_tensor_unref (tensor);
}

static gboolean
export_tensor (ReelTensor *tensor, const char *name, const char *path, struct ArrowSchema *schema,
               struct ArrowArray *array, GError **error)
{
  gint64 length = reel_tensor_numel (tensor);

  if (!check_lendable (tensor, path, error))
    return FALSE;
  name = reel_arrow_export_lists (name, tensor->ndim, tensor->shape, &schema, &array);
  if (reel_dtype_is_complex (tensor->dtype))
    {
      struct ArrowSchema *pair = schema;
      const gint64 parts[2] = { length, 2 };
      name = reel_arrow_export_lists (name, 2, parts, &schema, &array);
      annotate (pair, tensor->dtype);
      length *= 2;
    }
  reel_arrow_schema_init (schema, formats[tensor->dtype], name, 0, 0);
  if (!reel_dtype_is_complex (tensor->dtype))
    annotate (schema, tensor->dtype);
  reel_arrow_array_init (array, length, 2, 0);
  reel_arrow_array_set_buffer (array, 1, tensor->data, release_tensor, reel_tensor_ref (tensor));
  return TRUE;
}

/* ---- tensordicts ---- */

static gboolean
check_batch (const ReelTensordict *td, const char *path, GError **error)
{
  if (td->ndim > 0 && !reel_tensordict_is_lazy (td))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s has no columns for Arrow: it %s",
               *path ? path : "the tensordict",
               td->ndim == 0 ? "has no batch dimension, and so no rows"
                             : "is a lazy stack, of which reel_tensordict_contiguous() makes one");
  return FALSE;
}

static gboolean
export_struct (const ReelTensordict *td, const char *name, const char *path,
               struct ArrowSchema *schema, struct ArrowArray *array, GError **error)
{
  const ReelTensordictEntry *entry;

  if (!check_batch (td, path, error))
    return FALSE;
  guint n = td->entries->len;
  gboolean done = TRUE;
  reel_arrow_schema_init (schema, "+s", name, 0, n);
  reel_arrow_array_init (array, td->batch_size[0], 1, n);
  for (guint i = 0; done && (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      g_autofree char *below = g_strconcat (path, *path ? "/" : "", entry->escaped, NULL);
      struct ArrowSchema *field = schema->children[i];
      struct ArrowArray *column = array->children[i];

      if (entry->child)
        done = export_struct (entry->child, entry->key, below, field, column, error);
      else if (entry->tensor)
        done = export_tensor (entry->tensor, entry->key, below, field, column, error);
      else
        done =
            reel_arrow_export_values (entry->non_tensor, entry->key, below, field, column, error);
    }
  return done;
}

gboolean
reel_tensordict_to_arrow (ReelTensordict *td, struct ArrowSchema *schema, struct ArrowArray *array,
                          GError **error)
{
  *schema = (struct ArrowSchema){ 0 };
  *array = (struct ArrowArray){ 0 };
  if (export_struct (td, "", "", schema, array, error))
    return TRUE;
  if (schema->release)
    schema->release (schema);
  if (array->release)
    array->release (array);
  return FALSE;
}
