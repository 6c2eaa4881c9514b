#include "record.h"
#include "lazy-stack-private.h"

#include <string.h>

/* The name without its module. */
static const char *
short_name (const char *dotted)
{
  const char *dot = strrchr (dotted, '.');

  return dot ? dot + 1 : dotted;
}

static gpointer *
member (const ReelField *field, gpointer record)
{
  return (gpointer *) ((guint8 *) record + field->offset);
}

static gpointer
member_value (const ReelField *field, gconstpointer record)
{
  return *member (field, (gpointer) record);
}

static char **
list_names (const ReelRecordType *type)
{
  char **names = g_new0 (char *, type->n_fields + 1);

  for (gsize i = 0; i < type->n_fields; i++)
    names[i] = g_strdup (type->fields[i].name);
  return names;
}

/* ---- what a field asks of its value ---- */

static gboolean
set_missing_error (const ReelRecordType *type, const ReelField *field, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "the field \"%s\" of %s is missing", field->name,
               short_name (type->name));
  return FALSE;
}

/* `[*, 4]`, or `any` */
static char *
shape_to_string (const ReelField *field)
{
  GString *text = g_string_new (field->ndim < 0 ? "any" : "[");

  for (gint i = 0; i < field->ndim; i++)
    {
      g_string_append (text, i == 0 ? "" : ", ");
      if (field->shape[i] < 0)
        g_string_append_c (text, '*');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, field->shape[i]);
    }
  g_string_append (text, field->ndim < 0 ? "" : "]");
  return g_string_free (text, FALSE);
}

static gboolean
has_shape (const ReelField *field, const ReelTensor *tensor, gint batch_dims)
{
  if (field->ndim < 0)
    return TRUE;
  if (tensor->ndim - batch_dims != field->ndim)
    return FALSE;
  for (gint i = 0; i < field->ndim; i++)
    if (field->shape[i] >= 0 && field->shape[i] != tensor->shape[batch_dims + i])
      return FALSE;
  return TRUE;
}

static gboolean
check_tensor (const ReelRecordType *type, const ReelField *field, const ReelTensor *tensor,
              gint batch_dims, GError **error)
{
  const char *name = short_name (type->name);

  if (tensor->dtype != field->dtype)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "the field \"%s\" of %s is of dtype %s, not %s", field->name, name,
                   reel_dtype_name (tensor->dtype), reel_dtype_name (field->dtype));
      return FALSE;
    }
  if (has_shape (field, tensor, batch_dims))
    return TRUE;
  g_autofree char *found =
      reel_shape_to_string (tensor->ndim - batch_dims, tensor->shape + batch_dims);
  g_autofree char *expected = shape_to_string (field);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the field \"%s\" of %s is of shape %s after the batch, not %s", field->name, name,
               found, expected);
  return FALSE;
}

/* ---- to a tensordict ---- */

static gboolean
set_field (const ReelRecordType *type, const ReelField *field, gconstpointer record,
           ReelTensordict *td, GError **error)
{
  gpointer pointer = member_value (field, record);
  g_autoptr (ReelTensordict) nested = NULL;
  ReelTensordictValue value = { NULL };

  if (!pointer)
    return field->optional || set_missing_error (type, field, error);
  switch (field->kind)
    {
    case REEL_FIELD_TENSOR: value.tensor = pointer; break;
    case REEL_FIELD_NON_TENSOR: value.non_tensor = pointer; break;
    case REEL_FIELD_TENSORDICT: value.child = pointer; break;
    case REEL_FIELD_RECORD:
      nested = reel_record_to_tensordict (field->record, pointer, td->ndim, td->batch_size, error);
      if (!nested)
        return FALSE;
      value.child = nested;
    }
  ReelTensordictValue fitting = reel_tensordict_fit_value (td, field->name, &value, error);
  if (!reel_tensordict_value_is_set (&fitting))
    return FALSE;
  reel_tensordict_put (td, field->name, fitting);
  return !value.tensor || check_tensor (type, field, value.tensor, td->ndim, error);
}

ReelTensordict *
reel_record_to_tensordict (const ReelRecordType *type, gconstpointer record, gint ndim,
                           const gint64 *batch_size, GError **error)
{
  g_auto (GStrv) names = list_names (type);

  if (!reel_shape_check (ndim, batch_size, 1, error))
    return NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (ndim, batch_size);
  reel_tensordict_set_class (td, type->name, (const char *const *) names, NULL);
  for (gsize i = 0; i < type->n_fields; i++)
    if (!set_field (type, &type->fields[i], record, td, error))
      return NULL;
  return g_steal_pointer (&td);
}

/* ---- from a tensordict ---- */

static gboolean
check_class (const ReelRecordType *type, const ReelTensordict *td, GError **error)
{
  const char *found = reel_tensordict_get_class_name (td);

  if (!found || strcmp (short_name (found), short_name (type->name)) == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "the tensordict is a %s, not a %s", found,
               type->name);
  return FALSE;
}

static gboolean
check_known (const ReelRecordType *type, const ReelTensordict *td, GError **error)
{
  g_auto (GStrv) names = list_names (type);
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (td);

  for (guint i = 0; i < entries->len; i++)
    {
      const char *key = ((const ReelTensordictEntry *) entries->pdata[i])->key;
      if (g_strv_contains ((const char *const *) names, key))
        continue;
      g_autofree char *list = g_strjoinv ("', '", names);
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "%s has no field \"%s\": its fields are {'%s'}", short_name (type->name), key,
                   list);
      return FALSE;
    }
  return TRUE;
}

static gboolean
set_kind_error (const ReelRecordType *type, const ReelField *field,
                const ReelTensordictValue *value, GError **error)
{
  const char *found = value->tensor ? "tensor" : value->child ? "tensordict" : "non-tensor";
  static const char *const kinds[] = { "tensor", "non-tensor", "tensordict", "record" };

  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "the field \"%s\" of %s is a %s, not a %s",
               field->name, short_name (type->name), found, kinds[field->kind]);
  return FALSE;
}

static gboolean
get_nested (const ReelField *field, const ReelTensordict *td, gpointer *pointer, GError **error)
{
  gpointer nested = g_malloc0 (field->record->size);

  if (!reel_record_from_tensordict (field->record, td, nested, error))
    {
      g_free (nested);
      return FALSE;
    }
  *pointer = nested;
  return TRUE;
}

/* Moves @value to the member of the struct. */
static gboolean
take_value (const ReelRecordType *type, const ReelField *field, gint batch_dims,
            ReelTensordictValue *value, gpointer *pointer, GError **error)
{
  if (field->kind == REEL_FIELD_TENSOR && value->tensor)
    {
      if (!check_tensor (type, field, value->tensor, batch_dims, error))
        return FALSE;
      *pointer = g_steal_pointer (&value->tensor);
    }
  else if (field->kind == REEL_FIELD_NON_TENSOR && value->non_tensor)
    *pointer = g_steal_pointer (&value->non_tensor);
  else if (field->kind == REEL_FIELD_TENSORDICT && value->child)
    *pointer = g_steal_pointer (&value->child);
  else if (field->kind == REEL_FIELD_RECORD && value->child)
    return get_nested (field, value->child, pointer, error);
  else
    return set_kind_error (type, field, value, error);
  return TRUE;
}

static gboolean
get_field (const ReelRecordType *type, const ReelField *field, const ReelTensordict *td,
           gpointer record, GError **error)
{
  g_autofree char *escaped = reel_path_escape (field->name);
  ReelTensordictValue value = { NULL };

  if (!reel_tensordict_has_key (td, escaped, strlen (escaped)))
    return field->optional || set_missing_error (type, field, error);
  gboolean taken = reel_tensordict_ref_entry (td, escaped, strlen (escaped), &value, error)
                   && take_value (type, field, td->ndim, &value, member (field, record), error);
  reel_tensordict_release_value (&value);
  return taken;
}

gboolean
reel_record_from_tensordict (const ReelRecordType *type, const ReelTensordict *td, gpointer record,
                             GError **error)
{
  memset (record, 0, type->size);
  if (!check_class (type, td, error) || !check_known (type, td, error))
    return FALSE;
  for (gsize i = 0; i < type->n_fields; i++)
    if (!get_field (type, &type->fields[i], td, record, error))
      {
        reel_record_clear (type, record);
        return FALSE;
      }
  return TRUE;
}

/* ---- clear ---- */

static void
clear_field (const ReelField *field, gpointer pointer)
{
  switch (field->kind)
    {
    case REEL_FIELD_TENSOR: reel_tensor_unref (pointer); break;
    case REEL_FIELD_NON_TENSOR: reel_non_tensor_unref (pointer); break;
    case REEL_FIELD_TENSORDICT: reel_tensordict_unref (pointer); break;
    case REEL_FIELD_RECORD: reel_record_clear (field->record, pointer); g_free (pointer);
    }
}

void
reel_record_clear (const ReelRecordType *type, gpointer record)
{
  for (gsize i = 0; i < type->n_fields; i++)
    if (member_value (&type->fields[i], record))
      clear_field (&type->fields[i], member_value (&type->fields[i], record));
  memset (record, 0, type->size);
}
