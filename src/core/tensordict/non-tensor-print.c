/* Printing of non-tensors. */
#include "non-tensor-private.h"

#include "tensordict-private.h"
#include "variant.h"

/* The limit of a NonTensorStack's print, in characters; and that of NonTensorData, of which
 * two ends are left where there is more. */
#define MAX_SHOWN 50
#define MAX_SINGLE 200
#define END_SHOWN 20

/* ---- one value ---- */

/* Where Python's splitlines() ends a line. */
static gboolean
ends_line (gunichar c)
{
  return (c >= '\n' && c <= '\r') || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028
         || c == 0x2029;
}

/* Whether there is nothing but white space before the end of a line that ends in @text. */
static gboolean
is_blank_line (const char *text)
{
  for (; *text; text = g_utf8_next_char (text))
    {
      gunichar c = g_utf8_get_char (text);
      if (ends_line (c))
        return TRUE;
      if (!g_unichar_isspace (c) && c != 0x1f)
        return FALSE;
    }
  return FALSE;
}

/* Indents all lines but the first, as Python's textwrap does: not the blank ones. */
static void
append_indented (GString *text, gint level, const char *lines)
{
  for (; *lines; lines = g_utf8_next_char (lines))
    {
      gunichar c = g_utf8_get_char (lines);
      g_string_append_unichar (text, c);
      if (ends_line (c) && !(c == '\r' && lines[1] == '\n')
          && !is_blank_line (g_utf8_next_char (lines)))
        g_string_append_printf (text, "%*s", level * 4, "");
    }
}

static void
append_size (GString *text, const ReelNonTensor *non_tensor)
{
  gint ndim;
  const gint64 *shape = reel_non_tensor_get_batch_size (non_tensor, &ndim);

  g_string_append (text, "batch_size=");
  reel_tensordict_append_size (text, ndim, shape);
}

static void
cut_out_middle (GString *text)
{
  glong length = g_utf8_strlen (text->str, -1);

  if (length <= MAX_SINGLE)
    return;
  char *begin = g_utf8_offset_to_pointer (text->str, END_SHOWN);
  char *end = g_utf8_offset_to_pointer (text->str, length - END_SHOWN);
  g_string_erase (text, begin - text->str, end - begin);
  g_string_insert (text, begin - text->str, "  ...  ");
}

static void
append_single (GString *text, const ReelNonTensor *non_tensor, const char *device, gint level)
{
  g_autoptr (GString) shown = g_string_new (NULL);
  g_autoptr (GVariant) value = reel_non_tensor_dup_data (non_tensor);

  reel_variant_append_str (shown, value);
  cut_out_middle (shown);
  g_string_append_printf (text, "%s(data=", reel_non_tensor_class_name (non_tensor));
  append_indented (text, level, shown->str);
  g_string_append (text, ", ");
  append_size (text, non_tensor);
  g_string_append_printf (text, ", device=%s)", device ? device : "None");
}

/* ---- many values ---- */

/* Nested lists of what Python's repr gives; stops once there is more than is shown. */
static void
append_list (GString *text, const ReelNonTensor *non_tensor, gint dim, gint64 *index)
{
  gint ndim;
  const gint64 *shape = reel_non_tensor_get_batch_size (non_tensor, &ndim);

  if (dim == ndim)
    {
      reel_variant_append_repr (text, reel_non_tensor_get_value (non_tensor, index));
      return;
    }
  g_string_append_c (text, '[');
  for (index[dim] = 0; index[dim] < shape[dim] && g_utf8_strlen (text->str, -1) <= MAX_SHOWN;
       index[dim]++)
    {
      g_string_append (text, index[dim] == 0 ? "" : ", ");
      append_list (text, non_tensor, dim + 1, index);
    }
  g_string_append_c (text, ']');
}

static void
append_stack (GString *text, const ReelNonTensor *non_tensor, const char *device, gint level)
{
  g_autoptr (GString) shown = g_string_new (NULL);
  gint64 index[REEL_MAX_NDIM] = { 0 };

  append_list (shown, non_tensor, 0, index);
  if (g_utf8_strlen (shown->str, -1) > MAX_SHOWN)
    {
      g_string_truncate (shown, g_utf8_offset_to_pointer (shown->str, MAX_SHOWN) - shown->str);
      g_string_append (shown, "...");
    }
  g_string_append_printf (text, "NonTensorStack(\n%*s%s,\n%*s", (level + 1) * 4, "", shown->str,
                          (level + 1) * 4, "");
  append_size (text, non_tensor);
  g_string_append_printf (text, ",\n%*sdevice=%s)", (level + 1) * 4, "", device ? device : "None");
}

void
reel_non_tensor_append_text (GString *text, const ReelNonTensor *non_tensor, const char *device,
                             gint level)
{
  if (reel_non_tensor_is_single (non_tensor))
    append_single (text, non_tensor, device, level);
  else
    append_stack (text, non_tensor, device, level);
}

char *
reel_non_tensor_to_string (const ReelNonTensor *non_tensor)
{
  GString *text = g_string_new (NULL);

  reel_non_tensor_append_text (text, non_tensor, NULL, 0);
  return g_string_free (text, FALSE);
}
