/* Whether a context draws what it is told: some pixels, read back. */
#include "gl-driver.h"

#include "../../core/object/error.h"

#include <string.h>

/* The few names of OpenGL 3.0 that are used. */
enum
{
  GL_COLOR_BUFFER = 0x4000,
  GL_UNSIGNED_BYTE = 0x1401,
  GL_RGB = 0x1907,
  GL_RENDERER = 0x1F01,
  GL_VERSION = 0x1F02,
  GL_RGBA8 = 0x8058,
  GL_MAX_VIEWPORT_DIMS = 0x0D3A,
  GL_MAX_RENDERBUFFER_SIZE = 0x84E8,
  GL_FRAMEBUFFER_COMPLETE = 0x8CD5,
  GL_COLOR_ATTACHMENT0 = 0x8CE0,
  GL_FRAMEBUFFER = 0x8D40,
  GL_RENDERBUFFER = 0x8D41,
  GL_PACK_ALIGNMENT = 0x0D05,
};

typedef struct
{
  const guint8 *(*GetString) (guint name);
  void (*GetIntegerv) (guint name, gint *values);
  void (*PixelStorei) (guint name, gint value);
  void (*ClearColor) (float red, float green, float blue, float alpha);
  void (*Clear) (guint mask);
  void (*ReadPixels) (gint x, gint y, gint width, gint height, guint format, guint type,
                      gpointer pixels);
  guint (*GetError) (void);
  void (*GenFramebuffers) (gint n, guint *names);
  void (*BindFramebuffer) (guint target, guint name);
  void (*DeleteFramebuffers) (gint n, const guint *names);
  void (*GenRenderbuffers) (gint n, guint *names);
  void (*BindRenderbuffer) (guint target, guint name);
  void (*DeleteRenderbuffers) (gint n, const guint *names);
  void (*RenderbufferStorage) (guint target, guint format, gint width, gint height);
  void (*FramebufferRenderbuffer) (guint target, guint attachment, guint renderbuffer, guint name);
  guint (*CheckFramebufferStatus) (guint target);
} Gl;

/* In the order of the struct, which holds nothing but pointers to functions. */
static const char *const names[] = {
  "glGetString",
  "glGetIntegerv",
  "glPixelStorei",
  "glClearColor",
  "glClear",
  "glReadPixels",
  "glGetError",
  "glGenFramebuffers",
  "glBindFramebuffer",
  "glDeleteFramebuffers",
  "glGenRenderbuffers",
  "glBindRenderbuffer",
  "glDeleteRenderbuffers",
  "glRenderbufferStorage",
  "glFramebufferRenderbuffer",
  "glCheckFramebufferStatus",
};

G_STATIC_ASSERT (sizeof (Gl) == G_N_ELEMENTS (names) * sizeof (ReelGlFunction));

static gboolean
find_all (Gl *gl, ReelGlFunction (*look_up) (const char *name), GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      ReelGlFunction function = look_up (names[i]);

      if (function == NULL)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "its OpenGL has no %s", names[i]);
          return FALSE;
        }
      memcpy ((guint8 *) gl + i * sizeof function, &function, sizeof function);
    }
  return TRUE;
}

static void
describe (const Gl *gl, ReelGlInfo *info)
{
  gint size = 0, viewport[2] = { 0 };
  const guint8 *renderer = gl->GetString (GL_RENDERER), *version = gl->GetString (GL_VERSION);

  gl->GetIntegerv (GL_MAX_RENDERBUFFER_SIZE, &size);
  gl->GetIntegerv (GL_MAX_VIEWPORT_DIMS, viewport);
  info->most = MIN (size, MIN (viewport[0], viewport[1]));
  g_strlcpy (info->renderer, renderer ? (const char *) renderer : "?", sizeof info->renderer);
  g_strlcpy (info->version, version ? (const char *) version : "?", sizeof info->version);
}

#define SIDE 4

static gboolean
try_colour (const Gl *gl, GError **error)
{
  static const guint8 colour[] = { 255, 0, 51 };
  guint8 pixels[SIDE * SIDE * 3] = { 0 };
  guint status = gl->CheckFramebufferStatus (GL_FRAMEBUFFER), problem;

  if (status != GL_FRAMEBUFFER_COMPLETE)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "it cannot draw to memory: its framebuffer has status 0x%x", status);
      return FALSE;
    }
  gl->PixelStorei (GL_PACK_ALIGNMENT, 1);
  gl->ClearColor (1, 0, 0.2f, 1);
  gl->Clear (GL_COLOR_BUFFER);
  gl->ReadPixels (0, 0, SIDE, SIDE, GL_RGB, GL_UNSIGNED_BYTE, pixels);
  problem = gl->GetError ();
  for (gsize i = 0; i < sizeof pixels && problem == 0; i++)
    if (pixels[i] != colour[i % 3])
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                     "the pixels read back differ from those drawn: %u in the place of %u",
                     pixels[i], colour[i % 3]);
        return FALSE;
      }
  if (problem != 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "OpenGL error 0x%x", problem);
  return problem == 0;
}

gboolean
reel_gl_read_back (ReelGlFunction (*look_up) (const char *name), ReelGlInfo *info, GError **error)
{
  Gl gl;
  guint frame = 0, colours = 0;

  if (!find_all (&gl, look_up, error))
    return FALSE;
  while (gl.GetError () != 0)
    ;
  describe (&gl, info);
  gl.GenFramebuffers (1, &frame);
  gl.BindFramebuffer (GL_FRAMEBUFFER, frame);
  gl.GenRenderbuffers (1, &colours);
  gl.BindRenderbuffer (GL_RENDERBUFFER, colours);
  gl.RenderbufferStorage (GL_RENDERBUFFER, GL_RGBA8, SIDE, SIDE);
  gl.FramebufferRenderbuffer (GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours);
  gboolean fine = try_colour (&gl, error);
  gl.BindFramebuffer (GL_FRAMEBUFFER, 0);
  gl.DeleteFramebuffers (1, &frame);
  gl.DeleteRenderbuffers (1, &colours);
  return fine;
}
