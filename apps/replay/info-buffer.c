/* The contents of one buffer, as a table or as JSON. */
#include "column-stats.h"
#include "../episodes/episode-stats.h"
#include "info.h"
#include "../common/json-values.h"
#include "replay-values.h"
#include "../common/text-table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The contents, for either output. */
typedef struct
{
  const char *path;
  ReelReplayBuffer *buffer;
  gboolean digest;
  ReelStorage *storage;
  ReelRingInfo ring;
  SlotRuns runs;
  const ReelColumn *columns;
  guint n_columns;
  GPtrArray *value_keys; /* of rows that have no columns, else NULL */
  gboolean has_episodes;
  EpisodeStats episodes;
} Info;

static void
info_clear (Info *info)
{
  g_clear_pointer (&info->value_keys, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Info, info_clear)

static gboolean
info_init (Info *info, const char *path, ReelReplayBuffer *buffer, gboolean digest, GError **error)
{
  *info = (Info){ .path = path, .buffer = buffer, .digest = digest };
  info->storage = reel_replay_buffer_get_storage (buffer);
  if (!reel_replay_buffer_get_ring (buffer, &info->ring, error))
    return FALSE;
  slot_runs_init (&info->runs, &info->ring);
  info->columns = reel_storage_get_columns (info->storage, &info->n_columns);
  if (!reel_storage_get_data (info->storage))
    {
      info->value_keys = value_keys_list (buffer, error);
      if (!info->value_keys)
        return FALSE;
    }
  info->has_episodes = episode_stats_init (&info->episodes, info->buffer);
  return TRUE;
}

/* The shape of a column's valid rows, steps first. */
static const ReelTensor *
column_tensor (const Info *info, guint i)
{
  return reel_tensordict_get_tensor (reel_storage_get_data (info->storage), info->columns[i].path,
                                     NULL);
}

static gint64
n_steps (const Info *info)
{
  return info->ring.end - info->ring.begin;
}

/* Of the same moment as all else, though a writer may go on. */
static gint64
n_rows (const Info *info)
{
  return n_steps (info) * reel_storage_get_lanes (info->storage);
}

/* Rows that a live writer overwrites are no damage. */
static gboolean
is_torn (const Info *info)
{
  return info->ring.torn_n > 0 && !info->ring.written;
}

/* ---- JSON ---- */

static json_t *
json_shape (const ReelTensor *tensor, gint64 first)
{
  json_t *shape = json_pack ("[I]", (json_int_t) first);

  for (gint i = 1; i < tensor->ndim; i++)
    json_array_append_new (shape, json_integer (tensor->shape[i]));
  return shape;
}

static json_t *
json_key (const Info *info, guint i)
{
  const ReelColumn *column = &info->columns[i];
  ColumnStats stats;
  column_stats_init (&stats, column, &info->runs);
  gint64 n = stats.n - stats.n_nan;
  json_t *key =
      json_pack ("{s:s, s:o, s:I, s:o, s:o, s:o}", "dtype", reel_dtype_name (column->dtype),
                 "shape", json_shape (column_tensor (info, i), n_steps (info)), "bytes",
                 (json_int_t) (n_steps (info) * (gint64) column->step_bytes), "min",
                 n ? json_from_double (stats.min) : json_null (), "mean",
                 n ? json_from_double (stats.sum / (double) n) : json_null (), "max",
                 n ? json_from_double (stats.max) : json_null ());
  if (info->digest)
    {
      g_autofree char *digest = column_digest (column, &info->runs);
      json_object_set_new (key, "sha256", json_string (digest));
    }
  return key;
}

static json_t *
json_spread (const Spread *spread)
{
  if (isnan (spread->mean))
    return json_null ();
  return json_pack ("{s:o, s:o, s:o}", "min", json_from_double (spread->min), "mean",
                    json_from_double (spread->mean), "max", json_from_double (spread->max));
}

static json_t *
json_episodes (const Info *info)
{
  if (!info->has_episodes)
    return json_null ();
  return json_pack ("{s:I, s:I, s:o, s:o}", "whole", (json_int_t) info->episodes.whole, "parts",
                    (json_int_t) info->episodes.parts, "length",
                    json_spread (&info->episodes.length), "return",
                    json_spread (&info->episodes.reward_sum));
}

static json_t *
json_names (const Info *info)
{
  const ReelTensordict *data = reel_storage_get_data (info->storage);
  json_t *names = json_array ();

  for (gint i = 0; i < reel_storage_get_ndim (info->storage); i++)
    {
      const char *name = data ? reel_tensordict_get_name (data, i) : NULL;
      json_array_append_new (names, name ? json_string (name) : json_null ());
    }
  return names;
}

static json_t *
json_storage_shape (const Info *info)
{
  gint ndim = reel_storage_get_ndim (info->storage), n;
  const ReelTensordict *data = reel_storage_get_data (info->storage);
  const gint64 *shape = data ? reel_tensordict_get_batch_size (data, &n) : &info->ring.capacity;
  json_t *list = json_array ();

  for (gint i = 0; i < ndim; i++)
    json_array_append_new (list, json_integer (shape[i]));
  return list;
}

static json_t *
json_info_entries (const Info *info)
{
  json_t *object = json_object ();
  g_auto (GStrv) keys = reel_replay_buffer_list_info (info->buffer);

  for (char **key = keys; *key; key++)
    {
      g_autofree char *text = reel_replay_buffer_dup_info (info->buffer, *key);
      json_object_set_new (object, *key, json_loads (text, JSON_DECODE_ANY, NULL));
    }
  return object;
}

static json_t *
json_info (const Info *info)
{
  json_t *keys = json_object ();
  for (guint i = 0; i < info->n_columns; i++)
    json_object_set_new (keys, info->columns[i].path, json_key (info, i));
  for (guint i = 0; info->value_keys && i < info->value_keys->len; i++)
    {
      const ValueKey *key = info->value_keys->pdata[i];
      json_object_set_new (keys, key->path,
                           json_pack ("{s:s, s:s, s:I}", "dtype", key->type, "shape", key->shape,
                                      "rows", (json_int_t) key->n_rows));
    }

  g_autofree char *path =
      g_filename_display_name (info->path); /* JSON is UTF-8, names need not be */
  json_t *torn = json_array ();
  for (gint64 i = 0; is_torn (info) && i < info->ring.torn_n; i++)
    json_array_append_new (torn, json_integer ((info->ring.torn_first + i) % info->ring.capacity));
  return json_pack ("{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o}",
                    "path", path, "class", reel_object_get_id (REEL_OBJECT (info->storage)),
                    "length", (json_int_t) n_rows (info), "capacity",
                    (json_int_t) reel_replay_buffer_get_capacity (info->buffer), "cursor",
                    (json_int_t) reel_replay_buffer_get_cursor (info->buffer), "write_count",
                    (json_int_t) reel_replay_buffer_get_write_count (info->buffer), "shape",
                    json_storage_shape (info), "names", json_names (info), "keys", keys, "episodes",
                    json_episodes (info), "torn_steps", torn, "live", info->ring.written, "clean",
                    info->ring.clean, "info", json_info_entries (info));
}

/* ---- the table ---- */

static void
add_keys (const Info *info, TextTable *table)
{
  for (guint i = 0; i < info->n_columns; i++)
    {
      const ReelColumn *column = &info->columns[i];
      ColumnStats stats;
      column_stats_init (&stats, column, &info->runs);
      gint64 n = stats.n - stats.n_nan;
      text_table_add (table, g_strdup (column->path), g_strdup (reel_dtype_name (column->dtype)),
                      json_take_text (json_shape (column_tensor (info, i), n_steps (info))),
                      format_bytes (n_steps (info) * (gint64) column->step_bytes),
                      n ? g_strdup_printf ("%.5g", stats.min) : g_strdup ("-"),
                      n ? g_strdup_printf ("%.5g", stats.sum / (double) n) : g_strdup ("-"),
                      n ? g_strdup_printf ("%.5g", stats.max) : g_strdup ("-"),
                      info->digest ? column_digest (column, &info->runs) : g_strdup (""));
    }
}

/* Of rows that have no columns: which have what. */
static void
print_value_keys (const Info *info)
{
  g_autoptr (TextTable) table = text_table_new ("lllr");

  text_table_add (table, g_strdup ("key"), g_strdup ("dtype"), g_strdup ("shape"),
                  g_strdup ("rows"));
  for (guint i = 0; i < info->value_keys->len; i++)
    {
      const ValueKey *key = info->value_keys->pdata[i];
      text_table_add (table, g_strdup (*key->path ? key->path : "-"), g_strdup (key->type),
                      g_strdup (key->shape), g_strdup_printf ("%" G_GINT64_FORMAT, key->n_rows));
    }
  g_autofree char *text = text_table_render (table, 0);
  g_print ("%s", text);
}

static void
print_keys (const Info *info)
{
  g_autoptr (TextTable) table = text_table_new ("lllrrrrl");

  text_table_add (table, g_strdup ("key"), g_strdup ("dtype"), g_strdup ("shape"),
                  g_strdup ("bytes"), g_strdup ("min"), g_strdup ("mean"), g_strdup ("max"),
                  g_strdup (info->digest ? "sha256" : ""));
  add_keys (info, table);
  g_autofree char *text = text_table_render (table, 0);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line && **line; line++)
    g_print ("%s\n", g_strchomp (*line));
}

static void
print_episodes (const Info *info)
{
  const EpisodeStats *episodes = &info->episodes;

  if (!info->has_episodes)
    return;
  g_print ("episodes  %" G_GINT64_FORMAT " whole, %" G_GINT64_FORMAT " cut or not ended\n",
           episodes->whole, episodes->parts);
  if (episodes->whole == 0)
    return;
  g_print ("          length %g to %g, mean %.1f\n", episodes->length.min, episodes->length.max,
           episodes->length.mean);
  if (!isnan (episodes->reward_sum.mean))
    g_print ("          return %g to %g, mean %.1f\n", episodes->reward_sum.min,
             episodes->reward_sum.max, episodes->reward_sum.mean);
}

static void
print_state (const Info *info)
{
  if (info->ring.written)
    g_print ("state     being written: rows below may have been replaced meanwhile\n");
  else if (info->ring.live && !info->ring.clean)
    g_print ("state     its writer was killed; %s\n", info->ring.incomplete
                                                          ? "rows after its last update are missing"
                                                          : "all committed steps are there");
  if (is_torn (info))
    g_print ("torn      steps %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
             " of the ring were being overwritten\n",
             info->ring.torn_first,
             (info->ring.torn_first + info->ring.torn_n - 1) % info->ring.capacity);
}

static void
print_table (const Info *info)
{
  g_autofree char *length = format_count (n_rows (info));
  g_autofree char *capacity = format_count (reel_replay_buffer_get_capacity (info->buffer));
  g_autofree char *shape = json_take_text (json_storage_shape (info));
  g_autofree char *names = json_take_text (json_names (info));

  g_print ("class     %s\n", reel_object_get_id (REEL_OBJECT (info->storage)));
  g_print ("rows      %s of %s\n", length, capacity);
  g_print ("cursor    %" G_GINT64_FORMAT "\n", reel_replay_buffer_get_cursor (info->buffer));
  g_print ("shape     %s, names %s\n", shape, names);
  print_state (info);
  print_episodes (info);
  g_print ("\n");
  (info->value_keys ? print_value_keys : print_keys) (info);
}

/* ---- both ---- */

json_t *
info_to_json (const char *path, ReelReplayBuffer *buffer, gboolean digest, GError **error)
{
  g_auto (Info) info = { 0 };

  return info_init (&info, path, buffer, digest, error) ? json_info (&info) : NULL;
}

gboolean
info_print (const char *path, ReelReplayBuffer *buffer, gboolean digest, GError **error)
{
  g_auto (Info) info = { 0 };

  if (!info_init (&info, path, buffer, digest, error))
    return FALSE;
  print_table (&info);
  return TRUE;
}
