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
  char *ndim;
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
  char *collector;
  char *episodes;
  char *max_time;
  char *checkpoint_every;
  gboolean print_config;
  char *ranks;
  char *on_rank_error;
} CollectOptions;

/* Kinds of rows. Only steps are written where they are to stay. */
typedef enum
{
  ROWS_STEPS,     /* as the environment was stepped */
  ROWS_PROCESSED, /* steps that a transform changed */
  ROWS_SORTED,    /* steps of whole trajectories, one after the other */
  ROWS_LONG,      /* a trajectory each, padded, or one environment's part of a batch */
} CollectRows;

/* The work of one call. */
typedef struct
{
  const CollectOptions *options;
  ReelEnv *env;
  char *env_text; /* without what the collector adds */
  ReelPolicy *policy;
  char *collector; /* without what follows from other options */
  ReelTensordict *layout;
  gint64 n_envs;
  gint64 n_lanes;   /* of a step that is stored: all, or those of one worker of multi-async */
  gint64 first_env; /* of this rank, where ranks work apart */
  gint64 own_envs;
  gint64 all_envs; /* of all such ranks, else 0 */
  gint64 seed;
  gint64 begun_at; /* rows that a run has that goes on; 0 for a new one */
  gint64 frames;   /* rows to collect, −1 for no end */
  gint64 episodes; /* that end since the run began, 0 for any number */
  double max_time; /* seconds, 0 for any */
  gint64 frames_per_batch;
  gint64 capacity;
  gint64 threads;
  const char *storage; /* memmap, or one in memory with its properties */
  gboolean memmap;
  gint64 ndim;            /* dimensions of its rows */
  gboolean ndim_is_given; /* and another than that of steps */
  CollectRows rows;
  gint64 checkpoint_rows;    /* between two checkpoints of rows in memory, 0 for none */
  double checkpoint_seconds; /* likewise */
  char *actions;             /* the run whose actions are repeated, or NULL */
  gint64 n_action_lanes;     /* that it has at once */
  gint64 n_action_rows;
  char *path;
  gint64 collected;    /* rows of this call */
  const char *program; /* the command that collects */
  char *replay;        /* the one that shows the run */
} Plan;

/* The storages that rows are collected into. */
extern const char *const collect_storages[];

/* Chooses the storage: that of --storage and --ndim, or the usual one of the rows. */
gboolean plan_storage (Plan *plan, GError **error);

/* Makes of the options what is to be done. They must outlive the plan. */
gboolean plan_init (Plan *plan, const CollectOptions *options, GError **error);
void plan_clear (Plan *plan);

#define COLLECT_MOST_ROWS (G_MAXINT64 / 2)

static inline gint64
collect_round_up (gint64 n, gint64 multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

/* Reads how many rows a run is to have in the end, −1 where that is not said, when else it ends,
   and how they are collected. */
gboolean plan_pace (Plan *plan, gint64 *frames, GError **error);

/* Reads how many actions there are in the run at --actions, if any. */
gboolean plan_actions (Plan *plan, GError **error);

/* Chooses the next automatic name, where another run took the present one meanwhile. Returns FALSE
   where --out names the run, or nothing is there. */
gboolean plan_rename (Plan *plan);

/* Makes what is to be done of the run that stands at --resume. */
gboolean plan_resume (Plan *plan, GError **error);

/* The options that are properties of collectors: one entry for each that a class has. */
void collector_add_options (GArray *entries);

/* The name of one that is given, or NULL. */
const char *collector_get_given (void);

/* Whether the text of an object gives it a value for a property. `name` is a regular expression. */
gboolean text_says (const char *text, const char *name);

/* Makes the text of the collector of --collector and the options that are properties of it. */
gboolean plan_collector (Plan *plan, GError **error);

/* Puts the collector's limit for episodes behind the environment. */
gboolean plan_limit_episodes (Plan *plan, GError **error);

/* A property of the collector that is a number, 0 where it has none. */
gint64 collector_get_number (const Plan *plan, const char *name);

/* Whether its rows are trajectories, by split-trajs. */
gboolean collector_splits (const Plan *plan);

/* The kind of the rows that the collector makes. */
CollectRows collector_get_rows (const Plan *plan);

/* Whether the batches decide which steps there are. */
gboolean collector_decides_by_batch (const Plan *plan);

/* Whether the collector can end after the episodes of --episodes, if there are any: they are
   counted between two steps of all environments. */
gboolean plan_check_episodes (const Plan *plan, GError **error);

/* The most steps that this leaves an episode, 0 for any number. */
gint64 collector_get_limit (const Plan *plan);

/* The text of the collector that is to run, whose limit for episodes is in the environment. */
char *plan_dup_collector (const Plan *plan, GError **error);

/* Whether the environment of a run has the specs that the run keeps. Names the first difference. */
gboolean plan_check_specs (const Plan *plan, ReelReplayBuffer *run, GError **error);

/* Whether that collector fits the environment, the policy and a storage. */
gboolean plan_try_collector (const Plan *plan, GError **error);

/* Keeps with a buffer what the run is of, and its options. */
gboolean plan_record (const Plan *plan, ReelReplayBuffer *buffer, GError **error);

/* Keeps where the run is to end, beside the options that are kept already. */
gboolean plan_record_end (const Plan *plan, ReelReplayBuffer *buffer, GError **error);

/* The value of an option that was kept, or NULL. */
char *config_dup_recorded (ReelReplayBuffer *buffer, const char *name);

/* Prints the options in the form that --config reads. */
void plan_print_config (const Plan *plan);

/* Makes the columns of a step. */
gboolean plan_layout (Plan *plan, GError **error);

/* Opens the run of plan_resume() to be written on. */
ReelReplayBuffer *resume_buffer (const Plan *plan, GError **error);

/* Rows that a buffer needs at least: a step of all environments; where workers add batches of their
   own, a batch of each in half of the rows. */
gint64 plan_least_rows (const Plan *plan);

/* Bytes of all leaves: of a row, and of all that are kept. */
gint64 plan_row_bytes (const Plan *plan);
gint64 plan_bytes (const Plan *plan);

/* Measures the speed of the run for an instant, without a place for its rows: frames a second, or a
   negative number. */
double plan_measure_rate (const Plan *plan, GError **error);

/* Seconds that the run may take at that speed, INFINITY where only Ctrl-C or its episodes end it.
 */
double plan_estimate_seconds (const Plan *plan, double rate);

/* Rows that the episodes of --episodes have at most, a spare step included; COLLECT_MOST_ROWS where
   their length has no limit. */
gint64 plan_rows_of_episodes (const Plan *plan);

/* Plays the environment of the plan, and prints that it keeps what it promises, or fails. */
gboolean collect_check_env (const Plan *plan, GError **error);

/* Prints the files that the run is to make, and the time that it may take. */
gboolean collect_print_files (const Plan *plan, GError **error);
gboolean collect_print_files_json (const Plan *plan, GError **error);

/* Checkpoints of rows in memory. */
typedef struct
{
  Plan *plan;
  ReelReplayBuffer *buffer;
  gint64 rows;         /* that were collected when the last one was made */
  gint64 time;         /* of that moment */
  gboolean failed;     /* the last one, which was said */
  guint64 identity[2]; /* of the directory that it is in: device and file; 0 for none */
} Checkpoints;

void checkpoints_begin (Checkpoints *self, Plan *plan, ReelReplayBuffer *buffer);

/* Makes one where it is due after so many rows. Says where that fails, and the run continues. */
void checkpoints_continue (Checkpoints *self, gint64 rows);

/* Saves all rows at the end. They are not lost where somebody took their place meanwhile. */
gboolean checkpoints_end (Checkpoints *self, GError **error);

/* Says on stderr, unless --quiet. */
void collect_say (const Plan *plan, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Says what is to be done. */
void collect_say_plan (const Plan *plan);

/* The end of a run. */
typedef enum
{
  END_COMPLETE,
  END_TIME,
  END_SIGNAL,
} CollectEnd;

/* Says how it went, and prints the path or the JSON object. */
void collect_report (const Plan *plan, ReelReplayBuffer *buffer, const ReelCollectorStats *stats,
                     double seconds, CollectEnd end);

/* Collects until all is done or a signal comes, and reports. Gives an exit status. */
int collect_run (Plan *plan, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

G_END_DECLS
