/* collect: step environments with a policy and keep what happened. */
#include "options.h"
#include "progress.h"
#include "text-table.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "collect"
#define MOST_ROWS (G_MAXINT64 / 2)
#define MOST_THREADS 1024

/* What the command line says; NULL where it is silent. */
static struct
{
  char *env;
  char *num_envs;
  char *frames;
  char *frames_per_batch;
  char *policy;
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
  gboolean list_envs;
} options;

static const GOptionEntry entries[] = {
  { "env", 'e', 0, G_OPTION_ARG_STRING, &options.env,
    "environment, such as CartPole or CartPole-v0:gravity=1.6", "ID[:NAME=VALUE,...]" },
  { "num-envs", 'n', 0, G_OPTION_ARG_STRING, &options.num_envs, "how many at once (8)", "N" },
  { "frames", 'f', 0, G_OPTION_ARG_STRING, &options.frames,
    "rows to collect, rounded up to whole steps; until stopped if not given", "N" },
  { "frames-per-batch", 0, 0, G_OPTION_ARG_STRING, &options.frames_per_batch, "rows a batch (1000)",
    "N" },
  { "policy", 'p', 0, G_OPTION_ARG_STRING, &options.policy, "what acts (random)",
    "ID[:NAME=VALUE,...]" },
  { "seed", 's', 0, G_OPTION_ARG_STRING, &options.seed,
    "seed of the environments and the policy (0)", "N" },
  { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out,
    "directory to make (runs/ENV__POLICY__SEED__TIME)", "DIR" },
  { "storage", 0, 0, G_OPTION_ARG_STRING, &options.storage,
    "memmap: in files from the start; tensor: in memory, saved at the end (memmap)", "KIND" },
  { "capacity", 0, 0, G_OPTION_ARG_STRING, &options.capacity,
    "rows that are kept (all of them and a spare step)", "N" },
  { "max-episode-steps", 0, 0, G_OPTION_ARG_STRING, &options.max_episode_steps,
    "time limit; 0 for none (the environment's)", "N" },
  { "threads", 't', 0, G_OPTION_ARG_STRING, &options.threads,
    "workers (as many as the machine lends)", "N" },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object instead of the path",
    NULL },
  { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "say nothing but errors on stderr", NULL },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force, "replace a run that stands at --out", NULL },
  { "dry-run", 0, 0, G_OPTION_ARG_NONE, &options.dry_run,
    "print shapes, sizes and files; write nothing", NULL },
  { "list-envs", 0, 0, G_OPTION_ARG_NONE, &options.list_envs, "list the environments", NULL },
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

/* What is to be done. */
typedef struct
{
  ReelEnv *env;
  ReelPolicy *policy;
  ReelTensordict *layout;
  gint64 n_envs;
  gint64 seed;
  gint64 frames;
  gint64 frames_per_batch;
  gint64 capacity;
  gint64 threads;
  gboolean memmap;
  char *path;
  char *replay;
} Plan;

static void
plan_clear (Plan *plan)
{
  g_clear_object (&plan->env);
  g_clear_object (&plan->policy);
  g_clear_pointer (&plan->layout, reel_tensordict_unref);
  g_clear_pointer (&plan->path, g_free);
  g_clear_pointer (&plan->replay, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

static void G_GNUC_PRINTF (1, 2) say (const char *format, ...)
{
  if (options.quiet)
    return;
  va_list args;
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
}

/* ---- the plan ------------------------------------------------------------------------------- */

static gboolean
parse_number (const char *option, const char *text, gint64 low, gint64 high, gint64 initial,
              gint64 *value, GError **error)
{
  *value = initial;
  if (!text || reel_parse_int64 (text, low, high, value, error))
    return TRUE;
  g_prefix_error (error, "--%s ", option);
  return FALSE;
}

/* Whether the text sets a property itself. */
static gboolean
sets_property (const char *text, const char *name)
{
  g_auto (GStrv) parts = g_strsplit_set (text, ":,", -1);
  g_autofree char *prefix = g_strconcat (name, "=", NULL);

  for (char **part = parts + 1; parts[0] && *part; part++)
    if (g_str_has_prefix (g_strdelimit (g_strstrip (*part), "_", '-'), prefix))
      return TRUE;
  return FALSE;
}

/* Adds name=value to the text unless that sets it. */
static char *
with_default (const char *text, const char *name, gint64 value)
{
  if (sets_property (text, name))
    return g_strdup (text);
  return g_strdup_printf ("%s%c%s=%" G_GINT64_FORMAT, text, strchr (text, ':') ? ',' : ':', name,
                          value);
}

static gint64
round_up (gint64 n, gint64 multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

static gboolean
make_env (Plan *plan, GError **error)
{
  if (!options.env)
    {
      set_usage_error (error, "--env says which environment; --list-envs lists them");
      return FALSE;
    }

  g_autofree char *several = with_default (options.env, "num-envs", 8);
  g_autofree char *text = with_default (several, "seed", plan->seed);
  g_autoptr (GPtrArray) given = g_ptr_array_new ();
  const char *const overrides[][2] = { { "num-envs", options.num_envs },
                                       { "seed", options.seed },
                                       { "max-episode-steps", options.max_episode_steps } };
  for (guint i = 0; i < G_N_ELEMENTS (overrides); i++)
    if (overrides[i][1])
      {
        g_ptr_array_add (given, (char *) overrides[i][0]);
        g_ptr_array_add (given, (char *) overrides[i][1]);
      }
  g_ptr_array_set_size (given, 7);

  char **pair = (char **) given->pdata;
  plan->env = reel_object_new_from_text (REEL_TYPE_ENV, text, error, pair[0], pair[1], pair[2],
                                         pair[3], pair[4], pair[5], NULL);
  if (!plan->env)
    return FALSE;
  plan->n_envs = reel_env_get_num_envs (plan->env);
  plan->layout = reel_collector_make_layout (plan->env, error);
  return plan->layout != NULL;
}

static gboolean
make_policy (Plan *plan, GError **error)
{
  const char *text = options.policy ? options.policy : "random";
  g_autofree char *seeded =
      g_str_has_prefix (text, "random") ? with_default (text, "seed", plan->seed) : g_strdup (text);

  plan->policy = reel_object_new_from_text (REEL_TYPE_POLICY, seeded, error, NULL);
  return plan->policy != NULL;
}

static gint64
row_bytes (const Plan *plan)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (plan->layout);
  gsize step = 0;

  for (char **leaf = leaves; *leaf; leaf++)
    step += reel_tensor_nbytes (reel_tensordict_get_tensor (plan->layout, *leaf, NULL));
  return (gint64) step / plan->n_envs;
}

static gboolean
plan_sizes (Plan *plan, GError **error)
{
  gint64 asked;

  if (!parse_number ("frames", options.frames, 1, MOST_ROWS, -1, &asked, error)
      || !parse_number ("frames-per-batch", options.frames_per_batch, 1, G_MAXINT32, 1000,
                        &plan->frames_per_batch, error)
      || !parse_number ("threads", options.threads, 0, MOST_THREADS, 0, &plan->threads, error)
      || !parse_number ("capacity", options.capacity, 1, MOST_ROWS, -1, &plan->capacity, error))
    return FALSE;
  if (asked < 0 && plan->capacity < 0)
    {
      set_usage_error (error,
                       "without --frames the run goes on until it is stopped: --capacity says "
                       "how many rows to keep");
      return FALSE;
    }

  plan->frames = asked < 0 ? -1 : round_up (asked, plan->n_envs);
  plan->frames_per_batch = round_up (plan->frames_per_batch, plan->n_envs);
  plan->capacity =
      plan->capacity < 0 ? plan->frames + plan->n_envs : round_up (plan->capacity, plan->n_envs);
  if (plan->capacity > G_MAXINT64 / row_bytes (plan))
    {
      set_usage_error (error,
                       "%" G_GINT64_FORMAT " rows of %" G_GINT64_FORMAT
                       " bytes are more than any file holds; --capacity says how many to keep",
                       plan->capacity, row_bytes (plan));
      return FALSE;
    }
  if (plan->frames > asked && asked > 0)
    say ("%" G_GINT64_FORMAT " frames become %" G_GINT64_FORMAT ": whole steps of %" G_GINT64_FORMAT
         " environments\n",
         asked, plan->frames, plan->n_envs);
  return TRUE;
}

static gboolean
plan_storage (Plan *plan, GError **error)
{
  static const char *const kinds[] = { "memmap", "tensor", NULL };
  const char *kind = options.storage ? options.storage : "memmap";

  plan->memmap = strcmp (kind, "memmap") == 0;
  if (plan->memmap || strcmp (kind, "tensor") == 0)
    return TRUE;
  const char *closest = reel_closest_word (kind, kinds);
  set_usage_error (error, "--storage is memmap or tensor, not \"%s\"%s%s%s", kind,
                   closest ? "; did you mean " : "", closest ? closest : "", closest ? "?" : "");
  return FALSE;
}

/* runs/CartPole-v1__random__0__20261120-203000, with a counter where that stands already. */
static char *
name_run (const Plan *plan)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%Y%m%d-%H%M%S");
  g_autofree char *name = g_strdup_printf (
      "%s__%s__%" G_GINT64_FORMAT "__%s", reel_object_get_id (REEL_OBJECT (plan->env)),
      reel_object_get_id (REEL_OBJECT (plan->policy)), plan->seed, time);
  char *path = g_build_filename ("runs", name, NULL);

  for (guint i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_free (path);
      path = g_strdup_printf ("runs/%s-%u", name, i);
    }
  return path;
}

/* What a link points to is replaced, not the link. */
static void
follow_link (Plan *plan)
{
  char *target = realpath (plan->path, NULL);

  if (!target)
    return;
  g_free (plan->path);
  plan->path = g_strdup (target);
  free (target);
}

static gboolean
plan_path (Plan *plan, GError **error)
{
  plan->path = options.out ? g_strdup (options.out) : name_run (plan);
  gsize length = strlen (plan->path);
  while (length > 1 && plan->path[length - 1] == '/')
    plan->path[--length] = '\0';
  if (g_file_test (plan->path, G_FILE_TEST_IS_SYMLINK))
    follow_link (plan);
  if (options.force || !g_file_test (plan->path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s exists; choose another --out, or replace it by --force", plan->path);
  return FALSE;
}

static gboolean
make_plan (Plan *plan, GError **error)
{
  return parse_number ("seed", options.seed, 0, G_MAXINT64 / 2, 0, &plan->seed, error)
         && make_env (plan, error) && make_policy (plan, error) && plan_storage (plan, error)
         && plan_sizes (plan, error) && plan_path (plan, error);
}

/* ---- what is printed ------------------------------------------------------------------------ */

static int
list_envs (void)
{
  gsize n;
  g_autofree const ReelId **ids = reel_object_list_ids (REEL_TYPE_ENV, &n);
  g_autoptr (TextTable) table = text_table_new ("ll");

  for (gsize i = 0; i < n; i++)
    text_table_add (table, g_strdup (ids[i]->id), g_strdup (ids[i]->blurb));
  g_autofree char *text = text_table_render (table, 0);
  g_print ("%s", text);
  return EXIT_OK;
}

static char *
storage_shape (const Plan *plan)
{
  gint64 steps = plan->capacity / plan->n_envs;

  if (plan->n_envs == 1)
    return g_strdup_printf ("[%" G_GINT64_FORMAT "]", steps);
  return g_strdup_printf ("[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", steps, plan->n_envs);
}

static char *
leaf_shape (const ReelTensor *leaf, gint64 steps)
{
  g_autoptr (GString) text = g_string_new ("[");

  g_string_append_printf (text, "%" G_GINT64_FORMAT, steps);
  for (gint i = 0; i < leaf->ndim; i++)
    g_string_append_printf (text, ", %" G_GINT64_FORMAT, leaf->shape[i]);
  return g_strdup_printf ("%s]", text->str);
}

static int
dry_run (const Plan *plan)
{
  gint64 steps = plan->capacity / plan->n_envs;
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (plan->layout);
  g_autoptr (TextTable) table = text_table_new ("lllr");

  for (char **path = leaves; *path; path++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (plan->layout, *path, NULL);
      gint64 bytes = (gint64) reel_tensor_nbytes (leaf) * steps;
      text_table_add (table, g_strdup_printf ("%s/storage/%s.memmap", plan->path, *path),
                      g_strdup (reel_dtype_name (leaf->dtype)), leaf_shape (leaf, steps),
                      format_bytes (bytes));
    }
  g_autofree char *text = text_table_render (table, 0);
  g_autofree char *total = format_bytes (row_bytes (plan) * plan->capacity);
  g_print ("%s%s in all; metadata beside: buffer_metadata.json reel.json reel.ring "
           "storage/**/meta.json storage/storage_metadata.json writer/metadata.json\n",
           text, total);
  return EXIT_OK;
}

static void
say_plan (const Plan *plan)
{
  g_autofree char *env = reel_object_to_text (REEL_OBJECT (plan->env));
  g_autofree char *policy = reel_object_to_text (REEL_OBJECT (plan->policy));
  g_autofree char *shape = storage_shape (plan);
  g_autofree char *bytes = format_bytes (row_bytes (plan) * plan->capacity);

  say ("env      %s, %" G_GINT64_FORMAT " at once\n", env, plan->n_envs);
  say ("policy   %s\n", policy);
  say ("seed     %" G_GINT64_FORMAT "\n", plan->seed);
  say ("storage  %s %s, %s, %s\n", plan->memmap ? "memmap" : "tensor", shape, bytes, plan->path);
}

static double
mean (double sum, gint64 n)
{
  return n > 0 ? sum / (double) n : NAN;
}

/* What runs replay where PROGRAM ran collect: `build/replay` beside `build/collect`. */
static char *
replay_command (const char *program)
{
  const char *slash = strrchr (program, '/');
  int directory = slash ? (int) (slash + 1 - program) : 0;

  return g_strdup_printf ("%.*sreplay", directory, program);
}

static void
say_summary (const Plan *plan, const ReelCollectorStats *stats, double seconds)
{
  g_autofree char *frames = format_count (stats->frames);
  g_autofree char *episodes = format_count (stats->episodes);
  g_autofree char *rate = format_rate ((double) stats->frames / seconds);
  g_autofree char *time = format_duration (seconds);
  g_autofree char *bytes = format_bytes (row_bytes (plan) * plan->capacity);

  say ("%s frames in %s, %s frames/s\n", frames, time, rate);
  if (stats->episodes > 0)
    say ("%s episode%s, mean length %.1f, mean return %.1f (%g to %g)\n", episodes,
         stats->episodes == 1 ? "" : "s", mean ((double) stats->length_sum, stats->episodes),
         mean (stats->return_sum, stats->episodes), stats->return_min, stats->return_max);
  else
    say ("no episode has ended yet\n");
  say ("%s in %s\n", bytes, plan->path);
  say ("look at it:      %s %s\n", plan->replay, plan->path);
  say ("load in Python:  %s info --python %s   prints the lines\n", plan->replay, plan->path);
}

static json_t *
json_mean (double sum, gint64 n)
{
  return n > 0 ? json_real (sum / (double) n) : json_null ();
}

static void
print_json (const Plan *plan, const ReelCollectorStats *stats, double seconds, gboolean interrupted)
{
  g_autofree char *env = reel_object_to_text (REEL_OBJECT (plan->env));
  g_autofree char *policy = reel_object_to_text (REEL_OBJECT (plan->policy));
  g_autofree char *path =
      g_filename_display_name (plan->path); /* JSON is UTF-8, names need not be */
  json_t *object =
      json_pack ("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:f, s:I, s:b}", "path",
                 path, "env", env, "policy", policy, "num_envs", (json_int_t) plan->n_envs, "seed",
                 (json_int_t) plan->seed, "frames", (json_int_t) stats->frames, "capacity",
                 (json_int_t) plan->capacity, "episodes", (json_int_t) stats->episodes,
                 "mean_length", json_mean ((double) stats->length_sum, stats->episodes),
                 "mean_return", json_mean (stats->return_sum, stats->episodes), "seconds", seconds,
                 "frames_per_second", (double) stats->frames / seconds, "bytes",
                 (json_int_t) (row_bytes (plan) * plan->capacity), "interrupted", interrupted);
  char *text = json_dumps (object, JSON_COMPACT);
  printf ("%s\n", text);
  free (text);
  json_decref (object);
}

/* ---- the run -------------------------------------------------------------------------------- */

static ReelCollector *volatile running;
static volatile sig_atomic_t interrupted;

/* The first signal ends the run after the steps that are complete, the second at once. */
static void
on_signal (int number)
{
  interrupted = 1;
  if (running)
    reel_collector_stop (running);
  signal (number, SIG_DFL);
}

static void
watch_signals (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

static ReelReplayBuffer *
make_buffer (const Plan *plan, GError **error)
{
  ReelCheckpointFlags flags = options.force ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT;

  if (plan->memmap)
    return reel_replay_buffer_create_live (plan->path, plan->capacity, plan->layout, flags, error);

  g_autofree char *text = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=%d",
                                           plan->capacity, plan->n_envs == 1 ? 1 : 2);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL);
  if (!storage || !reel_storage_allocate (storage, plan->layout, error))
    return NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0);
  if (!reel_replay_buffer_check_dumps (buffer, plan->path, flags, error))
    return NULL;
  return g_steal_pointer (&buffer);
}

static gboolean
finish_buffer (const Plan *plan, ReelReplayBuffer *buffer, GError **error)
{
  if (plan->memmap)
    return reel_replay_buffer_close (buffer, error);
  return reel_replay_buffer_dumps (
      buffer, plan->path, options.force ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT, error);
}

static gboolean
collect (const Plan *plan, ReelCollector *collector, double *seconds, GError **error)
{
  Progress progress;
  ReelCollectorStats stats;
  gint64 n;

  running = collector;
  if (interrupted) /* before there was anything to stop */
    reel_collector_stop (collector);
  progress_start (&progress, plan->frames, options.quiet);
  while ((n = reel_collector_next (collector, NULL, error)) > 0)
    if (progress_is_due (&progress))
      {
        reel_collector_get_stats (collector, &stats);
        progress_show (&progress, stats.frames, stats.episodes,
                       mean (stats.return_sum, stats.episodes));
      }
  *seconds = progress_finish (&progress);
  running = NULL;
  return n == 0;
}

static gboolean
make_parent (const char *path, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);

  if (g_mkdir_with_parents (parent, 0777) == 0)
    return TRUE;
  int saved = errno;
  g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "cannot make the directory %s: %s", parent,
               g_strerror (saved));
  return FALSE;
}

static gboolean
run (const Plan *plan, GError **error)
{
  g_autofree char *text =
      g_strdup_printf ("sync:frames-per-batch=%" G_GINT64_FORMAT ",total-frames=%" G_GINT64_FORMAT
                       ",threads=%" G_GINT64_FORMAT,
                       plan->frames_per_batch, plan->frames, plan->threads);
  watch_signals ();
  if (!make_parent (plan->path, error))
    return FALSE;
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (plan, error);
  if (!buffer)
    return FALSE;
  g_autoptr (ReelCollector) collector =
      reel_collector_new (text, plan->env, plan->policy, buffer, error);
  if (!collector)
    return FALSE;

  double seconds;
  ReelCollectorStats stats;
  if (!collect (plan, collector, &seconds, error) || !finish_buffer (plan, buffer, error))
    return FALSE;

  reel_collector_get_stats (collector, &stats);
  if (interrupted)
    say ("interrupted; what was collected is kept\n");
  say_summary (plan, &stats, seconds);
  if (options.json)
    print_json (plan, &stats, seconds, interrupted);
  else
    printf ("%s\n", plan->path);
  return TRUE;
}

static int
run_program (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("- collect experience");
  g_auto (Plan) plan = { 0 };

  g_option_context_set_summary (context, "Steps environments with a policy and writes what "
                                         "happened to a directory that TorchRL opens.");
  g_option_context_set_description (
      context,
      "Example:\n  collect --env CartPole --frames 1000\n\nNumbers may be written 1e6, 1M or "
      "1_000_000. The path of the directory goes to stdout, all else to stderr.");
  if (!options_parse (context, entries, aliases, argv, error)
      || !options_check_words (*argv + 1, 0, error))
    return EXIT_USAGE;
  if (options.list_envs)
    return list_envs ();
  if (!make_plan (&plan, error))
    return EXIT_USAGE;
  if (options.dry_run)
    return dry_run (&plan);
  plan.replay = replay_command ((*argv)[0]);
  say_plan (&plan);
  if (!run (&plan, error))
    return EXIT_FAILED;
  return interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) arguments = g_strdupv (argv);

  program_begin ();
  signal (SIGPIPE, SIG_IGN);
  int status = run_program (&arguments, &error);
  return program_end (PROGRAM, status, error);
}
