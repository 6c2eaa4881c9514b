#include "scratch.h"

#include "../src/core/system/directories.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

char *scratch_directory;

typedef struct
{
  void (*plain) (void);
  void (*with_data) (gconstpointer);
  gconstpointer data;
} Case;

static void
run_case (gconstpointer data)
{
  const Case *test = data;

  scratch_directory = g_dir_make_tmp ("reel-test-XXXXXX", NULL);
  g_assert_nonnull (scratch_directory);
  if (test->plain)
    test->plain ();
  else
    test->with_data (test->data);
  g_assert_true (reel_directory_remove (scratch_directory, NULL));
  g_clear_pointer (&scratch_directory, g_free);
}

/* GLib forgets the data of tests that it does not run, as in a subprocess: these stay in reach. */
static GSList *cases;

static void
add (const char *path, Case contents)
{
  Case *test = g_memdup2 (&contents, sizeof contents);

  cases = g_slist_prepend (cases, test);
  g_test_add_data_func (path, test, run_case);
}

void
scratch_test (const char *path, void (*run) (void))
{
  add (path, (Case){ .plain = run });
}

void
scratch_test_with_data (const char *path, void (*run) (gconstpointer), gconstpointer data)
{
  add (path, (Case){ .with_data = run, .data = data });
}

void
scratch_in_memory (void)
{
  if (g_access ("/dev/shm", W_OK | X_OK) == 0)
    g_setenv ("TMPDIR", "/dev/shm", TRUE);
}

char *
scratch_path (const char *name)
{
  return g_build_filename (scratch_directory, name, NULL);
}

void
scratch_put (const char *path, const char *text)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
add_files (GByteArray *all, const char *path)
{
  g_auto (GStrv) names = reel_directory_list (path, NULL);

  for (gsize i = 0; names && names[i]; i++)
    {
      g_autofree char *below = g_build_filename (path, names[i], NULL);
      g_autofree char *bytes = NULL;
      gsize length;

      g_byte_array_append (all, (const guint8 *) below, (guint) strlen (below) + 1);
      if (g_file_test (below, G_FILE_TEST_IS_DIR))
        add_files (all, below);
      else if (g_file_get_contents (below, &bytes, &length, NULL))
        g_byte_array_append (all, (const guint8 *) bytes, (guint) length);
    }
}

GBytes *
scratch_read_all (const char *path)
{
  GByteArray *all = g_byte_array_new ();

  add_files (all, path);
  return g_byte_array_free_to_bytes (all);
}

void
scratch_assert_holds (const char *path, const char *text)
{
  g_autofree char *found = NULL;

  g_assert_true (g_file_get_contents (path, &found, NULL, NULL));
  g_assert_cmpstr (found, ==, text);
}

void
scratch_assert_names (const char *path, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = reel_directory_list (path, &error);
  g_autofree char *joined = names ? g_strjoinv (" ", names) : NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (joined, ==, expected);
}
