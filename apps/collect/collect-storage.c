/* The storage of a run: files from the start, or memory that is saved. */
#include "collect.h"

#include <string.h>

const char *const collect_storages[] = { "memmap",      "LazyMemmapStorage", "tensor", "records",
                                         "lazy-tensor", "LazyTensorStorage", NULL };

/* Values that follow from the options and the env. */
static gboolean
check_text (const char *text, GError **error)
{
  if (text_says (text, "capacity") || text_says (text, "max[-_]size"))
    set_usage_error (error, "--storage %s: say --capacity", text);
  else if (text_says (text, "ndim"))
    set_usage_error (error, "--storage %s: say --ndim", text);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_id (const char *text, const char *id, GError **error)
{
  const char *closest = reel_closest_word (id, collect_storages);

  if (g_strv_contains (collect_storages, id))
    return TRUE;
  set_usage_error (error,
                   "--storage cannot be \"%s\": rows are collected into memmap, tensor or "
                   "records%s%s%s",
                   text, closest ? "; did you mean " : "", closest ? closest : "",
                   closest ? "?" : "");
  return FALSE;
}

/* A storage in memory may have properties of its own; the files of a run have their place. */
static gboolean
check_rows (const Plan *plan, const char *text, GError **error)
{
  if (plan->memmap && strchr (text, ':'))
    set_usage_error (
        error, "--storage %s: files of a run take no arguments but --capacity and --out", text);
  else if (plan->memmap && plan->ndim_is_given)
    set_usage_error (error,
                     "--ndim %" G_GINT64_FORMAT ": files of a run have ndim %" G_GINT64_FORMAT
                     " with so many environments; --storage tensor may have another",
                     plan->ndim, 3 - plan->ndim);
  else if (plan->memmap && plan->rows != ROWS_STEPS)
    set_usage_error (error,
                     "--storage %s keeps steps as the environment is stepped: trajectories and "
                     "processed rows need one in memory, such as tensor",
                     text);
  else if (plan->rows == ROWS_LONG && !plan->options->capacity)
    set_usage_error (error, "%s needs --capacity, the number of rows to keep: each is %s",
                     plan->ndim_is_given ? "--ndim" : "--split-trajs",
                     plan->ndim_is_given ? "the part of an environment in a batch"
                                         : "a whole trajectory");
  else
    return TRUE;
  return FALSE;
}

/* Where the storage has another number of dimensions than steps of all environments, each of these
   adds one row for a batch. */
static gboolean
choose_ndim (Plan *plan, GError **error)
{
  gint64 usual = plan->n_lanes > 1 && plan->rows < ROWS_SORTED ? 2 : 1;

  if (!options_parse_number ("ndim", plan->options->ndim, 1, 2, usual, &plan->ndim, error))
    return FALSE;
  plan->ndim_is_given = plan->ndim != usual && plan->rows < ROWS_SORTED;
  if (plan->ndim_is_given)
    plan->rows = ROWS_LONG;
  return TRUE;
}

gboolean
plan_storage (Plan *plan, GError **error)
{
  const char *text = plan->options->storage;
  g_autoptr (GError) fault = NULL;

  plan->rows = collector_get_rows (plan);
  text = text ? text : plan->rows == ROWS_STEPS ? "memmap" : "tensor";
  g_autofree char *id = g_strndup (text, strcspn (text, ":"));
  plan->memmap = strcmp (id, "memmap") == 0 || strcmp (id, "LazyMemmapStorage") == 0;
  plan->storage = plan->memmap ? "memmap" : text;
  if (!check_id (text, id, error) || !choose_ndim (plan, error))
    return FALSE;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, &fault, NULL);
  if (!storage)
    set_usage_error (error, "--storage: %s", fault->message);
  return storage && check_text (text, error) && check_rows (plan, text, error);
}
