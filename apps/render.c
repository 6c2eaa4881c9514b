/* render: look at episodes, stored or played. */
#include "render.h"

#include <stdio.h>
#include <string.h>

#define PROGRAM "render"

static struct
{
  char *env;
  char *policy;
  char *seed;
  char *steps;
  char *episode;
  char *size;
  char *grid;
  char *png;
  char *sheet;
  gboolean version;
} options;

static const GOptionEntry entries[] = {
  { "env", 'e', 0, G_OPTION_ARG_STRING, &options.env,
    "environment to play, or that a directory is of, such as CartPole", "ID[:NAME=VALUE,...]" },
  { "policy", 'p', 0, G_OPTION_ARG_STRING, &options.policy, "what acts (random)",
    "ID[:NAME=VALUE,...]" },
  { "seed", 's', 0, G_OPTION_ARG_STRING, &options.seed,
    "seed of the environment and the policy (0)", "N" },
  { "steps", 0, 0, G_OPTION_ARG_STRING, &options.steps,
    "play no longer than this, if the episode has not ended (1000)", "N" },
  { "episode", 0, 0, G_OPTION_ARG_STRING, &options.episode,
    "which of a directory, in the order of their ends; -1 the newest (0)", "N" },
  { "png", 0, 0, G_OPTION_ARG_FILENAME, &options.png, "a directory to make, with a PNG a picture",
    "OUT" },
  { "sheet", 0, 0, G_OPTION_ARG_FILENAME, &options.sheet,
    "a PNG with small pictures of the whole episode", "FILE" },
  { "grid", 0, 0, G_OPTION_ARG_STRING, &options.grid, "columns and rows of the sheet (4x4)",
    "CxR" },
  { "size", 0, 0, G_OPTION_ARG_STRING, &options.size,
    "draw each picture this large, in pixels, whatever is stored", "WxH" },
  { "version", 0, 0, G_OPTION_ARG_NONE, &options.version, "print its name and version", NULL },
  { NULL },
};

/* Two numbers such as 84x84; 0 and 0 where nothing was said. */
static gboolean
parse_pair (const char *name, const char *text, gint64 most, gint64 *a, gint64 *b, GError **error)
{
  *a = *b = 0;
  if (!text)
    return TRUE;
  g_auto (GStrv) parts = g_strsplit (text, "x", 3);
  if (g_strv_length (parts) == 2)
    return options_parse_number (name, parts[0], 1, most, 0, a, error)
           && options_parse_number (name, parts[1], 1, most, 0, b, error);
  set_usage_error (error, "--%s %s: write it as 4x3", name, text);
  return FALSE;
}

static gboolean
check_options (const char *directory, GError **error)
{
  if (!directory && !options.env)
    set_usage_error (error, "which directory? or which environment, by --env");
  else if (!options.png && !options.sheet)
    set_usage_error (error, "--png DIR or --sheet FILE says where the pictures go");
  else if (directory && (options.policy || options.seed || options.steps))
    set_usage_error (error,
                     "--policy, --seed and --steps are for episodes that are played; %s is "
                     "stored",
                     directory);
  else if (!directory && options.episode)
    set_usage_error (error, "--episode chooses one of a directory");
  else if (options.grid && !options.sheet)
    set_usage_error (error, "--grid is for --sheet");
  else
    return TRUE;
  return FALSE;
}

static gboolean
open_frames (Frames *frames, const char *directory, GError **error)
{
  gint64 seed, steps, episode;

  if (!options_parse_number ("seed", options.seed, 0, G_MAXINT64 / 2, 0, &seed, error)
      || !options_parse_number ("steps", options.steps, 1, 1000000, 1000, &steps, error)
      || !options_parse_number ("episode", options.episode, -G_MAXINT64, G_MAXINT64, 0, &episode,
                                error))
    return FALSE;
  if (directory)
    return frames_open (frames, directory, options.env, episode, options.size != NULL, error);
  return frames_play (frames, options.env, options.policy ? options.policy : "random", seed, steps,
                      error);
}

static int
run_program (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("[DIR] - look at an episode");
  g_auto (Frames) frames = { 0 };
  gint64 width, height, columns, rows;

  g_option_context_set_summary (
      context, "Draws an episode of a directory that collect or TorchRL wrote, from its pixels or "
               "its observations, or one that is played.");
  g_option_context_set_description (
      context, "Examples:\n  render runs/cartpole --episode -1 --sheet episode.png\n  render --env "
               "CartPole --seed 3 --png frames");
  if (!options_parse (context, entries, NULL, argv, error)
      || !options_check_words (*argv + 1, 1, error))
    return EXIT_USAGE;
  if (options.version)
    return program_print_version (PROGRAM);

  const char *directory = (*argv)[1];

  if (!check_options (directory, error)
      || !parse_pair ("size", options.size, REEL_ENV_FRAME_MOST, &width, &height, error)
      || !parse_pair ("grid", options.grid ? options.grid : "4x4", 64, &columns, &rows, error))
    return EXIT_USAGE;
  if (!open_frames (&frames, directory, error))
    return EXIT_FAILED;
  if (options.png
      && !render_to_files (&frames, width ? width : frames.width, width ? height : frames.height,
                           options.png, error))
    return EXIT_FAILED;
  if (options.sheet
      && !render_to_sheet (&frames, width, height, columns, rows, options.sheet, error))
    return EXIT_FAILED;
  g_printerr ("%s: an episode of %" G_GINT64_FORMAT " steps\n", directory ? directory : options.env,
              frames.n - 1);
  return EXIT_OK;
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
