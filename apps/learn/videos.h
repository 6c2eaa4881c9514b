/* Films of the policy as it learns, by the pictures of render. */
#pragma once

#include "learner.h"

G_BEGIN_DECLS

typedef enum
{
  VIDEO_NONE,
  VIDEO_MP4,
  VIDEO_GIF,
  VIDEO_PNG, /* a directory of pictures */
} VideoFormat;

typedef struct _Episodes Episodes;

typedef struct
{
  Episodes *episodes; /* NULL where nothing is filmed */
  char *folder;
  VideoFormat format;
} Videos;

/* The format of that name, or the first that can be written here where it is NULL. An error says
 * what a format needs. */
gboolean video_format_choose (const char *name, VideoFormat *format, GError **error);

/* Prepares films in the folder `videos` of a run, of the network that acts in one environment of a
 * text and a seed. The learner must outlive them. */
gboolean videos_open (Videos *self, const Learner *learner, const char *env, gint64 seed,
                      const char *run, VideoFormat format, GError **error);

/* Films an episode, which has the same first state each time, as `rl-video-step-STEP`. Does nothing
 * before videos_open(), nor where that film is: of a run that was resumed from an earlier step. */
gboolean videos_film (Videos *self, gint64 step, GError **error);
void videos_clear (Videos *self);

G_END_DECLS
