#include "env-text.h"

/* Any model is an env; this one has something of all. */
static char *
tell (const char *id)
{
  g_autofree char *path = NULL;

  if (!g_str_equal (id, "MuJoCo"))
    return g_strdup ("");
  path = g_test_build_filename (G_TEST_DIST, "data", "all-kinds.xml", NULL);
  return g_strdup_printf ("xml-file='%s',include-sensors-in-observation=true,"
                          "reset-noise-scale=0.05,",
                          path);
}

char *
env_text (const char *id, const char *arguments)
{
  g_autofree char *told = tell (id);

  return g_strconcat (id, ":", told, arguments, NULL);
}
