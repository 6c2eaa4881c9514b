/* Drawing on existing pictures: boxes, other pictures, text. A picture is a
 * contiguous tensor, uint8 `[height, width, 3]`. Parts beyond its edges are left out. Any
 * thread, for disjoint pictures. */
#pragma once

#include "../tensor/tensor.h"

G_BEGIN_DECLS

/**
 * reel_image_is_drawable:
 * @image: (nullable): a tensor
 *
 * Returns: whether it is a picture that can be drawn on: uint8, contiguous, `[height, width, 3]`
 *   with at least one pixel
 */
REEL_API
gboolean reel_image_is_drawable (const ReelTensor *image);

/**
 * reel_image_fill:
 * @image: a picture
 * @x: the first column
 * @y: the first row, 0 the topmost
 * @width: columns
 * @height: rows
 * @colour: 0xRRGGBB
 * @opacity: 0 changes nothing, 255 leaves nothing of what was there
 *
 * Fills a box.
 */
REEL_API
void reel_image_fill (ReelTensor *image, gint64 x, gint64 y, gint64 width, gint64 height,
                      guint32 colour, guint8 opacity);

/**
 * reel_image_put:
 * @image: a picture
 * @x: where the first column goes
 * @y: where the topmost row goes
 * @other: another picture
 *
 * Copies one picture into another.
 */
REEL_API
void reel_image_put (ReelTensor *image, gint64 x, gint64 y, const ReelTensor *other);

/**
 * reel_image_scale:
 * @from: a picture
 * @to: another of any size, which is filled
 *
 * Enlarges by repeating pixels, so that each stays to be seen; makes smaller by the mean of what a
 * pixel covers, each side by itself.
 */
REEL_API
void reel_image_scale (const ReelTensor *from, ReelTensor *to);

/**
 * REEL_IMAGE_GLYPH_WIDTH:
 *
 * Pixels from one character to the next, at scale 1.
 */
#define REEL_IMAGE_GLYPH_WIDTH 6

/**
 * REEL_IMAGE_LINE_HEIGHT:
 *
 * Pixels from one line of text to the next, at scale 1.
 */
#define REEL_IMAGE_LINE_HEIGHT 11

/**
 * reel_image_text_width:
 * @text: UTF-8
 * @scale: pixels of a dot, at least 1
 *
 * Returns: pixels that its longest line is wide
 */
REEL_API
gint64 reel_image_text_width (const char *text, gint scale);

/**
 * reel_image_draw_text:
 * @image: a picture
 * @x: where the first character begins
 * @y: where the tallest ones begin
 * @scale: pixels of a dot, at least 1
 * @colour: 0xRRGGBB
 * @text: UTF-8; `\n` begins a line. Characters beyond ASCII are drawn as a box
 *
 * Writes with a font of its own, the same on every machine: 5 × 7 dots, two more below the line.
 */
REEL_API
void reel_image_draw_text (ReelTensor *image, gint64 x, gint64 y, gint scale, guint32 colour,
                           const char *text);

G_END_DECLS
