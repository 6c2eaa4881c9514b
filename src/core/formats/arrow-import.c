/* Batches borrowed from Arrow. */
#include "arrow-column.h"
#include "../tensor/tensor-private.h"
#include "../tensordict/tensordict-private.h"

#include <stdatomic.h>
#include <string.h>

/* ---- what keeps the columns ---- */

typedef struct
{
  atomic_int ref_count;
  struct ArrowArray array; /* empty until all columns are taken */
} Loan;

static Loan *
loan_ref (Loan *loan)
{
  atomic_fetch_add_explicit (&loan->ref_count, 1, memory_order_relaxed);
  return loan;
}

static void
loan_unref (gpointer data)
{
  Loan *loan = data;

  if (atomic_fetch_sub_explicit (&loan->ref_count, 1, memory_order_acq_rel) > 1)
    return;
  if (loan->array.release)
    loan->array.release (&loan->array);
  g_free (loan);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Loan, loan_unref)

/* ---- nodes ---- */

/* Whether a struct or list is what its schema says, and has elements enough. */
static gboolean
check_node (const struct ArrowSchema *schema, const struct ArrowArray *array, gint64 begin,
            gint64 n, const char *path, GError **error)
{
  gint64 end;

  if (schema->n_children != array->n_children || array->offset < 0 || array->length < 0
      || __builtin_add_overflow (begin, n, &end) || end > array->length)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"%s\": schema and array of Arrow do not belong together: %" G_GINT64_FORMAT
                   " and %" G_GINT64_FORMAT " children, %" G_GINT64_FORMAT
                   " elements where %" G_GINT64_FORMAT " are needed",
                   path, (gint64) schema->n_children, (gint64) array->n_children,
                   (gint64) array->length, begin + n);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_no_nulls (const struct ArrowArray *array, gint64 begin, gint64 n, const char *path,
                GError **error)
{
  for (gint64 i = 0; array->null_count != 0 && i < n; i++)
    if (reel_arrow_is_null (array, array->offset + begin + i))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "\"%s\" is null at element %" G_GINT64_FORMAT
                     ", and tensors have no nulls: fill them first",
                     path, i);
        return FALSE;
      }
  return TRUE;
}

/* ---- types ---- */

/* A list of real and imaginary part, as reel_tensordict_to_arrow() makes it. */
static gboolean
is_complex (const struct ArrowSchema *schema, ReelDtype *dtype)
{
  g_autofree char *own = reel_arrow_find_metadata (schema, "reel:dtype");
  ReelDtype part;

  return own && strcmp (schema->format, "+w:2") == 0 && schema->n_children == 1
         && reel_dtype_from_name (own, dtype, NULL) && reel_dtype_is_complex (*dtype)
         && reel_arrow_dtype (schema->children[0], &part)
         && 2 * reel_dtype_size (part) == reel_dtype_size (*dtype);
}

/* ---- columns ---- */

static gboolean
enter_list (ReelArrowColumn *column, GError **error)
{
  const struct ArrowArray *array = column->array;
  guint64 size;

  if (!g_ascii_string_to_unsigned (column->schema->format + 3, 10, 0, G_MAXINT64, &size, NULL)
      || column->schema->n_children != 1)
    return reel_arrow_set_type_error (column->schema, column->path, error);
  if (!check_no_nulls (array, column->begin - array->offset, column->n, column->path, error))
    return FALSE;
  if (column->ndim == REEL_MAX_NDIM
      || __builtin_mul_overflow (column->begin, (gint64) size, &column->begin)
      || __builtin_mul_overflow (column->n, (gint64) size, &column->n))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"%s\" has lists in lists of Arrow that no tensor can be: more than %d "
                   "dimensions, or 2^63 elements",
                   column->path, REEL_MAX_NDIM);
      return FALSE;
    }
  column->shape[column->ndim++] = (gint64) size;
  column->schema = column->schema->children[0];
  column->array = array->children[0];
  if (!check_node (column->schema, column->array, column->begin, column->n, column->path, error))
    return FALSE;
  column->begin += column->array->offset;
  return TRUE;
}

static ReelTensor *
unpack_bits (const ReelArrowColumn *column, GError **error)
{
  g_autoptr (ReelTensor) tensor =
      reel_tensor_new (REEL_DTYPE_BOOL, column->ndim, column->shape, error);
  const guint8 *bits;

  if (!tensor || !reel_arrow_find_buffer (column->array, 1, column->n, column->path, &bits, error))
    return NULL;
  for (gint64 i = 0, at = column->begin; i < column->n; i++, at++)
    tensor->data[i] = bits[at / 8] >> at % 8 & 1;
  return g_steal_pointer (&tensor);
}

/* A view, or a copy of what is not aligned. The first element is @begin bytes into the buffer. */
static ReelTensor *
borrow (Loan *loan, const ReelArrowColumn *column, ReelDtype dtype, gsize begin, GError **error)
{
  gsize size = reel_dtype_size (dtype);
  const guint8 *data;

  if (!reel_shape_check (column->ndim, column->shape, size, error)
      || !reel_arrow_find_buffer (column->array, 1, column->n, column->path, &data, error))
    return NULL;
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, column->n > 0 ? (guint8 *) data + begin : NULL,
                               (gsize) column->n * size, loan_unref, loan_ref (loan));
  reel_memory_set_read_only (memory);
  g_autoptr (ReelTensor) tensor =
      reel_tensor_new_from_memory (memory, 0, dtype, column->ndim, column->shape, NULL, error);
  if (!tensor || reel_tensor_is_aligned (tensor))
    return g_steal_pointer (&tensor);
  return reel_tensor_clone (tensor, error);
}

static ReelTensor *
import_complex (Loan *loan, ReelArrowColumn *column, ReelDtype dtype, GError **error)
{
  if (!enter_list (column, error)
      || !check_no_nulls (column->array, column->begin - column->array->offset, column->n,
                          column->path, error))
    return NULL;
  column->ndim--;
  /* Two parts are one element; the first may be an odd part of the buffer. */
  column->n /= 2;
  return borrow (loan, column, dtype, (gsize) column->begin * (reel_dtype_size (dtype) / 2), error);
}

static ReelTensor *
import_numbers (Loan *loan, const ReelArrowColumn *column, GError **error)
{
  ReelDtype dtype;

  if (!reel_arrow_dtype (column->schema, &dtype))
    {
      reel_arrow_set_type_error (column->schema, column->path, error);
      return NULL;
    }
  if (!check_no_nulls (column->array, column->begin - column->array->offset, column->n,
                       column->path, error))
    return NULL;
  return column->schema->format[0] == 'b'
             ? unpack_bits (column, error)
             : borrow (loan, column, dtype, (gsize) column->begin * reel_dtype_size (dtype), error);
}

/* ---- structs ---- */

static gboolean import_struct (Loan *loan, const struct ArrowSchema *schema,
                               const struct ArrowArray *array, gint64 begin, ReelTensordict *td,
                               const char *path, GError **error);

/* @begin counts from the array's own offset on. */
static gboolean
import_field (Loan *loan, const struct ArrowSchema *schema, const struct ArrowArray *array,
              gint64 begin, const ReelTensordict *td, const char *path, ReelTensordictValue *value,
              GError **error)
{
  gint64 n = td->batch_size[0];
  ReelArrowColumn column = { .schema = schema,
                             .array = array,
                             .begin = begin + array->offset,
                             .n = n,
                             .ndim = 1,
                             .shape = { n },
                             .path = path };
  ReelDtype dtype;

  if (!check_node (schema, array, begin, n, path, error))
    return FALSE;
  if (strcmp (schema->format, "+s") == 0)
    {
      value->child = reel_tensordict_new (1, &n);
      return import_struct (loan, schema, array, begin, value->child, path, error);
    }
  while (g_str_has_prefix (column.schema->format, "+w:") && !is_complex (column.schema, &dtype))
    if (!enter_list (&column, error))
      return FALSE;
  if (is_complex (column.schema, &dtype))
    value->tensor = import_complex (loan, &column, dtype, error);
  else if (reel_arrow_is_values (column.schema))
    value->non_tensor = reel_arrow_import_values (&column, error);
  else
    value->tensor = import_numbers (loan, &column, error);
  return reel_tensordict_value_is_set (value);
}

static gboolean
check_name (const ReelTensordict *td, const char *name, const char *path, GError **error)
{
  g_autofree char *escaped =
      name && g_utf8_validate (name, -1, NULL) ? reel_path_escape (name) : NULL;

  if (escaped && !reel_tensordict_find (td, escaped, strlen (escaped)))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "%s: a field of Arrow is %s%s%s",
               *path ? path : "the tensordict", escaped ? "there twice: \"" : "without a name",
               escaped ? escaped : "", escaped ? "\"" : "");
  return FALSE;
}

static gboolean
import_struct (Loan *loan, const struct ArrowSchema *schema, const struct ArrowArray *array,
               gint64 begin, ReelTensordict *td, const char *path, GError **error)
{
  if (!check_no_nulls (array, begin, td->batch_size[0], path, error))
    return FALSE;
  for (gint64 i = 0; i < schema->n_children; i++)
    {
      const char *name = schema->children[i]->name;
      ReelTensordictValue value = { NULL };
      if (!check_name (td, name, path, error))
        return FALSE;
      g_autofree char *escaped = reel_path_escape (name);
      g_autofree char *below = g_strconcat (path, *path ? "/" : "", escaped, NULL);
      if (!import_field (loan, schema->children[i], array->children[i], array->offset + begin, td,
                         below, &value, error))
        {
          reel_tensordict_release_value (&value);
          return FALSE;
        }
      reel_tensordict_put (td, name, value);
    }
  return TRUE;
}

ReelTensordict *
reel_tensordict_from_arrow (struct ArrowSchema *schema, struct ArrowArray *array, GError **error)
{
  g_autoptr (Loan) loan = g_new0 (Loan, 1);
  g_autoptr (ReelTensordict) td = NULL;
  gint64 n = array->length;

  loan->ref_count = 1;
  if (strcmp (schema->format, "+s") != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "Arrow lends an array of type \"%s\", where a record batch, a struct, was "
                   "expected",
                   schema->format);
      return NULL;
    }
  if (!check_node (schema, array, 0, n, "", error))
    return NULL;
  td = reel_tensordict_new (1, &n);
  if (!import_struct (loan, schema, array, 0, td, "", error))
    return NULL;
  /* The batch changes hands by a copy and a cleared release. Until here the producer owns it, and a
   * failure leaves it alone. */
  loan->array = *array;
  array->release = NULL;
  schema->release (schema);
  return g_steal_pointer (&td);
}
