/* The work of one call of learn, from its command line. */
#pragma once

#include "../common/options.h"
#include "../replay/source.h"
#include "learner.h"
#include "videos.h"

#include <jansson.h>

G_BEGIN_DECLS

/* The options; NULL where they are not given. */
typedef struct
{
  char *env, *transform, *num_envs, *total, *threads;
  char **data;
  char *weights, *sampler;
  char *hidden, *activation;
  char *seed;
  char *eval_every, *eval_episodes, *stop_at, *log_every;
  char *out, *resume, *checkpoint_every;
  char *settings[LEARNER_MOST_SETTINGS];
  char *video_format;
  gboolean videos, pixels, quiet, version, print_config;
  const GOptionEntry *entries; /* of the command, whose texts are here */
} LearnOptions;

typedef struct
{
  const LearnerClass *class;
  const LearnOptions *options;
  ReelEnv *env;      /* that is learned in; with saved data the one that says how they look */
  ReelEnv *eval_env; /* NULL where nothing is evaluated */
  char *base_text;   /* of it, as the user wrote it, or the data have it */
  char *env_text;    /* the same with the chain */
  Spaces spaces;
  Learner *learner;
  gint64 total; /* frames, or updates from saved data */
  gint64 eval_every, n_eval_episodes, log_every, threads;
  gint64 checkpoint_every; /* 0 for the end alone */
  double stop_at;          /* INFINITY for never */
  VideoFormat videos;      /* VIDEO_NONE for none */
  gint64 seed;
  Source *sources; /* of saved data */
  guint n_sources;
  ReelReplayBufferEnsemble *mix; /* of them, where there are several */
  char *path;
} Plan;

/* Makes of the options what is to be done. They must outlive the plan. */
gboolean plan_init (Plan *plan, const LearnerClass *class, const LearnOptions *options,
                    GError **error);
void plan_clear (Plan *plan);

/* The seed of what is evaluated. */
gint64 plan_get_eval_seed (const Plan *plan);

/* Opens the saved data as a source of batches. */
gboolean plan_open_data (Plan *plan, GError **error);
void plan_close_data (Plan *plan);

/* The settings of the run, for its configuration. */
json_t *plan_describe (const Plan *plan);

/* All options that decide on the run, with the values that they came to, as texts by which the
 * command gives the same run. */
json_t *plan_list_options (const Plan *plan);

/* Prints them in the form that --config reads. */
void plan_print_config (const Plan *plan);

/* Whether the run at --resume is that of the plan, by the same version. Names the first difference.
 */
gboolean plan_check_resumed (const Plan *plan, GError **error);

/* The sampler of a buffer of the run's own, with the arguments that priorities need. */
char *plan_dup_sampler (const Plan *plan);
gboolean plan_has_priorities (const Plan *plan);

/* Learns until all is done, a return is reached or a signal comes. Gives an exit status. */
int learn_run (Plan *plan, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

G_END_DECLS
