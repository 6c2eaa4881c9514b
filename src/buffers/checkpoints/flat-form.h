/* Which row of flat TED data lies where. Private to the library. */
#pragma once

#include "flat-ted.h"

G_BEGIN_DECLS

/* What stands beside the rows, and the flags that tell where a trajectory ends. */
#define REEL_FLAT_IS_FULL "is_full"
#define REEL_FLAT_SHIFT "shift"
#define REEL_FLAT_SHAPE "_storage_shape"
#define REEL_FLAT_DONE "done"
#define REEL_FLAT_N_VALUES 3
extern const char *const reel_flat_values[REEL_FLAT_N_VALUES];

/**
 * ReelFlatForm:
 * @ndim: dimensions of the allocation
 * @shape: (array length=ndim): steps, then lanes
 * @steps: slots of a lane
 * @lanes: lanes, those of all dimensions
 * @rows: steps × lanes
 * @shift: one past the slot that was written last, 0 where it is not known
 * @is_full: whether all slots hold something
 *
 * A *place* is that of a step of a lane in order of time; flat rows are numbered lane × steps +
 * place.
 */
typedef struct
{
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  gint64 steps;
  gint64 lanes;
  gint64 rows;
  gint64 shift;
  gboolean is_full;
} ReelFlatForm;

/**
 * reel_flat_form_set_shape:
 * @form: with @ndim and @shape
 * @error: DAMAGED where that is no shape of a storage
 *
 * Returns: whether the counts that follow from it were set
 */
gboolean reel_flat_form_set_shape (ReelFlatForm *form, GError **error);

/**
 * reel_flat_form_read:
 * @form: (out caller-allocates): what is said beside the rows
 * @flat: flat rows
 * @error: DAMAGED with found and expected
 *
 * Returns: whether @form was set
 */
gboolean reel_flat_form_read (ReelFlatForm *form, const ReelTensordict *flat, GError **error);

/**
 * reel_flat_form_row_of:
 * @form: a form
 * @lane: a lane
 * @place: a place
 *
 * Returns: its row in the allocation, slot × lanes + lane
 */
gint64 reel_flat_form_row_of (const ReelFlatForm *form, gint64 lane, gint64 place);

/**
 * reel_flat_form_count_places:
 * @form: a form
 *
 * Returns: the places of a lane that may be valid: where TorchRL says nothing, all
 */
gint64 reel_flat_form_count_places (const ReelFlatForm *form);

/**
 * reel_flat_form_get_done:
 * @form: a form
 * @flat: its flat rows
 * @error: DAMAGED where it is not a bool a row
 *
 * Returns: (transfer none): the flags that end trajectories
 */
const ReelTensor *reel_flat_form_get_done (const ReelFlatForm *form, const ReelTensordict *flat,
                                           GError **error);

/**
 * reel_flat_form_find_ends:
 * @form: a form
 * @done: a flag for each flat row
 * @error: NO_SPACE
 *
 * Returns: (transfer full): whether there is a row more behind each: where a trajectory ends, or
 *   what is known of a lane
 */
ReelTensor *reel_flat_form_find_ends (const ReelFlatForm *form, const ReelTensor *done,
                                      GError **error);

/**
 * reel_flat_count_ends:
 * @ends: from reel_flat_form_find_ends()
 * @first: the first flat row
 * @n: how many
 *
 * Returns: how many of them are ends
 */
gint64 reel_flat_count_ends (const ReelTensor *ends, gint64 first, gint64 n);

/**
 * reel_flat_row_bytes:
 * @tensor: rows
 * @n_batch: its dimensions that say which row
 *
 * Returns: bytes of a row
 */
gsize reel_flat_row_bytes (const ReelTensor *tensor, gint n_batch);

/**
 * reel_flat_ted_is_of_next:
 * @self: which keys
 * @key: a key of the root
 *
 * Returns: whether it is taken from `next` alone
 */
gboolean reel_flat_ted_is_of_next (const ReelFlatTed *self, const char *key);

G_END_DECLS
