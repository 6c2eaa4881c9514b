#include "char-class.h"

#include <string.h>

guint8 *
reel_char_classes_new (void)
{
  guint8 *classes = g_malloc0 (REEL_CHAR_CLASSES);

  for (gsize i = 0; i + 1 < reel_n_unicode_runs; i++)
    {
      guint32 first = reel_unicode_runs[i] >> 2, end = reel_unicode_runs[i + 1] >> 2;
      memset (classes + first, (int) (reel_unicode_runs[i] & 3), end - first);
    }
  return classes;
}
