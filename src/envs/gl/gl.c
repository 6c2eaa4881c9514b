#include "gl-context.h"

#include "../../core/object/error.h"
#include "gl-driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

struct _ReelGlContext
{
  const ReelGlDriver *driver;
  gpointer context;
};

static const ReelGlDriver *const drivers[REEL_GL_N_BACKENDS] = {
  [REEL_GL_EGL_DEVICE] = &reel_gl_egl_device,
  [REEL_GL_EGL_SURFACELESS] = &reel_gl_egl_surfaceless,
  [REEL_GL_OSMESA] = &reel_gl_osmesa,
};

/* The library whose functions MuJoCo keeps. */
static const char *_Atomic settled;

const char *
reel_gl_get_name (ReelGlBackend backend)
{
  g_return_val_if_fail (backend < REEL_GL_N_BACKENDS, NULL);
  return drivers[backend]->name;
}

const char *
reel_gl_get_packages (ReelGlBackend backend)
{
  g_return_val_if_fail (backend < REEL_GL_N_BACKENDS, NULL);
  return drivers[backend]->packages;
}

/* ---- which ones ---- */

gboolean
reel_gl_get_wanted (gboolean *wanted, GError **error)
{
  const char *text = g_getenv ("MUJOCO_GL");
  gboolean any = FALSE, all = text == NULL || *text == '\0';

  for (gsize i = 0; i < REEL_GL_N_BACKENDS; i++)
    {
      wanted[i] = all || g_ascii_strcasecmp (text, drivers[i]->name) == 0
                  || g_ascii_strcasecmp (text, drivers[i]->library) == 0;
      any = any || wanted[i];
    }
  if (!any && (g_ascii_strcasecmp (text, "glfw") == 0 || g_ascii_strcasecmp (text, "glx") == 0))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "MUJOCO_GL=%s draws by a window of a display, which is not done here: set it to "
                 "egl or osmesa, or leave it out",
                 text);
  else if (!any)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "MUJOCO_GL=%s: expected egl, egl-device, egl-surfaceless or osmesa; all are tried "
                 "where it is not set",
                 text);
  return any;
}

static gpointer
open_driver (const ReelGlDriver *driver, ReelGlInfo *info, GError **error)
{
  const char *other = atomic_load (&settled);

  *info = (ReelGlInfo){ 0 };
  if (other == NULL || g_str_equal (other, driver->library))
    return driver->open (info, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "this process draws by %s already, and MuJoCo by one of the two alone", other);
  return NULL;
}

gboolean
reel_gl_probe (ReelGlBackend backend, ReelGlInfo *info, GError **error)
{
  g_return_val_if_fail (backend < REEL_GL_N_BACKENDS && info != NULL, FALSE);

  gpointer context = open_driver (drivers[backend], info, error);

  if (context == NULL)
    return FALSE;
  drivers[backend]->close (context);
  return TRUE;
}

/* ---- contexts ---- */

ReelGlContext *
reel_gl_context_new (ReelGlInfo *info, GError **error)
{
  gboolean wanted[REEL_GL_N_BACKENDS];
  g_autoptr (GString) reasons = g_string_new (NULL);

  if (!reel_gl_get_wanted (wanted, error))
    return NULL;
  for (gsize i = 0; i < REEL_GL_N_BACKENDS; i++)
    {
      g_autoptr (GError) reason = NULL;
      gpointer context = wanted[i] ? open_driver (drivers[i], info, &reason) : NULL;

      if (context != NULL)
        {
          ReelGlContext *self = g_new (ReelGlContext, 1);

          *self = (ReelGlContext){ .driver = drivers[i], .context = context };
          return self;
        }
      if (wanted[i])
        g_string_append_printf (reasons, "%s%s: %s", reasons->len > 0 ? "; " : "", drivers[i]->name,
                                reason->message);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "there is no OpenGL to draw with (render --doctor says more): %s", reasons->str);
  return NULL;
}

void
reel_gl_context_free (ReelGlContext *self)
{
  if (self == NULL)
    return;
  self->driver->close (self->context);
  g_free (self);
}

gboolean
reel_gl_context_begin (ReelGlContext *self)
{
  return self->driver->begin (self->context);
}

void
reel_gl_context_end (ReelGlContext *self)
{
  self->driver->end (self->context);
}

/* MuJoCo looks first among the names that are visible to all, where EGL would hide OSMesa. */
void
reel_gl_context_finish (ReelGlContext *self)
{
  const char *const *files = self->driver->files;

  for (gsize i = 0; files[i] != NULL && atomic_load (&settled) == NULL; i++)
    dlopen (files[i], RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  atomic_store (&settled, self->driver->library);
}
