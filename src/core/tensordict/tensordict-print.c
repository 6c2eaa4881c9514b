/* Tensordicts as Python prints them. */
#include "lazy-stack-private.h"
#include "tree-private.h"

#include <string.h>

/* A tensor's dimensions, and one for each lazy stack around it. */
#define MAX_SHOWN_NDIM (2 * REEL_MAX_NDIM)

/* Where TensorDict raises: entries of a lazy stack that are not of one kind. */
#define CANNOT_BE_STACKED "..."

static void
append_indent (GString *text, gint level)
{
  g_string_append_printf (text, "%*s", level * 4, "");
}

static ReelMemoryKind
memory_kind (const ReelTensor *tensor)
{
  return reel_memory_get_kind (tensor->memory);
}

static void
append_tensor (GString *text, gint ndim, const gint64 *shape, ReelDtype dtype, ReelMemoryKind kind)
{
  g_string_append_printf (text, "%sTensor(shape=", kind == REEL_MEMORY_FILE ? "MemoryMapped" : "");
  reel_tensordict_append_size (text, ndim, shape);
  g_string_append_printf (text, ", device=cpu, dtype=torch.%s, is_shared=%s)",
                          reel_dtype_name (dtype), kind == REEL_MEMORY_HEAP ? "False" : "True");
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* ---- fields ---- */

/* The shape that a key's tensors have in a lazy stack, and its number of dimensions: −1 where they
 * differ, [−1] where their number of dimensions does. @first is set to the first of them, and
 * @is_mixed where another has another dtype. Returns −1 where one is no tensor. */
static gint
get_item_shape (const ReelTensordict *td, const ReelTensordictEntry *key, gint64 *shape,
                const ReelTensor **first, gboolean *is_mixed)
{
  gint64 other[MAX_SHOWN_NDIM];
  const ReelTensor *other_first;
  gint ndim, other_ndim;

  if (!reel_tensordict_is_lazy (td))
    {
      *first = reel_tensordict_find (td, key->escaped, key->length)->tensor;
      if (!*first)
        return -1;
      memcpy (shape, (*first)->shape, sizeof (*first)->shape);
      return (*first)->ndim;
    }
  ndim = get_item_shape (td->elements->pdata[0], key, shape, first, is_mixed);
  for (guint i = 1; i < td->elements->len && ndim >= 0; i++)
    {
      other_ndim = get_item_shape (td->elements->pdata[i], key, other, &other_first, is_mixed);
      if (other_ndim < 0)
        return -1;
      *is_mixed |= other_first->dtype != (*first)->dtype;
      if (other_ndim != ndim)
        {
          shape[0] = -1;
          return 1;
        }
      for (gint j = 0; j < ndim; j++)
        shape[j] = shape[j] == other[j] ? shape[j] : -1;
    }
  if (ndim < 0)
    return -1;
  gint at = MIN (td->stack_dim, ndim);
  memmove (shape + at + 1, shape + at, (ndim - at) * sizeof *shape);
  shape[at] = td->elements->len;
  return ndim + 1;
}

/* Tensors of one shape are stacked, which makes no file of them; others stand for themselves. */
static void
append_stacked_tensor (GString *text, const ReelTensordict *td, const ReelTensordictEntry *key)
{
  gint64 shape[MAX_SHOWN_NDIM];
  const ReelTensor *first;
  gboolean ragged = FALSE, is_mixed = FALSE;
  gint ndim = get_item_shape (td, key, shape, &first, &is_mixed);

  for (gint i = 0; i < ndim; i++)
    ragged |= shape[i] < 0;
  if (ndim < 0 || (is_mixed && !ragged))
    g_string_append (text, CANNOT_BE_STACKED);
  else
    append_tensor (text, ndim, shape, first->dtype,
                   ragged ? memory_kind (first) : REEL_MEMORY_HEAP);
}

static void
append_field (GString *text, const ReelTensordict *td, const ReelTensordictEntry *entry, gint level)
{
  ReelTensordictValue value;

  if (entry->tensor && reel_tensordict_is_lazy (td))
    append_stacked_tensor (text, td, entry);
  else if (entry->tensor)
    append_tensor (text, entry->tensor->ndim, entry->tensor->shape, entry->tensor->dtype,
                   memory_kind (entry->tensor));
  else if (!reel_tensordict_ref_entry (td, entry->escaped, entry->length, &value, NULL))
    g_string_append (text, CANNOT_BE_STACKED);
  else
    {
      if (value.child)
        reel_tensordict_append_text (text, value.child, level);
      else
        reel_non_tensor_append_text (text, value.non_tensor, reel_tensordict_get_device (td),
                                     level);
      reel_tensordict_release_value (&value);
    }
}

/* The entries as `key: value`, or `key=value` in a record; sorted by the text of the whole line, as
 * Python does: `obs1:` stands before `obs:`. */
static GPtrArray *
list_fields (const ReelTensordict *td, const GPtrArray *entries, const char *separator, gint level)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < entries->len; i++)
    {
      const ReelTensordictEntry *entry = entries->pdata[i];
      GString *line = g_string_new (entry->key);
      g_string_append (line, separator);
      append_field (line, td, entry, level);
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
  g_string_append (text, "is_shared=False");
}

/* Entries that only some elements of a lazy stack have, by the number of the element. */
static void
append_exclusive (GString *text, const ReelTensordict *td, gint level)
{
  const char *separator = "\n";

  append_indent (text, level + 1);
  g_string_append (text, "exclusive_fields={");
  for (guint i = 0; i < td->elements->len; i++)
    {
      g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (td->elements->pdata[i]);
      for (guint j = entries->len; j-- > 0;)
        {
          const ReelTensordictEntry *entry = entries->pdata[j];
          if (reel_tensordict_has_key (td, entry->escaped, entry->length))
            g_ptr_array_remove_index (entries, j);
        }
      if (entries->len == 0)
        continue;
      g_autoptr (GPtrArray) lines = list_fields (td->elements->pdata[i], entries, ": ", level + 3);
      g_string_append (text, separator);
      append_indent (text, level + 2);
      g_string_append_printf (text, "%u ->", i);
      append_lines (text, lines, level + 3);
      separator = ",\n";
    }
  if (separator[0] == '\n')
    {
      g_string_append_c (text, '\n');
      append_indent (text, level + 1);
    }
  g_string_append (text, "},\n");
}

static void
append_dict (GString *text, const ReelTensordict *td, gint level)
{
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (td);
  g_autoptr (GPtrArray) lines = list_fields (td, entries, ": ", level + 2);
  gboolean is_lazy = reel_tensordict_is_lazy (td);

  g_string_append_printf (text, "%sTensorDict(\n", is_lazy ? "LazyStacked" : "");
  append_indent (text, level + 1);
  g_string_append (text, "fields={");
  append_lines (text, lines, level + 2);
  if (lines->len == 0)
    {
      g_string_append_c (text, '\n');
      append_indent (text, level + 1);
    }
  g_string_append (text, "},\n");
  if (is_lazy)
    append_exclusive (text, td, level);
  append_end (text, td, level);
  if (is_lazy)
    {
      g_string_append (text, ",\n");
      append_indent (text, level + 1);
      g_string_append_printf (text, "stack_dim=%d", td->stack_dim);
    }
  g_string_append_c (text, ')');
}

/* The fields that are None stand after the others. */
static void
append_absent (GString *text, const ReelTensordict *td, gint level)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  for (const char *const *field = reel_tensordict_get_class_fields (td); *field; field++)
    {
      g_autofree char *escaped = reel_path_escape (*field);
      if (!reel_tensordict_has_key (td, escaped, strlen (escaped)))
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
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (td);
  g_autoptr (GPtrArray) lines = list_fields (td, entries, "=", level + 1);
  const char *name = reel_tensordict_get_class_name (td);
  const char *dot = strrchr (name, '.');

  g_string_append_printf (text, "%s(", dot ? dot + 1 : name);
  append_lines (text, lines, level + 1);
  if (lines->len == 0)
    g_string_append_c (text, '\n');
  append_absent (text, td, level + 1);
  g_string_append (text, ",\n");
  append_end (text, td, level);
  g_string_append_c (text, ')');
}

void
reel_tensordict_append_text (GString *text, const ReelTensordict *td, gint level)
{
  if (reel_tensordict_is_tree (td))
    reel_tree_append_text (text, td, level);
  else if (reel_tensordict_get_class_name (td))
    append_record (text, td, level);
  else
    append_dict (text, td, level);
}

char *
reel_tensordict_to_string (const ReelTensordict *td)
{
  GString *text = g_string_new (NULL);

  reel_tensordict_append_text (text, td, 0);
  return g_string_free (text, FALSE);
}
