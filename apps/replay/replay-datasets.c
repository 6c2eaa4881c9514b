/* replay datasets: published datasets that can be imported, and those that are. */
#include "../common/json-values.h"
#include "../common/text-table.h"
#include "replay.h"

#include <glib/gstdio.h>
#include <stdio.h>

static struct
{
  char *from;
  char *root;
  gboolean json;
} options;

static const GOptionEntry entries[] = {
  { "from", 0, 0, G_OPTION_ARG_FILENAME, &options.from,
    "list the datasets whose raw files are in a directory, where the class can tell", "SOURCE" },
  { "root", 0, 0, G_OPTION_ARG_FILENAME, &options.root,
    "where the datasets of NAME are, instead of $REEL_DATASETS/NAME or the cache", "ROOT" },
  OPTIONS_PLUGIN,
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print a JSON object on each line", NULL },
  { NULL },
};

/* ---- one class ---- */

static gint64
count_bytes (const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;
  gint64 bytes = 0;

  while (directory && (name = g_dir_read_name (directory)))
    {
      g_autofree char *below = g_build_filename (path, name, NULL);
      GStatBuf status;

      if (g_lstat (below, &status) == 0)
        bytes += S_ISDIR (status.st_mode) ? count_bytes (below) : status.st_size;
    }
  return bytes;
}

/* −1 where it was not imported. */
static gint64
find_bytes (const char *root, const char *id, const char *suffix)
{
  g_autofree char *name = g_strconcat (id, suffix, NULL);
  g_autofree char *path = g_build_filename (root, name, NULL);

  return g_file_test (path, G_FILE_TEST_IS_DIR) ? count_bytes (path) : -1;
}

static void
print_ids (char **ids, const char *root)
{
  g_autoptr (TextTable) table = text_table_new ("lrr");

  text_table_add (table, g_strdup ("id"), g_strdup ("imported"), g_strdup ("split"));
  for (gsize i = 0; ids[i]; i++)
    {
      gint64 rows = find_bytes (root, ids[i], ""), split = find_bytes (root, ids[i], "_split");

      if (!options.json)
        text_table_add (table, g_strdup (ids[i]), rows < 0 ? g_strdup ("-") : format_bytes (rows),
                        split < 0 ? g_strdup ("-") : format_bytes (split));
      else
        json_print (json_pack ("{s:s, s:o, s:o}", "id", ids[i], "bytes", json_count_or_null (rows),
                               "split_bytes", json_count_or_null (split)));
    }
  g_autofree char *text = text_table_render (table, 0);
  if (!options.json)
    printf ("%s", text);
}

static int
list_ids (const char *name, GError **error)
{
  g_auto (GStrv) ids = reel_dataset_list_available (name, options.from, error);
  g_autofree char *root = options.root ? g_strdup (options.root)
                          : ids        ? reel_dataset_dup_root (name, error)
                                       : NULL;

  if (!ids || !root)
    return EXIT_FAILED;
  print_ids (ids, root);
  return EXIT_OK;
}

/* ---- all classes ---- */

static void
add_class (TextTable *table, const ReelId *id)
{
  g_auto (GStrv) ids = reel_dataset_list_available (id->id, NULL, NULL);
  g_autofree char *root = reel_dataset_dup_root (id->id, NULL);
  guint n = ids ? g_strv_length (ids) : 0;

  if (options.json)
    json_print (json_pack ("{s:s, s:i, s:s, s:s}", "name", id->id, "datasets", (int) n, "root",
                           root, "about", id->blurb));
  else
    text_table_add (table, g_strdup (id->id), g_strdup_printf ("%u", n), g_strdup (root),
                    g_strdup (id->blurb));
}

/* Names of TorchRL's, which begin with a capital, are of the same classes. */
static int
list_classes (void)
{
  g_autoptr (TextTable) table = text_table_new ("lrll");
  gsize n;
  g_autofree const ReelId **ids = reel_object_list_ids (REEL_TYPE_DATASET, &n);

  text_table_add (table, g_strdup ("name"), g_strdup ("datasets"), g_strdup ("root"),
                  g_strdup ("contents"));
  for (gsize i = 0; i < n; i++)
    if (g_ascii_islower (*ids[i]->id))
      add_class (table, ids[i]);
  g_autofree char *text = text_table_render (table, 0);
  if (!options.json)
    printf ("%s", text);
  return EXIT_OK;
}

int
replay_datasets (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("[NAME] - list datasets that can be imported");

  g_option_context_set_summary (
      context, "Without NAME the classes of datasets, with NAME the ids of one, and the size of\n"
               "those that are imported below its root.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error))
    return EXIT_USAGE;
  const char *name = (*argv)[1];
  if (!name && (options.from || options.root))
    {
      set_usage_error (error, "--%s needs the NAME of a class of datasets",
                       options.from ? "from" : "root");
      return EXIT_USAGE;
    }
  return name ? list_ids (name, error) : list_classes ();
}
