/* Pictures of few colours: each pixel the number of one of 255. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Number 255 is left to who uses them. */
#define PALETTE_MOST 255

typedef struct
{
  guint8 colours[PALETTE_MOST][3];
  gint n;
} Palette;

/* Chooses colours for n pixels of three bytes, of which those with a true byte in `skip` count for
 * nothing, and writes the number of each of the others. Up to PALETTE_MOST colours are kept as they
 * are; of more, boxes of like colours are halved until there are so many, by median cut (P.
 * Heckbert, Color image quantization for frame buffer display, 1982), on five bits of each. */
void palette_map (Palette *self, const guint8 *pixels, const guint8 *skip, gint64 n,
                  guint8 *numbers);

G_END_DECLS
