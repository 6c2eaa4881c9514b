/* The import of a table in CSV, given any bytes: it is whole, or nothing is there. */
#include "../../src/core/system/directories.h"
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static char *source, *place, *path;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset = NULL;

  if (!source)
    {
      reel_init ();
      source = g_strdup (fuzz_make_directory ());
      place = g_build_filename (source, "place", NULL);
      path = g_build_filename (source, "x.csv", NULL);
    }
  fuzz_put (path, (const char *) data, size);
  dataset = reel_object_new_from_text (REEL_TYPE_DATASET, "csv:x", &error, "from", source, "path",
                                       place, NULL);
  if (!dataset != (error != NULL) || !dataset != !g_file_test (place, G_FILE_TEST_EXISTS)
      || (error && !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  if (dataset && !reel_dataset_delete (dataset, NULL))
    abort ();
  return 0;
}
