/* Charts as SVG: letters are text, in a font of the reader's. */
#include "pen.h"

#include <string.h>

#define FONT_SIZE 12

typedef struct
{
  Pen base;
  GString *svg;
} SvgPen;

static void
draw_box (Pen *pen, double x, double y, double width, double height, guint32 colour)
{
  g_string_append_printf (
      ((SvgPen *) pen)->svg,
      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#%06x\"/>\n", x, y, width,
      height, colour);
}

static void
draw_text (Pen *pen, double x, double y, PenAnchor anchor, guint32 colour, const char *text)
{
  static const char *const anchors[] = { "start", "middle", "end" };
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  g_string_append_printf (
      ((SvgPen *) pen)->svg,
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#%06x\">%s</text>\n", x, y - 3,
      anchors[anchor], colour, escaped);
}

/* M behind the first point, or L, then points to and fro. */
static void
append_points (GString *svg, guint n, const double *x, const double *y, gboolean back)
{
  for (guint i = 0; i < n; i++)
    {
      guint at = back ? n - 1 - i : i;

      g_string_append_printf (svg, "%s%.1f %.1f", i == 0 && !back ? "M" : "L", x[at], y[at]);
    }
}

static void
draw_band (Pen *pen, guint n, const double *x, const double *low, const double *high,
           guint32 colour)
{
  GString *svg = ((SvgPen *) pen)->svg;

  g_string_append (svg, "<path d=\"");
  append_points (svg, n, x, low, FALSE);
  append_points (svg, n, x, high, TRUE);
  g_string_append_printf (svg, "Z\" fill=\"#%06x\" fill-opacity=\"0.2\"/>\n", colour);
}

static void
draw_curve (Pen *pen, guint n, const double *x, const double *y, guint32 colour)
{
  GString *svg = ((SvgPen *) pen)->svg;

  g_string_append (svg, "<path d=\"");
  append_points (svg, n, x, y, FALSE);
  g_string_append_printf (svg,
                          "\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.1f\" "
                          "stroke-linejoin=\"round\"/>\n",
                          colour, PEN_WIDTH);
}

static gboolean
write_svg (Pen *pen, const Draft *draft, GError **error)
{
  GString *svg = ((SvgPen *) pen)->svg;

  g_string_append (svg, "</g>\n</svg>\n");
  return draft_write (draft, svg->str, svg->len, error);
}

static void
free_svg (Pen *pen)
{
  g_string_free (((SvgPen *) pen)->svg, TRUE);
  g_free (pen);
}

Pen *
pen_new_svg (double width, double height)
{
  SvgPen *self = g_new0 (SvgPen, 1);

  self->base = (Pen){ draw_box, draw_text, draw_band, draw_curve, write_svg, free_svg };
  self->svg = g_string_new (NULL);
  g_string_append_printf (self->svg,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                          "width=\"%.0f\" height=\"%.0f\">\n"
                          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
                          "<g font-family=\"sans-serif\" font-size=\"%d\">\n",
                          width, height, width, height, FONT_SIZE);
  return &self->base;
}
