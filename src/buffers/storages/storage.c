/* The base of storages: memory is adopted once, columns are resolved, a ring counts the steps. */
#include "layout.h"
#include "../../core/tensordict/component-print.h"
#include "storage-state.h"

#include <string.h>

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelStorage, reel_storage, REEL_TYPE_OBJECT)

ReelStoragePrivate *
reel_storage_state (ReelStorage *self)
{
  return reel_storage_get_instance_private (self);
}

ReelRing *
reel_storage_get_ring (ReelStorage *self)
{
  return atomic_load_explicit (&reel_storage_state (self)->ring, memory_order_acquire);
}

/* ---- identity and revision ---- */

static void
take_identity (ReelStoragePrivate *state)
{
  static _Atomic guint64 last;

  atomic_store_explicit (&state->identity, atomic_fetch_add (&last, 1) + 1, memory_order_release);
}

void
reel_storage_renew_identity (ReelStorage *self)
{
  take_identity (reel_storage_state (self));
}

guint64
reel_storage_get_identity (ReelStorage *self)
{
  return atomic_load_explicit (&reel_storage_state (self)->identity, memory_order_acquire);
}

/* The ring counts, so that who follows it in another process sees changes too. */
guint64
reel_storage_get_revision (ReelStorage *self)
{
  ReelRing *ring = reel_storage_get_ring (self);
  guint64 before =
      atomic_load_explicit (&reel_storage_state (self)->revision_before, memory_order_relaxed);

  return before + (ring ? reel_ring_get_revision (ring) : 0);
}

void
reel_storage_begin_change (ReelStorage *self)
{
  reel_ring_begin_change (reel_storage_get_ring (self));
}

void
reel_storage_end_change (ReelStorage *self)
{
  reel_ring_end_change (reel_storage_get_ring (self));
  reel_storage_announce (self, 0, REEL_ROWS_CHANGED);
}

/* ---- the class ---- */

static void
finalize (GObject *object)
{
  ReelStorage *self = REEL_STORAGE (object);
  ReelStoragePrivate *state = reel_storage_state (self);

  reel_storage_finish_writing (self);
  reel_storage_free_generations (self);
  reel_columns_clear (&state->columns);
  g_clear_pointer (&state->data, reel_tensordict_unref);
  reel_ring_free (atomic_load (&state->ring));
  g_free (atomic_load (&state->replaced));
  G_OBJECT_CLASS (reel_storage_parent_class)->finalize (object);
}

static gboolean
build (ReelObject *object, GError **error)
{
  const ReelStoragePrivate *state = reel_storage_state (REEL_STORAGE (object));

  if (!REEL_OBJECT_CLASS (reel_storage_parent_class)->build (object, error))
    return FALSE;
  if (state->dim_extend < state->ndim)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "dim-extend cannot be %" G_GINT64_FORMAT ": it must be below ndim, which is "
               "%" G_GINT64_FORMAT,
               state->dim_extend, state->ndim);
  return FALSE;
}

static void
reel_storage_class_init (ReelStorageClass *klass)
{
  static const ReelAlias aliases[] = { { "max-size", "capacity" }, { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->kind = "storage";
  object_class->aliases = aliases;
  object_class->build = build;
  reel_object_class_add_int64 (
      object_class, "capacity", (gsize) G_PRIVATE_OFFSET (ReelStorage, capacity), 1, G_MAXINT64 / 2,
      1000, "rows", "how many it holds; rounded up to whole steps where ndim is over 1",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      object_class, "ndim", (gsize) G_PRIVATE_OFFSET (ReelStorage, ndim), 1, REEL_STORAGE_MAX_NDIM,
      1, NULL, "storage dimensions: 1 for rows, 2 for steps × lanes", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      object_class, "dim-extend", (gsize) G_PRIVATE_OFFSET (ReelStorage, dim_extend), -1,
      REEL_STORAGE_MAX_NDIM - 1, -1, NULL,
      "dimension of steps in data that extend it; -1 for the last storage dimension",
      REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_storage_init (ReelStorage *self)
{
  take_identity (reel_storage_state (self));
}

/* ---- allocation ---- */

/* A view with one more dimension, before the others, that takes no memory. */
static ReelTensor *
expand_leaf (ReelTensor *leaf, const char *path, gpointer n_slots, GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1];

  shape[0] = *(const gint64 *) n_slots;
  memcpy (shape + 1, leaf->shape, (gsize) leaf->ndim * sizeof *shape);
  return reel_tensor_expand (leaf, leaf->ndim + 1, shape, error);
}

static gboolean
check_unallocated (ReelStorage *self, GError **error)
{
  if (!reel_storage_is_allocated (self))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       reel_storage_get_data (self)
                           ? "the storage holds data already: its layout is fixed by the first "
                             "write"
                           : "a storage of values has no layout, and memory for the rows that it "
                             "holds: add rows to it");
  return FALSE;
}

/* Lanes of a batch size whose first @skip dimensions are steps; −1 where there are too few. */
static gint64
count_lanes (ReelStorage *self, const ReelTensordict *data, gint skip, GError **error)
{
  gint n_lane_dims = reel_storage_get_ndim (self) - 1;
  gint ndim;
  const gint64 *batch = reel_tensordict_get_batch_size (data, &ndim);
  gint64 lanes = 1;

  if (ndim >= skip + n_lane_dims)
    {
      for (gint i = 0; i < n_lane_dims; i++)
        lanes *= batch[skip + i];
      if (lanes > 0)
        return lanes;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a storage with ndim=%d takes data with at least %d batch dimensions, none of them "
               "empty; these have %d",
               n_lane_dims + 1, skip + n_lane_dims, ndim);
  return -1;
}

static gboolean
check_leaves (const ReelTensordict *data, GError **error)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (data);

  if (leaves[0])
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "the data of the storage contain no tensors");
  return FALSE;
}

gboolean
reel_storage_adopt (ReelStorage *self, ReelTensordict *data, GError **error)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelIsa isa;
  gint ndim;
  gint64 lanes;

  if (!check_unallocated (self, error) || !reel_isa_choose (&isa, error))
    return FALSE;
  lanes = count_lanes (self, data, 1, error);
  if (lanes < 0)
    return FALSE;
  state->lanes = lanes;
  state->n_slots = reel_tensordict_get_batch_size (data, &ndim)[0];
  if (state->n_slots != (state->capacity - 1) / lanes + 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "The max-size and the storage shape mismatch: a capacity of %" G_GINT64_FORMAT
                   " rows, %" G_GINT64_FORMAT " steps of %" G_GINT64_FORMAT " lanes",
                   state->capacity, state->n_slots, lanes);
      return FALSE;
    }
  if (!check_leaves (data, error)
      || !reel_columns_resolve (&state->columns, data, reel_storage_get_ndim (self), error))
    return FALSE;
  state->kernels = REEL_KERNEL_PICK (reel_copy_kernels, isa);
  state->gather_kernels = REEL_KERNEL_PICK (reel_gather_kernels, isa);
  state->capacity = state->n_slots * lanes;
  state->data = reel_tensordict_ref (data);
  reel_tensordict_set_device (data, "cpu", NULL);
  reel_tensordict_lock (data);
  reel_storage_make_generations (self);
  /* The identity last: who sees the new one sees the memory, who sees rows sees the new one. */
  atomic_store_explicit (&state->ring,
                         reel_ring_new (state->n_slots, reel_storage_shares_rows (self)),
                         memory_order_release);
  take_identity (state);
  return TRUE;
}

void
reel_storage_disown (ReelStorage *self, gint64 capacity, guint64 identity)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelStorageClass *klass = REEL_STORAGE_GET_CLASS (self);

  /* The ring first: without it the storage counts as unallocated. */
  reel_ring_free (atomic_exchange (&state->ring, NULL));
  reel_storage_free_generations (self);
  reel_columns_clear (&state->columns);
  g_clear_pointer (&state->data, reel_tensordict_unref);
  state->capacity = capacity;
  state->n_slots = state->lanes = 0;
  atomic_store_explicit (&state->identity, identity, memory_order_release);
  if (klass->deallocate)
    klass->deallocate (self);
}

/* All lanes of them, 2^63 − 1 where that is too much. */
static gint64
count_step_bytes (ReelStorage *self, const ReelTensordict *step, gint64 lanes)
{
  ReelStorageClass *klass = REEL_STORAGE_GET_CLASS (self);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (step);
  gint64 bytes = 0;

  if (klass->count_row_bytes)
    return __builtin_mul_overflow (klass->count_row_bytes (self, step), lanes, &bytes) ? G_MAXINT64
                                                                                       : bytes;
  for (char **leaf = leaves; *leaf; leaf++)
    if (__builtin_add_overflow (
            bytes, reel_tensor_nbytes (reel_tensordict_get_tensor (step, *leaf, NULL)), &bytes))
      return G_MAXINT64;
  return bytes;
}

gint64
reel_storage_count_bytes (ReelStorage *self, const ReelTensordict *step, GError **error)
{
  gint64 lanes, n_slots, bytes;

  g_return_val_if_fail (REEL_IS_STORAGE (self) && step, -1);
  lanes = count_lanes (self, step, 0, error);
  if (lanes < 0 || !check_leaves (step, error))
    return -1;
  n_slots = (reel_storage_state (self)->capacity - 1) / lanes + 1;
  return __builtin_mul_overflow (count_step_bytes (self, step, lanes), n_slots, &bytes) ? G_MAXINT64
                                                                                        : bytes;
}

ReelTensordict *
reel_storage_make_data (ReelStorage *self, ReelTensordict *step, GError **error)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  g_autoptr (ReelTensordict) layout = NULL;
  gint64 lanes, n_slots;
  ReelIsa isa;

  if (!check_unallocated (self, error) || !reel_isa_choose (&isa, error))
    return NULL;
  lanes = count_lanes (self, step, 0, error);
  if (lanes < 0 || !check_leaves (step, error))
    return NULL;
  n_slots = (state->capacity - 1) / lanes + 1;
  layout = reel_layout_map (step, n_slots, expand_leaf, &n_slots, error);
  return layout ? REEL_STORAGE_GET_CLASS (self)->allocate (self, layout, error) : NULL;
}

gboolean
reel_storage_allocate (ReelStorage *self, ReelTensordict *step, GError **error)
{
  g_autoptr (ReelTensordict) data = reel_storage_make_data (self, step, error);

  return data && reel_storage_adopt (self, data, error);
}

gboolean
reel_storage_cleanup (ReelStorage *self, GError **error)
{
  ReelStorageClass *klass = REEL_STORAGE_GET_CLASS (self);

  return klass->cleanup && klass->cleanup (self, error);
}

void
reel_storage_seal (ReelStorage *self, const char *why)
{
  reel_storage_state (self)->sealed = why;
}

void
reel_storage_begin_values (ReelStorage *self)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  state->lanes = 1;
  state->n_slots = state->capacity;
  atomic_store_explicit (&state->ring, reel_ring_new (state->n_slots, FALSE), memory_order_release);
}

/* ---- what it is ---- */

void
reel_storage_set_shared (ReelStorage *self)
{
  reel_storage_state (self)->shares = TRUE;
}

gboolean
reel_storage_shares_rows (ReelStorage *self)
{
  return REEL_STORAGE_GET_CLASS (self)->shares_rows || reel_storage_state (self)->shares;
}

gboolean
reel_storage_is_allocated (ReelStorage *self)
{
  return reel_storage_get_ring (self) != NULL;
}

ReelTensordict *
reel_storage_get_data (ReelStorage *self)
{
  return reel_storage_is_allocated (self) ? reel_storage_state (self)->data : NULL;
}

const ReelColumn *
reel_storage_get_columns (ReelStorage *self, guint *n)
{
  gboolean allocated = reel_storage_get_data (self) != NULL;

  *n = allocated ? reel_storage_state (self)->columns.n : 0;
  return allocated ? reel_storage_state (self)->columns.at : NULL;
}

/* The paths that begin with @prefix. */
static char *
list_paths (const ReelColumn *columns, guint n, const char *prefix)
{
  g_autoptr (GString) paths = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (columns[i].path, prefix))
      g_string_append_printf (paths, "%s\"%s\"", paths->len > 0 ? ", " : "", columns[i].path);
  return g_strdup (paths->str);
}

static void
set_key_error (const ReelColumn *columns, guint n, const char *path, GError **error)
{
  g_autofree char *level = g_strconcat (path, "/", NULL);
  g_autofree char *below = list_paths (columns, n, level);
  g_autofree char *all = list_paths (columns, n, "");

  if (*below)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "\"%s\" is not a tensor of the storage, but contains %s", path, below);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "there is no key \"%s\" in the storage: it has %s", path, *all ? all : "none yet");
}

gint
reel_storage_find_column (ReelStorage *self, const char *path, GError **error)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (self, &n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal (columns[i].path, path))
      return (gint) i;
  if (error)
    set_key_error (columns, n, path, error);
  return -1;
}

gint
reel_storage_get_ndim (ReelStorage *self)
{
  return (gint) reel_storage_state (self)->ndim;
}

gint
reel_storage_get_dim_extend (ReelStorage *self)
{
  const ReelStoragePrivate *state = reel_storage_state (self);

  return (gint) (state->dim_extend < 0 ? state->ndim - 1 : state->dim_extend);
}

gint64
reel_storage_get_lanes (ReelStorage *self)
{
  if (reel_storage_is_allocated (self))
    return reel_storage_state (self)->lanes;
  return reel_storage_get_ndim (self) == 1 ? 1 : 0;
}

gint64
reel_storage_get_capacity (ReelStorage *self)
{
  return reel_storage_state (self)->capacity;
}

gint64
reel_storage_get_length (ReelStorage *self)
{
  ReelStorageView view;

  reel_storage_get_view (self, &view);
  return view.end_row - view.first_row;
}

gint64
reel_storage_get_cursor (ReelStorage *self)
{
  ReelRing *ring = reel_storage_get_ring (self);

  return ring ? reel_ring_get_end (ring) % reel_ring_get_capacity (ring) : 0;
}

void
reel_storage_get_view (ReelStorage *self, ReelStorageView *view)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelRing *ring = reel_storage_get_ring (self);
  gint64 first = 0, end = 0;

  if (ring)
    reel_ring_get_view (ring, &first, &end);
  view->lanes = ring ? state->lanes : 1;
  view->capacity = ring ? state->capacity : 1; /* who allocates may be rounding it */
  view->first_row = first * view->lanes;
  view->end_row = end * view->lanes;
}

gint64
reel_storage_first_intact_row (ReelStorage *self)
{
  ReelRing *ring = reel_storage_get_ring (self);

  return ring ? reel_ring_first_intact (ring) * reel_storage_state (self)->lanes : 0;
}

gint64
reel_storage_count_filled (ReelStorage *self, const ReelStorageView *view)
{
  if (view->first_row == view->end_row)
    return 0;
  return MIN (view->end_row - reel_storage_state (self)->origin * view->lanes, view->capacity);
}

/* Valid steps that begin at slot 0 and do not fill the ring are the first since it was emptied. */
static void
find_origin (ReelStorage *self)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  gint64 first, end;

  reel_ring_get_view (reel_storage_get_ring (self), &first, &end);
  state->origin = first % state->n_slots == 0 && end - first < state->n_slots ? first : 0;
}

/* Slots that hold something were written once at least. */
static void
begin_generations (ReelStorage *self, gint64 slot, gint64 n)
{
  gint64 n_slots = reel_storage_state (self)->n_slots;

  for (gint64 i = 0; reel_storage_has_generations (self) && i < n; i++)
    if (reel_storage_get_generation (self, (slot + i) % n_slots) < 0)
      reel_storage_count_writes (self, (slot + i) % n_slots, 1);
}

void
reel_storage_restore (ReelStorage *self, gint64 begin, gint64 end)
{
  gint64 n_slots = reel_storage_state (self)->n_slots;

  /* Other rows under numbers that who follows may know. */
  reel_storage_begin_change (self);
  reel_ring_set (reel_storage_get_ring (self), begin, end);
  reel_storage_outdate_generations (self);
  begin_generations (self, begin % n_slots, end - begin);
  reel_storage_end_change (self);
  find_origin (self);
}

void
reel_storage_take_ring (ReelStorage *self, ReelRing *ring)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  guint64 revision = reel_storage_get_revision (self), counted = reel_ring_get_revision (ring);

  g_return_if_fail (reel_ring_get_capacity (ring) == state->n_slots);
  /* One more change, whatever the other ring counted; odd where it is under change. */
  atomic_store (&state->revision_before, revision + 2 - (counted & ~1ull));
  reel_ring_free (atomic_exchange (&state->ring, ring));
  find_origin (self);
}

static char *
describe_layout (ReelStorage *self)
{
  const char *name =
      reel_storage_state (self)->given ? "TensorStorage" : REEL_STORAGE_GET_CLASS (self)->peer_name;
  ReelTensordict *data = reel_storage_get_data (self);
  g_autofree char *text = NULL, *shape = NULL;
  g_autoptr (ReelTensordict) filled = NULL;
  g_autoptr (GString) string = g_string_new (NULL);
  gint64 length = reel_storage_get_length (self), capacity = reel_storage_get_capacity (self);

  if (data)
    filled = reel_tensordict_slice (data, 0, 0, length / reel_storage_get_lanes (self), 1, NULL);
  text = filled ? reel_tensordict_to_string (filled) : g_strdup ("<empty>");
  shape = filled ? reel_print_size (filled, reel_storage_get_ndim (self)) : g_strdup ("None");
  g_string_printf (string,
                   "data=%s, \nshape=%s, \nlen=%" G_GINT64_FORMAT ", \nmax_size=%" G_GINT64_FORMAT,
                   text, shape, length, capacity);
  return reel_print_call (name, string->str);
}

char *
reel_storage_to_string (ReelStorage *self)
{
  ReelStorageClass *klass = REEL_STORAGE_GET_CLASS (self);

  return klass->to_string ? klass->to_string (self) : describe_layout (self);
}
