/* The stack of a pickle's reader. */
#include "pickle-reader.h"

/* ---- items ---- */

void
reel_pickle_item_unref (gpointer data)
{
  ReelPickleItem *self = data;

  if (--self->ref_count > 0)
    return;
  g_clear_pointer (&self->value, g_variant_unref);
  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_clear_pointer (&self->dict, reel_tensordict_unref);
  g_clear_pointer (&self->memory, reel_memory_unref);
  g_clear_pointer (&self->tensor, reel_tensor_unref);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_free (self->array);
  g_free (self);
}

ReelPickleItem *
reel_pickle_item_ref (ReelPickleItem *self)
{
  self->ref_count++;
  return self;
}

ReelPickleItem *
reel_pickle_item_new (ReelPickleKind kind)
{
  ReelPickleItem *self = g_new0 (ReelPickleItem, 1);

  self->ref_count = 1;
  self->kind = kind;
  return self;
}

ReelPickleItem *
reel_pickle_container_new (ReelPickleKind kind, gboolean is_tuple)
{
  ReelPickleItem *item = reel_pickle_item_new (kind);

  item->ordered = is_tuple;
  item->items = g_ptr_array_new_with_free_func (reel_pickle_item_unref);
  return item;
}

ReelPickleItem *
reel_pickle_dict_new (gboolean is_ordered)
{
  ReelPickleItem *item = reel_pickle_item_new (REEL_PICKLE_DICT);

  item->ordered = is_ordered;
  item->dict = reel_tensordict_new (0, NULL);
  return item;
}

/* ---- errors ---- */

gboolean
reel_pickle_fail (const ReelPickleReader *self, gint code, GError **error, const char *format, ...)
{
  va_list arguments;
  g_autofree char *what = NULL, *shown = NULL;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  shown = g_utf8_make_valid (what, -1); /* a name may be cut within a character */
  g_set_error (error, REEL_ERROR, code, "byte %" G_GSIZE_FORMAT " of the pickle: %s",
               (gsize) (self->at - self->begin), shown);
  return FALSE;
}

gboolean
reel_pickle_fail_damaged (const ReelPickleReader *self, const char *what, GError **error)
{
  return reel_pickle_fail (self, REEL_ERROR_DAMAGED, error, "%s", what);
}

/* ---- the stack ---- */

gboolean
reel_pickle_push (ReelPickleReader *self, ReelPickleItem *item)
{
  g_ptr_array_add (self->stack, item);
  return TRUE;
}

/* The one on top, which must be of @kind. */
ReelPickleItem *
reel_pickle_peek (ReelPickleReader *self, ReelPickleKind kind, GError **error)
{
  ReelPickleItem *top = self->stack->len > 0 ? self->stack->pdata[self->stack->len - 1] : NULL;

  if (top && top->kind == kind)
    return top;
  reel_pickle_fail_damaged (self, "an opcode finds a wrong object on the stack", error);
  return NULL;
}

ReelPickleItem *
reel_pickle_pop (ReelPickleReader *self, ReelPickleKind kind, GError **error)
{
  return reel_pickle_peek (self, kind, error)
             ? g_ptr_array_steal_index (self->stack, self->stack->len - 1)
             : NULL;
}

/* The value above @n other items, taken from the stack; NULL where there are fewer or a mark. */
GPtrArray *
reel_pickle_pop_last (ReelPickleReader *self, guint n, GError **error)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (reel_pickle_item_unref);
  guint first = self->stack->len - MIN (n, self->stack->len);

  for (guint i = first; i < self->stack->len; i++)
    g_ptr_array_add (items, reel_pickle_item_ref (self->stack->pdata[i]));
  for (guint i = 0; i < items->len; i++)
    if (((ReelPickleItem *) items->pdata[i])->kind == REEL_PICKLE_MARK)
      n = G_MAXUINT;
  if (items->len == n)
    {
      g_ptr_array_set_size (self->stack, (gint) first);
      return items;
    }
  g_ptr_array_unref (items);
  reel_pickle_fail_damaged (self, "an opcode finds too little on the stack", error);
  return NULL;
}
