/* Neighbours in a chain that are done in one pass over the pixels of images. Private. */
#pragma once

#include "image-resize.h"
#include "lane-plan.h"
#include "transform.h"

G_BEGIN_DECLS

/**
 * ReelImagePass:
 * @dtype: element type of the images, after the transforms so far
 * @ndim: their dimensions
 * @shape: (array length=ndim): their extents
 *
 * What some transforms make of images, in this order: channels that are last become first, bytes
 * are divided by 255, a window is cut out, red, green and blue become one, the size changes, and
 * what is left, which is little, goes through the rest of the transforms one by one. Each element
 * is computed as by the transforms one after the other, to the last bit.
 */
struct _ReelImagePass
{
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  /*< private >*/
  guint n_joined;
  gboolean bytes; /* whether the pixels are such */
  gboolean turned;
  gboolean cut;
  gint64 top, left, rows, columns; /* the window */
  gboolean resized;
  ReelResizing how; /* size, gray, unit */
  GPtrArray *rest;  /* of ReelTransform */
  gboolean closed;
};

/**
 * reel_image_pass_new:
 * @links: (array length=n): transforms that follow one another
 * @n: how many
 * @dtype: element type of the images
 * @ndim: dimensions of them
 * @shape: (array length=ndim): their extents
 *
 * Joins the first transforms, as many as can be.
 *
 * Returns: (transfer full): a pass, of any number of them
 */
ReelImagePass *reel_image_pass_new (ReelTransform *const *links, guint n, ReelDtype dtype,
                                    gint ndim, const gint64 *shape);

/**
 * reel_image_pass_free:
 * @self: (transfer full) (nullable): a pass
 */
void reel_image_pass_free (ReelImagePass *self);

/**
 * reel_image_pass_get_n_joined:
 * @self: a pass
 *
 * Returns: how many transforms it does
 */
guint reel_image_pass_get_n_joined (const ReelImagePass *self);

/**
 * reel_image_pass_run:
 * @self: a pass of one transform at least
 * @value: images of its form
 * @error: NO_SPACE
 *
 * Any thread, several at once.
 *
 * Returns: (transfer full): what the transforms make of them
 */
ReelTensor *reel_image_pass_run (const ReelImagePass *self, ReelTensor *value, GError **error);

/**
 * reel_image_pass_turn:
 * @self: a pass
 * @divide: whether elements are divided by 255
 *
 * For `join_pass`: the last dimension of images goes before their height. Bytes must be divided.
 *
 * Returns: whether it was added: it is the first step of a pass
 */
gboolean reel_image_pass_turn (ReelImagePass *self, gboolean divide);

/**
 * reel_image_pass_cut:
 * @self: a pass
 * @top: first row
 * @left: first column
 * @rows: rows
 * @columns: columns
 *
 * For `join_pass`: a window of images that are float32.
 *
 * Returns: whether it was added: it is inside, and not of another size already
 */
gboolean reel_image_pass_cut (ReelImagePass *self, gint64 top, gint64 left, gint64 rows,
                              gint64 columns);

/**
 * reel_image_pass_make_gray:
 * @self: a pass
 * @transform: what makes images gray
 *
 * For `join_pass`: three channels, float32, become one.
 *
 * Returns: whether it was added
 */
gboolean reel_image_pass_make_gray (ReelImagePass *self, ReelTransform *transform);

/**
 * reel_image_pass_resize:
 * @self: a pass
 * @how: what images become; its size, interpolation and `antialias`
 *
 * For `join_pass`: another size of images that are float32.
 *
 * Returns: whether it was added
 */
gboolean reel_image_pass_resize (ReelImagePass *self, const ReelResizing *how);

/**
 * reel_image_pass_add_dim:
 * @self: a pass
 * @transform: what adds a dimension of extent 1
 * @dim: its place, counted from the end
 *
 * For `join_pass`: the last step of a pass.
 *
 * Returns: whether it was added
 */
gboolean reel_image_pass_add_dim (ReelImagePass *self, ReelTransform *transform, gint64 dim);

/**
 * reel_image_pass_bind:
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
gboolean reel_image_pass_bind (ReelTransform *const *links, guint n, ReelLanePlan *plan,
                               guint *n_bound, GError **error);

/**
 * reel_image_pass_forward:
 * @links: (array length=n): transforms that follow one another, each at the out-keys of the one
 *   before
 * @n: how many
 * @td: what is read
 * @n_done: (out): how many of them were done; 0 where two are no pass
 * @error: as reel_image_pass_bind()
 *
 * Does the first transforms in one pass over the images at each key.
 *
 * Returns: whether it could, or had nothing to do
 */
gboolean reel_image_pass_forward (ReelTransform *const *links, guint n, ReelTensordict *td,
                                  guint *n_done, GError **error);

/**
 * reel_image_pass_count_links:
 * @links: (array length=n): transforms that follow one another
 * @n: how many
 *
 * Returns: how many of the first can be joined, by their classes and keys: what one writes is what
 *   the next reads and replaces
 */
guint reel_image_pass_count_links (ReelTransform *const *links, guint n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelImagePass, reel_image_pass_free)

G_END_DECLS
