#include "saved-lanes.h"

#include "../core/formats/crc32c.h"
#include "../core/object/error.h"
#include "../core/tensordict/state-values.h"

static gint64
sum_up (const ReelSavedLanes *self)
{
  guint32 counts = reel_crc32c (0, self->counts, (gsize) self->n_counts * sizeof *self->counts);

  return reel_crc32c (counts, self->lanes, self->size);
}

gboolean
reel_saved_lanes_write (const ReelSavedLanes *self, ReelTensordict *state, GError **error)
{
  gint64 sum = sum_up (self);

  return reel_state_set (state, "counts", REEL_DTYPE_INT64, 1, self->n_counts, self->counts, error)
         && reel_state_set (state, "lanes", REEL_DTYPE_UINT8, 1, (gint64) self->size, self->lanes,
                            error)
         && reel_state_set (state, "sum", REEL_DTYPE_INT64, 0, 1, &sum, error);
}

gboolean
reel_saved_lanes_read (ReelSavedLanes *self, const ReelTensordict *state, gsize size,
                       GError **error)
{
  const ReelTensor *counts = reel_state_get (state, "counts", REEL_DTYPE_INT64, 1, error);
  const ReelTensor *lanes =
      counts ? reel_state_get (state, "lanes", REEL_DTYPE_UINT8, 1, error) : NULL;
  const ReelTensor *sum = lanes ? reel_state_get (state, "sum", REEL_DTYPE_INT64, 0, error) : NULL;

  if (sum == NULL)
    return FALSE;
  *self = (ReelSavedLanes){ (const gint64 *) (gconstpointer) counts->data, counts->shape[0],
                            lanes->data, (gsize) lanes->shape[0] };
  if (self->size != size)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "the state of lanes has %" G_GSIZE_FORMAT " bytes, not %" G_GSIZE_FORMAT
                 ": it is of other properties",
                 self->size, size);
  else if (sum_up (self) != *(const gint64 *) (gconstpointer) sum->data)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                         "the state of lanes does not have its checksum: it is damaged");
  else
    return TRUE;
  return FALSE;
}

gboolean
reel_saved_lanes_check_steps (const ReelSavedLanes *self, gint n_workers, GError **error)
{
  if (self->n_counts == REEL_N_SAVED + n_workers)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the state has the steps of %" G_GINT64_FORMAT " workers apart, not of %d: make the "
               "collector as that of the state",
               MAX (self->n_counts - REEL_N_SAVED, 0), n_workers);
  return FALSE;
}
