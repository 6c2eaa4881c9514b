/* Options in files: values that are set, lines that are named, and bytes that are no such file. */
#include "../apps/common/option-file.h"
#include "scratch.h"

#include <string.h>

static char *name, *number;
static char **plugins;
static gboolean loud;

static const GOptionEntry entries[] = {
  { "name", 0, 0, G_OPTION_ARG_STRING, &name, "", "TEXT" },
  { "num-envs", 0, 0, G_OPTION_ARG_STRING, &number, "", "N" },
  { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &plugins, "", "FILE" },
  { "loud", 0, 0, G_OPTION_ARG_NONE, &loud, "", NULL },
  { NULL },
};

static void
forget (void)
{
  g_clear_pointer (&name, g_free);
  g_clear_pointer (&number, g_free);
  g_clear_pointer (&plugins, g_strfreev);
  loud = FALSE;
}

static gboolean
read_bytes (const char *bytes, gsize length, GError **error)
{
  g_autofree char *path = scratch_path ("options");

  forget ();
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
  return option_file_read (path, entries, error);
}

static void
test_values (void)
{
  static const char text[] = "# a comment\r\n\n[collect]\r\nname = a=b\\sc \\\\ d#e\r\nn_envs=3\r\n"
                             "plugin=a.so;b.so\nloud=true\n[collect]\n";
  g_autoptr (GError) error = NULL;

  read_bytes (text, strlen (text), &error);
  g_assert_no_error (error);
  g_assert_cmpstr (name, ==, "a=b c \\ d#e");
  g_assert_cmpstr (number, ==, "3");
  g_assert_cmpstr (plugins[0], ==, "a.so");
  g_assert_cmpstr (plugins[1], ==, "b.so");
  g_assert_true (loud);
  g_assert_true (option_file_has ("num-envs"));
  g_assert_false (option_file_has ("loudness"));
}

static void
test_command_line_wins (void)
{
  g_autofree char *path = scratch_path ("options");

  forget ();
  name = g_strdup ("first");
  g_assert_true (g_file_set_contents (path, "[collect]\nname=second\nnum-envs=2\n", -1, NULL));
  g_assert_true (option_file_read (path, entries, NULL));
  g_assert_cmpstr (name, ==, "first");
  g_assert_cmpstr (number, ==, "2");
  g_assert_false (option_file_has ("name"));
}

/* Any bytes are read, or refused by file and line. */
static void
test_any_bytes (void)
{
  static const char seed[] = "[collect]\nname=x\\sy\n# z\nnum-envs = 7\nplugin=a;b\nloud=false\n";
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  gint n_read = 0, n_refused = 0;

  for (gint i = 0; i < 4000; i++)
    {
      char bytes[sizeof seed];
      gsize length = (gsize) g_rand_int_range (random, 1, sizeof seed);
      g_autoptr (GError) error = NULL;

      memcpy (bytes, seed, sizeof seed);
      for (gint n = g_rand_int_range (random, 0, 3); n > 0; n--)
        bytes[g_rand_int_range (random, 0, sizeof seed - 1)] =
            g_rand_boolean (random) ? "\\\n[]=#;\r \0e"[g_rand_int_range (random, 0, 11)]
                                    : (char) g_rand_int_range (random, 0, 256);
      if (read_bytes (bytes, length, &error))
        n_read++;
      else
        {
          g_assert_error (error, USAGE_ERROR, 0);
          g_assert_nonnull (strstr (error->message, "/options"));
          n_refused++;
        }
    }
  g_assert_cmpint (n_read, >, 100);
  g_assert_cmpint (n_refused, >, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_in_memory ();
  scratch_test ("/programs/option-file/values", test_values);
  scratch_test ("/programs/option-file/command-line-wins", test_command_line_wins);
  scratch_test ("/programs/option-file/any-bytes", test_any_bytes);
  return g_test_run ();
}
