/* The readers of raw files of datasets. The first byte says whose file the others are: a D4RL file,
 * the rows of a Minari dataset, or an episode of V-D4RL. */
#include "../../src/core/system/directories.h"
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>

static const struct
{
  const char *text;
  const char *file;
} classes[] = {
  { "d4rl:hopper-medium-v2", "source/hopper_medium-v2.hdf5" },
  { "minari:x-v0", "source/x-v0/data/main_data.hdf5" },
  { "vd4rl:x", "source/x/episode.npz" },
};

static char *source, *place;

static void
set_up (void)
{
  const char *directory = fuzz_make_directory ();
  g_autofree char *metadata = g_build_filename (directory, "source/x-v0/data/metadata.json", NULL);
  static const char text[] = "{\"total_episodes\": 1, \"data_format\": \"hdf5\"}";

  reel_init ();
  fuzz_put (metadata, text, sizeof text - 1);
  source = g_build_filename (directory, "source", NULL);
  place = g_build_filename (directory, "place", NULL);
}

static ReelDataset *
import (const char *text, GError **error)
{
  return reel_object_new_from_text (REEL_TYPE_DATASET, text, error, "from", source, "path", place,
                                    "split-trajs", "true", NULL);
}

/* An import is whole, or nothing is there. */
static void
import_and_draw (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset = import (text, &error);
  g_autoptr (ReelTensordict) batch = NULL;

  if (!dataset != (error != NULL) || !dataset != !g_file_test (place, G_FILE_TEST_EXISTS))
    abort ();
  if (!dataset && import (text, NULL))
    abort ();
  if (!dataset)
    return;
  if (!reel_replay_buffer_sample (reel_dataset_get_buffer (dataset), 3, &batch, NULL))
    abort ();
  if (!reel_dataset_delete (dataset, NULL))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size == 0)
    return 0;
  if (!source)
    set_up ();
  gsize which = fuzz_choose (*data, G_N_ELEMENTS (classes));
  g_autofree char *directory = g_path_get_dirname (source);
  g_autofree char *path = g_build_filename (directory, classes[which].file, NULL);
  fuzz_put (path, data + 1, size - 1);
  import_and_draw (classes[which].text);
  return 0;
}
