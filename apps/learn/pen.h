/* The strokes that a chart is made of, on a picture that is written as PNG or SVG. Lengths are
 * units, of which a line of text is PEN_LINE high; y is 0 at the top. */
#pragma once

#include "../common/draft.h"
#include "../common/usage-error.h"

G_BEGIN_DECLS

#define PEN_LINE 14
#define PEN_WIDTH 1.6 /* of a curve */

typedef enum
{
  PEN_LEFT,
  PEN_CENTRE,
  PEN_RIGHT,
} PenAnchor;

typedef struct _Pen Pen;

struct _Pen
{
  /* A filled box. */
  void (*box) (Pen *self, double x, double y, double width, double height, guint32 colour);
  /* A line of text whose letters are between y - PEN_LINE and y; x is its left end, its middle or
   * its right end. */
  void (*text) (Pen *self, double x, double y, PenAnchor anchor, guint32 colour, const char *text);
  /* Pale colour between two curves over the same x, which rise. */
  void (*band) (Pen *self, guint n, const double *x, const double *low, const double *high,
                guint32 colour);
  /* A curve over x, which rise. */
  void (*curve) (Pen *self, guint n, const double *x, const double *y, guint32 colour);
  gboolean (*write) (Pen *self, const Draft *draft, GError **error);
  void (*free) (Pen *self);
};

/* White pictures. */
Pen *pen_new_png (double width, double height, GError **error);
Pen *pen_new_svg (double width, double height);

static inline void
pen_free (Pen *self)
{
  self->free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pen, pen_free)

G_END_DECLS
