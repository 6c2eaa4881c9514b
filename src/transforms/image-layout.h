/* Images as plain arrays, however their channels lie. Private. */
#pragma once

#include "../core/tensor/tensor.h"

G_BEGIN_DECLS

/**
 * ReelImages:
 * @pixels: `[…, channels, height, width]`, or `[…, height, width, channels]`
 * @last: whether the channels are the last dimension of @pixels
 * @data: the first image
 * @row_bytes: distance of rows, whose pixels follow one another
 * @image_bytes: distance of images
 * @n: how many images there are, one behind the other; each channel is one where they are not last
 * @height: rows of an image
 * @width: pixels of a row
 * @inner: elements of a pixel, one behind the other
 *
 * Images `[…, channels, height, width]` that are read.
 */
typedef struct
{
  ReelTensor *pixels;
  gboolean last;
  const guint8 *data;
  gsize row_bytes;
  gsize image_bytes;
  gint64 n;
  gint64 height;
  gint64 width;
  gint64 inner;
} ReelImages;

/**
 * ReelImageNeeds:
 * @REEL_IMAGES_PACKED: images follow one another, and so do their rows
 * @REEL_IMAGES_PIXELS: the elements of a pixel follow one another where they can in memory
 *
 * Demands on images.
 */
typedef enum
{
  REEL_IMAGES_PACKED = 1 << 0,
  REEL_IMAGES_PIXELS = 1 << 1,
} ReelImageNeeds;

/**
 * reel_images_init:
 * @self: (out caller-allocates): what to fill
 * @value: images of at least two dimensions. Those whose channels lie last are read as they lie,
 *   and so are those whose rows are contiguous, or windows of either; others are copied
 * @needs: what the caller relies on
 * @error: NO_SPACE
 *
 * Returns: whether it was filled
 */
gboolean reel_images_init (ReelImages *self, ReelTensor *value, ReelImageNeeds needs,
                           GError **error);

/**
 * reel_images_take:
 * @self: packed images
 * @pixels: (transfer full): the same in order, of another element type
 */
void reel_images_take (ReelImages *self, ReelTensor *pixels);

/**
 * reel_images_new_like:
 * @self: images
 * @dtype: type of the elements
 * @height: rows of an image
 * @width: pixels of a row
 * @channels: elements of a pixel where the channels are last; 0 for as many as in @self
 * @error: NO_SPACE, VALUE
 *
 * Returns: (transfer full): as many images of another size, which lie in memory as @self: any
 *   elements
 */
ReelTensor *reel_images_new_like (const ReelImages *self, ReelDtype dtype, gint64 height,
                                  gint64 width, gint64 channels, GError **error);

/**
 * reel_images_turn:
 * @self: images
 * @made: what reel_images_new_like() gave, or the like
 * @error: none but the system's
 *
 * Returns: (transfer full): a view `[…, channels, height, width]`
 */
ReelTensor *reel_images_turn (const ReelImages *self, ReelTensor *made, GError **error);

/**
 * reel_images_clear:
 * @self: images, or zeros
 *
 * Gives back what they hold.
 */
void reel_images_clear (ReelImages *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelImages, reel_images_clear)

/**
 * reel_tensor_put_channels_last:
 * @value: `[…, channels, height, width]`
 * @error: none but the system's
 *
 * Returns: (transfer full): a view `[…, height, width, channels]`
 */
ReelTensor *reel_tensor_put_channels_last (ReelTensor *value, GError **error);

/**
 * reel_tensor_put_channels_first:
 *
 * Returns: (transfer full): the view that reel_tensor_put_channels_last() turned
 */
ReelTensor *reel_tensor_put_channels_first (ReelTensor *value, GError **error);

G_END_DECLS
