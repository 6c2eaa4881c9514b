#include "option-help.h"

#include "text-table.h"

#include <string.h>

static void
append_paragraphs (GString *text, const char *paragraphs)
{
  g_auto (GStrv) lines = g_strsplit (paragraphs ? paragraphs : "", "\n", -1);

  if (!paragraphs)
    return;
  g_string_append_c (text, '\n');
  for (char **line = lines; *line; line++)
    text_append_wrapped (text, *line, 0);
}

static void
append_option (GString *text, const GOptionEntry *entry)
{
  const char *value = entry->arg_description;
  g_autoptr (GString) option = g_string_new (NULL);

  if (entry->short_name)
    g_string_append_printf (option, "  -%c, --%s", entry->short_name, entry->long_name);
  else
    g_string_append_printf (option, "      --%s", entry->long_name);
  if (value)
    g_string_append_printf (option, "=%s", value);
  text_append_item (text, option->str, entry->description);
}

static void
append_options (GString *text, const GOptionEntry *entries)
{
  static const GOptionEntry help = { "help", 'h', 0, G_OPTION_ARG_NONE, NULL, "print this text",
                                     NULL };

  if (*entries->long_name)
    g_string_append (text, "\nOptions:\n");
  for (; entries->long_name; entries++)
    if (!*entries->long_name)
      g_string_append_printf (text, "\n%s:\n", entries->description);
    else if (!(entries->flags & G_OPTION_FLAG_HIDDEN))
      append_option (text, entries);
  append_option (text, &help);
}

static gboolean
is_shown (const GOptionEntry *entries, const char *name)
{
  for (; entries->long_name; entries++)
    if (strcmp (entries->long_name, name) == 0)
      return !(entries->flags & G_OPTION_FLAG_HIDDEN);
  return FALSE;
}

/* One line for each of our names, if there are any. */
static void
append_aliases (GString *text, const GOptionEntry *entries, const OptionAlias *aliases)
{
  const char *last = NULL;

  for (; aliases->theirs; aliases++)
    {
      if (!is_shown (entries, aliases->ours))
        continue;
      if (!last)
        g_string_append (text, "\nOther spellings, each with _ or -:");
      if (g_strcmp0 (last, aliases->ours) != 0)
        g_string_append_printf (text, "\n      --%-*s", TEXT_ITEM_COLUMN - 8, aliases->ours);
      else
        g_string_append_c (text, ' ');
      g_string_append_printf (text, "--%s", aliases->theirs);
      last = aliases->ours;
    }
  if (last)
    g_string_append_c (text, '\n');
}

/* The context alone knows its usage: the first paragraph of its own text. */
static void
append_usage (GString *text, GOptionContext *context)
{
  g_autofree char *whole = g_option_context_get_help (context, TRUE, NULL);
  const char *end = strstr (whole, "\n\n");

  g_string_append_len (text, whole, end ? end - whole + 1 : -1);
  g_string_replace (text, "\u2026", "...", 0); /* a bare terminal shows ASCII alone */
}

void
option_help_print (GOptionContext *context, const GOptionEntry *entries, const OptionAlias *aliases)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_usage (text, context);
  append_paragraphs (text, g_option_context_get_summary (context));
  append_options (text, entries);
  append_paragraphs (text, g_option_context_get_description (context));
  append_aliases (text, entries, aliases);
  g_print ("%s", text->str);
}
