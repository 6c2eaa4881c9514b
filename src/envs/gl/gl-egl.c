/* OpenGL by EGL without a display: on a device, or on none where Mesa draws in memory. */
#include "gl-driver.h"

#include "../../core/object/error.h"
#include "../../core/object/object.h"

#include <string.h>

/* The few names of EGL 1.5 and its extensions that are used. */
enum
{
  EGL_NONE = 0x3038,
  EGL_RENDERABLE_TYPE = 0x3040,
  EGL_SURFACE_TYPE = 0x3033,
  EGL_OPENGL_BIT = 0x0008,
  EGL_OPENGL_API = 0x30A2,
  EGL_PLATFORM_SURFACELESS = 0x31DD,
  EGL_PLATFORM_DEVICE = 0x313F,
};

#define MOST_DEVICES 64

/* Displays, devices, configurations and contexts are pointers to whatever the driver keeps. */
typedef struct
{
  ReelGlFunction (*GetProcAddress) (const char *name);
  guint (*Initialize) (gpointer display, gint *major, gint *minor);
  gint (*GetError) (void);
  guint (*BindAPI) (guint api);
  guint (*ChooseConfig) (gpointer display, const gint *attributes, gpointer *configs, gint size,
                         gint *n);
  gpointer (*CreateContext) (gpointer display, gpointer config, gpointer share,
                             const gint *attributes);
  guint (*DestroyContext) (gpointer display, gpointer context);
  guint (*MakeCurrent) (gpointer display, gpointer draw, gpointer read, gpointer context);
} Egl;

static const char *const names[] = {
  "eglGetProcAddress", "eglInitialize",    "eglGetError",       "eglBindAPI",
  "eglChooseConfig",   "eglCreateContext", "eglDestroyContext", "eglMakeCurrent",
};

G_STATIC_ASSERT (sizeof (Egl) == G_N_ELEMENTS (names) * sizeof (ReelGlFunction));

static Egl egl; /* once loaded, never changed */

typedef struct
{
  gpointer display;
  gpointer context;
} Context;

static gboolean
load (const ReelGlDriver *driver, GError **error)
{
  static gsize loaded;
  gpointer library = reel_gl_open_library (driver, error);

  if (library == NULL)
    return FALSE;
  if (g_once_init_enter (&loaded))
    {
      for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
        {
          ReelGlFunction function = reel_gl_find (library, names[i]);

          memcpy ((guint8 *) &egl + i * sizeof function, &function, sizeof function);
        }
      g_once_init_leave (&loaded, 1);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (reel_gl_find (library, names[i]) == NULL)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "libEGL.so.1 has no %s", names[i]);
        return FALSE;
      }
  return TRUE;
}

static ReelGlFunction
look_up (const char *name)
{
  return egl.GetProcAddress (name);
}

static gboolean
begin (gpointer data)
{
  Context *self = data;

  return egl.MakeCurrent (self->display, NULL, NULL, self->context) != 0;
}

static void
end (gpointer data)
{
  egl.MakeCurrent (((Context *) data)->display, NULL, NULL, NULL);
}

static void
close_context (gpointer data)
{
  Context *self = data;

  egl.DestroyContext (self->display, self->context);
  g_free (self);
}

static gpointer
fail (GError **error, const char *what)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s fails with EGL error 0x%x", what,
               egl.GetError ());
  return NULL;
}

static gpointer
create_context (gpointer display, GError **error)
{
  static const gint attributes[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0,
                                     EGL_NONE };
  gpointer config = NULL;
  gint major, minor, n = 0;

  if (!egl.Initialize (display, &major, &minor))
    return fail (error, "eglInitialize()");
  if (!egl.BindAPI (EGL_OPENGL_API))
    return fail (error, "eglBindAPI() for OpenGL");
  if (!egl.ChooseConfig (display, attributes, &config, 1, &n) || n < 1)
    return fail (error, "eglChooseConfig() for OpenGL");

  gpointer context = egl.CreateContext (display, config, NULL, NULL);

  return context != NULL ? context : fail (error, "eglCreateContext()");
}

/* Displays are never closed: others in the process may have them too. */
static Context *
open_display (gpointer display, ReelGlInfo *info, GError **error)
{
  gpointer context = create_context (display, error);

  if (context == NULL)
    return NULL;

  Context *self = g_new (Context, 1);
  gboolean works = FALSE;

  *self = (Context){ .display = display, .context = context };
  if (!begin (self))
    fail (error, "eglMakeCurrent() without a surface");
  else
    {
      works = reel_gl_read_back (look_up, info, error);
      end (self);
    }
  if (works)
    return self;
  close_context (self);
  return NULL;
}

static gpointer
get_display (gint platform, gpointer device, GError **error)
{
  gpointer (*get) (gint, gpointer, const gint *) =
      (gpointer (*) (gint, gpointer, const gint *)) look_up ("eglGetPlatformDisplayEXT");
  gpointer display = get != NULL ? get (platform, device, NULL) : NULL;

  if (get == NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "libEGL.so.1 has no eglGetPlatformDisplayEXT");
  else if (display == NULL)
    fail (error, "eglGetPlatformDisplayEXT()");
  return display;
}

static gpointer
open_surfaceless (ReelGlInfo *info, GError **error)
{
  if (!load (&reel_gl_egl_surfaceless, error))
    return NULL;

  gpointer display = get_display (EGL_PLATFORM_SURFACELESS, NULL, error);

  return display != NULL ? open_display (display, info, error) : NULL;
}

/* Which devices may be tried: all, or the one of MUJOCO_EGL_DEVICE_ID. */
static gboolean
choose_devices (gint n, gint *first, gint *after, GError **error)
{
  const char *text = g_getenv ("MUJOCO_EGL_DEVICE_ID");
  gint64 number;

  *first = 0;
  *after = n;
  if (text == NULL || *text == '\0')
    return TRUE;
  if (!reel_parse_int64 (text, 0, n - 1, &number, error))
    {
      g_prefix_error (error, "MUJOCO_EGL_DEVICE_ID (EGL has %d devices): ", n);
      return FALSE;
    }
  *first = (gint) number;
  *after = *first + 1;
  return TRUE;
}

static gpointer
open_device (ReelGlInfo *info, GError **error)
{
  gpointer devices[MOST_DEVICES], found = NULL;
  gint n = 0, first, after;

  if (!load (&reel_gl_egl_device, error))
    return NULL;

  guint (*query) (gint, gpointer *, gint *) =
      (guint (*) (gint, gpointer *, gint *)) look_up ("eglQueryDevicesEXT");

  if (query == NULL || !query (MOST_DEVICES, devices, &n) || n < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "EGL has no devices");
      return NULL;
    }
  if (!choose_devices (n, &first, &after, error))
    return NULL;
  for (gint i = first; i < after && found == NULL; i++)
    {
      gpointer display;

      g_clear_error (error); /* of the device before */
      display = get_display (EGL_PLATFORM_DEVICE, devices[i], error);
      found = display != NULL ? open_display (display, info, error) : NULL;
    }
  return found;
}

const ReelGlDriver reel_gl_egl_device = {
  .name = "egl-device",
  .packages = "libegl1 libegl-mesa0",
  .library = "EGL",
  .files = { "libEGL.so.1" },
  .open = open_device,
  .begin = begin,
  .end = end,
  .close = close_context,
};

const ReelGlDriver reel_gl_egl_surfaceless = {
  .name = "egl-surfaceless",
  .packages = "libegl1 libegl-mesa0",
  .library = "EGL",
  .files = { "libEGL.so.1" },
  .open = open_surfaceless,
  .begin = begin,
  .end = end,
  .close = close_context,
};
