/* A storage of records holds what one of columns holds, whatever is done to both. */
#include "../src/reel.h"
#include "../src/buffers/storages/columns.h"
#include "../src/core/system/file-ops.h"
#include "../src/buffers/storages/storage-private.h"
#include "scratch.h"

#include <string.h>

/* Leaves of every width, one without elements, one of a shape, one of a size of its own. */
static const struct
{
  const char *path;
  ReelDtype dtype;
  gint ndim;
  gint64 shape[2];
} leaves[] = {
  { "flag", REEL_DTYPE_BOOL, 1, { 1 } },          { "id", REEL_DTYPE_INT64, 0, { 0 } },
  { "image", REEL_DTYPE_UINT8, 2, { 3, 5 } },     { "none", REEL_DTYPE_FLOAT32, 1, { 0 } },
  { "short", REEL_DTYPE_INT16, 0, { 0 } },        { "next/z", REEL_DTYPE_COMPLEX128, 0, { 0 } },
  { "next/state", REEL_DTYPE_FLOAT32, 1, { 3 } },
};

/* How the rows that are given lie in memory. */
typedef enum
{
  DENSE,
  TIME_FIRST,
  EVERY_OTHER, /* element of a larger leaf */
  EXPANDED,    /* one row for all */
  N_FORMS,
} Form;

static guint64 n_cases;

static void
fill (ReelTensor *leaf, guint64 *seed)
{
  gsize n = reel_tensor_nbytes (leaf);

  for (gsize i = 0; i < n; i++)
    {
      *seed = *seed * 6364136223846793005u + 1442695040888963407u;
      leaf->data[i] = leaf->dtype == REEL_DTYPE_BOOL ? *seed >> 63 : *seed >> 56;
    }
}

static ReelTensor *
make_leaf (guint which, gint ndim, const gint64 *size, Form form, guint64 *seed)
{
  gint64 shape[REEL_MAX_NDIM], own[REEL_MAX_NDIM];
  gint n = ndim + leaves[which].ndim;
  ReelTensor *leaf;

  memcpy (shape, size, (gsize) ndim * sizeof *shape);
  memcpy (shape + ndim, leaves[which].shape, sizeof leaves[which].shape);
  memcpy (own, shape, sizeof shape);
  if (form == TIME_FIRST)
    {
      own[0] = shape[ndim - 1];
      own[ndim - 1] = shape[0];
    }
  else if (form == EVERY_OTHER)
    own[n - 1] *= 2;
  else if (form == EXPANDED)
    for (gint dim = 0; dim < ndim; dim++)
      own[dim] = MIN (1, shape[dim]);
  leaf = reel_tensor_new (leaves[which].dtype, n, own, NULL);
  fill (leaf, seed);
  g_autoptr (ReelTensor) whole = leaf;
  if (form == TIME_FIRST)
    return reel_tensor_transpose (whole, 0, ndim - 1, NULL);
  if (form == EVERY_OTHER)
    return reel_tensor_slice (whole, n - 1, 0, G_MAXINT64, 2, NULL);
  return reel_tensor_expand (whole, n, shape, NULL);
}

/* `[lanes…, n]`. */
static ReelTensordict *
make_rows (gint ndim, const gint64 *lanes, gint64 n, Form form, guint64 *seed)
{
  gint64 size[3] = { lanes[0], lanes[1], 0 };
  ReelTensordict *rows;

  size[ndim - 1] = n;
  rows = reel_tensordict_new (ndim, size);
  for (guint i = 0; i < G_N_ELEMENTS (leaves); i++)
    {
      g_autoptr (ReelTensor) leaf = make_leaf (i, ndim, size, form, seed);
      g_assert_true (reel_tensordict_set_tensor (rows, leaves[i].path, leaf, NULL));
    }
  return rows;
}

/* ---- twins ---- */

typedef struct
{
  ReelReplayBuffer *buffers[2]; /* of columns, of records */
} Twins;

static void
twins_open (Twins *twins, gint64 capacity, gint ndim)
{
  static const char *const layouts[] = { "columns", "records" };

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *text = g_strdup_printf (
          "tensor:capacity=%" G_GINT64_FORMAT ",ndim=%d,layout=%s", capacity, ndim, layouts[i]);
      g_autoptr (ReelStorage) storage =
          reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
      twins->buffers[i] = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
    }
}

static void
twins_close (Twins *twins)
{
  for (guint i = 0; i < 2; i++)
    g_clear_object (&twins->buffers[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Twins, twins_close)

static void
assert_equal (ReelTensordict *a, ReelTensordict *b)
{
  g_assert_true (a && b && reel_tensordict_equal (a, b));
}

static void
twins_compare (const Twins *twins)
{
  g_autoptr (ReelTensordict) columns = NULL, records = NULL;
  ReelStorageView views[2];

  for (guint i = 0; i < 2; i++)
    reel_storage_get_view (reel_replay_buffer_get_storage (twins->buffers[i]), &views[i]);
  g_assert_cmpmem (&views[0], sizeof views[0], &views[1], sizeof views[1]);
  columns = reel_replay_buffer_get_numbered_rows (twins->buffers[0], views[0].first_row,
                                                  views[0].end_row - views[0].first_row, NULL);
  records = reel_replay_buffer_get_numbered_rows (twins->buffers[1], views[0].first_row,
                                                  views[0].end_row - views[0].first_row, NULL);
  assert_equal (columns, records);
  n_cases++;
}

static void
twins_extend (const Twins *twins, ReelTensordict *rows)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_extend (twins->buffers[i], rows, NULL, &error);
      g_assert_no_error (error);
    }
}

/* ---- writing ---- */

static const gint64 all_lanes[][2] = { { 1, 1 }, { 3, 1 }, { 2, 3 } };

static void
test_extends (void)
{
  guint64 seed = 1;

  for (gint ndim = 1; ndim <= 3; ndim++)
    for (gint form = 0; form < N_FORMS; form++)
      for (gint64 n_slots = 1; n_slots <= 5; n_slots++)
        for (gint64 first = 1; first <= n_slots + 2; first++)
          for (gint64 second = 1; second <= n_slots + 2; second++)
            {
              const gint64 *lanes = all_lanes[ndim - 1];
              g_auto (Twins) twins = { { NULL } };
              g_autoptr (ReelTensordict) rows = make_rows (ndim, lanes, first, form, &seed);
              g_autoptr (ReelTensordict) more = make_rows (ndim, lanes, second, form, &seed);

              twins_open (&twins, n_slots * lanes[0] * lanes[1], ndim);
              twins_extend (&twins, rows);
              twins_compare (&twins);
              twins_extend (&twins, more);
              twins_compare (&twins);
            }
  g_test_message ("%" G_GUINT64_FORMAT " cases", n_cases);
}

/* More rows than are packed at a time. */
static void
test_extends_by_parts (void)
{
  guint64 seed = 2;

  for (gint ndim = 1; ndim <= 2; ndim++)
    {
      g_auto (Twins) twins = { { NULL } };
      g_autoptr (ReelTensordict) rows = make_rows (ndim, all_lanes[ndim - 1], 3001, DENSE, &seed);

      twins_open (&twins, 5000, ndim);
      twins_extend (&twins, rows);
      twins_extend (&twins, rows);
      twins_compare (&twins);
    }
}

static void
write_block (ReelReplayBuffer *buffer, gint64 n, gint64 kept, guint64 seed)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  guint n_columns;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n_columns);
  ReelReservation block;

  g_assert_true (reel_replay_buffer_reserve (buffer, n, &block, NULL));
  for (guint i = 0; i < n_columns; i++)
    for (gsize byte = 0; byte < (gsize) block.n_steps * columns[i].step_bytes; byte++)
      block.columns[i][byte] = columns[i].dtype == REEL_DTYPE_BOOL
                                   ? (seed + byte) % 2
                                   : (guint8) (seed * 37 + i * 11 + byte);
  reel_replay_buffer_commit (buffer, &block, MIN (kept, block.n_steps));
}

/* Blocks, whole and in part, over the seam, between rows that are added and extended. */
static void
test_blocks (void)
{
  guint64 seed = 3;

  for (gint ndim = 1; ndim <= 3; ndim++)
    for (gint64 n_slots = 1; n_slots <= 33; n_slots += 8)
      {
        const gint64 *lanes = all_lanes[ndim - 1];
        g_auto (Twins) twins = { { NULL } };

        twins_open (&twins, n_slots * lanes[0] * lanes[1], ndim);
        for (gint64 round = 0; round < 3 * n_slots; round++)
          {
            g_autoptr (ReelTensordict) rows = make_rows (ndim, lanes, 1, DENSE, &seed);
            g_autoptr (ReelTensordict) item = reel_tensordict_select_index (rows, -1, 0, NULL);

            if (round == 0 || round % 3 == 0)
              twins_extend (&twins, rows);
            for (guint i = 0; i < 2; i++)
              {
                if (round % 4 == 1 && ndim < 3)
                  g_assert_true (reel_replay_buffer_add (twins.buffers[i], item, NULL, NULL));
                write_block (twins.buffers[i], 1 + round % 5, round % 4, (guint64) round);
              }
            twins_compare (&twins);
          }
      }
}

static void
test_writes_in_place (void)
{
  guint64 seed = 4;
  const gint64 n = 3;
  g_autoptr (ReelTensor) slots = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);

  memcpy (slots->data, (gint64[]){ 6, 0, 3 }, 3 * sizeof (gint64));
  for (gint64 capacity = 7; capacity <= 12; capacity++)
    {
      g_auto (Twins) twins = { { NULL } };
      g_auto (ReelIndex) index = REEL_INDEX_INIT, slice = REEL_INDEX_INIT;
      g_autoptr (ReelTensordict) rows = make_rows (1, all_lanes[0], 10, DENSE, &seed);
      g_autoptr (ReelTensordict) three = make_rows (1, all_lanes[0], 3, DENSE, &seed);

      twins_open (&twins, capacity, 1);
      twins_extend (&twins, rows);
      reel_index_add_tensor (&index, slots);
      reel_index_add_slice (&slice, 2, 5, 1);
      for (guint i = 0; i < 2; i++)
        {
          g_assert_true (reel_replay_buffer_set_at (twins.buffers[i], &index, three, NULL));
          g_assert_true (reel_replay_buffer_set_at (twins.buffers[i], &slice, three, NULL));
          g_assert_true (reel_replay_buffer_fill_at (twins.buffers[i], &index, 1, NULL));
        }
      twins_compare (&twins);
    }
}

/* ---- reading ---- */

static const char *const samplers[] = {
  "random:seed=5",
  "without-replacement:seed=5",
  "prioritized:max-capacity=1000,alpha=0.7,beta=0.5,seed=5",
  "slice:slice-len=1,end-key=flag,seed=5",
  "slice:slice-len=2,end-key=flag,strict-length=false,seed=5",
  "slice:num-slices=3,traj-key=id,strict-length=false,seed=5",
  "slice-without-replacement:slice-len=1,end-key=flag,seed=5",
  "prioritized-slice:max-capacity=1000,alpha=0.7,beta=0.5,slice-len=1,end-key=flag,seed=5",
  "staleness-aware:version-key=id,seed=5",
  "consuming:max-sample-count=1000000,seed=5",
};

/* The same rows are drawn of both, each of them whole. */
static void
test_samples (void)
{
  guint64 seed = 6;

  for (guint which = 0; which < G_N_ELEMENTS (samplers); which++)
    for (gint ndim = 1; ndim <= 2; ndim++)
      {
        g_auto (Twins) twins = { { NULL } };
        g_autoptr (ReelTensordict) rows = make_rows (ndim, all_lanes[ndim - 1], 300, DENSE, &seed);
        g_autoptr (ReelTensordict) of_columns = NULL, of_records = NULL;
        ReelTensordict **batches[2] = { &of_columns, &of_records };

        if (ndim == 2 && g_str_has_prefix (samplers[which], "consuming"))
          continue;
        twins_open (&twins, 600, ndim);
        twins_extend (&twins, rows);
        for (guint i = 0; i < 2; i++)
          {
            g_autoptr (GError) error = NULL;
            g_autoptr (ReelSampler) sampler =
                reel_object_new_from_text (REEL_TYPE_SAMPLER, samplers[which], &error, NULL);
            g_assert_no_error (error);
            reel_replay_buffer_sample_with (twins.buffers[i], sampler, 96, batches[i], &error);
            g_assert_no_error (error);
          }
        assert_equal (of_columns, of_records);
      }
}

/* More keys than are gathered at once, each of them another size. */
static void
test_many_keys (void)
{
  const gint64 n = 70;
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, &n);
  g_autoptr (ReelTensordict) of_columns = NULL, of_records = NULL;
  ReelTensordict **batches[2] = { &of_columns, &of_records };
  g_auto (Twins) twins = { { NULL } };
  guint64 seed = 7;

  for (gint64 i = 0; i < 70; i++)
    {
      g_autofree char *key = g_strdup_printf ("key-%d", (int) i);
      g_autoptr (ReelTensor) leaf =
          reel_tensor_new (REEL_DTYPE_UINT8, 2, (gint64[]){ n, i * i % 97 }, NULL);
      fill (leaf, &seed);
      g_assert_true (reel_tensordict_set_tensor (rows, key, leaf, NULL));
    }
  twins_open (&twins, 50, 1);
  twins_extend (&twins, rows);
  twins_compare (&twins);
  for (guint i = 0; i < 2; i++)
    g_assert_true (reel_replay_buffer_sample (twins.buffers[i], 77, batches[i], NULL));
  assert_equal (of_columns, of_records);
}

/* Rows that are read abreast, of any size and number, against those of records, which are not. */
static void
test_large_rows (void)
{
  const gint64 n = 6;
  guint64 seed = 9;

  for (gint64 bytes = 8193; bytes < 8193 + 130; bytes += 13)
    {
      g_auto (Twins) twins = { { NULL } };
      g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, &n);
      g_autoptr (ReelTensor) large =
          reel_tensor_new (REEL_DTYPE_UINT8, 2, (gint64[]){ n, bytes }, NULL);
      g_autoptr (ReelTensor) small = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
      g_autoptr (ReelTensordict) of_columns = NULL, of_records = NULL;
      ReelTensordict **batches[2] = { &of_columns, &of_records };

      fill (large, &seed);
      fill (small, &seed);
      g_assert_true (reel_tensordict_set_tensor (rows, "large", large, NULL)
                     && reel_tensordict_set_tensor (rows, "small", small, NULL));
      twins_open (&twins, n, 1);
      twins_extend (&twins, rows);
      for (guint i = 0; i < 2; i++)
        g_assert_true (
            reel_replay_buffer_sample (twins.buffers[i], 512 + bytes % 8, batches[i], NULL));
      assert_equal (of_columns, of_records);
    }
}

/* ---- files ---- */

static void
load_into (const char *layout, gint64 capacity, const char *path, ReelTensordict **all)
{
  g_autofree char *text =
      g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=2,layout=%s", capacity, layout);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_loads (buffer, path, &error);
  g_assert_no_error (error);
  *all = reel_replay_buffer_get_all (buffer, NULL);
}

/* Files hold columns, whoever wrote them, and are read into both. */
static void
test_files (void)
{
  static const char *const names[] = { "columns", "records" };
  guint64 seed = 8;

  for (gint64 n = 1; n <= 12; n++)
    {
      g_auto (Twins) twins = { { NULL } };
      g_autoptr (ReelTensordict) rows = make_rows (2, all_lanes[1], n, DENSE, &seed);

      twins_open (&twins, 8 * 3, 2);
      twins_extend (&twins, rows);
      for (guint i = 0; i < 2; i++)
        {
          g_autofree char *path =
              g_strdup_printf ("%s/%s-%d", scratch_directory, names[i], (int) n);
          g_autoptr (GError) error = NULL;

          reel_replay_buffer_dumps (twins.buffers[i], path, REEL_CHECKPOINT_DEFAULT, &error);
          g_assert_no_error (error);
          for (guint into = 0; into < 2; into++)
            for (gint64 capacity = 8; capacity <= 11; capacity += 3)
              {
                g_autoptr (ReelTensordict) all = NULL, loaded = NULL;

                load_into (names[into], capacity * 3, path, &loaded);
                load_into ("columns", capacity * 3, path, &all);
                assert_equal (all, loaded);
              }
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (leaves); i++)
    {
      g_autofree char *columns =
          g_strdup_printf ("%s/columns-12/storage/%s.memmap", scratch_directory, leaves[i].path);
      g_autofree char *records =
          g_strdup_printf ("%s/records-12/storage/%s.memmap", scratch_directory, leaves[i].path);
      g_autofree char *a = NULL, *b = NULL;
      gsize n_a, n_b;

      if (strcmp (leaves[i].path, "none") == 0)
        continue;
      g_assert_true (g_file_get_contents (columns, &a, &n_a, NULL));
      g_assert_true (g_file_get_contents (records, &b, &n_b, NULL));
      g_assert_cmpmem (a, n_a, b, n_b);
    }
}

/* ---- the struct ---- */

/* The rows asked for beforehand are those in memory: @lanes rows a step, 10 rows in whole steps.
 */
static void
assert_bytes (const char *kind, gint64 n_bytes, gint64 lanes, gsize row_bytes)
{
  const gint64 shape[] = { lanes, n_bytes };
  const gint first = lanes == 1;
  g_autofree char *text = g_strdup_printf ("%s:capacity=10,ndim=%d", kind, 2 - first);
  g_autoptr (ReelTensordict) step = reel_tensordict_new (1 - first, shape);
  g_autoptr (ReelTensor) bytes = reel_tensor_new (REEL_DTYPE_UINT8, 2 - first, shape + first, NULL);
  g_autoptr (ReelTensor) word = reel_tensor_new (REEL_DTYPE_INT64, 1 - first, shape, NULL);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_tensor (step, "bytes", bytes, NULL));
  g_assert_true (reel_tensordict_set_tensor (step, "word", word, NULL));
  g_assert_cmpint (reel_storage_count_bytes (storage, step, &error), ==,
                   (gint64) row_bytes * lanes * (9 / lanes + 1));
  g_assert_no_error (error);
}

static void
test_records_are_aligned (void)
{
  static const struct
  {
    gint64 n_bytes;
    gsize stride;
  } cases[] = { { 1, 16 },  { 8, 16 },  { 9, 32 },  { 24, 32 }, { 25, 64 },
                { 56, 64 }, { 57, 72 }, { 64, 72 }, { 65, 80 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTensordict) step = reel_tensordict_new (0, NULL);
      g_autoptr (ReelTensor) bytes = reel_tensor_new (REEL_DTYPE_UINT8, 1, &cases[i].n_bytes, NULL);
      g_autoptr (ReelTensor) word = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, NULL);
      g_autoptr (ReelStorage) storage =
          reel_object_new_from_text (REEL_TYPE_STORAGE, "records:capacity=10", NULL, NULL);
      guint n;

      for (gint64 lanes = 1; lanes <= 4; lanes++)
        {
          assert_bytes ("records", cases[i].n_bytes, lanes, cases[i].stride);
          assert_bytes ("tensor", cases[i].n_bytes, lanes, (gsize) cases[i].n_bytes + 8);
          assert_bytes ("memmap", cases[i].n_bytes, lanes, (gsize) cases[i].n_bytes + 8);
        }
      reel_tensordict_set_tensor (step, "bytes", bytes, NULL);
      reel_tensordict_set_tensor (step, "word", word, NULL);
      g_assert_true (reel_storage_allocate (storage, step, NULL));
      const ReelColumn *columns = reel_storage_get_columns (storage, &n);
      g_assert_cmpuint (columns[0].row_stride, ==, cases[i].stride);
      g_assert_cmpuint (columns[1].row_stride, ==, cases[i].stride);
      g_assert_cmpint (columns[0].data - columns[1].data, ==, 8);
      g_assert_cmpuint ((gsize) columns[1].data % 64, ==, 0);
    }
}

/* One after another in one piece of memory, which begins with a huge page where it is as large:
 * flags lie on huge pages, too. */
static void
test_columns_lie_in_one_piece (void)
{
  static const gint64 capacities[] = { 1, 63, 64, 65, 4095, 4096, 4097, 1 << 17 };

  for (guint i = 0; i < G_N_ELEMENTS (capacities); i++)
    {
      g_autofree char *text = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT, capacities[i]);
      g_autoptr (ReelStorage) storage =
          reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
      g_autoptr (ReelTensordict) step = reel_tensordict_new (0, NULL);
      const guint8 *end = NULL;
      gsize total = 0;
      guint n;

      for (guint leaf = 0; leaf < G_N_ELEMENTS (leaves); leaf++)
        {
          g_autoptr (ReelTensor) row =
              reel_tensor_new (leaves[leaf].dtype, leaves[leaf].ndim, leaves[leaf].shape, NULL);

          reel_tensordict_set_tensor (step, leaves[leaf].path, row, NULL);
        }
      g_assert_true (reel_storage_allocate (storage, step, NULL));
      const ReelColumn *columns = reel_storage_get_columns (storage, &n);
      for (guint k = 0; k < n; k++)
        {
          gsize bytes = (gsize) capacities[i] * columns[k].row_bytes;
          gsize unit = bytes < 4096 ? 64 : 4096;

          g_assert_cmpuint (columns[k].row_stride, ==, columns[k].row_bytes);
          g_assert_cmpuint ((gsize) columns[k].data % unit, ==, 0);
          if (end)
            {
              g_assert_true (columns[k].data >= end);
              g_assert_cmpuint ((gsize) (columns[k].data - end), <, unit);
            }
          end = columns[k].data + bytes;
          total += bytes;
        }
      g_assert_true (total < 2 << 20 || (gsize) columns[0].data % (2 << 20) == 0);
    }
}

/* ---- what is fetched of a row ---- */

static gboolean
is_listed (const ReelRowLines *lines, gint64 row, const guint8 *byte)
{
  for (guint k = 0; k < lines->n; k++)
    if ((gsize) (lines->first[k] + (gsize) row * lines->stride[k]) / 64 == (gsize) byte / 64)
      return TRUE;
  return FALSE;
}

/* Every line of every row, and none besides: of rows that begin anywhere, any distance apart. */
static void
test_lines_are_those_of_a_row (void)
{
  g_autofree guint8 *memory = g_malloc (8192);
  guint8 *line = memory + 64 - (gsize) memory % 64;
  gint64 n = 0;

  for (gsize offset = 0; offset < 64; offset++)
    for (gsize bytes = 0; bytes <= 128; bytes++)
      for (gsize gap = 0; gap <= 64; gap++)
        {
          ReelColumn column = { .data = line + offset,
                                .row_bytes = bytes,
                                .row_stride = bytes + gap };
          ReelColumns columns = { .at = &column, .n = 1 };
          ReelRowLines lines;

          reel_columns_list_lines (&columns, 8, &lines);
          g_assert_cmpuint (lines.n, <=, 3);
          g_assert_true ((lines.n == 0) == (bytes == 0));
          for (guint k = 0; k < lines.n; k++)
            g_assert_true (lines.stride[k] == bytes + gap && lines.first[k] >= column.data
                           && lines.first[k] < column.data + bytes);
          for (gint64 row = 0; row < 5; row++)
            for (gsize i = 0; i < bytes; i++, n++)
              g_assert_true (
                  is_listed (&lines, row, column.data + (gsize) row * (bytes + gap) + i));
          reel_columns_list_lines (&columns, 0, &lines);
          g_assert_cmpuint (lines.n, ==, 0);
        }
  g_test_message ("%" G_GINT64_FORMAT " bytes", n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/records/extends", test_extends);
  g_test_add_func ("/buffers/records/extends-by-parts", test_extends_by_parts);
  g_test_add_func ("/buffers/records/blocks", test_blocks);
  g_test_add_func ("/buffers/records/writes-in-place", test_writes_in_place);
  g_test_add_func ("/buffers/records/samples", test_samples);
  g_test_add_func ("/buffers/records/many-keys", test_many_keys);
  g_test_add_func ("/buffers/records/large-rows", test_large_rows);
  g_test_add_func ("/buffers/records/are-aligned", test_records_are_aligned);
  g_test_add_func ("/buffers/columns/lie-in-one-piece", test_columns_lie_in_one_piece);
  g_test_add_func ("/buffers/records/lines-are-those-of-a-row", test_lines_are_those_of_a_row);
  scratch_test ("/buffers/records/files", test_files);

  return g_test_run ();
}
