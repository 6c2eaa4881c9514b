/* render: look at episodes, stored or played. */
#include "config.h"

#include "render.h"

#include <stdio.h>
#include <string.h>

#include "../common/bus-error.h"
#include "../common/draft.h"
#include "../episodes/episode-list.h"
#include "../common/escaped-text.h"
#include "../common/interrupt.h"
#include "../common/json-values.h"
#include "../common/row-transform.h"

#define PROGRAM "render"

static struct
{
  char *env;
  char *policy;
  char *seed;
  char *steps;
  char *episode;
  char *grid;
  char *size;
  char *fps;
  char *camera;
  char *transform;
  gboolean overlay;
  gboolean plot;
  char *png;
  char *sheet;
  char *tiles;
  char *gif;
  char *mp4;
  gboolean force;
  gboolean quiet;
  gboolean json;
  gboolean doctor;
  gboolean version;
} options;

/* Options of parts that were not built are not listed. */
#ifdef REEL_WITH_GIF
#define GIF_FLAGS G_OPTION_FLAG_NONE
#define EXAMPLE_FILM "--gif swings.gif"
#else
#define GIF_FLAGS G_OPTION_FLAG_HIDDEN
#define EXAMPLE_FILM "--mp4 swings.mp4"
#endif

static const GOptionEntry entries[] = {
  { "env", 0, 0, G_OPTION_ARG_STRING, &options.env,
    "environment to play, or of DIR, such as CartPole", "ID[:NAME=VALUE,...]" },
  { "policy", 0, 0, G_OPTION_ARG_STRING, &options.policy, "policy that acts (random)",
    "ID[:NAME=VALUE,...]" },
  { "seed", 0, 0, G_OPTION_ARG_STRING, &options.seed, "seed of the environment and the policy (0)",
    "N" },
  { "steps", 0, 0, G_OPTION_ARG_STRING, &options.steps, "most steps of a played episode (1000)",
    "N" },
  { "episode", 0, 0, G_OPTION_ARG_STRING, &options.episode,
    "episode of DIR: its number in replay episodes, negative from the end, or best, worst, "
    "longest or shortest (0)",
    "N" },
  { "grid", 0, 0, G_OPTION_ARG_STRING, &options.grid,
    "show C times R episodes at once, in columns and rows", "CxR" },
  { "size", 0, 0, G_OPTION_ARG_STRING, &options.size,
    "width and height of each picture in pixels, also of stored ones", "WxH" },
  { "fps", 0, 0, G_OPTION_ARG_STRING, &options.fps,
    "pictures a second in windows and films (those of the environment)", "N" },
  { "camera", 0, 0, G_OPTION_ARG_STRING, &options.camera,
    "camera of MuJoCo: track or follow, which follow the body, fixed, or another one of the model "
    "(the first of these)",
    "NAME" },
  { "transform", 0, 0, G_OPTION_ARG_STRING, &options.transform,
    "show pictures as a learner behind transforms sees them: "
    "to-tensor-image|gray-scale|resize:w=84,h=84",
    "CHAIN" },
  { "overlay", 0, 0, G_OPTION_ARG_NONE, &options.overlay,
    "write step, time, action, reward and flags on the pictures", NULL },
  { "plot", 0, 0, G_OPTION_ARG_NONE, &options.plot,
    "draw rewards, actions and observations over time, instead of pictures", NULL },
  { "png", 0, 0, G_OPTION_ARG_FILENAME, &options.png,
    "directory to make, with a PNG of each picture", "OUT" },
  { "sheet", 0, 0, G_OPTION_ARG_FILENAME, &options.sheet,
    "PNG of small pictures of the whole episode", "FILE" },
  { "tiles", 0, 0, G_OPTION_ARG_STRING, &options.tiles,
    "columns and rows of the sheet (4x4; 1x1 for a plot)", "CxR" },
  { "gif", 0, GIF_FLAGS, G_OPTION_ARG_FILENAME, &options.gif, "animated GIF", "FILE" },
  { "mp4", 0, 0, G_OPTION_ARG_FILENAME, &options.mp4,
    "film, written by the program ffmpeg if it is installed", "FILE" },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force, "replace files that exist", NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object instead of the paths",
    NULL },
  { "quiet", 0, 0, G_OPTION_ARG_NONE, &options.quiet, "print only errors on stderr", NULL },
  { "doctor", 0, 0, G_OPTION_ARG_NONE, &options.doctor,
    "try the libraries that draw MuJoCo, and list missing ones", NULL },
  OPTIONS_PLUGIN,
  { "version", 0, 0, G_OPTION_ARG_NONE, &options.version,
    "print name and version, and the features of this build", NULL },
  { NULL },
};

/* Options with numbers and pairs. */
typedef struct
{
  gint64 seed, steps, episode;
  gint64 width, height;
  gint64 columns, rows;
  gint64 tile_columns, tile_rows;
  double fps; /* 0 where nothing was said */
} Values;

/* Two numbers such as 84x84; 0 and 0 where nothing was said. */
static gboolean
parse_pair (const char *name, const char *text, gint64 most, gint64 *a, gint64 *b, GError **error)
{
  *a = *b = 0;
  if (!text)
    return TRUE;
  g_auto (GStrv) parts = g_strsplit (text, "x", 3);
  if (g_strv_length (parts) == 2 && options_parse_number (name, parts[0], 1, most, 0, a, NULL)
      && options_parse_number (name, parts[1], 1, most, 0, b, NULL))
    return TRUE;
  set_usage_error (
      error, "--%s cannot be \"%s\": write it as 4x3, with numbers from 1 to %" G_GINT64_FORMAT,
      name, text, most);
  return FALSE;
}

static gboolean
parse_fps (double *fps, GError **error)
{
  if (!options_parse_double ("fps", options.fps, 0, fps, error))
    return FALSE;
  if (!options.fps || (*fps >= 0.01 && *fps <= 1000))
    return TRUE;
  set_usage_error (error, "--fps cannot be %s: it must be 0.01 to 1000 pictures a second",
                   options.fps);
  return FALSE;
}

/* A word is resolved later, when the episodes are known. */
static gboolean
parse_episode (gint64 *number, GError **error)
{
  const char *text = options.episode;

  if (text && episode_list_is_word (text))
    text = NULL;
  if (options_parse_number ("episode", text, -G_MAXINT64, G_MAXINT64, 0, number, NULL))
    return TRUE;
  set_usage_error (
      error, "--episode cannot be \"%s\": it must be a number, best, worst, longest or shortest",
      text);
  return FALSE;
}

static gboolean
parse_values (Values *values, GError **error)
{
  return options_parse_number ("seed", options.seed, 0, G_MAXINT64 / 2, 0, &values->seed, error)
         && options_parse_number ("steps", options.steps, 1, 1000000, 1000, &values->steps, error)
         && parse_episode (&values->episode, error)
         && parse_pair ("size", options.size, REEL_ENV_FRAME_MOST, &values->width, &values->height,
                        error)
         && parse_pair ("grid", options.grid ? options.grid : "1x1", 64, &values->columns,
                        &values->rows, error)
         && parse_pair ("tiles", options.tiles, 64, &values->tile_columns, &values->tile_rows,
                        error)
         && parse_fps (&values->fps, error);
}

static gboolean
to_files (void)
{
  return options.png || options.sheet || options.gif || options.mp4;
}

static gboolean
check_options (const char *directory, GError **error)
{
  if (!directory && !options.env)
    set_usage_error (error, "cannot show an episode: name a directory, or an environment by --env");
  else if (!to_files () && !render_has_windows ())
    set_usage_error (error, RENDER_NO_WINDOW);
  else if (directory && (options.policy || options.seed || options.steps))
    set_usage_error (error,
                     "--policy, --seed and --steps are for episodes that are played; %s is "
                     "stored",
                     directory);
  else if (!directory && options.episode)
    set_usage_error (error, "--episode needs a directory: it chooses one of its episodes");
  else if (directory && options.transform && (options.size || options.camera))
    set_usage_error (error,
                     "--transform shows stored pictures, and --%s draws the environment again",
                     options.size ? "size" : "camera");
  else if (options.tiles && !options.sheet)
    set_usage_error (error, "--tiles is for --sheet");
  else if (options.fps && to_files () && !options.gif && !options.mp4)
    set_usage_error (error, "--fps is for --gif, --mp4 and the window");
  else if (options.plot && options.camera)
    set_usage_error (error, "--camera has no meaning with --plot");
  else if ((options.force || options.json) && !to_files ())
    set_usage_error (error, "--%s is for files, not for the window",
                     options.force ? "force" : "json");
  else
    return TRUE;
  return FALSE;
}

/* ---- where files go ---- */

typedef struct
{
  const char *name;
  const char *path;
  const char *suffix; /* NULL for a directory */
} Output;

#define N_OUTPUTS 4

static void
list_outputs (Output outputs[N_OUTPUTS])
{
  const Output all[N_OUTPUTS] = { { "png", options.png, NULL },
                                  { "sheet", options.sheet, "png" },
                                  { "gif", options.gif, "gif" },
                                  { "mp4", options.mp4, "mp4" } };

  memcpy (outputs, all, sizeof all);
}

/* A suffix of another kind of picture or film is a mistake; any other name is free. */
static gboolean
check_suffix (const Output *output, GError **error)
{
  static const char *const suffixes[] = { "apng", "avi",  "bmp",  "gif",  "jpeg", "jpg",
                                          "mkv",  "mov",  "mp4",  "pdf",  "png",  "svg",
                                          "tif",  "tiff", "webm", "webp", NULL };
  const char *dot = strrchr (output->path, '.');
  g_autofree char *suffix = g_ascii_strdown (dot ? dot + 1 : "", -1);

  if (!g_strv_contains (suffixes, suffix) || g_strcmp0 (suffix, output->suffix) == 0)
    return TRUE;
  if (output->suffix)
    set_usage_error (error, "--%s %s: the file is written as %s; choose a name that ends in .%s",
                     output->name, output->path,
                     strcmp (output->suffix, "png") == 0   ? "PNG"
                     : strcmp (output->suffix, "gif") == 0 ? "GIF"
                                                           : "MP4",
                     output->suffix);
  else
    set_usage_error (error,
                     "--png %s: --png makes a directory, with a PNG a picture; --sheet FILE.png "
                     "writes one PNG",
                     output->path);
  return FALSE;
}

static gboolean
is_used_directory (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);

  return folder && g_dir_read_name (folder);
}

static gboolean
check_free (const Output *output, GError **error)
{
  if (!output->suffix && is_used_directory (output->path))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s is a directory that is not empty; choose another --%s, or remove it%s",
                 output->path, output->name, options.force ? ": --force replaces files alone" : "");
  else if (output->suffix && !options.force && g_file_test (output->path, G_FILE_TEST_IS_REGULAR))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s exists; choose another --%s, or replace it by --force", output->path,
                 output->name);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_outputs (GError **error)
{
  Output outputs[N_OUTPUTS];

  list_outputs (outputs);
  for (gsize i = 0; i < N_OUTPUTS; i++)
    if (outputs[i].path && (!check_suffix (&outputs[i], error) || !check_free (&outputs[i], error)))
      return FALSE;
  return TRUE;
}

static void
print_paths (void)
{
  Output outputs[N_OUTPUTS];

  list_outputs (outputs);
  for (gsize i = 0; i < N_OUTPUTS; i++)
    if (outputs[i].path)
      escaped_text_print_path (outputs[i].path);
}

static void
print_json (const Frames *frames, gint64 n_left_out)
{
  Output outputs[N_OUTPUTS];
  json_t *object = json_object ();

  list_outputs (outputs);
  for (gsize i = 0; i < N_OUTPUTS; i++)
    {
      g_autofree char *path = outputs[i].path ? g_filename_display_name (outputs[i].path) : NULL;
      if (path)
        json_object_set_new (object, outputs[i].name, json_string (path));
    }
  json_object_set_new (object, "name", json_string (frames->name));
  json_object_set_new (object, "episodes", json_integer ((json_int_t) MAX (frames->n_parts, 1)));
  json_object_set_new (object, "steps", json_integer (frames_count_steps (frames)));
  json_object_set_new (object, "left_out", json_integer (n_left_out));
  json_print (object);
}

/* ---- what is shown ---- */

static gboolean
open_played (Show *show, const EpisodesLook *look, const Values *values, GError **error)
{
  gsize n = (gsize) (values->columns * values->rows);

  show->sources = g_new0 (Episodes *, n);
  for (gsize i = 0; i < n; i++)
    {
      show->sources[i] = episodes_new_played (look, options.policy ? options.policy : "random",
                                              values->seed + (gint64) i, values->steps, error);
      if (!show->sources[i])
        return FALSE;
      show->n_sources++;
    }
  return TRUE;
}

static gboolean
open_stored (Show *show, const EpisodesLook *look, const char *directory, GError **error)
{
  show->sources = g_new0 (Episodes *, 1);
  show->sources[0] = episodes_new_stored (look, directory, error);
  show->n_sources = show->sources[0] != NULL;
  return show->n_sources > 0;
}

static gboolean
open_show (Show *show, const char *directory, const Values *values, GError **error)
{
  g_autoptr (ReelTransform) transform = NULL;

  if (options.transform
      && !(transform = directory ? row_transform_new_for_reading (options.transform, error)
                                 : row_transform_new (options.transform, error)))
    return FALSE;

  const EpisodesLook look = { .env = options.env,
                              .camera = options.camera,
                              .draw = options.size || options.camera,
                              .plot = options.plot,
                              .transform = directory ? transform : NULL,
                              .chain = directory ? NULL : options.transform };

  show->columns = values->columns;
  show->rows = values->rows;
  show->width = values->width;
  show->height = values->height;
  show->rate = values->fps;
  return directory ? open_stored (show, &look, directory, error)
                   : open_played (show, &look, values, error);
}

static gboolean
find_episode (const Show *show, gint64 *number, GError **error)
{
  return !options.episode || !episode_list_is_word (options.episode)
         || episodes_find (show->sources[0], options.episode, number, error);
}

static gint64
count_from_end (const Show *show, gint64 number)
{
  return number < 0 ? MAX (show_count (show), 0) + number : number;
}

/* ---- files ---- */

static void
say_done (const Frames *frames, gint64 n_left_out)
{
  if (options.quiet)
    return;
  if (frames->remark)
    g_printerr ("%s: %s\n", frames->name, frames->remark);
  if (frames->parts)
    g_printerr ("%s: %" G_GSIZE_FORMAT " episodes of up to %" G_GINT64_FORMAT " steps\n",
                frames->name, frames->n_parts, frames_count_steps (frames));
  else
    g_printerr ("%s: an episode of %" G_GINT64_FORMAT " step%s\n", frames->name,
                frames_count_steps (frames), frames_count_steps (frames) == 1 ? "" : "s");
  if (n_left_out > 0)
    g_printerr ("%s: leaves out %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                " pictures: a GIF shows 50 a second at most; --fps 50 keeps all, slower\n",
                options.gif, n_left_out, frames->n);
}

static gboolean
write_files (const Show *show, const Values *values, GError **error)
{
  g_autoptr (Frames) frames = show_open (show, count_from_end (show, values->episode), error);
  const RenderFiles files = { .png = options.png,
                              .sheet = options.sheet,
                              .gif = options.gif,
                              .mp4 = options.mp4,
                              .overlay = options.overlay,
                              .tile_columns = values->tile_columns,
                              .tile_rows = values->tile_rows,
                              .tile_width = values->width > 0 && frames ? frames->width : 0,
                              .tile_height = values->width > 0 && frames ? frames->height : 0 };

  gint64 n_left_out = 0;

  if (!frames || !frames_finish (frames, values->steps, error)
      || !render_to_files (frames, &files, &n_left_out, error))
    return FALSE;
  if (interrupt_came ())
    return TRUE;
  say_done (frames, n_left_out);
  if (options.json)
    print_json (frames, n_left_out);
  else
    print_paths ();
  return TRUE;
}

/* ---- the program ---- */

static int
print_version (void)
{
  program_print_version (PROGRAM);
  g_print ("window: %s\n", render_has_windows () ? "SDL 2" : "none, built without SDL");
#ifdef REEL_WITH_GIF
  g_print ("--gif: giflib\n");
#else
  g_print ("--gif: none, built without giflib\n");
#endif
  g_autofree char *ffmpeg = g_find_program_in_path ("ffmpeg");
  g_print ("--mp4: %s\n", ffmpeg ? ffmpeg : "ffmpeg is not installed");
  return EXIT_OK;
}

static GOptionContext *
make_context (void)
{
  GOptionContext *context = g_option_context_new ("[DIR | ENV] - show episodes");
  g_autofree char *summary = g_strconcat (
      "Shows a stored episode of a directory that collect or TorchRL wrote, or plays one",
      render_has_windows () ? ": in a window, or as files.\nKeys: space pauses, arrows step, + - "
                              "speed, [ ] episode, o overlay, s saves a PNG, h help, q quits."
                            : ", as files; built without SDL, it opens no window.",
#ifndef REEL_WITH_GIF
      "\nBuilt without giflib, it has no --gif.",
#endif
      NULL);

  g_option_context_set_summary (context, summary);
  g_option_context_set_description (
      context, "Examples:\n  render runs/cartpole --episode -1 --sheet episode.png\n  render "
               "CartPole --seed 3\n  render --env Acrobot --grid 3x2 --overlay " EXAMPLE_FILM);
  return context;
}

/* `render CartPole` is `render --env CartPole`, unless a directory has that name. */
static gboolean
take_word (const char *word, const char **directory, GError **error)
{
  *directory = word;
  if (!word || options.env || g_file_test (word, G_FILE_TEST_EXISTS)
      || strchr (word, G_DIR_SEPARATOR))
    return TRUE;

  g_autofree char *name = g_strndup (word, strcspn (word, ":"));
  g_autoptr (GError) unknown = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, name, &unknown, NULL);

  if (g_error_matches (unknown, REEL_ERROR, REEL_ERROR_KEY))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "there is no directory \"%s\", and %s", word,
                   unknown->message);
      return FALSE;
    }
  options.env = (char *) word;
  *directory = NULL;
  return TRUE;
}

static int
run_program (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = make_context ();
  g_auto (Show) show = { 0 };
  Values values;

  if (!options_parse (context, entries, argv, error)
      || !options_check_words (*argv + 1, options.doctor ? 0 : 1, error))
    return EXIT_USAGE;
  if (options.version)
    return print_version ();
  if (options.doctor)
    return render_doctor (error);

  const char *directory;

  if (!take_word ((*argv)[1], &directory, error) || !check_options (directory, error)
      || !parse_values (&values, error))
    return EXIT_USAGE;
  if (!check_outputs (error))
    return EXIT_FAILED;

  g_autoptr (RenderWindow) window =
      to_files () ? NULL : render_window_open (directory ? directory : options.env, error);

  if ((!window && !to_files ()) || !open_show (&show, directory, &values, error)
      || !find_episode (&show, &values.episode, error))
    return EXIT_FAILED;
  if (!(to_files () ? write_files (&show, &values, error)
                    : render_in_window (window, &show, values.episode, options.overlay, error)))
    return EXIT_FAILED;
  return interrupt_status ();
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) arguments = g_strdupv (argv);

  interrupt_watch (NULL, draft_remove_all);
  bus_error_set_clean_up (draft_remove_all);
  program_begin ();
  int status = run_program (&arguments, &error);
  return program_end (PROGRAM, status, error);
}
