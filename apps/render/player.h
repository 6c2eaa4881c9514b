/* The contents of a window and the actions of its keys, without the window. */
#pragma once

#include "show.h"

G_BEGIN_DECLS

typedef enum
{
  PLAYER_PAUSE,
  PLAYER_BACK,
  PLAYER_FORWARD,
  PLAYER_FASTER,
  PLAYER_SLOWER,
  PLAYER_EPISODE_BEFORE,
  PLAYER_EPISODE_AFTER,
  PLAYER_OVERLAY,
  PLAYER_SAVE,
  PLAYER_HELP,
} PlayerKey;

typedef struct
{
  const Show *show;
  Frames *frames;
  gint64 number;   /* of the episode */
  gint64 wanted;   /* the one that is opened once the window says so, −1 for none */
  gboolean opened; /* since the last tick: opening takes no time of the episode */
  gint64 i;        /* the picture that is shown */
  gboolean playing, overlay, help;
  double speed;
  double due;     /* pictures that should have been shown by now, less than one unless playing */
  double resting; /* seconds at the end of an episode that is played */
  char *message;  /* what is told for a while */
  double message_left;
  gboolean changed; /* since it was drawn */
} Player;

/* Opens an episode and plays; the show outlives the player. */
Player *player_new (const Show *show, gint64 number, GError **error);
void player_free (Player *self);

/* An action of the user. The window says where it cannot be done. Another episode is opened by the
 * tick after the next drawing, which says so. */
void player_press (Player *self, PlayerKey key);

/* Time passes, in seconds. */
void player_tick (Player *self, double seconds);

/* Seconds until something may change by itself; negative where nothing will. */
double player_next (const Player *self);

/* Draws what there is to see. */
gboolean player_draw (Player *self, ReelTensor *picture, GError **error);

/* The title of the window. */
char *player_title (const Player *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Player, player_free)

G_END_DECLS
