/* The function that makes batches of rows: TorchRL's `collate_fn`. */
#include "../src/reel.h"
#include "counted-rows.h"

#include <string.h>

typedef struct
{
  GThread *thread; /* in which it must run */
  gint n_calls;
  gint fail_at;  /* the call that fails, 0 for none */
  gint64 n_kept; /* rows of the result, 0 for all */
  gboolean freed;
} Maker;

/* Negates the ids in their place, leaves `index` out, and keeps the first rows. */
static ReelTensordict *
negate (ReelTensordict *rows, gpointer user_data, GError **error)
{
  Maker *maker = user_data;
  ReelTensor *id = reel_tensordict_get_tensor (rows, "id", error);

  g_assert_true (maker->thread == g_thread_self ());
  maker->n_calls++;
  if (maker->n_calls == maker->fail_at)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "no batch today");
      return NULL;
    }
  for (gint64 i = 0; i < id->shape[0]; i++)
    ((gint64 *) id->data)[i] = -((const gint64 *) id->data)[i] - 1;
  if (reel_tensordict_contains (rows, "index"))
    g_assert_true (reel_tensordict_remove (rows, "index", error));
  return maker->n_kept > 0 ? reel_tensordict_slice (rows, 0, 0, maker->n_kept, 1, error)
                           : reel_tensordict_ref (rows);
}

static void
note_freed (gpointer maker)
{
  ((Maker *) maker)->freed = TRUE;
}

/* Twice what the ids are: behind the collate function they are negative. */
static ReelTensordict *
twice (ReelTensordict *td, gpointer unused, GError **error)
{
  g_autoptr (ReelTensor) id = reel_tensor_clone (reel_tensordict_get_tensor (td, "id", NULL), NULL);

  for (gint64 i = 0; i < reel_tensor_numel (id); i++)
    {
      g_assert_cmpint (((const gint64 *) id->data)[i], <, 0);
      ((gint64 *) id->data)[i] *= 2;
    }
  g_assert_true (reel_tensordict_set_tensor (td, "id", id, error));
  return reel_tensordict_ref (td);
}

static ReelReplayBuffer *
new_buffer (const char *storage, gint64 n)
{
  g_autofree char *text =
      g_strconcat (storage, strchr (storage, ':') ? "," : ":", "capacity=20", NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new_from_text (text, NULL, 6, NULL);

  counted_extend (buffer, 1, n, 0);
  return buffer;
}

static const gint64 *
ids_of (const ReelTensordict *td)
{
  return (const gint64 *) reel_tensordict_get_tensor (td, "id", NULL)->data;
}

static gint64
count_rows (const ReelTensordict *td)
{
  gint ndim;

  return reel_tensordict_get_batch_size (td, &ndim)[0];
}

/* ---- batches ---- */

/* The same rows as without the function, by copies and ahead, into new batches and old ones. */
static void
check_batches (const char *storage, gint64 prefetch, gboolean transform, gint64 n_kept)
{
  g_autoptr (ReelReplayBuffer) plain = new_buffer (storage, 13), buffer = new_buffer (storage, 13);
  Maker maker = { .thread = g_thread_self (), .n_kept = n_kept };
  g_autoptr (ReelTensordict) kept = NULL;
  gint64 n = n_kept > 0 ? n_kept : 6;

  reel_replay_buffer_set_collate (buffer, negate, &maker, note_freed);
  if (transform)
    {
      g_autoptr (ReelTransform) doubling = reel_transform_new_callback (twice, NULL, NULL);

      g_assert_true (reel_replay_buffer_append_transform (buffer, doubling, FALSE, NULL));
    }
  g_assert_true (reel_replay_buffer_set_prefetch (buffer, prefetch, NULL));
  for (gint i = 0; i < 9; i++)
    {
      g_autoptr (ReelTensordict) expected = NULL, fresh = NULL;
      ReelTensordict **batch = i % 3 == 2 ? &fresh : &kept;

      g_assert_true (reel_replay_buffer_sample (plain, 0, &expected, NULL));
      g_assert_true (reel_replay_buffer_sample (buffer, 0, batch, NULL));
      g_assert_cmpint (count_rows (*batch), ==, n);
      for (gint64 k = 0; k < n; k++)
        g_assert_cmpint (ids_of (*batch)[k], ==, (-ids_of (expected)[k] - 1) * (transform ? 2 : 1));
      g_assert_true (reel_tensordict_contains (*batch, "index") == (n_kept == 0));
    }
  g_assert_cmpint (maker.n_calls, ==, 9);
  reel_replay_buffer_set_collate (buffer, NULL, NULL, NULL);
  g_assert_true (maker.freed);
}

static void
test_batches (void)
{
  static const char *const storages[] = { "tensor", "tensor:layout=records", "list" };

  for (gsize s = 0; s < G_N_ELEMENTS (storages); s++)
    for (gint64 prefetch = 0; prefetch < 3; prefetch++)
      for (gint transform = 0; transform < 2; transform++)
        for (gint64 n_kept = 0; n_kept < 4; n_kept += 3)
          check_batches (storages[s], prefetch, transform, n_kept);
}

/* A batch that fails leaves what the caller has; the next one comes. */
static void
test_failure (void)
{
  for (gint64 prefetch = 0; prefetch < 3; prefetch++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer ("tensor", 13);
      Maker maker = { .thread = g_thread_self (), .fail_at = 2 };
      g_autoptr (ReelTensordict) batch = NULL;
      ReelTensordict *before;
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_set_collate (buffer, negate, &maker, note_freed);
      g_assert_true (reel_replay_buffer_set_prefetch (buffer, prefetch, NULL));
      g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
      before = batch;
      g_assert_false (reel_replay_buffer_sample (buffer, 0, &batch, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_true (batch == before);
      g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
      g_clear_object (&buffer);
      g_assert_true (maker.freed);
    }
}

/* ---- rows by index ---- */

static void
check_read (ReelTensordict *rows, gint64 first, gint64 n)
{
  g_assert_cmpint (count_rows (rows), ==, n);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (ids_of (rows)[i], ==, -(first + i) - 1);
  reel_tensordict_unref (rows);
}

static void
test_rows_by_index (void)
{
  static const char *const storages[] = { "tensor", "list" };

  for (gsize s = 0; s < G_N_ELEMENTS (storages); s++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (storages[s], 13);
      Maker maker = { .thread = g_thread_self () };
      const gint64 two = 2;
      g_autoptr (ReelTensor) at = reel_tensor_new (REEL_DTYPE_INT64, 1, &two, NULL);
      g_autoptr (ReelTensordict) one = NULL, ordered = NULL;
      g_auto (ReelIndex) index = REEL_INDEX_INIT, single = REEL_INDEX_INIT;

      reel_replay_buffer_set_collate (buffer, negate, &maker, NULL);
      ((gint64 *) at->data)[0] = 5;
      ((gint64 *) at->data)[1] = 6;
      check_read (reel_replay_buffer_get_at (buffer, at, NULL), 5, 2);
      check_read (reel_replay_buffer_get_slice (buffer, 3, 7, 1, NULL), 3, 4);
      check_read (reel_replay_buffer_get_all (buffer, NULL), 0, 13);
      reel_index_add_slice (&index, 2, 4, 1);
      check_read (reel_replay_buffer_index (buffer, &index, NULL), 2, 2);
      g_assert_cmpint (maker.n_calls, ==, 4);
      reel_index_add_int (&single, 3);
      one = reel_replay_buffer_index (buffer, &single, NULL);
      g_assert_cmpint (*ids_of (one), ==, 3);
      g_clear_pointer (&one, reel_tensordict_unref);
      one = reel_replay_buffer_get_item (buffer, 4, NULL);
      ordered = reel_replay_buffer_get_rows (buffer, 0, 13, NULL);
      g_assert_cmpint (*ids_of (one), ==, 4);
      for (gint64 i = 0; i < 13; i++) /* nothing that is stored was written to */
        g_assert_cmpint (ids_of (ordered)[i], ==, i);
      g_assert_cmpint (maker.n_calls, ==, 4);
    }
}

/* ---- lists and ensembles ---- */

static ReelTensordict *
count_items (ReelTensordict *rows, gpointer count, GError **error)
{
  gint *n = count;

  for (*n = 0;; (*n)++)
    {
      g_autofree char *key = g_strdup_printf ("%d", *n);

      if (!reel_tensordict_contains (rows, key))
        break;
    }
  return reel_tensordict_ref (reel_tensordict_get_tensordict (rows, "0", error));
}

/* The argument of TorchRL's function for a ListStorage: a list. */
static void
test_list_of_rows (void)
{
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text ("list:capacity=9,collate=rows", NULL, 4, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  gint n = 0;

  counted_extend (buffer, 1, 5, 0);
  reel_replay_buffer_set_collate (buffer, count_items, &n, NULL);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  g_assert_cmpint (n, ==, 4);
  g_assert_true (reel_tensordict_contains (batch, "id"));
}

static void
test_members_of_ensembles (void)
{
  for (gint64 prefetch = 0; prefetch < 3; prefetch++)
    {
      g_autoptr (ReelReplayBuffer) a = new_buffer ("tensor", 13), b = new_buffer ("tensor", 13);
      ReelReplayBuffer *members[] = { a, b };
      const ReelEnsembleOptions options = { .sample_from_all = TRUE, .batch_size = 8 };
      g_autoptr (ReelReplayBufferEnsemble) ensemble =
          reel_replay_buffer_ensemble_new (members, 2, &options, NULL);
      Maker maker = { .thread = g_thread_self () };

      reel_replay_buffer_set_collate (b, negate, &maker, NULL);
      g_assert_true (reel_replay_buffer_ensemble_set_prefetch (ensemble, prefetch, NULL));
      for (gint i = 0; i < 5; i++)
        {
          g_autoptr (ReelTensordict) batch = NULL;

          g_assert_true (reel_replay_buffer_ensemble_sample (ensemble, 0, &batch, NULL));
          for (gint k = 0; k < 8; k++)
            g_assert_true ((ids_of (batch)[k] < 0) == (k >= 4));
        }
      g_assert_cmpint (maker.n_calls, ==, 5);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define TEST(name, function) g_test_add_func ("/buffers/collate/" name, function)
  TEST ("batches", test_batches);
  TEST ("failure", test_failure);
  TEST ("rows-by-index", test_rows_by_index);
  TEST ("list-of-rows", test_list_of_rows);
  TEST ("members-of-ensembles", test_members_of_ensembles);

  return g_test_run ();
}
