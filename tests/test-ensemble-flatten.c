/* The rows of all members in one buffer, beside a walk over the members. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "ted-rows.h"

#include <jansson.h>
#include <string.h>

#define CAPACITY 4
#define LAST_WRITTEN 6
#define ENDS 0x52

/* Ids begin anywhere, and are the same in all members. */
static gint64
id_of (const TedRows *rows, gint64 number)
{
  return -3 + number % rows->lanes + rows->lanes * (number / rows->lanes / 3);
}

static void
extend (ReelReplayBuffer *buffer, const TedRows *rows, gint64 step)
{
  g_autoptr (ReelTensordict) batch = ted_rows_batch (rows, step, 1);
  const gint64 shape[] = { rows->lanes, 1 };
  g_autoptr (ReelTensor) ids =
      reel_tensor_new (REEL_DTYPE_INT64, rows->lanes > 1 ? 2 : 1, shape + (rows->lanes == 1), NULL);
  g_autoptr (GError) error = NULL;

  for (gint64 lane = 0; lane < rows->lanes; lane++)
    ((gint64 *) ids->data)[lane] = id_of (rows, step * rows->lanes + lane);
  g_assert_true (reel_tensordict_set_tensor (batch, "collector/traj_ids", ids, NULL));
  reel_replay_buffer_extend (buffer, batch, NULL, &error);
  g_assert_no_error (error);
}

static ReelReplayBuffer *
make_member (const TedRows *rows)
{
  ReelReplayBuffer *buffer = ted_rows_empty_buffer ("tensor", rows);

  for (gint64 step = 0; step < rows->written; step++)
    extend (buffer, rows, step);
  return buffer;
}

/* ---- the oracle ---- */

typedef struct
{
  gint64 row;
  gint64 next_id;
  gint64 n_cut;
  json_t *begins; /* rows of episodes that began before the member's oldest */
  json_t *ends;   /* rows that are marked */
} Walk;

static gint64
get_int64 (ReelTensordict *data, const char *path, gint64 row)
{
  return ((const gint64 *) reel_tensordict_get_tensor (data, path, NULL)->data)[row];
}

static guint8
get_flag (ReelTensordict *data, const char *path, gint64 row)
{
  return reel_tensordict_get_tensor (data, path, NULL)->data[row];
}

static void
check_row (Walk *walk, ReelTensordict *data, const TedRows *rows, gint64 number, gint64 least,
           gboolean last)
{
  gboolean ends = ted_rows_ends (rows, number);
  const float *next =
      (const float *) reel_tensordict_get_tensor (data, "next/observation", NULL)->data;

  g_assert_cmpint (get_int64 (data, "action", walk->row), ==, number);
  g_assert_cmpint (get_int64 (data, "collector/traj_ids", walk->row), ==,
                   walk->next_id + id_of (rows, number) - least);
  g_assert_cmpint (get_flag (data, "next/done", walk->row), ==, ends || last);
  g_assert_cmpint (get_flag (data, "next/terminated", walk->row), ==, ends);
  g_assert_cmpfloat (next[2 * walk->row], ==, ted_rows_next (rows, number));
  walk->n_cut += last && !ends;
  if (last && !ends)
    json_array_append_new (walk->ends, json_integer (walk->row));
  walk->row++;
}

static void
check_member (Walk *walk, ReelTensordict *data, const TedRows *rows)
{
  gint64 first = MAX (rows->written - CAPACITY, 0), least = G_MAXINT64, most = G_MININT64;

  for (gint64 number = first * rows->lanes; number < rows->written * rows->lanes; number++)
    {
      least = MIN (least, id_of (rows, number));
      most = MAX (most, id_of (rows, number));
    }
  for (gint64 lane = 0; lane < rows->lanes; lane++)
    if (first > 0)
      json_array_append_new (walk->begins, json_integer (walk->row + lane * CAPACITY));
  for (gint64 lane = 0; lane < rows->lanes; lane++)
    for (gint64 step = first; step < rows->written; step++)
      check_row (walk, data, rows, step * rows->lanes + lane, least, step == rows->written - 1);
  if (rows->written > 0)
    walk->next_id += most - least + 1;
}

static void
check_cuts (const Walk *walk, ReelReplayBuffer *flat)
{
  g_autofree char *text = reel_replay_buffer_dup_info (flat, "cut_rows");
  json_t *found = text ? json_loads (text, 0, NULL) : json_object ();
  json_t *expected = json_object ();

  if (json_array_size (walk->begins) > 0)
    json_object_set (expected, "begins", walk->begins);
  if (json_array_size (walk->ends) > 0)
    json_object_set (expected, "ends", walk->ends);
  g_assert_true (json_equal (found, expected));
  json_decref (found);
  json_decref (expected);
}

static void
check_flat (ReelReplayBufferEnsemble *ensemble, const TedRows *rows, guint n)
{
  g_autoptr (GError) error = NULL;
  gint64 n_cut = -1;
  g_autoptr (ReelReplayBuffer) flat =
      reel_replay_buffer_ensemble_flatten (ensemble, &n_cut, &error);
  Walk walk = { .begins = json_array (), .ends = json_array () };

  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    check_member (&walk, reel_storage_get_data (reel_replay_buffer_get_storage (flat)), &rows[i]);
  g_assert_cmpint (reel_replay_buffer_get_length (flat), ==, walk.row);
  g_assert_cmpint (reel_replay_buffer_get_capacity (flat), ==, walk.row);
  g_assert_cmpint (n_cut, ==, walk.n_cut);
  check_cuts (&walk, flat);
  json_decref (walk.begins);
  json_decref (walk.ends);
}

/* ---- cases ---- */

/* Two members of one lane or two, from empty to rings that wrapped. */
static void
test_rows_of_all (void)
{
  for (gint64 k = 0; k < 4 * (LAST_WRITTEN + 1) * (LAST_WRITTEN + 1); k++)
    {
      const TedRows rows[] = {
        { 1 + k % 2, CAPACITY, k / 4 % (LAST_WRITTEN + 1), ENDS, FALSE },
        { 1 + k / 2 % 2, CAPACITY, k / 4 / (LAST_WRITTEN + 1), ENDS >> 1, FALSE },
      };
      g_autoptr (ReelReplayBuffer) one = make_member (&rows[0]), other = make_member (&rows[1]);
      ReelReplayBuffer *const members[] = { one, other };
      g_autoptr (ReelReplayBufferEnsemble) ensemble =
          reel_replay_buffer_ensemble_new (members, 2, NULL, NULL);

      if (rows[0].written + rows[1].written > 0)
        check_flat (ensemble, rows, 2);
    }
}

static void
test_members_of_members (void)
{
  const TedRows rows[] = { { 1, CAPACITY, 3, ENDS, FALSE },
                           { 2, CAPACITY, 6, ENDS, FALSE },
                           { 1, CAPACITY, 5, 0, FALSE } };
  g_autoptr (ReelReplayBuffer) a = make_member (&rows[0]), b = make_member (&rows[1]);
  g_autoptr (ReelReplayBuffer) c = make_member (&rows[2]);
  ReelReplayBuffer *const inner[] = { a, b };
  g_autoptr (ReelReplayBufferEnsemble) below =
      reel_replay_buffer_ensemble_new (inner, 2, NULL, NULL);
  GObject *const members[] = { G_OBJECT (below), G_OBJECT (c) };
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new_mixed (members, 2, NULL, NULL);

  check_flat (ensemble, rows, 3);
}

static void
test_shared_info_stays (void)
{
  const TedRows rows = { 1, CAPACITY, 3, 0, FALSE };
  g_autoptr (ReelReplayBuffer) a = make_member (&rows), b = make_member (&rows), flat = NULL;
  ReelReplayBuffer *const members[] = { a, b };
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new (members, 2, NULL, NULL);
  g_autofree char *env = NULL, *mine = NULL;

  reel_replay_buffer_set_info (a, "env", "{\"id\": \"X\", \"seed\": 1}", NULL);
  reel_replay_buffer_set_info (b, "env", "{\"id\": \"X\", \"seed\": 2}", NULL);
  reel_replay_buffer_set_info (a, "mine", "3", NULL);
  flat = reel_replay_buffer_ensemble_flatten (ensemble, NULL, NULL);
  env = reel_replay_buffer_dup_info (flat, "env");
  mine = reel_replay_buffer_dup_info (flat, "mine");
  g_assert_cmpstr (env, ==, "{\"id\":\"X\"}");
  g_assert_null (mine);
}

static void
assert_refused (ReelReplayBuffer *a, ReelReplayBuffer *b, const char *message)
{
  ReelReplayBuffer *const members[] = { a, b };
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new (members, 2, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_replay_buffer_ensemble_flatten (ensemble, NULL, &error));
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, message));
}

static void
set_specs (ReelReplayBuffer *buffer, int high)
{
  g_autofree char *json =
      g_strdup_printf ("{\"observation\": {\"kind\": \"bounded\", \"high\": %d}}", high);

  g_assert_true (reel_replay_buffer_set_info (buffer, "specs", json, NULL));
}

static void
test_refusals (void)
{
  const TedRows some = { 1, CAPACITY, 3, 0, FALSE }, none = { 1, CAPACITY, 0, 0, FALSE };
  g_autoptr (ReelReplayBuffer) a = make_member (&some), empty = make_member (&none);
  g_autoptr (ReelReplayBuffer) other = ted_rows_buffer ("tensor", &some);
  g_autoptr (ReelReplayBuffer) values = counted_new_buffer ("list", CAPACITY, 1);

  counted_extend (values, 1, 2, 0);

  assert_refused (empty, empty, "no member has rows");
  assert_refused (a, other, "member 1: ");
  assert_refused (other, a, "member 1: ");
  assert_refused (values, a, "member 0: ");

  set_specs (a, 1);
  g_clear_object (&other);
  other = make_member (&some);
  set_specs (other, 2);
  assert_refused (a, other,
                  "member 1: cannot flatten: its specs differ from those of member 0 at "
                  "\"observation/high\"");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/buffers/ensemble-flatten/rows-of-all", test_rows_of_all);
  g_test_add_func ("/buffers/ensemble-flatten/members-of-members", test_members_of_members);
  g_test_add_func ("/buffers/ensemble-flatten/shared-info-stays", test_shared_info_stays);
  g_test_add_func ("/buffers/ensemble-flatten/refusals", test_refusals);
  return g_test_run ();
}
