#include "step-block.h"

#include "../core/tensor/shared-memory.h"
#include "../core/tensor/tensor-private.h"

struct _ReelStepBlock
{
  ReelTensordict *layout;
  const ReelTedColumns *columns;
  gint64 n_steps;
  gint64 n_lanes;
  gboolean batched; /* whether it has a dimension of lanes */
  gboolean is_forked;
  guint8 **data;         /* of each column, step 0 of lane 0 */
  ReelTensordict *whole; /* all steps */
  ReelTensordict *seen;  /* the last view, unless it is @whole */
};

/* make_shared: zeros that processes share. */
static ReelTensor *
make_shared (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  gsize bytes = reel_dtype_size (dtype);
  gboolean fits = TRUE;
  g_autoptr (ReelMemory) memory = NULL;

  for (gint i = 0; i < ndim; i++)
    fits = fits && g_size_checked_mul (&bytes, bytes, (gsize) shape[i]);
  memory = reel_memory_new_shared (fits ? bytes : G_MAXSIZE, error);
  return memory ? reel_tensor_new_from_memory (memory, 0, dtype, ndim, shape, NULL, error) : NULL;
}

/* add_leaf: room for the leaf of all steps. */
static gboolean
add_leaf (const ReelStepBlock *self, ReelTensordict *steps, const char *path, GError **error)
{
  const ReelTensor *step = reel_tensordict_get_tensor (self->layout, path, NULL);
  gint64 shape[REEL_MAX_NDIM] = { self->n_steps };
  g_autoptr (ReelTensor) tensor = NULL;

  for (gint i = 0; i < step->ndim; i++)
    shape[i + 1] = step->shape[i];
  tensor = self->is_forked ? make_shared (step->dtype, step->ndim + 1, shape, error)
                           : reel_tensor_new (step->dtype, step->ndim + 1, shape, error);
  return tensor && reel_tensordict_set_tensor (steps, path, tensor, error);
}

/* make_whole: a tensordict of new memory. */
static ReelTensordict *
make_whole (const ReelStepBlock *self, GError **error)
{
  const char *names[] = { NULL, "time" };
  gboolean batched = self->batched;
  const gint64 size[] = { self->n_steps, self->n_lanes };
  g_autoptr (ReelTensordict) steps = reel_tensordict_new (1 + batched, size), whole = NULL;
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (self->layout);

  for (char **leaf = leaves; *leaf; leaf++)
    if (!add_leaf (self, steps, *leaf, error))
      return NULL;
  whole = batched ? reel_tensordict_transpose (steps, 0, 1, error) : g_steal_pointer (&steps);
  if (whole == NULL || !reel_tensordict_set_names (whole, names + !batched, error))
    return NULL;
  return g_steal_pointer (&whole);
}

static void
take_whole (ReelStepBlock *self, ReelTensordict *whole)
{
  g_clear_pointer (&self->whole, reel_tensordict_unref);
  self->whole = whole;
  for (guint c = 0; c < self->columns->n_columns; c++)
    self->data[c] = reel_tensordict_get_tensor (whole, self->columns->paths[c], NULL)->data;
}

ReelStepBlock *
reel_step_block_new (ReelTensordict *layout, const ReelTedColumns *columns, gint64 n_steps,
                     gboolean is_forked, GError **error)
{
  ReelStepBlock *self = g_new0 (ReelStepBlock, 1);
  gint ndim;
  const gint64 *lanes = reel_tensordict_get_batch_size (layout, &ndim);
  ReelTensordict *whole;

  *self = (ReelStepBlock){ .layout = layout,
                           .columns = columns,
                           .n_steps = n_steps,
                           .n_lanes = ndim > 0 ? lanes[0] : 1,
                           .batched = ndim > 0,
                           .is_forked = is_forked };
  self->data = g_new (guint8 *, columns->n_columns);
  whole = make_whole (self, error);
  if (whole == NULL)
    {
      reel_step_block_free (self);
      return NULL;
    }
  take_whole (self, whole);
  return self;
}

void
reel_step_block_free (ReelStepBlock *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->seen, reel_tensordict_unref);
  g_clear_pointer (&self->whole, reel_tensordict_unref);
  g_free (self->data);
  g_free (self);
}

/* is_shared: whether somebody else refers to the memory of a leaf. */
static gboolean
is_shared (const ReelStepBlock *self)
{
  for (guint c = 0; c < self->columns->n_columns; c++)
    if (reel_memory_is_shared (
            reel_tensordict_get_tensor (self->whole, self->columns->paths[c], NULL)->memory))
      return TRUE;
  return FALSE;
}

gboolean
reel_step_block_renew (ReelStepBlock *self, GError **error)
{
  ReelTensordict *whole;

  g_clear_pointer (&self->seen, reel_tensordict_unref);
  if (self->is_forked || !is_shared (self))
    return TRUE;
  whole = make_whole (self, error);
  if (whole)
    take_whole (self, whole);
  return whole != NULL;
}

void
reel_step_block_point (const ReelStepBlock *self, gint64 step, guint8 **columns)
{
  for (guint c = 0; c < self->columns->n_columns; c++)
    columns[c] = self->data[c] + step * self->n_lanes * self->columns->row_bytes[c];
}

ReelTensordict *
reel_step_block_see (ReelStepBlock *self, gint64 n_steps, gboolean same, GError **error)
{
  g_clear_pointer (&self->seen, reel_tensordict_unref);
  if (same && n_steps == self->n_steps)
    return self->whole;
  self->seen = reel_tensordict_slice (self->whole, -1, 0, n_steps, 1, error);
  return self->seen;
}

ReelTensordict *
reel_step_block_see_range (ReelStepBlock *self, gint64 begin, gint64 end, GError **error)
{
  return reel_tensordict_slice (self->whole, -1, begin, end, 1, error);
}
