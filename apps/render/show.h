/* The subject of a window: one episode, or several at once. */
#pragma once

#include "episodes.h"

G_BEGIN_DECLS

typedef struct
{
  Episodes **sources; /* one that is stored, or one for each that is played */
  gsize n_sources;
  gint64 columns, rows;
  gint64 width, height; /* of each picture; 0 where nothing was said */
  double rate;          /* pictures a second; 0 where nothing was said */
} Show;

/* How many episodes there are; -1 where there is always one more. */
gint64 show_count (const Show *self);

/* How many follow each other in a grid of what is stored. */
gint64 show_stride (const Show *self);

/* Opens an episode, or as many from there on as there are places. Frames that were opened before
 * can go on no more. */
Frames *show_open (const Show *self, gint64 number, GError **error);

void show_clear (Show *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Show, show_clear)

G_END_DECLS
