/* Rows that are written through an ensemble go where they say, and are told where they went. */
#include "../src/reel.h"

#include <string.h>

#define N_MEMBERS 3
#define CAPACITY 3

typedef struct
{
  ReelReplayBuffer *buffers[N_MEMBERS];
  ReelReplayBufferEnsemble *ensemble;
} Set;

static Set
new_set (const char *writer_text, ReelTransform *transform)
{
  ReelEnsembleOptions options = { .transform = transform };
  Set set;

  for (gint b = 0; b < N_MEMBERS; b++)
    {
      g_autofree char *text = g_strdup_printf ("tensor:capacity=%d", CAPACITY);
      g_autoptr (ReelStorage) storage =
          reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
      g_autoptr (ReelWriter) writer =
          reel_object_new_from_text (REEL_TYPE_WRITER, writer_text, NULL, NULL);

      set.buffers[b] = reel_replay_buffer_new (storage, NULL, writer, 0, NULL);
    }
  set.ensemble = reel_replay_buffer_ensemble_new (set.buffers, N_MEMBERS, &options, NULL);
  return set;
}

static void
set_clear (Set *set)
{
  g_object_unref (set->ensemble);
  for (gint b = 0; b < N_MEMBERS; b++)
    g_object_unref (set->buffers[b]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Set, set_clear)

static void
set_numbers (ReelTensordict *td, const char *key, ReelDtype dtype, gint64 extra,
             const gint64 *values)
{
  gint64 shape[REEL_MAX_NDIM];
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  g_autoptr (ReelTensor) tensor = NULL;

  memcpy (shape, size, (gsize) ndim * sizeof *shape);
  shape[ndim] = shape[ndim + 1] = 1;
  tensor = reel_tensor_new (dtype, ndim + (gint) extra, shape, NULL);
  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    if (dtype == REEL_DTYPE_INT64)
      ((gint64 *) tensor->data)[i] = values[i];
    else if (dtype == REEL_DTYPE_INT32)
      ((gint32 *) tensor->data)[i] = (gint32) values[i];
    else
      tensor->data[i] = (guint8) values[i];
  g_assert_true (reel_tensordict_set_tensor (td, key, tensor, NULL));
}

/* Rows whose `id` counts from @first on. */
static ReelTensordict *
new_rows (gint ndim, const gint64 *size, gint64 first)
{
  ReelTensordict *td = reel_tensordict_new (ndim, size);
  gint64 values[64];

  for (gint64 i = 0; i < 64; i++)
    values[i] = first + i;
  set_numbers (td, "id", REEL_DTYPE_INT64, 1, values);
  return td;
}

static gint64
get (const ReelTensordict *td, const char *key, gint64 i)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, key, NULL);

  g_assert_nonnull (tensor);
  return *(const gint64 *) (tensor->data + i * tensor->strides[0]);
}

/* The ring of a member, by hand. */
typedef struct
{
  gint64 ids[CAPACITY];
  gint64 n_written;
} Ring;

static void
ring_write (Ring *ring, gint64 id, gint64 *slot, gint64 *generation)
{
  *slot = ring->n_written++ % CAPACITY;
  *generation = (ring->n_written - 1) / CAPACITY;
  ring->ids[*slot] = id;
}

static void
assert_ring (const Set *set, gint b, const Ring *ring)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (set->buffers[b]);

  g_assert_cmpint (reel_replay_buffer_get_length (set->buffers[b]), ==,
                   MIN (ring->n_written, CAPACITY));
  g_assert_cmpint (reel_replay_buffer_get_write_count (set->buffers[b]), ==, ring->n_written);
  for (gint64 slot = 0; slot < MIN (ring->n_written, CAPACITY); slot++)
    g_assert_cmpint (get (reel_storage_get_data (storage), "id", slot), ==, ring->ids[slot]);
}

static void
assert_places (const ReelTensordict *places, Ring *rings, const gint64 *members, gint64 n,
               gint64 first)
{
  gint ndim;

  g_assert_cmpint (reel_tensordict_get_batch_size (places, &ndim)[0], ==, n);
  g_assert_cmpint (ndim, ==, 1);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 slot, generation;

      ring_write (&rings[members[i]], first + i, &slot, &generation);
      g_assert_cmpint (get (places, "buffer_ids", i), ==, members[i]);
      g_assert_cmpint (get (places, "index", i), ==, slot);
      g_assert_cmpint (get (places, "index_generation", i), ==, generation);
    }
}

/* Five rows to three members in every way, twice, so that rings of three go round within a batch
 * and from one to the next. */
static void
test_by_key (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_INT64, REEL_DTYPE_INT32, REEL_DTYPE_UINT8 };
  const gint64 n = 5;
  gint n_cases = 0;

  for (gint way = 0; way < 243; way++)
    for (gint form = 0; form < 6; form++, n_cases++)
      {
        g_auto (Set) set = new_set ("round-robin:track-generations=true", NULL);
        Ring rings[N_MEMBERS] = { 0 };
        gint64 members[5];

        for (gint i = 0, rest = way; i < n; i++, rest /= N_MEMBERS)
          members[i] = rest % N_MEMBERS;
        for (gint64 first = 0; first < 10; first += 5)
          {
            g_autoptr (ReelTensordict) rows = new_rows (1, &n, first), places = NULL;
            g_autoptr (GError) error = NULL;

            set_numbers (rows, "to/whom", dtypes[form % 3], form / 3, members);
            reel_replay_buffer_ensemble_extend_by_key (set.ensemble, rows, "to/whom", &places,
                                                       &error);
            g_assert_no_error (error);
            assert_places (places, rings, members, n, first);
          }
        for (gint b = 0; b < N_MEMBERS; b++)
          assert_ring (&set, b, &rings[b]);
      }
  g_test_message ("%d cases", n_cases);
}

/* Each place of each dimension of shapes with a dimension of three. */
static void
test_by_dim (void)
{
  static const gint64 shapes[][3] = {
    { 3 }, { 3, 2 }, { 2, 3 }, { 3, 3 }, { 2, 3, 2 }, { 2, 2, 3 }
  };
  static const gint ndims[] = { 1, 2, 2, 2, 3, 3 };

  for (gsize s = 0; s < G_N_ELEMENTS (ndims); s++)
    for (gint dim = -ndims[s]; dim < ndims[s]; dim++)
      {
        gint d = dim < 0 ? dim + ndims[s] : dim;
        g_auto (Set) set = new_set ("round-robin:track-generations=true", NULL);
        g_autoptr (ReelTensordict) rows = new_rows (ndims[s], shapes[s], 0), places = NULL;
        g_autoptr (GError) error = NULL;
        Ring rings[N_MEMBERS] = { 0 };
        gint64 members[64], n = 1, at[3] = { 0 };

        for (gint k = 0; k < ndims[s]; k++)
          n *= shapes[s][k];
        for (gint64 i = 0; i < n; i++)
          {
            members[i] = at[d];
            for (gint k = ndims[s] - 1; k >= 0 && ++at[k] == shapes[s][k]; k--)
              at[k] = 0;
          }
        reel_replay_buffer_ensemble_extend_by_dim (set.ensemble, rows, dim, &places, &error);
        if (shapes[s][d] != N_MEMBERS)
          {
            g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
            continue;
          }
        g_assert_no_error (error);
        assert_places (places, rings, members, n, 0);
        for (gint b = 0; b < N_MEMBERS; b++)
          assert_ring (&set, b, &rings[b]);
      }
}

static void
test_places_may_be_left_out (void)
{
  g_auto (Set) set = new_set ("round-robin", NULL);
  g_autoptr (ReelTensordict) rows = new_rows (1, (gint64[]){ 3 }, 0), places = NULL;

  g_assert_true (reel_replay_buffer_ensemble_extend_by_dim (set.ensemble, rows, 0, NULL, NULL));
  g_assert_true (reel_replay_buffer_ensemble_extend_by_dim (set.ensemble, rows, 0, &places, NULL));
  g_assert_false (reel_tensordict_contains (places, "index_generation"));
  g_assert_cmpint (get (places, "index", 2), ==, 1);
}

/* The transform of the ensemble comes before the key is read. */
static void
test_transform_comes_first (void)
{
  g_autoptr (ReelTransform) rename = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM, "rename:in-keys=[],out-keys=[],in-keys-inv=[a],out-keys-inv=[b]", NULL,
      NULL);
  g_auto (Set) set = new_set ("round-robin", rename);
  g_autoptr (ReelTensordict) rows = new_rows (1, (gint64[]){ 2 }, 0);
  g_autoptr (GError) error = NULL;
  gboolean before, after;

  g_assert_nonnull (rename);
  set_numbers (rows, "b", REEL_DTYPE_INT64, 0, (gint64[]){ 2, 0 });
  before = reel_replay_buffer_ensemble_extend_by_key (set.ensemble, rows, "b", NULL, NULL);
  after = reel_replay_buffer_ensemble_extend_by_key (set.ensemble, rows, "a", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (after && !before);
  g_assert_true (reel_tensordict_contains (
      reel_storage_get_data (reel_replay_buffer_get_storage (set.buffers[2])), "a"));
  g_assert_cmpint (reel_replay_buffer_get_length (set.buffers[0]), ==, 1);
}

/* A row that a max-value writer rejects has no place. */
static void
test_rejected_rows_have_no_place (void)
{
  g_auto (Set) set = new_set ("max-value:rank-key=id", NULL);
  g_autoptr (ReelTensordict) rows = new_rows (1, (gint64[]){ 4 }, 0), places = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_remove (rows, "id", NULL));
  set_numbers (rows, "to", REEL_DTYPE_INT64, 0, (gint64[]){ 1, 1, 1, 1 });
  set_numbers (rows, "id", REEL_DTYPE_INT64, 1, (gint64[]){ 5, 6, 7, 1 });
  reel_replay_buffer_ensemble_extend_by_key (set.ensemble, rows, "to", &places, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 4; i++)
    g_assert_cmpint (get (places, "index", i), ==, i < 3 ? i : -1);
}

/* Faults that show beforehand write nothing. */
static void
test_refuses (void)
{
  static const struct
  {
    gint64 ids[3];
    ReelDtype dtype;
    gint code;
  } cases[] = {
    { { 0, 1, 3 }, REEL_DTYPE_INT64, REEL_ERROR_VALUE },
    { { 0, -1, 2 }, REEL_DTYPE_INT64, REEL_ERROR_VALUE },
    { { 0, 1, 1 }, REEL_DTYPE_BOOL, REEL_ERROR_TYPE },
  };
  g_auto (Set) set = new_set ("round-robin", NULL);
  g_auto (Set) closed = new_set ("immutable", NULL);
  GObject *members[] = { G_OBJECT (set.buffers[0]), G_OBJECT (set.ensemble) };
  g_autoptr (ReelReplayBufferEnsemble) nested =
      reel_replay_buffer_ensemble_new_mixed (members, 2, NULL, NULL);
  g_autoptr (ReelTensordict) rows = new_rows (1, (gint64[]){ 3 }, 0);
  g_autoptr (ReelTensordict) wide = new_rows (1, (gint64[]){ 3 }, 0);
  g_autoptr (ReelTensor) pairs = reel_tensor_new (REEL_DTYPE_INT64, 2, (gint64[]){ 3, 2 }, NULL);
  g_autoptr (GError) key = NULL, inner = NULL, immutable = NULL, many = NULL;

  g_assert_false (reel_replay_buffer_ensemble_extend_by_key (set.ensemble, rows, "to", NULL, &key));
  g_assert_error (key, REEL_ERROR, REEL_ERROR_KEY);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTensordict) bad = new_rows (1, (gint64[]){ 3 }, 0);
      g_autoptr (GError) error = NULL;

      set_numbers (bad, "to", cases[i].dtype, 0, cases[i].ids);
      g_assert_false (
          reel_replay_buffer_ensemble_extend_by_key (set.ensemble, bad, "to", NULL, &error));
      g_assert_error (error, REEL_ERROR, cases[i].code);
    }
  g_assert_true (reel_tensordict_set_tensor (wide, "to", pairs, NULL));
  g_assert_false (
      reel_replay_buffer_ensemble_extend_by_key (set.ensemble, wide, "to", NULL, &many));
  g_assert_error (many, REEL_ERROR, REEL_ERROR_VALUE);
  set_numbers (rows, "to", REEL_DTYPE_INT64, 0, (gint64[]){ 0, 1, 0 });
  g_assert_false (reel_replay_buffer_ensemble_extend_by_key (nested, rows, "to", NULL, &inner));
  g_assert_error (inner, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_false (
      reel_replay_buffer_ensemble_extend_by_key (closed.ensemble, rows, "to", NULL, &immutable));
  g_assert_error (immutable, REEL_ERROR, REEL_ERROR_RUNTIME);
  for (gint b = 0; b < N_MEMBERS; b++)
    g_assert_cmpint (reel_replay_buffer_get_length (set.buffers[b]), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, func) g_test_add_func ("/buffers/ensemble-routing/" name, func)
  ADD ("by-key", test_by_key);
  ADD ("by-dim", test_by_dim);
  ADD ("places-may-be-left-out", test_places_may_be_left_out);
  ADD ("transform-comes-first", test_transform_comes_first);
  ADD ("rejected-rows-have-no-place", test_rejected_rows_have_no_place);
  ADD ("refuses", test_refuses);
#undef ADD
  return g_test_run ();
}
