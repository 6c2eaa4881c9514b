/* Pictures as PNG; those of JPEG are read. A picture is a tensor, uint8 `[height, width, 3]`: red,
 * green and blue, the topmost row first. Every call may be made from any thread. Sources: the PNG
 * specification, second edition, by libpng; ITU-T T.81, by libjpeg. */
#pragma once

#include "../tensor/tensor.h"

G_BEGIN_DECLS

/**
 * REEL_IMAGE_MOST:
 *
 * The most pixels of a side that is read or written.
 */
#define REEL_IMAGE_MOST 32768

/**
 * reel_image_encode_png:
 * @image: a picture, of any strides
 * @error: VALUE where it is none or too large, NO_SPACE
 *
 * Writes a picture without loss, for speed: flat ones, such as drawings, by whole runs of bytes,
 * others by differences to the row above.
 *
 * Returns: (transfer full): the file's bytes
 */
REEL_API
GBytes *reel_image_encode_png (ReelTensor *image, GError **error);

/**
 * reel_image_decode_png:
 * @data: (array length=length) (element-type guint8): a file's bytes
 * @length: how many
 * @name: what messages call it
 * @error: DAMAGED where it is no PNG, ends early, fails a checksum or is larger than
 *   REEL_IMAGE_MOST; NO_SPACE
 *
 * Reads any PNG: palettes and greys become colours, 16 bits 8; transparency is left out.
 *
 * Returns: (transfer full): the picture
 */
REEL_API
ReelTensor *reel_image_decode_png (gconstpointer data, gsize length, const char *name,
                                   GError **error);

/**
 * reel_image_decode_jpeg:
 * @data: (array length=length) (element-type guint8): a file's bytes
 * @length: how many
 * @name: what messages call it
 * @error: DAMAGED where it is no JPEG, ends early, is damaged in any way that libjpeg notices, has
 *   the colours CMYK, or is larger than REEL_IMAGE_MOST or 178 956 970 pixels; NOT_IMPLEMENTED
 *   where the library was built without libjpeg; NO_SPACE
 *
 * Reads a JPEG file, progressive or not, as Pillow does: by the slow integer transform, and with
 * colours that are interpolated between their samples. Greys become colours.
 *
 * Returns: (transfer full): the picture
 */
REEL_API
ReelTensor *reel_image_decode_jpeg (gconstpointer data, gsize length, const char *name,
                                    GError **error);

/**
 * reel_image_write_png:
 * @image: a picture
 * @path: the file; one that is there, or that a symbolic link there leads to, is replaced once the
 *   new one is whole; a device or a pipe is written into
 * @error: as reel_image_encode_png(); NO_SPACE and IO of the disk
 *
 * Returns: whether it stands there
 */
REEL_API
gboolean reel_image_write_png (ReelTensor *image, const char *path, GError **error);

/**
 * reel_image_read_png:
 * @path: a file
 * @error: as reel_image_decode_png(); IO
 *
 * Returns: (transfer full): the picture
 */
REEL_API
ReelTensor *reel_image_read_png (const char *path, GError **error);

G_END_DECLS
