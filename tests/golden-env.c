#include "golden-env.h"

#include <stdio.h>
#include <string.h>

static gconstpointer
find_array (const char *table, const Golden *golden, const char *name, const char *array,
            gint64 *rows)
{
  g_autofree char *start = g_strdup_printf ("\n%s\t%s\t", name, array);
  const char *line = strstr (table, start);
  gint64 shape, offset;

  g_assert_nonnull (line);
  line += strlen (start); /* dtype, shape, offset, bytes */
  g_assert_cmpint (sscanf (line, "%*s %" G_GINT64_FORMAT, &shape), ==, 1);
  g_assert_cmpint (sscanf (line, "%*s %*s %" G_GINT64_FORMAT, &offset), ==, 1);
  if (rows != NULL)
    *rows = shape;
  return golden->bytes + offset;
}

void
golden_load (Golden *golden, const char *name)
{
  g_autofree char *table_path =
      g_test_build_filename (G_TEST_DIST, "data", "gymnasium", "cases.tsv", NULL);
  g_autofree char *file = g_strconcat (name, ".bin", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "gymnasium", file, NULL);
  g_autofree char *table = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (table_path, &table, NULL, &error);
  g_assert_no_error (error);
  g_file_get_contents (path, &golden->bytes, NULL, &error);
  g_assert_no_error (error);
  golden->reset_at = find_array (table, golden, name, "reset_at", &golden->n_resets);
  golden->action = find_array (table, golden, name, "action", &golden->n_steps);
  golden->reset_obs = find_array (table, golden, name, "reset_obs", NULL);
  golden->next_obs = find_array (table, golden, name, "next_obs", NULL);
  golden->reward = find_array (table, golden, name, "reward", NULL);
  golden->terminated = find_array (table, golden, name, "terminated", NULL);
  golden->truncated = find_array (table, golden, name, "truncated", NULL);
  golden->state = find_array (table, golden, name, "state", NULL);
  golden->reset_state = find_array (table, golden, name, "reset_state", NULL);
}

void
golden_clear (Golden *golden)
{
  g_clear_pointer (&golden->bytes, g_free);
}
