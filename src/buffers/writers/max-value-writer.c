/* Keeps the steps of the greatest ranks: a full storage takes a step in the place of the least. */
#include "max-value-writer.h"

#include "rank-heap.h"
#include "../samplers/reduction.h"
#include "../../core/tensordict/tensordict-private.h"
#include "../../specs/element.h"
#include "../storages/storage-private.h"
#include "../storages/item-rows.h"
#include "../storages/item-storage.h"
#include "writer-private.h"

#include <math.h>
#include <string.h>

struct _ReelMaxValueWriter
{
  ReelWriter parent_instance;

  char *rank_key;
  int reduction;

  /* One of each step that the storage held when its counters were these. */
  ReelRankHeap heap;
  guint64 identity;
  guint64 revision;
  gint64 end;
  gboolean integral;

  guint8 *taken; /* a bit a slot, all 0 between writes */
};

G_DEFINE_FINAL_TYPE (ReelMaxValueWriter, reel_max_value_writer, REEL_TYPE_WRITER)

static const char *const reductions[] = { "sum", "max", "min", "mean", "median", NULL };

/* ---- ranks ---- */

/* Integers as they are; the bits of a real, which are in order but for the negative ones, whose
 * magnitude is turned round. NaN is less than all. */
static gint64
encode (long double value, gboolean integral)
{
  double real = value == 0 ? 0 : (double) value;
  gint64 bits;

  if (integral)
    return value >= 0x1p63L ? G_MAXINT64 : value < -0x1p63L ? G_MININT64 : (gint64) value;
  if (isnan (real))
    return G_MININT64;
  memcpy (&bits, &real, sizeof bits);
  return bits < 0 ? bits ^ G_MAXINT64 : bits;
}

static double
decode (gint64 rank)
{
  gint64 bits = rank < 0 ? rank ^ G_MAXINT64 : rank;
  double real;

  if (rank == G_MININT64)
    return NAN;
  memcpy (&real, &bits, sizeof real);
  return real;
}

static gboolean
check_leaf (ReelMaxValueWriter *self, const ReelTensor *leaf, GError **error)
{
  if (reel_dtype_is_complex (leaf->dtype))
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "ranks are real numbers, \"%s\" is %s",
                 self->rank_key, reel_dtype_name (leaf->dtype));
  else if (leaf->shape[0] > 0 && reel_tensor_numel (leaf) == 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "\"%s\" has no elements, so nothing can be ranked by it", self->rank_key);
  else
    return TRUE;
  return FALSE;
}

/* One element as it is; several become one real. */
static gint64
rank_step (ReelDtype dtype, const guint8 *elements, gint64 n, ReelReduceFunc reduce, double *values,
           gboolean integral)
{
  gsize size = reel_dtype_size (dtype);

  if (integral && n == 1)
    return encode ((long double) reel_element_load_integer (dtype, elements), TRUE);
  for (gint64 i = 0; i < n; i++)
    reel_element_cast (dtype, elements + (gsize) i * size, REEL_DTYPE_FLOAT64, &values[i]);
  return encode (reduce (values, n), integral);
}

/* The rank of each step of @data. */
static gint64 *
list_ranks (ReelMaxValueWriter *self, ReelTensordict *data, gboolean *integral, GError **error)
{
  const char *name = reductions[self->reduction];
  ReelReduceFunc reduce = reel_find_reduction (name, error);
  g_autoptr (ReelTensor) leaf = reel_rows_ref_leaf (data, self->rank_key, error);
  g_autoptr (ReelTensor) dense = NULL;
  g_autofree double *values = NULL;
  gint64 *ranks, n_steps, n;
  gsize step_bytes;

  if (!leaf || !check_leaf (self, leaf, error))
    return NULL;
  dense = reel_tensor_contiguous (leaf, error);
  if (!dense)
    return NULL;
  n_steps = dense->shape[0];
  n = reel_tensor_numel (dense) / MAX (n_steps, 1);
  step_bytes = (gsize) n * reel_dtype_size (dense->dtype);
  *integral = reel_element_is_integer (dense->dtype) && (n == 1 || !g_str_equal (name, "mean"));
  values = g_new (double, MAX (n, 1));
  ranks = g_new (gint64, MAX (n_steps, 1));
  for (gint64 i = 0; i < n_steps; i++)
    ranks[i] = rank_step (dense->dtype, dense->data + (gsize) i * step_bytes, n, reduce, values,
                          *integral);
  return ranks;
}

/* ---- what is stored ---- */

static gint64
count_slots (ReelStorage *storage)
{
  return reel_storage_get_capacity (storage) / reel_storage_get_lanes (storage);
}

static void
remember (ReelMaxValueWriter *self, ReelStorage *storage)
{
  self->identity = reel_storage_get_identity (storage);
  self->revision = reel_storage_get_revision (storage);
  self->end = reel_ring_get_end (reel_storage_get_ring (storage));
}

/* The storage is as this writer left it. */
static gboolean
is_known (const ReelMaxValueWriter *self, ReelStorage *storage)
{
  return self->identity == reel_storage_get_identity (storage)
         && self->revision == reel_storage_get_revision (storage)
         && self->end == reel_ring_get_end (reel_storage_get_ring (storage))
         && self->heap.n == reel_storage_get_length (storage);
}

static ReelTensordict *
ref_stored (ReelStorage *storage, GError **error)
{
  g_autoptr (ReelTensor) slots = NULL;

  if (!REEL_IS_ITEM_STORAGE (storage))
    return reel_tensordict_ref (reel_storage_get_data (storage));
  slots = reel_item_storage_list_slots (REEL_ITEM_STORAGE (storage), error);
  return slots ? reel_item_storage_get_rows (REEL_ITEM_STORAGE (storage),
                                             (const gint64 *) slots->data, slots->shape[0], error)
               : NULL;
}

/* The rank of each slot that holds a row. */
static gint64 *
list_stored (ReelMaxValueWriter *self, const ReelWriterRows *rows, gboolean *integral,
             GError **error)
{
  g_autoptr (ReelTensordict) data = NULL;

  if (REEL_IS_ITEM_STORAGE (rows->storage) && rows->view.end_row == rows->view.first_row)
    return g_new0 (gint64, 1);
  data = rows->data ? reel_tensordict_ref (rows->data) : ref_stored (rows->storage, error);
  return data ? list_ranks (self, data, integral, error) : NULL;
}

/* The heap of what can be read now. */
static gboolean
build_heap (ReelMaxValueWriter *self, ReelStorage *storage, ReelRankHeap *heap, gboolean *integral,
            GError **error)
{
  ReelWriterRows rows = { .storage = storage };
  g_autofree gint64 *ranks = NULL;
  gint64 n_slots = count_slots (storage);

  reel_storage_get_view (storage, &rows.view);
  ranks = list_stored (self, &rows, integral, error);
  if (!ranks)
    return FALSE;
  heap->n = 0;
  for (gint64 row = rows.view.first_row; row < rows.view.end_row; row++)
    reel_rank_heap_push (heap, (ReelRank){ ranks[row % n_slots], row % n_slots });
  return TRUE;
}

static void
forget_taken (ReelMaxValueWriter *self, ReelStorage *storage)
{
  g_free (self->taken);
  self->taken = g_new0 (guint8, count_slots (storage) / 8 + 1);
}

/* Ranks follow from what is stored, so they are found again after others wrote, a file was loaded
 * or the storage emptied. */
static gboolean
catch_up (ReelMaxValueWriter *self, ReelStorage *storage, GError **error)
{
  if (is_known (self, storage))
    return TRUE;
  if (!build_heap (self, storage, &self->heap, &self->integral, error))
    return FALSE;
  forget_taken (self, storage);
  remember (self, storage);
  return TRUE;
}

/* ---- writing ---- */

/* Where each of @n steps goes, −1 for those that are not better than the least; returns how many
 * are at the cursor and counts those that are taken. */
static gint64
place (ReelMaxValueWriter *self, ReelStorage *storage, const gint64 *ranks, gint64 n, gint64 *slots,
       gint64 *n_accepted)
{
  gint64 n_slots = count_slots (storage), cursor = reel_storage_get_cursor (storage), n_new = 0;

  *n_accepted = 0;
  for (gint64 i = 0; i < n; i++)
    {
      slots[i] = -1;
      if (self->heap.n < n_slots)
        slots[i] = (cursor + n_new++) % n_slots;
      /* Of equal ranks the stored one stays. */
      else if (ranks[i] > self->heap.ranks[0].rank)
        slots[i] = reel_rank_heap_pop (&self->heap).slot;
      if (slots[i] < 0)
        continue;
      reel_rank_heap_push (&self->heap, (ReelRank){ ranks[i], slots[i] });
      ++*n_accepted;
    }
  return n_new;
}

/* A slot that was given twice is the last step's. */
static void
drop_replaced (ReelMaxValueWriter *self, gint64 *slots, gint64 n)
{
  for (gint64 i = n - 1; i >= 0; i--)
    {
      guint8 *byte = slots[i] < 0 ? NULL : &self->taken[slots[i] / 8];
      guint8 bit = (guint8) (1 << (slots[i] & 7));

      if (byte && *byte & bit)
        slots[i] = -1;
      else if (byte)
        *byte |= bit;
    }
  for (gint64 i = 0; i < n; i++)
    if (slots[i] >= 0)
      /* Whole bytes, and only those that were set: as many as there are steps, not slots. */
      self->taken[slots[i] / 8] = 0;
}

static gboolean
extend (ReelWriter *writer, ReelStorage *storage, ReelTensordict *data, gint64 *slots,
        GError **error)
{
  ReelMaxValueWriter *self = REEL_MAX_VALUE_WRITER (writer);
  gint64 n = reel_rows_count (data), n_new, n_accepted;
  g_autofree gint64 *ranks = NULL, *places = slots ? NULL : g_new (gint64, MAX (n, 1));
  g_autoptr (ReelSteps) steps = NULL;

  if (!catch_up (self, storage, error))
    return FALSE;
  /* Memory and checks come before the heap changes, so that a refused write leaves it as it was. */
  n_new = MIN (n, count_slots (storage) - self->heap.n);
  steps = reel_storage_take_steps (storage, data, n_new, error);
  ranks = steps ? list_ranks (self, data, &self->integral, error) : NULL;
  if (!ranks)
    return FALSE;
  if (!slots)
    slots = places;
  n_new = place (self, storage, ranks, n, slots, &n_accepted);
  drop_replaced (self, slots, n);
  reel_storage_put_steps (storage, steps, slots, n, n_new);
  reel_writer_count_writes (writer, n_accepted - n_new);
  remember (self, storage);
  return TRUE;
}

static gboolean
check (ReelWriter *writer, ReelStorage *storage, GError **error)
{
  if (reel_storage_get_ndim (storage) == 1)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "TensorDictMaxValueWriter is not compatible with storages with more than one "
               "dimension: this one has %d. Store trajectories whole, each as one row, with ndim=1",
               reel_storage_get_ndim (storage));
  return FALSE;
}

/* Of rows and their dimension. */
static gint
count_dims (const ReelTensordict *data)
{
  gint ndim;

  if (!reel_rows_are_listed (data))
    {
      reel_tensordict_get_batch_size (data, &ndim);
      return ndim;
    }
  reel_tensordict_get_batch_size (reel_rows_get (data, 0), &ndim);
  return ndim + 1;
}

/* Before the first write fixes a layout that has no ranks. */
static ReelTensordict *
complete (ReelWriter *writer, ReelStorage *storage, ReelTensordict *data, GError **error)
{
  ReelMaxValueWriter *self = REEL_MAX_VALUE_WRITER (writer);
  g_autoptr (ReelTensor) leaf = reel_rows_ref_leaf (data, self->rank_key, error);
  gint ndim;

  if (!leaf || !check_leaf (self, leaf, error))
    return NULL;
  ndim = count_dims (data);
  if (ndim <= 2)
    return reel_tensordict_ref (data);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Expected input tensordict to have no more than 1 dimension, got %d", ndim - 1);
  return NULL;
}

/* ---- as TorchRL shows it ---- */

static ReelTensor *
make_pairs (const ReelRankHeap *heap, gboolean integral, GError **error)
{
  const gint64 shape[2] = { heap->n, 2 };
  ReelTensor *tensor =
      reel_tensor_new (integral ? REEL_DTYPE_INT64 : REEL_DTYPE_FLOAT64, 2, shape, error);

  for (gint64 i = 0; tensor && i < heap->n; i++)
    {
      const ReelRank *rank = &heap->ranks[i];

      if (integral)
        memcpy ((gint64 *) tensor->data + 2 * i, rank, sizeof *rank);
      else
        memcpy ((double *) tensor->data + 2 * i,
                (double[]){ decode (rank->rank), (double) rank->slot }, 2 * sizeof (double));
    }
  return tensor;
}

ReelTensor *
reel_max_value_writer_dup_heap (ReelMaxValueWriter *self, ReelStorage *storage, GError **error)
{
  ReelRankHeap found = { NULL };
  gboolean integral = FALSE;
  ReelTensor *pairs = NULL;

  if (reel_storage_is_allocated (storage) && is_known (self, storage))
    return make_pairs (&self->heap, self->integral, error);
  if (!reel_storage_is_allocated (storage) || build_heap (self, storage, &found, &integral, error))
    pairs = make_pairs (&found, integral, error);
  reel_rank_heap_clear (&found);
  return pairs;
}

/* As TorchRL's files have them, where that loses nothing. */
static ReelTensor *
narrow_pairs (ReelTensor *pairs, GError **error)
{
  const double *wide = (const double *) pairs->data;
  gint64 n = pairs->shape[0] * 2;
  ReelTensor *narrow;

  if (pairs->dtype != REEL_DTYPE_FLOAT64)
    return reel_tensor_ref (pairs);
  for (gint64 i = 0; i < n; i++)
    if (!isnan (wide[i]) && (double) (float) wide[i] != wide[i])
      return reel_tensor_ref (pairs);
  narrow = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, pairs->shape, error);
  for (gint64 i = 0; narrow && i < n; i++)
    ((float *) narrow->data)[i] = (float) wide[i];
  return narrow;
}

static gboolean
dup_state (ReelWriter *writer, ReelStorage *storage, ReelTensordict *state, GError **error)
{
  ReelMaxValueWriter *self = REEL_MAX_VALUE_WRITER (writer);
  g_autoptr (ReelTensor) pairs = reel_max_value_writer_dup_heap (self, storage, error);
  g_autoptr (ReelTensor) values = pairs ? narrow_pairs (pairs, error) : NULL;

  return values && reel_tensordict_set_tensor (state, "_current_top_values", values, error)
         && reel_tensordict_set_value (state, "_rank_key", g_variant_new_string (self->rank_key),
                                       error);
}

/* The slots of a state in their order, which is the one thing that rows do not tell; NULL where
 * these are not all slots once each. */
static gint64 *
read_order (const ReelTensor *pairs, const ReelStorageView *view)
{
  gint64 n = view->end_row - view->first_row;
  g_autofree gint64 *slots = g_new (gint64, MAX (n, 1));
  g_autofree guint8 *seen = g_new0 (guint8, view->capacity);
  gsize size = reel_dtype_size (pairs->dtype);

  if (pairs->ndim < 1 || pairs->shape[0] != n || reel_tensor_numel (pairs) != 2 * n
      || !reel_tensor_is_contiguous (pairs))
    return NULL;
  for (gint64 i = 0; i < n; i++)
    {
      double slot = reel_dtype_load_double (pairs->dtype, pairs->data + size * (gsize) (2 * i + 1));

      if (!(slot >= 0 && slot < (double) view->capacity) || seen[(gint64) slot])
        return NULL;
      slots[i] = (gint64) slot;
      seen[slots[i]] = TRUE;
    }
  for (gint64 row = view->first_row; row < view->end_row; row++)
    if (!seen[row % view->capacity])
      return NULL;
  return g_steal_pointer (&slots);
}

/* TorchRL adds up in float32. */
static gboolean
are_ranks (const ReelTensor *pairs, const gint64 *ranks, gboolean integral, const gint64 *slots)
{
  gsize size = reel_dtype_size (pairs->dtype);

  for (gint64 i = 0; i < pairs->shape[0]; i++)
    {
      double found = reel_dtype_load_double (pairs->dtype, pairs->data + size * (gsize) (2 * i));
      double rank = integral ? (double) ranks[slots[i]] : decode (ranks[slots[i]]);

      if (found != rank && !(isnan (found) && isnan (rank))
          && !(fabs (found - rank) <= 1e-4 * MAX (fabs (found), fabs (rank))))
        return FALSE;
    }
  return TRUE;
}

/* Ranks that the rows have, in the order of a heap. */
typedef struct
{
  ReelRankHeap heap;
  gboolean integral;
} Ranking;

static void
free_state (gpointer said)
{
  reel_rank_heap_clear (&((Ranking *) said)->heap);
  g_free (said);
}

static gboolean
read_ranks (ReelMaxValueWriter *self, const ReelWriterRows *rows, const ReelTensor *pairs,
            Ranking *ranking, GError **error)
{
  g_autofree gint64 *ranks = list_stored (self, rows, &ranking->integral, error);
  g_autofree gint64 *order = ranks ? read_order (pairs, &rows->view) : NULL;

  if (order && are_ranks (pairs, ranks, ranking->integral, order)
      && reel_rank_heap_take (&ranking->heap, ranks, order, pairs->shape[0]))
    return TRUE;
  if (ranks)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "the ranks that it holds are not those that the %s of \"%s\" gives",
                 reductions[self->reduction], self->rank_key);
  return FALSE;
}

static gboolean
read_state (ReelWriter *writer, const ReelWriterRows *rows, const ReelTensordict *state,
            gpointer *said, GError **error)
{
  const char *key = "_current_top_values";
  const ReelTensor *pairs;

  if (!reel_tensordict_contains (state, key)
      || (!rows->data && !reel_storage_is_allocated (rows->storage)))
    return TRUE;
  pairs = reel_tensordict_get_tensor (state, key, error);
  if (!pairs)
    return FALSE;
  *said = g_new0 (Ranking, 1);
  return read_ranks (REEL_MAX_VALUE_WRITER (writer), rows, pairs, *said, error);
}

static void
take_state (ReelWriter *writer, ReelStorage *storage, gpointer said)
{
  ReelMaxValueWriter *self = REEL_MAX_VALUE_WRITER (writer);
  Ranking *ranking = said;

  self->identity = 0;
  if (!ranking)
    return;
  reel_rank_heap_clear (&self->heap);
  self->heap = ranking->heap;
  self->integral = ranking->integral;
  ranking->heap = (ReelRankHeap){ NULL };
  forget_taken (self, storage);
  remember (self, storage);
}

static char *
describe (ReelWriter *writer)
{
  ReelMaxValueWriter *self = REEL_MAX_VALUE_WRITER (writer);
  g_auto (GStrv) keys = reel_path_split (self->rank_key, NULL);
  g_autofree char *inner = keys ? g_strjoinv ("', '", keys) : g_strdup (self->rank_key);
  gboolean nested = keys && keys[1];

  return g_strdup_printf (", rank_key=%s%s%s, reduction=%s", nested ? "('" : "", inner,
                          nested ? "')" : "", reductions[self->reduction]);
}

static void
finalize (GObject *object)
{
  ReelMaxValueWriter *self = REEL_MAX_VALUE_WRITER (object);

  reel_rank_heap_clear (&self->heap);
  g_free (self->taken);
  G_OBJECT_CLASS (reel_max_value_writer_parent_class)->finalize (object);
}

static void
reel_max_value_writer_class_init (ReelMaxValueWriterClass *klass)
{
  static const ReelId ids[] = {
    { "max-value", NULL, "keeps the rows of the greatest ranks" },
    { "TensorDictMaxValueWriter", NULL, "keeps the greatest, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelWriterClass *writer_class = REEL_WRITER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  writer_class->peer_name = "TensorDictMaxValueWriter";
  writer_class->check = check;
  writer_class->complete = complete;
  writer_class->extend = extend;
  writer_class->describe = describe;
  writer_class->dup_state = dup_state;
  writer_class->read_state = read_state;
  writer_class->take_state = take_state;
  writer_class->free_state = free_state;
  reel_object_class_add_string (object_class, "rank-key",
                                G_STRUCT_OFFSET (ReelMaxValueWriter, rank_key), "next/reward",
                                "the key that rows are ranked by", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      object_class, "reduction", G_STRUCT_OFFSET (ReelMaxValueWriter, reduction), reductions, 0,
      "how several elements of a rank become one", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_max_value_writer_init (ReelMaxValueWriter *self)
{
}
