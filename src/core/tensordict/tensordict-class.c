/* Tensordicts with fields of a class. */
#include "tensordict-private.h"

struct _ReelTensordictClass
{
  atomic_int ref_count;
  char *name;    /* dotted */
  char **fields; /* in the order of their declaration */
};

ReelTensordictClass *
reel_tensordict_class_ref (ReelTensordictClass *record_class)
{
  if (record_class)
    atomic_fetch_add_explicit (&record_class->ref_count, 1, memory_order_relaxed);
  return record_class;
}

void
reel_tensordict_class_unref (ReelTensordictClass *record_class)
{
  if (!record_class
      || atomic_fetch_sub_explicit (&record_class->ref_count, 1, memory_order_acq_rel) > 1)
    return;
  g_free (record_class->name);
  g_strfreev (record_class->fields);
  g_free (record_class);
}

static ReelTensordictClass *
class_new (const char *name, const char *const *fields)
{
  ReelTensordictClass *record_class = g_new (ReelTensordictClass, 1);

  *record_class = (ReelTensordictClass){ .ref_count = 1,
                                         .name = g_strdup (name),
                                         .fields = g_strdupv ((char **) fields) };
  return record_class;
}

/* A set of fields as Python prints it, in the order of the declaration: `{'a', 'b'}`. */
static char *
fields_to_string (const char *const *fields)
{
  GString *text = g_string_new ("{");

  for (gsize i = 0; fields[i]; i++)
    g_string_append_printf (text, "%s'%s'", i == 0 ? "" : ", ", fields[i]);
  g_string_append_c (text, '}');
  return g_string_free (text, FALSE);
}

gboolean
reel_tensordict_set_class (ReelTensordict *td, const char *name, const char *const *fields,
                           GError **error)
{
  const ReelTensordictEntry *entry;

  if (!reel_tensordict_check_unlocked (td, error))
    return FALSE;
  for (guint i = 0; name && (entry = reel_tensordict_get_entry (td, i)); i++)
    if (!g_strv_contains (fields, entry->key))
      {
        g_autofree char *expected = fields_to_string (fields);
        g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                     "the key \"%s\" of the tensordict is not a field of %s, which has %s",
                     entry->key, name, expected);
        return FALSE;
      }
  reel_tensordict_class_unref (td->record_class);
  td->record_class = name ? class_new (name, fields) : NULL;
  return TRUE;
}

const char *
reel_tensordict_get_class_name (const ReelTensordict *td)
{
  return td->record_class ? td->record_class->name : NULL;
}

const char *const *
reel_tensordict_get_class_fields (const ReelTensordict *td)
{
  return td->record_class ? (const char *const *) td->record_class->fields : NULL;
}

gboolean
reel_tensordict_check_field (const ReelTensordict *td, const char *key, GError **error)
{
  const char *const *fields = reel_tensordict_get_class_fields (td);

  if (!fields || g_strv_contains (fields, key))
    return TRUE;

  g_autofree char *expected = fields_to_string (fields);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "Cannot set the attribute '%s', expected attributes are %s.", key, expected);
  return FALSE;
}
