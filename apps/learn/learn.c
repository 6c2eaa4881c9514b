/* learn: learn policies by example learners, online and from saved data. */
#include "../common/class-list.h"
#include "../common/option-file.h"
#include "../common/text-table.h"
#include "learn-list.h"
#include "plan.h"
#include "learn-plot.h"
#include "learn-show.h"
#include "saved-run.h"

#include <string.h>

#define PROGRAM "learn"

static const LearnerClass *const classes[] = { &dqn_learner, &r2d2_learner, &ppo_learner,
                                               &sac_learner, &td3_learner,  &bc_learner,
                                               &cql_learner, &iql_learner,  &td3_bc_learner };

/* Commands that learn nothing. */
static const struct
{
  const char *name, *about;
  int (*run) (char ***argv, GError **error);
} commands[] = {
  { "list", "list the runs below a directory", learn_list },
  { "plot", "figures of several runs as one picture, with bands over seeds", learn_plot },
  { "show", "show a run: its options and newest figures", learn_show },
};

static LearnOptions options;
static GOptionEntry *entries; /* with the texts that they own, as long as the program */

/* ---- options ---- */

static char *
with_default (const char *about, const char *value)
{
  return value ? g_strdup_printf ("%s (%s)", about, value) : g_strdup (about);
}

static void
add (GArray *all, const char *name, GOptionArg kind, gpointer to, char *about, const char *value)
{
  const GOptionEntry entry = { name, 0, 0, kind, to, about, value };

  g_array_append_val (all, entry);
}

static void
add_text (GArray *all, const char *name, char **to, const char *about, const char *initial,
          const char *value)
{
  add (all, name, G_OPTION_ARG_STRING, to, with_default (about, initial), value);
}

/* The default of a setting, and that for pixels. */
static char *
dup_initial (const LearnerClass *class, const Setting *setting)
{
  if (setting->kind == SETTING_SWITCH)
    return g_strdup (setting->initial ? "true" : "false");
  for (const PixelDefault *other = class->of_pixels; other && other->name; other++)
    if (strcmp (other->name, setting->name) == 0)
      return g_strdup_printf ("%.10g; %.10g with --pixels", setting->initial, other->initial);
  return g_strdup_printf ("%.10g", setting->initial);
}

static void
add_setting (GArray *all, const LearnerClass *class, const Setting *setting, char **to)
{
  g_autofree char *initial = dup_initial (class, setting);

  add_text (all, setting->name, to, setting->about, initial,
            setting->kind == SETTING_SWITCH    ? "true|false"
            : setting->kind == SETTING_INTEGER ? "N"
                                               : "X");
}

static void
add_source (GArray *all, const LearnerClass *class)
{
  gboolean data = class->source == LEARN_FROM_DATA;

  add_text (all, "env", &options.env,
            data ? "environment of the evaluations (that of the data)" : "environment", class->env,
            "ID[:NAME=VALUE,...]");
  add_text (all, "transform", &options.transform,
            "transforms that the environment is seen through, such as step-counter|reward-sum",
            NULL, "CHAIN");
  if (class->of_pixels)
    add (all, "pixels", G_OPTION_ARG_NONE, &options.pixels,
         g_strdup ("see the pixels of the environment, four small gray frames at once"), NULL);
  if (data)
    {
      add (all, "data", G_OPTION_ARG_FILENAME_ARRAY, &options.data,
           g_strdup ("directory of saved data; may be repeated"), "DIR");
      add_text (all, "weights", &options.weights, "share of each --data, such as 0.7,0.3", NULL,
                "X,...");
      add_text (all, "max-updates", &options.total, "updates", class->total, "N");
    }
  else
    {
      add_text (all, "num-envs", &options.num_envs, "environments at once", class->num_envs, "N");
      add_text (all, "frames", &options.total, "frames to collect", class->total, "N");
      add_text (all, "threads", &options.threads,
                "worker threads (as many as the CPUs that are available)", NULL, "N");
    }
  if (class->source != LEARN_FROM_ROLLOUTS)
    add_text (all, "sampler", &options.sampler,
              data ? "sampler of the batches (that of the data)"
                   : "sampler of the batches, such as prioritized",
              data ? NULL : "random", "ID[:NAME=VALUE,...]");
}

static GOptionEntry *
make_entries (const LearnerClass *class)
{
  GArray *all = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  const GOptionEntry plugin = OPTIONS_PLUGIN, config = OPTIONS_CONFIG;

  add_source (all, class);
  add_text (all, "seed", &options.seed, "seed of everything that is drawn", "0", "N");
  add_text (all, "hidden", &options.hidden, "widths of the hidden layers", class->hidden, "N,...");
  add_text (all, "activation", &options.activation, "activation between layers", class->activation,
            "relu|tanh");
  for (guint i = 0; class->settings[i].name; i++)
    add_setting (all, class, &class->settings[i], &options.settings[i]);
  add_text (all, "eval-every", &options.eval_every,
            "frames or updates between evaluations; 0 for none (a twentieth of the run)", NULL,
            "N");
  add_text (all, "eval-episodes", &options.eval_episodes, "episodes of an evaluation", "20", "N");
  add_text (all, "stop-at", &options.stop_at, "end where an evaluation has this mean return", NULL,
            "RETURN");
  add_text (all, "log-every", &options.log_every,
            "frames or updates between rows of figures (a 200th of the run)", NULL, "N");
  add (all, "out", G_OPTION_ARG_FILENAME, &options.out,
       g_strdup ("directory to make (runs/ENV__LEARNER__SEED__TIME)"), "DIR");
  add_text (all, "checkpoint-every", &options.checkpoint_every,
            "frames or updates between checkpoints; 0 for one at the end alone", "0", "N");
  add (all, "resume", G_OPTION_ARG_FILENAME, &options.resume,
       g_strdup ("continue the run in DIR from its checkpoint, with its options"), "DIR");
  g_array_append_val (all, config);
  add (all, "print-config", G_OPTION_ARG_NONE, &options.print_config,
       g_strdup ("print the options with their values for --config, and learn nothing"), NULL);
  add (all, "videos", G_OPTION_ARG_NONE, &options.videos,
       g_strdup ("film an episode at each evaluation, in the directory of the run"), NULL);
  add_text (all, "video-format", &options.video_format,
            "format of the films (mp4 if ffmpeg is installed, else gif)", NULL, "mp4|gif|png");
  add (all, "quiet", G_OPTION_ARG_NONE, &options.quiet, g_strdup ("print only errors on stderr"),
       NULL);
  g_array_append_val (all, plugin);
  return (GOptionEntry *) g_array_free (all, FALSE);
}

/* ---- commands ---- */

static int
help (void)
{
  g_autoptr (TextTable) table = text_table_new ("ll");

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    text_table_add (table, g_strdup (classes[i]->name), g_strdup (classes[i]->about));
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    text_table_add (table, g_strdup (commands[i].name), g_strdup (commands[i].about));
  text_table_add (table, g_strdup ("help COMMAND"), g_strdup ("print the options of a command"));
  g_autofree char *text = text_table_render (table, 2);
  g_print ("Usage:\n  learn COMMAND [ENV] [OPTION...]\n  learn --resume RUN\n"
           "  learn --config RUN|FILE [OPTION...]\n\nCommands:\n%s\n"
           "Options:\n"
           "      --resume=RUN       continue a run from its checkpoint\n"
           "      --config=RUN|FILE  learn by the options of a run, or of a file\n"
           "  -h, --help             print this text\n"
           "  -V, --version          print name and version\n\n"
           "The learners are examples of the library's use; docs/learning.md shows how they\n"
           "are written.\n",
           text);
  return EXIT_OK;
}

static const LearnerClass *
find_class (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (strcmp (classes[i]->name, name) == 0)
      return classes[i];
  return NULL;
}

static void
refuse_command (const char *name, GError **error)
{
  const char *names[G_N_ELEMENTS (classes) + G_N_ELEMENTS (commands) + 1] = { NULL };
  const char *closest;

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    names[i] = classes[i]->name;
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    names[G_N_ELEMENTS (classes) + i] = commands[i].name;
  closest = reel_closest_word (name, names);
  set_usage_error (error,
                   closest ? "there is no command \"%s\"; did you mean \"%s\"?"
                           : "there is no command \"%s\"; --help lists them",
                   name, closest);
}

/* `learn dqn CartPole` is `learn dqn --env CartPole`. */
static gboolean
take_env (char **words, GError **error)
{
  if (!words[0] || !options_check_words (words, 1, error))
    return !words[0];
  if (options.env && !option_file_has ("env"))
    {
      set_usage_error (error, "cannot use both --env and \"%s\": choose one", words[0]);
      return FALSE;
    }
  options.env = words[0];
  return TRUE;
}

/* Options that are not given are those of the run. */
static gboolean
take_resumed (GError **error)
{
  if (!options.resume)
    return TRUE;
  if (options.out || options_config)
    set_usage_error (error, "cannot use --%s with --resume: the options are those of the run",
                     options.out ? "out" : "config");
  else if (!g_file_test (options.resume, G_FILE_TEST_IS_DIR))
    g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "cannot resume %s: there is no such directory",
                 options.resume);
  else
    return option_file_read (options.resume, entries, error);
  return FALSE;
}

static char **
make_argv (const char *name, char **words)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_strv_builder_add (builder, name);
  g_strv_builder_addv (builder, (const char **) words);
  return g_strv_builder_end (builder);
}

static int
run_class (const LearnerClass *class, char **words, GError **error)
{
  g_autofree char *name = g_strconcat (PROGRAM " ", class->name, NULL);
  g_autoptr (GOptionContext) context = g_option_context_new ("[ENV]");
  g_auto (GStrv) argv = make_argv (name, words);
  g_auto (Plan) plan = { 0 };

  options.entries = entries = make_entries (class);
  option_file_program = name;
  g_set_prgname (name);
  g_option_context_set_summary (context, class->about);
  if (!options_parse (context, entries, &argv, error) || !take_env (argv + 1, error)
      || !take_resumed (error) || !plan_init (&plan, class, &options, error))
    return EXIT_FAILED;
  if (!options.print_config)
    return learn_run (&plan, error);
  plan_print_config (&plan);
  return EXIT_OK;
}

static int
run_command (guint i, char **words, GError **error)
{
  g_autofree char *name = g_strconcat (PROGRAM " ", commands[i].name, NULL);
  g_auto (GStrv) argv = make_argv (name, words);

  g_set_prgname (name);
  return commands[i].run (&argv, error);
}

/* ---- commands that a file names ---- */

/* The value of --resume or --config, NULL where neither is given. */
static const char *
find_file (char **words)
{
  static const char *const names[] = { "--resume", "--config" };

  for (; *words; words++)
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      {
        gsize n = strlen (names[i]);

        if (strcmp (*words, names[i]) == 0)
          return words[1];
        if (g_str_has_prefix (*words, names[i]) && (*words)[n] == '=')
          return *words + n + 1;
      }
  return NULL;
}

static void
refuse_file (const char *file, GError **error)
{
  g_autoptr (SavedRun) run = NULL;

  if (!g_file_test (file, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s: there is no such file or directory",
                   file);
      return;
    }
  run = saved_run_read (file, NULL);
  if (run && run->fault)
    g_propagate_error (error, g_error_copy (run->fault));
  else
    set_usage_error (error,
                     "%s names no learner: only a run of learn does, and a file that begins "
                     "with a group such as [learn dqn]",
                     file);
}

/* `learn --resume RUN` and `learn --config FILE` are of the command that they were made with. */
static int
run_named (char **words, GError **error)
{
  const char *file = find_file (words);
  g_autofree char *name = file ? option_file_dup_program (file) : NULL;
  const LearnerClass *class = name && g_str_has_prefix (name, PROGRAM " ")
                                  ? find_class (name + strlen (PROGRAM " "))
                                  : NULL;

  if (class)
    return run_class (class, words, error);
  if (!file && (strcmp (*words, "--resume") == 0 || strcmp (*words, "--config") == 0))
    set_usage_error (error, "%s lacks its value: name a run of learn", *words);
  else if (!file)
    refuse_command (*words, error);
  else
    refuse_file (file, error);
  return EXIT_USAGE;
}

static int
run_words (char **words, GError **error)
{
  char *asks_help[] = { (char *) "--help", NULL };
  gboolean helps = strcmp (*words, "help") == 0;
  const char *name = helps ? words[1] : *words;
  char **rest = helps ? asks_help : words + 1;
  const LearnerClass *class = find_class (name);

  if (*name == '-')
    return run_named (words, error);
  if (class)
    return run_class (class, rest, error);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i].name, name) == 0)
      return run_command (i, rest, error);
  refuse_command (name, error);
  return EXIT_USAGE;
}

static int
run_program (char **argv, GError **error)
{
  const char *word = argv[1];
  gboolean helps = word && strcmp (word, "help") == 0;

  if (!word || strcmp (word, "--help") == 0 || strcmp (word, "-h") == 0 || (helps && !argv[2]))
    {
      int status = help ();
      return word ? status : EXIT_USAGE;
    }
  if (strcmp (word, "--version") == 0 || strcmp (word, "-V") == 0)
    return program_print_version (PROGRAM);
  return run_words (argv + 1, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  program_begin ();
  int status = run_program (argv, &error);
  return program_end (PROGRAM, status, error);
}
