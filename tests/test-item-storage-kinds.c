/* The differences between storages of items, and every storage beside every other part. */
#include "../src/buffers/storages/item-storage.h"
#include "../src/reel.h"
#include "contract.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static gpointer
make (GType base, const char *text)
{
  g_autoptr (GError) error = NULL;
  gpointer object = reel_object_new_from_text (base, text, &error, NULL);

  g_assert_no_error (error);
  return object;
}

static ReelReplayBuffer *
new_buffer (const char *text)
{
  g_autoptr (ReelStorage) storage = make (REEL_TYPE_STORAGE, text);

  return reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
}

static void
set (ReelTensordict *td, const char *path, ReelTensor *tensor)
{
  g_autoptr (ReelTensor) taken = tensor;

  g_assert_true (reel_tensordict_set_tensor (td, path, taken, NULL));
}

/* 0, 1, …, as torch.arange gives them. */
static ReelTensor *
arange (ReelDtype dtype, gint ndim, const gint64 *shape)
{
  ReelTensor *tensor = reel_tensor_new (dtype, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    reel_dtype_store_double (dtype, tensor->data + (gsize) i * reel_dtype_size (dtype), (double) i);
  return tensor;
}

static ReelTensordict *
new_row (gint64 n)
{
  ReelTensordict *row = reel_tensordict_new (0, NULL);

  set (row, "a", arange (REEL_DTYPE_FLOAT32, 1, &n));
  return row;
}

static void
add (ReelReplayBuffer *buffer, ReelTensordict *row)
{
  g_autoptr (ReelTensordict) taken = row;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_add (buffer, taken, NULL, &error);
  g_assert_no_error (error);
}

/* ---- what it prints: Python's text ---- */

static void
assert_prints (const char *text, ReelTensordict *first, const char *expected)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (text);
  g_autofree char *printed = NULL;

  if (first)
    add (buffer, first);
  printed = reel_storage_to_string (reel_replay_buffer_get_storage (buffer));
  g_assert_cmpstr (printed, ==, expected);
}

/* [1, 2.5, 'a', True, None, (tensor,)] */
static ReelTensordict *
new_bare_list (ReelTensor *tensor)
{
  GVariant *const values[] = { g_variant_new_int64 (1), g_variant_new_double (2.5),
                               g_variant_new_string ("a"), g_variant_new_boolean (TRUE), NULL };
  ReelTensordict *list = reel_tree_new (REEL_TENSORDICT_LIST);
  g_autoptr (ReelTensordict) tuple = reel_tree_new (REEL_TENSORDICT_TUPLE);

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_true (reel_tree_append_value (list, values[i], NULL));
  g_assert_true (reel_tree_append_tensor (tuple, tensor, NULL));
  g_assert_true (reel_tree_append (list, tuple, NULL));
  return list;
}

static void
test_prints_as_python (void)
{
  const gint64 three = 3;
  g_autoptr (ReelTensor) tensor = arange (REEL_DTYPE_FLOAT32, 1, &three);

  assert_prints ("list", NULL, "ListStorage()");
  assert_prints ("lazy-stack", NULL, "LazyStackStorage()");
  assert_prints ("compressed-list", NULL, "CompressedListStorage()");
  assert_prints ("list", new_row (3),
                 "ListStorage(items=[TensorDict(\n"
                 "    fields={\n"
                 "        a: Tensor(shape=torch.Size([3]), device=cpu, dtype=torch.float32, "
                 "is_shared=False)},\n"
                 "    batch_size=torch.Size([]),\n"
                 "    device=None,\n"
                 "    is_shared=False), ...])");
  assert_prints ("list", reel_tree_new_single_value (g_variant_new_string ("a string!"), NULL),
                 "ListStorage(items=[a string!, ...])");
  assert_prints ("list", reel_tree_new_single_value (NULL, NULL), "ListStorage(items=[None, ...])");
  assert_prints ("list", reel_tree_new_single (tensor),
                 "ListStorage(items=[tensor([0., 1., 2.]), ...])");
  assert_prints ("list", new_bare_list (tensor),
                 "ListStorage(items=[[1, 2.5, 'a', True, None, (tensor([0., 1., 2.]),)], ...])");
  assert_prints ("compressed-list", new_row (3),
                 "CompressedListStorage(items=[{'a': tensor([120,  94,  99,  96,   0, 129,   6, "
                 "123,  32, 225,   0,   0,   4, 135,\n"
                 "          1,   0], dtype=torch.uint8)}, ...])");
  assert_prints ("compressed-list", reel_tree_new_single_value (g_variant_new_int64 (3), NULL),
                 "CompressedListStorage(items=[3, ...])");
}

/* ---- what rows become ---- */

static ReelTensordict *
read_two (const char *text, ReelTensordict *a, ReelTensordict *b, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (text);

  add (buffer, a);
  add (buffer, b);
  return reel_replay_buffer_get_all (buffer, error);
}

static void
assert_becomes (const char *text, gint64 n, gint64 m, ReelTensordictKind kind)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) rows = read_two (text, new_row (n), new_row (m), &error);

  g_assert_no_error (error);
  g_assert_cmpint (reel_tensordict_get_kind (rows), ==, kind);
}

static void
test_rows_are_collated (void)
{
  assert_becomes ("list", 3, 3, REEL_TENSORDICT_DICT);
  assert_becomes ("list", 3, 2, REEL_TENSORDICT_LAZY_STACK);
  assert_becomes ("list:collate=lazy-stack", 3, 3, REEL_TENSORDICT_LAZY_STACK);
  assert_becomes ("list:collate=rows", 3, 3, REEL_TENSORDICT_LIST);
  assert_becomes ("lazy-stack", 3, 3, REEL_TENSORDICT_LAZY_STACK);
  assert_becomes ("lazy-stack:collate=stack", 3, 3, REEL_TENSORDICT_DICT);
  assert_becomes ("compressed-list", 3, 3, REEL_TENSORDICT_LAZY_STACK);
}

/* torch.stack refuses these too. */
static void
test_trees_must_agree (void)
{
  const gint64 two = 2, three = 3;
  g_autoptr (ReelTensor) a = arange (REEL_DTYPE_FLOAT32, 1, &two);
  g_autoptr (ReelTensor) b = arange (REEL_DTYPE_FLOAT32, 1, &three);
  g_autoptr (ReelTensordict) same =
      read_two ("list", reel_tree_new_single (a), reel_tree_new_single (a), NULL);
  g_autoptr (ReelTensordict) mixed = NULL, rows = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (reel_tensordict_get_tensor (same, REEL_TREE_SINGLE_KEY, NULL)->shape[0], ==, 2);
  g_assert_null (read_two ("list", reel_tree_new_single (a), reel_tree_new_single (b), &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "collate=rows"));
  g_clear_error (&error);
  mixed = read_two ("list", reel_tree_new_single (a), new_row (2), &error);
  g_assert_null (mixed);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  rows = read_two ("list:collate=rows", reel_tree_new_single (a), new_row (2), NULL);
  g_assert_nonnull (rows);
}

static void
test_stacks_where_it_is_told (void)
{
  const gint64 three = 3;
  g_autoptr (ReelTensordict) a = reel_tensordict_new (1, &three), all = NULL;
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("lazy-stack:stack-dim=-1");
  g_autoptr (ReelTensordict) batch = NULL;
  const gint64 *size;
  gint ndim;

  set (a, "a", arange (REEL_DTYPE_FLOAT32, 1, &three));
  add (buffer, reel_tensordict_ref (a));
  add (buffer, reel_tensordict_ref (a));
  all = reel_replay_buffer_get_all (buffer, NULL);
  size = reel_tensordict_get_batch_size (all, &ndim);
  g_assert_cmpint (ndim, ==, 2);
  g_assert_cmpint (size[0], ==, 3);
  g_assert_cmpint (size[1], ==, 2);
  g_assert_true (reel_replay_buffer_sample (buffer, 5, &batch, NULL));
  g_assert_cmpint (reel_tensordict_get_batch_size (batch, &ndim)[1], ==, 5);
}

/* ---- compression ---- */

/* T6.6-12, and all element types to the bit. */
static void
test_compresses_without_loss (void)
{
  const gint64 shapes[][3] = { { 0 }, { 7 }, { 3, 4 }, { 2, 3, 5 } };

  for (gint level = 0; level <= 9; level += 3)
    for (gint dtype = 0; dtype < REEL_N_DTYPES; dtype++)
      for (gint k = 0; k < 5; k++)
        {
          g_autofree char *text = g_strdup_printf ("compressed-list:compression-level=%d", level);
          g_autoptr (ReelReplayBuffer) buffer = new_buffer (text);
          g_autoptr (ReelTensordict) row = reel_tensordict_new (0, NULL), read = NULL;
          ReelTensor *leaf = reel_tensor_new ((ReelDtype) dtype, k == 4 ? 0 : MAX (k, 1),
                                              k == 4 ? NULL : shapes[k], NULL);

          for (gsize i = 0; i < reel_tensor_nbytes (leaf); i++)
            leaf->data[i] = (guint8) (dtype == REEL_DTYPE_BOOL ? i % 2 : i * 37);
          set (row, "leaf", leaf);
          add (buffer, reel_tensordict_ref (row));
          read = reel_replay_buffer_get_item (buffer, 0, NULL);
          g_assert_true (reel_tensordict_equal (row, read));
        }
}

static gsize
count_packed (ReelReplayBuffer *buffer)
{
  ReelItemStorage *storage = REEL_ITEM_STORAGE (reel_replay_buffer_get_storage (buffer));
  gsize bytes = 0;

  for (gint64 i = 0; i < reel_replay_buffer_get_length (buffer); i++)
    {
      g_autoptr (ReelStoredValue) value =
          reel_item_table_get (reel_item_storage_get_table (storage), i);

      for (guint k = 0; k < value->packed->len; k++)
        bytes += reel_tensor_nbytes (value->packed->pdata[k]);
    }
  return bytes;
}

/* T6.6-12: images of few colours need less than two thirds; more rows than there is room for wrap.
 */
static void
test_saves_memory (void)
{
  const gint64 shape[] = { 5, 3, 32, 32 };
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("compressed-list:capacity=5");
  g_autoptr (ReelTensordict) frames = reel_tensordict_new (1, shape), batch = NULL;
  ReelTensor *leaf = arange (REEL_DTYPE_FLOAT32, 4, shape);
  gint ndim;

  for (gint64 i = 0; i < reel_tensor_numel (leaf); i++)
    ((float *) leaf->data)[i] = (float) (i / 1000 % 2);
  set (frames, "pixels", leaf);
  g_assert_true (reel_replay_buffer_extend (buffer, frames, NULL, NULL));
  g_assert_cmpuint (2 * reel_tensor_nbytes (leaf), >, 3 * count_packed (buffer));
  g_assert_true (reel_replay_buffer_sample (buffer, 5, &batch, NULL));
  g_assert_cmpint (reel_tensordict_get_batch_size (batch, &ndim)[0], ==, 5);
  g_assert_true (reel_replay_buffer_extend (buffer, frames, NULL, NULL));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 5);
}

/* ---- beside every other part ---- */

/* `[n]` or `[lanes, n]` of ones, as a tensordict, a record or a tree. */
static ReelTensordict *
new_ones (gint ndim, const gint64 *shape, gint kind)
{
  static const char *const fields[] = { "a", "b", NULL };
  const gint64 wide[] = { shape[0], ndim > 1 ? shape[1] : 2, 2 };
  g_autoptr (ReelTensor) a = arange (REEL_DTYPE_FLOAT32, ndim, shape);
  g_autoptr (ReelTensor) b = arange (REEL_DTYPE_INT64, ndim + 1, wide);
  ReelTensordict *data =
      kind == 2 ? reel_tree_new (REEL_TENSORDICT_MAP) : reel_tensordict_new (ndim, shape);

  for (gint64 i = 0; i < reel_tensor_numel (a); i++)
    ((float *) a->data)[i] = 1;
  for (gint64 i = 0; i < reel_tensor_numel (b); i++)
    ((gint64 *) b->data)[i] = 1;
  g_assert_true (reel_tensordict_set_tensor (data, "a", a, NULL));
  g_assert_true (reel_tensordict_set_tensor (data, "b", b, NULL));
  if (kind == 1)
    g_assert_true (reel_tensordict_set_class (data, "torchrl.Ones", fields, NULL));
  return data;
}

static void
assert_ones (const ReelTensordict *batch, gint64 n)
{
  g_autoptr (ReelTensor) a = reel_tensordict_ref_tensor (batch, "a", NULL);
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous (a, NULL);

  g_assert_cmpint (reel_tensor_numel (dense), ==, n);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat (((float *) dense->data)[i], ==, 1);
}

/* T3.8-24 */
static void
test_ones_in_one_dimension_or_two (void)
{
  static const char *const kinds[] = { "tensor", "memmap", "list", "lazy-stack",
                                       "compressed-list" };
  const gint64 flat = 12, wide[] = { 4, 3 };

  for (gsize s = 0; s < G_N_ELEMENTS (kinds); s++)
    for (gint ndim = 1; ndim <= (s < 2 ? 2 : 1); ndim++)
      for (gint kind = 0; kind < 3; kind++)
        {
          g_autofree char *text = g_strdup_printf ("%s:capacity=100,ndim=%d", kinds[s], ndim);
          g_autoptr (ReelReplayBuffer) buffer = new_buffer (text);
          g_autoptr (ReelTensordict) data = new_ones (ndim, ndim > 1 ? wide : &flat, kind);
          g_autoptr (ReelTensordict) all = NULL, batch = NULL;
          g_autofree char *empty = reel_replay_buffer_to_string (buffer), *filled = NULL;
          g_autofree char *sampled = NULL;
          g_autoptr (GError) error = NULL;

          if (s >= 2 && kind == 2)
            g_assert_true (reel_tensordict_set_batch_size (data, 1, &flat, NULL));
          reel_replay_buffer_extend (buffer, data, NULL, &error);
          g_assert_no_error (error);
          g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 12);
          filled = reel_replay_buffer_to_string (buffer);
          all = reel_replay_buffer_get_all (buffer, NULL);
          assert_ones (all, 12);
          reel_replay_buffer_sample (buffer, 4, &batch, &error);
          g_assert_no_error (error);
          assert_ones (batch, 4);
          sampled = reel_replay_buffer_to_string (buffer);
          g_assert_cmpstr (filled, ==, sampled);
          g_assert_cmpstr (filled, !=, empty);
        }
}

typedef struct
{
  const char *storage;
  const char *sampler;
  const char *writer;
  gint n_worked;
  gint n_refused;
} Combination;

/* Whether it worked; else @error says why not. */
static gboolean
use (const Combination *with, gint kind, GError **error)
{
  const gint64 n = 12;
  g_autofree char *text = g_strdup_printf ("%s:capacity=20", with->storage);
  g_autoptr (ReelStorage) storage = make (REEL_TYPE_STORAGE, text);
  g_autoptr (ReelSampler) sampler = make (REEL_TYPE_SAMPLER, with->sampler);
  g_autoptr (ReelWriter) writer = make (REEL_TYPE_WRITER, with->writer);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, sampler, writer, 4, error);
  g_autoptr (ReelTensordict) data = new_ones (1, &n, kind), one = NULL, batch = NULL, all = NULL;
  g_autoptr (ReelTensor) index = NULL;
  g_autofree char *printed = NULL;
  gint ndim;

  g_assert_true (kind < 2 || reel_tensordict_set_batch_size (data, 1, &n, NULL));
  one = reel_tensordict_select_index (data, 0, 0, NULL);
  if (!buffer || !reel_replay_buffer_extend (buffer, data, &index, error)
      || !reel_replay_buffer_add (buffer, one, NULL, error))
    return FALSE;
  g_assert_cmpint (index->shape[0], ==, 12);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 13);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 13);
  if (!reel_replay_buffer_sample (buffer, 4, &batch, error))
    return FALSE;
  assert_ones (batch, reel_tensordict_get_batch_size (batch, &ndim)[0]); /* slices may give less */
  all = reel_replay_buffer_get_all (buffer, error);
  assert_ones (all, 13);
  printed = reel_replay_buffer_to_string (buffer);
  return TRUE;
}

static void
try_all_data (Combination *with)
{
  for (gint kind = 0; kind < 3; kind++)
    {
      g_autoptr (GError) error = NULL;

      if (use (with, kind, &error))
        with->n_worked++;
      else
        {
          g_assert_nonnull (error);
          g_assert_cmpuint (strlen (error->message), >, 20);
          with->n_refused++;
        }
    }
}

/* T3.8-26: every storage with every sampler, writer and kind of data works, or says why not. */
static void
test_all_parts_go_together_or_say_why_not (void)
{
  static const char *const samplers[] = { "random",
                                          "without-replacement",
                                          "prioritized",
                                          "consuming",
                                          "slice:slice-len=1,traj-key=a",
                                          "slice-without-replacement:slice-len=1,traj-key=a",
                                          "prioritized-slice:slice-len=1,traj-key=a",
                                          "staleness-aware:version-key=a" };
  static const char *const writers[] = { "round-robin", "tensordict-round-robin",
                                         "max-value:rank-key=a", "immutable" };
  gsize n;
  g_autofree const ReelId **storages = contract_list_kinds (REEL_TYPE_STORAGE, &n);
  Combination with = { 0 };

  for (gsize s = 0; s < n; s++)
    for (gsize k = 0; k < G_N_ELEMENTS (samplers); k++)
      for (gsize w = 0; w < G_N_ELEMENTS (writers); w++)
        {
          with.storage = storages[s]->id;
          with.sampler = samplers[k];
          with.writer = writers[w];
          try_all_data (&with);
        }
  g_test_message ("%d of %d combinations work", with.n_worked, with.n_worked + with.n_refused);
  g_assert_cmpint (with.n_worked + with.n_refused, ==, (gint) n * 8 * 4 * 3);
  g_assert_cmpint (with.n_worked, >=, 250);
}

/* ---- beside a writer ---- */

#define N_WRITTEN 4000

typedef struct
{
  ReelReplayBuffer *buffer;
  ReelSampler *sampler;
  atomic_bool *done;
  gint64 n_rows;
} Reader;

static ReelTensordict *
new_ragged (gint64 number)
{
  ReelTensordict *row = reel_tensordict_new (0, NULL);
  ReelTensor *id = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, NULL);
  gint64 n = 1 + number % 5;
  ReelTensor *many = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);

  *(gint64 *) id->data = number;
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) many->data)[i] = number;
  set (row, "id", id);
  set (row, "next/many", many);
  return row;
}

static void
check_row (ReelTensordict *row)
{
  gint64 id = *(gint64 *) reel_tensordict_get_tensor (row, "id", NULL)->data;
  gint64 index = *(gint64 *) reel_tensordict_get_tensor (row, "index", NULL)->data;
  const ReelTensor *many = reel_tensordict_get_tensor (row, "next/many", NULL);

  g_assert_cmpint (id % 64, ==, index);
  g_assert_cmpint (many->shape[0], ==, 1 + id % 5);
  for (gint64 i = 0; i < many->shape[0]; i++)
    g_assert_cmpint (((gint64 *) many->data)[i], ==, id);
}

static void *
read_on (void *data)
{
  Reader *reader = data;

  while (!atomic_load (reader->done))
    {
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_sample_with (reader->buffer, reader->sampler, 16, &batch, &error);
      g_assert_no_error (error);
      for (gint i = 0; i < 16; i++)
        {
          g_autofree char *key = g_strdup_printf ("%d", i);
          check_row (reel_tensordict_get_tensordict (batch, key, NULL));
          reader->n_rows++;
        }
    }
  return NULL;
}

/* Rows that are read are whole, and those that their index names, while the ring goes round. */
static void
test_read_beside_a_writer (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=64,collate=rows", (const char *) id);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (text);
  g_autoptr (ReelSampler) one = make (REEL_TYPE_SAMPLER, "random:seed=1");
  g_autoptr (ReelSampler) two = make (REEL_TYPE_SAMPLER, "prioritized:seed=2");
  atomic_bool done = FALSE;
  Reader readers[] = { { buffer, one, &done, 0 }, { buffer, two, &done, 0 } };
  pthread_t threads[2];

  for (gint64 i = 0; i < 64; i++)
    add (buffer, new_ragged (i));
  for (gint i = 0; i < 2; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, read_on, &readers[i]), ==, 0);
  for (gint64 i = 64; i < N_WRITTEN; i++)
    add (buffer, new_ragged (i));
  atomic_store (&done, TRUE);
  for (gint i = 0; i < 2; i++)
    pthread_join (threads[i], NULL);
  g_test_message ("%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " rows were read", readers[0].n_rows,
                  readers[1].n_rows);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/item-storages/kinds/prints-as-python", test_prints_as_python);
  g_test_add_func ("/item-storages/kinds/rows-are-collated", test_rows_are_collated);
  g_test_add_func ("/item-storages/kinds/trees-must-agree", test_trees_must_agree);
  g_test_add_func ("/item-storages/kinds/stacks-where-it-is-told", test_stacks_where_it_is_told);
  g_test_add_func ("/item-storages/kinds/compresses-without-loss", test_compresses_without_loss);
  g_test_add_func ("/item-storages/kinds/saves-memory", test_saves_memory);
  g_test_add_func ("/item-storages/kinds/ones-in-one-dimension-or-two",
                   test_ones_in_one_dimension_or_two);
  g_test_add_func ("/item-storages/kinds/all-parts-go-together-or-say-why-not",
                   test_all_parts_go_together_or_say_why_not);
  g_test_add_data_func ("/item-storages/kinds/list-is-read-beside-a-writer", "list",
                        test_read_beside_a_writer);
  g_test_add_data_func ("/item-storages/kinds/compressed-list-is-read-beside-a-writer",
                        "compressed-list", test_read_beside_a_writer);

  return g_test_run ();
}
