/* OpenGL by OSMesa, which draws in memory. */
#include "gl-driver.h"

#include "../../core/object/error.h"

#include <string.h>

/* The few names that are used. */
enum
{
  OSMESA_RGBA = 0x1908,
  GL_UNSIGNED_BYTE = 0x1401,
};

/* Of the buffer that every context must have; what is drawn goes to others. */
#define SIDE 16
#define DEPTH_BITS 24
#define STENCIL_BITS 8

typedef struct
{
  gpointer (*CreateContextExt) (guint format, gint depth_bits, gint stencil_bits, gint accum_bits,
                                gpointer share);
  void (*DestroyContext) (gpointer context);
  guint8 (*MakeCurrent) (gpointer context, gpointer buffer, guint type, gint width, gint height);
  ReelGlFunction (*GetProcAddress) (const char *name);
} OsMesa;

static const char *const names[] = {
  "OSMesaCreateContextExt",
  "OSMesaDestroyContext",
  "OSMesaMakeCurrent",
  "OSMesaGetProcAddress",
};

G_STATIC_ASSERT (sizeof (OsMesa) == G_N_ELEMENTS (names) * sizeof (ReelGlFunction));

static OsMesa osmesa; /* once loaded, never changed */

typedef struct
{
  gpointer context;
  guint8 buffer[SIDE * SIDE * 4];
} Context;

static gboolean
load (GError **error)
{
  static gsize loaded;
  gpointer library = reel_gl_open_library (&reel_gl_osmesa, error);

  if (library == NULL)
    return FALSE;
  if (g_once_init_enter (&loaded))
    {
      for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
        {
          ReelGlFunction function = reel_gl_find (library, names[i]);

          memcpy ((guint8 *) &osmesa + i * sizeof function, &function, sizeof function);
        }
      g_once_init_leave (&loaded, 1);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (reel_gl_find (library, names[i]) == NULL)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "libOSMesa has no %s", names[i]);
        return FALSE;
      }
  return TRUE;
}

static ReelGlFunction
look_up (const char *name)
{
  return osmesa.GetProcAddress (name);
}

static gboolean
begin (gpointer data)
{
  Context *self = data;

  return osmesa.MakeCurrent (self->context, self->buffer, GL_UNSIGNED_BYTE, SIDE, SIDE) != 0;
}

static void
end (gpointer data)
{
  osmesa.MakeCurrent (NULL, NULL, GL_UNSIGNED_BYTE, 0, 0);
}

static void
close_context (gpointer data)
{
  Context *self = data;

  osmesa.DestroyContext (self->context);
  g_free (self);
}

static gpointer
open_memory (ReelGlInfo *info, GError **error)
{
  if (!load (error))
    return NULL;

  gpointer context = osmesa.CreateContextExt (OSMESA_RGBA, DEPTH_BITS, STENCIL_BITS, 0, NULL);

  if (context == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "OSMesaCreateContextExt() fails");
      return NULL;
    }

  Context *self = g_new0 (Context, 1);
  gboolean works = FALSE;

  self->context = context;
  if (begin (self))
    {
      works = reel_gl_read_back (look_up, info, error);
      end (self);
    }
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "OSMesaMakeCurrent() fails");
  if (works)
    return self;
  close_context (self);
  return NULL;
}

const ReelGlDriver reel_gl_osmesa = {
  .name = "osmesa",
  .packages = "libosmesa6",
  .library = "OSMesa",
  .files = { "libOSMesa.so.8", "libOSMesa.so.6" },
  .open = open_memory,
  .begin = begin,
  .end = end,
  .close = close_context,
};
