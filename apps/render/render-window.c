/* The window of render: the one file that sees SDL. */
#include "config.h"

#include "render.h"

#ifdef REEL_WITH_SDL

#include <SDL.h>
#include <string.h>

#include "../common/interrupt.h"
#include "player.h"

/* Pictures are enlarged by whole factors until they are so wide, as far as the screen has room, and
 * made smaller where they do not fit it. */
#define LEAST_WIDTH 480
#define SCREEN_SHARE 0.9

/* Seconds between two looks at whether somebody interrupts. */
#define LOOK 0.1

/* Milliseconds between two looks for an event. */
#define SLICE 5

/* The window before the first picture. */
#define FIRST_WIDTH 600
#define FIRST_HEIGHT 400
#define PAPER 0x282828
#define INK 0xf4f4f4

/* Milliseconds until a new window can be drawn on, at most. */
#define EXPOSED_IN 300

struct _RenderWindow
{
  SDL_Window *window;
  SDL_Renderer *renderer;
  SDL_Texture *texture;
  ReelTensor *picture;
  char *title;
};

static gboolean
fail (GError **error, const char *reason)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "no window can be opened here: %s; " RENDER_FILES " need no display", reason);
  return FALSE;
}

/* Where nothing tells of a display SDL looks for one all the same, and libwayland complains. */
static gboolean
may_have_display (void)
{
  static const char *const names[] = { "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR",
                                       "SDL_VIDEODRIVER" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_getenv (names[i]))
      return TRUE;
  return FALSE;
}

/* Drivers that SDL ends with where there is no display, and that show nothing, are for who asks. */
static gboolean
is_shown (void)
{
  return SDL_GetHint (SDL_HINT_VIDEODRIVER)
         || !g_strv_contains ((const char *const[]){ "offscreen", "dummy", "evdev", NULL },
                              SDL_GetCurrentVideoDriver ());
}

static void
choose_size (const Frames *frames, gint64 *width, gint64 *height)
{
  SDL_Rect screen = { 0, 0, 1280, 960 };

  SDL_GetDisplayUsableBounds (0, &screen);

  double share = MIN (SCREEN_SHARE * screen.w / (double) frames->width,
                      SCREEN_SHARE * screen.h / (double) frames->height);
  gint64 wanted = (LEAST_WIDTH + frames->width - 1) / frames->width;
  gint64 factor = MIN (wanted, (gint64) share);

  *width = factor > 0 ? frames->width * factor : MAX ((gint64) ((double) frames->width * share), 1);
  *height =
      factor > 0 ? frames->height * factor : MAX ((gint64) ((double) frames->height * share), 1);
}

/* Stored pictures are fitted to the window here, each of a grid for itself; drawn ones are fitted
 * as one by scale_wholly(). */
static void
choose_picture_size (const RenderWindow *self, const Frames *frames, gint64 *width, gint64 *height)
{
  int real_width, real_height;

  choose_size (frames, width, height);
  if (!frames_are_stored (frames)
      || SDL_GetRendererOutputSize (self->renderer, &real_width, &real_height) != 0)
    return;
  *width = CLAMP (real_width, 1, REEL_IMAGE_MOST);
  *height = CLAMP (real_height, 1, REEL_IMAGE_MOST);
}

/* A picture of this size, and a texture for it. */
static gboolean
make_picture (RenderWindow *self, gint64 width, gint64 height, GError **error)
{
  if (self->picture && self->picture->shape[1] == width && self->picture->shape[0] == height)
    return TRUE;
  g_clear_pointer (&self->picture, reel_tensor_unref);
  if (self->texture)
    SDL_DestroyTexture (self->texture);
  self->texture = SDL_CreateTexture (self->renderer, SDL_PIXELFORMAT_RGB24,
                                     SDL_TEXTUREACCESS_STREAMING, (int) width, (int) height);
  self->picture = picture_new (width, height, error);
  if (!self->texture)
    return fail (error, SDL_GetError ());
  SDL_RenderSetLogicalSize (self->renderer, (int) width, (int) height);
  return self->picture != NULL;
}

static gboolean
window_fit (RenderWindow *self, const Frames *frames, GError **error)
{
  gint64 width, height;

  choose_picture_size (self, frames, &width, &height);
  return make_picture (self, width, height, error);
}

/* A picture is enlarged by whole factors, so that its pixels stay squares, and made smaller by any.
 */
static void
scale_wholly (RenderWindow *self)
{
  int width, height;
  gboolean fits;

  if (SDL_GetRendererOutputSize (self->renderer, &width, &height) != 0)
    return;
  fits = width >= self->picture->shape[1] && height >= self->picture->shape[0];
  SDL_RenderSetIntegerScale (self->renderer, fits ? SDL_TRUE : SDL_FALSE);
  SDL_SetTextureScaleMode (self->texture, fits ? SDL_ScaleModeNearest : SDL_ScaleModeLinear);
}

static void
present (RenderWindow *self)
{
  scale_wholly (self);
  SDL_UpdateTexture (self->texture, NULL, self->picture->data, (int) self->picture->shape[1] * 3);
  SDL_SetRenderDrawColor (self->renderer, 40, 40, 40, 255);
  SDL_RenderClear (self->renderer);
  SDL_RenderCopy (self->renderer, self->texture, NULL, NULL);
  SDL_RenderPresent (self->renderer);
}

/* ---- opened and closed ---- */

/* Until the screen shows the window, which drops what is drawn before. */
static void
wait_until_exposed (void)
{
  SDL_Event event;

  for (int i = 0; i < EXPOSED_IN / SLICE; i++)
    {
      while (SDL_PollEvent (&event))
        if (event.type == SDL_WINDOWEVENT && event.window.event == SDL_WINDOWEVENT_EXPOSED)
          return;
        else if (event.type == SDL_QUIT || event.type == SDL_KEYDOWN)
          {
            SDL_PushEvent (&event);
            return;
          }
      SDL_Delay (SLICE);
    }
}

static gboolean
say_preparing (RenderWindow *self, GError **error)
{
  static const char text[] = "preparing the first picture";

  if (!make_picture (self, FIRST_WIDTH, FIRST_HEIGHT, error))
    return FALSE;
  reel_image_fill (self->picture, 0, 0, FIRST_WIDTH, FIRST_HEIGHT, PAPER, 255);
  reel_image_draw_text (self->picture, (FIRST_WIDTH - reel_image_text_width (text, 2)) / 2,
                        FIRST_HEIGHT / 2 - 7, 2, INK, text);
  wait_until_exposed ();
  present (self);
  return TRUE;
}

static gboolean
open_window (RenderWindow *self, const char *name, GError **error)
{
  g_autofree char *title = g_strdup_printf ("%s, preparing", name);

  SDL_SetHint (SDL_HINT_NO_SIGNAL_HANDLERS, "1");
  SDL_SetHint (SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
  /* A window that is drawn by OpenGL keeps the thread's context, and MuJoCo could draw no more. */
  SDL_SetHint (SDL_HINT_RENDER_DRIVER, "software");
  SDL_SetHint (SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
  SDL_SetMainReady ();
  if (!may_have_display ())
    return fail (error, "there is no display");
  if (SDL_Init (SDL_INIT_VIDEO) != 0)
    return fail (error, SDL_GetError ());
  if (!is_shown ())
    return fail (error, "there is no display");
  self->window =
      SDL_CreateWindow (title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, FIRST_WIDTH,
                        FIRST_HEIGHT, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
  self->renderer = self->window ? SDL_CreateRenderer (self->window, -1, 0) : NULL;
  if (!self->renderer)
    return fail (error, SDL_GetError ());
  return say_preparing (self, error);
}

RenderWindow *
render_window_open (const char *name, GError **error)
{
  g_autoptr (RenderWindow) self = g_new0 (RenderWindow, 1);

  return open_window (self, name, error) ? g_steal_pointer (&self) : NULL;
}

void
render_window_free (RenderWindow *self)
{
  if (!self)
    return;
  g_clear_pointer (&self->picture, reel_tensor_unref);
  g_free (self->title);
  if (self->texture)
    SDL_DestroyTexture (self->texture);
  if (self->renderer)
    SDL_DestroyRenderer (self->renderer);
  if (self->window)
    SDL_DestroyWindow (self->window);
  SDL_Quit ();
  g_free (self);
}

/* As large as the first pictures want it, in the middle. */
static void
resize (RenderWindow *self, const Frames *frames)
{
  gint64 width, height;

  choose_size (frames, &width, &height);
  if (width == FIRST_WIDTH && height == FIRST_HEIGHT)
    return;
  SDL_SetWindowSize (self->window, (int) width, (int) height);
  SDL_SetWindowPosition (self->window, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED);
}

/* ---- pictures ---- */

static void
retitle (RenderWindow *self, const Player *player)
{
  g_autofree char *title = player_title (player);

  if (g_strcmp0 (title, self->title) == 0)
    return;
  SDL_SetWindowTitle (self->window, title);
  g_free (self->title);
  self->title = g_steal_pointer (&title);
}

static gboolean
window_show (RenderWindow *self, Player *player, GError **error)
{
  if (!window_fit (self, player->frames, error) || !player_draw (player, self->picture, error))
    return FALSE;
  retitle (self, player);
  present (self);
  return TRUE;
}

/* ---- events ---- */

/* Keys by what they write, so that + and [ are found on any keyboard. */
static gboolean
find_key (const SDL_Event *event, PlayerKey *key)
{
  static const char written[] = " +=-_[]osh";
  static const PlayerKey keys[] = { PLAYER_PAUSE,         PLAYER_FASTER,  PLAYER_FASTER,
                                    PLAYER_SLOWER,        PLAYER_SLOWER,  PLAYER_EPISODE_BEFORE,
                                    PLAYER_EPISODE_AFTER, PLAYER_OVERLAY, PLAYER_SAVE,
                                    PLAYER_HELP };

  if (event->type == SDL_TEXTINPUT)
    {
      const char *at = event->text.text[0] ? strchr (written, event->text.text[0]) : NULL;
      if (at)
        *key = keys[at - written];
      return at != NULL;
    }
  if (event->type != SDL_KEYDOWN)
    return FALSE;
  switch (event->key.keysym.sym)
    {
    case SDLK_LEFT: *key = PLAYER_BACK; return TRUE;
    case SDLK_RIGHT: *key = PLAYER_FORWARD; return TRUE;
    default: return FALSE;
    }
}

static gboolean
is_end (const SDL_Event *event)
{
  return event->type == SDL_QUIT
         || (event->type == SDL_KEYDOWN
             && (event->key.keysym.sym == SDLK_q || event->key.keysym.sym == SDLK_ESCAPE));
}

/* Whether it goes on. */
static gboolean
take_event (Player *player, const SDL_Event *event)
{
  PlayerKey key;

  if (is_end (event))
    return FALSE;
  if (event->type == SDL_WINDOWEVENT || event->type == SDL_RENDER_TARGETS_RESET)
    player->changed = TRUE;
  if (find_key (event, &key))
    player_press (player, key);
  return TRUE;
}

/* SDL_WaitEventTimeout() wakes itself by another connection to the screen, where a message to a
 * window that has just been closed ends the program. */
static gboolean
wait_for_event (SDL_Event *event, int timeout)
{
  for (; !SDL_PollEvent (event); timeout -= SLICE)
    {
      if (timeout <= 0)
        return FALSE;
      SDL_Delay ((Uint32) MIN (timeout, SLICE));
    }
  return TRUE;
}

/* Waits for events as long as nothing changes by itself; whether it goes on. */
static gboolean
wait_for_events (Player *player)
{
  double next = player_next (player);
  int timeout = (int) (1000 * (next < 0 ? LOOK : MIN (next, LOOK)));
  SDL_Event event;

  if (!wait_for_event (&event, MAX (timeout, 1)))
    return !interrupt_came ();
  do
    if (!take_event (player, &event))
      return FALSE;
  while (SDL_PollEvent (&event));
  return !interrupt_came ();
}

gboolean
render_in_window (RenderWindow *window, const Show *show, gint64 number, gboolean overlay,
                  GError **error)
{
  g_autoptr (Player) player = player_new (show, number, error);
  gint64 before = g_get_monotonic_time ();

  if (!player)
    return FALSE;
  if (player->frames->remark)
    g_printerr ("%s: %s\n", player->frames->name, player->frames->remark);
  player->overlay = overlay;
  resize (window, player->frames);
  SDL_StartTextInput ();
  do
    {
      gint64 now = g_get_monotonic_time ();

      player_tick (player, (double) (now - before) / 1e6);
      before = now;
      if (player->changed && !window_show (window, player, error))
        return FALSE;
    }
  while (wait_for_events (player));
  return TRUE;
}

gboolean
render_has_windows (void)
{
  return TRUE;
}

#else

RenderWindow *
render_window_open (const char *name, GError **error)
{
  set_usage_error (error, RENDER_NO_WINDOW);
  return NULL;
}

void
render_window_free (RenderWindow *self)
{
}

gboolean
render_in_window (RenderWindow *window, const Show *show, gint64 number, gboolean overlay,
                  GError **error)
{
  set_usage_error (error, RENDER_NO_WINDOW);
  return FALSE;
}

gboolean
render_has_windows (void)
{
  return FALSE;
}

#endif
