/* JPEG files, by libjpeg. */
#include "image.h"

#include "config.h"

#ifdef REEL_WITH_JPEG

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

/* The most pixels of a picture, as Pillow has it. */
#define MOST_PIXELS 178956970

/* A byte of a file is eight blocks of 64 pixels at most; arithmetic coding, by which a flat picture
 * can be smaller, does not get more. */
#define MOST_PIXELS_OF_BYTE 512

/* A progressive file is read once for each scan; it has some ten. */
#define MOST_SCANS 500

/* One file on its way in. libjpeg leaves a failing call by a jump: all that it works on is here, so
 * that nothing is lost. */
typedef struct
{
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf out;
  const guint8 *data;
  gsize length;
  ReelTensor *image;
  GError *fault; /* ours; else the message counts */
  char message[JMSG_LENGTH_MAX];
} Decoder;

static void
fail (Decoder *self, const char *message)
{
  g_strlcpy (self->message, message, sizeof self->message);
  longjmp (self->out, 1);
}

static void
on_error (j_common_ptr jpeg)
{
  Decoder *self = jpeg->client_data;

  self->errors.format_message (jpeg, self->message);
  longjmp (self->out, 1);
}

/* A warning is damage that libjpeg would guess pixels for; the others are notes. */
static void
on_message (j_common_ptr jpeg, int level)
{
  if (level < 0)
    on_error (jpeg);
}

static void
on_progress (j_common_ptr jpeg)
{
  Decoder *self = jpeg->client_data;

  if (self->jpeg.input_scan_number > MOST_SCANS)
    fail (self, "it has too many scans");
}

/* Before memory is taken: whether a file of this length can hold that many pixels at all. */
static void
check_size (Decoder *self)
{
  const gsize width = self->jpeg.image_width, height = self->jpeg.image_height;

  if (width > REEL_IMAGE_MOST || height > REEL_IMAGE_MOST || width * height > MOST_PIXELS)
    fail (self, "it is too large");
  if (width * height > self->length * MOST_PIXELS_OF_BYTE)
    fail (self, "it says more pixels than it can hold");
}

static void
make_image (Decoder *self)
{
  const gint64 shape[] = { self->jpeg.output_height, self->jpeg.output_width, 3 };

  self->image = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, &self->fault);
  if (!self->image)
    fail (self, "no memory");
}

static void
read_image (Decoder *self)
{
  struct jpeg_decompress_struct *jpeg = &self->jpeg;

  jpeg_mem_src (jpeg, self->data, self->length);
  jpeg_read_header (jpeg, TRUE);
  check_size (self);
  if (jpeg->num_components != 1 && jpeg->num_components != 3)
    fail (self, "its colours are neither RGB, YCbCr nor greys");
  jpeg->out_color_space = JCS_RGB;
  jpeg_start_decompress (jpeg);
  make_image (self);
  while (jpeg->output_scanline < jpeg->output_height)
    {
      JSAMPROW row = self->image->data + (gsize) jpeg->output_scanline * jpeg->output_width * 3;

      jpeg_read_scanlines (jpeg, &row, 1);
    }
  jpeg_finish_decompress (jpeg);
}

/* Runs what may jump; no variable lives across it. */
static gboolean
run (Decoder *self)
{
  if (setjmp (self->out))
    return FALSE;
  jpeg_create_decompress (&self->jpeg);
  self->jpeg.progress = &self->progress;
  read_image (self);
  return TRUE;
}

ReelTensor *
reel_image_decode_jpeg (gconstpointer data, gsize length, const char *name, GError **error)
{
  g_return_val_if_fail (data != NULL || length == 0, NULL);

  Decoder self = { .data = data, .length = length };

  self.jpeg.err = jpeg_std_error (&self.errors);
  self.errors.error_exit = on_error;
  self.errors.emit_message = on_message;
  self.progress.progress_monitor = on_progress;
  self.jpeg.client_data = &self;

  gboolean done = run (&self);

  jpeg_destroy_decompress (&self.jpeg);
  if (done)
    return self.image;
  g_clear_pointer (&self.image, reel_tensor_unref);
  if (self.fault)
    g_propagate_prefixed_error (error, self.fault, "%s: ", name);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s is not a whole JPEG file: %s", name,
                 self.message);
  return NULL;
}

#else

ReelTensor *
reel_image_decode_jpeg (gconstpointer data, gsize length, const char *name, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s is a JPEG file, which this build cannot read: install libjpeg-dev and "
               "configure without --without-jpeg",
               name);
  return NULL;
}

#endif
