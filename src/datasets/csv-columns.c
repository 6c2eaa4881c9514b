#include "csv-columns.h"

#include "../core/object/error.h"
#include "table-names.h"

#include <math.h>
#include <string.h>

static gboolean fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED, what);
  return FALSE;
}

/* ---- cells ---- */

/* 1 for true, 0 for false, −1 for any other cell. */
static gint
parse_bool (const char *cell, gboolean is_flag)
{
  if (g_ascii_strcasecmp (cell, "true") == 0 || (is_flag && g_str_equal (cell, "1")))
    return 1;
  return g_ascii_strcasecmp (cell, "false") == 0 || (is_flag && g_str_equal (cell, "0")) ? 0 : -1;
}

static gboolean
looks_like_integer (const char *cell)
{
  cell += *cell == '-' || *cell == '+';
  return *cell && strspn (cell, "0123456789") == strlen (cell);
}

static gboolean
fits_integer (const char *cell)
{
  return g_ascii_string_to_signed (cell + (*cell == '+'), 10, G_MININT64, G_MAXINT64, NULL, NULL);
}

static gboolean
is_real (const char *cell)
{
  char *end;

  g_ascii_strtod (cell, &end);
  return end > cell && !*end && !strpbrk (cell, "xX \t\r\n\f\v");
}

/* A real that becomes infinite, though it is not written so. */
static gboolean
is_beyond (const char *cell, ReelDtype reals)
{
  const double value = g_ascii_strtod (cell, NULL);
  const gboolean is_infinite = reals == REEL_DTYPE_FLOAT32 ? isinf ((float) value) : isinf (value);

  cell += *cell == '-' || *cell == '+';
  return is_infinite && !g_ascii_isalpha (*cell);
}

/* ---- names ---- */

static void
clear_column (gpointer data)
{
  g_free (((ReelCsvColumn *) data)->name);
}

static void
clear_leaf (gpointer data)
{
  g_free (((ReelCsvLeaf *) data)->key);
}

void
reel_csv_columns_free (ReelCsvColumns *self)
{
  if (!self)
    return;
  g_array_unref (self->columns);
  g_array_unref (self->leaves);
  g_free (self);
}

static ReelCsvLeaf *
get_leaf (const ReelCsvColumns *self, guint i)
{
  return &g_array_index (self->leaves, ReelCsvLeaf, i);
}

/* The leaf of a key; made where none has it yet. @numbers: of leaves plus 1, by key. */
static guint
find_leaf (ReelCsvColumns *self, GHashTable *numbers, const char *key, gint ndim)
{
  gpointer number = g_hash_table_lookup (numbers, key);
  ReelCsvLeaf leaf = { .key = NULL };

  if (number)
    return GPOINTER_TO_UINT (number) - 1;
  leaf.key = g_strdup (key);
  leaf.ndim = ndim;
  leaf.is_flag = reel_table_is_of_step (key) && !g_str_has_suffix (key, "reward");
  leaf.is_bools = leaf.is_integers = TRUE;
  g_array_append_val (self->leaves, leaf);
  g_hash_table_insert (numbers, leaf.key, GUINT_TO_POINTER (self->leaves->len));
  return self->leaves->len - 1;
}

static gboolean
add_column (ReelCsvColumns *self, GHashTable *names, GHashTable *numbers, const char *name,
            GError **error)
{
  ReelCsvColumn column = { .name = NULL };
  g_autofree char *key = reel_table_parse_name (name, &column.ndim, column.place);
  ReelCsvLeaf *leaf;

  if (!*name)
    return fail (error, "column %u has no name", self->columns->len + 1);
  if (!key)
    return fail (error, "the column \"%s\" has no place that can be read, such as x[0]", name);
  if (!g_hash_table_add (names, g_strdup (name)))
    return fail (error, "two columns have the name \"%s\"", name);
  column.leaf = find_leaf (self, numbers, key, column.ndim);
  column.name = g_strdup (name);
  g_array_append_val (self->columns, column);
  leaf = get_leaf (self, column.leaf);
  leaf->n_columns++;
  if (leaf->ndim != column.ndim)
    return fail (error, "the column \"%s\" has %d places, others of \"%s\" have %d", name,
                 column.ndim, key, leaf->ndim);
  for (gint d = 0; d < column.ndim; d++)
    leaf->shape[d] = MAX (leaf->shape[d], column.place[d] + 1);
  return TRUE;
}

/* As names differ, a leaf with as many columns as elements has each of them. */
static gboolean
check_leaf (const ReelCsvLeaf *leaf, GError **error)
{
  gint64 n = 1;

  for (gint d = 0; d < leaf->ndim; d++)
    if (__builtin_mul_overflow (n, leaf->shape[d], &n))
      n = G_MAXINT64;
  return n == leaf->n_columns
         || fail (error,
                  "\"%s\" has %" G_GINT64_FORMAT " columns; its places say %" G_GINT64_FORMAT
                  " elements",
                  leaf->key, leaf->n_columns, n);
}

static void
number_element (const ReelCsvColumns *self, ReelCsvColumn *column)
{
  const ReelCsvLeaf *leaf = get_leaf (self, column->leaf);

  for (gint d = 0; d < column->ndim; d++)
    column->element = column->element * leaf->shape[d] + column->place[d];
}

static gboolean
finish (ReelCsvColumns *self, GError **error)
{
  for (guint i = 0; i < self->leaves->len; i++)
    if (!check_leaf (get_leaf (self, i), error))
      return FALSE;
  for (guint i = 0; i < self->columns->len; i++)
    number_element (self, &g_array_index (self->columns, ReelCsvColumn, i));
  for (guint i = 0; i < self->leaves->len; i++)
    {
      ReelCsvLeaf *leaf = get_leaf (self, i);

      if (leaf->ndim == 0 && reel_table_is_of_step (leaf->key))
        leaf->shape[leaf->ndim++] = 1;
    }
  return TRUE;
}

ReelCsvColumns *
reel_csv_columns_new (const GPtrArray *texts, guint n, ReelDtype reals, GError **error)
{
  g_autoptr (ReelCsvColumns) self = g_new0 (ReelCsvColumns, 1);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);

  self->reals = reals;
  self->columns = g_array_new (FALSE, FALSE, sizeof (ReelCsvColumn));
  self->leaves = g_array_new (FALSE, FALSE, sizeof (ReelCsvLeaf));
  g_array_set_clear_func (self->columns, clear_column);
  g_array_set_clear_func (self->leaves, clear_leaf);
  if (n > REEL_TABLE_MOST_COLUMNS
      && !fail (error, "it has %u columns; %d are the most", n, REEL_TABLE_MOST_COLUMNS))
    return NULL;
  for (guint i = 0; i < n; i++)
    if (!add_column (self, names, numbers, ((const GString *) texts->pdata[i])->str, error))
      return NULL;
  return finish (self, error) ? g_steal_pointer (&self) : NULL;
}

/* ---- types ---- */

gboolean
reel_csv_columns_look (ReelCsvColumns *self, guint i, const char *cell, GError **error)
{
  const ReelCsvColumn *column = &g_array_index (self->columns, ReelCsvColumn, i);
  ReelCsvLeaf *leaf = get_leaf (self, column->leaf);
  const gboolean is_bool = parse_bool (cell, leaf->is_flag) >= 0;
  const gboolean is_integer = looks_like_integer (cell);

  if (!*cell)
    return fail (error, "a cell of the column \"%s\" is empty", column->name);
  if (!is_bool && !is_integer && !is_real (cell))
    return fail (error, "\"%s\" of the column \"%s\" is neither a number nor a bool", cell,
                 column->name);
  if (is_integer && !fits_integer (cell))
    return fail (error, "\"%s\" of the column \"%s\" is beyond the integers of 64 bits", cell,
                 column->name);
  if (is_beyond (cell, self->reals))
    return fail (error, "\"%s\" of the column \"%s\" is beyond the numbers of %s", cell,
                 column->name, reel_dtype_name (self->reals));
  leaf->is_bools &= is_bool;
  leaf->is_integers &= is_integer;
  leaf->has_words |= is_bool && !is_integer;
  return !leaf->has_words || leaf->is_bools
         || fail (error, "\"%s\" of the column \"%s\" is %s, and others are %s", cell, column->name,
                  is_bool ? "a bool" : "a number", is_bool ? "numbers" : "bools");
}

ReelDtype
reel_csv_columns_get_dtype (const ReelCsvColumns *self, guint i)
{
  const ReelCsvLeaf *leaf = get_leaf (self, i);

  if (leaf->is_bools)
    return REEL_DTYPE_BOOL;
  return leaf->is_integers ? REEL_DTYPE_INT64 : self->reals;
}

void
reel_csv_put_cell (const char *cell, ReelDtype dtype, guint8 *to)
{
  gint64 integer;
  double real;
  float single;

  switch (dtype)
    {
    case REEL_DTYPE_BOOL: *to = parse_bool (cell, TRUE) == 1; break;
    case REEL_DTYPE_INT64:
      integer = g_ascii_strtoll (cell, NULL, 10);
      memcpy (to, &integer, sizeof integer);
      break;
    case REEL_DTYPE_FLOAT32:
      single = (float) g_ascii_strtod (cell, NULL);
      memcpy (to, &single, sizeof single);
      break;
    default: real = g_ascii_strtod (cell, NULL); memcpy (to, &real, sizeof real);
    }
}
