/* Dimensions that can be changed: of a tensor, or the named ones of a batch. Private to the
 * library. */
#pragma once

#include "tensor-private.h"

G_BEGIN_DECLS

/**
 * ReelForm:
 * @view: a tensor's fields; holds no reference
 * @names: of each dimension; all %NULL for a tensor's
 * @scattered: whether no strides show this shape, so that it takes a copy in the same order
 *
 * Shape, strides, data and names, to be changed in place. A change of a form applies to a tensor
 * and a batch alike: that of a batch has the strides of a tensor of bytes, and no data.
 */
typedef struct
{
  ReelTensor view;
  const char *names[REEL_MAX_NDIM];
  gboolean scattered;
} ReelForm;

/**
 * reel_form_init:
 * @form: (out caller-allocates): a form without names
 * @tensor: a tensor
 */
void reel_form_init (ReelForm *form, const ReelTensor *tensor);

/**
 * reel_form_init_batch:
 * @form: (out caller-allocates): a form without names, data and memory
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 */
void reel_form_init_batch (ReelForm *form, gint ndim, const gint64 *shape);

/**
 * reel_form_move:
 * @form: a form
 * @index: an index of dimension @dim
 * @dim: a dimension
 *
 * Lets it begin at @index.
 */
void reel_form_move (ReelForm *form, gint dim, gint64 index);

/**
 * reel_form_remove:
 * @form: a form
 * @dim: the dimension that goes
 */
void reel_form_remove (ReelForm *form, gint dim);

/**
 * reel_form_insert:
 * @form: a form with fewer than %REEL_MAX_NDIM dimensions
 * @dim: where the new one goes, of extent 1 and without a name
 */
void reel_form_insert (ReelForm *form, gint dim);

/**
 * reel_form_regroup:
 * @form: a form
 * @begin: the first dimension that is replaced
 * @end: one past the last
 * @n: how many dimensions replace them; they have no names
 * @shape: (array length=n): their extents, with the same product
 * @error: VALUE when there were too many dimensions
 *
 * Returns: whether the form was changed, scattered where its strides allow no view
 */
gboolean reel_form_regroup (ReelForm *form, gint begin, gint end, gint n, const gint64 *shape,
                            GError **error);

G_END_DECLS
