#include "tensordict-private.h"

#include <string.h>

static void append_tensordict (GString *text, const ReelTensordict *td, gint level);

static void
append_indent (GString *text, gint level)
{
  g_string_append_printf (text, "%*s", level * 4, "");
}

static void
append_tensor (GString *text, const ReelTensor *tensor)
{
  ReelMemoryKind kind = reel_memory_get_kind (tensor->memory);

  g_string_append_printf (text, "%sTensor(shape=", kind == REEL_MEMORY_FILE ? "MemoryMapped" : "");
  reel_tensordict_append_size (text, tensor->ndim, tensor->shape);
  g_string_append_printf (text, ", device=cpu, dtype=torch.%s, is_shared=%s)",
                          reel_dtype_name (tensor->dtype),
                          kind == REEL_MEMORY_HEAP ? "False" : "True");
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The entries as `key: value`, or `key=value` in a record; sorted by the text of the whole line, as
 * Python does: `obs1:` stands before `obs:`. */
static GPtrArray *
list_fields (const ReelTensordict *td, const char *separator, gint level)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      GString *line = g_string_new (entry->key);
      g_string_append (line, separator);
      if (entry->tensor)
        append_tensor (line, entry->tensor);
      else if (entry->non_tensor)
        reel_non_tensor_append_text (line, entry->non_tensor, reel_tensordict_get_device (td),
                                     level);
      else
        append_tensordict (line, entry->child, level);
      g_ptr_array_add (lines, g_string_free (line, FALSE));
    }
  g_ptr_array_sort (lines, compare_lines);
  return lines;
}

static void
append_lines (GString *text, const GPtrArray *lines, gint level)
{
  for (guint i = 0; i < lines->len; i++)
    {
      g_string_append (text, i == 0 ? "\n" : ",\n");
      append_indent (text, level);
      g_string_append (text, lines->pdata[i]);
    }
}

static void
append_end (GString *text, const ReelTensordict *td, gint level)
{
  const char *device = reel_tensordict_get_device (td);
  gint ndim;
  const gint64 *batch_size = reel_tensordict_get_batch_size (td, &ndim);

  append_indent (text, level + 1);
  g_string_append (text, "batch_size=");
  reel_tensordict_append_size (text, ndim, batch_size);
  g_string_append (text, ",\n");
  append_indent (text, level + 1);
  g_string_append_printf (text, "device=%s,\n", device ? device : "None");
  append_indent (text, level + 1);
  g_string_append (text, "is_shared=False)");
}

static void
append_dict (GString *text, const ReelTensordict *td, gint level)
{
  g_autoptr (GPtrArray) lines = list_fields (td, ": ", level + 2);

  g_string_append (text, "TensorDict(\n");
  append_indent (text, level + 1);
  g_string_append (text, "fields={");
  append_lines (text, lines, level + 2);
  if (lines->len == 0)
    {
      g_string_append_c (text, '\n');
      append_indent (text, level + 1);
    }
  g_string_append (text, "},\n");
  append_end (text, td, level);
}

/* The fields that are None stand after the others. */
static void
append_absent (GString *text, const ReelTensordict *td, gint level)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  for (const char *const *field = reel_tensordict_get_class_fields (td); *field; field++)
    {
      g_autofree char *escaped = reel_path_escape (*field);
      if (!reel_tensordict_find (td, escaped, strlen (escaped)))
        g_ptr_array_add (lines, g_strconcat (*field, "=None", NULL));
    }
  g_ptr_array_sort (lines, compare_lines);
  if (lines->len == 0)
    return;
  g_string_append_c (text, ',');
  append_lines (text, lines, level);
}

static void
append_record (GString *text, const ReelTensordict *td, gint level)
{
  g_autoptr (GPtrArray) lines = list_fields (td, "=", level + 1);
  const char *name = reel_tensordict_get_class_name (td);
  const char *dot = strrchr (name, '.');

  g_string_append_printf (text, "%s(", dot ? dot + 1 : name);
  append_lines (text, lines, level + 1);
  if (lines->len == 0)
    g_string_append_c (text, '\n');
  append_absent (text, td, level + 1);
  g_string_append (text, ",\n");
  append_end (text, td, level);
}

static void
append_tensordict (GString *text, const ReelTensordict *td, gint level)
{
  if (reel_tensordict_get_class_name (td))
    append_record (text, td, level);
  else
    append_dict (text, td, level);
}

char *
reel_tensordict_to_string (const ReelTensordict *td)
{
  GString *text = g_string_new (NULL);

  append_tensordict (text, td, 0);
  return g_string_free (text, FALSE);
}
