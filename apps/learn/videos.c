#include "config.h"

#include "videos.h"

#include "../render/render.h"
#include "acting.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

/* Steps of a film, as of an episode that render plays. */
#define MOST_STEPS 1000

static const char *const names[] = { "none", "mp4", "gif", "png" };

#ifdef REEL_WITH_GIF
#define HAS_GIF TRUE
#else
#define HAS_GIF FALSE
#endif

static gboolean
has_ffmpeg (void)
{
  g_autofree char *program = g_find_program_in_path ("ffmpeg");

  return program != NULL;
}

gboolean
video_format_choose (const char *name, VideoFormat *format, GError **error)
{
  *format = has_ffmpeg () ? VIDEO_MP4 : HAS_GIF ? VIDEO_GIF : VIDEO_PNG;
  if (!name)
    return TRUE;
  for (VideoFormat i = VIDEO_MP4; i <= VIDEO_PNG; i++)
    if (strcmp (names[i], name) == 0)
      *format = i;
  if (strcmp (names[*format], name) != 0)
    set_usage_error (error, "--video-format cannot be \"%s\": it must be mp4, gif or png", name);
  else if (*format == VIDEO_MP4 && !has_ffmpeg ())
    set_usage_error (error, "--video-format mp4 takes the program ffmpeg, which is not installed");
  else if (*format == VIDEO_GIF && !HAS_GIF)
    set_usage_error (error, "--video-format gif takes giflib, and this learn was built without it");
  else
    return TRUE;
  return FALSE;
}

gboolean
videos_open (Videos *self, const Learner *learner, const char *env, gint64 seed, const char *run,
             VideoFormat format, GError **error)
{
  const EpisodesLook look = { .env = env, .as_written = TRUE };
  g_autoptr (ReelPolicy) policy = acting_policy_new (learner, FALSE);

  self->format = format;
  self->folder = g_build_filename (run, "videos", NULL);
  self->episodes = episodes_new_acted (&look, policy, seed, MOST_STEPS, error);
  return self->episodes != NULL;
}

gboolean
videos_film (Videos *self, gint64 step, GError **error)
{
  g_autofree char *name = g_strdup_printf ("rl-video-step-%" G_GINT64_FORMAT "%s%s", step,
                                           self->format == VIDEO_PNG ? "" : ".",
                                           self->format == VIDEO_PNG ? "" : names[self->format]);
  g_autofree char *path = self->folder ? g_build_filename (self->folder, name, NULL) : NULL;
  const RenderFiles files = { .mp4 = self->format == VIDEO_MP4 ? path : NULL,
                              .gif = self->format == VIDEO_GIF ? path : NULL,
                              .png = self->format == VIDEO_PNG ? path : NULL };
  g_autoptr (Frames) frames = NULL;
  gint64 n_left_out;

  if (!self->episodes || g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (g_mkdir_with_parents (self->folder, 0777) != 0)
    {
      reel_set_error_errno (error, errno, "cannot make the directory %s", self->folder);
      return FALSE;
    }
  frames = episodes_open (self->episodes, 0, error);
  return frames && frames_finish (frames, MOST_STEPS, error)
         && render_to_files (frames, &files, &n_left_out, error);
}

void
videos_clear (Videos *self)
{
  g_clear_pointer (&self->episodes, episodes_free);
  g_clear_pointer (&self->folder, g_free);
}
