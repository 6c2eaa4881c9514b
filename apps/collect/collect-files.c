/* The files of a run and the time that it may take, for --dry-run. */
#include "collect.h"
#include "../common/json-values.h"
#include "../common/text-table.h"

#include <math.h>
#include <stdio.h>

static const char *const metadata[] = {
  "buffer_metadata.json",          "reel.json",           "reel.ring", "storage/**/meta.json",
  "storage/storage_metadata.json", "writer/metadata.json"
};

static gint64
n_steps (const Plan *plan)
{
  return plan->capacity / plan->n_lanes;
}

static json_t *
json_shape (const ReelTensor *leaf, gint64 steps)
{
  json_t *shape = json_pack ("[I]", (json_int_t) steps);

  for (gint i = 0; i < leaf->ndim; i++)
    json_array_append_new (shape, json_integer (leaf->shape[i]));
  return shape;
}

/* The time, as far as it can be known before. */
static gboolean
print_estimate (const Plan *plan, GError **error)
{
  double rate = plan_measure_rate (plan, error);
  double seconds = plan_estimate_seconds (plan, rate);
  g_autofree char *fast = format_rate (rate);

  if (rate < 0)
    return FALSE;
  if (isfinite (seconds))
    {
      g_autofree char *time = format_duration (seconds);
      g_print ("estimate: %s, at %s frames/s measured now\n", time, fast);
    }
  else
    g_print ("estimate: %s frames/s measured now\n", fast);
  return TRUE;
}

gboolean
collect_print_files (const Plan *plan, GError **error)
{
  gint64 steps = n_steps (plan);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (plan->layout);
  g_autoptr (TextTable) table = text_table_new ("lllr");

  for (char **path = leaves; *path; path++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (plan->layout, *path, NULL);
      gint64 bytes = (gint64) reel_tensor_nbytes (leaf) * steps;
      text_table_add (table, g_strdup_printf ("%s/storage/%s.memmap", plan->path, *path),
                      g_strdup (reel_dtype_name (leaf->dtype)),
                      json_take_text (json_shape (leaf, steps)), format_bytes (bytes));
    }
  g_autofree char *text = text_table_render (table, 0);
  g_autofree char *total = format_bytes (plan_bytes (plan));
  g_print ("%s%s in all; metadata files:", text, total);
  for (guint i = 0; i < G_N_ELEMENTS (metadata); i++)
    g_print (" %s", metadata[i]);
  g_print ("\n");
  return print_estimate (plan, error);
}

static json_t *
json_files (const Plan *plan)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (plan->layout);
  json_t *files = json_array ();

  for (char **path = leaves; *path; path++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (plan->layout, *path, NULL);
      g_autofree char *file = g_strdup_printf ("storage/%s.memmap", *path);
      gint64 bytes = (gint64) reel_tensor_nbytes (leaf) * n_steps (plan);
      json_array_append_new (files, json_pack ("{s:s, s:s, s:o, s:I}", "file", file, "dtype",
                                               reel_dtype_name (leaf->dtype), "shape",
                                               json_shape (leaf, n_steps (plan)), "bytes",
                                               (json_int_t) bytes));
    }
  return files;
}

/* null where the episodes or Ctrl-C end the run. */
static json_t *
json_estimate (const Plan *plan, double rate)
{
  double seconds = plan_estimate_seconds (plan, rate);

  return json_pack ("{s:o, s:f}", "seconds",
                    isfinite (seconds) ? json_real (seconds) : json_null (), "frames_per_second",
                    rate);
}

gboolean
collect_print_files_json (const Plan *plan, GError **error)
{
  g_autofree char *path =
      g_filename_display_name (plan->path); /* JSON is UTF-8, names need not be */
  json_t *names = json_array ();
  double rate = plan_measure_rate (plan, error);

  if (rate < 0)
    {
      json_decref (names);
      return FALSE;
    }

  for (guint i = 0; i < G_N_ELEMENTS (metadata); i++)
    json_array_append_new (names, json_string (metadata[i]));
  json_print (json_pack ("{s:s, s:I, s:I, s:o, s:o, s:o}", "path", path, "capacity",
                         (json_int_t) plan->capacity, "bytes", (json_int_t) plan_bytes (plan),
                         "files", json_files (plan), "metadata", names, "estimate",
                         json_estimate (plan, rate)));
  return TRUE;
}
