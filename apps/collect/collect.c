/* collect: step environments with a policy and keep what happened. */
#include "../common/class-list.h"
#include "../common/option-file.h"
#include "collect-apart.h"
#include "collect-parents.h"
#include "collect-ranks.h"

#include <signal.h>
#include <string.h>

#define PROGRAM "collect"

static CollectOptions options;

static const GOptionEntry run_entries[] = {
  OPTIONS_GROUP ("The run"),
  { "env", 0, 0, G_OPTION_ARG_STRING, &options.env,
    "environment, such as CartPole or CartPole-v0:gravity=1.6", "ID[:NAME=VALUE,...]" },
  { "transform", 0, 0, G_OPTION_ARG_STRING, &options.transform,
    "transforms that the environment is seen through, such as step-counter|reward-sum", "CHAIN" },
  { "num-envs", 0, 0, G_OPTION_ARG_STRING, &options.num_envs, "environments at once (8)", "N" },
  { "policy", 0, 0, G_OPTION_ARG_STRING, &options.policy, "policy that acts (random)",
    "ID[:NAME=VALUE,...]" },
  { "actions", 0, 0, G_OPTION_ARG_FILENAME, &options.actions,
    "repeat the actions of the run in DIR, as many steps and environments", "DIR" },
  { "seed", 0, 0, G_OPTION_ARG_STRING, &options.seed, "seed of the environments and the policy (0)",
    "N" },
  { "max-episode-steps", 0, 0, G_OPTION_ARG_STRING, &options.max_episode_steps,
    "time limit of an episode; 0 for none (the environment's)", "N" },
  { "resume", 0, 0, G_OPTION_ARG_FILENAME, &options.resume,
    "continue the run in DIR to its end, or to --frames or --episodes", "DIR" },
  OPTIONS_CONFIG,
  { "print-config", 0, 0, G_OPTION_ARG_NONE, &options.print_config,
    "print the options of the run, with defaults, as a file for --config; write nothing", NULL },
  OPTIONS_GROUP ("The end, whichever comes first"),
  { "frames", 0, 0, G_OPTION_ARG_STRING, &options.frames,
    "frames to collect, rounded up to whole steps of all environments (until Ctrl-C)", "N" },
  { "episodes", 0, 0, G_OPTION_ARG_STRING, &options.episodes,
    "end after the step of all environments in which the last of N episodes ended", "N" },
  { "max-time", 0, 0, G_OPTION_ARG_STRING, &options.max_time,
    "end when so much time is over, such as 90s, 10m or 1.5h; --resume continues", "TIME" },
  OPTIONS_GROUP ("The collector"),
  { "collector", 0, 0, G_OPTION_ARG_STRING, &options.collector,
    "how environment and policy are stepped (sync)", "ID[:NAME=VALUE,...]" },
  { "frames-per-batch", 0, 0, G_OPTION_ARG_STRING, &options.frames_per_batch,
    "frames of a batch, rounded up to whole steps (1000)", "N" },
  { "threads", 0, 0, G_OPTION_ARG_STRING, &options.threads,
    "worker threads (as many as the CPUs that are available)", "N" },
  { "ranks", 0, 0, G_OPTION_ARG_STRING, &options.ranks,
    "under mpirun: sync: ranks share the environments, the same data as one process; async: each "
    "rank but 0 has --num-envs, and batches are stored as they come; apart: as sync, and each "
    "rank writes its own environments to OUT/rank-K (sync)",
    "MODE" },
  { "on-rank-error", 0, 0, G_OPTION_ARG_STRING, &options.on_rank_error,
    "under mpirun: the answer to the end of a rank: fail, or drop: continue without it (fail)",
    "ANSWER" },
};

static const GOptionEntry directory_entries[] = {
  OPTIONS_GROUP ("The directory"),
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &options.out,
    "directory to make (runs/ENV__POLICY__SEED__TIME)", "DIR" },
  { "storage", 0, 0, G_OPTION_ARG_STRING, &options.storage,
    "memmap: in files from the start; tensor: in memory, saved at the end (memmap; tensor for "
    "trajectories and with --postproc)",
    "ID[:NAME=VALUE,...]" },
  { "ndim", 0, 0, G_OPTION_ARG_STRING, &options.ndim,
    "dimensions of the storage: 2 is time and environments; 1 one row for each environment of a "
    "batch (2, or 1 for one environment)",
    "N" },
  { "capacity", 0, 0, G_OPTION_ARG_STRING, &options.capacity,
    "rows to keep (all and a spare step; without --frames the newest million, in 1 GiB at most)",
    "N" },
  { "checkpoint-every", 0, 0, G_OPTION_ARG_STRING, &options.checkpoint_every,
    "save rows in memory also after every N rows, or every 90s, 10m or 1.5h", "N|TIME" },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force, "replace a run at --out, or a log at --log",
    NULL },
  { "dry-run", 0, 0, G_OPTION_ARG_NONE, &options.dry_run,
    "print shapes, sizes, files and an estimate of the time; write nothing", NULL },
  OPTIONS_GROUP ("Output"),
  { "log", 0, 0, G_OPTION_ARG_FILENAME, &options.log,
    "write a line for each episode, and the rate once a second, to FILE.ndjson or FILE.csv, or as "
    "NDJSON to - (stdout)",
    "FILE" },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json,
    "print one JSON object instead of the path or the table", NULL },
  { "quiet", 0, 0, G_OPTION_ARG_NONE, &options.quiet, "print only errors on stderr", NULL },
  OPTIONS_GROUP ("Environments, classes and the program"),
  { "check-env", 0, 0, G_OPTION_ARG_NONE, &options.check_env,
    "play --env a little and compare it with its specs", NULL },
  OPTIONS_PLUGIN,
  { "version", 0, 0, G_OPTION_ARG_NONE, &options.version, "print name and version", NULL },
};

/* All of them; the properties of collectors are listed with the collector. */
static GOptionEntry *
list_entries (void)
{
  GArray *all = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  g_array_append_vals (all, run_entries, G_N_ELEMENTS (run_entries));
  collector_add_options (all);
  g_array_append_vals (all, directory_entries, G_N_ELEMENTS (directory_entries));
  return (GOptionEntry *) g_array_free (all, FALSE);
}

/* The command of replay beside that of collect, PROGRAM: `build/replay` beside `build/collect`. */
static char *
replay_command (const char *program)
{
  const char *slash = strrchr (program, '/');
  int directory = slash ? (int) (slash + 1 - program) : 0;

  return g_strdup_printf ("%.*sreplay", directory, program);
}

/* `collect CartPole` is `collect --env CartPole`. */
static gboolean
take_env (char **words, GError **error)
{
  if (!words[0] || !options_check_words (words, 1, error))
    return !words[0];
  if ((!options.env || option_file_has ("env")) && !options.resume)
    {
      options.env = words[0];
      return TRUE;
    }
  set_usage_error (error, "cannot use both %s and \"%s\": choose one",
                   options.env ? "--env" : "--resume", words[0]);
  return FALSE;
}

/* `--env ENV --transform CHAIN` is `--env ENV|CHAIN`. */
static void
append_transform (void)
{
  char *whole;

  if (!options.transform || !options.env)
    return;
  whole = g_strconcat (options.env, "|", options.transform, NULL);
  options.env = whole;
}

/* --policy or --actions of the command line takes the place of the other one of a file. */
static void
choose_actions (void)
{
  if (options.policy && options.actions && option_file_has ("policy")
      && !option_file_has ("actions"))
    options.policy = NULL;
  else if (options.policy && options.actions && option_file_has ("actions")
           && !option_file_has ("policy"))
    options.actions = NULL;
}

static GOptionContext *
describe_program (void)
{
  GOptionContext *context = g_option_context_new ("[ENV] - collect experience");

  g_option_context_set_summary (
      context,
      "Examples:\n  collect CartPole --frames 1000\n  collect --env Ant:num-envs=64 --frames 1M "
      "--capacity 3M --out runs/ant\n  collect --resume runs/ant --frames 2M\n  mpirun -n 4 "
      "collect "
      "Ant --num-envs 64\n\nSteps environments "
      "with a policy and writes the experience to a directory that TorchRL opens.");
  g_option_context_set_description (
      context, "Numbers may be written 1e6, 1M or 1_000_000. Stdout contains only the path of the "
               "directory.");
  return context;
}

/* Prints something in the place of a run, if that was asked for. */
static gboolean
only_print (const Plan *plan, int *status, GError **error)
{
  gboolean done;

  if (options.check_env)
    done = collect_check_env (plan, error);
  else if (options.print_config)
    {
      plan_print_config (plan);
      done = TRUE;
    }
  else if (options.dry_run)
    done = (options.json ? collect_print_files_json : collect_print_files) (plan, error);
  else
    return FALSE;
  *status = done ? EXIT_OK : EXIT_FAILED;
  return TRUE;
}

/* Shapes of rows that are changed are those of the batches. */
static gboolean
check_dry_run (const Plan *plan, GError **error)
{
  if (!options.dry_run || plan->rows == ROWS_STEPS)
    return TRUE;
  set_usage_error (error, "--dry-run cannot know the rows that --postproc, or a collector of "
                          "trajectories, makes of steps");
  return FALSE;
}

static gboolean
make_plan (Plan *plan, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *place = NULL;

  if (plan_init (plan, &options, &failure) && check_dry_run (plan, &failure))
    return TRUE;
  place = options_config ? option_file_dup_place (failure->message) : g_strdup ("");
  g_propagate_prefixed_error (error, g_steal_pointer (&failure), "%s", place);
  return FALSE;
}

static int
run_plan (Plan *plan, GError **error)
{
  GError *failure = NULL;
  int status = collect_run (plan, &failure);

  if (apart_is_on (plan->options))
    status = apart_end (plan, status, failure, error);
  else if (failure)
    g_propagate_error (error, failure);
  parents_remove_empty (); /* when no rank is about to use them */
  return status;
}

static int
run_program (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = describe_program ();
  g_autofree GOptionEntry *entries = list_entries ();
  g_auto (Plan) plan = { 0 };
  GError *failure = NULL;
  int status;

  class_list_limit ("storage", collect_storages);
  if (!options_parse (context, entries, argv, error) || !take_env (*argv + 1, error))
    return EXIT_USAGE;
  if (options.version)
    return program_print_version (PROGRAM);
  choose_actions ();
  if (!collect_ranks_check (&options, error))
    return EXIT_USAGE;
  if (collect_ranks_follow (&options, &status, error))
    return status;
  if (!apart_begin (&options, error))
    return EXIT_FAILED;
  append_transform ();
  if (!options.dry_run)
    signal (SIGPIPE, SIG_IGN); /* a run goes on when nobody reads any more what it says */
  if (options.check_env && !options.frames)
    {
      options.frames = g_strdup ("1"); /* nothing is collected, and nothing to be said of it */
      options.quiet = TRUE;
    }
  if (make_plan (&plan, &failure))
    parents_note (plan.path);
  if (!apart_check_all (&options, failure, error))
    return EXIT_USAGE;
  if (only_print (&plan, &status, error))
    return status;
  plan.program = (*argv)[0];
  plan.replay = replay_command ((*argv)[0]);
  return run_plan (&plan, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) arguments = g_strdupv (argv);

  program_begin ();
  collect_ranks_begin ();
  int status = run_program (&arguments, &error);
  return collect_ranks_end (PROGRAM, status, error);
}
