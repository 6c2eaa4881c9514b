/* One step at a time: however its keys and its memory lie, and none that does not fit. */
#include "../src/reel.h"
#include "counted-rows.h"

#include <string.h>

#define SLOTS 3
#define STEPS 8

static const char *const root_keys[] = { "id", "next", "observation", "none" };
static const char *const next_keys[] = { "flag", "wide" };

static ReelReplayBuffer *
new_buffer (const char *storage, gint ndim, gint64 lanes)
{
  ReelReplayBuffer *buffer = counted_new_buffer (storage, SLOTS * lanes, ndim);

  counted_extend (buffer, lanes, 1, 0);
  return buffer;
}

/* ---- how a step may lie ---- */

/* The same elements in every other place of memory. */
static ReelTensor *
spread (const ReelTensor *leaf)
{
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) wide = NULL;
  ReelTensor *result;

  memcpy (shape, leaf->shape, (gsize) leaf->ndim * sizeof *shape);
  shape[leaf->ndim] = 2;
  wide = reel_tensor_new (leaf->dtype, leaf->ndim + 1, shape, NULL);
  result = reel_tensor_select (wide, leaf->ndim, 1, NULL);
  g_assert_true (reel_tensor_copy (result, leaf, NULL));
  return result;
}

/* The keys of @td in the order of the digits of @code, in a system of a digit less a key. */
static ReelTensordict *
reorder (const ReelTensordict *td, const char *const *keys, gint n, gint code, gboolean spreads)
{
  gint ndim, left = n;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  ReelTensordict *result = reel_tensordict_new (ndim, size);
  const char *rest[4];

  for (gint i = 0; i < n; i++)
    rest[i] = keys[i];
  for (; left > 0; code /= left--)
    {
      gint at = code % left;
      const char *key = rest[at];
      ReelTensordict *child = reel_tensordict_get_tensordict (td, key, NULL);
      g_autoptr (ReelTensordict) next =
          child ? reorder (child, next_keys, 2, code / 24 % 2, spreads) : NULL;
      g_autoptr (ReelTensor) leaf = NULL;

      if (!child)
        leaf = spreads ? spread (reel_tensordict_get_tensor (td, key, NULL))
                       : reel_tensor_ref (reel_tensordict_get_tensor (td, key, NULL));
      g_assert_true (child ? reel_tensordict_set_tensordict (result, key, next, NULL)
                           : reel_tensordict_set_tensor (result, key, leaf, NULL));
      memmove (rest + at, rest + at + 1, (gsize) (left - at - 1) * sizeof *rest);
    }
  return result;
}

static void
assert_newest (ReelReplayBuffer *buffer, gint64 lanes, gint64 n_steps)
{
  gint64 n = MIN (n_steps, SLOTS) * lanes, first = n_steps * lanes - n;
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (buffer, 0, n, NULL);

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, n);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, n_steps % SLOTS);
  for (gint64 i = 0; i < n; i++)
    counted_assert_row (rows, &i, first + i);
}

static void
add_steps (const char *storage, gint ndim, gint64 lanes, gint code, gboolean spreads)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, ndim, lanes);

  for (gint64 step = 1; step < STEPS; step++)
    {
      g_autoptr (ReelTensordict) plain = counted_new_step (ndim, lanes, step);
      g_autoptr (ReelTensordict) item = reorder (plain, root_keys, 4, code, spreads);
      g_autoptr (ReelTensor) index = NULL;
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_add (buffer, item, step % 2 ? &index : NULL, &error);
      g_assert_no_error (error);
      assert_newest (buffer, lanes, step + 1);
      if (!index)
        continue;
      g_assert_cmpint (index->ndim, ==, ndim == 1 ? 0 : 2);
      g_assert_cmpint (((const gint64 *) index->data)[0], ==, step % SLOTS);
      if (ndim == 2)
        g_assert_cmpint (((const gint64 *) index->data)[2 * lanes - 1], ==, lanes - 1);
    }
}

static void
test_every_layout (void)
{
  gint n = 0;

  for (gint64 lanes = 0; lanes < 4; lanes++)
    for (gint code = 0; code < 48; code++)
      for (gint spreads = 0; spreads < 2; spreads++, n++)
        add_steps (n % 8 == 7 ? "memmap"
                   : n % 2    ? "records"
                              : "tensor",
                   lanes ? 2 : 1, MAX (lanes, 1), code, spreads);
  g_test_message ("%d layouts of %d steps", n, STEPS - 1);
}

/* ---- what does not fit ---- */

static void
assert_refused (ReelReplayBuffer *buffer, ReelTensordict *item, ReelError code)
{
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_add (buffer, item, &index, &error));
  g_assert_error (error, REEL_ERROR, (gint) code);
  g_assert_null (index);
  assert_newest (buffer, 2, 1);
}

static void
assert_leaf_refused (ReelReplayBuffer *buffer, const char *path, ReelDtype dtype, gint64 feature,
                     ReelError code)
{
  const gint64 shape[2] = { 2, feature };
  g_autoptr (ReelTensordict) item = counted_new_step (2, 2, 1);
  g_autoptr (ReelTensor) leaf = reel_tensor_new (dtype, 2, shape, NULL);

  g_assert_true (reel_tensordict_set_tensor (item, path, leaf, NULL));
  assert_refused (buffer, item, code);
}

static void
test_what_does_not_fit (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("tensor", 2, 2);
  g_autoptr (ReelTensordict) fewer = counted_new_step (2, 2, 1);
  g_autoptr (ReelTensordict) fits = counted_new_step (2, 2, 1);
  g_autoptr (ReelTensordict) lanes = counted_new_step (2, 3, 1);
  g_autoptr (ReelTensordict) row = counted_new_step (1, 1, 1);
  g_autoptr (GError) error = NULL;
  ReelReservation block;

  assert_leaf_refused (buffer, "observation", REEL_DTYPE_INT32, 3, REEL_ERROR_TYPE);
  assert_leaf_refused (buffer, "observation", REEL_DTYPE_FLOAT32, 4, REEL_ERROR_RUNTIME);
  assert_leaf_refused (buffer, "next/flag", REEL_DTYPE_UINT8, 1, REEL_ERROR_TYPE);
  assert_leaf_refused (buffer, "more", REEL_DTYPE_FLOAT32, 3, REEL_ERROR_KEY);
  assert_leaf_refused (buffer, "next/more", REEL_DTYPE_FLOAT32, 3, REEL_ERROR_KEY);
  assert_refused (buffer, lanes, REEL_ERROR_RUNTIME);
  assert_refused (buffer, row, REEL_ERROR_VALUE);
  g_assert_true (reel_tensordict_remove (fewer, "next/wide", NULL));
  assert_refused (buffer, fewer, REEL_ERROR_KEY);

  reel_replay_buffer_reserve (buffer, 1, &block, &error);
  g_assert_no_error (error);
  assert_refused (buffer, fits, REEL_ERROR_RUNTIME);
  reel_replay_buffer_commit (buffer, &block, 0);
  g_assert_true (reel_replay_buffer_add (buffer, fits, NULL, NULL));
  assert_newest (buffer, 2, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/buffers/add-step/every-layout-is-stored", test_every_layout);
  g_test_add_func ("/buffers/add-step/what-does-not-fit-is-refused", test_what_does_not_fit);
  return g_test_run ();
}
