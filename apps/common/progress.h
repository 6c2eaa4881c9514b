/* The line that says how far a run is: in place on a terminal, plain lines elsewhere. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean terminal;
  gboolean quiet;
  gint64 total;
  gint64 start;
  gint64 shown;
} Progress;

/* `total` rows are to come, −1 for no end; nothing is shown when `quiet`. */
void progress_start (Progress *self, gint64 total, gboolean quiet);

/* Whether it is time to show something again. Asked after each batch, which may take but
 * microseconds: what is to be shown is gathered only then. */
gboolean progress_is_due (const Progress *self);

/* Shows `frames`, the episodes so far and their mean return. */
void progress_show (Progress *self, gint64 frames, gint64 episodes, double mean_return);

/* The same with parts of the caller's own, of so many things of a unit. */
void progress_show_parts (Progress *self, gint64 done, const char *unit, char **parts);
void progress_add_part (GStrvBuilder *parts, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Wipes the line; gives the seconds since progress_start(). */
double progress_finish (Progress *self);

G_END_DECLS
