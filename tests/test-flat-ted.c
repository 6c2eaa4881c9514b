/* Rows of trajectories, packed and unpacked: every small ring, and what the form cannot hold. */
#include "../src/buffers/checkpoints/flat-ted.h"
#include "../src/reel.h"
#include "golden-buffer.h"
#include "scratch.h"
#include "ted-rows.h"

#include <glib/gstdio.h>
#include <string.h>

/* ---- every small ring, by hand ---- */

static gint64
count_valid (const TedRows *rows)
{
  return MIN (rows->written, rows->capacity);
}

/* The number of the row at a place of a lane in order of time, −1 where nothing was written. */
static gint64
number_at (const TedRows *rows, gint64 lane, gint64 place)
{
  gint64 first = MAX (rows->written - rows->capacity, 0);

  return place < count_valid (rows) ? (first + place) * rows->lanes + lane : -1;
}

static gboolean
is_cut (const TedRows *rows, gint64 lane, gint64 place)
{
  gint64 number = number_at (rows, lane, place);

  return number >= 0 && (ted_rows_ends (rows, number) || place == count_valid (rows) - 1);
}

/* The contents of the packed `observation`, as TorchRL's TED2Flat describes them. */
static GArray *
pack_by_hand (const TedRows *rows)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (float));

  for (gint64 lane = 0; lane < rows->lanes; lane++)
    for (gint64 place = 0; place < rows->capacity; place++)
      {
        gint64 number = number_at (rows, lane, place);
        float value = number < 0 ? 0 : (float) number, other = value + 0.5f;

        if (number < 0)
          other = 0;
        g_array_append_val (values, value);
        g_array_append_val (values, other);
        if (!is_cut (rows, lane, place))
          continue;
        value = ted_rows_next (rows, number);
        other = value + 0.5f;
        g_array_append_val (values, value);
        g_array_append_val (values, other);
      }
  return values;
}

static void
assert_packed (const TedRows *rows, const ReelTensordict *flat)
{
  g_autoptr (GArray) seen = pack_by_hand (rows);
  const ReelTensor *observation = reel_tensordict_get_tensor (flat, "observation", NULL);
  const gint64 *action = (const gint64 *) reel_tensordict_get_tensor (flat, "action", NULL)->data;
  const float *reward = (const float *) reel_tensordict_get_tensor (flat, "reward", NULL)->data;
  const guint8 *done = reel_tensordict_get_tensor (flat, "done", NULL)->data;

  g_assert_cmpmem (observation->data, reel_tensor_nbytes (observation), seen->data,
                   seen->len * sizeof (float));
  for (gint64 lane = 0, i = 0; lane < rows->lanes; lane++)
    for (gint64 place = 0; place < rows->capacity; place++, i++)
      {
        gint64 number = number_at (rows, lane, place);

        g_assert_cmpint (action[i], ==, MAX (number, 0));
        g_assert_true (reward[i] == (float) -MAX (number, 0));
        g_assert_cmpint (done[i], ==, number >= 0 && ted_rows_ends (rows, number));
      }
}

static const float *
floats (const ReelTensordict *data, const char *path, gint64 row, gint64 width)
{
  return (const float *) reel_tensordict_get_tensor (data, path, NULL)->data + row * width;
}

static void
assert_row (const TedRows *rows, const ReelTensordict *data, gint64 lane, gint64 place)
{
  gint64 number = number_at (rows, lane, place);
  gint64 row = number < 0 ? place * rows->lanes + lane : number % (rows->capacity * rows->lanes);
  float seen = number < 0 ? 0 : (float) number, next = 0;

  if (number >= 0)
    next =
        is_cut (rows, lane, place) ? ted_rows_next (rows, number) : (float) (number + rows->lanes);
  g_assert_true (floats (data, "observation", row, 2)[0] == seen);
  g_assert_true (floats (data, "next/observation", row, 2)[0] == next);
  g_assert_true (floats (data, "next/observation", row, 2)[1] == (number < 0 ? 0 : next + 0.5f));
  g_assert_true (floats (data, "next/reward", row, 1)[0] == -seen);
  g_assert_cmpint (reel_tensordict_get_tensor (data, "done", NULL)->data[row], ==, 0);
  g_assert_cmpint (reel_tensordict_get_tensor (data, "next/done", NULL)->data[row], ==,
                   number >= 0 && ted_rows_ends (rows, number));
}

static void
assert_unpacked (const TedRows *rows, const ReelTensordict *data)
{
  for (gint64 lane = 0; lane < rows->lanes; lane++)
    for (gint64 place = 0; place < rows->capacity; place++)
      assert_row (rows, data, lane, place);
}

/* How many rows say another `next` than what follows them, and so are not kept. */
static gint64
count_lost (const TedRows *rows)
{
  gint64 n = 0;

  for (gint64 lane = 0; rows->broken && lane < rows->lanes; lane++)
    for (gint64 place = 0; place < count_valid (rows); place++)
      n += !is_cut (rows, lane, place);
  return n;
}

static void
assert_warned (const TedRows *rows, GPtrArray *warnings)
{
  g_autofree char *told =
      g_strdup_printf ("\"next/observation\" of %" G_GINT64_FORMAT " rows", count_lost (rows));

  g_assert_cmpuint (warnings->len, ==, count_lost (rows) > 0);
  if (warnings->len > 0)
    g_assert_true (g_str_has_prefix (warnings->pdata[0], told));
}

/* Each part ends where a trajectory does, or with its lane. */
static void
assert_parts (const TedRows *rows, const ReelFlatCut *parts)
{
  gint64 n = 0, length = 0;

  for (gint64 lane = 0; lane < rows->lanes; lane++)
    for (gint64 place = 0; place < rows->capacity; place++)
      {
        length++;
        if (!is_cut (rows, lane, place) && place < rows->capacity - 1)
          continue;
        g_assert_cmpint (n, <, parts->n);
        g_assert_cmpint (parts->lengths[n], ==, length);
        g_assert_cmpint (parts->grown[n], ==, length + is_cut (rows, lane, place));
        length = 0;
        n++;
      }
  g_assert_cmpint (n, ==, parts->n);
}

/* All rows, read in parts of a length that nothing else has. */
static ReelTensordict *
read_all (ReelFlatPack *pack)
{
  const ReelTensordict *outline = reel_flat_pack_get_outline (pack);
  g_auto (GStrv) keys = reel_tensordict_list_leaves (outline);
  ReelTensordict *flat = reel_tensordict_new (0, NULL);

  g_assert_true (reel_flat_copy_values (outline, flat, NULL));
  for (gsize i = 0; keys[i]; i++)
    {
      const ReelTensor *like = reel_tensordict_get_tensor (outline, keys[i], NULL);
      const ReelRowStream *stream = reel_flat_pack_get_stream (pack, like);
      g_autoptr (ReelTensor) rows = reel_tensor_new (like->dtype, like->ndim, like->shape, NULL);

      for (gint64 begin = 0, n = 1; begin < stream->n_rows; begin += n, n = 3)
        {
          n = MIN (n, stream->n_rows - begin);
          stream->read (stream->data, rows->data + (gsize) begin * stream->row_bytes, n);
        }
      g_assert_true (reel_tensordict_set_tensor (flat, keys[i], rows, NULL));
    }
  return flat;
}

static void
check_packing (const TedRows *rows)
{
  const ReelFlatTed keys = { NULL, NULL };
  gint64 valid = count_valid (rows);
  const ReelCheckpointState state = {
    .shift = valid > 0 ? (rows->written - 1) % rows->capacity + 1 : 0,
    .is_full = valid == rows->capacity,
  };
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = ted_rows_buffer ("tensor", rows);
  ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));
  g_autoptr (ReelFlatPack) pack = reel_flat_pack_new (&keys, data, &state, &error);
  g_autoptr (ReelTensordict) flat = NULL, back = NULL;
  g_autoptr (ReelFlatUnpack) unpack = NULL;

  g_assert_no_error (error);
  flat = read_all (pack);
  assert_packed (rows, flat);
  reel_flat_pack_warn (pack, warnings);
  assert_warned (rows, warnings);
  assert_parts (rows, reel_flat_pack_get_cut (pack));
  unpack = reel_flat_unpack_new (&keys, reel_flat_rows_new (reel_tensordict_ref (flat)), &error);
  g_assert_no_error (error);
  back = reel_flat_unpack_all (unpack, &error);
  g_assert_no_error (error);
  assert_unpacked (rows, back);
  if (count_lost (rows) == 0 && valid == rows->capacity)
    g_assert_true (reel_tensordict_equal (data, back));
}

/* Lanes × capacity × cursor × what ends × whether next is what follows. */
static void
test_every_small_ring (void)
{
  gint64 n = 0;

  for (gint64 lanes = 1; lanes <= 3; lanes++)
    for (gint64 capacity = 1; capacity <= 6 && lanes * capacity <= 9; capacity++)
      for (gint64 written = 1; written <= 2 * capacity + 1; written++)
        for (guint64 ends = 0; ends < G_GUINT64_CONSTANT (1) << (lanes * capacity); ends++)
          for (gint broken = 0; broken <= 1; broken++)
            {
              gint64 used = MIN (written, capacity) * lanes;

              if (written < capacity && ends >> used != 0)
                continue; /* slots that are not written end nothing */
              check_packing (&(TedRows){ lanes, capacity, written, ends, broken });
              n++;
            }
  g_test_message ("%" G_GINT64_FORMAT " rings", n);
  g_assert_cmpint (n, >, 10000);
}

static void
check_files (const TedRows *rows, const char *format)
{
  g_autoptr (ReelReplayBuffer) from = ted_rows_buffer ("tensor", rows), opened = NULL;
  g_autoptr (ReelReplayBuffer) to = ted_rows_empty_buffer ("tensor", rows);
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (GError) error = NULL;

  ted_rows_set_checkpointer (from, format);
  g_assert_true (reel_replay_buffer_dumps (from, path, REEL_CHECKPOINT_FORCE, &error));
  g_assert_no_error (error);
  opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  assert_unpacked (rows, reel_storage_get_data (reel_replay_buffer_get_storage (opened)));
  g_assert_true (reel_replay_buffer_loads (to, path, &error));
  g_assert_no_error (error);
  assert_equal_buffers (opened, to);
  if (count_lost (rows) == 0)
    assert_equal_buffers (from, to);
}

static void
test_every_smaller_ring_in_files (gconstpointer format)
{
  gint64 n = 0;

  for (gint64 lanes = 1; lanes <= 2; lanes++)
    for (gint64 capacity = 1; capacity <= 3; capacity++)
      for (gint64 written = 1; written <= capacity + 2; written++)
        for (guint64 ends = 0; ends < G_GUINT64_CONSTANT (1) << (lanes * capacity); ends++)
          {
            gint64 used = MIN (written, capacity) * lanes;

            if (written < capacity && ends >> used != 0)
              continue;
            check_files (&(TedRows){ lanes, capacity, written, ends, n % 2 }, format);
            n++;
          }
  g_test_message ("%" G_GINT64_FORMAT " rings", n);
}

/* ---- trajectories that are longer than what is read at once ---- */

#define LONG_LANES 2
#define LONG_STEPS 9000 /* more than twice the parts of flags, and of rows of 64 bytes */
#define WIDTH 16

static gboolean
long_ends (gint64 step)
{
  return step == 4095 || step == 4096 || step == 9900;
}

static float
long_next (gint64 lane, gint64 step)
{
  return long_ends (step) ? (float) -step : (float) ((step + 1) * LONG_LANES + lane);
}

static guint8 *
add_long (ReelTensordict *td, const char *path, ReelDtype dtype, gint64 steps, gint64 width)
{
  const gint64 shape[] = { LONG_LANES, steps, width };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, 3, shape, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
  return tensor->data;
}

/* Steps [@first, @first + @steps) of both lanes. */
static ReelTensordict *
long_batch (gint64 first, gint64 steps)
{
  const gint64 shape[] = { LONG_LANES, steps };
  ReelTensordict *td = reel_tensordict_new (2, shape);
  float *seen = (float *) add_long (td, "observation", REEL_DTYPE_FLOAT32, steps, WIDTH);
  float *next = (float *) add_long (td, "next/observation", REEL_DTYPE_FLOAT32, steps, WIDTH);
  guint8 *done = add_long (td, "next/done", REEL_DTYPE_BOOL, steps, 1);

  add_long (td, "done", REEL_DTYPE_BOOL, steps, 1);
  for (gint64 i = 0; i < LONG_LANES * steps; i++)
    {
      gint64 lane = i / steps, step = first + i % steps;

      done[i] = long_ends (step);
      for (gint k = 0; k < WIDTH; k++)
        {
          seen[i * WIDTH + k] = (float) (step * LONG_LANES + lane) + (float) k / WIDTH;
          next[i * WIDTH + k] = long_next (lane, step) + (float) k / WIDTH;
        }
    }
  return td;
}

static void
test_long_trajectories (gconstpointer format)
{
  const TedRows rows = { LONG_LANES, LONG_STEPS, 0, 0, FALSE };
  g_autoptr (ReelReplayBuffer) from = ted_rows_empty_buffer ("tensor", &rows), opened = NULL;
  g_autoptr (ReelReplayBuffer) to = ted_rows_empty_buffer ("tensor", &rows);
  g_autoptr (ReelTensordict) batch = long_batch (0, LONG_STEPS);
  g_autoptr (ReelTensordict) more = long_batch (LONG_STEPS, 1000);
  g_autofree char *path = scratch_path ("dump");
  g_auto (GStrv) warnings = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_extend (from, batch, NULL, NULL));
  g_assert_true (reel_replay_buffer_extend (from, more, NULL, NULL));
  ted_rows_set_checkpointer (from, format);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, &error));
  g_assert_no_error (error);
  warnings = reel_replay_buffer_dup_warnings (from);
  g_assert_cmpuint (g_strv_length (warnings), ==, 0);
  opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  assert_equal_buffers (from, opened);
  g_assert_true (reel_replay_buffer_loads (to, path, &error));
  g_assert_no_error (error);
  assert_equal_buffers (from, to);
}

/* ---- what the form cannot hold ---- */

static void
assert_refused (ReelTensordict *batch, gint code, const char *told)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=4", NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_extend (buffer, batch, NULL, NULL));
  ted_rows_set_checkpointer (buffer, "flat");
  g_assert_false (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_nonnull (strstr (error->message, told));
  g_assert_nonnull (strstr (error->message, "\"tensor\""));
  remove_leftovers (FALSE);
  scratch_assert_names (scratch_directory, "");
}

static void
set_zeros (ReelTensordict *td, const char *path, ReelDtype dtype, gint64 width)
{
  const gint64 shape[] = { 2, width };
  g_autoptr (ReelTensor) zeros = reel_tensor_new (dtype, 2, shape, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, path, zeros, NULL));
}

static void
test_what_is_no_trajectory_is_refused (void)
{
  const TedRows rows = { 1, 4, 2, 0, FALSE };
  static const struct
  {
    const char *removed, *added;
    ReelDtype dtype;
    gint64 width;
    gint code;
    const char *told;
  } cases[] = {
    { "next/done", NULL, 0, 0, REEL_ERROR_KEY, "\"next/done\"" },
    { NULL, "next/done", REEL_DTYPE_BOOL, 2, REEL_ERROR_TYPE, "one bool a row" },
    { NULL, "next/done", REEL_DTYPE_UINT8, 1, REEL_ERROR_TYPE, "one bool a row" },
    { NULL, "next/extra", REEL_DTYPE_INT8, 1, REEL_ERROR_KEY, "\"next/extra\"" },
    { "next/reward", "reward", REEL_DTYPE_FLOAT32, 1, REEL_ERROR_KEY, "\"reward\"" },
    { NULL, "truncated", REEL_DTYPE_BOOL, 1, REEL_ERROR_KEY, "\"truncated\"" },
    { NULL, "observation", REEL_DTYPE_FLOAT32, 3, REEL_ERROR_TYPE, "\"observation\"" },
    { NULL, "observation", REEL_DTYPE_INT32, 2, REEL_ERROR_TYPE, "\"observation\"" },
    { NULL, "shift", REEL_DTYPE_INT32, 2, REEL_ERROR_KEY, "\"shift\"" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTensordict) batch = ted_rows_batch (&rows, 0, 2);

      if (cases[i].removed)
        g_assert_true (reel_tensordict_remove (batch, cases[i].removed, NULL));
      if (cases[i].added)
        set_zeros (batch, cases[i].added, cases[i].dtype, cases[i].width);
      assert_refused (batch, cases[i].code, cases[i].told);
    }
}

/* Flags and rewards of the root are dropped, and it is told; each byte of a value counts. */
static void
test_what_the_root_loses_is_told (void)
{
  const TedRows rows = { 1, 4, 3, 0, FALSE };
  g_autoptr (ReelTensordict) batch = ted_rows_batch (&rows, 0, 2);
  g_autoptr (ReelReplayBuffer) buffer = ted_rows_empty_buffer ("tensor", &rows), opened = NULL;
  g_autofree char *path = scratch_path ("dump"), *told = NULL;
  g_auto (GStrv) warnings = NULL;
  ReelTensordict *data;

  set_zeros (batch, "reward", REEL_DTYPE_FLOAT32, 1);
  set_zeros (batch, "wide", REEL_DTYPE_INT32, 2);
  set_zeros (batch, "next/wide", REEL_DTYPE_INT32, 2);
  reel_tensordict_get_tensor (batch, "terminated", NULL)->data[1] = TRUE;
  reel_tensordict_get_tensor (batch, "wide", NULL)->data[7] = 1;
  g_assert_true (reel_replay_buffer_extend (buffer, batch, NULL, NULL));
  ted_rows_set_checkpointer (buffer, "FlatStorageCheckpointer:reward-keys=[reward,wide]");
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  warnings = reel_replay_buffer_dup_warnings (buffer);
  told = g_strjoinv ("\n", warnings);
  g_assert_nonnull (strstr (told, "\"terminated\" of 1 rows"));
  g_assert_nonnull (strstr (told, "\"reward\" of 2 rows"));
  g_assert_nonnull (strstr (told, "\"wide\" of 1 rows"));
  opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  data = reel_storage_get_data (reel_replay_buffer_get_storage (opened));
  g_assert_false (reel_tensordict_contains (data, "reward"));
  g_assert_cmpint (reel_tensordict_get_tensor (data, "terminated", NULL)->data[1], ==, 0);
}

/* Keys of one's own come back by the sidecar, or by a checkpointer of the same kind. */
static void
test_keys_of_ones_own (void)
{
  static const char text[] = "nested:reward-keys=[reward,extra]";
  const TedRows rows = { 1, 4, 3, 4, FALSE };
  g_autoptr (ReelTensordict) batch = ted_rows_batch (&rows, 0, 3);
  g_autoptr (ReelReplayBuffer) from = ted_rows_empty_buffer ("tensor", &rows), opened = NULL;
  g_autoptr (ReelReplayBuffer) to = ted_rows_empty_buffer ("tensor", &rows);
  const gint64 shape[] = { 3, 1 };
  g_autoptr (ReelTensor) extra = reel_tensor_new (REEL_DTYPE_INT8, 2, shape, NULL);
  g_autofree char *path = scratch_path ("dump"), *sidecar = scratch_path ("dump/reel.json");
  g_autoptr (GError) error = NULL;

  memcpy (extra->data, "abc", 3);
  g_assert_true (reel_tensordict_set_tensor (batch, "next/extra", extra, NULL));
  g_assert_true (reel_replay_buffer_extend (from, batch, NULL, NULL));
  ted_rows_set_checkpointer (from, text);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, &error));
  g_assert_no_error (error);
  opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (opened));
  g_assert_cmpmem (reel_tensordict_get_tensor (data, "next/extra", NULL)->data, 3, "abc", 3);
  g_assert_cmpint (g_unlink (sidecar), ==, 0);
  ted_rows_set_checkpointer (to, text);
  g_assert_true (reel_replay_buffer_loads (to, path, &error));
  g_assert_no_error (error);
  assert_equal_buffers (opened, to);
}

int
main (int argc, char **argv)
{
  const char *const *ids;
  gsize n;

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  ids = ted_rows_list_checkpointers (&n);

#define PATH "/buffers/flat-ted/"
  scratch_test (PATH "every-small-ring", test_every_small_ring);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *rings = g_strconcat (PATH "every-smaller-ring/", ids[i], NULL);
      g_autofree char *long_ones = g_strconcat (PATH "long-trajectories/", ids[i], NULL);

      scratch_test_with_data (rings, test_every_smaller_ring_in_files, ids[i]);
      scratch_test_with_data (long_ones, test_long_trajectories, ids[i]);
    }
  scratch_test (PATH "what-is-no-trajectory-is-refused", test_what_is_no_trajectory_is_refused);
  scratch_test (PATH "what-the-root-loses-is-told", test_what_the_root_loses_is_told);
  scratch_test (PATH "keys-of-ones-own", test_keys_of_ones_own);
  return g_test_run ();
}
