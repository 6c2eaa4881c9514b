/* The log of a run: a line for each episode that ends, and the rate once a second. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

typedef struct _EpisodeLog EpisodeLog;

typedef enum
{
  EPISODE_LOG_NEW,     /* where no file is */
  EPISODE_LOG_REPLACE, /* the contents of a file that is there */
  EPISODE_LOG_APPEND,  /* to the whole lines of a log that is there */
} EpisodeLogMode;

/* Whether the name says how lines are written: .ndjson, .csv, or - for NDJSON on standard output.
 */
gboolean episode_log_check_name (const char *path, GError **error);

/* Opens the file, and changes nothing that it holds. */
EpisodeLog *episode_log_open (const char *path, EpisodeLogMode mode, GError **error);

/* Starts the clock. The run has this many frames. */
gboolean episode_log_begin (EpisodeLog *self, gint64 frames, GError **error);

/* Writes what ended in a batch of `rows` rows of `n_lanes` lanes. A file that cannot be written is
 * named once on standard error, and gets no further line. */
void episode_log_add (EpisodeLog *self, const ReelCollectorEpisode *episodes, gsize n, gint64 rows,
                      gint64 n_lanes);

/* Writes the last rate. Returns an exit status: whether all lines were written. */
int episode_log_finish (EpisodeLog *self);

/* Removes a file that was made and never begun. */
void episode_log_free (EpisodeLog *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (EpisodeLog, episode_log_free)

G_END_DECLS
