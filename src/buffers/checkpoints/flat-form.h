/* Which row of flat TED data lies where. Private to the library. */
#pragma once

#include "../../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/* Keys beside the rows, and the flags that end a trajectory. */
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
 * @error: DAMAGED where that is not the shape of a storage
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
 * reel_flat_form_slot_of:
 * @form: a form
 * @place: a place
 *
 * Returns: its slot in the allocation
 */
gint64 reel_flat_form_slot_of (const ReelFlatForm *form, gint64 place);

/**
 * reel_flat_form_count_places:
 * @form: a form
 *
 * Returns: the places of a lane that may be valid: where TorchRL says nothing, all
 */
gint64 reel_flat_form_count_places (const ReelFlatForm *form);

/**
 * reel_flat_form_set_values:
 * @form: a form
 * @flat: where what is said beside the rows is set
 * @error: what is wrong with one
 *
 * Returns: whether it was
 */
gboolean reel_flat_form_set_values (const ReelFlatForm *form, ReelTensordict *flat, GError **error);

/**
 * reel_flat_copy_values:
 * @from: a tensordict of any batch size
 * @to: where its entries that are no tensors are set, with no batch dimensions of their own
 * @error: what is wrong with one
 *
 * Takes over what is known of the form.
 *
 * Returns: whether they were set
 */
gboolean reel_flat_copy_values (const ReelTensordict *from, ReelTensordict *to, GError **error);

/**
 * reel_flat_new_outline:
 * @dtype: type of the elements
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @error: VALUE
 *
 * Returns: (transfer full): a tensor that takes no memory, for its shape alone
 */
ReelTensor *reel_flat_new_outline (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_flat_row_bytes:
 * @tensor: rows
 * @n_batch: its dimensions that say which row
 *
 * Returns: bytes of a row
 */
gsize reel_flat_row_bytes (const ReelTensor *tensor, gint n_batch);

/**
 * ReelFlatCut:
 * @n: trajectories, and parts of slots that are not valid, at least 1
 * @lengths: (array length=n): rows of each of a key that has one a step
 * @grown: (array length=n): rows of each of a key that has one more a trajectory
 * @n_grown: all of these
 *
 * Where flat rows are cut.
 */
typedef struct
{
  gint64 n;
  gint64 *lengths;
  gint64 *grown;
  gint64 n_grown;
  /*< private >*/
  gint64 n_rows, first;
  GArray *open_lengths, *open_grown;
} ReelFlatCut;

/**
 * reel_flat_cut_new:
 *
 * Returns: (transfer full): no rows yet
 */
ReelFlatCut *reel_flat_cut_new (void);

/**
 * reel_flat_cut_add:
 * @self: where to cut
 * @form: the form of the rows
 * @done: (array length=n): whether a trajectory ends at each of the rows that follow
 * @n: how many of them
 *
 * Trajectories end where they say so, and at what is known last of a lane. Rows behind the last
 * known step are a part of their own, without a row more. All is there once all rows of @form
 * were added.
 */
void reel_flat_cut_add (ReelFlatCut *self, const ReelFlatForm *form, const guint8 *done, gint64 n);

/**
 * reel_flat_cut_free:
 * @self: (transfer full) (nullable): a cut
 */
void reel_flat_cut_free (ReelFlatCut *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelFlatCut, reel_flat_cut_free)

G_END_DECLS
