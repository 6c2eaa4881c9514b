#include "row-diff.h"

#include "../common/json-values.h"

#include <string.h>

/* Rows are fetched and compared this many at a time. */
#define CHUNK 4096

void
row_diff_clear (RowDiff *self)
{
  g_clear_pointer (&self->what, g_free);
  g_clear_pointer (&self->key, g_free);
  g_clear_pointer (&self->element, json_decref);
  g_clear_pointer (&self->a, json_decref);
  g_clear_pointer (&self->b, json_decref);
}

static gboolean differ (RowDiff *self, gint64 row, const char *key, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

static gboolean
differ (RowDiff *self, gint64 row, const char *key, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  self->what = g_strdup_vprintf (format, args);
  va_end (args);
  self->row = row;
  self->key = g_strdup (key);
  return TRUE;
}

/* ---- keys ---- */

/* The first of the names that the other list lacks. */
static const char *
find_missing (char **names, char **others)
{
  for (char **name = names; *name; name++)
    if (!g_strv_contains ((const char *const *) others, *name))
      return *name;
  return NULL;
}

static gboolean
names_differ (RowDiff *self, char **a, char **b, gint64 row)
{
  const char *in_a = find_missing (a, b), *in_b = find_missing (b, a);

  if (in_a || in_b)
    return differ (self, row, in_a ? in_a : in_b, "only in %s", in_a ? "A" : "B");
  return FALSE;
}

static char *
describe_tensor (const ReelTensor *tensor, gint first)
{
  json_t *shape = json_array ();

  for (gint i = first; i < tensor->ndim; i++)
    json_array_append_new (shape, json_integer (tensor->shape[i]));
  g_autofree char *sizes = json_take_text (shape);
  return g_strdup_printf ("%s %s", reel_dtype_name (tensor->dtype), sizes);
}

static gboolean
types_differ (RowDiff *self, const ReelTensor *a, const ReelTensor *b, gint first, gint64 row,
              const char *key)
{
  g_autofree char *of_a = describe_tensor (a, first), *of_b = describe_tensor (b, first);

  return strcmp (of_a, of_b) != 0 && differ (self, row, key, "%s in A, %s in B", of_a, of_b);
}

/* ---- elements ---- */

static json_t *
unravel (const ReelTensor *tensor, gint first, gint64 i)
{
  json_t *index = json_array ();

  for (gint d = tensor->ndim - 1; d >= first; d--)
    {
      json_array_insert_new (index, 0, json_integer (i % tensor->shape[d]));
      i /= tensor->shape[d];
    }
  return index;
}

static void
differ_at (RowDiff *self, const ReelTensor *a, const guint8 *in_a, const guint8 *in_b, gint first,
           gint64 n, gint64 row, const char *key)
{
  gsize size = reel_dtype_size (a->dtype);
  gint64 i = 0;

  while (i + 1 < n && memcmp (in_a + (gsize) i * size, in_b + (gsize) i * size, size) == 0)
    i++;
  row_diff_clear (self);
  self->row = row;
  self->key = g_strdup (key);
  self->element = unravel (a, first, i);
  self->a = json_from_element (a->dtype, in_a + (gsize) i * size);
  self->b = json_from_element (a->dtype, in_b + (gsize) i * size);
}

/* Compares n rows of a key, each in one piece, which begin with this row; returns the number before
   the first that differs. */
static gint64
compare_column (RowDiff *self, const ReelTensor *a, const ReelTensor *b, gint64 n, gint64 row,
                const char *key)
{
  gint64 numel = n > 0 ? reel_tensor_numel (a) / a->shape[0] : 0;
  gsize bytes = (gsize) numel * reel_dtype_size (a->dtype);

  if (bytes == 0 || memcmp (a->data, b->data, bytes * (gsize) n) == 0)
    return n;
  for (gint64 i = 0; i < n; i++)
    {
      const guint8 *in_a = a->data + (gsize) i * bytes, *in_b = b->data + (gsize) i * bytes;
      if (memcmp (in_a, in_b, bytes) != 0)
        {
          differ_at (self, a, in_a, in_b, 1, numel, row + i, key);
          return i;
        }
    }
  return n;
}

/* ---- rows of columns ---- */

/* A buffer whose rows are read in order of time, or lane after lane. */
typedef struct
{
  ReelReplayBuffer *buffer;
  ReelStorageView view;
  gboolean by_lanes;
} Side;

static gint64
count_rows (const Side *side)
{
  return side->view.end_row - side->view.first_row;
}

/* The number of row i of the order in which both are read. */
static gint64
number_of (const Side *side, gint64 i)
{
  gint64 lanes = side->view.lanes;
  gint64 steps = count_rows (side) / MAX (lanes, 1);

  if (!side->by_lanes || steps == 0)
    return side->view.first_row + i;
  return side->view.first_row + i % steps * lanes + i / steps;
}

static ReelTensordict *
read_rows (const Side *side, gint64 first, gint64 n, GError **error)
{
  g_autoptr (GPtrArray) rows =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  if (!side->by_lanes || side->view.lanes == 1)
    return reel_replay_buffer_get_numbered_rows (side->buffer, number_of (side, first), n, error);
  for (gint64 i = 0; i < n; i++)
    {
      ReelTensordict *row = reel_replay_buffer_get_numbered_rows (
          side->buffer, number_of (side, first + i), 1, error);
      if (!row)
        return NULL;
      g_ptr_array_add (rows, row);
    }
  return reel_tensordict_cat ((ReelTensordict *const *) rows->pdata, rows->len, 0, error);
}

/* Which of the rows is the first in any key. */
static gboolean
find_in_chunk (RowDiff *self, const ReelTensordict *a, const ReelTensordict *b, char **keys,
               gint64 n, gint64 row)
{
  gint64 same = n;

  for (char **key = keys; *key; key++)
    {
      const ReelTensor *in_a = reel_tensordict_get_tensor (a, *key, NULL);
      const ReelTensor *in_b = reel_tensordict_get_tensor (b, *key, NULL);
      same = compare_column (self, in_a, in_b, same, row, *key);
    }
  return same < n;
}

static gboolean
layouts_differ (RowDiff *self, const ReelTensordict *a, const ReelTensordict *b, char **keys)
{
  g_auto (GStrv) others = reel_tensordict_list_leaves (b);

  if (names_differ (self, keys, others, -1))
    return TRUE;
  for (char **key = keys; *key; key++)
    if (types_differ (self, reel_tensordict_get_tensor (a, *key, NULL),
                      reel_tensordict_get_tensor (b, *key, NULL), 1, -1, *key))
      return TRUE;
  return FALSE;
}

static gboolean
columns_differ (RowDiff *self, const Side *a, const Side *b, gint64 n_rows, GError **error)
{
  for (gint64 row = 0; row < n_rows; row += CHUNK)
    {
      gint64 n = MIN (n_rows - row, CHUNK);
      g_autoptr (ReelTensordict) in_a = read_rows (a, row, n, error);
      g_autoptr (ReelTensordict) in_b = in_a ? read_rows (b, row, n, error) : NULL;
      if (!in_b)
        return FALSE;
      g_auto (GStrv) keys = reel_tensordict_list_leaves (in_a);
      if ((row == 0 && layouts_differ (self, in_a, in_b, keys))
          || find_in_chunk (self, in_a, in_b, keys, n, row))
        return TRUE;
    }
  return FALSE;
}

/* ---- rows that have no columns ---- */

static ReelTensordict *
read_row (const Side *side, gint64 i, GError **error)
{
  gint64 slot = number_of (side, i) % side->view.capacity;

  return reel_replay_buffer_get_item (side->buffer, slot, error);
}

static gboolean
leaves_differ (RowDiff *self, const ReelTensordict *a, const ReelTensordict *b, gint64 row)
{
  g_auto (GStrv) keys = reel_tensordict_list_leaves (a);
  g_auto (GStrv) others = reel_tensordict_list_leaves (b);

  if (names_differ (self, keys, others, row))
    return TRUE;
  for (char **key = keys; *key; key++)
    {
      g_autoptr (ReelTensor) of_a = reel_tensordict_ref_tensor (a, *key, NULL);
      g_autoptr (ReelTensor) of_b = reel_tensordict_ref_tensor (b, *key, NULL);
      g_autoptr (ReelTensor) in_a = of_a ? reel_tensor_clone (of_a, NULL) : NULL;
      g_autoptr (ReelTensor) in_b = of_b ? reel_tensor_clone (of_b, NULL) : NULL;
      if (!in_a || !in_b)
        continue;
      if (types_differ (self, in_a, in_b, 0, row, *key))
        return TRUE;
      gint64 n = reel_tensor_numel (in_a);
      if (n == 0 || memcmp (in_a->data, in_b->data, reel_tensor_nbytes (in_a)) == 0)
        continue;
      differ_at (self, in_a, in_a->data, in_b->data, 0, n, row, *key);
      return TRUE;
    }
  return FALSE;
}

static gboolean
values_differ (RowDiff *self, const ReelTensordict *a, const ReelTensordict *b, gint64 row)
{
  g_auto (GStrv) keys = reel_tensordict_list_non_tensors (a);
  g_auto (GStrv) others = reel_tensordict_list_non_tensors (b);

  if (names_differ (self, keys, others, row))
    return TRUE;
  for (char **key = keys; *key; key++)
    {
      g_autoptr (GVariant) in_a =
          reel_non_tensor_to_list (reel_tensordict_get_non_tensor (a, *key, NULL));
      g_autoptr (GVariant) in_b =
          reel_non_tensor_to_list (reel_tensordict_get_non_tensor (b, *key, NULL));
      if (g_variant_equal (in_a, in_b))
        continue;
      self->row = row;
      self->key = g_strdup (*key);
      self->a = json_from_variant (in_a);
      self->b = json_from_variant (in_b);
      return TRUE;
    }
  return FALSE;
}

static gboolean
value_rows_differ (RowDiff *self, const Side *a, const Side *b, gint64 n_rows, GError **error)
{
  for (gint64 row = 0; row < n_rows; row++)
    {
      g_autoptr (ReelTensordict) in_a = read_row (a, row, error);
      g_autoptr (ReelTensordict) in_b = in_a ? read_row (b, row, error) : NULL;
      if (!in_b)
        return FALSE;
      if (leaves_differ (self, in_a, in_b, row) || values_differ (self, in_a, in_b, row))
        return TRUE;
    }
  return FALSE;
}

/* ---- both ---- */

static gboolean
has_columns (const Side *side)
{
  return reel_storage_get_data (reel_replay_buffer_get_storage (side->buffer)) != NULL;
}

static void
init_side (Side *side, ReelReplayBuffer *buffer)
{
  *side = (Side){ .buffer = buffer };
  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &side->view);
}

gboolean
row_diff_find (RowDiff *self, ReelReplayBuffer *a, ReelReplayBuffer *b, GError **error)
{
  g_autoptr (GError) local = NULL;
  Side in_a, in_b;
  gint64 n_a, n_b;

  *self = (RowDiff){ .row = -1 };
  init_side (&in_a, a);
  init_side (&in_b, b);
  n_a = count_rows (&in_a);
  n_b = count_rows (&in_b);
  in_a.by_lanes = in_b.by_lanes = in_a.view.lanes != in_b.view.lanes;
  if (in_a.by_lanes && n_a != n_b && n_a > 0 && n_b > 0)
    return differ (self, -1, NULL,
                   "A has %" G_GINT64_FORMAT " rows in %" G_GINT64_FORMAT
                   " lanes, B %" G_GINT64_FORMAT " in %" G_GINT64_FORMAT,
                   n_a, in_a.view.lanes, n_b, in_b.view.lanes);
  gboolean columns = has_columns (&in_a) && has_columns (&in_b);
  if ((columns ? columns_differ : value_rows_differ) (self, &in_a, &in_b, MIN (n_a, n_b), &local))
    return TRUE;
  if (local)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (n_a != n_b)
    return differ (self, MIN (n_a, n_b), NULL,
                   "only in %s: A has %" G_GINT64_FORMAT " rows, B %" G_GINT64_FORMAT,
                   n_a > n_b ? "A" : "B", n_a, n_b);
  return FALSE;
}
