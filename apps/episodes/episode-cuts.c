#include "episode-cuts.h"

#include <jansson.h>

static GHashTable *
make_set (const json_t *rows)
{
  GHashTable *set = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (gsize i = 0; i < json_array_size (rows); i++)
    {
      gint64 row = json_integer_value (json_array_get (rows, i));
      g_hash_table_add (set, g_memdup2 (&row, sizeof row));
    }
  return set;
}

void
episode_cuts_init (EpisodeCuts *self, ReelReplayBuffer *buffer)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, "cut_rows");
  json_t *record = text ? json_loads (text, JSON_DECODE_ANY, NULL) : NULL;

  self->begins = make_set (json_object_get (record, "begins"));
  self->ends = make_set (json_object_get (record, "ends"));
  json_decref (record);
}

void
episode_cuts_clear (EpisodeCuts *self)
{
  g_hash_table_unref (self->begins);
  g_hash_table_unref (self->ends);
}

gboolean
episode_cuts_contain (GHashTable *rows, gint64 row)
{
  return g_hash_table_contains (rows, &row);
}
