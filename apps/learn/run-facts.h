/* Facts of a saved run, for lists: its progress, its best return and its state. */
#pragma once

#include "saved-run.h"

G_BEGIN_DECLS

typedef enum
{
  RUN_IS_WRITTEN,     /* a process learns */
  RUN_IS_COMPLETE,    /* all was learned, or the return was reached */
  RUN_IS_INTERRUPTED, /* learn --resume continues it */
  RUN_IS_LOST,        /* it ended before its first checkpoint */
  RUN_IS_DAMAGED,     /* its configuration or its figures cannot be read */
} RunState;

typedef struct
{
  const char *learner, *env; /* NULL where they are not known */
  const char *unit;          /* of the progress: frames or updates; steps where it is not known */
  gint64 seed;               /* negative where it is not known */
  gint64 done, total;
  double seconds;
  double best; /* mean return: of an evaluation, else of the newest episodes; or NaN */
  RunState state;
} RunFacts;

/* The texts are those of the run. */
void run_facts_init (RunFacts *self, const SavedRun *run);

/* running, complete, interrupted, lost or damaged. */
const char *run_facts_get_state_word (const RunFacts *self);

/* "24 of 96 frames", or "-" where it is not known. */
char *run_facts_dup_progress (const RunFacts *self);

/* An object of all of them, with path and fault of the run. */
json_t *run_facts_describe (const RunFacts *self, const SavedRun *run);

G_END_DECLS
