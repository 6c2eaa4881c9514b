/* The parts of collect: what it is asked, what that comes to, the run, and what is said of it. */
#pragma once

#include "../common/options.h"

G_BEGIN_DECLS

/* The options; NULL where they are not given. */
typedef struct
{
  char *env;
  char *transform;
  char *num_envs;
  char *frames;
  char *frames_per_batch;
  char *policy;
  char *actions;
  char *seed;
  char *out;
  char *storage;
  char *capacity;
  char *max_episode_steps;
  char *threads;
  gboolean json;
  gboolean quiet;
  gboolean force;
  gboolean dry_run;
  gboolean check_env;
  gboolean version;
  char *resume;
  char *log;
} CollectOptions;

/* The work of one call. */
typedef struct
{
  const CollectOptions *options;
  ReelEnv *env;
  ReelPolicy *policy;
  ReelTensordict *layout;
  gint64 n_envs;
  gint64 seed;
  gint64 begun_at; /* rows that a run has that goes on; 0 for a new one */
  gint64 frames;   /* rows to collect, −1 for no end */
  gint64 frames_per_batch;
  gint64 capacity;
  gint64 threads;
  const char *storage; /* memmap, or one in memory with its properties */
  gboolean memmap;
  char *actions;         /* the run whose actions are repeated, or NULL */
  gint64 n_action_lanes; /* that it has at once */
  gint64 n_action_rows;
  char *path;
  const char *program; /* the command that collects */
  char *replay;        /* the one that shows the run */
} Plan;

/* The storages that rows are collected into. */
extern const char *const collect_storages[];

/* Makes of the options what is to be done. They must outlive the plan. */
gboolean plan_init (Plan *plan, const CollectOptions *options, GError **error);
void plan_clear (Plan *plan);

#define COLLECT_MOST_ROWS (G_MAXINT64 / 2)

static inline gint64
collect_round_up (gint64 n, gint64 multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

/* Reads how many rows a run is to have in the end, −1 where that is not said, and how they are
   collected. */
gboolean plan_pace (Plan *plan, gint64 *frames, GError **error);

/* Reads how many actions there are in the run at --actions, if any. */
gboolean plan_actions (Plan *plan, GError **error);

/* Chooses the next automatic name, where another run took the present one meanwhile. Returns FALSE
   where --out names the run, or nothing is there. */
gboolean plan_rename (Plan *plan);

/* Makes what is to be done of the run that stands at --resume. */
gboolean plan_resume (Plan *plan, GError **error);

/* Keeps with a buffer what the run is of, and how many rows it is to have. */
gboolean plan_record (const Plan *plan, ReelReplayBuffer *buffer, GError **error);

/* The latter alone, where the former is kept already. */
gboolean plan_record_frames (const Plan *plan, ReelReplayBuffer *buffer, GError **error);

/* Opens the run of plan_resume() to be written on. */
ReelReplayBuffer *resume_buffer (const Plan *plan, GError **error);

/* Bytes of all leaves: of a row, and of all that are kept. */
gint64 plan_row_bytes (const Plan *plan);
gint64 plan_bytes (const Plan *plan);

/* Plays the environment of the plan, and prints that it keeps what it promises, or fails. */
gboolean collect_check_env (const Plan *plan, GError **error);

/* Prints the files that the run is to make. */
void collect_print_files (const Plan *plan);
void collect_print_files_json (const Plan *plan);

/* Says on stderr, unless --quiet. */
void collect_say (const Plan *plan, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Says what is to be done. */
void collect_say_plan (const Plan *plan);

/* Says how it went, and prints the path or the JSON object. */
void collect_report (const Plan *plan, const ReelCollectorStats *stats, double seconds,
                     gboolean interrupted);

/* Collects until all is done or a signal comes, and reports. Gives an exit status. */
int collect_run (Plan *plan, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

G_END_DECLS
