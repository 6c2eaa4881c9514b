#include "replay-values.h"

#include "../common/json-values.h"

#include <stdio.h>
#include <string.h>

static void
free_key (gpointer data)
{
  ValueKey *key = data;

  g_free (key->path);
  g_free (key->shape);
  g_free (key);
}

static void
count_key (GPtrArray *keys, const char *path, const char *type, char *shape)
{
  const char *shown = strcmp (path, REEL_TREE_SINGLE_KEY) == 0 ? "" : path;
  ValueKey *key;

  for (guint i = 0; i < keys->len; i++)
    {
      key = keys->pdata[i];
      if (strcmp (key->path, shown) != 0 || strcmp (key->type, type) != 0)
        continue;
      key->n_rows++;
      if (strcmp (key->shape, shape) != 0)
        {
          g_free (key->shape);
          key->shape = g_strdup ("differs");
        }
      g_free (shape);
      return;
    }
  key = g_new (ValueKey, 1);
  *key = (ValueKey){ g_strdup (shown), type, shape, 1 };
  g_ptr_array_add (keys, key);
}

static char *
print_shape (const ReelTensor *tensor)
{
  json_t *shape = json_array ();

  for (gint i = 0; i < tensor->ndim; i++)
    json_array_append_new (shape, json_integer (tensor->shape[i]));
  return json_take_text (shape);
}

static void
count_keys (GPtrArray *keys, const ReelTensordict *row)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (row);
  g_auto (GStrv) values = reel_tensordict_list_non_tensors (row);

  for (char **path = leaves; *path; path++)
    {
      g_autoptr (ReelTensor) leaf = reel_tensordict_ref_tensor (row, *path, NULL);

      if (leaf)
        count_key (keys, *path, reel_dtype_name (leaf->dtype), print_shape (leaf));
    }
  for (char **path = values; *path; path++)
    count_key (keys, *path, "value", g_strdup ("-"));
}

GPtrArray *
value_keys_list (ReelReplayBuffer *buffer, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (free_key);

  for (gint64 i = 0; i < reel_storage_get_length (reel_replay_buffer_get_storage (buffer)); i++)
    {
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, error);

      if (!row)
        return NULL;
      count_keys (keys, row);
    }
  return g_steal_pointer (&keys);
}

gboolean
value_rows_print (ReelReplayBuffer *buffer, gint64 base, gint64 begin, gint64 end, gboolean json,
                  GError **error)
{
  gint64 capacity = reel_replay_buffer_get_capacity (buffer);

  for (gint64 i = begin; i < end && !ferror (stdout); i++)
    {
      g_autoptr (ReelTensordict) row =
          reel_replay_buffer_get_item (buffer, (base + i) % capacity, error);
      g_autofree char *text = row && !json ? reel_tensordict_to_string (row) : NULL;

      if (!row)
        return FALSE;
      if (json)
        json_print_tensordict (row);
      else
        printf ("%" G_GINT64_FORMAT ": %s\n", i, text);
    }
  return TRUE;
}
