/* The pictures of an episode that is stored. */
#pragma once

#include "../episodes/buffer-episodes.h"
#include "episodes.h"

G_BEGIN_DECLS

/* Shows rows of a buffer, which outlives the frames: by stored pixels, else by the states that the
 * env was in, else by what it observed, else by a plot; the remark says why it came to that. */
Frames *stored_frames_new (const BufferEpisodes *of, const ReelTrajectory *episode,
                           const char *name, const EpisodesLook *look, GError **error);

G_END_DECLS
