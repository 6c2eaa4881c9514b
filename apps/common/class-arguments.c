#include "class-arguments.h"

#include "text-table.h"

#include <stdio.h>

json_t *
class_arguments_to_json (const GPtrArray *infos)
{
  json_t *arguments = json_array ();

  for (guint i = 0; i < infos->len; i++)
    {
      const ReelPropertyInfo *info = infos->pdata[i];
      json_array_append_new (arguments, json_pack ("{s:s, s:s, s:s*, s:s*, s:s, s:s}", "name",
                                                   info->name, "kind", info->kind, "range",
                                                   info->range, "unit", info->unit, "default",
                                                   info->initial, "about", info->blurb));
    }
  return arguments;
}

void
class_arguments_print (const GPtrArray *infos)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < infos->len; i++)
    {
      const ReelPropertyInfo *info = infos->pdata[i];
      g_autofree char *name = g_strdup_printf ("  %s=%s", info->name, info->initial);
      g_autofree char *about =
          g_strdup_printf ("%s (%s)", info->blurb, info->range ? info->range : info->kind);
      text_append_item (text, name, about);
    }
  printf ("%s", text->str);
}
