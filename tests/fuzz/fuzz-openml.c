/* The replies of OpenML's server, given any bytes in the place of one: the first byte says which. A
 * table that is found is complete, and found the same again. */
#include "../../src/datasets/openml-files.h"
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#define REPLIES "api/v1/json/data/"

static const char *const replies[][2] = {
  { REPLIES "list/data_name/moons/limit/2/data_version/1",
    "{\"data\": {\"dataset\": [{\"did\": 7}]}}" },
  { REPLIES "7", "{\"data_set_description\": {\"url\": \"https://x/files/moons.arff\", "
                 "\"md5_checksum\": \"00\"}}" },
  { REPLIES "features/7", "{\"data_features\": {\"feature\": [{\"name\": \"a\"}, "
                          "{\"name\": \"b\", \"is_target\": \"true\"}]}}" },
  { REPLIES "qualities/7", "{\"data_qualities\": {\"quality\": [{\"name\": \"NumberOfInstances\", "
                           "\"value\": \"3.0\"}]}}" },
};

static const char *source;
static char *paths[G_N_ELEMENTS (replies)];

static void
set_up (void)
{
  reel_init ();
  source = fuzz_make_directory ();
  for (gsize i = 0; i < G_N_ELEMENTS (replies); i++)
    {
      paths[i] = g_build_filename (source, replies[i][0], NULL);
      fuzz_put (paths[i], replies[i][1], strlen (replies[i][1]));
    }
  g_autofree char *table = g_build_filename (source, "files/moons.arff", NULL);
  fuzz_put (table, "", 0);
}

static void
check_table (const ReelOpenmlTable *table)
{
  g_autofree char *inside = g_strconcat (source, "/", NULL);

  if (!g_str_has_prefix (table->path, inside) || strstr (table->path, "..") || !table->target
      || !g_hash_table_contains (table->ignored, table->target) || table->n_rows < 0)
    abort ();
}

static void
find (gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelOpenmlTable) table = reel_openml_find (source, "moons", 1, &error);
  g_autoptr (ReelOpenmlTable) again = reel_openml_find (source, "moons", 1, NULL);

  if (!table != (error != NULL) || !table != !again
      || (error && (error->domain != REEL_ERROR || !g_utf8_validate (error->message, -1, NULL))))
    abort ();
  if (!table)
    return;
  check_table (table);
  if (!g_str_equal (table->path, again->path) || !g_str_equal (table->md5, again->md5)
      || !g_str_equal (table->target, again->target) || table->n_rows != again->n_rows)
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (!source)
    set_up ();
  if (size > 0)
    fuzz_with_file (paths[fuzz_choose (*data, G_N_ELEMENTS (paths))], data, size, find, NULL);
  return 0;
}
