#include "lane-numbers.h"

#include "../core/formats/json.h"

#include <string.h>

#define KEY "lanes"
#define WHAT "the record of the run's lanes"

gboolean
reel_lane_numbers_record (const ReelLaneNumbers *self, ReelReplayBuffer *buffer, GError **error)
{
  g_autofree char *text = g_strdup_printf (
      "{\"all\":%" G_GINT64_FORMAT ",\"first\":%" G_GINT64_FORMAT "}", self->all, self->first);

  return self->all == 0 || reel_replay_buffer_set_info (buffer, KEY, text, error);
}

gboolean
reel_lane_numbers_read (ReelLaneNumbers *self, ReelReplayBuffer *buffer, GError **error)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, KEY);

  *self = (ReelLaneNumbers){ 0 };
  if (text == NULL)
    return TRUE;

  json_t *record = reel_json_parse (WHAT, text, strlen (text), error);
  gboolean read =
      record != NULL
      && reel_json_get_int64 (record, WHAT, "all", 1, G_MAXINT64 / 2, &self->all, error)
      && reel_json_get_int64 (record, WHAT, "first", 0, self->all - 1, &self->first, error);

  json_decref (record);
  return read;
}

static char *
describe (const ReelLaneNumbers *self)
{
  if (self->all == 0)
    return g_strdup ("all lanes of a run");
  return g_strdup_printf ("lanes from %" G_GINT64_FORMAT " on, of %" G_GINT64_FORMAT, self->first,
                          self->all);
}

gboolean
reel_lane_numbers_check (const ReelLaneNumbers *self, ReelReplayBuffer *buffer, GError **error)
{
  ReelLaneNumbers theirs;

  if (!reel_lane_numbers_read (&theirs, buffer, error))
    return FALSE;
  if (theirs.first == self->first && theirs.all == self->all)
    return TRUE;

  g_autofree char *ours = describe (self);
  g_autofree char *before = describe (&theirs);

  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "the run cannot be resumed: it is of %s, and first-lane and all-lanes are of %s",
               before, ours);
  return FALSE;
}
