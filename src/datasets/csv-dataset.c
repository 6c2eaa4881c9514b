/* A table of one's own in CSV: a leaf for each name, of the type that all of its cells have. The
 * way back is export-csv.c. */
#include "csv-columns.h"
#include "dataset-leaves.h"
#include "dataset.h"
#include "source-files.h"

#include "../core/formats/csv.h"
#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/tensor/mapped-memory.h"

#include <string.h>

#define CSV ".csv"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define BLOCK ((gsize) 1 << 20) /* of the file, and rows of so many bytes, after which pages go */

enum
{
  FLOAT64,
  FLOAT32
};

struct _ReelCsvDataset
{
  ReelDataset parent_instance;
  int reals;
};

G_DECLARE_FINAL_TYPE (ReelCsvDataset, reel_csv_dataset, REEL, CSV_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelCsvDataset, reel_csv_dataset, REEL_TYPE_DATASET)

/* ---- rows of text ---- */

typedef struct
{
  ReelMemory *memory;
  ReelCsv place;
  const char *kept; /* pages before it were let go */
  GPtrArray *fields;
  guint n_fields;
} Table;

static void
open_table (Table *self, ReelMemory *memory, GPtrArray *fields)
{
  gsize length;
  const char *text = reel_memory_get_data (memory, &length);
  const gsize mark = strlen (BYTE_ORDER_MARK);
  const gsize skipped = length >= mark && memcmp (text, BYTE_ORDER_MARK, mark) == 0 ? mark : 0;

  *self = (Table){ memory, { text + skipped, text + length, 1 }, text, fields, 0 };
}

static gboolean
fail_at (gint64 line, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "line %" G_GINT64_FORMAT ": %s", line, what);
  return FALSE;
}

/* No field is text with a NUL: the rest of it would be passed over. */
static gboolean
check_fields (const Table *self, gint64 line, GError **error)
{
  for (guint i = 0; i < self->n_fields; i++)
    {
      const GString *field = self->fields->pdata[i];

      if (memchr (field->str, '\0', field->len) || !g_utf8_validate (field->str, -1, NULL))
        return fail_at (line, "it is not text in UTF-8", error);
    }
  return TRUE;
}

/* Gives no fields where the table ends. */
static gboolean
read_row (Table *self, GError **error)
{
  const char *problem;
  const gint64 line = self->place.line;

  if (!reel_csv_next (&self->place, self->fields, &self->n_fields, &problem))
    return fail_at (line, problem, error);
  if ((gsize) (self->place.at - self->kept) > BLOCK)
    {
      reel_memory_forget (self->memory, (const guint8 *) self->kept,
                          (gsize) (self->place.at - self->kept));
      self->kept = self->place.at;
    }
  return check_fields (self, line, error);
}

static const char *
get_field (const Table *self, guint i)
{
  return ((const GString *) self->fields->pdata[i])->str;
}

/* ---- names and types: the first pass ---- */

static gboolean
look_at_row (const Table *self, ReelCsvColumns *columns, GError **error)
{
  if (self->n_fields != columns->columns->len)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "it has %u cells; there are %u columns",
                   self->n_fields, columns->columns->len);
      return FALSE;
    }
  for (guint i = 0; i < self->n_fields; i++)
    if (!reel_csv_columns_look (columns, i, get_field (self, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
look_at_rows (Table *self, ReelCsvColumns *columns, gint64 *n_rows, GError **error)
{
  for (*n_rows = 0;; ++*n_rows)
    {
      const gint64 line = self->place.line;

      if (!read_row (self, error))
        return FALSE;
      if (self->n_fields == 0)
        return TRUE;
      if (look_at_row (self, columns, error))
        continue;
      g_prefix_error (error, "line %" G_GINT64_FORMAT ": ", line);
      return FALSE;
    }
}

static ReelCsvColumns *
read_columns (Table *self, ReelDtype reals, gint64 *n_rows, GError **error)
{
  g_autoptr (ReelCsvColumns) columns = NULL;

  if (!read_row (self, error)
      || !(columns = reel_csv_columns_new (self->fields, self->n_fields, reals, error))
      || !look_at_rows (self, columns, n_rows, error))
    return NULL;
  if (*n_rows > 0)
    return g_steal_pointer (&columns);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED, "it has no rows");
  return NULL;
}

/* ---- leaves ---- */

static ReelTensordict *
make_leaves (const ReelCsvColumns *columns, gint64 n_rows, const char *directory, GError **error)
{
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &n_rows);

  for (guint i = 0; i < columns->leaves->len; i++)
    {
      const ReelCsvLeaf *leaf = &g_array_index (columns->leaves, ReelCsvLeaf, i);

      if (!reel_leaves_add (outline, leaf->key, reel_csv_columns_get_dtype (columns, i), leaf->ndim,
                            leaf->shape, error))
        return NULL;
    }
  return reel_leaves_make (outline, directory, error);
}

/* A column and the place of its elements. */
typedef struct
{
  ReelTensor *leaf;
  gsize row_bytes;
  gsize offset;
} Target;

static Target *
find_targets (const ReelCsvColumns *columns, const ReelTensordict *data)
{
  Target *targets = g_new (Target, columns->columns->len);

  for (guint i = 0; i < columns->columns->len; i++)
    {
      const ReelCsvColumn *column = &g_array_index (columns->columns, ReelCsvColumn, i);
      const char *key = g_array_index (columns->leaves, ReelCsvLeaf, column->leaf).key;
      ReelTensor *leaf = reel_tensordict_get_tensor (data, key, NULL);

      targets[i] = (Target){ leaf, reel_tensor_nbytes (leaf) / (gsize) leaf->shape[0],
                             (gsize) column->element * reel_dtype_size (leaf->dtype) };
    }
  return targets;
}

static void
let_go (const ReelCsvColumns *columns, const Target *targets, gint64 first, gint64 end)
{
  for (guint i = 0; i < columns->columns->len; i++)
    if (targets[i].offset == 0)
      reel_memory_let_go (targets[i].leaf->memory,
                          targets[i].leaf->data + (gsize) first * targets[i].row_bytes,
                          (gsize) (end - first) * targets[i].row_bytes);
}

/* ---- the second pass ---- */

static gboolean
read_rows (Table *self, const ReelCsvColumns *columns, const ReelTensordict *data, gint64 n_rows,
           GError **error)
{
  g_autofree Target *targets = find_targets (columns, data);
  const gint64 block = MAX ((gint64) (BLOCK / (columns->columns->len * sizeof (double))), 1);

  if (!read_row (self, error))
    return FALSE;
  for (gint64 row = 0; row < n_rows; row++)
    {
      if (!read_row (self, error))
        return FALSE;
      if (self->n_fields != columns->columns->len)
        return fail_at (self->place.line, "the file was changed while it was read", error);
      for (guint i = 0; i < self->n_fields; i++)
        reel_csv_put_cell (get_field (self, i), targets[i].leaf->dtype,
                           targets[i].leaf->data + (gsize) row * targets[i].row_bytes
                               + targets[i].offset);
      if ((row + 1) % block == 0)
        let_go (columns, targets, row + 1 - block, row + 1);
    }
  return TRUE;
}

static gboolean
import_table (ReelMemory *memory, ReelDtype reals, const char *directory, GError **error)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new ();
  Table table;
  gint64 n_rows;

  open_table (&table, memory, fields);
  g_autoptr (ReelCsvColumns) columns = read_columns (&table, reals, &n_rows, error);
  g_autoptr (ReelTensordict) data =
      columns ? make_leaves (columns, n_rows, directory, error) : NULL;
  if (!data)
    return FALSE;
  open_table (&table, memory, fields);
  return read_rows (&table, columns, data, n_rows, error);
}

/* ---- the class ---- */

static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  const char *id = reel_dataset_get_dataset_id (dataset);
  g_autofree char *name = g_strconcat (id, CSV, NULL);
  g_autofree char *path = reel_source_find (from, (const char *const[]){ name, id, NULL }, error);
  g_autoptr (ReelMemory) memory = path ? reel_source_map (path, error) : NULL;
  const ReelDtype reals =
      REEL_CSV_DATASET (dataset)->reals == FLOAT32 ? REEL_DTYPE_FLOAT32 : REEL_DTYPE_FLOAT64;

  if (!memory)
    return FALSE;
  if (import_table (memory, reals, directory, error))
    return TRUE;
  g_prefix_error (error, "%s: ", path);
  return FALSE;
}

static char **
list (const char *from, GError **error)
{
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();
  g_auto (GStrv) names = from ? reel_directory_list (from, error) : NULL;

  for (gsize i = 0; names && names[i]; i++)
    if (g_str_has_suffix (names[i], CSV))
      g_strv_builder_add (ids, names[i]);
  return names || !from ? g_strv_builder_end (ids) : NULL;
}

static void
reel_csv_dataset_class_init (ReelCsvDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "csv", NULL, "columns of a table of your own, in CSV" },
    { NULL },
  };
  static const char *const words[] = { "float64", "float32", NULL };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  dataset_class->folder = "csv";
  dataset_class->any_id = TRUE;
  dataset_class->list = list;
  dataset_class->import = import;
  reel_object_class_add_enum (REEL_OBJECT_CLASS (klass), "reals",
                              G_STRUCT_OFFSET (ReelCsvDataset, reals), words, FLOAT64,
                              "type of numbers other than integers", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_csv_dataset_init (ReelCsvDataset *self)
{
}
