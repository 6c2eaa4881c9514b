/* Pictures that stand among the data, in whatever form their tools store them. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

typedef enum
{
  PIXELS_COLOURS_LAST,  /* uint8 [H, W, 3] */
  PIXELS_COLOURS_FIRST, /* uint8 [3, H, W], or the last of [frames, 3, H, W] */
  PIXELS_SHARES_FIRST,  /* float32, 0 to 1: [3, H, W], or the last of [frames, 3, H, W] */
  PIXELS_GREY, /* uint8 [H, W], [H, W, 1], or the last of [frames, H, W], [frames, 1, H, W] */
  PIXELS_GREY_SHARES, /* float32, 0 to 1: [1, H, W], or the last of [frames, H, W], [frames, 1, H,
                         W] */
} PixelsForm;

typedef struct
{
  char *path;
  PixelsForm form;
  gint64 width, height;
  gint64 n_frames; /* of a stack */
} StoredPixels;

/* Looks for them among the leaves of a row, a tensordict of batch size [1]: `pixels` first. */
gboolean stored_pixels_find (StoredPixels *self, const ReelTensordict *row);
void stored_pixels_clear (StoredPixels *self);

/* Makes a picture of what a row holds at the path, in the form and size that were found. */
gboolean stored_pixels_draw (const StoredPixels *self, const ReelTensor *stored,
                             ReelTensor *picture, GError **error);

G_END_DECLS
