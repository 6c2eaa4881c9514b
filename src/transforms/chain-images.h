/* The links of a chain that change images one behind the other: one pass. Private. */
#pragma once

#include "lane-plan.h"
#include "transform.h"

G_BEGIN_DECLS

/**
 * reel_chain_count_image_links:
 * @links: (array length=n): transforms that follow one another
 * @n: how many
 *
 * Returns: how many of the first can be joined, by their classes and keys: what one writes is what
 *   the next reads and replaces
 */
guint reel_chain_count_image_links (ReelTransform *const *links, guint n);

/**
 * reel_chain_forward_images:
 * @links: (array length=n): transforms that follow one another, each at the out-keys of the one
 *   before
 * @n: how many
 * @td: what is read
 * @n_done: (out): how many of them were done; 0 where two are no pass
 * @error: as reel_chain_bind_images()
 *
 * Does the first transforms in one pass over the images at each key.
 *
 * Returns: whether it could, or had nothing to do
 */
gboolean reel_chain_forward_images (ReelTransform *const *links, guint n, ReelTensordict *td,
                                    guint *n_done, GError **error);

/**
 * reel_chain_bind_images:
 * @links: (array length=n): transforms that follow one another, each at the out-keys of the one
 *   before
 * @n: how many
 * @plan: the plan of an env
 * @n_bound: (out): how many of them are done by works of @plan; 0 where they are no pass
 * @error: NO_SPACE; what the transforms say
 *
 * Adds a work for each key, which does the first transforms in one pass.
 *
 * Returns: whether it could, or had nothing to do
 */
gboolean reel_chain_bind_images (ReelTransform *const *links, guint n, ReelLanePlan *plan,
                                 guint *n_bound, GError **error);

G_END_DECLS
