/* A run of learn as its directory says it is. */
#pragma once

#include "../common/usage-error.h"

#include <jansson.h>

G_BEGIN_DECLS

typedef enum
{
  RUN_IS_WRITTEN,     /* a process learns */
  RUN_IS_COMPLETE,    /* all was learned, or the return was reached */
  RUN_IS_INTERRUPTED, /* learn --resume continues it */
  RUN_IS_LOST,        /* it ended before its first checkpoint */
} RunState;

typedef struct
{
  char *path;
  json_t *config;
  const char *learner, *env; /* of the configuration */
  gint64 seed, total;
  gint64 done; /* frames or updates of the newest row of figures */
  double seconds;
  double
      best; /* mean return of an evaluation, or of episodes where nothing was evaluated; or NaN */
  json_t *newest; /* figures, each of the last row that has it */
  RunState state;
} RecordedRun;

/* Reads the run in a directory. VALUE where there is none. */
RecordedRun *recorded_run_new (const char *path, GError **error);
void recorded_run_free (RecordedRun *self);

/* running, complete, interrupted or lost. */
const char *recorded_run_get_state_word (const RecordedRun *self);

/* Whether a run of learn is there. */
gboolean recorded_run_is_at (const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RecordedRun, recorded_run_free)

G_END_DECLS
