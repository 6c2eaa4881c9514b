/* Imports of raw files against what TorchRL's classes make of the same files. */
#include "golden-datasets.h"
#include "scratch.h"

#include <string.h>

/* The classes whose raw files are in tests/data/datasets. */
static const char *const names[] = { "d4rl", "minari", "roboset" };

static ReelDataset *
import (const char *name, const char *options, const char *id, const char *from, const char *root,
        const char *split, GError **error)
{
  g_autofree char *text = g_strconcat (name, *options ? ":" : "", options, NULL);

  return reel_object_new_from_text (REEL_TYPE_DATASET, text, error, "dataset-id", id, "from", from,
                                    "root", root, "split-trajs", split, NULL);
}

static const char *
get (const json_t *object, const char *key)
{
  return json_string_value (json_object_get (object, key));
}

/* T16-1 */
static void
check_case (const char *name, const char *which, const json_t *expect, gboolean split)
{
  g_autofree char *from = golden_dataset_raw (name, get (expect, "raw"));
  g_autofree char *below = g_strconcat (split ? "split-" : "rows-", which, NULL);
  g_autofree char *root = scratch_path (below), *path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset = import (name, get (expect, "options"), get (expect, "id"), from,
                                            root, split ? "true" : "false", &error);

  g_test_message ("%s %s%s", name, which, split ? ", split" : "");
  g_assert_no_error (error);
  path = g_build_filename (root, get (expect, "id"), NULL);
  g_assert_cmpstr (reel_dataset_get_data_path_root (dataset), ==, path);
  golden_dataset_assert (json_object_get (expect, split ? "split" : "keys"),
                         reel_dataset_get_data_path (dataset));
}

static void
check_cases (const char *name, gboolean split)
{
  g_autoptr (json_t) golden = golden_dataset_open (name);
  const char *which;
  json_t *expect;

  json_object_foreach (json_object_get (golden, "cases"), which,
                       expect) if (json_object_get (expect, split ? "split" : "keys"))
      check_case (name, which, expect, split);
}

static void
test_leaves_are_those_of_torchrl (gconstpointer name)
{
  check_cases (name, FALSE);
}

static void
test_trajectories_are_those_of_torchrl (gconstpointer name)
{
  check_cases (name, TRUE);
}

/* A file that is refused leaves nothing behind, and the error names a path in the raw directory. */
static void
check_damaged (const char *name, const char *id, const char *which, const json_t *expect)
{
  g_autofree char *directory = g_build_filename ("damaged", which, NULL);
  g_autofree char *from = golden_dataset_raw (name, directory);
  g_autofree char *root = scratch_path (which), *parent = g_path_get_dirname (id);
  g_autofree char *place = g_build_filename (root, parent, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset = import (name, "", id, from, root, "false", &error);

  g_test_message ("%s %s: %s", name, which, error ? error->message : "accepted");
  g_assert_true ((dataset != NULL) == g_str_equal (get (expect, "result"), "accepted"));
  if (dataset)
    {
      golden_dataset_assert (json_object_get (expect, "keys"),
                             reel_dataset_get_data_path (dataset));
      return;
    }
  g_assert_true (error->domain == REEL_ERROR);
  g_assert_nonnull (strstr (error->message, from));
  if (g_file_test (place, G_FILE_TEST_EXISTS))
    scratch_assert_names (place, "");
}

static void
test_damaged_files_are_refused (gconstpointer name)
{
  g_autoptr (json_t) golden = golden_dataset_open (name);
  const char *which;
  json_t *expect;

  json_object_foreach (json_object_get (golden, "damaged"), which, expect)
      check_damaged (name, get (golden, "damaged_id"), which, expect);
}

static void
add (const char *name, const char *what, void (*run) (gconstpointer))
{
  g_autofree char *path = g_strconcat ("/datasets/", name, "/", what, NULL);

  scratch_test_with_data (path, run, name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      add (names[i], "leaves-are-those-of-torchrl", test_leaves_are_those_of_torchrl);
      add (names[i], "trajectories-are-those-of-torchrl", test_trajectories_are_those_of_torchrl);
      add (names[i], "damaged-files-are-refused", test_damaged_files_are_refused);
    }
  return g_test_run ();
}
