/* Objects from any text, as options and the metadata of checkpoints have it. The first byte says of
 * which class, in the order of `bases`. The object is printed, and its text makes the
 * like. */
#include "../../src/reel.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static GType
base_of (guint8 letter)
{
  const GType bases[] = { REEL_TYPE_STORAGE,      REEL_TYPE_SAMPLER,   REEL_TYPE_WRITER,
                          REEL_TYPE_CHECKPOINTER, REEL_TYPE_TRANSFORM, REEL_TYPE_SCHEDULER,
                          REEL_TYPE_POLICY };

  return bases[(guint8) (letter - 'a') % G_N_ELEMENTS (bases)];
}

static ReelObject *
make (GType base, const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelObject *object = reel_object_new_from_text (base, text, &error, NULL);

  if (!object != (error != NULL) || (error && *error->message == '\0'))
    abort ();
  if (!object && reel_object_new_from_text (base, text, NULL, NULL))
    abort ();
  return object;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static gsize initialised;
  g_autofree char *text = NULL, *first = NULL, *second = NULL;
  g_autoptr (ReelObject) object = NULL, again = NULL;

  if (size == 0)
    return 0;
  if (g_once_init_enter (&initialised))
    {
      reel_init ();
      g_once_init_leave (&initialised, 1);
    }
  text = g_strndup ((const char *) data + 1, size - 1);
  object = make (base_of (*data), text);
  if (!object)
    return 0;
  first = reel_object_to_text (object);
  again = make (base_of (*data), first);
  second = again ? reel_object_to_text (again) : NULL;
  if (!second || strcmp (first, second) != 0)
    abort ();
  return 0;
}
