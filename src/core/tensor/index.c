#include "index.h"
#include "tensor-private.h"
#include "../object/text.h"

#include <string.h>

/* Indices that a range in a text may have: texts may come from anywhere. */
#define MAX_RANGE (1 << 24)

static void
add_item (ReelIndex *index, ReelIndexItem item)
{
  g_return_if_fail (index->n_items < REEL_MAX_INDEX_ITEMS);

  index->items[index->n_items++] = item;
}

void
reel_index_add_int (ReelIndex *index, gint64 i)
{
  add_item (index, (ReelIndexItem){ .kind = REEL_INDEX_INT, .begin = i });
}

void
reel_index_add_slice (ReelIndex *index, gint64 begin, gint64 end, gint64 step)
{
  add_item (index, (ReelIndexItem){ REEL_INDEX_SLICE, begin, end, step, NULL });
}

void
reel_index_add_tensor (ReelIndex *index, ReelTensor *tensor)
{
  g_return_if_fail (index->n_items < REEL_MAX_INDEX_ITEMS);

  add_item (index,
            (ReelIndexItem){ .kind = REEL_INDEX_TENSOR, .tensor = reel_tensor_ref (tensor) });
}

void
reel_index_add_new_dim (ReelIndex *index)
{
  add_item (index, (ReelIndexItem){ .kind = REEL_INDEX_NEW_DIM });
}

void
reel_index_add_ellipsis (ReelIndex *index)
{
  add_item (index, (ReelIndexItem){ .kind = REEL_INDEX_ELLIPSIS });
}

void
reel_index_clear (ReelIndex *index)
{
  for (guint i = 0; i < index->n_items; i++)
    g_clear_pointer (&index->items[i].tensor, reel_tensor_unref);
  index->n_items = 0;
}

/* ---- text ---- */

static gboolean
set_parse_error (const char *piece, const char *expected, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX, "\"%s\" is not an index: expected %s", piece,
               expected);
  return FALSE;
}

static gboolean
parse_int (const char *text, gint64 *value, GError **error)
{
  if (g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, value, NULL))
    return TRUE;
  return set_parse_error (
      text, "an int, begin:end:step, a list, range(…), None, True, False or ...", error);
}

static gboolean
parse_slice (ReelIndex *index, const char *text, GError **error)
{
  gint64 bounds[] = { 0, G_MAXINT64, 1 };
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);

  if (g_strv_length (parts) > G_N_ELEMENTS (bounds))
    return set_parse_error (text, "begin:end:step", error);
  for (guint i = 0; parts[i]; i++)
    {
      const char *part = g_strstrip (parts[i]);
      if (*part != '\0' && !parse_int (part, &bounds[i], error))
        return FALSE;
    }
  reel_index_add_slice (index, bounds[0], bounds[1], bounds[2]);
  return TRUE;
}

static gboolean
add_values (ReelIndex *index, ReelDtype dtype, gint ndim, const gint64 *shape, GArray *values,
            GError **error)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, ndim, shape, error);

  if (!tensor)
    return FALSE;
  for (guint i = 0; i < values->len; i++)
    {
      gint64 value = g_array_index (values, gint64, i);
      if (dtype == REEL_DTYPE_BOOL)
        tensor->data[i] = (guint8) value;
      else
        ((gint64 *) tensor->data)[i] = value;
    }
  reel_index_add_tensor (index, tensor);
  return TRUE;
}

/* A list that is being read: its elements so far, and what the first ones said of its shape. */
typedef struct
{
  GArray *values; /* of gint64 */
  gint ndim;      /* −1 until the first element is met */
  gint64 shape[REEL_MAX_NDIM];
  gboolean is_mask;
} List;

static gboolean
parse_element (List *list, const char *piece, gint depth, GError **error)
{
  gboolean is_true = strcmp (piece, "True") == 0;
  gboolean is_mask = is_true || strcmp (piece, "False") == 0;
  gint64 value = is_true;

  if (!is_mask && !parse_int (piece, &value, error))
    return FALSE;
  if (list->ndim < 0)
    {
      list->ndim = depth;
      list->is_mask = is_mask;
    }
  if (list->ndim != depth || list->is_mask != is_mask)
    return set_parse_error (piece, "elements of one kind in lists of one depth", error);
  g_array_append_val (list->values, value);
  return TRUE;
}

static gboolean
parse_list (List *list, const char *text, gint depth, GError **error)
{
  g_autofree char *inner = reel_text_unwrap (text, '[', ']');
  g_auto (GStrv) pieces = inner ? reel_text_split (inner, ',', error) : NULL;

  if (!inner)
    return parse_element (list, text, depth, error);
  if (!pieces)
    return FALSE;
  gint64 n = g_strv_length (pieces);
  if (depth == REEL_MAX_NDIM || (list->ndim >= 0 && depth >= list->ndim))
    return set_parse_error (text, "elements of one kind in lists of one depth", error);
  if (list->shape[depth] >= 0 && list->shape[depth] != n)
    return set_parse_error (text, "lists of one length", error);
  list->shape[depth] = n;
  if (n == 0)
    list->ndim = depth + 1;
  for (gint64 i = 0; i < n; i++)
    if (!parse_list (list, pieces[i], depth + 1, error))
      return FALSE;
  return TRUE;
}

static gboolean
add_list (ReelIndex *index, const char *text, GError **error)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  List list = { .values = values, .ndim = -1 };

  memset (list.shape, 0xff, sizeof list.shape);
  return parse_list (&list, text, 0, error)
         && add_values (index, list.is_mask ? REEL_DTYPE_BOOL : REEL_DTYPE_INT64, list.ndim,
                        list.shape, values, error);
}

static gboolean
add_range (ReelIndex *index, const char *text, const char *inner, GError **error)
{
  g_auto (GStrv) parts = reel_text_split (inner, ',', error);
  gint64 bounds[] = { 0, 0, 1 };
  guint n = parts ? g_strv_length (parts) : 0;

  if (!parts)
    return FALSE;
  if (n == 0 || n > G_N_ELEMENTS (bounds))
    return set_parse_error (text, "range(begin, end, step)", error);
  for (guint i = 0; i < n; i++)
    if (!parse_int (parts[i], &bounds[n == 1 ? 1 : i], error))
      return FALSE;
  gint64 step = bounds[2];
  if (step == 0)
    return set_parse_error (text, "a step other than 0", error);

  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gint64 i = bounds[0]; step > 0 ? i < bounds[1] : i > bounds[1];)
    {
      if (values->len == MAX_RANGE)
        return set_parse_error (text, "no more than 2^24 indices", error);
      g_array_append_val (values, i);
      if (__builtin_add_overflow (i, step, &i))
        break;
    }
  const gint64 shape[] = { values->len };
  return add_values (index, REEL_DTYPE_INT64, 1, shape, values, error);
}

static gboolean
parse_item (ReelIndex *index, const char *text, GError **error)
{
  gint64 i;

  if (strcmp (text, "...") == 0 || strcmp (text, "Ellipsis") == 0)
    reel_index_add_ellipsis (index);
  else if (strcmp (text, "None") == 0)
    reel_index_add_new_dim (index);
  else if (*text == '[' || strcmp (text, "True") == 0 || strcmp (text, "False") == 0)
    return add_list (index, text, error);
  else if (g_str_has_prefix (text, "range"))
    {
      g_autofree char *inner = reel_text_unwrap (text + strlen ("range"), '(', ')');
      return inner ? add_range (index, text, inner, error)
                   : set_parse_error (text, "range(begin, end, step)", error);
    }
  else if (strchr (text, ':'))
    return parse_slice (index, text, error);
  else
    {
      if (!parse_int (text, &i, error))
        return FALSE;
      reel_index_add_int (index, i);
    }
  return TRUE;
}

gboolean
reel_index_parse (ReelIndex *index, const char *text, GError **error)
{
  g_autofree char *inner = reel_text_unwrap (text, '[', ']');
  g_auto (GStrv) pieces = NULL;

  index->n_items = 0;
  if (!inner)
    return set_parse_error (text, "items in brackets", error);
  pieces = reel_text_split (inner, ',', error);
  if (!pieces)
    return FALSE;
  guint n = g_strv_length (pieces);
  /* As in Python, a comma may end the list. */
  if (n > 1 && *pieces[n - 1] == '\0')
    n--;
  if (n > REEL_MAX_INDEX_ITEMS)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX, "an index of %u items has more than %d", n,
                   REEL_MAX_INDEX_ITEMS);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (!parse_item (index, pieces[i], error))
      {
        reel_index_clear (index);
        return FALSE;
      }
  return TRUE;
}

static void
append_slice (GString *text, const ReelIndexItem *item)
{
  if (item->begin != 0)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, item->begin);
  g_string_append_c (text, ':');
  if (item->end != G_MAXINT64)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, item->end);
  if (item->step != 1)
    g_string_append_printf (text, ":%" G_GINT64_FORMAT, item->step);
}

static void
append_item (GString *text, const ReelIndexItem *item)
{
  g_autofree char *values = item->tensor ? reel_tensor_to_string (item->tensor) : NULL;

  switch (item->kind)
    {
    case REEL_INDEX_INT: g_string_append_printf (text, "%" G_GINT64_FORMAT, item->begin); break;
    case REEL_INDEX_SLICE: append_slice (text, item); break;
    case REEL_INDEX_TENSOR: g_string_append (text, values); break;
    case REEL_INDEX_NEW_DIM: g_string_append (text, "None"); break;
    default: g_string_append (text, "..."); break;
    }
}

char *
reel_index_to_string (const ReelIndex *index)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < index->n_items; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      append_item (text, &index->items[i]);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}
