/* Rows that are exported and read back, in the order of a naive oracle. */
#include "../src/core/system/directories.h"
#include "../src/datasets/export-rows.h"
#include "../src/datasets/table-names.h"
#include "file-faults.h"
#include "golden-datasets.h"
#include "scratch.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

/* ---- small rings ---- */

/* A row says its number; whether it ends an episode is a bit of @ends. */
static gboolean
ends_episode (guint ends, gint64 row)
{
  return (ends >> (row * 7 % 11) & 1) != 0;
}

static ReelTensordict *
new_steps (gint64 lanes, gint64 n, guint ends)
{
  const gint64 batch[] = { lanes, n }, flags[] = { lanes, n, 1 };
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (2, batch);
  g_autoptr (ReelTensor) id = reel_tensor_new (REEL_DTYPE_INT64, 2, batch, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 3, flags, NULL);
  g_autoptr (ReelTensor) truncated = reel_tensor_new (REEL_DTYPE_BOOL, 3, flags, NULL);

  for (gint64 lane = 0; lane < lanes; lane++)
    for (gint64 t = 0; t < n; t++)
      {
        const gint64 row = t * lanes + lane;

        ((gint64 *) id->data)[lane * n + t] = row;
        done->data[lane * n + t] = ends_episode (ends, row);
      }
  g_assert_true (reel_tensordict_set_tensor (rows, "id", id, NULL));
  g_assert_true (reel_tensordict_set_tensor (rows, "next/done", done, NULL));
  g_assert_true (reel_tensordict_set_tensor (rows, "next/truncated", truncated, NULL));
  return g_steal_pointer (&rows);
}

static ReelReplayBuffer *
new_ring (gint64 lanes, gint64 steps, gint64 n, guint ends)
{
  g_autofree char *text =
      g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=2", lanes * steps);
  ReelReplayBuffer *buffer = reel_replay_buffer_new_from_text (text, NULL, 0, NULL);

  /* A write that is longer than the ring skips what it would overwrite at once. */
  for (gint64 t = 0, some; t < n; t += some)
    {
      g_autoptr (ReelTensordict) all = new_steps (lanes, n, ends), rows = NULL;

      some = MIN (n - t, 2);
      rows = reel_tensordict_slice (all, 1, t, t + some, 1, NULL);
      g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
    }
  return buffer;
}

static gboolean
is_flag (const ReelExportColumn *source)
{
  return source->column->row_bytes == 1;
}

/* Lane after lane, oldest first; the newest row of a lane is cut unless it ends its episode. */
static void
check_column (const ReelExportRows *rows, const char *path, gint64 lanes, gint64 first, gint64 n,
              guint ends, gint64 part)
{
  ReelExportColumn source;
  guint8 read[1024];
  gint64 i = 0;

  reel_export_column_init (&source, rows, reel_export_rows_find (rows, path));
  for (gint64 begin = 0, some; begin < rows->n_rows; begin += some)
    {
      some = MIN (part, rows->n_rows - begin);
      reel_export_column_read (&source, read + (gsize) begin * source.column->row_bytes, some);
    }
  for (gint64 lane = 0; lane < lanes; lane++)
    for (gint64 t = first; t < n; t++, i++)
      {
        const gint64 row = t * lanes + lane;
        const gboolean end = ends_episode (ends, row), cut = t + 1 == n && !end;
        const gboolean expected = strstr (path, "done") ? end || cut : cut;

        if (is_flag (&source))
          g_assert_cmpint (read[i], ==, expected);
        else
          g_assert_cmpint (((const gint64 *) (gpointer) read)[i], ==, row);
      }
  g_assert_cmpint (i, ==, rows->n_rows);
}

static void
check_ring (gint64 lanes, gint64 steps, gint64 n, guint ends)
{
  g_autoptr (ReelReplayBuffer) buffer = new_ring (lanes, steps, n, ends);
  g_autoptr (ReelExportRows) rows = reel_export_rows_new (buffer, NULL);
  const gint64 first = MAX (n - steps, 0);
  gint64 n_cut = 0, n_episodes = 0;

  g_assert_nonnull (rows);
  for (gint64 row = first * lanes; row < n * lanes; row++)
    n_episodes += ends_episode (ends, row) || row >= (n - 1) * lanes;
  for (gint64 row = (n - 1) * lanes; row < n * lanes; row++)
    n_cut += !ends_episode (ends, row);
  g_assert_cmpint (rows->n_rows, ==, (n - first) * lanes);
  g_assert_cmpint (rows->episodes->len, ==, n_episodes);
  g_assert_cmpint (rows->n_cut, ==, n_cut);
  for (gint64 part = 1; part < 4; part++)
    {
      check_column (rows, "id", lanes, first, n, ends, part);
      check_column (rows, "next/done", lanes, first, n, ends, part);
      check_column (rows, "next/truncated", lanes, first, n, ends, part);
    }
}

static void
test_rows_are_in_order_of_lane_and_time (void)
{
  for (gint64 lanes = 1; lanes <= 3; lanes++)
    for (gint64 steps = 1; steps <= 4; steps++)
      for (gint64 n = 1; n <= 9; n++)
        for (guint ends = 0; ends < 2048; ends = ends * 3 + 1)
          check_ring (lanes, steps, n, ends);
}

/* ---- episodes in pieces ---- */

/* Two workers of two lanes store batches of some steps in turn, in two lanes. Of an episode of
 * LENGTH steps the state is the id and the number of the step. */
#define LENGTH 5

typedef struct
{
  gint64 n; /* steps of a batch */
  gboolean ends, joins;
} Pieces;

static gint64
get_id (gint64 worker, gint64 lane, gint64 t)
{
  return t / LENGTH * 4 + worker * 2 + lane;
}

static ReelTensordict *
new_batch (const Pieces *pieces, gint64 worker, gint64 begin)
{
  const gint64 batch[] = { 2, pieces->n }, flags[] = { 2, pieces->n, 1 };
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (2, batch);
  g_autoptr (ReelTensor) id = reel_tensor_new (REEL_DTYPE_INT64, 2, batch, NULL);
  g_autoptr (ReelTensor) state = reel_tensor_new (REEL_DTYPE_INT64, 2, batch, NULL);
  g_autoptr (ReelTensor) next = reel_tensor_new (REEL_DTYPE_INT64, 2, batch, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 3, flags, NULL);

  for (gint64 lane = 0; lane < 2; lane++)
    for (gint64 i = 0; i < pieces->n; i++)
      {
        const gint64 t = begin + i, at = lane * pieces->n + i, which = get_id (worker, lane, t);

        ((gint64 *) id->data)[at] = which;
        ((gint64 *) state->data)[at] = which * 100 + t % LENGTH;
        ((gint64 *) next->data)[at] = which * 100 + t % LENGTH + (pieces->joins ? 1 : 50);
        done->data[at] = pieces->ends || t % LENGTH == LENGTH - 1;
      }
  g_assert_true (reel_tensordict_set_tensor (rows, "collector/traj_ids", id, NULL));
  g_assert_true (reel_tensordict_set_tensor (rows, "state", state, NULL));
  g_assert_true (reel_tensordict_set_tensor (rows, "next/state", next, NULL));
  g_assert_true (reel_tensordict_set_tensor (rows, "next/done", done, NULL));
  return g_steal_pointer (&rows);
}

/* All that the ring has of an episode is there, in the order of its steps, and comes once. */
static void
check_joined (const ReelExportRows *rows)
{
  const ReelColumn *column = reel_export_rows_find (rows, "state");
  const ReelColumn *next = reel_export_rows_find (rows, "next/state");
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < rows->episodes->len; i++)
    {
      const ReelExportEpisode *episode = &g_array_index (rows->episodes, ReelExportEpisode, i);
      gint64 states[LENGTH];

      g_assert_cmpint (episode->n_steps, <=, LENGTH);
      for (gint64 part = 1; part <= episode->n_steps; part++)
        for (gint64 t = 0; t < episode->n_steps; t += part)
          reel_export_rows_copy (rows, column, episode, t, MIN (part, episode->n_steps - t),
                                 (guint8 *) (states + t));
      for (gint64 t = 1; t < episode->n_steps; t++)
        g_assert_cmpint (states[t], ==, states[0] + t);
      g_assert_true (g_hash_table_add (seen, GINT_TO_POINTER ((gint) states[0] / 100 + 1)));
      g_assert_cmpint (episode->cut, ==, states[episode->n_steps - 1] % 100 != LENGTH - 1);
      g_assert_cmpint (
          reel_export_rows_count_differences (rows, next, column, episode, 0, episode->n_steps - 1),
          ==, 0);
    }
}

static guint
count_episodes (gint64 steps, gint64 n_batches, const Pieces *pieces)
{
  g_autofree char *text =
      g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=2", steps * 2);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new_from_text (text, NULL, 0, NULL);
  g_autoptr (ReelExportRows) rows = NULL;

  for (gint64 batch = 0; batch < n_batches; batch++)
    {
      g_autoptr (ReelTensordict) batch_rows = new_batch (pieces, batch % 2, batch / 2 * pieces->n);

      g_assert_true (reel_replay_buffer_extend (buffer, batch_rows, NULL, NULL));
    }
  rows = reel_export_rows_new (buffer, NULL);
  g_assert_nonnull (rows);
  g_assert_cmpint (rows->n_rows, ==, MIN (steps, n_batches * pieces->n) * 2);
  if (pieces->joins && !pieces->ends)
    check_joined (rows);
  return rows->episodes->len;
}

static void
test_pieces_of_an_episode_are_joined (void)
{
  for (gint64 n = 1; n <= 7; n++)
    for (gint64 steps = n; steps <= 24; steps++)
      for (gint64 n_batches = 1; n_batches <= 9; n_batches++)
        count_episodes (steps, n_batches, &(Pieces){ n, FALSE, TRUE });
}

/* Pieces that ended, or lead to another state, do not go on: these are episodes of two runs. */
static void
test_other_pieces_are_apart (void)
{
  g_assert_cmpint (count_episodes (40, 10, &(Pieces){ 1, FALSE, TRUE }), ==, 4);
  g_assert_cmpint (count_episodes (40, 10, &(Pieces){ 1, TRUE, TRUE }), ==, 20);
  g_assert_cmpint (count_episodes (40, 10, &(Pieces){ 1, FALSE, FALSE }), ==, 20);
}

/* Rows without a flag of ends: none is written as truncated. */
static void
test_rows_without_ends_are_not_cut (void)
{
  g_autofree char *path = scratch_path ("plain.csv");
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text ("tensor:capacity=4", NULL, 0, NULL);
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, (const gint64[]){ 3 });
  g_autoptr (ReelTensor) id = reel_tensor_new (REEL_DTYPE_INT64, 1, (const gint64[]){ 3 }, NULL);
  g_auto (ReelExport) report = { 0 };

  g_assert_true (reel_tensordict_set_tensor (rows, "id", id, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
  g_assert_true (reel_replay_buffer_export (buffer, "csv", path, NULL, REEL_CHECKPOINT_DEFAULT,
                                            &report, NULL));
  g_assert_cmpint (report.n_rows, ==, 3);
  g_assert_cmpint (report.n_cut, ==, 0);
}

/* Without a flag of both ends, the end of an episode that terminated is not cut either. */
static void
test_an_episode_that_terminated_is_whole (void)
{
  for (gint end = 0; end < 2; end++)
    {
      g_autoptr (ReelReplayBuffer) buffer =
          reel_replay_buffer_new_from_text ("tensor:capacity=4", NULL, 0, NULL);
      g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, (const gint64[]){ 3 });

      for (gint i = 0; i < 2; i++)
        {
          g_autoptr (ReelTensor) flags =
              reel_tensor_new (REEL_DTYPE_BOOL, 2, (const gint64[]){ 3, 1 }, NULL);

          flags->data[2] = i == 0 && end;
          g_assert_true (reel_tensordict_set_tensor (
              rows, i == 0 ? "next/terminated" : "next/truncated", flags, NULL));
        }
      g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
      g_autoptr (ReelExportRows) exported = reel_export_rows_new (buffer, NULL);
      g_assert_cmpint (exported->n_cut, ==, !end);
    }
}

/* ---- names of a table ---- */

static void
test_names_come_back (void)
{
  const gint64 shape[] = { 2, 3 }, one = 1;
  gint64 place[REEL_MAX_NDIM];
  gint ndim;

  for (gint64 element = 0; element < 6; element++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *key = NULL;

      reel_table_put_name (text, "a/b", 2, shape, element);
      key = reel_table_parse_name (text->str, &ndim, place);
      g_assert_cmpstr (key, ==, "a/b");
      g_assert_cmpint (ndim, ==, 2);
      g_assert_cmpint (place[0] * 3 + place[1], ==, element);
    }
  g_autoptr (GString) reward = g_string_new (NULL), other = g_string_new (NULL);
  reel_table_put_name (reward, "next/reward", 1, &one, 0);
  reel_table_put_name (other, "x,y", 1, &one, 0);
  g_assert_cmpstr (reward->str, ==, "next/reward");
  g_assert_cmpstr (other->str, ==, "\"x,y[0]\"");
  for (const char *const *bad = (const char *const[]){ "", "[0]", "a[", "a[]", "a[x]", "a[1",
                                                       "a[1]b", "a[-1]", "a[99999999999]", NULL };
       *bad; bad++)
    g_assert_null (reel_table_parse_name (*bad, &ndim, place));
}

/* ---- there and back ---- */

static ReelDataset *
import (const char *name, const char *options, const char *id, const char *from, const char *path)
{
  g_autofree char *text = g_strconcat (name, *options ? ":" : "", options, NULL);
  g_autoptr (GError) error = NULL;
  ReelDataset *dataset = reel_object_new_from_text (REEL_TYPE_DATASET, text, &error, "dataset-id",
                                                    id, "from", from, "path", path, NULL);

  g_assert_no_error (error);
  return dataset;
}

static const char *
get (const json_t *object, const char *key)
{
  return json_string_value (json_object_get (object, key));
}

/* Golden leaves whose episodes all end, exported and imported again, are the same. */
static void
check_there_and_back (const char *which, const json_t *expect, const char *format)
{
  const gboolean is_minari = g_str_equal (format, "minari");
  const char *id = is_minari ? get (expect, "id") : "rows";
  g_autofree char *from = golden_dataset_raw ("minari", get (expect, "raw"));
  g_autofree char *first = scratch_path ("first"), *root = scratch_path ("out"),
                  *second = scratch_path ("second");
  g_autofree char *file = g_strconcat (id, is_minari ? "" : ".", is_minari ? "" : format, NULL);
  g_autofree char *path = g_build_filename (root, file, NULL);
  g_autoptr (ReelDataset) dataset =
      import ("minari", get (expect, "options"), get (expect, "id"), from, first);
  g_autoptr (ReelDataset) again = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (ReelExport) report = { 0 };

  g_test_message ("%s as %s", which, format);
  g_assert_true (reel_replay_buffer_export (reel_dataset_get_buffer (dataset), format, path,
                                            is_minari ? id : NULL, REEL_CHECKPOINT_DEFAULT, &report,
                                            &error));
  g_assert_no_error (error);
  again = import (format, "", id, root, second);
  g_assert_cmpint (reel_replay_buffer_get_length (reel_dataset_get_buffer (again)), ==,
                   report.n_rows);
  golden_dataset_assert (json_object_get (expect, "keys"), second);
  g_assert_true (reel_directory_remove (first, NULL) && reel_directory_remove (root, NULL)
                 && reel_directory_remove (second, NULL));
}

static void
test_golden_rows_come_back (gconstpointer data)
{
  const char *format = data;
  g_autoptr (json_t) golden = golden_dataset_open ("minari");
  const char *which;
  json_t *expect;

  json_object_foreach (json_object_get (golden, "cases"), which, expect)
      check_there_and_back (which, expect, format);
}

/* A column of whole reals is not one of integers. */
static void
test_whole_reals_stay_reals (void)
{
  const double values[] = { 1, -2, 1e6, 1e300 };
  g_autofree char *path = scratch_path ("rows.csv"), *text = NULL;
  g_autofree char *from = g_path_get_dirname (path), *place = scratch_path ("place");
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text ("tensor:capacity=4", NULL, 0, NULL);
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, (const gint64[]){ 4 });
  g_autoptr (ReelTensor) x = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, (const gint64[]){ 4 }, NULL);

  memcpy (x->data, values, sizeof values);
  g_assert_true (reel_tensordict_set_tensor (rows, "x", x, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
  g_assert_true (
      reel_replay_buffer_export (buffer, "csv", path, NULL, REEL_CHECKPOINT_DEFAULT, NULL, NULL));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "x\n1.0\n-2.0\n1000000.0\n1e+300\n");

  g_autoptr (ReelDataset) again = import ("csv", "", "rows", from, place);
  g_autoptr (ReelTensordict) read =
      reel_replay_buffer_get_all (reel_dataset_get_buffer (again), NULL);
  const ReelTensor *column = reel_tensordict_get_tensor (read, "x", NULL);

  g_assert_cmpint (column->dtype, ==, REEL_DTYPE_FLOAT64);
  g_assert_cmpmem (column->data, sizeof values, values, sizeof values);
}

/* ---- places ---- */

static ReelReplayBuffer *
new_rows (void)
{
  return new_ring (2, 4, 3, 5);
}

/* @onward: whether all calls fail from one on, as those of a process that was killed. */
static void
check_faults (const char *format, gboolean onward)
{
  g_autoptr (ReelReplayBuffer) buffer = new_rows ();
  g_autofree char *directory = scratch_path ("place");
  g_autofree char *path = g_build_filename (directory, "rows", NULL), *whole = NULL, *is = NULL;
  g_autoptr (GError) error = NULL;
  gsize length, n;

  reel_replay_buffer_export (buffer, format, path, NULL, REEL_CHECKPOINT_DEFAULT, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &whole, &length, NULL));
  for (gint64 call = 1, struck = TRUE; struck; call++)
    {
      gboolean written;

      g_remove (path);
      file_faults_begin ();
      file_faults_fail (NULL, call, EIO, onward);
      written = reel_replay_buffer_export (buffer, format, path, NULL, REEL_CHECKPOINT_DEFAULT,
                                           NULL, NULL);
      struck = file_faults_struck ();
      file_faults_end ();
      if (g_file_get_contents (path, &is, &n, NULL))
        g_assert_cmpmem (is, n, whole, length);
      else
        g_assert_false (written);
      g_clear_pointer (&is, g_free);
      g_assert_true (reel_replay_buffer_export (buffer, format, path, NULL, REEL_CHECKPOINT_FORCE,
                                                NULL, NULL));
      scratch_assert_names (directory, "rows");
    }
  g_remove (path);
}

/* Whichever call fails, the file is whole or none, and the next export removes the rest. */
static void
test_a_failing_export_is_absent_or_whole (gconstpointer format)
{
  check_faults (format, FALSE);
  check_faults (format, TRUE);
}

static void
test_what_is_there_is_not_replaced (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_rows ();
  g_autofree char *path = scratch_path ("rows.csv"), *text = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "mine", -1, NULL));
  g_assert_false (
      reel_replay_buffer_export (buffer, "csv", path, NULL, REEL_CHECKPOINT_DEFAULT, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "mine");
  g_assert_true (
      reel_replay_buffer_export (buffer, "csv", path, NULL, REEL_CHECKPOINT_FORCE, NULL, NULL));
  g_free (g_steal_pointer (&text));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==,
                   "id,next/done,next/truncated\n0,true,false\n2,false,false\n4,true,true\n"
                   "1,false,false\n3,false,false\n5,true,false\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  g_test_add_func ("/datasets/export/rows-are-in-order-of-lane-and-time",
                   test_rows_are_in_order_of_lane_and_time);
  g_test_add_func ("/datasets/export/pieces-of-an-episode-are-joined",
                   test_pieces_of_an_episode_are_joined);
  g_test_add_func ("/datasets/export/other-pieces-are-apart", test_other_pieces_are_apart);
  scratch_test ("/datasets/export/rows-without-ends-are-not-cut",
                test_rows_without_ends_are_not_cut);
  g_test_add_func ("/datasets/export/an-episode-that-terminated-is-whole",
                   test_an_episode_that_terminated_is_whole);
  g_test_add_func ("/datasets/export/names-come-back", test_names_come_back);
  scratch_test ("/datasets/export/whole-reals-stay-reals", test_whole_reals_stay_reals);
  scratch_test ("/datasets/export/what-is-there-is-not-replaced",
                test_what_is_there_is_not_replaced);
  for (const char *const *format = reel_export_list_formats (); *format; format++)
    {
      g_autofree char *name = g_strconcat ("/datasets/export/", *format, "-rows-come-back", NULL);
      g_autofree char *fails =
          g_strconcat ("/datasets/export/", *format, "-is-absent-or-whole", NULL);

      if (!g_str_equal (*format, "csv") && g_strv_contains (reel_export_list_formats (), "minari"))
        scratch_test_with_data (name, test_golden_rows_come_back, *format);
      if (!g_str_equal (*format, "minari"))
        scratch_test_with_data (fails, test_a_failing_export_is_absent_or_whole, *format);
    }
  return g_test_run ();
}
