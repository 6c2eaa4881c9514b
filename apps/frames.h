/* The pictures of one episode, by number. */
#pragma once

#include "options.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 n;             /* the first observation and one for each step */
  gint64 width, height; /* of those that are stored, or as the env draws itself */
  ReelEnv *env;         /* what draws; NULL where pictures are stored */
  ReelReplayBuffer *buffer;
  ReelTrajectory episode; /* of the buffer */
  gint64 lanes;
  GByteArray *states; /* of a played episode: the env's, one after the other */
} Frames;

/* Plays an episode of an environment, of at most @most steps. */
gboolean frames_play (Frames *frames, const char *env, const char *policy, gint64 seed, gint64 most,
                      GError **error);

/* Opens episode @number of a directory, the oldest is 0, negative ones count from the newest.
 * @env says what wrote it where the directory does not; @draw has stored pictures passed over. */
gboolean frames_open (Frames *frames, const char *path, const char *env, gint64 number,
                      gboolean draw, GError **error);

/* Writes picture @i, uint8 [height, width, 3]; stored ones have their own size alone. */
gboolean frames_draw (Frames *frames, gint64 i, gint64 width, gint64 height, guint8 *pixels,
                      GError **error);

void frames_clear (Frames *frames);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Frames, frames_clear)

G_END_DECLS
