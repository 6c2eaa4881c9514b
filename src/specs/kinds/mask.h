/* Which classes are allowed where. Private. */
#pragma once

#include "../../core/tensor/tensor.h"

G_BEGIN_DECLS

/**
 * ReelMask:
 * @n_rows: places after which it repeats; 0 where all classes are allowed everywhere
 * @n_components: components of a place
 * @begins: (array): n_rows × n_components + 1 numbers: where in @allowed the classes of each begin
 * @allowed: (array): the classes allowed, in order, component by component, place by place
 *
 * A plain struct of its owner's. Component number i, counted over all places, is the component i
 * modulo @n_components of a place.
 */
typedef struct
{
  gint64 n_rows;
  gint64 n_components;
  gint64 *begins;
  gint64 *allowed;
} ReelMask;

/**
 * reel_mask_init:
 * @mask: (out caller-allocates): what to fill, zeroed
 * @tensor: a tensor of bool whose last dimension is all classes of all components
 * @n_components: components of a place
 * @sizes: (array length=n_components): classes of each
 * @error: VALUE where a component has no class that is allowed; NO_SPACE
 *
 * Returns: whether it is filled; if not it is to be cleared all the same
 */
gboolean reel_mask_init (ReelMask *mask, const ReelTensor *tensor, gint64 n_components,
                         const gint64 *sizes, GError **error);

/**
 * reel_mask_clear:
 * @mask: filled or zeroed
 */
void reel_mask_clear (ReelMask *mask);

/**
 * reel_mask_get:
 * @mask: a mask with rows
 * @component: number of a component
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n): the classes allowed there, in order
 */
const gint64 *reel_mask_get (const ReelMask *mask, gint64 component, gint64 *n);

/**
 * reel_mask_nearest:
 * @mask: a mask with rows
 * @component: number of a component
 * @value: any integer
 *
 * Returns: the class allowed there that is nearest to @value, the lower of two
 */
gint64 reel_mask_nearest (const ReelMask *mask, gint64 component, gint64 value);

/**
 * reel_mask_is_uniform:
 * @mask: a mask
 *
 * Returns: whether the same classes are allowed in all places
 */
gboolean reel_mask_is_uniform (const ReelMask *mask);

G_END_DECLS
