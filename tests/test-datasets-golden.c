/* Imports of raw files against what TorchRL's classes make of the same files. */
#include "config.h"

#include "../src/core/system/directories.h"
#include "file-faults.h"
#include "golden-datasets.h"
#include "scratch.h"

#include <string.h>

/* The classes whose raw files are in tests/data/datasets; some need HDF5, or liblzma. */
static const char *const names[] = {
  "atari",    "d4rl",   "minari",
#ifdef REEL_WITH_LZMA
  "gen_dgrl",
#endif
  "npz",      "openml", "openx",  "roboset", "vd4rl",
};

static gboolean
is_there (const char *name)
{
  g_autoptr (GPtrArray) properties = reel_object_list_properties (REEL_TYPE_DATASET, name, NULL);

  return properties != NULL;
}

/* Some cases of a class that needs neither are files of HDF5, or have pictures of JPEG. */
static gboolean
can_read (const json_t *expect)
{
#ifndef REEL_WITH_JPEG
  if (json_object_get (expect, "jpeg"))
    return FALSE;
#endif
  return !json_object_get (expect, "hdf5") || is_there ("d4rl");
}

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

/* Rows 3 to 6, as the class reads them. */
static void
check_reading (const char *name, const json_t *expect)
{
  const json_t *keys = json_object_get (expect, "rows");
  g_autofree char *from = golden_dataset_raw (name, get (expect, "raw"));
  g_autofree char *root = scratch_path ("read");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset =
      import (name, get (expect, "options"), get (expect, "id"), from, root, "false", &error);
  g_autoptr (ReelTensordict) rows = NULL;

  g_assert_no_error (error);
  rows = reel_replay_buffer_get_rows (reel_dataset_get_buffer (dataset), 3, 4, &error);
  g_assert_no_error (error);
  golden_dataset_assert_leaves (keys, rows, get (expect, "raw"));
  g_assert_true (reel_directory_remove (root, NULL));
}

static void
test_rows_are_read_as_torchrl_reads_them (gconstpointer name)
{
  g_autoptr (json_t) golden = golden_dataset_open (name);
  const char *which;
  json_t *expect;

  json_object_foreach (json_object_get (golden, "cases"), which,
                       expect) if (json_object_get (expect, "rows") && can_read (expect))
      check_reading (name, expect);
}

static void
check_cases (const char *name, gboolean split)
{
  g_autoptr (json_t) golden = golden_dataset_open (name);
  const char *which;
  json_t *expect;

  json_object_foreach (json_object_get (golden, "cases"), which,
                       expect) if (json_object_get (expect, split ? "split" : "keys")
                                   && can_read (expect)) check_case (name, which, expect, split);
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
check_damaged (const char *name, const char *options, const char *id, const char *which,
               const json_t *expect)
{
  g_autofree char *directory = g_build_filename ("damaged", which, NULL);
  g_autofree char *from = golden_dataset_raw (name, directory);
  g_autofree char *root = scratch_path (which), *parent = g_path_get_dirname (id);
  g_autofree char *place = g_build_filename (root, parent, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset =
      import (name, options ? options : "", id, from, root, "false", &error);

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
  if (get (expect, "message") && can_read (expect))
    g_assert_nonnull (strstr (error->message, get (expect, "message")));
  if (g_file_test (place, G_FILE_TEST_EXISTS))
    scratch_assert_names (place, "");
}

static void
test_damaged_files_are_refused (gconstpointer name)
{
  g_autoptr (json_t) golden = golden_dataset_open (name);
  const char *which;
  json_t *expect;

  json_object_foreach (json_object_get (golden, "damaged"), which, expect) check_damaged (
      name, get (golden, "damaged_options"), get (golden, "damaged_id"), which, expect);
}

/* ---- kills ---- */

typedef struct
{
  const char *name;
  json_t *expect;
  char *from;
  char *root;
} Kill;

/* Imports, but from file operation @n on all fail, as those of a process that was killed. Returns
 * how many there were. */
static gint64
import_until (const Kill *self, gint64 n, ReelDataset **dataset)
{
  file_faults_begin ();
  if (n > 0)
    file_faults_fail (NULL, n, EIO, TRUE);
  *dataset = import (self->name, get (self->expect, "options"), get (self->expect, "id"),
                     self->from, self->root, "false", NULL);
  gint64 count = file_faults_count (NULL);
  file_faults_end ();
  g_assert_true (*dataset || n > 0);
  return count;
}

/* A dataset that is there is whole, and the next import leaves nothing else. */
static void
check_kill (const Kill *self, gint64 n)
{
  g_autofree char *place = g_build_filename (self->root, get (self->expect, "id"), NULL);
  g_autofree char *parent = g_path_get_dirname (place), *base = g_path_get_basename (place);
  g_autoptr (ReelDataset) killed = NULL, again = NULL;

  import_until (self, n, &killed);
  if (g_file_test (place, G_FILE_TEST_EXISTS))
    golden_dataset_assert (json_object_get (self->expect, "keys"), place);
  import_until (self, 0, &again);
  scratch_assert_names (parent, base);
  golden_dataset_assert (json_object_get (self->expect, "keys"), place);
  g_assert_true (reel_dataset_delete (again, NULL));
}

/* Every operation near the end, where the directory gets its name, and some of those before. */
static void
check_kills (const Kill *self)
{
  g_autoptr (ReelDataset) whole = NULL;
  gint64 count = import_until (self, 0, &whole);

  g_assert_true (reel_directory_remove (self->root, NULL));
  g_test_message ("%s: %" G_GINT64_FORMAT " operations", self->name, count);
  for (gint64 n = 1; n <= count; n += n < count - 16 ? MAX (count / 16, 1) : 1)
    check_kill (self, n);
}

static void
test_killed_imports_are_absent_or_whole (gconstpointer name)
{
  g_autoptr (json_t) golden = golden_dataset_open (name);
  json_t *first = json_object_iter_value (json_object_iter (json_object_get (golden, "cases")));
  g_autofree char *from = golden_dataset_raw (name, get (first, "raw"));
  g_autofree char *root = scratch_path ("killed");
  const Kill kill = { name, first, from, root };

  check_kills (&kill);
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
      if (!is_there (names[i]))
        continue;
      add (names[i], "leaves-are-those-of-torchrl", test_leaves_are_those_of_torchrl);
      add (names[i], "trajectories-are-those-of-torchrl", test_trajectories_are_those_of_torchrl);
      add (names[i], "rows-are-read-as-torchrl-reads-them",
           test_rows_are_read_as_torchrl_reads_them);
      add (names[i], "damaged-files-are-refused", test_damaged_files_are_refused);
      add (names[i], "killed-imports-are-absent-or-whole", test_killed_imports_are_absent_or_whole);
    }
  return g_test_run ();
}
