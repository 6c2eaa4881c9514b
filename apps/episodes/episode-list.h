/* The episodes of buffers with their lengths and returns. */
#pragma once

#include "buffer-episodes.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 number;    /* in the order in which buffer-episodes.h counts them, over all members */
  guint member;     /* which of the buffers */
  gint64 first_row; /* 0 is the oldest row that could be read; a step where rows are several */
  gint64 n_steps;
  gint64 lane;
  double reward_sum; /* NaN where there are no rewards, or a writer replaced some */
  const char *end;   /* "terminated", "truncated", "done", or NULL where its end is not stored */
  gboolean whole;    /* from its first step to its end */
  gboolean is_cut;   /* its steps behind the last one are lost */
  gboolean is_piece; /* other rows of the episode are elsewhere, under its trajectory id */
  gboolean goes_on;  /* there are later ones */
  struct
  {
    gint64 n_steps;
    double reward_sum;
    gboolean starts; /* nothing before them is lost */
  } joined;          /* of this piece and those before it */
} Episode;

/* (element-type Episode): all of them, of the list of buffer-episodes.h. */
GArray *episode_list_new (const GPtrArray *buffers);

/* Whether the word chooses an episode by what it is: best, worst, longest, shortest. */
gboolean episode_list_is_word (const char *text);

/* The episode that a number names, negative from the end, or a word: of the whole ones, where there
 * are any. NULL and an error where there is none. */
const Episode *episode_list_find (const GArray *list, const char *text, GError **error);

G_END_DECLS
