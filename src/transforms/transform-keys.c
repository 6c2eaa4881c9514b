/* Keys as transforms take and print them. */
#include "transform-private.h"

#include "../core/tensordict/tensordict-private.h"
#include "../core/tensordict/variant.h"

gboolean
reel_key_check_all (const char *const *keys, GError **error)
{
  for (; keys && *keys; keys++)
    {
      g_auto (GStrv) components = reel_path_split (*keys, error);

      if (!components)
        return FALSE;
    }
  return TRUE;
}

void
reel_key_append_repr (GString *text, const char *key, gboolean as_str)
{
  g_auto (GStrv) components = reel_path_split (key, NULL);
  guint n = components ? g_strv_length (components) : 0;
  g_autofree GVariant **strings = g_new (GVariant *, n);
  g_autoptr (GVariant) value = NULL;

  if (n == 0)
    return;
  for (guint i = 0; i < n; i++)
    strings[i] = g_variant_new_string (components[i]);
  value = g_variant_ref_sink (n == 1 ? strings[0] : g_variant_new_tuple (strings, n));
  if (as_str)
    reel_variant_append_str (text, value);
  else
    reel_variant_append_repr (text, value);
}

char *
reel_key_format_list (const char *const *keys)
{
  GString *text = g_string_new ("[");

  for (; keys && *keys; keys++)
    {
      if (text->len > 1)
        g_string_append (text, ", ");
      reel_key_append_repr (text, *keys, FALSE);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}
