/* Libraries that drivers load. */
#include "gl-driver.h"

#include "../../core/object/error.h"

#include <dlfcn.h>
#include <string.h>

gpointer
reel_gl_open_library (const ReelGlDriver *driver, GError **error)
{
  for (gsize i = 0; driver->files[i] != NULL; i++)
    {
      gpointer library = dlopen (driver->files[i], RTLD_NOW | RTLD_LOCAL);

      if (library != NULL)
        return library;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "no %s can be loaded; Debian has it in %s",
               driver->files[0], driver->packages);
  return NULL;
}

ReelGlFunction
reel_gl_find (gpointer library, const char *name)
{
  gpointer found = dlsym (library, name);
  ReelGlFunction function;

  memcpy (&function, &found, sizeof function);
  return function;
}
