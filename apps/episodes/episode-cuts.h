/* The rows at which episodes are cut, as a buffer's sidecar lists them. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Sets of row numbers, as ReelStorageView counts them. */
typedef struct
{
  GHashTable *begins; /* rows of episodes whose steps before them are lost */
  GHashTable *ends;   /* rows of episodes whose steps after them are lost */
} EpisodeCuts;

void episode_cuts_init (EpisodeCuts *self, ReelReplayBuffer *buffer);
void episode_cuts_clear (EpisodeCuts *self);

gboolean episode_cuts_contain (GHashTable *rows, gint64 row);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (EpisodeCuts, episode_cuts_clear)

G_END_DECLS
