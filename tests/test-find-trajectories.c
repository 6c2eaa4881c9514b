/* Trajectories of a storage against the real library's and against a list of ends. */
#include "golden-tensor.h"

typedef struct
{
  ReelTensor *start;
  ReelTensor *stop;
  ReelTensor *length;
} Table;

static void
find (ReelTensor *ids, ReelTensor *ends, gboolean at_capacity, gint64 cursor, Table *table)
{
  g_autoptr (GError) error = NULL;

  reel_find_start_stop_traj (ids, ends, at_capacity, cursor, &table->start, &table->stop,
                             &table->length, &error);
  g_assert_no_error (error);
}

static void
table_clear (Table *table)
{
  reel_tensor_unref (table->start);
  reel_tensor_unref (table->stop);
  reel_tensor_unref (table->length);
}

/* Nested lists, row by row. */
static void
assert_rows (const ReelTensor *found, const json_t *expected)
{
  g_assert_cmpint (found->shape[0], ==, json_array_size (expected));
  for (gint64 i = 0; i < found->shape[0]; i++)
    {
      const json_t *row = json_array_get (expected, (gsize) i);
      const gint64 *at = (const gint64 *) found->data + i * (found->ndim > 1 ? found->shape[1] : 1);

      if (found->ndim == 1)
        g_assert_cmpint (*at, ==, json_integer_value (row));
      else
        for (gint64 j = 0; j < found->shape[1]; j++)
          g_assert_cmpint (at[j], ==, json_integer_value (json_array_get (row, (gsize) j)));
    }
}

/* T7.6-10 */
static void
test_golden (void)
{
  g_autoptr (json_t) file = golden_load ("find-start-stop.json");
  const json_t *json;
  gsize i;

  g_assert_cmpint (json_array_size (json_object_get (file, "cases")), ==, 252);
  json_array_foreach (json_object_get (file, "cases"), i, json)
  {
    const json_t *ids_json = json_object_get (json, "trajectory");
    const json_t *cursor = json_object_get (json, "cursor");
    g_autoptr (ReelTensor) marks =
        golden_tensor (ids_json ? ids_json : json_object_get (json, "end"));
    g_autoptr (ReelTensor) before = reel_tensor_clone (marks, NULL);
    Table table;

    find (ids_json ? marks : NULL, ids_json ? NULL : marks,
          json_is_true (json_object_get (json, "at_capacity")),
          json_is_integer (cursor) ? json_integer_value (cursor) : -1, &table);
    assert_rows (table.start, json_object_get (json, "start"));
    assert_rows (table.stop, json_object_get (json, "stop"));
    assert_rows (table.length, json_object_get (json, "length"));
    g_assert_true (reel_tensor_equal (marks, before));
    table_clear (&table);
  }
}

/* ---- every small storage ---- */

typedef struct
{
  const gint64 *marks; /* [steps, lanes] */
  gint64 steps, lanes, cursor;
  gboolean are_ids, at_capacity;
} Case;

static gboolean
is_end (const Case *c, gint64 t, gint64 lane)
{
  gint64 mark = c->marks[t * c->lanes + lane], next = (t + 1) % c->steps;

  if ((!c->at_capacity && next == 0) || (c->at_capacity && t == c->cursor))
    return TRUE;
  return c->are_ids ? mark != c->marks[next * c->lanes + lane] : mark != 0;
}

/* Each stop that is an end, with the steps before it that are none. */
static gint64
assert_lane (const Case *c, gint64 lane, const Table *table, gint64 k)
{
  const gint64 *start = (const gint64 *) table->start->data;
  const gint64 *stop = (const gint64 *) table->stop->data;
  gint64 n_ends = 0;

  for (gint64 t = 0; t < c->steps; t++)
    n_ends += is_end (c, t, lane);
  for (gint64 t = 0; t < c->steps; t++)
    {
      gint64 length = 1;

      if (!is_end (c, t, lane) && (n_ends > 0 || t < c->steps - 1))
        continue;
      while (length < c->steps && !is_end (c, (t - length + c->steps) % c->steps, lane))
        length++;
      g_assert_cmpint (k, <, table->length->shape[0]);
      g_assert_cmpint (((const gint64 *) table->length->data)[k], ==, length);
      g_assert_cmpint (stop[2 * k], ==, t);
      g_assert_cmpint (start[2 * k], ==, (t - length + 1 + c->steps) % c->steps);
      g_assert_cmpint (stop[2 * k + 1], ==, lane);
      g_assert_cmpint (start[2 * k + 1], ==, lane);
      k++;
    }
  return k;
}

static void
check_case (const Case *c)
{
  const gint64 shape[2] = { c->steps, c->lanes };
  g_autoptr (ReelTensor) marks =
      reel_tensor_new (c->are_ids ? REEL_DTYPE_INT64 : REEL_DTYPE_BOOL, 2, shape, NULL);
  Table table;
  gint64 k = 0;

  for (gint64 i = 0; i < c->steps * c->lanes; i++)
    if (c->are_ids)
      ((gint64 *) marks->data)[i] = c->marks[i];
    else
      marks->data[i] = c->marks[i] != 0;
  find (c->are_ids ? marks : NULL, c->are_ids ? NULL : marks, c->at_capacity, c->cursor, &table);
  for (gint64 lane = 0; lane < c->lanes; lane++)
    k = assert_lane (c, lane, &table, k);
  g_assert_cmpint (k, ==, table.length->shape[0]);
  table_clear (&table);
}

/* All storages of at most 10 rows with all flags, and with ids of two and three values. */
static void
test_every_small_storage (void)
{
  gint64 marks[10], n_cases = 0;

  for (gint64 n = 1; n <= 10; n++)
    for (gint64 lanes = 1; lanes <= 3; lanes++)
      for (gint64 values = 2; values <= (n <= 7 ? 3 : 2); values++)
        for (gint64 code = 0, last = 1; n % lanes == 0 && last; code++)
          {
            Case c = { marks, n / lanes, lanes, -1, FALSE, FALSE };
            gint64 rest = code;

            for (gint64 i = 0; i < n; i++, rest /= values)
              marks[i] = rest % values;
            last = rest == 0;
            for (gint64 kind = 0; last && kind < 2; kind++)
              for (c.cursor = -2; c.cursor < c.steps; c.cursor++, n_cases++)
                {
                  c.are_ids = kind == 1;
                  c.at_capacity = c.cursor > -2;
                  check_case (&c);
                }
          }
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
  g_assert_cmpint (n_cases, >, 90000);
}

static void
test_refuses (void)
{
  const gint64 shape[2] = { 4, 0 };
  g_autoptr (ReelTensor) flags = reel_tensor_new (REEL_DTYPE_BOOL, 1, shape, NULL);
  g_autoptr (ReelTensor) none = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);
  const struct
  {
    ReelTensor *ids, *ends;
    gint64 cursor;
    ReelError code;
  } cases[] = {
    { NULL, NULL, -1, REEL_ERROR_TYPE },  { flags, flags, -1, REEL_ERROR_TYPE },
    { flags, NULL, -1, REEL_ERROR_TYPE }, { NULL, none, -1, REEL_ERROR_RUNTIME },
    { NULL, flags, 4, REEL_ERROR_INDEX },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (reel_find_start_stop_traj (cases[i].ids, cases[i].ends, TRUE, cases[i].cursor,
                                                 NULL, NULL, NULL, &error));
      g_assert_error (error, REEL_ERROR, (gint) cases[i].code);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/ted/find-start-stop-traj/golden", test_golden);
  g_test_add_func ("/ted/find-start-stop-traj/every-small-storage", test_every_small_storage);
  g_test_add_func ("/ted/find-start-stop-traj/refuses", test_refuses);

  return g_test_run ();
}
