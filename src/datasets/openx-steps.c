#include "openx-steps.h"

#include "../core/object/error.h"

#include <string.h>

static void
free_column (gpointer data)
{
  ReelOpenxColumn *self = data;

  g_free (self->info.name);
  g_byte_array_unref (self->elements);
  g_ptr_array_unref (self->texts);
  g_array_unref (self->images);
  g_free (self);
}

ReelOpenxSteps *
reel_openx_steps_new (void)
{
  ReelOpenxSteps *self = g_new0 (ReelOpenxSteps, 1);

  self->columns = g_ptr_array_new_with_free_func (free_column);
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

void
reel_openx_steps_free (ReelOpenxSteps *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->by_name);
  g_ptr_array_unref (self->columns);
  g_clear_pointer (&self->source, reel_pickle_item_unref);
  g_free (self);
}

const ReelOpenxColumn *
reel_openx_steps_find (const ReelOpenxSteps *self, const char *name)
{
  return g_hash_table_lookup (self->by_name, name);
}

/* ---- a value of the next step ---- */

static gboolean
fail (const ReelOpenxSteps *self, const char *name, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "step %" G_GINT64_FORMAT ": \"%s\" %s",
               self->n, name, what);
  return FALSE;
}

static ReelOpenxColumn *
add_column (ReelOpenxSteps *self, const char *name, ReelOpenxKind kind, gint dtype, gint ndim,
            const gint64 *shape)
{
  ReelOpenxColumn *column = g_new0 (ReelOpenxColumn, 1);

  column->kind = kind;
  column->info.name = g_strdup (name);
  column->info.dtype = dtype;
  column->info.ndim = ndim + 1;
  for (gint d = 0; d < ndim; d++)
    column->info.shape[1 + d] = shape[d];
  column->elements = g_byte_array_new ();
  column->texts = g_ptr_array_new_with_free_func (g_free);
  column->images = g_array_new (FALSE, FALSE, sizeof (ReelTfBytes));
  g_ptr_array_add (self->columns, column);
  g_hash_table_insert (self->by_name, column->info.name, column);
  return column;
}

/* The column that has no value of this step yet, and gets one. */
static ReelOpenxColumn *
begin_value (ReelOpenxSteps *self, const char *name, ReelOpenxKind kind, gint dtype, gint ndim,
             const gint64 *shape, GError **error)
{
  ReelOpenxColumn *column = g_hash_table_lookup (self->by_name, name);
  const char *fault = NULL;

  if (!column && self->n > 0)
    fault = "is not in the steps before";
  else if (ndim + 1 > REEL_MAX_NDIM)
    fault = "has too many dimensions";
  else if (!column)
    column = add_column (self, name, kind, dtype, ndim, shape);
  else if (column->info.shape[0] > self->n)
    fault = "is there twice";
  else if (column->kind != kind || column->info.dtype != dtype || column->info.ndim != ndim + 1
           || memcmp (column->info.shape + 1, shape, (gsize) ndim * sizeof *shape) != 0)
    fault = "has another type or shape than in the steps before";
  if (fault)
    {
      fail (self, name, fault, error);
      return NULL;
    }
  column->info.shape[0]++;
  return column;
}

gboolean
reel_openx_steps_add (ReelOpenxSteps *self, const char *name, ReelDtype dtype, gint ndim,
                      const gint64 *shape, gconstpointer elements, GError **error)
{
  ReelOpenxColumn *column =
      begin_value (self, name, REEL_OPENX_ELEMENTS, (gint) dtype, ndim, shape, error);
  gsize n_bytes = reel_dtype_size (dtype);

  if (!column)
    return FALSE;
  for (gint d = 0; d < ndim; d++)
    n_bytes *= (gsize) shape[d];
  if (n_bytes > G_MAXUINT - column->elements->len)
    return fail (self, name, "would have more than 4 GB in an episode, which is unsupported",
                 error);
  g_byte_array_append (column->elements, elements, (guint) n_bytes);
  return TRUE;
}

gboolean
reel_openx_steps_add_text (ReelOpenxSteps *self, const char *name, const char *text, gsize length,
                           GError **error)
{
  const gint64 none = 0;
  ReelOpenxColumn *column = begin_value (self, name, REEL_OPENX_TEXT, -1, 0, &none, error);

  if (!column)
    return FALSE;
  if (!g_utf8_validate (text, (gssize) length, NULL))
    return fail (self, name, "is no UTF-8, or contains a zero", error);
  g_ptr_array_add (column->texts, g_strndup (text, length));
  return TRUE;
}

gboolean
reel_openx_steps_add_image (ReelOpenxSteps *self, const char *name, const guint8 *file,
                            gsize length, GError **error)
{
  const gint64 none = 0;
  const ReelTfBytes bytes = { file, length };
  ReelOpenxColumn *column = begin_value (self, name, REEL_OPENX_IMAGE, -1, 0, &none, error);

  if (!column)
    return FALSE;
  g_array_append_val (column->images, bytes);
  return TRUE;
}

gboolean
reel_openx_steps_end_step (ReelOpenxSteps *self, GError **error)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      const ReelOpenxColumn *column = self->columns->pdata[i];

      if (column->info.shape[0] <= self->n)
        return fail (self, column->info.name, "is missing", error);
    }
  self->n++;
  return TRUE;
}
