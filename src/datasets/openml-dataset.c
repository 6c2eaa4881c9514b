/* OpenML: four tables of classification as contextual bandits, `X` and `y`. The result is that of
 * TorchRL's OpenMLExperienceReplay, which scikit-learn prepares; where that is wrong,
 * docs/differences-from-torchrl.md says so. */
#include "dataset.h"
#include "dataset-leaves.h"
#include "openml-files.h"
#include "standardize.h"

#include "../core/formats/arff.h"
#include "../core/object/error.h"
#include "../core/system/files.h"
#include "../core/tensor/mapped-memory.h"

#include <math.h>
#include <string.h>

#define X "X"
#define Y "y"
#define CODES ".codes" /* in the draft: a row of numbers for each row that is kept */
#define BLOCK ((gsize) 1 << 20)
#define MISSING (-1.0)

struct _ReelOpenmlDataset
{
  ReelDataset parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelOpenmlDataset, reel_openml_dataset, REEL, OPENML_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelOpenmlDataset, reel_openml_dataset, REEL_TYPE_DATASET)

/* How a table is prepared. */
typedef struct
{
  const char *id;
  const char *table;
  int version;
  const char *y;   /* the column that is predicted; NULL for the target of the table */
  gboolean encode; /* whether nominal columns become numbers of classes, else their texts do */
  gboolean drop;   /* whether rows with a missing value are left out */
  gboolean
      is_one_hot; /* whether nominal columns become a column for each class, behind the others */
} Recipe;

static const Recipe recipes[] = {
  { "adult_num", "adult", 1, "occupation", TRUE, TRUE, FALSE },
  { "adult_onehot", "adult", 1, "occupation", TRUE, TRUE, TRUE },
  { "covertype", "covertype", 3, NULL, FALSE, FALSE, FALSE },
  { "magic", "magictelescope", 1, NULL, FALSE, FALSE, FALSE },
  { "mushroom_num", "mushroom", 1, NULL, TRUE, FALSE, FALSE },
  { "mushroom_onehot", "mushroom", 1, NULL, TRUE, FALSE, TRUE },
  { "shuttle", "shuttle", 1, NULL, FALSE, FALSE, FALSE },
};

static const Recipe *
find_recipe (const char *id)
{
  for (gsize i = 0; i < G_N_ELEMENTS (recipes); i++)
    if (g_str_equal (recipes[i].id, id))
      return &recipes[i];
  return NULL;
}

/* ---- columns ---- */

/* A column that is used. Its classes are numbered as they come, and by their order in the end. */
typedef struct
{
  guint in; /* which of the table */
  const ReelArffColumn *column;
  GHashTable *numbers; /* of classes by text, from 1; NULL for numbers */
  GPtrArray *texts;    /* by number */
  gint64 *order;       /* by number */
  gboolean is_missing; /* whether a class is for missing values, behind all others */
} Column;

typedef struct
{
  const Recipe *recipe;
  GArray *columns; /* of Column; the last is that of y */
  gint64 n_rows;
} Table;

static void
clear_column (gpointer data)
{
  Column *self = data;

  g_clear_pointer (&self->numbers, g_hash_table_unref);
  g_clear_pointer (&self->texts, g_ptr_array_unref);
  g_free (self->order);
}

static void
add_column (Table *self, const ReelArff *arff, guint in, gboolean is_class)
{
  Column column = { .in = in };

  column.column = &g_array_index (reel_arff_get_columns (arff), ReelArffColumn, in);
  if (is_class)
    {
      column.numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      column.texts = g_ptr_array_new ();
    }
  g_array_append_val (self->columns, column);
}

static gint
find_column (const ReelArff *arff, const char *name)
{
  const GArray *columns = reel_arff_get_columns (arff);

  for (guint i = 0; i < columns->len; i++)
    if (strcmp (g_array_index (columns, ReelArffColumn, i).name, name) == 0)
      return (gint) i;
  return -1;
}

static gboolean
find_columns (Table *self, const ReelOpenmlTable *table, const ReelArff *arff, GError **error)
{
  const GArray *columns = reel_arff_get_columns (arff);
  const char *name = self->recipe->y ? self->recipe->y : table->target;
  gint y = find_column (arff, name);

  if (y < 0)
    return reel_arff_fail (arff, error, "there is no column \"%s\"", name);
  for (guint i = 0; i < columns->len; i++)
    {
      const ReelArffColumn *column = &g_array_index (columns, ReelArffColumn, i);

      if (i != (guint) y && !g_hash_table_contains (table->ignored, column->name))
        add_column (self, arff, i, self->recipe->encode && column->values);
    }
  if (self->columns->len == 0)
    return reel_arff_fail (arff, error, "no column is a feature");
  add_column (self, arff, (guint) y, TRUE);
  return TRUE;
}

/* ---- values ---- */

static gboolean
find_class (Column *self, const ReelArff *arff, const char *cell, double *code, GError **error)
{
  gint64 number = GPOINTER_TO_INT (g_hash_table_lookup (self->numbers, cell));

  if (self->column->values && !g_strv_contains ((const char *const *) self->column->values, cell))
    return reel_arff_fail (arff, error, "\"%s\" is not a value of the column \"%s\"", cell,
                           self->column->name);
  if (number == 0)
    {
      char *text = g_strdup (cell);

      g_ptr_array_add (self->texts, text);
      number = self->texts->len;
      g_hash_table_insert (self->numbers, text, GINT_TO_POINTER ((gint) number));
    }
  *code = (double) (number - 1);
  return TRUE;
}

static gboolean
read_number (const Column *self, const ReelArff *arff, const char *cell, double *code,
             GError **error)
{
  char *end;

  *code = g_ascii_strtod (cell, &end);
  return (end > cell && !*end && isfinite (*code) && !strpbrk (cell, "xX"))
         || reel_arff_fail (arff, error, "\"%s\" of the column \"%s\" is not a finite number", cell,
                            self->column->name);
}

/* Only a class may be missing, where rows that lack something are kept. */
static gboolean
read_cell (Column *self, const ReelArff *arff, const char *cell, gboolean is_y, double *code,
           GError **error)
{
  if (cell)
    return self->numbers ? find_class (self, arff, cell, code, error)
                         : read_number (self, arff, cell, code, error);
  if (is_y || !self->numbers)
    return reel_arff_fail (arff, error, "the value of the column \"%s\" is missing",
                           self->column->name);
  self->is_missing = TRUE;
  *code = MISSING;
  return TRUE;
}

static gboolean
lacks_something (const Table *self, const char *const *cells)
{
  for (guint i = 0; i < self->columns->len; i++)
    if (!cells[g_array_index (self->columns, Column, i).in])
      return TRUE;
  return FALSE;
}

static gboolean
read_row (Table *self, const ReelArff *arff, const char *const *cells, double *row, GError **error)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      Column *column = &g_array_index (self->columns, Column, i);

      if (!read_cell (column, arff, cells[column->in], i + 1 == self->columns->len, &row[i], error))
        return FALSE;
    }
  return TRUE;
}

/* ---- rows, to a file of numbers ---- */

/* Rows that are written a block at a time. */
typedef struct
{
  int fd;
  const char *path;
  GArray *block; /* of double */
  gint64 n_bytes;
} Codes;

static gboolean
write_block (Codes *self, GError **error)
{
  const gsize length = self->block->len * sizeof (double);

  if (!reel_file_write_at (self->fd, self->path, self->block->data, length, self->n_bytes, error))
    return FALSE;
  self->n_bytes += (gint64) length;
  g_array_set_size (self->block, 0);
  return TRUE;
}

static gboolean
read_rows (Table *self, ReelArff *arff, gint64 n_expected, Codes *codes, GError **error)
{
  g_autofree double *row = g_new (double, self->columns->len);
  const char *const *cells;
  gint64 n = 0;

  for (;; n++)
    {
      if (!reel_arff_next (arff, &cells, error))
        return FALSE;
      if (!cells)
        break;
      if (self->recipe->drop && lacks_something (self, cells))
        continue;
      if (!read_row (self, arff, cells, row, error))
        return FALSE;
      g_array_append_vals (codes->block, row, self->columns->len);
      self->n_rows++;
      if (codes->block->len * sizeof *row >= BLOCK && !write_block (codes, error))
        return FALSE;
    }
  if (n != n_expected)
    return reel_arff_fail (arff, error,
                           "it ends after %" G_GINT64_FORMAT " rows; %" G_GINT64_FORMAT
                           " are expected, by NumberOfInstances",
                           n, n_expected);
  if (self->n_rows == 0)
    return reel_arff_fail (arff, error, "no row is complete");
  return write_block (codes, error);
}

static gboolean
check_sum (const ReelOpenmlTable *table, ReelByteStream *stream, GChecksum *sum, GError **error)
{
  if (!reel_byte_stream_end (stream, error))
    return FALSE;
  if (g_str_equal (g_checksum_get_string (sum), table->md5))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "its MD5 is %s; %s is expected",
               g_checksum_get_string (sum), table->md5);
  return FALSE;
}

static gboolean
read_table (Table *self, const ReelOpenmlTable *table, ReelArff *arff, ReelByteStream *stream,
            GChecksum *sum, Codes *codes, GError **error)
{
  return find_columns (self, table, arff, error)
         && read_rows (self, arff, table->n_rows, codes, error)
         && check_sum (table, stream, sum, error);
}

/* ---- classes in their order ---- */

static int
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* That of their texts, byte by byte, which is that of Python. */
static void
order_classes (Column *self)
{
  g_autofree gpointer *texts = NULL;

  if (!self->numbers)
    return;
  self->order = g_new (gint64, MAX (self->texts->len, 1));
  texts = g_memdup2 (self->texts->pdata, self->texts->len * sizeof *texts);
  if (self->texts->len > 0)
    qsort (texts, self->texts->len, sizeof *texts, compare);
  for (guint i = 0; i < self->texts->len; i++)
    self->order[GPOINTER_TO_INT (g_hash_table_lookup (self->numbers, texts[i])) - 1] = i;
}

static gint64
count_classes (const Column *self)
{
  return (gint64) self->texts->len + self->is_missing;
}

static gint64
get_class (const Column *self, double code)
{
  return code == MISSING ? (gint64) self->texts->len : self->order[(gint64) code];
}

/* ---- leaves ---- */

static gboolean
is_spread (const Table *self, const Column *column)
{
  return self->recipe->is_one_hot && column->numbers;
}

/* Columns of X; @n_numbers is how many of them are standardized, the first. */
static gint64
count_features (const Table *self, gint64 *n_numbers)
{
  gint64 n = 0;

  *n_numbers = 0;
  for (guint i = 0; i + 1 < self->columns->len; i++)
    {
      const Column *column = &g_array_index (self->columns, Column, i);

      if (is_spread (self, column))
        n += count_classes (column);
      else
        ++*n_numbers;
    }
  return n + *n_numbers;
}

static void
fill_row (const Table *self, const double *codes, gint64 n_numbers, double *x, gint64 *y)
{
  gint64 at = 0, spread = n_numbers;
  guint i;

  for (i = 0; i + 1 < self->columns->len; i++)
    {
      const Column *column = &g_array_index (self->columns, Column, i);

      if (is_spread (self, column))
        {
          x[spread + get_class (column, codes[i])] = 1;
          spread += count_classes (column);
        }
      else
        x[at++] = column->numbers ? (double) get_class (column, codes[i]) : codes[i];
    }
  *y = get_class (&g_array_index (self->columns, Column, i), codes[i]);
}

static void
fill (const Table *self, ReelMemory *codes, const ReelTensordict *data, gint64 n_numbers)
{
  const double *from = reel_memory_get_data (codes, NULL);
  const ReelTensor *x = reel_tensordict_get_tensor (data, X, NULL);
  const ReelTensor *y = reel_tensordict_get_tensor (data, Y, NULL);
  const gsize row_bytes = (gsize) x->shape[1] * sizeof *from;
  const gsize code_bytes = self->columns->len * sizeof *from;
  const gint64 block = (gint64) MAX (BLOCK / MAX (row_bytes, code_bytes), 1);

  for (gint64 first = 0; first < self->n_rows; first += block)
    {
      gint64 n = MIN (block, self->n_rows - first);

      for (gint64 i = first; i < first + n; i++)
        fill_row (self, from + i * (gint64) self->columns->len, n_numbers,
                  (double *) x->data + i * x->shape[1], (gint64 *) y->data + i);
      reel_memory_let_go (x->memory, x->data + (gsize) first * row_bytes, (gsize) n * row_bytes);
      reel_memory_forget (codes, (const guint8 *) from + (gsize) first * code_bytes,
                          (gsize) n * code_bytes);
    }
}

static gboolean
write_leaves (const Table *self, const char *codes, const char *directory, GError **error)
{
  gint64 n_numbers, n_features = count_features (self, &n_numbers);
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &self->n_rows), data = NULL;
  g_autoptr (ReelMemory) memory =
      reel_memory_new_mapped (REEL_MEMORY_FILE, codes, -1, REEL_MAP_READ, -1, error);

  if (!memory || !reel_leaves_add (outline, X, REEL_DTYPE_FLOAT64, 1, &n_features, error)
      || !reel_leaves_add (outline, Y, REEL_DTYPE_INT64, 0, NULL, error)
      || !(data = reel_leaves_make (outline, directory, error)))
    return FALSE;
  fill (self, memory, data, n_numbers);
  reel_standardize (reel_tensordict_get_tensor (data, X, NULL), n_numbers);
  return TRUE;
}

/* ---- the class ---- */

static gboolean
read_file (Table *self, const ReelOpenmlTable *table, Codes *codes, GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);
  g_autoptr (ReelByteStream) stream = reel_openml_open (table->path, error);

  if (!stream)
    return FALSE;
  reel_byte_stream_add_to (stream, sum);
  g_autoptr (ReelArff) arff = reel_arff_new (stream, error);
  if (arff && read_table (self, table, arff, stream, sum, codes, error))
    return TRUE;
  g_prefix_error (error, "%s: ", table->path);
  return FALSE;
}

static gboolean
import_table (Table *self, const ReelOpenmlTable *table, const char *directory, GError **error)
{
  g_autofree char *path = g_build_filename (directory, CODES, NULL), *temporary = NULL;
  g_autoptr (GArray) block = g_array_new (FALSE, FALSE, sizeof (double));
  Codes codes = { .path = path, .block = block };
  gboolean read;

  codes.fd = reel_file_begin_temporary (path, &temporary, error);
  if (codes.fd < 0)
    return FALSE;
  read = read_file (self, table, &codes, error);
  if (!reel_file_end_temporary (codes.fd, temporary, read, error))
    return FALSE;
  for (guint i = 0; i < self->columns->len; i++)
    order_classes (&g_array_index (self->columns, Column, i));
  return write_leaves (self, temporary, directory, error) && reel_file_remove (temporary, error);
}

static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  Table self = { .recipe = find_recipe (reel_dataset_get_dataset_id (dataset)) };
  g_autoptr (ReelOpenmlTable) table =
      reel_openml_find (from, self.recipe->table, self.recipe->version, error);
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (Column));

  g_array_set_clear_func (columns, clear_column);
  self.columns = columns;
  return table && import_table (&self, table, directory, error);
}

static char **
list (const char *from, GError **error)
{
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (recipes); i++)
    g_strv_builder_add (ids, recipes[i].id);
  return g_strv_builder_end (ids);
}

static void
reel_openml_dataset_class_init (ReelOpenmlDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "openml", NULL, "OpenML: tables of classification, as contextual bandits (ARFF)" },
    { "OpenMLExperienceReplay", NULL, "OpenML, by TorchRL's name" },
    { NULL },
  };
  static const ReelAlias aliases[] = { { "name", "dataset-id" }, { NULL } };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->aliases = aliases;
  dataset_class->folder = "openml";
  dataset_class->default_sampler = "without-replacement";
  dataset_class->list = list;
  dataset_class->import = import;
}

static void
reel_openml_dataset_init (ReelOpenmlDataset *self)
{
}
