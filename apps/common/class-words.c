#include "class-words.h"

#include <string.h>

typedef struct
{
  const char *pattern;
  const char *words;
} Rewriting;

static const Rewriting rewritings[] = {
  { "^Either (\\w+) or (\\w+) must be not None, and not both\\. Got \\w+=None and \\w+=None\\.$",
    "needs \\1 or \\2" },
  { "^Either (\\w+) or (\\w+) must be not None, and not both\\..*$", "takes \\1 or \\2, not both" },
  { "=True\\b", "=true" },
  { "=False\\b", "=false" },
};

static char *
rewrite (const char *message)
{
  char *text = g_strdup (message);

  for (gsize i = 0; i < G_N_ELEMENTS (rewritings); i++)
    {
      g_autoptr (GRegex) regex = g_regex_new (rewritings[i].pattern, 0, 0, NULL);
      char *next = g_regex_replace (regex, text, -1, 0, rewritings[i].words, 0, NULL);
      g_free (text);
      text = next;
    }
  return text;
}

static gboolean
is_argument (const GPtrArray *infos, const char *name)
{
  for (guint i = 0; infos && i < infos->len; i++)
    if (strcmp (((const ReelPropertyInfo *) infos->pdata[i])->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* A word with underscores is an argument where the class has it by hyphens, or where a value
 * follows. */
static gboolean
hyphenate (const GMatchInfo *match, GString *result, gpointer infos)
{
  g_autofree char *word = g_match_info_fetch (match, 1);
  g_autofree char *behind = g_match_info_fetch (match, 2);
  g_autofree char *ours = g_strdelimit (g_strdup (word), "_", '-');
  gboolean argument = *behind == '=' || is_argument (infos, ours);

  g_string_append_printf (result, "%s%s", argument ? ours : word, behind);
  return FALSE;
}

static char *
rename_arguments (const char *message, GType type, const char *id)
{
  g_autoptr (GPtrArray) infos = reel_object_list_properties (type, id, NULL);
  g_autoptr (GRegex) regex = g_regex_new ("\\b([a-z]+(?:_[a-z]+)+)\\b(=?)", 0, 0, NULL);

  return g_regex_replace_eval (regex, message, -1, 0, 0, hyphenate, infos, NULL);
}

void
class_words_propagate (GError **error, GError *failure, const char *option, GType type,
                       const char *text)
{
  g_autofree char *id = g_strndup (text, strcspn (text, ":|"));
  g_autofree char *rewritten = rewrite (failure->message);
  gboolean told = strcmp (rewritten, failure->message) != 0;
  g_autofree char *renamed = rename_arguments (rewritten, type, id);

  g_set_error (error, failure->domain, failure->code, "--%s: %s%s%s", option, told ? id : "",
               told ? ": " : "", renamed);
  g_error_free (failure);
}
