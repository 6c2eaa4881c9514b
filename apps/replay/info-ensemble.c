/* `replay info` of an ensemble: the way of its sampling, then each of its members. */
#include "info.h"
#include "../common/json-values.h"
#include "../common/text-table.h"

#include <stdio.h>

/* An ensemble has its members below `storage`; one that is a member itself has them below it. */
char *
info_member_path (const char *path, gint64 i)
{
  g_autofree char *storage = g_build_filename (path, "storage", NULL);
  gboolean is_member = !g_file_test (storage, G_FILE_TEST_IS_DIR);

  return g_strdup_printf ("%s/%" G_GINT64_FORMAT, is_member ? path : storage, i);
}

static gboolean
is_empty (gpointer member)
{
  return REEL_IS_REPLAY_BUFFER (member) && reel_replay_buffer_get_length (member) == 0;
}

/* ---- JSON ---- */

static json_t *
json_weights (const ReelEnsembleOptions *how, gint64 n)
{
  json_t *p = how->p ? json_array () : how->sampleable ? json_string ("sampleable") : json_null ();

  for (gint64 i = 0; how->p && i < n; i++)
    json_array_append_new (p, json_from_double (how->p[i]));
  return p;
}

static json_t *json_ensemble (const char *path, ReelReplayBufferEnsemble *ensemble, gboolean digest,
                              GError **error);

static json_t *
json_member (const char *path, gpointer member, gboolean digest, GError **error)
{
  g_autofree char *name = g_filename_display_name (path); /* JSON is UTF-8 */

  if (is_empty (member))
    return json_pack ("{s:s, s:n, s:i}", "path", name, "class", "length", 0);
  return REEL_IS_REPLAY_BUFFER (member) ? info_to_json (path, member, digest, error)
                                        : json_ensemble (path, member, digest, error);
}

static json_t *
json_ensemble (const char *path, ReelReplayBufferEnsemble *ensemble, gboolean digest,
               GError **error)
{
  gint64 n = reel_replay_buffer_ensemble_get_length (ensemble);
  json_t *members = json_array ();
  ReelEnsembleOptions how;
  ReelReplayBufferStats stats;

  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *below = info_member_path (path, i);
      json_t *member =
          json_member (below, reel_replay_buffer_ensemble_get (ensemble, i, NULL), digest, error);
      if (!member)
        {
          json_decref (members);
          return NULL;
        }
      json_array_append_new (members, member);
    }
  g_autofree char *name = g_filename_display_name (path);
  reel_replay_buffer_ensemble_get_options (ensemble, &how);
  reel_replay_buffer_ensemble_get_stats (ensemble, &stats);
  return json_pack (
      "{s:s, s:s, s:I, s:I, s:o, s:b, s:I, s:o}", "path", name, "class", "ensemble", "length",
      (json_int_t) stats.size, "capacity", (json_int_t) stats.capacity, "weights",
      json_weights (&how, n), "sample_from_all", how.sample_from_all, "num_buffer_sampled",
      (json_int_t) (how.num_buffer_sampled > 0 ? how.num_buffer_sampled : n), "members", members);
}

/* ---- the table ---- */

static void
print_header (ReelReplayBufferEnsemble *ensemble)
{
  gint64 n = reel_replay_buffer_ensemble_get_length (ensemble);
  ReelEnsembleOptions how;
  ReelReplayBufferStats stats;

  reel_replay_buffer_ensemble_get_options (ensemble, &how);
  reel_replay_buffer_ensemble_get_stats (ensemble, &stats);
  g_autofree char *length = format_count (stats.size);
  g_autofree char *capacity = format_count (stats.capacity);
  g_print ("class     ensemble of %" G_GINT64_FORMAT "\nrows      %s of %s\nweights   ", n, length,
           capacity);
  for (gint64 i = 0; how.p && i < n; i++)
    g_print (i > 0 ? ", %g" : "%g", how.p[i]);
  g_print ("%s\n", how.p                 ? ""
                   : how.sampleable      ? "by rows that can be sampled"
                   : how.sample_from_all ? "none: all in order"
                                         : "all alike");
}

static gboolean
print_ensemble (const char *path, ReelReplayBufferEnsemble *ensemble, gboolean digest,
                GError **error)
{
  gboolean done = TRUE;

  print_header (ensemble);
  for (gint64 i = 0; done && i < reel_replay_buffer_ensemble_get_length (ensemble); i++)
    {
      gpointer member = reel_replay_buffer_ensemble_get (ensemble, i, NULL);
      g_autofree char *below = info_member_path (path, i);
      g_print ("\n%s\n", below);
      if (is_empty (member))
        g_print ("no rows\n");
      else
        done = REEL_IS_REPLAY_BUFFER (member) ? info_print (below, member, digest, error)
                                              : print_ensemble (below, member, digest, error);
    }
  return done;
}

/* ---- Python ---- */

static void
print_python_member (gpointer member, gint depth)
{
  g_autofree char *indent = g_strnfill (4 * (gsize) depth, ' ');

  if (REEL_IS_REPLAY_BUFFER (member))
    {
      ReelStorage *storage = reel_replay_buffer_get_storage (member);
      g_print ("%sTensorDictReplayBuffer(storage=LazyMemmapStorage(%" G_GINT64_FORMAT ", ndim=%d))",
               indent, reel_replay_buffer_get_capacity (member), reel_storage_get_ndim (storage));
      return;
    }
  g_print ("%sReplayBufferEnsemble(\n", indent);
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (member); i++)
    {
      print_python_member (reel_replay_buffer_ensemble_get (member, i, NULL), depth + 1);
      g_print (",\n");
    }
  g_print ("%s)", indent);
}

static gboolean
has_lanes (ReelReplayBufferEnsemble *ensemble)
{
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (ensemble); i++)
    {
      gpointer member = reel_replay_buffer_ensemble_get (ensemble, i, NULL);

      if (REEL_IS_REPLAY_BUFFER (member)
              ? reel_storage_get_ndim (reel_replay_buffer_get_storage (member)) > 1
              : has_lanes (member))
        return TRUE;
    }
  return FALSE;
}

static void
print_python (const char *path, ReelReplayBufferEnsemble *ensemble)
{
  gint64 n = reel_replay_buffer_ensemble_get_length (ensemble);
  g_autofree char *full = g_canonicalize_filename (path, NULL);
  g_autofree char *literal = info_python_path (full);
  ReelEnsembleOptions how;

  reel_replay_buffer_ensemble_get_options (ensemble, &how);
  g_print ("from torchrl.data import LazyMemmapStorage, ReplayBufferEnsemble, "
           "TensorDictReplayBuffer\n\nrb = ReplayBufferEnsemble(\n");
  for (gint64 i = 0; i < n; i++)
    {
      print_python_member (reel_replay_buffer_ensemble_get (ensemble, i, NULL), 1);
      g_print (",\n");
    }
  if (how.p || how.sampleable)
    {
      g_autofree char *p = json_take_text (json_weights (&how, n));
      g_print ("    p=%s,\n", p);
    }
  g_print ("    sample_from_all=%s)\nrb.loads(%s)\n", how.sample_from_all ? "True" : "False",
           literal);
  if (has_lanes (ensemble))
    g_print (
        "# TorchRL cannot sample an ensemble of buffers of several dimensions; one that it can:\n"
        "#   replay merge --ndim 1 %s --out NEW\n",
        path);
}

gboolean
info_show_ensemble (const char *path, ReelReplayBufferEnsemble *ensemble, InfoForm form,
                    gboolean digest, GError **error)
{
  json_t *json;

  if (form == INFO_PYTHON)
    print_python (path, ensemble);
  if (form == INFO_TABLE)
    return print_ensemble (path, ensemble, digest, error);
  if (form == INFO_JSON)
    {
      json = json_ensemble (path, ensemble, digest, error);
      if (!json)
        return FALSE;
      json_print (json);
    }
  return TRUE;
}
