/* Rows by index, read and changed in place, against arrays of numbers; and changes under readers.
 */
#include "counted-rows.h"
#include "race.h"

#include <string.h>

#define MOST 8 /* lanes, slots, items of a list */

/* ---- every index of one or two dimensions, in every state of a small ring ---- */

typedef struct
{
  ReelReplayBuffer *buffer;
  gint ndim;
  gint64 lanes;
  gint64 n_slots;
  gint64 filled;
  gint64 number[MOST][MOST]; /* by lane and slot */
  gint64 next;               /* a number that no row has yet */
  gint64 n_cases;
} Model;

/* The places of one dimension. */
typedef struct
{
  ReelIndexKind kind;
  gint64 begin, end, step;
  gint64 n;
  gint64 list[MOST];
} Pick;

/* The places that Python's rules give, naively; −1 out of range. */
static gint64
find_places (const Pick *pick, gint64 extent, gint64 *places)
{
  gint64 n = 0, begin, end;

  if (pick->kind != REEL_INDEX_SLICE)
    {
      for (gint64 i = 0; i < pick->n; i++)
        {
          places[i] = pick->list[i] < 0 ? pick->list[i] + extent : pick->list[i];
          if (places[i] < 0 || places[i] >= extent)
            return -1;
        }
      return pick->n;
    }
  begin = MAX (pick->begin < 0 ? pick->begin + extent : pick->begin, 0);
  end = MIN (pick->end < 0 ? pick->end + extent : pick->end, extent);
  for (gint64 i = 0; i < extent; i++)
    if (i >= begin && i < end && (i - begin) % pick->step == 0)
      places[n++] = i;
  return n;
}

static void
add_pick (ReelIndex *index, const Pick *pick)
{
  g_autoptr (ReelTensor) list = NULL;

  if (pick->kind == REEL_INDEX_INT)
    reel_index_add_int (index, pick->list[0]);
  else if (pick->kind == REEL_INDEX_SLICE)
    reel_index_add_slice (index, pick->begin, pick->end, pick->step);
  else
    {
      list = reel_tensor_new (REEL_DTYPE_INT64, 1, &pick->n, NULL);
      memcpy (list->data, pick->list, (gsize) pick->n * sizeof *pick->list);
      reel_index_add_tensor (index, list);
    }
}

static void
assert_all (Model *model)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (model->buffer, NULL);

  for (gint64 lane = 0; lane < model->lanes; lane++)
    for (gint64 slot = 0; slot < model->filled; slot++)
      {
        gint64 place[2] = { lane, slot };

        counted_assert_row (all, model->ndim > 1 ? place : place + 1, model->number[lane][slot]);
      }
}

/* One index: what it reads, then what it writes. @over_lanes is NULL where ndim is 1. */
static void
check_index (Model *model, const Pick *over_lanes, const Pick *over_slots)
{
  static const Pick all = { REEL_INDEX_SLICE, 0, G_MAXINT64, 1, 0, { 0 } };
  gint64 lanes[MOST] = { 0 }, slots[MOST];
  gint64 n_lanes = over_lanes ? find_places (over_lanes, model->lanes, lanes) : 1;
  gint64 n_slots = find_places (over_slots ? over_slots : &all, model->filled, slots);
  gboolean one_lane = !over_lanes || over_lanes->kind == REEL_INDEX_INT;
  gboolean one_slot = over_slots && over_slots->kind == REEL_INDEX_INT;
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (ReelTensordict) read = NULL, value = NULL;
  g_autoptr (GError) error = NULL;
  guint64 revision = reel_storage_get_revision (reel_replay_buffer_get_storage (model->buffer));

  if (over_lanes)
    add_pick (&index, over_lanes);
  if (over_slots)
    add_pick (&index, over_slots);
  read = reel_replay_buffer_index (model->buffer, &index, &error);
  model->n_cases++;
  if (n_lanes < 0 || n_slots < 0)
    {
      g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
      g_clear_error (&error);
      g_assert_false (reel_replay_buffer_fill_at (model->buffer, &index, 0, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
      return;
    }
  g_assert_no_error (error);
  if (one_slot && !one_lane)
    value = counted_new_batch (1, 1, n_lanes, model->next); /* [lanes] */
  else if (one_slot)
    value = counted_new_step (1, 1, model->next);
  else
    value =
        counted_new_batch (one_lane ? 1 : 2, n_lanes, n_slots, model->next / MAX (n_lanes, 1) + 1);
  for (gint64 i = 0; i < n_lanes; i++)
    for (gint64 k = 0; k < n_slots; k++)
      {
        gint64 place[2] = { i, k };

        counted_assert_row (read, one_lane ? place + 1 : place, model->number[lanes[i]][slots[k]]);
      }
  reel_replay_buffer_set_at (model->buffer, &index, value, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < n_lanes; i++)
    for (gint64 k = 0; k < n_slots; k++)
      {
        gint64 place[2] = { i, k };

        model->number[lanes[i]][slots[k]] =
            counted_get_number (value, one_lane ? place + 1 : place);
      }
  model->next += MOST * MOST;
  g_assert_cmpuint (reel_storage_get_revision (reel_replay_buffer_get_storage (model->buffer)), ==,
                    revision + 2);
}

static GArray *
list_picks (gint64 extent)
{
  GArray *picks = g_array_new (FALSE, FALSE, sizeof (Pick));

  for (gint64 i = -extent - 1; i <= extent; i++)
    {
      Pick pick = { REEL_INDEX_INT, 0, 0, 0, 1, { i } };

      g_array_append_val (picks, pick);
      for (gint64 end = -extent - 1; end <= extent + 1; end++)
        for (gint64 step = 1; step <= 2; step++)
          {
            Pick slice = { REEL_INDEX_SLICE, i, end, step, 0, { 0 } };
            g_array_append_val (picks, slice);
          }
      for (gint64 other = -extent; other <= extent; other++)
        {
          Pick list = { REEL_INDEX_TENSOR, 0, 0, 0, 2, { i, other } };
          g_array_append_val (picks, list);
        }
    }
  return picks;
}

static void
check_all_indices (Model *model)
{
  g_autoptr (GArray) slot_picks = list_picks (model->filled);
  g_autoptr (GArray) lane_picks = list_picks (model->ndim > 1 ? model->lanes : 0);

  if (model->ndim == 1)
    for (guint k = 0; k < slot_picks->len; k++)
      check_index (model, NULL, &g_array_index (slot_picks, Pick, k));
  for (guint i = 0; model->ndim > 1 && i < lane_picks->len; i++)
    {
      const Pick *lanes = &g_array_index (lane_picks, Pick, i);

      check_index (model, lanes, NULL);
      for (guint k = 0; k < slot_picks->len && lanes->kind != REEL_INDEX_TENSOR; k++)
        if (g_array_index (slot_picks, Pick, k).kind != REEL_INDEX_TENSOR)
          check_index (model, lanes, &g_array_index (slot_picks, Pick, k));
    }
  assert_all (model);
}

static void
init_model (Model *model, const char *storage, gint ndim, gint64 lanes, gint64 n_slots, gint64 n)
{
  model->buffer = counted_new_buffer (storage, n_slots * lanes, ndim);
  model->ndim = ndim;
  model->lanes = lanes;
  model->n_slots = n_slots;
  model->filled = MIN (n, n_slots);
  model->next = 1000;
  counted_extend (model->buffer, lanes, n, 0);
  for (gint64 t = 0; t < n; t++)
    for (gint64 lane = 0; lane < lanes; lane++)
      model->number[lane][t % n_slots] = t * lanes + lane;
}

/* T3.8-14: whatever is written where it is, cursor and length stay, and writing goes on behind. */
static void
check_model (Model *model, gint64 n)
{
  check_all_indices (model);
  g_assert_cmpint (reel_replay_buffer_get_cursor (model->buffer), ==, n % model->n_slots);
  g_assert_cmpint (reel_replay_buffer_get_length (model->buffer), ==, model->filled * model->lanes);
  g_assert_cmpint (reel_replay_buffer_get_write_count (model->buffer), ==, n);
  counted_extend (model->buffer, model->lanes, 1, n);
  for (gint64 lane = 0; lane < model->lanes; lane++)
    model->number[lane][n % model->n_slots] = n * model->lanes + lane;
  model->filled = MIN (n + 1, model->n_slots);
  assert_all (model);
  g_object_unref (model->buffer);
}

/* With -m slow there is a lane more, and a slot more in memory. */
static void
test_every_index (gconstpointer storage)
{
  gint64 more = g_test_slow () ? 1 : 0, n_cases = 0;
  gint64 most_slots = g_str_equal (storage, "tensor") ? 3 + more : 2;

  for (gint64 lanes = 1; lanes <= 2 + more; lanes++)
    for (gint64 n_slots = 1; n_slots <= most_slots; n_slots++)
      for (gint64 n = 1; n <= 2 * n_slots + 1; n++)
        for (gint ndim = lanes > 1 ? 2 : 1; ndim <= 2; ndim++)
          {
            Model model = { 0 };

            init_model (&model, storage, ndim, lanes, n_slots, n);
            check_model (&model, n);
            n_cases += model.n_cases;
          }
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
  g_assert_cmpint (n_cases, >, 3000);
}

/* ---- the other ways ---- */

static gint64
get_id (ReelReplayBuffer *buffer, const char *text)
{
  g_auto (ReelIndex) index;
  g_autoptr (ReelTensor) ids = reel_replay_buffer_get_key (buffer, "id", NULL);
  g_autoptr (ReelTensor) id = NULL;

  g_assert_true (reel_index_parse (&index, text, NULL));
  id = reel_tensor_index (ids, &index, NULL);
  return *(gint64 *) id->data;
}

/* T3.8-21: in the order of the storage, on what is filled; the revision tells. */
static void
test_keys_in_place (gconstpointer storage)
{
  const gint64 whole[] = { 3, 2 };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 10, 2);
  g_autoptr (ReelTensor) ids = counted_new_tensor (2, whole, 100),
                         lane = counted_new_tensor (1, whole + 1, 70);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, whole);
  g_auto (ReelIndex) last;
  g_autoptr (GError) error = NULL;
  ReelStorage *the_storage = reel_replay_buffer_get_storage (buffer);

  counted_extend (buffer, 2, 3, 0);
  g_assert_true (reel_replay_buffer_set_in_place (buffer, "id", ids, NULL));
  g_assert_cmpint (get_id (buffer, "[1, 2]"), ==, 105);
  g_assert_cmpuint (reel_storage_get_revision (the_storage), ==, 2);

  g_assert_true (reel_index_parse (&last, "[-1]", NULL));
  g_assert_true (reel_replay_buffer_set_at_in_place (buffer, "id", &last, lane, NULL));
  g_assert_cmpint (get_id (buffer, "[0, 2]"), ==, 70);
  g_assert_cmpint (get_id (buffer, "[1, 2]"), ==, 71);
  g_assert_cmpint (get_id (buffer, "[1, 1]"), ==, 103);
  g_assert_cmpuint (reel_storage_get_revision (the_storage), ==, 4);

  g_assert_true (reel_tensordict_set_tensor (td, "id", ids, NULL));
  g_assert_true (reel_replay_buffer_update_in_place (buffer, td, NULL, NULL));
  g_assert_cmpint (get_id (buffer, "[0, 2]"), ==, 104);
  g_assert_cmpuint (reel_storage_get_revision (the_storage), ==, 6);

  g_assert_false (reel_replay_buffer_set_in_place (buffer, "id", lane, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_set_in_place (buffer, "other", ids, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  g_assert_true (reel_tensordict_set_tensor (td, "other", ids, NULL));
  g_assert_false (reel_replay_buffer_update_in_place (buffer, td, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

/* T3.8-20 */
static void
test_all_is_written_back (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 6, 1);
  g_autoptr (ReelTensordict) head = NULL, again = NULL, five = counted_new_batch (1, 1, 5, 50);
  g_autoptr (ReelTensordict) seven = counted_new_batch (1, 1, 7, 50);
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 8, 0);
  g_assert_true (reel_replay_buffer_write_all (buffer, five, -1, NULL));
  head = reel_replay_buffer_get_slice (buffer, 0, 5, 1, NULL);
  again = reel_tensordict_clone (head, TRUE, NULL);
  reel_tensordict_set_device (five, "cpu", NULL);
  g_assert_true (reel_tensordict_equal (again, five));
  g_assert_cmpint (get_id (buffer, "[5]"), ==, 5);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 6);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 2);
  g_assert_false (reel_replay_buffer_write_all (buffer, seven, -1, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_write_all (buffer, five, 4, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpint (get_id (buffer, "[0]"), ==, 50);
}

/* T3.8-14 */
static void
test_zeros_and_lanes (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 100, 2);
  g_autoptr (ReelTensordict) ten = counted_new_batch (1, 1, 10, 5000);
  g_auto (ReelIndex) one, both;

  counted_extend (buffer, 2, 50, 10);
  g_assert_true (reel_index_parse (&one, "[0, 3:4]", NULL));
  g_assert_true (reel_replay_buffer_fill_at (buffer, &one, 0, NULL));
  g_assert_cmpint (get_id (buffer, "[0, 3]"), ==, 0);
  g_assert_cmpint (get_id (buffer, "[1, 3]"), ==, 27);
  g_assert_cmpint (get_id (buffer, "[0, 2]"), ==, 24);
  g_assert_cmpint (get_id (buffer, "[0, 4]"), ==, 28);
  g_assert_true (reel_index_parse (&both, "[:, 10:20]", NULL));
  g_assert_true (reel_replay_buffer_set_at (buffer, &both, ten, NULL));
  g_assert_cmpint (get_id (buffer, "[0, 12]"), ==, 5002);
  g_assert_cmpint (get_id (buffer, "[1, 12]"), ==, 5002);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 100);
}

static void
test_refused_changes_nothing (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 20, 1);
  g_autoptr (ReelTensordict) row = counted_new_step (1, 1, 77);
  g_auto (ReelIndex) first;
  g_autoptr (GError) error = NULL;
  ReelReservation block;

  g_assert_true (reel_index_parse (&first, "[0]", NULL));
  g_assert_false (reel_replay_buffer_set_at (buffer, &first, row, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_fill_at (buffer, &first, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);

  counted_extend (buffer, 1, 3, 40);
  g_assert_true (reel_tensordict_set_value (row, "other", g_variant_new_int64 (1), NULL));
  g_assert_false (reel_replay_buffer_set_at (buffer, &first, row, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_true (reel_replay_buffer_reserve (buffer, 1, &block, NULL));
  g_assert_false (reel_replay_buffer_fill_at (buffer, &first, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  reel_replay_buffer_commit (buffer, &block, 0);
  g_assert_cmpint (get_id (buffer, "[0]"), ==, 40);
}

/* ---- readers meanwhile ---- */

static gboolean
change_rows (Race *race)
{
  gint64 i = race->n_written++;
  g_autoptr (ReelTensordict) rows = counted_new_batch (2, 4, 8, i * 8);
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;

  reel_index_add_slice (&index, 0, G_MAXINT64, 1);
  reel_index_add_slice (&index, i % 8, i % 8 + 8, 1);
  reel_replay_buffer_set_at (race->buffer, &index, rows, &error);
  g_assert_no_error (error);
  return race->n_written < race->n_steps;
}

static void
test_no_row_is_torn (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 64, 2);
  Race race = { .buffer = buffer, .batch_size = 16, .write = change_rows, .n_steps = 3000 };

  counted_extend (buffer, 4, 16, 0);
  race_run (&race, 2);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    GTestDataFunc test;
  } tests[] = {
    { "every-index", test_every_index },
    { "keys-in-place", test_keys_in_place },
    { "all-is-written-back", test_all_is_written_back },
    { "zeros-and-lanes", test_zeros_and_lanes },
    { "refused-changes-nothing", test_refused_changes_nothing },
    { "no-row-is-torn", test_no_row_is_torn },
  };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    for (gint memmap = 0; memmap <= 1; memmap++)
      {
        const char *id = memmap ? "memmap" : "tensor";
        g_autofree char *path = g_strdup_printf ("/buffers/buffer-index/%s/%s", tests[i].path, id);

        g_test_add_data_func (path, id, tests[i].test);
      }
  return g_test_run ();
}
