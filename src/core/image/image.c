#include "image.h"

#include <png.h>
#include <string.h>
#include <zlib.h>

#include "../system/files.h"

/* The largest file that is looked at: 32768 × 32768 pixels of noise. */
#define FILE_MOST ((gsize) 4 << 30)

/* A deflated stream holds at most this many bytes for each of its own. */
#define MOST_DEFLATED 1032

/* One file on its way in or out. libpng leaves a failing call by a jump: all that it works on is
 * here, so that nothing is lost. */
typedef struct
{
  png_structp png;
  png_infop info;
  ReelTensor *image;
  GByteArray *written;
  const guint8 *data;
  gsize length, at;
  GError *fault; /* ours; else libpng's message counts */
  char message[160];
} Coder;

static void
on_error (png_structp png, png_const_charp message)
{
  Coder *coder = png_get_error_ptr (png);

  g_strlcpy (coder->message, message, sizeof coder->message);
  png_longjmp (png, 1);
}

static void
on_warning (png_structp png, png_const_charp message)
{
}

/* Runs what may jump; no variable lives across it. */
static gboolean
run (Coder *coder, void (*work) (Coder *coder))
{
  if (setjmp (png_jmpbuf (coder->png)))
    return FALSE;
  work (coder);
  return TRUE;
}

/* ---- out ---- */

static void
write_bytes (png_structp png, png_bytep data, gsize length)
{
  Coder *coder = png_get_io_ptr (png);

  g_byte_array_append (coder->written, data, (guint) length);
}

static void
flush (png_structp png)
{
}

/* Whether most pixels are those to their left, by every eighth row. */
static gboolean
is_flat (const ReelTensor *image)
{
  gint64 same = 0, all = 0, width = image->shape[1];

  for (gint64 y = 0; y < image->shape[0]; y += 8)
    {
      const guint8 *row = image->data + y * width * 3;

      for (gint64 x = 1; x < width; x++)
        same += memcmp (row + 3 * x, row + 3 * x - 3, 3) == 0;
      all += width - 1;
    }
  return 2 * same >= all;
}

static void
write_image (Coder *coder)
{
  const ReelTensor *image = coder->image;
  gboolean flat = is_flat (image);

  png_set_write_fn (coder->png, coder, write_bytes, flush);
  png_set_user_limits (coder->png, REEL_IMAGE_MOST, REEL_IMAGE_MOST);
  png_set_IHDR (coder->png, coder->info, (png_uint_32) image->shape[1],
                (png_uint_32) image->shape[0], 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level (coder->png, 1);
  png_set_filter (coder->png, PNG_FILTER_TYPE_BASE, flat ? PNG_FILTER_NONE : PNG_FILTER_UP);
  if (!flat)
    png_set_compression_strategy (coder->png, Z_RLE);
  png_write_info (coder->png, coder->info);
  for (gint64 y = 0; y < image->shape[0]; y++)
    png_write_row (coder->png, image->data + y * image->shape[1] * 3);
  png_write_end (coder->png, coder->info);
}

static gboolean
check_image (const ReelTensor *image, GError **error)
{
  if (image->dtype != REEL_DTYPE_UINT8 || image->ndim != 3 || image->shape[2] != 3)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "a picture is uint8 [height, width, 3], not %s with %d dimensions",
                 reel_dtype_name (image->dtype), image->ndim);
  else if (image->shape[0] < 1 || image->shape[1] < 1 || image->shape[0] > REEL_IMAGE_MOST
           || image->shape[1] > REEL_IMAGE_MOST)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "a picture of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                 " pixels cannot be written; a side has 1 to %d",
                 image->shape[1], image->shape[0], REEL_IMAGE_MOST);
  else
    return TRUE;
  return FALSE;
}

GBytes *
reel_image_encode_png (ReelTensor *image, GError **error)
{
  g_return_val_if_fail (image != NULL, NULL);

  if (!check_image (image, error))
    return NULL;

  g_autoptr (ReelTensor) rows = reel_tensor_contiguous (image, error);

  if (rows == NULL)
    return NULL;

  Coder coder = { .image = rows, .written = g_byte_array_new () };

  coder.png = png_create_write_struct (PNG_LIBPNG_VER_STRING, &coder, on_error, on_warning);
  coder.info = coder.png != NULL ? png_create_info_struct (coder.png) : NULL;

  gboolean done = coder.info != NULL && run (&coder, write_image);

  png_destroy_write_struct (&coder.png, &coder.info);
  if (done)
    return g_byte_array_free_to_bytes (coder.written);
  g_byte_array_unref (coder.written);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "libpng cannot write a picture: %s",
               *coder.message ? coder.message : "out of memory");
  return NULL;
}

gboolean
reel_image_write_png (ReelTensor *image, const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, FALSE);

  g_autoptr (GBytes) bytes = reel_image_encode_png (image, error);
  gsize length;

  if (bytes == NULL)
    return FALSE;

  gconstpointer data = g_bytes_get_data (bytes, &length);

  return reel_file_write_atomic (path, data, length, FALSE, error);
}

/* ---- in ---- */

static void
read_bytes (png_structp png, png_bytep data, gsize length)
{
  Coder *coder = png_get_io_ptr (png);

  if (length > coder->length - coder->at)
    png_error (png, "it ends early");
  memcpy (data, coder->data + coder->at, length);
  coder->at += length;
}

/* Before memory is taken: whether a file of this length can hold that many pixels at all. */
static void
check_size (Coder *coder, gint64 width, gint64 height)
{
  gsize bits = (gsize) png_get_channels (coder->png, coder->info)
               * png_get_bit_depth (coder->png, coder->info);
  gsize row = ((gsize) width * bits + 7) / 8;

  if (row * (gsize) height > coder->length * MOST_DEFLATED)
    png_error (coder->png, "it says more pixels than it can hold");
}

static void
make_image (Coder *coder)
{
  const gint64 shape[] = { (gint64) png_get_image_height (coder->png, coder->info),
                           (gint64) png_get_image_width (coder->png, coder->info), 3 };

  check_size (coder, shape[1], shape[0]);
  if (png_get_rowbytes (coder->png, coder->info) != (gsize) shape[1] * 3)
    png_error (coder->png, "its rows have an unknown form");
  coder->image = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, &coder->fault);
  if (coder->image == NULL)
    png_error (coder->png, "no memory");
}

/* Any kind of pixel as three bytes. */
static void
ask_for_colours (Coder *coder)
{
  png_set_expand (coder->png);
  png_set_scale_16 (coder->png);
  png_set_gray_to_rgb (coder->png);
  png_set_strip_alpha (coder->png);
}

static void
read_image (Coder *coder)
{
  png_set_read_fn (coder->png, coder, read_bytes);
  png_set_user_limits (coder->png, REEL_IMAGE_MOST, REEL_IMAGE_MOST);
  png_set_chunk_malloc_max (coder->png, 1 << 20);
  png_set_crc_action (coder->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_read_info (coder->png, coder->info);
  check_size (coder, (gint64) png_get_image_width (coder->png, coder->info),
              (gint64) png_get_image_height (coder->png, coder->info));
  ask_for_colours (coder);

  gint passes = png_set_interlace_handling (coder->png);

  png_read_update_info (coder->png, coder->info);
  make_image (coder);
  for (gint pass = 0; pass < passes; pass++)
    for (gint64 y = 0; y < coder->image->shape[0]; y++)
      png_read_row (coder->png, coder->image->data + y * coder->image->shape[1] * 3, NULL);
  png_read_end (coder->png, NULL);
}

ReelTensor *
reel_image_decode_png (gconstpointer data, gsize length, const char *name, GError **error)
{
  g_return_val_if_fail (data != NULL || length == 0, NULL);

  Coder coder = { .data = data, .length = length };

  coder.png = png_create_read_struct (PNG_LIBPNG_VER_STRING, &coder, on_error, on_warning);
  coder.info = coder.png != NULL ? png_create_info_struct (coder.png) : NULL;

  gboolean done = coder.info != NULL && run (&coder, read_image);

  png_destroy_read_struct (&coder.png, &coder.info, NULL);
  if (done)
    return coder.image;
  g_clear_pointer (&coder.image, reel_tensor_unref);
  if (coder.fault != NULL)
    g_propagate_prefixed_error (error, coder.fault, "%s: ", name);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s is not a whole PNG file: %s", name,
                 *coder.message ? coder.message : "libpng cannot read it");
  return NULL;
}

ReelTensor *
reel_image_read_png (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);

  gsize length;
  g_autofree char *data = reel_file_read (path, FILE_MOST, &length, error);

  return data != NULL ? reel_image_decode_png (data, length, path, error) : NULL;
}
