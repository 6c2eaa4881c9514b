/* Text upon pictures. */
#pragma once

#include "frames.h"

G_BEGIN_DECLS

/* Step, time, action, reward and flags, in the left upper corner. */
void overlay_draw (const Frames *frames, gint64 i, const StepNote *note, ReelTensor *picture);

/* Lines of text on a dark box, its left upper corner at x, y, or as far from the right and lower
 * edge where they are negative. Lines that are wider than the picture are broken. */
void overlay_write (ReelTensor *picture, gint64 x, gint64 y, const char *text);

/* Pixels of a dot of text that suit the picture. */
gint overlay_scale (const ReelTensor *picture);

G_END_DECLS
