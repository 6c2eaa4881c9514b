#include "tree.h"

#include "tree-private.h"
#include "variant.h"

#include <string.h>

/* ---- making ---- */

ReelTensordict *
reel_tree_new (ReelTensordictKind kind)
{
  g_return_val_if_fail (kind == REEL_TENSORDICT_LIST || kind == REEL_TENSORDICT_TUPLE
                            || kind == REEL_TENSORDICT_MAP,
                        NULL);

  ReelTensordict *tree = reel_tensordict_new (0, NULL);
  tree->kind = kind;
  return tree;
}

ReelTensordict *
reel_tree_new_single (ReelTensor *tensor)
{
  ReelTensordict *tree = reel_tensordict_new (0, NULL);

  reel_tensordict_put (tree, REEL_TREE_SINGLE_KEY,
                       (ReelTensordictValue){ .tensor = reel_tensor_ref (tensor) });
  tree->kind = REEL_TENSORDICT_SINGLE;
  return tree;
}

ReelTensordict *
reel_tree_new_single_value (GVariant *value, GError **error)
{
  ReelNonTensor *non_tensor = reel_non_tensor_new (value, 0, NULL, error);
  ReelTensordict *tree;

  if (!non_tensor)
    return NULL;
  tree = reel_tensordict_new (0, NULL);
  reel_tensordict_put (tree, REEL_TREE_SINGLE_KEY,
                       (ReelTensordictValue){ .non_tensor = non_tensor });
  tree->kind = REEL_TENSORDICT_SINGLE;
  return tree;
}

/* ---- items ---- */

static const char *
kind_name (const ReelTensordict *td)
{
  static const char *const names[] = { "tensordict", "lazy stack", "dict",
                                       "list",       "tuple",      "single tensor" };

  return names[td->kind];
}

static gboolean
check_kind (const ReelTensordict *tree, gboolean fits, const char *expected, GError **error)
{
  if (!fits)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "%s is expected, and this is a %s", expected,
                 kind_name (tree));
  return fits;
}

gboolean
reel_tree_check_key (const ReelTensordict *td, const char *key, GError **error)
{
  g_autofree char *escaped = reel_path_escape (key);
  gboolean is_open = td->kind == REEL_TENSORDICT_DICT || td->kind == REEL_TENSORDICT_MAP;

  if (strcmp (key, REEL_TREE_SINGLE_KEY) == 0 && td->kind == REEL_TENSORDICT_MAP)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "the key \"%s\" is the name of a tree that is one tensor; use another", key);
      return FALSE;
    }
  if (is_open || reel_tensordict_find (td, escaped, strlen (escaped)))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "a %s has no item \"%s\", and only gets more by %s", kind_name (td), key,
               td->kind == REEL_TENSORDICT_SINGLE ? "making another tree" : "appending to it");
  return FALSE;
}

gboolean
reel_tree_check_removal (const ReelTensordict *td, const char *key, GError **error)
{
  if (td->kind == REEL_TENSORDICT_DICT || td->kind == REEL_TENSORDICT_MAP)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "\"%s\" cannot be removed from a %s: make another without it", key, kind_name (td));
  return FALSE;
}

/* Sets under a key that no path can add, as the kind wants it. */
static gboolean
add (ReelTensordict *tree, const char *key, gboolean is_number, const ReelTensordictValue *value,
     GError **error)
{
  const ReelTensordictEntry *old = reel_tensordict_find (tree, key, strlen (key));

  if (old && old->is_number != is_number)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "the key %s is there as a string; both would be stored under one name", key);
      return FALSE;
    }
  if (!reel_tensordict_check_unlocked (tree, error))
    return FALSE;
  ReelTensordictValue fitting = reel_tensordict_fit_value (tree, key, value, error);
  if (!reel_tensordict_value_is_set (&fitting))
    return FALSE;
  reel_tensordict_put_fitting (tree, key, fitting);
  ((ReelTensordictEntry *) reel_tensordict_find (tree, key, strlen (key)))->is_number = is_number;
  return TRUE;
}

static gboolean
append (ReelTensordict *tree, const ReelTensordictValue *value, GError **error)
{
  g_autofree char *key = g_strdup_printf ("%u", tree->entries->len);
  gboolean fits = tree->kind == REEL_TENSORDICT_LIST || tree->kind == REEL_TENSORDICT_TUPLE;

  return check_kind (tree, fits, "a list or tuple", error) && add (tree, key, TRUE, value, error);
}

gboolean
reel_tree_append_tensor (ReelTensordict *tree, ReelTensor *tensor, GError **error)
{
  return append (tree, &(ReelTensordictValue){ .tensor = tensor }, error);
}

gboolean
reel_tree_append_value (ReelTensordict *tree, GVariant *value, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (tree, &ndim);
  g_autoptr (ReelNonTensor) non_tensor = reel_non_tensor_new (value, ndim, size, error);

  return non_tensor && append (tree, &(ReelTensordictValue){ .non_tensor = non_tensor }, error);
}

gboolean
reel_tree_append (ReelTensordict *tree, ReelTensordict *item, GError **error)
{
  return append (tree, &(ReelTensordictValue){ .child = item }, error);
}

static gboolean
set (ReelTensordict *tree, gint64 number, const ReelTensordictValue *value, GError **error)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, number);

  return check_kind (tree, tree->kind == REEL_TENSORDICT_MAP, "a dict", error)
         && add (tree, key, TRUE, value, error);
}

gboolean
reel_tree_set_tensor (ReelTensordict *tree, gint64 key, ReelTensor *tensor, GError **error)
{
  return set (tree, key, &(ReelTensordictValue){ .tensor = tensor }, error);
}

gboolean
reel_tree_set (ReelTensordict *tree, gint64 key, ReelTensordict *item, GError **error)
{
  return set (tree, key, &(ReelTensordictValue){ .child = item }, error);
}

/* ---- text ---- */

static void
append_leaf (GString *text, const ReelTensor *tensor, gboolean quoted)
{
  const char *quote = quoted ? "'" : "";

  g_string_append_printf (text, "%sTensor(shape=", quote);
  reel_tensordict_append_size (text, tensor->ndim, tensor->shape);
  g_string_append_printf (text, ", dtype=torch.%s, device=cpu)%s", reel_dtype_name (tensor->dtype),
                          quote);
}

static void
append_key (GString *text, const ReelTensordictEntry *entry)
{
  if (entry->is_number)
    g_string_append (text, entry->key);
  else
    {
      g_autoptr (GVariant) key = g_variant_ref_sink (g_variant_new_string (entry->key));
      reel_variant_append_repr (text, key);
    }
  g_string_append (text, ": ");
}

/* A tensor as TorchRL's storages describe it, or as Python's repr gives it. */
typedef struct
{
  gboolean in_full;
  gint level;
} Style;

static void append_tree (GString *text, const ReelTensordict *tree, const Style *style);

/* Python's lists hold the values themselves; one for several rows is still a NonTensorData. */
static void
append_value (GString *text, const ReelTensordict *tree, const ReelNonTensor *non_tensor,
              const Style *style)
{
  gint ndim;

  reel_non_tensor_get_batch_size (non_tensor, &ndim);
  if (tree->kind == REEL_TENSORDICT_SINGLE || ndim > 0)
    {
      reel_non_tensor_append_text (text, non_tensor, reel_tensordict_get_device (tree),
                                   style->level);
      return;
    }
  reel_variant_append_repr (text, reel_non_tensor_get_value (non_tensor, NULL));
}

static void
append_item (GString *text, const ReelTensordict *tree, const ReelTensordictEntry *entry,
             const Style *style)
{
  if (tree->kind == REEL_TENSORDICT_MAP)
    append_key (text, entry);
  if (entry->tensor && style->in_full)
    {
      g_autofree char *values = reel_tensor_to_string (entry->tensor);
      g_string_append (text, values);
    }
  else if (entry->tensor)
    append_leaf (text, entry->tensor, tree->kind != REEL_TENSORDICT_SINGLE);
  else if (entry->child && reel_tensordict_is_tree (entry->child))
    append_tree (text, entry->child, style);
  else if (entry->child)
    reel_tensordict_append_text (text, entry->child, style->level);
  else
    append_value (text, tree, entry->non_tensor, style);
}

static void
append_tree (GString *text, const ReelTensordict *tree, const Style *style)
{
  static const char *const brackets[] = {
    [REEL_TENSORDICT_MAP] = "{}",
    [REEL_TENSORDICT_LIST] = "[]",
    [REEL_TENSORDICT_TUPLE] = "()",
  };
  const char *pair = tree->kind == REEL_TENSORDICT_SINGLE ? NULL : brackets[tree->kind];
  const ReelTensordictEntry *entry;

  if (pair)
    g_string_append_c (text, pair[0]);
  for (guint i = 0; (entry = reel_tensordict_get_entry (tree, i)); i++)
    {
      g_string_append (text, i == 0 ? "" : ", ");
      append_item (text, tree, entry, style);
    }
  if (tree->kind == REEL_TENSORDICT_TUPLE && tree->entries->len == 1)
    g_string_append_c (text, ',');
  if (pair)
    g_string_append_c (text, pair[1]);
}

void
reel_tree_append_text (GString *text, const ReelTensordict *tree, gint level)
{
  append_tree (text, tree, &(Style){ FALSE, level });
}

char *
reel_tree_to_repr (const ReelTensordict *tree)
{
  GString *text = g_string_new (NULL);

  append_tree (text, tree, &(Style){ TRUE, 0 });
  return g_string_free (text, FALSE);
}
