/* Images of another size. Private. */
#pragma once

#include "../core/math/isa.h"
#include "../core/object/object.h"
#include "../core/tensor/tensor.h"
#include "resampling.h"

G_BEGIN_DECLS

/**
 * REEL_MOST_PIXELS:
 *
 * Pixels of a side of a result, at most.
 */
#define REEL_MOST_PIXELS 32768

/**
 * REEL_MOST_LINE:
 *
 * Elements of a row of pixels, at most: beyond it columns could not be counted in 32 bits.
 */
#define REEL_MOST_LINE (G_MAXINT32 / 4)

/**
 * reel_interpolations: (array zero-terminated=1)
 *
 * The words of #ReelInterpolation.
 */
extern const char *const reel_interpolations[];

/**
 * ReelResizing:
 * @w: rows of a result, as TorchRL has it
 * @h: pixels of a row
 * @interpolation: what a pixel is, a #ReelInterpolation
 * @antialias: as in reel_resampling_init()
 * @gray: whether red, green and blue become one channel on the way, where they are the last
 *   dimension in memory; not with an interpolation that picks pixels unless @unit
 * @unit: whether bytes are divided by 255 first, as to-tensor-image does; otherwise gray ones are
 *   exact
 * @sums: whether the result is in the type of the sums, float32 of bytes, not in that of the pixels
 * @isa: which kernels
 */
typedef struct
{
  gint64 w;
  gint64 h;
  gint interpolation;
  gboolean antialias;
  gboolean gray;
  gboolean unit;
  gboolean sums;
  ReelIsa isa;
} ReelResizing;

/**
 * reel_resizing_add_properties:
 * @klass: a class of transforms, in its class_init
 * @offset: of a #ReelResizing in the instance
 * @rows: (transfer none): what `w` is, in words
 *
 * Adds `w`, `h`, `interpolation` and `antialias`.
 */
void reel_resizing_add_properties (ReelObjectClass *klass, gsize offset, const char *rows);

/**
 * reel_resizing_picks:
 * @how: what images become
 *
 * Returns: whether pixels of the result are some of those that there are
 */
gboolean reel_resizing_picks (const ReelResizing *how);

/**
 * reel_image_resize:
 * @value: images `[…, channels, height, width]`, however they lie in memory
 * @how: what they become. Sums are made in float32 of bytes and of floats up to float32, else in
 *   float64; rows first, then columns; integers are rounded and saturated
 * @error: TYPE for pixels that have no mean; VALUE for a shape that is no image, or too large a one
 *
 * Returns: (transfer full): images of that size, which lie as @value; @value itself if it is one
 */
ReelTensor *reel_image_resize (ReelTensor *value, const ReelResizing *how, GError **error);

G_END_DECLS
