/* Checks stored rows against the promises of TorchRL's episode data: bools, `done`, and `next` of
 * the step before. */
#include "ted-check.h"
#include "checkpoint-report-private.h"

#include <string.h>

#define NEXT "next/"
#define IDS "collector/traj_ids"
#define CHUNK 4096 /* steps looked at before the writer is asked how far it is */

/* A promise about one or more columns, and where it was not kept. */
typedef struct _Check Check;

struct _Check
{
  gboolean (*holds) (const Check *check, const guint8 *const *rows, const guint8 *const *later);
  const ReelColumn *columns[3];
  gboolean of_two_steps; /* within one episode */
  const char *what;
  gint64 n, step, lane; /* of the first fault */
};

typedef struct
{
  ReelStorage *storage;
  ReelStorageView view;
  const ReelColumn *columns;
  guint n_columns;
  GPtrArray *ends; /* flag columns below next */
  const ReelColumn *ids;
  GArray *checks;
} Ted;

/* ---- promises ---- */

/* Bytes that are neither 0 nor 1 are no bools in TorchRL either. */
static gboolean
are_bools (const Check *check, const guint8 *const *rows, const guint8 *const *later)
{
  for (gsize i = 0; i < check->columns[0]->row_bytes; i++)
    if (rows[0][i] > 1)
      return FALSE;
  return TRUE;
}

/* done, terminated, truncated */
static gboolean
is_done_either (const Check *check, const guint8 *const *rows, const guint8 *const *later)
{
  for (gsize i = 0; i < check->columns[0]->row_bytes; i++)
    if (!rows[0][i] != !(rows[1][i] || rows[2][i]))
      return FALSE;
  return TRUE;
}

/* next of a step, root of the step after it */
static gboolean
goes_on (const Check *check, const guint8 *const *rows, const guint8 *const *later)
{
  return memcmp (rows[1], later[0], check->columns[0]->row_bytes) == 0;
}

/* ---- which columns ---- */

static const ReelColumn *
find_column (const Ted *ted, const char *path)
{
  for (guint i = 0; i < ted->n_columns; i++)
    if (g_str_equal (ted->columns[i].path, path))
      return &ted->columns[i];
  return NULL;
}

/* A column of the same rows as @like. */
static const ReelColumn *
find_like (const Ted *ted, const char *prefix, const char *path, const ReelColumn *like)
{
  g_autofree char *full = g_strconcat (prefix, path, NULL);
  const ReelColumn *column = find_column (ted, full);

  return column && column->dtype == like->dtype && column->row_bytes == like->row_bytes ? column
                                                                                        : NULL;
}

static const char *
last_component (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash ? slash + 1 : path;
}

static gboolean
is_end (const ReelColumn *column)
{
  const char *name = last_component (column->path);

  return column->dtype == REEL_DTYPE_BOOL && g_str_has_prefix (column->path, NEXT)
         && (g_str_equal (name, "done") || g_str_equal (name, "terminated")
             || g_str_equal (name, "truncated"));
}

static void
add_done (Ted *ted, const ReelColumn *column)
{
  g_autofree char *prefix =
      g_strndup (column->path, (gsize) (last_component (column->path) - column->path));
  const Check check = { .holds = is_done_either,
                        .columns = { column, find_like (ted, prefix, "terminated", column),
                                     find_like (ted, prefix, "truncated", column) },
                        .what = "is not terminated or truncated" };

  if (column->dtype == REEL_DTYPE_BOOL && check.columns[1] && check.columns[2])
    g_array_append_val (ted->checks, check);
}

static void
add_column (Ted *ted, const ReelColumn *column)
{
  const Check bools = { .holds = are_bools, .columns = { column }, .what = "is neither 0 nor 1" };
  const Check pair = { .holds = goes_on,
                       .columns = { column, find_like (ted, NEXT, column->path, column) },
                       .of_two_steps = TRUE,
                       .what = "differs from next of the step before" };

  if (column->row_bytes == 0)
    return;
  if (column->dtype == REEL_DTYPE_BOOL)
    g_array_append_val (ted->checks, bools);
  if (g_str_equal (last_component (column->path), "done"))
    add_done (ted, column);
  if (is_end (column))
    g_ptr_array_add (ted->ends, (gpointer) column);
  if (ted->ids && pair.columns[1])
    g_array_append_val (ted->checks, pair);
}

/* Ids alone tell where one batch was appended to another's episode; and n steps are no step. */
static void
find_ids (Ted *ted, gboolean in_order, GPtrArray *notes)
{
  const ReelColumn *ids = find_column (ted, IDS);

  if (!in_order)
    g_ptr_array_add (notes, g_strdup ("the best rows are kept, in any order: next is not compared "
                                      "to the step after"));
  else if (find_column (ted, NEXT "steps_to_next_obs") || find_column (ted, "steps_to_next_obs"))
    g_ptr_array_add (notes, g_strdup ("next is several steps ahead (steps_to_next_obs): it is "
                                      "not compared to the step after"));
  else if (!ids)
    g_ptr_array_add (notes, g_strdup ("no " IDS ": next is not compared to the step after, for no "
                                      "key marks where other episodes were appended"));
  else
    ted->ids = ids;
}

/* ---- rows ---- */

static const guint8 *
row_of (const Ted *ted, const ReelColumn *column, gint64 row)
{
  return column->data + (gsize) (row % ted->view.capacity) * column->row_stride;
}

static gboolean
is_followed (const Ted *ted, gint64 row)
{
  gint64 after = row + ted->view.lanes;

  if (!ted->ids || after >= ted->view.end_row
      || memcmp (row_of (ted, ted->ids, row), row_of (ted, ted->ids, after), ted->ids->row_bytes)
             != 0)
    return FALSE;
  for (guint i = 0; i < ted->ends->len; i++)
    {
      const ReelColumn *end = ted->ends->pdata[i];
      const guint8 *flags = row_of (ted, end, row);

      for (gsize b = 0; b < end->row_bytes; b++)
        if (flags[b])
          return FALSE;
    }
  return TRUE;
}

static void
check_row (const Ted *ted, Check *check, gint64 row)
{
  const guint8 *rows[3], *later[3] = { NULL };
  gint64 place = row;

  for (gsize i = 0; i < 3 && check->columns[i]; i++)
    {
      rows[i] = row_of (ted, check->columns[i], row);
      if (check->of_two_steps)
        later[i] = row_of (ted, check->columns[i], row + ted->view.lanes);
    }
  if (check->holds (check, rows, later))
    return;
  if (check->of_two_steps)
    place += ted->view.lanes;
  if (check->n++ > 0)
    return;
  check->step = place / ted->view.lanes;
  check->lane = place % ted->view.lanes;
}

/* The counts of what a writer reached meanwhile are taken back. */
static void
check_chunk (Ted *ted, gint64 first, gint64 end)
{
  g_autoptr (GArray) before = g_array_copy (ted->checks);

  for (gint64 row = first; row < end; row++)
    {
      gboolean followed = is_followed (ted, row);

      for (guint i = 0; i < ted->checks->len; i++)
        {
          Check *check = &g_array_index (ted->checks, Check, i);

          if (followed || !check->of_two_steps)
            check_row (ted, check, row);
        }
    }
  if (reel_storage_first_intact_row (ted->storage) > first)
    memcpy (ted->checks->data, before->data, before->len * sizeof (Check));
}

static void
add_fault (const Ted *ted, const Check *check, GPtrArray *faults)
{
  if (check->n > 0)
    g_ptr_array_add (faults,
                     reel_checkpoint_fault_new (check->columns[0]->path, check->step, check->lane,
                                                check->n, g_strdup (check->what)));
}

void
reel_ted_check (ReelStorage *storage, gboolean in_order, GPtrArray *faults, GPtrArray *notes)
{
  g_autoptr (GPtrArray) ends = g_ptr_array_new ();
  g_autoptr (GArray) checks = g_array_new (FALSE, FALSE, sizeof (Check));
  Ted ted = { .storage = storage, .ends = ends, .checks = checks };
  gint64 chunk;

  reel_storage_get_view (storage, &ted.view);
  ted.columns = reel_storage_get_columns (storage, &ted.n_columns);
  find_ids (&ted, in_order, notes);
  for (guint i = 0; i < ted.n_columns; i++)
    add_column (&ted, &ted.columns[i]);
  chunk = CHUNK * MAX (ted.view.lanes, 1);
  for (gint64 row = ted.view.first_row; row < ted.view.end_row; row += chunk)
    check_chunk (&ted, row, MIN (row + chunk, ted.view.end_row));
  for (guint i = 0; i < checks->len; i++)
    add_fault (&ted, &g_array_index (checks, Check, i), faults);
}
