/* A file of options, as --config takes it: lines of keys, or behind a `c` the configuration of a
 * run. Values that are set are texts, and set the same again; a refusal names the file. */
#include "../../apps/common/option-file.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  char *name, *number;
  char **plugins;
  gboolean loud;
} Values;

static Values values;

static const GOptionEntry entries[] = {
  { "name", 0, 0, G_OPTION_ARG_STRING, &values.name, "", "TEXT" },
  { "num-envs", 0, 0, G_OPTION_ARG_STRING, &values.number, "", "N" },
  { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &values.plugins, "", "FILE" },
  { "loud", 0, 0, G_OPTION_ARG_NONE, &values.loud, "", NULL },
  { NULL },
};

static void
clear_values (Values *self)
{
  g_free (self->name);
  g_free (self->number);
  g_strfreev (self->plugins);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Values, clear_values)

static Values
take_values (void)
{
  Values taken = values;

  memset (&values, 0, sizeof values);
  return taken;
}

static void
check_texts (const Values *self)
{
  if ((self->name && !g_utf8_validate (self->name, -1, NULL))
      || (self->number && !g_utf8_validate (self->number, -1, NULL)))
    abort ();
  if (option_file_has ("name") != (self->name != NULL)
      || option_file_has ("num-envs") != (self->number != NULL))
    abort ();
}

static void
check_places (const Values *self, const char *path)
{
  g_autofree char *message = g_strdup_printf ("--name cannot be \"%s\"", self->name);
  g_autofree char *place = option_file_dup_place (message);

  if (!strstr (place, path))
    abort ();
}

static gboolean
are_equal (const Values *a, const Values *b)
{
  return g_strcmp0 (a->name, b->name) == 0 && g_strcmp0 (a->number, b->number) == 0
         && a->loud == b->loud && !a->plugins == !b->plugins
         && (!a->plugins
             || g_strv_equal ((const char *const *) a->plugins, (const char *const *) b->plugins));
}

static void
read_options (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *program = NULL;
  gboolean read = option_file_read (path, entries, &error);

  if (read == (error != NULL)
      || (error && (!strstr (error->message, path) || !g_utf8_validate (error->message, -1, NULL))))
    abort ();
  if (read)
    check_places (&values, path);
  g_auto (Values) first = take_values ();
  if (read)
    check_texts (&first);
  gboolean again = option_file_read (path, entries, NULL);
  g_auto (Values) second = take_values ();
  if (again != read || !are_equal (&first, &second))
    abort ();
  program = option_file_dup_program (path);
  if (program && !g_utf8_validate (program, -1, NULL))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static char *text, *config;

  if (!text)
    {
      const char *directory = fuzz_make_directory ();

      option_file_program = "learn dqn";
      text = g_build_filename (directory, "run.conf", NULL);
      config = g_build_filename (directory, OPTION_FILE_CONFIG, NULL);
    }
  if (size == 0)
    return 0;
  const gboolean is_config = *data == 'c';
  const char *path = is_config ? config : text;

  fuzz_put (path, is_config ? data + 1 : data, is_config ? size - 1 : size);
  read_options (path);
  return 0;
}
