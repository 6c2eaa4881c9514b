#include "component-print.h"

char *
reel_print_call (const char *name, const char *arguments)
{
  g_auto (GStrv) lines = g_strsplit (arguments, "\n", -1);
  GString *text = g_string_new (name);

  g_string_append_c (text, '(');
  for (gsize i = 0; lines[i]; i++)
    g_string_append_printf (text, "\n%s%s", lines[i][0] ? "    " : "", lines[i]);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

char *
reel_print_size (const ReelTensordict *td, gint n)
{
  GString *text = g_string_new ("torch.Size([");
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  for (gint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", size[i]);
  g_string_append (text, "])");
  return g_string_free (text, FALSE);
}
