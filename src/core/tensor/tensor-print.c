/* PyTorch's printer with its default options; after torch/_tensor_str.py. */
#include "tensor-private.h"

#include <math.h>
#include <string.h>

#define LINE_WIDTH 80
#define MAX_PRINTED 1000
#define EDGE_ITEMS 3
#define PREFIX "tensor("

#define MAX_NUMBER 64

/* How the numbers of one tensor, or of its real or imaginary parts, look. */
typedef struct
{
  ReelDtype dtype;
  gsize offset; /* bytes from the element to the part */
  gboolean integral;
  gboolean scientific;
  gint width;
  double least; /* magnitudes, of what is neither zero, infinite nor NaN */
  double greatest;
} Format;

typedef struct
{
  const ReelTensor *tensor;
  gboolean summarize;
  guint n_parts;
  Format parts[2];
  GString *text;
} Printer;

typedef void (*ElementFunc) (Format *format, const guint8 *part);

/* ---- numbers ---- */

static void
print_integer (char *text, ReelDtype dtype, const guint8 *part)
{
  guint64 word = 0;

  memcpy (&word, part, reel_dtype_size (dtype) == 8 ? 8 : 0);
  if (dtype == REEL_DTYPE_BOOL)
    g_strlcpy (text, *part ? "True" : "False", MAX_NUMBER);
  else if (dtype == REEL_DTYPE_UINT64)
    g_snprintf (text, MAX_NUMBER, "%" G_GUINT64_FORMAT, word);
  else if (dtype == REEL_DTYPE_INT64)
    g_snprintf (text, MAX_NUMBER, "%" G_GINT64_FORMAT, (gint64) word);
  else
    g_ascii_formatd (text, MAX_NUMBER, "%.0f", reel_dtype_load_double (dtype, part));
}

static void
print_float (char *text, const Format *format, double value)
{
  if (isnan (value))
    g_strlcpy (text, "nan", MAX_NUMBER);
  else if (isinf (value))
    g_strlcpy (text, value > 0 ? "inf" : "-inf", MAX_NUMBER);
  else if (format->scientific)
    g_ascii_formatd (text, MAX_NUMBER, "%.4e", value);
  else if (format->integral)
    {
      g_ascii_formatd (text, MAX_NUMBER, "%.0f", value);
      g_strlcat (text, ".", MAX_NUMBER);
    }
  else
    g_ascii_formatd (text, MAX_NUMBER, "%.4f", value);
}

static void
print_number (char *text, const Format *format, const guint8 *part)
{
  if (reel_dtype_is_float (format->dtype))
    print_float (text, format, reel_dtype_load_double (format->dtype, part));
  else
    print_integer (text, format->dtype, part);
}

/* ---- one look for all ---- */

/* PyTorch leaves zeros, infinities and NaN out of what it measures. */
static gboolean
counts (const Format *format, const guint8 *part)
{
  double value;

  if (!reel_dtype_is_float (format->dtype))
    return TRUE;
  value = reel_dtype_load_double (format->dtype, part);
  return isfinite (value) && value != 0;
}

static void
measure_magnitude (Format *format, const guint8 *part)
{
  if (!reel_dtype_is_float (format->dtype) || !counts (format, part))
    return;
  double value = reel_dtype_load_double (format->dtype, part);
  format->integral &= value == ceil (value);
  format->least = MIN (format->least, fabs (value));
  format->greatest = MAX (format->greatest, fabs (value));
}

static void
measure_width (Format *format, const guint8 *part)
{
  char number[MAX_NUMBER];

  if (!counts (format, part))
    return;
  print_number (number, format, part);
  format->width = MAX (format->width, (gint) strlen (number));
}

static gint64
skip_middle (const Printer *printer, gint dim, gint64 i)
{
  gint64 extent = printer->tensor->shape[dim];

  return printer->summarize && extent > 2 * EDGE_ITEMS && i == EDGE_ITEMS ? extent - EDGE_ITEMS : i;
}

static void
for_each_printed (Printer *printer, gint dim, const guint8 *element, ElementFunc func)
{
  const ReelTensor *tensor = printer->tensor;

  if (dim == tensor->ndim)
    {
      for (guint i = 0; i < printer->n_parts; i++)
        func (&printer->parts[i], element + printer->parts[i].offset);
      return;
    }
  for (gint64 i = 0; i < tensor->shape[dim]; i++)
    {
      i = skip_middle (printer, dim, i);
      for_each_printed (printer, dim + 1, element + i * tensor->strides[dim], func);
    }
}

static void
choose_format (Printer *printer)
{
  for_each_printed (printer, 0, printer->tensor->data, measure_magnitude);
  for (guint i = 0; i < printer->n_parts; i++)
    {
      Format *part = &printer->parts[i];
      if (part->greatest > 0)
        part->scientific =
            part->greatest / part->least > 1000.0 || part->greatest > 1.0e8 || part->least < 1.0e-4;
    }
  for_each_printed (printer, 0, printer->tensor->data, measure_width);
}

/* ---- layout ---- */

static void
append_element (Printer *printer, const guint8 *element)
{
  char number[MAX_NUMBER];

  print_number (number, &printer->parts[0], element);
  g_string_append_printf (printer->text, "%*s", printer->parts[0].width, number);
  if (printer->n_parts == 2)
    {
      print_number (number, &printer->parts[1], element + printer->parts[1].offset);
      g_string_append_printf (printer->text, "%s%sj", number[0] == '-' ? "" : "+", number);
    }
}

static gint
count_per_line (const Printer *printer, gint indent)
{
  gint width = printer->parts[0].width + 2;

  if (printer->n_parts == 2)
    width += printer->parts[1].width + 1;
  return MAX (1, (LINE_WIDTH - indent) / width);
}

static void
append_row (Printer *printer, const guint8 *element, gint indent)
{
  const ReelTensor *tensor = printer->tensor;
  gint dim = tensor->ndim - 1;
  gint per_line = count_per_line (printer, indent);
  gint n = 0;

  for (gint64 i = 0; i < tensor->shape[dim]; i++, n++)
    {
      if (n > 0 && n % per_line == 0)
        g_string_append_printf (printer->text, ",\n%*s", indent + 1, "");
      else if (n > 0)
        g_string_append (printer->text, ", ");
      gint64 next = skip_middle (printer, dim, i);
      if (next == i)
        append_element (printer, element + i * tensor->strides[dim]);
      else
        {
          g_string_append (printer->text, " ...");
          i = next - 1;
        }
    }
}

static void
append_block (Printer *printer, gint dim, const guint8 *element, gint indent)
{
  const ReelTensor *tensor = printer->tensor;
  g_autofree char *newlines = g_strnfill (MAX (tensor->ndim - dim - 1, 0), '\n');

  if (dim == tensor->ndim)
    {
      append_element (printer, element);
      return;
    }
  g_string_append_c (printer->text, '[');
  if (dim == tensor->ndim - 1)
    append_row (printer, element, indent);
  else
    for (gint64 i = 0; i < tensor->shape[dim]; i++)
      {
        if (i > 0)
          g_string_append_printf (printer->text, ",%s%*s", newlines, indent + 1, "");
        gint64 next = skip_middle (printer, dim, i);
        if (next != i)
          g_string_append_printf (printer->text, "...,%s%*s", newlines, indent + 1, "");
        i = next;
        append_block (printer, dim + 1, element + i * tensor->strides[dim], indent + 1);
      }
  g_string_append_c (printer->text, ']');
}

/* ---- what follows the values ---- */

static void
append_suffix (GString *text, const char *suffix)
{
  const char *last_line = strrchr (text->str, '\n');
  gsize used = last_line ? strlen (last_line) + 1 : text->len + 2;

  if (used + strlen (suffix) + 2 > LINE_WIDTH)
    g_string_append_printf (text, ",\n%*s%s", (gint) strlen (PREFIX), "", suffix);
  else
    g_string_append_printf (text, ", %s", suffix);
}

static void
append_size (GString *text, const ReelTensor *tensor)
{
  g_autofree char *shape = reel_shape_to_string (tensor->ndim, tensor->shape);
  g_autofree char *suffix = g_strdup_printf ("size=(%.*s)", (gint) strlen (shape) - 2, shape + 1);

  append_suffix (text, suffix);
}

/* An empty tensor shows nothing from which int64 or bool could be guessed. */
static void
append_dtype (GString *text, const ReelTensor *tensor, gboolean empty)
{
  gboolean guessed = tensor->dtype == REEL_DTYPE_FLOAT32;
  g_autofree char *suffix = g_strconcat ("dtype=torch.", reel_dtype_name (tensor->dtype), NULL);

  if (!empty)
    guessed |= tensor->dtype == REEL_DTYPE_INT64 || tensor->dtype == REEL_DTYPE_BOOL
               || tensor->dtype == REEL_DTYPE_COMPLEX64;
  if (!guessed)
    append_suffix (text, suffix);
}

static void
init_parts (Printer *printer)
{
  ReelDtype dtype = printer->tensor->dtype;
  ReelDtype part = dtype == REEL_DTYPE_COMPLEX32    ? REEL_DTYPE_FLOAT16
                   : dtype == REEL_DTYPE_COMPLEX64  ? REEL_DTYPE_FLOAT32
                   : dtype == REEL_DTYPE_COMPLEX128 ? REEL_DTYPE_FLOAT64
                                                    : dtype;

  printer->n_parts = reel_dtype_is_complex (dtype) ? 2 : 1;
  for (guint i = 0; i < printer->n_parts; i++)
    printer->parts[i] = (Format){
      .dtype = part,
      .offset = i * reel_dtype_size (part),
      .integral = TRUE,
      .width = 1,
      .least = INFINITY,
    };
}

char *
reel_tensor_to_string (const ReelTensor *tensor)
{
  Printer printer = { .tensor = tensor, .text = g_string_new (PREFIX) };
  gint64 numel = reel_tensor_numel (tensor);

  printer.summarize = numel > MAX_PRINTED;
  init_parts (&printer);
  if (numel > 0)
    {
      choose_format (&printer);
      append_block (&printer, 0, tensor->data, strlen (PREFIX));
    }
  else
    {
      g_string_append (printer.text, "[]");
      if (tensor->ndim != 1)
        append_size (printer.text, tensor);
    }
  append_dtype (printer.text, tensor, numel == 0);
  g_string_append_c (printer.text, ')');
  return g_string_free (printer.text, FALSE);
}
