#include "value-buffers.h"

#include <stdarg.h>

gpointer
value_make (GType base, const char *format, ...)
{
  va_list arguments;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gpointer object;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  object = reel_object_new_from_text (base, text, &error, NULL);
  g_assert_no_error (error);
  return object;
}

ReelReplayBuffer *
value_new_buffer (const char *storage_text, const char *sampler_text, const char *writer_text)
{
  g_autoptr (ReelStorage) storage = value_make (REEL_TYPE_STORAGE, "%s", storage_text);
  g_autoptr (ReelSampler) sampler =
      sampler_text ? value_make (REEL_TYPE_SAMPLER, "%s", sampler_text) : NULL;
  g_autoptr (ReelWriter) writer =
      writer_text ? value_make (REEL_TYPE_WRITER, "%s", writer_text) : NULL;
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, writer, 0, &error);

  g_assert_no_error (error);
  return buffer;
}

ReelReplayBuffer *
value_new_plain (gconstpointer id, gint64 capacity)
{
  g_autofree char *text =
      g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT, (const char *) id, capacity);

  return value_new_buffer (text, NULL, NULL);
}

ReelTensor *
value_new_tensor (gint64 n, double value)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);

  for (gint64 i = 0; i < n; i++)
    ((float *) tensor->data)[i] = (float) value;
  return tensor;
}

void
value_set (ReelTensordict *td, const char *path, ReelTensor *tensor)
{
  g_autoptr (ReelTensor) taken = tensor;

  g_assert_true (reel_tensordict_set_tensor (td, path, taken, NULL));
}

ReelTensor *
value_new_scalar (gint64 value)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, NULL);

  *(gint64 *) tensor->data = value;
  return tensor;
}

ReelTensordict *
value_new_row (gint64 number)
{
  ReelTensordict *row = reel_tensordict_new (0, NULL);
  g_autofree char *text = g_strdup_printf ("number %" G_GINT64_FORMAT, number);

  value_set (row, "id", value_new_scalar (number));
  value_set (row, "next/ragged", value_new_tensor (1 + number % 3, (double) number));
  g_assert_true (reel_tensordict_set_value (row, "text", g_variant_new_string (text), NULL));
  return row;
}

gint64
value_row_number (const ReelTensordict *row)
{
  const ReelTensor *id = reel_tensordict_get_tensor (row, "id", NULL);
  const ReelTensor *ragged = reel_tensordict_get_tensor (row, "next/ragged", NULL);
  g_autoptr (GVariant) text = reel_tensordict_dup_value (row, "text", NULL);
  gint64 number;

  g_assert_true (id && ragged && text);
  number = *(const gint64 *) id->data;
  g_assert_cmpint (ragged->shape[0], ==, 1 + number % 3);
  for (gint64 i = 0; i < ragged->shape[0]; i++)
    g_assert_cmpfloat (((const float *) ragged->data)[i], ==, (float) number);
  g_assert_cmpint (g_ascii_strtoll (g_variant_get_string (text, NULL) + 7, NULL, 10), ==, number);
  return number;
}

ReelTensordict *
value_new_rows (gint64 n, gint64 first)
{
  ReelTensordict *rows = reel_tree_new (REEL_TENSORDICT_LIST);

  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (ReelTensordict) row = value_new_row (first + i);
      g_assert_true (reel_tree_append (rows, row, NULL));
    }
  return rows;
}

void
value_extend (ReelReplayBuffer *buffer, ReelTensordict *data, ReelTensor **index)
{
  g_autoptr (ReelTensordict) taken = data;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, taken, index, &error);
  g_assert_no_error (error);
}

ReelTensordict *
value_nth (const ReelTensordict *rows, gsize i)
{
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (rows, &n);
  g_autofree char *key = g_strdup_printf ("%" G_GSIZE_FORMAT, i);

  if (elements)
    {
      g_assert_cmpuint (i, <, n);
      return elements[i];
    }
  return reel_tensordict_get_tensordict (rows, key, NULL);
}

gint64
value_nth_number (const ReelTensordict *rows, gsize i)
{
  g_autoptr (ReelTensordict) row =
      reel_tensordict_get_kind (rows) == REEL_TENSORDICT_LIST
          ? reel_tensordict_ref (value_nth (rows, i))
          : reel_tensordict_select_index ((ReelTensordict *) rows, 0, (gint64) i, NULL);

  return value_row_number (row);
}

void
value_parse (ReelIndex *index, const char *python)
{
  g_autofree char *text = g_strdup_printf ("[%s]", python);
  g_autoptr (GError) error = NULL;

  reel_index_parse (index, text, &error);
  g_assert_no_error (error);
}

ReelTensordict *
value_get_slice (ReelReplayBuffer *buffer, gint64 begin, gint64 end)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *rows = reel_replay_buffer_get_slice (buffer, begin, end, 1, &error);

  g_assert_no_error (error);
  return rows;
}

gint64
value_get_id (ReelReplayBuffer *buffer, gint64 i)
{
  g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, NULL);

  return *(gint64 *) reel_tensordict_get_tensor (row, "id", NULL)->data;
}
