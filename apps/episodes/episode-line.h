/* The lines of a log of episodes: NDJSON or CSV. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Bytes that a line needs at most. */
#define EPISODE_LINE_ROOM 256

/* The first line of a CSV file. */
#define EPISODE_LINE_HEADER "episode,lane,length,return,time,frames,frames_per_second\n"

/* A time as lines hold it: most lines of a batch share one. */
typedef struct
{
  char text[32];
  gsize length;
} EpisodeLineTime;

void episode_line_time_init (EpisodeLineTime *self, gint64 microseconds);

/* Each appends a line and returns its end. `frames` are those of the run. */
char *episode_line_put (char *to, gboolean csv, const ReelCollectorEpisode *episode,
                        const EpisodeLineTime *time, gint64 frames);
char *episode_line_put_rate (char *to, gboolean csv, double rate, const EpisodeLineTime *time,
                             gint64 frames);

/* Whether the text begins as a log does. */
gboolean episode_line_is_first (const char *text, gboolean csv);

G_END_DECLS
