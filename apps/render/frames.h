/* The pictures of one episode, by number: one before the first step, and one after each. */
#pragma once

#include "../common/options.h"
#include "step-record.h"

G_BEGIN_DECLS

/* The space between the pictures of a grid or a sheet. */
#define FRAMES_GAP 4
#define FRAMES_GREY 0xa0a0a0

typedef struct _Frames Frames;

/* Where pictures come from: an episode that is stored, or one that is played. */
typedef struct
{
  gboolean (*advance) (Frames *self, GError **error);
  gboolean (*draw) (Frames *self, gint64 i, ReelTensor *picture, GError **error);
  gboolean (*note) (Frames *self, gint64 i, StepNote *note, GError **error);
  void (*free) (Frames *self);
} FramesClass;

struct _Frames
{
  const FramesClass *klass;
  gint64 n;             /* pictures so far, at least 1 */
  gboolean whole;       /* there will be no more */
  gboolean lacks_last;  /* none after the last step */
  gint64 width, height; /* of a picture, as it is stored or drawn unless told otherwise */
  gint64 stored_width, stored_height; /* of pictures that are stored, and scaled; else 0 */
  gboolean is_plot; /* whether each picture shows the numbers of the whole episode */
  double rate;      /* pictures a second that show the task at its own speed */
  char *name;       /* what it is an episode of */
  char *remark;     /* why it looks as it does, where that must be said */

  /* Of a grid alone. */
  Frames **parts;
  gsize n_parts;
  gint64 columns, rows;
};

/* Several at once, side by side; takes them. Those that ended show their last picture. */
Frames *frames_new_grid (Frames **parts, gsize n_parts, gint64 columns, gint64 rows);

/* How many steps there are pictures of. */
static inline gint64
frames_count_steps (const Frames *self)
{
  return self->n - !self->lacks_last;
}

/* Makes picture n known, by a step more, unless they are whole. */
gboolean frames_advance (Frames *self, GError **error);

/* The same until they are whole, or somebody interrupts; at most @most steps. */
gboolean frames_finish (Frames *self, gint64 most, GError **error);

/* Whether pictures are stored, of a grid all, so that they look best at whole multiples of their
 * size. */
gboolean frames_are_stored (const Frames *self);

/* Makes each picture this large. */
void frames_set_size (Frames *self, gint64 width, gint64 height);

/* Draws picture i, or the last one before it, to the size of @picture; a stored one is enlarged by
 * a whole factor, or made smaller where it does not fit, and grey is around it. Overlays are
 * written upon it where asked for. */
gboolean frames_draw (Frames *self, gint64 i, gboolean overlay, ReelTensor *picture,
                      GError **error);

/* A picture of width × height. */
ReelTensor *picture_new (gint64 width, gint64 height, GError **error);

void frames_free (Frames *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Frames, frames_free)

G_END_DECLS
