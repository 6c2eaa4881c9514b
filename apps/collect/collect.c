/* collect: step environments with a policy and keep what happened. */
#include "../common/class-list.h"
#include "collect.h"

#include <signal.h>
#include <string.h>

#define PROGRAM "collect"

static CollectOptions options;

static const GOptionEntry entries[] = {
  { "env", 0, 0, G_OPTION_ARG_STRING, &options.env,
    "environment, such as CartPole or CartPole-v0:gravity=1.6", "ID[:NAME=VALUE,...]" },
  { "num-envs", 0, 0, G_OPTION_ARG_STRING, &options.num_envs, "how many at once (8)", "N" },
  { "frames", 0, 0, G_OPTION_ARG_STRING, &options.frames,
    "how many to collect, rounded up to whole steps (until Ctrl-C)", "N" },
  { "frames-per-batch", 0, 0, G_OPTION_ARG_STRING, &options.frames_per_batch,
    "frames a batch (1000)", "N" },
  { "policy", 0, 0, G_OPTION_ARG_STRING, &options.policy, "the policy that acts (random)",
    "ID[:NAME=VALUE,...]" },
  { "seed", 0, 0, G_OPTION_ARG_STRING, &options.seed, "seed of the environments and the policy (0)",
    "N" },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &options.out,
    "directory to make (runs/ENV__POLICY__SEED__TIME)", "DIR" },
  { "storage", 0, 0, G_OPTION_ARG_STRING, &options.storage,
    "memmap: in files from the start; tensor, or tensor:layout=records: in memory, saved at the "
    "end (memmap)",
    "KIND" },
  { "capacity", 0, 0, G_OPTION_ARG_STRING, &options.capacity,
    "rows that are kept (all of them and a spare step; without --frames the newest million, 1 GiB "
    "at "
    "most)",
    "N" },
  { "max-episode-steps", 0, 0, G_OPTION_ARG_STRING, &options.max_episode_steps,
    "time limit; 0 for none (the environment's)", "N" },
  { "threads", 0, 0, G_OPTION_ARG_STRING, &options.threads,
    "workers (as many as the machine lends)", "N" },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print JSON instead of the path, or of a table",
    NULL },
  { "quiet", 0, 0, G_OPTION_ARG_NONE, &options.quiet, "say nothing but errors on stderr", NULL },
  { "resume", 0, 0, G_OPTION_ARG_FILENAME, &options.resume,
    "continue a run that was stopped or killed, to its end or to --frames", "DIR" },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force, "replace a run at --out", NULL },
  { "log", 0, 0, G_OPTION_ARG_FILENAME, &options.log,
    "write a line an episode, and the frames per second once a second, to FILE.ndjson or FILE.csv, "
    "or as NDJSON to - (standard output); --resume appends",
    "FILE" },
  { "dry-run", 0, 0, G_OPTION_ARG_NONE, &options.dry_run,
    "print shapes, sizes and files; write nothing", NULL },
  { "check", 0, 0, G_OPTION_ARG_NONE, &options.check,
    "play --env a little and compare it with its specs and its promises", NULL },
  { "version", 0, 0, G_OPTION_ARG_NONE, &options.version, "print its name and version", NULL },
  { NULL },
};

static const OptionAlias aliases[] = {
  { "env-id", "env" },
  { "env-name", "env" },
  { "total-frames", "frames" },
  { "total-timesteps", "frames" },
  { "n-envs", "num-envs" },
  { "nb-envs", "num-envs" },
  { "buffer-size", "capacity" },
  { "output", "out" },
  { NULL, NULL },
};

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
  if (!options.env && !options.resume)
    {
      options.env = words[0];
      return TRUE;
    }
  set_usage_error (error, "%s is given, and so is \"%s\": which of them?",
                   options.env ? "--env" : "--resume", words[0]);
  return FALSE;
}

static int
run_program (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("[ENV] - collect experience");
  g_auto (Plan) plan = { 0 };

  g_option_context_set_summary (context, "Steps environments with a policy and writes the "
                                         "experience to a directory that TorchRL opens.");
  g_option_context_set_description (
      context,
      "Examples:\n  collect CartPole --frames 1000\n  collect --env Ant:num-envs=64 --frames 1M "
      "--out runs/ant\n  collect --resume runs/ant --frames 2M\n\nNumbers may be written 1e6, 1M "
      "or "
      "1_000_000. The path of the directory goes to stdout, all else to stderr.");
  class_list_limit ("storage", collect_storages);
  if (!options_parse (context, entries, aliases, argv, error) || !take_env (*argv + 1, error))
    return EXIT_USAGE;
  if (options.version)
    return program_print_version (PROGRAM);
  if (!options.dry_run)
    signal (SIGPIPE, SIG_IGN); /* a run goes on when nobody reads any more what it says */
  if (options.check && !options.frames)
    {
      options.frames = g_strdup ("1"); /* nothing is collected, and nothing to be said of it */
      options.quiet = TRUE;
    }
  if (!plan_init (&plan, &options, error))
    return EXIT_USAGE;
  if (options.check)
    return collect_check_env (&plan, error) ? EXIT_OK : EXIT_FAILED;
  if (options.dry_run)
    {
      (options.json ? collect_print_files_json : collect_print_files) (&plan);
      return EXIT_OK;
    }
  plan.program = (*argv)[0];
  plan.replay = replay_command ((*argv)[0]);
  return collect_run (&plan, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) arguments = g_strdupv (argv);

  program_begin ();
  int status = run_program (&arguments, &error);
  return program_end (PROGRAM, status, error);
}
