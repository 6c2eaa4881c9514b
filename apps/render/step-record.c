#include "step-record.h"

#include <math.h>
#include <string.h>

/* Wider rows are no numbers to plot. */
#define MOST_ELEMENTS 4096

/* Elements of an action that are written out. */
#define WRITTEN_ELEMENTS 6

typedef struct
{
  char *name;
  gint64 width;
  gint64 n; /* pictures told */
  gboolean one_hot;
  gboolean is_discrete;
  char **elements; /* names, or NULL */
  GArray *values;  /* float, [n, width] */
} Column;

static void
column_free (Column *column)
{
  g_array_unref (column->values);
  g_strfreev (column->elements);
  g_free (column->name);
  g_free (column);
}

StepRecord *
step_record_new (void)
{
  StepRecord *self = g_new0 (StepRecord, 1);

  self->columns = g_ptr_array_new_with_free_func ((GDestroyNotify) column_free);
  return self;
}

void
step_record_free (StepRecord *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->columns);
  g_free (self);
}

static Column *
find (const StepRecord *self, const char *name)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      Column *column = g_ptr_array_index (self->columns, i);
      if (strcmp (column->name, name) == 0)
        return column;
    }
  return NULL;
}

/* ---- what is told ---- */

static double
load (const ReelTensor *value, gint64 k)
{
  const guint8 *element = value->data + (gsize) k * reel_dtype_size (value->dtype);

  return value->dtype == REEL_DTYPE_BOOL ? *element
                                         : reel_dtype_load_double (value->dtype, element);
}

static gboolean
is_number (const ReelTensor *value)
{
  gint64 n = reel_tensor_numel (value);

  return !reel_dtype_is_complex (value->dtype) && n >= 1 && n <= MOST_ELEMENTS
         && reel_tensor_is_contiguous (value);
}

/* Which one is 1 where all others are 0, or -1. */
static gint64
find_one (const ReelTensor *value)
{
  gint64 n = reel_tensor_numel (value), one = -1;

  for (gint64 k = 0; k < n; k++)
    {
      double element = load (value, k);
      if (element == 0)
        continue;
      if (element != 1 || one >= 0)
        return -1;
      one = k;
    }
  return one;
}

static void
fill_gaps (Column *column, gint64 n)
{
  const float unknown = NAN;

  for (; column->n < n; column->n++)
    for (gint64 k = 0; k < column->width; k++)
      g_array_append_val (column->values, unknown);
}

static Column *
add_column (StepRecord *self, const char *name, const ReelTensor *value)
{
  Column *column = g_new0 (Column, 1);
  gint64 n = reel_tensor_numel (value);

  column->one_hot = strcmp (name, "action") == 0 && n > 1 && !reel_dtype_is_float (value->dtype)
                    && find_one (value) >= 0;
  column->is_discrete = !reel_dtype_is_float (value->dtype);
  column->name = g_strdup (name);
  column->width = column->one_hot ? 1 : n;
  column->values = g_array_new (FALSE, FALSE, sizeof (float));
  g_ptr_array_add (self->columns, column);
  return column;
}

void
step_record_say (StepRecord *self, const char *name, const ReelTensor *value)
{
  if (!is_number (value))
    return;

  Column *column = find (self, name);
  gint64 n = reel_tensor_numel (value);

  if (!column)
    column = add_column (self, name, value);
  if (column->n > self->n || (!column->one_hot && column->width != n))
    return;
  fill_gaps (column, self->n);
  for (gint64 k = 0; k < column->width; k++)
    {
      float element = (float) (column->one_hot ? (double) find_one (value) : load (value, k));
      g_array_append_val (column->values, element);
    }
  column->n++;
}

void
step_record_name_elements (StepRecord *self, const char *name, const char *const *elements)
{
  Column *column = find (self, name);

  if (!column || !elements || (gint64) g_strv_length ((char **) elements) != column->width)
    return;
  g_strfreev (column->elements);
  column->elements = g_strdupv ((char **) elements);
}

void
step_record_next (StepRecord *self)
{
  self->n++;
  for (guint i = 0; i < self->columns->len; i++)
    fill_gaps (g_ptr_array_index (self->columns, i), self->n);
}

/* ---- what is said of it ---- */

static double
value_of (const Column *column, gint64 i)
{
  return column && i < column->n && column->width == 1 ? g_array_index (column->values, float, i)
                                                       : NAN;
}

static char *
write_action (const Column *column, gint64 i)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const float *values = &g_array_index (column->values, float, (guint) (i * column->width));

  if (isnan (values[0]))
    return NULL;
  if (column->width == 1)
    return g_strdup_printf ("%.4g", (double) values[0]);
  for (gint64 k = 0; k < MIN (column->width, WRITTEN_ELEMENTS); k++)
    g_string_append_printf (text, "%s%.2f", k ? " " : "", (double) values[k]);
  if (column->width > WRITTEN_ELEMENTS)
    g_string_append_printf (text, " (%" G_GINT64_FORMAT ")", column->width);
  return g_strdup (text->str);
}

void
step_record_note (const StepRecord *self, gint64 i, StepNote *note)
{
  const Column *action = find (self, "action"), *reward = find (self, "reward");

  *note = (StepNote){ .reward = value_of (reward, i),
                      .terminated = value_of (find (self, "terminated"), i) == 1,
                      .truncated = value_of (find (self, "truncated"), i) == 1 };
  if (action && i < action->n)
    note->action = write_action (action, i);
  note->rewarded = !isnan (note->reward);
  for (gint64 k = 0; k <= i; k++)
    {
      double value = value_of (reward, k);
      note->total += isnan (value) ? 0 : value;
    }
}

void
step_note_clear (StepNote *note)
{
  g_clear_pointer (&note->action, g_free);
}

static ReelPlotSeries
plot_column (const Column *column)
{
  return (ReelPlotSeries){ .name = column->name,
                           .width = column->width,
                           .values = (const float *) column->values->data,
                           .element_names = (const char *const *) column->elements,
                           .steps = column->is_discrete };
}

void
step_record_plot (const StepRecord *self, gint64 i, ReelTensor *picture)
{
  static const char *const first[] = { "reward", "action", NULL };
  static const char *const flags[] = { "reward", "action", "terminated", "truncated", NULL };
  g_autofree ReelPlotSeries *series = g_new (ReelPlotSeries, self->columns->len + 1);
  gsize n = 0;

  for (const char *const *name = first; *name; name++)
    {
      const Column *column = find (self, *name);
      if (column)
        series[n++] = plot_column (column);
    }
  for (guint k = 0; k < self->columns->len; k++)
    {
      const Column *column = g_ptr_array_index (self->columns, k);
      if (!g_strv_contains (flags, column->name))
        series[n++] = plot_column (column);
    }
  reel_plot_draw (picture, series, n, MAX (self->n, 1), MIN (i, MAX (self->n, 1) - 1));
}
