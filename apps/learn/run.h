/* A run of learn: rounds of frames and updates, with what is due after them, and its checkpoints.
 */
#pragma once

#include "acting.h"
#include "plan.h"
#include "run-files.h"
#include "videos.h"

#include "../common/progress.h"

G_BEGIN_DECLS

/* Episodes of whose returns the newest mean is shown, as SB3 does. */
#define RUN_RECENT 100
#define RUN_SPARKS 16

/* Where its time goes. */
enum
{
  COLLECTING,
  SAMPLING,
  UPDATING, /* without the sampling */
  EVALUATING,
  N_PARTS,
};

/* Figures that every run has; those of the learner follow. */
enum
{
  FPS,
  SECONDS, /* of each part */
  EPISODE_RETURN = SECONDS + N_PARTS,
  EPISODE_LENGTH,
  EVAL_RETURN,
  EVAL_LENGTH,
  N_UPDATES,
  N_COMMON_FIGURES,
};

#define RUN_MOST_FIGURES (N_COMMON_FIGURES + LEARNER_MOST_SCALARS)

typedef struct
{
  Plan *plan;
  Learner *learner;
  ReelReplayBuffer *buffer;
  ReelCollector *collector;
  const char *names[RUN_MOST_FIGURES + 1];
  RunFiles files;
  Videos videos;
  Progress progress;
  gint64 begin; /* monotonic; that of a run that was resumed is earlier by what it had taken */
  gint64 done;  /* frames, or updates from saved data */
  double seconds[N_PARTS];
  gint64 next_eval, next_log, next_checkpoint;
  double returns[RUN_RECENT], lengths[RUN_RECENT];
  gint64 n_episodes;
  double sparks[RUN_SPARKS]; /* the newest returns: of evaluations, else of episodes */
  gint64 n_sparks;
  double loss;       /* the newest */
  Evaluation newest; /* n is 0 before the first */
  double best;
  gboolean ended;    /* all was learned, or the return was reached */
  GError *unsavable; /* why there are no checkpoints, or NULL */
  gboolean failed;   /* the last checkpoint, which was said */
} Run;

/* Begins the run of a plan, or continues the one that the plan resumes; `self` is zeros. */
gboolean run_begin (Run *self, Plan *plan, GError **error);

/* A round, and what is due after it: figures, an evaluation, a checkpoint. Sets `ended`. */
gboolean run_advance (Run *self, GError **error);

/* Writes the policies and the last checkpoint, also of a run that did not end. */
gboolean run_finish (Run *self, GError **error);

/* Since it began, without the time between its parts. */
static inline double
run_get_seconds (const Run *self)
{
  return (double) MAX (g_get_monotonic_time () - self->begin, 1) / 1e6;
}

void run_clear (Run *self);

/* ---- checkpoints ---- */

/* The file in the directory of a run. */
#define RUN_CHECKPOINT "checkpoint.tdz"

/* Whether the states of all parts can be saved. Names the one that cannot. */
gboolean run_check_savable (const Run *self, GError **error);

/* Saves the states of all parts in one file of the run's directory, which replaces the one before
 * once it is whole. */
gboolean run_save (Run *self, GError **error);

/* Sets the states of all parts, before any file changes, and then cuts the figures off behind it.
 */
gboolean run_load (Run *self, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

G_END_DECLS
