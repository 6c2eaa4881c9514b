#include "player.h"

#include <string.h>

#include "overlay.h"

#define FASTEST 16.0
#define SLOWEST (1 / 16.0)

/* Seconds that a message and the end of an episode stay. */
#define MESSAGE 2.0
#define REST 0.75

/* Pictures that are caught up with at once, where drawing takes too long. */
#define MOST_AT_ONCE 64

static const char help[] = "space      pause, continue\n"
                           "left right one step\n"
                           "+ -        faster, slower\n"
                           "[ ]        episode before, after\n"
                           "o          step, reward, flags\n"
                           "s          save as PNG\n"
                           "h          this help\n"
                           "q          quit";

static void G_GNUC_PRINTF (2, 3) tell (Player *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_free (self->message);
  self->message = g_strdup_vprintf (format, args);
  va_end (args);
  self->message_left = MESSAGE;
  self->changed = TRUE;
}

/* Messages of errors are long: they are broken at spaces. */
static void
tell_error (Player *self, const GError *error, gint64 columns)
{
  g_auto (GStrv) words = g_strsplit (error->message, " ", -1);
  g_autoptr (GString) text = g_string_new (NULL);
  gsize line = 0;

  for (char **word = words; *word; word++)
    {
      gboolean fits = line + strlen (*word) < (gsize) columns;
      g_string_append_printf (text, "%s%s", text->len == 0 ? "" : fits ? " " : "\n", *word);
      line = fits ? line + strlen (*word) + 1 : strlen (*word);
    }
  tell (self, "%s", text->str);
  self->message_left = 4 * MESSAGE;
  self->playing = FALSE;
}

/* ---- episodes ---- */

static gboolean
open_episode (Player *self, gint64 number, GError **error)
{
  Frames *frames = show_open (self->show, number, error);

  if (!frames)
    return FALSE;
  if (self->frames)
    frames_free (self->frames);
  self->frames = frames;
  self->number = number;
  self->i = 0;
  self->due = self->resting = 0;
  self->changed = TRUE;
  return TRUE;
}

static void
say_episode (Player *self)
{
  gint64 n = show_count (self->show);

  if (n < 0)
    tell (self, "episode %" G_GINT64_FORMAT, self->number);
  else
    tell (self, "episode %" G_GINT64_FORMAT " (0 to %" G_GINT64_FORMAT ")", self->number, n - 1);
}

static void
go_to_episode (Player *self, gint64 number)
{
  if (show_count (self->show) >= 0 && number >= show_count (self->show))
    episodes_look (self->show->sources[0]);
  if (number < 0)
    tell (self, "this is the first episode");
  else if (show_count (self->show) >= 0 && number >= show_count (self->show))
    tell (self, "this is the last episode");
  else
    {
      self->wanted = number;
      tell (self, "episode %" G_GINT64_FORMAT ", preparing", number);
    }
}

/* An episode may have to be played from its beginning. */
static void
open_wanted (Player *self)
{
  g_autoptr (GError) error = NULL;
  gint64 number = self->wanted;

  self->wanted = -1;
  self->opened = TRUE;
  if (open_episode (self, number, &error))
    say_episode (self);
  else
    tell_error (self, error, 48);
}

Player *
player_new (const Show *show, gint64 number, GError **error)
{
  g_autoptr (Player) self = g_new0 (Player, 1);

  self->show = show;
  self->speed = 1;
  self->playing = TRUE;
  self->wanted = -1;
  if (number < 0)
    number += MAX (show_count (show), 0);
  return open_episode (self, number, error) ? g_steal_pointer (&self) : NULL;
}

void
player_free (Player *self)
{
  if (!self)
    return;
  if (self->frames)
    frames_free (self->frames);
  g_free (self->message);
  g_free (self);
}

/* ---- time ---- */

static gboolean
at_end (const Player *self)
{
  return self->frames->whole && self->i >= self->frames->n - 1;
}

/* Shows the next picture, which may have to be played first. */
static gboolean
step (Player *self)
{
  g_autoptr (GError) error = NULL;

  if (at_end (self))
    return FALSE;
  if (self->i == self->frames->n - 1 && !frames_advance (self->frames, &error))
    {
      tell_error (self, error, 48);
      return FALSE;
    }
  self->i = MIN (self->i + 1, self->frames->n - 1);
  self->changed = TRUE;
  return TRUE;
}

/* A stored episode stops at its end; a played one begins anew. */
static void
rest (Player *self, double seconds)
{
  self->due = 0;
  if (show_count (self->show) >= 0)
    {
      self->playing = FALSE;
      return;
    }
  self->resting += seconds;
  if (self->resting >= REST)
    go_to_episode (self, self->number + 1);
}

void
player_tick (Player *self, double seconds)
{
  if (self->wanted >= 0)
    {
      if (!self->changed)
        open_wanted (self);
      return;
    }
  if (self->opened)
    seconds = 0;
  self->opened = FALSE;
  if (self->message && (self->message_left -= seconds) <= 0)
    {
      g_clear_pointer (&self->message, g_free);
      self->changed = TRUE;
    }
  if (!self->playing)
    return;
  if (at_end (self))
    {
      rest (self, seconds);
      return;
    }
  self->due = MIN (self->due + seconds * self->frames->rate * self->speed, MOST_AT_ONCE);
  while (self->due >= 1 && self->playing && step (self))
    self->due -= 1;
}

double
player_next (const Player *self)
{
  double next = self->message ? MAX (self->message_left, 0) : -1;
  double due = -1;

  if (self->wanted >= 0)
    return 0;
  if (self->playing && at_end (self))
    due = MAX (REST - self->resting, 0);
  else if (self->playing)
    due = MAX (1 - self->due, 0) / (self->frames->rate * self->speed);
  if (next < 0 || due < 0)
    return MAX (next, due);
  return MIN (next, due);
}

/* ---- keys ---- */

static void
pause_or_play (Player *self)
{
  if (!self->playing && at_end (self) && show_count (self->show) >= 0)
    self->i = 0;
  self->playing = !self->playing;
  self->due = 0;
  tell (self, "%s", self->playing ? "playing" : "paused");
}

static void
step_by (Player *self, gint direction)
{
  self->playing = FALSE;
  if (direction > 0)
    step (self);
  else
    self->i = MAX (self->i - 1, 0);
  self->changed = TRUE;
}

static void
change_speed (Player *self, double factor)
{
  self->speed = CLAMP (self->speed * factor, SLOWEST, FASTEST);
  if (self->speed >= 1)
    tell (self, "speed x%.0f", self->speed);
  else
    tell (self, "speed x1/%.0f", 1 / self->speed);
}

/* A name of letters and digits for what it is an episode of. */
static char *
plain_name (const Frames *frames)
{
  g_autofree char *name = g_path_get_basename (frames->name);
  g_auto (GStrv) parts = g_strsplit (name, ":", 2);
  char *plain = g_strdup (parts[0]);

  return g_strcanon (plain, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-._", '-');
}

static char *
free_file_name (const Player *self)
{
  g_autofree char *name = plain_name (self->frames);
  g_autofree char *stem =
      g_strdup_printf ("%s-%" G_GINT64_FORMAT "-%04" G_GINT64_FORMAT, name, self->number, self->i);
  char *file = g_strconcat (stem, ".png", NULL);

  for (gint k = 1; g_file_test (file, G_FILE_TEST_EXISTS); k++)
    {
      g_free (file);
      file = g_strdup_printf ("%s-%d.png", stem, k);
    }
  return file;
}

/* The picture, without help and messages. */
static void
save (Player *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *file = free_file_name (self);
  g_autoptr (ReelTensor) picture = picture_new (self->frames->width, self->frames->height, &error);

  if (picture && frames_draw (self->frames, self->i, self->overlay, picture, &error)
      && reel_image_write_png (picture, file, &error))
    tell (self, "saved as %s", file);
  else
    tell_error (self, error, 48);
}

void
player_press (Player *self, PlayerKey key)
{
  gint64 stride = show_stride (self->show);
  gint64 number = self->wanted >= 0 ? self->wanted : self->number;

  switch (key)
    {
    case PLAYER_PAUSE: pause_or_play (self); break;
    case PLAYER_BACK: step_by (self, -1); break;
    case PLAYER_FORWARD: step_by (self, 1); break;
    case PLAYER_FASTER: change_speed (self, 2); break;
    case PLAYER_SLOWER: change_speed (self, 0.5); break;
    case PLAYER_EPISODE_BEFORE:
      go_to_episode (self, number > 0 ? MAX (number - stride, 0) : -1);
      break;
    case PLAYER_EPISODE_AFTER: go_to_episode (self, number + stride); break;
    case PLAYER_OVERLAY: self->overlay = !self->overlay; break;
    case PLAYER_SAVE: save (self); break;
    case PLAYER_HELP: self->help = !self->help; break;
    }
  self->changed = TRUE;
}

/* ---- what is seen ---- */

gboolean
player_draw (Player *self, ReelTensor *picture, GError **error)
{
  self->changed = FALSE;
  if (!frames_draw (self->frames, self->i, self->overlay, picture, error))
    return FALSE;
  if (self->message)
    overlay_write (picture, 0, -1, self->message);
  if (self->help)
    overlay_write (picture, -1, 0, help);
  return TRUE;
}

char *
player_title (const Player *self)
{
  return g_strdup_printf ("%s, episode %" G_GINT64_FORMAT, self->frames->name, self->number);
}
