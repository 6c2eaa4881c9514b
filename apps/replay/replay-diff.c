/* replay diff: whether two directories hold the same rows. */
#include "../common/json-values.h"
#include "replay-directories.h"
#include "replay.h"
#include "row-diff.h"
#include "../common/text-table.h"

#include <stdio.h>

static gboolean json;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, "print one JSON object", NULL },
  { NULL },
};

/* The comparison, until the first difference. */
typedef struct
{
  RowDiff diff;
  gboolean differs;
  char *place; /* of the members that differ, or NULL */
  gint64 n_rows;
} Comparison;

static void
comparison_clear (Comparison *self)
{
  row_diff_clear (&self->diff);
  g_free (self->place);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Comparison, comparison_clear)

static gboolean
compare_buffers (Comparison *self, ReelReplayBuffer *a, ReelReplayBuffer *b, GError **error)
{
  g_autoptr (GError) local = NULL;

  self->differs = row_diff_find (&self->diff, a, b, &local);
  self->n_rows += reel_replay_buffer_get_length (a);
  if (!local)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static char *
describe (gpointer opened)
{
  if (REEL_IS_REPLAY_BUFFER (opened))
    return g_strdup ("one buffer");
  return g_strdup_printf ("an ensemble of %" G_GINT64_FORMAT,
                          reel_replay_buffer_ensemble_get_length (opened));
}

/* Compares two buffers, or the members of two ensembles in turn, until some differ. */
static gboolean
compare (Comparison *self, gpointer a, gpointer b, const char *place, GError **error)
{
  g_autofree char *of_a = describe (a), *of_b = describe (b);

  g_free (self->place);
  self->place = g_strdup (place);
  if (g_strcmp0 (of_a, of_b) != 0)
    {
      self->differs = TRUE;
      self->diff.row = -1;
      self->diff.what = g_strdup_printf ("A is %s, B %s", of_a, of_b);
      return TRUE;
    }
  if (REEL_IS_REPLAY_BUFFER (a))
    return compare_buffers (self, a, b, error);
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (a) && !self->differs; i++)
    {
      g_autofree char *below =
          g_strdup_printf ("%s%s%" G_GINT64_FORMAT, place, *place ? "/" : "", i);
      if (!compare (self, reel_replay_buffer_ensemble_get (a, i, NULL),
                    reel_replay_buffer_ensemble_get (b, i, NULL), below, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- output ---- */

static json_t *
ref_or_null (json_t *value)
{
  return value ? json_incref (value) : json_null ();
}

static void
print_json (const Comparison *self)
{
  const RowDiff *diff = &self->diff;

  if (!self->differs)
    json_print (json_pack ("{s:b, s:I}", "same", TRUE, "rows", (json_int_t) self->n_rows));
  else
    json_print (json_pack ("{s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "same", FALSE, "buffer",
                           json_string_or_null (*self->place ? self->place : NULL), "row",
                           json_count_or_null (diff->row), "key", json_string_or_null (diff->key),
                           "element", ref_or_null (diff->element), "a", ref_or_null (diff->a), "b",
                           ref_or_null (diff->b), "what", json_string_or_null (diff->what)));
}

static void
print_text (const Comparison *self)
{
  const RowDiff *diff = &self->diff;

  if (!self->differs)
    {
      g_autofree char *rows = format_count (self->n_rows);
      g_print ("the same %s rows\n", rows);
      return;
    }
  g_autoptr (GString) text = g_string_new (NULL);
  if (*self->place)
    g_string_append_printf (text, "buffer %s, ", self->place);
  if (diff->row >= 0)
    g_string_append_printf (text, "row %" G_GINT64_FORMAT ", ", diff->row);
  if (diff->key)
    g_string_append_printf (text, "%s, ", diff->key);
  g_string_truncate (text, text->len >= 2 ? text->len - 2 : 0);
  if (json_array_size (diff->element) > 0)
    {
      g_autofree char *element = json_take_text (json_incref (diff->element));
      g_string_append (text, element);
    }
  if (text->len > 0)
    g_string_append (text, ": ");
  if (diff->what)
    g_string_append (text, diff->what);
  else
    {
      g_autofree char *a = json_take_text (json_incref (diff->a));
      g_autofree char *b = json_take_text (json_incref (diff->b));
      g_string_append_printf (text, "%s in A, %s in B", a, b);
    }
  g_print ("%s\n", text->str);
}

/* ---- the command ---- */

/* Rows of a running writer do not stay. */
static gboolean
check_ended (gpointer opened, const char *path, GError **error)
{
  return !REEL_IS_REPLAY_BUFFER (opened) || replay_check_ended (opened, path, error);
}

int
replay_diff (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("A B - compare the rows of two directories");
  g_auto (Comparison) comparison = { 0 };

  g_option_context_set_summary (
      context,
      "Compares all rows to the byte, in order of time, in any form of files, and prints the first "
      "that differs. Directories of different lanes are compared lane by lane. The exit status "
      "is 1 if a row differs.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 2, error))
    return EXIT_USAGE;
  char **words = *argv + 1;
  if (!words[0] || !words[1])
    {
      set_usage_error (error,
                       words[0] ? "cannot compare %s: the second directory is missing"
                                : "cannot compare: two directories are missing%s",
                       words[0] ? words[0] : "");
      return EXIT_USAGE;
    }
  g_autoptr (GObject) a = replay_open_any (words[0], TRUE, error);
  g_autoptr (GObject) b = a ? replay_open_any (words[1], TRUE, error) : NULL;
  if (!b || !check_ended (a, words[0], error) || !check_ended (b, words[1], error)
      || !compare (&comparison, a, b, "", error))
    return EXIT_FAILED;
  (json ? print_json : print_text) (&comparison);
  return comparison.differs ? EXIT_FAILED : EXIT_OK;
}
