/* The sources of the pixels of a resized image. Private. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelInterpolation:
 * @REEL_NEAREST: the pixel under the top left corner
 * @REEL_NEAREST_EXACT: the pixel under the middle
 * @REEL_BILINEAR: the neighbours of the middle, by their distance
 * @REEL_BICUBIC: two neighbours to each side, by a cubic
 * @REEL_AREA: all pixels that touch it, evenly
 *
 * The value of a pixel of another grid, by the names of torch's `interpolate()`.
 */
typedef enum
{
  REEL_NEAREST,
  REEL_NEAREST_EXACT,
  REEL_BILINEAR,
  REEL_BICUBIC,
  REEL_AREA,
} ReelInterpolation;

/**
 * ReelResampling:
 * @n_in: pixels of a line
 * @n: pixels of a line of the result
 * @most: sources of a pixel, at most
 * @first: (array length=n): the first source of each
 * @count: (array length=n): how many
 * @weights: (array length=n × most): of the sources of each, one behind the other
 *
 * A line of pixels of another.
 */
typedef struct
{
  gint64 n_in;
  gint64 n;
  gint64 most;
  gint32 *first;
  gint32 *count;
  double *weights;
} ReelResampling;

/**
 * reel_resampling_init:
 * @self: (out caller-allocates): what to fill
 * @how: what a pixel is
 * @antialias: whether bilinear and bicubic widen where the result has fewer pixels, so that each
 *   pixel counts
 * @n_in: pixels of a line, at least 1
 * @n: pixels of a line of the result, at least 1
 *
 * The formulas are those of torch's `interpolate (align_corners=False)`, evaluated in double
 * precision; which pixel is nearest is decided in float32, as there.
 */
void reel_resampling_init (ReelResampling *self, ReelInterpolation how, gboolean antialias,
                           gint64 n_in, gint64 n);

/**
 * reel_resampling_clear:
 * @self: filled
 */
void reel_resampling_clear (ReelResampling *self);

G_END_DECLS
