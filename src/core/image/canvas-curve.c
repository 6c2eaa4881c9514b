/* A line through points as pygame-ce's aalines draws it on white, to the byte: Wu's lines with ends
 * at fractions of a pixel, in floats. */
#include "canvas-private.h"

#include <math.h>

/* A piece of the line in its longer direction, in which it ascends. */
typedef struct
{
  gboolean steep;
  float from, to;               /* along that direction */
  float from_across, to_across; /* in the other one */
  float gradient;
} Piece;

static void
darken (const ReelCanvas *canvas, gboolean steep, gint along, gint across, float share)
{
  gint x = steep ? across : along, y = steep ? along : across;

  if (x < 0 || x >= canvas->width || y < 0 || y >= canvas->height)
    return;

  guint8 *pixel = reel_canvas_row (canvas, y) + 3 * x;
  guint8 left = (guint8) ((1 - share) * pixel[0]);

  pixel[0] = pixel[1] = pixel[2] = left;
}

/* Two pixels share what the line has at a place. */
static void
darken_pair (const ReelCanvas *canvas, const Piece *piece, gint along, float across, float share)
{
  gint below = (gint) floorf (across);
  float above = across - (float) below;

  darken (canvas, piece->steep, along, below, (1 - above) * share);
  if (above > 0)
    darken (canvas, piece->steep, along, below + 1, above * share);
}

static gboolean
is_steep (const float (*points)[2])
{
  return fabsf (points[1][0] - points[0][0]) < fabsf (points[1][1] - points[0][1]);
}

static Piece
make_piece (const float (*points)[2])
{
  gboolean steep = is_steep (points);
  gboolean back = points[1][steep] < points[0][steep];
  const float *a = points[back], *b = points[!back];

  return (Piece){
    .steep = steep,
    .from = a[steep],
    .to = b[steep],
    .from_across = a[!steep],
    .to_across = b[!steep],
    .gradient = (b[!steep] - a[!steep]) / (b[steep] - a[steep]),
  };
}

/* @begins and @ends say whether these ends are drawn and not left to the pieces beside; @corner
 * that a piece is steep and the other is not, so that both draw them. */
static void
draw_piece (const ReelCanvas *canvas, const Piece *piece, gboolean begins, gboolean ends,
            gboolean corner)
{
  gint first = (gint) piece->from, last = (gint) ceilf (piece->to);
  float across = piece->from_across + piece->gradient * ((float) first - piece->from);

  if (begins || corner)
    {
      darken_pair (canvas, piece, first, across, (float) (1 + first) - piece->from);
      across += piece->gradient;
      first++;
    }
  if (!begins)
    {
      first = (gint) ceilf (piece->from);
      across = piece->from_across + piece->gradient * ((float) first - piece->from);
    }
  if (ends || corner)
    darken_pair (canvas, piece, last,
                 piece->to_across + piece->gradient * ((float) last - piece->to),
                 (float) (1 - last) + piece->to);
  for (; first < last; first++, across += piece->gradient)
    darken_pair (canvas, piece, first, across, 1);
}

void
reel_exact_curve (const ReelCanvas *canvas, const ReelPoint *points, gsize n)
{
  float rounded[REEL_CANVAS_CORNERS / 2][2];
  gboolean was_steep = FALSE;

  for (gsize i = 0; i < n; i++)
    {
      rounded[i][0] = (float) points[i].x;
      rounded[i][1] = (float) points[i].y;
    }
  for (gsize i = 0; i + 1 < n; i++)
    {
      Piece piece = make_piece (&rounded[i]);
      gboolean corner =
          i > 0 ? piece.steep != was_steep : n > 2 && piece.steep && !is_steep (&rounded[1]);

      draw_piece (canvas, &piece, i == 0, i + 2 == n, corner);
      was_steep = piece.steep;
    }
}
