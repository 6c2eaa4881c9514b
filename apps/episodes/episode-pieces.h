/* Episodes whose rows are in several places of a buffer, under one trajectory id, as workers that
 * store batches of their own leave them, and collectors that store a trajectory of a batch as a
 * row. */
#pragma once

#include "episode-list.h"

G_BEGIN_DECLS

/* Joins the pieces among the episodes of a buffer, which are in the list from `begin` on. */
void episode_pieces_join (GArray *list, guint begin, const BufferEpisodes *buffer);

G_END_DECLS
