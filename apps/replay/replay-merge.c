/* replay merge: several directories as one ensemble, drawn from by weights. */
#include "info.h"
#include "../common/escaped-text.h"
#include "../common/interrupt.h"
#include "../common/json-values.h"
#include "replay-directories.h"
#include "replay.h"
#include "../common/text-table.h"

#include <stdio.h>
#include <string.h>

static struct
{
  char *weights;
  char *out;
  char *ndim;
  gboolean force;
  gboolean json;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "weights", 0, 0, G_OPTION_ARG_STRING, &options.weights,
    "weight of each directory in batches, such as 0.7,0.3 (all alike)", "W,..." },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &options.out,
    "directory to make; without it nothing is written", "OUT" },
  { "ndim", 0, 0, G_OPTION_ARG_STRING, &options.ndim,
    "storage dimensions of the members, 1 to 3; 1 writes lane after lane (their own)", "N" },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force, "replace the checkpoint at OUT", NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in A, B, ...", NULL },
  { NULL },
};

/* ---- what the command line says ---- */

static gboolean
parse_weights (guint n, double **weights, GError **error)
{
  *weights = NULL;
  if (!options.weights)
    return TRUE;
  g_auto (GStrv) words = g_strsplit (options.weights, ",", -1);
  if (g_strv_length (words) != n)
    {
      set_usage_error (error, "--weights has %u numbers for %u directories", g_strv_length (words),
                       n);
      return FALSE;
    }
  g_autofree double *read = g_new (double, n);
  for (guint i = 0; i < n; i++)
    if (!options_parse_double ("weights", g_strstrip (words[i]), 0, &read[i], error))
      return FALSE;
  *weights = g_steal_pointer (&read);
  return TRUE;
}

/* --force would remove what is to be merged. */
static gboolean
check_out (char **paths, GError **error)
{
  for (gsize i = 0; options.out && paths[i]; i++)
    if (replay_lies_in (paths[i], options.out))
      {
        set_usage_error (error, "--out %s would replace %s, which is to be merged; choose another",
                         options.out, paths[i]);
        return FALSE;
      }
  return TRUE;
}

/* ---- whether they go together ---- */

/* A buffer, the name that errors have for it, and how often it is drawn from. */
typedef struct
{
  ReelReplayBuffer *buffer;
  char *path;
  double weight;
} Part;

static void
part_clear (Part *part)
{
  g_object_unref (part->buffer);
  g_free (part->path);
}

/* The buffers of a directory. Those of an ensemble share its weight as they did. */
static void
list_parts (GArray *parts, gpointer member, const char *path, double weight)
{
  ReelEnsembleOptions how;

  if (REEL_IS_REPLAY_BUFFER (member))
    {
      Part part = { g_object_ref (member), g_strdup (path), weight };
      g_array_append_val (parts, part);
      return;
    }
  gint64 n = reel_replay_buffer_ensemble_get_length (member);
  reel_replay_buffer_ensemble_get_options (member, &how);
  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *below = info_member_path (path, i);
      list_parts (parts, reel_replay_buffer_ensemble_get (member, i, NULL), below,
                  weight * (how.p ? how.p[i] : 1.0 / (double) n));
    }
}

/* dtype and shape of a row, such as float32 [4] */
static char *
describe_column (const Part *part, const ReelColumn *column)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (part->buffer);
  const ReelTensor *tensor =
      reel_tensordict_get_tensor (reel_storage_get_data (storage), column->path, NULL);
  GString *text = g_string_new (reel_dtype_name (column->dtype));

  g_string_append (text, " [");
  for (gint d = reel_storage_get_ndim (storage); d < tensor->ndim; d++)
    g_string_append_printf (
        text, d > reel_storage_get_ndim (storage) ? ", %" G_GINT64_FORMAT : "%" G_GINT64_FORMAT,
        tensor->shape[d]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static const ReelColumn *
find_column (const Part *part, const char *path)
{
  guint n;
  const ReelColumn *columns =
      reel_storage_get_columns (reel_replay_buffer_get_storage (part->buffer), &n);

  for (guint i = 0; i < n; i++)
    if (strcmp (columns[i].path, path) == 0)
      return &columns[i];
  return NULL;
}

/* Every key of one is in the other, of the same type and shape. */
static gboolean
compare_keys (const Part *one, const Part *other, GError **error)
{
  guint n;
  const ReelColumn *columns =
      reel_storage_get_columns (reel_replay_buffer_get_storage (one->buffer), &n);

  for (guint i = 0; i < n; i++)
    {
      const ReelColumn *theirs = find_column (other, columns[i].path);
      g_autofree char *here = describe_column (one, &columns[i]);
      g_autofree char *there = theirs ? describe_column (other, theirs) : NULL;
      if (there && strcmp (here, there) == 0)
        continue;
      if (there)
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s: \"%s\" is %s, in %s it is %s",
                     other->path, columns[i].path, there, one->path, here);
      else
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s: has no key \"%s\", which %s has",
                     other->path, columns[i].path, one->path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
compare_ndim (const Part *one, const Part *other, GError **error)
{
  gint here = reel_storage_get_ndim (reel_replay_buffer_get_storage (one->buffer));
  gint there = reel_storage_get_ndim (reel_replay_buffer_get_storage (other->buffer));

  if (here == there)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: has %d storage dimensions, %s has %d; --ndim 1 converts all to one",
               other->path, there, one->path, here);
  return FALSE;
}

/* The specs, where both have them. */
static gboolean
compare_specs (const Part *one, const Part *other, GError **error)
{
  g_autofree char *here = reel_replay_buffer_dup_info (one->buffer, "specs");
  g_autofree char *there = reel_replay_buffer_dup_info (other->buffer, "specs");

  if (!here || !there)
    return TRUE;
  g_autoptr (ReelSpec) mine = reel_replay_buffer_dup_specs (one->buffer, error);
  g_autoptr (ReelSpec) theirs = mine ? reel_replay_buffer_dup_specs (other->buffer, error) : NULL;
  if (!theirs)
    return FALSE;
  if (reel_spec_equal (mine, theirs))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: its specs differ from those of %s; compare the output of replay spec",
               other->path, one->path);
  return FALSE;
}

/* Those without rows say nothing of keys. */
static gboolean
check_parts (const GArray *parts, GError **error)
{
  const Part *all = (const Part *) parts->data, *first = NULL;

  for (guint i = 0; i < parts->len; i++)
    {
      const Part *part = &all[i];
      if (!replay_check_ended (part->buffer, part->path, error))
        return FALSE;
      if (reel_replay_buffer_get_length (part->buffer) == 0)
        continue;
      if (!first)
        first = part;
      if (!compare_ndim (first, part, error) || !compare_keys (first, part, error)
          || !compare_keys (part, first, error) || !compare_specs (first, part, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- what is printed ---- */

static void
print_json (const Part *parts, guint n, gboolean weighted)
{
  json_t *members = json_array ();
  gint64 length = 0;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_filename_display_name (parts[i].path);
      gint64 rows = reel_replay_buffer_get_length (parts[i].buffer);
      length += rows;
      json_array_append_new (
          members,
          json_pack ("{s:s, s:I, s:o}", "path", name, "length", (json_int_t) rows, "weight",
                     weighted ? json_from_double (parts[i].weight) : json_null ()));
    }
  g_autofree char *out = options.out ? g_filename_display_name (options.out) : NULL;
  json_print (json_pack ("{s:s?, s:I, s:o}", "path", out, "length", (json_int_t) length, "members",
                         members));
}

static void
print_table (const Part *parts, guint n, gboolean weighted)
{
  g_autoptr (TextTable) table = text_table_new ("lrr");

  text_table_add (table, g_strdup ("directory"), g_strdup ("rows"), g_strdup ("weight"));
  for (guint i = 0; i < n; i++)
    text_table_add (table, g_strdup (parts[i].path),
                    format_count (reel_replay_buffer_get_length (parts[i].buffer)),
                    weighted ? g_strdup_printf ("%g", parts[i].weight) : g_strdup ("alike"));
  g_autofree char *text = text_table_render (table, 0);
  g_print ("%s", text);
}

/* ---- all of it ---- */

static gboolean
open_all (GArray *parts, char **paths, const double *weights, GError **error)
{
  for (gsize i = 0; paths[i]; i++)
    {
      g_autoptr (GObject) member = replay_open_any (paths[i], options.read_only, error);
      if (!member)
        return FALSE;
      list_parts (parts, member, paths[i], weights ? weights[i] : 1);
    }
  return TRUE;
}

/* ---- members of other dimensions ---- */

/* A copy takes the place of the member. */
static gboolean
rewrite_part (Part *part, gint64 ndim, GError **error)
{
  ReelOrderedDump dumped = { .ndim = (gint) ndim };
  ReelReplayBuffer *copy = reel_replay_buffer_copy_in_order (part->buffer, &dumped, error);

  if (!copy)
    {
      g_prefix_error (error, "%s: ", part->path);
      return FALSE;
    }
  if (dumped.n_cut > 0)
    g_printerr ("replay: %s: the last rows of %" G_GINT64_FORMAT
                " lanes are marked as truncated: their trajectories went on\n",
                part->path, dumped.n_cut);
  g_object_unref (part->buffer);
  part->buffer = copy;
  return TRUE;
}

static gboolean
rewrite_parts (GArray *parts, gint64 ndim, GError **error)
{
  for (guint i = 0; i < parts->len; i++)
    {
      Part *part = &g_array_index (parts, Part, i);

      if (reel_replay_buffer_get_length (part->buffer) > 0
          && reel_storage_get_ndim (reel_replay_buffer_get_storage (part->buffer)) != ndim
          && (!replay_check_ended (part->buffer, part->path, error)
              || !rewrite_part (part, ndim, error)))
        return FALSE;
    }
  return TRUE;
}

static ReelReplayBufferEnsemble *
new_ensemble (const Part *parts, guint n, gboolean weighted, GError **error)
{
  g_autofree ReelReplayBuffer **buffers = g_new (ReelReplayBuffer *, n);
  g_autofree double *p = g_new (double, n);
  const ReelEnsembleOptions how = { .p = weighted ? p : NULL };

  for (guint i = 0; i < n; i++)
    {
      buffers[i] = parts[i].buffer;
      p[i] = parts[i].weight;
    }
  ReelReplayBufferEnsemble *ensemble = reel_replay_buffer_ensemble_new (buffers, n, &how, error);
  if (!ensemble)
    g_prefix_error (error, "--weights: ");
  return ensemble;
}

/* The error of an interrupt removes half-made output. */
static gboolean
dump (ReelReplayBufferEnsemble *ensemble, GError **error)
{
  ReelCheckpointFlags flags = options.force ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT;

  interrupt_watch (reel_cancel_writes, NULL);
  return reel_replay_buffer_ensemble_dumps (ensemble, options.out, flags, error);
}

static gboolean
merge (char **paths, const double *weights, gint64 ndim, GError **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (Part));

  g_array_set_clear_func (list, (GDestroyNotify) part_clear);
  if (!open_all (list, paths, weights, error))
    return FALSE;
  if (ndim > 0 && !rewrite_parts (list, ndim, error))
    return FALSE;
  if (!check_parts (list, error))
    return FALSE;
  const Part *parts = (const Part *) list->data;
  guint n = list->len;
  gboolean weighted = weights || n > g_strv_length (paths);
  g_autoptr (ReelReplayBufferEnsemble) ensemble = new_ensemble (parts, n, weighted, error);
  if (!ensemble || (options.out && !dump (ensemble, error)))
    return FALSE;
  if (options.json)
    print_json (parts, n, weighted);
  else if (options.out)
    escaped_text_print_path (options.out);
  else
    print_table (parts, n, weighted);
  if (options.out)
    replay_say_unsampleable (ensemble, options.out);
  return TRUE;
}

int
replay_merge (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("A B... - merge directories into an ensemble");
  g_autofree double *weights = NULL;
  gint64 ndim;

  g_option_context_set_summary (
      context, "Writes the directories as members of OUT, which TorchRL's ReplayBufferEnsemble "
               "loads. 'replay sample OUT' draws each part of a batch from one member, by the "
               "weights. The members of an ensemble share its weight. Without --out it only "
               "checks that the directories are compatible.");
  if (!options_parse (context, entries, argv, error)
      || (options.out && !replay_check_directory_name (options.out, error)))
    return EXIT_USAGE;
  guint n = g_strv_length (*argv + 1);
  if (n < 2)
    {
      set_usage_error (error,
                       n ? "cannot merge %s alone: name another directory"
                         : "cannot merge: the directories are missing%s",
                       n ? (*argv)[1] : "");
      return EXIT_USAGE;
    }
  if (!parse_weights (n, &weights, error) || !check_out (*argv + 1, error)
      || !options_parse_number ("ndim", options.ndim, 1, 3, 0, &ndim, error))
    return EXIT_USAGE;
  if (ndim > 0 && !options.out)
    {
      set_usage_error (error, "cannot use --ndim without --out: name the directory to make");
      return EXIT_USAGE;
    }
  return merge (*argv + 1, weights, ndim, error) ? EXIT_OK
                                                 : replay_end_interrupted (options.out, error);
}
