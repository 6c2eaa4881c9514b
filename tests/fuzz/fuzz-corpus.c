/* Runs a fuzz target over every file of its seed corpus, one test each. */
#include "fuzz.h"

static void
run_file (gconstpointer path)
{
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpint (LLVMFuzzerTestOneInput ((const guint8 *) data, size), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  /* tests/fuzz/fuzz-memmap-meta has its files in tests/fuzz/corpus/memmap-meta. */
  g_autofree char *program = g_path_get_basename (argv[0]);
  const char *name = g_strrstr (program, "fuzz-") + 5;
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", name, NULL);
  g_autoptr (GDir) corpus = g_dir_open (folder, 0, NULL);
  const char *file;

  while (corpus && (file = g_dir_read_name (corpus)))
    {
      g_autofree char *path = g_strconcat ("/fuzz/", name, "/", file, NULL);
      g_test_add_data_func_full (path, g_build_filename (folder, file, NULL), run_file, g_free);
    }
  return corpus ? g_test_run () : 1;
}
