#include "counted-rows.h"

#include <string.h>

#define N_OBSERVATION 3
#define N_WIDE 5

ReelTensor *
counted_new_tensor (gint ndim, const gint64 *shape, gint64 first)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((gint64 *) tensor->data)[i] = first + i;
  return tensor;
}

static void
write_row (gint64 number, guint8 *id, guint8 *observation, guint8 *flag, guint8 *wide)
{
  float values[N_OBSERVATION];

  for (gint i = 0; i < N_OBSERVATION; i++)
    values[i] = (float) (number % 100000) + (float) i / 4;
  memcpy (id, &number, sizeof number);
  memcpy (observation, values, sizeof values);
  *flag = number & 1;
  for (gint i = 0; i < N_WIDE; i++)
    wide[i] = (guint8) (number * 31 + i);
}

static void
set_leaf (ReelTensordict *td, const char *path, ReelDtype dtype, gint64 feature)
{
  gint64 shape[REEL_MAX_NDIM];
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  g_autoptr (ReelTensor) leaf = NULL;

  memcpy (shape, size, (gsize) ndim * sizeof *shape);
  shape[ndim] = feature;
  leaf = reel_tensor_new (dtype, ndim + (feature >= 0), shape, NULL);
  g_assert_true (reel_tensordict_set_tensor (td, path, leaf, NULL));
}

static ReelTensordict *
new_empty (gint ndim, const gint64 *size)
{
  ReelTensordict *td = reel_tensordict_new (ndim, size);

  set_leaf (td, "id", REEL_DTYPE_INT64, -1);
  set_leaf (td, "next/flag", REEL_DTYPE_BOOL, 1);
  set_leaf (td, "observation", REEL_DTYPE_FLOAT32, N_OBSERVATION);
  set_leaf (td, "next/wide", REEL_DTYPE_UINT8, N_WIDE);
  set_leaf (td, "none", REEL_DTYPE_FLOAT32, 0);
  return td;
}

static guint8 *
get_row (const ReelTensordict *td, const char *path, const gint64 *place)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (td, path, NULL);
  guint8 *row = leaf->data;
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  for (gint i = 0; i < ndim; i++)
    row += place[i] * leaf->strides[i];
  return row;
}

static void
set_row (ReelTensordict *td, const gint64 *place, gint64 number)
{
  write_row (number, get_row (td, "id", place), get_row (td, "observation", place),
             get_row (td, "next/flag", place), get_row (td, "next/wide", place));
}

ReelTensordict *
counted_new_batch (gint ndim, gint64 lanes, gint64 n, gint64 first_step)
{
  gint64 size[2] = { ndim > 1 ? lanes : n, n };
  ReelTensordict *td = new_empty (ndim, size);

  for (gint64 t = 0; t < n; t++)
    for (gint64 lane = 0; lane < lanes; lane++)
      {
        gint64 place[2] = { lane, t };
        set_row (td, ndim > 1 ? place : place + 1, (first_step + t) * lanes + lane);
      }
  return td;
}

ReelTensordict *
counted_new_step (gint ndim, gint64 lanes, gint64 step)
{
  ReelTensordict *td = new_empty (ndim - 1, &lanes);

  for (gint64 lane = 0; lane < lanes; lane++)
    set_row (td, &lane, step * lanes + lane);
  return td;
}

gint64
counted_get_number (const ReelTensordict *td, const gint64 *place)
{
  gint64 number;

  memcpy (&number, get_row (td, "id", place), sizeof number);
  return number;
}

gboolean
counted_is_whole (const ReelTensordict *td, const gint64 *place)
{
  guint8 id[8], observation[N_OBSERVATION * 4], flag, wide[N_WIDE];

  write_row (counted_get_number (td, place), id, observation, &flag, wide);
  return memcmp (observation, get_row (td, "observation", place), sizeof observation) == 0
         && flag == *get_row (td, "next/flag", place)
         && memcmp (wide, get_row (td, "next/wide", place), sizeof wide) == 0;
}

void
counted_assert_row (const ReelTensordict *td, const gint64 *place, gint64 number)
{
  g_assert_cmpint (counted_get_number (td, place), ==, number);
  g_assert_true (counted_is_whole (td, place));
}

static guint8 *
get_block_row (ReelStorage *storage, const ReelReservation *block, const char *path, gint64 t,
               gint64 lane)
{
  guint n;
  gint i = reel_storage_find_column (storage, path, NULL);
  const ReelColumn *column = &reel_storage_get_columns (storage, &n)[i];

  return block->columns[i] + (gsize) t * column->step_bytes + (gsize) lane * column->row_bytes;
}

void
counted_fill_block (ReelStorage *storage, const ReelReservation *block, gint64 lane_begin,
                    gint64 lane_end)
{
  gint64 lanes = reel_storage_get_lanes (storage);

  for (gint64 t = 0; t < block->n_steps; t++)
    for (gint64 lane = lane_begin; lane < lane_end; lane++)
      write_row ((block->first_step + t) * lanes + lane,
                 get_block_row (storage, block, "id", t, lane),
                 get_block_row (storage, block, "observation", t, lane),
                 get_block_row (storage, block, "next/flag", t, lane),
                 get_block_row (storage, block, "next/wide", t, lane));
}

ReelReplayBuffer *
counted_new_buffer (const char *storage, gint64 capacity, gint ndim)
{
  g_autofree char *text = g_strdup_printf ("%s%ccapacity=%" G_GINT64_FORMAT ",ndim=%d", storage,
                                           strchr (storage, ':') ? ',' : ':', capacity, ndim);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) the_storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);

  g_assert_no_error (error);
  return reel_replay_buffer_new (the_storage, NULL, NULL, 0, &error);
}

void
counted_extend (ReelReplayBuffer *buffer, gint64 lanes, gint64 n, gint64 first_step)
{
  gint ndim = reel_storage_get_ndim (reel_replay_buffer_get_storage (buffer));
  g_autoptr (ReelTensordict) batch = counted_new_batch (ndim, lanes, n, first_step);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, batch, NULL, &error);
  g_assert_no_error (error);
}
