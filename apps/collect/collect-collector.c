/* The collector of a run: --collector, and the options that are properties of it. */
#include "collect-ranks.h"

#include <string.h>

/* Properties that are options, as far as a collector has them, by the same name where there is no
   option of its own. The class describes them. NULL in the place of a value makes a switch. */
static struct
{
  const char *name;
  const char *value;
  const char *option;
  gboolean of_workers;
  char *given;
  char *about;
} properties[] = {
  { .name = "workers", "N", .of_workers = TRUE },
  { .name = "kind", "KIND", .option = "worker-kind", .of_workers = TRUE },
  { .name = "max-frames-per-traj", "N" },
  { .name = "init-random-frames", "N" },
  { .name = "exploration-type", "TYPE" },
  { .name = "reset-at-each-iter" },
  { .name = "set-truncated" },
  { .name = "split-trajs" },
  { .name = "trajs-per-batch", "N" },
  { .name = "trajs-per-write", "N" },
  { .name = "postproc", "CHAIN" },
};

static const char *
option_of (gsize property)
{
  return properties[property].option ? properties[property].option : properties[property].name;
}

/* Properties that follow from other options. */
static const char *const others[][2] = {
  { "frames-per-batch", "--frames-per-batch" },
  { "total-frames", "--frames" },
  { "total-episodes", "--episodes" },
  { "threads", "--threads" },
  { "resume", "--resume" },
  { "list-episodes", "--log" },
};

/* ---- options ---- */

static ReelPropertyInfo *
find_info (const GPtrArray *infos, const char *name)
{
  for (guint i = 0; i < infos->len; i++)
    {
      ReelPropertyInfo *info = infos->pdata[i];

      if (strcmp (info->name, name) == 0)
        return info;
    }
  return NULL;
}

/* The description of the property by the first class that has it, or NULL. */
static char *
find_about (const char *name)
{
  gsize n;
  g_autofree const ReelId **ids = reel_object_list_ids (REEL_TYPE_COLLECTOR, &n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GPtrArray) infos =
          reel_object_list_properties (REEL_TYPE_COLLECTOR, ids[i]->id, NULL);
      const ReelPropertyInfo *info = find_info (infos, name);

      if (info)
        return g_strdup (info->blurb);
    }
  return NULL;
}

void
collector_add_options (GArray *entries)
{
  for (gsize i = 0; i < G_N_ELEMENTS (properties); i++)
    {
      properties[i].about = find_about (properties[i].name);
      const GOptionEntry entry = {
        option_of (i),      0, 0, G_OPTION_ARG_STRING, &properties[i].given, properties[i].about,
        properties[i].value
      };

      if (entry.description)
        g_array_append_val (entries, entry);
    }
}

const char *
collector_get_given (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (properties); i++)
    if (properties[i].given)
      return option_of (i);
  return NULL;
}

/* ---- the text of the collector ---- */

static ReelCollector *
make (const char *text, const char *name, const char *value, GError **error)
{
  return reel_object_new_from_text (REEL_TYPE_COLLECTOR, text, error, name, value, NULL);
}

/* Puts a property into the text. */
static gboolean
set_property (char **text, const char *name, const char *value, GError **error)
{
  g_autoptr (ReelCollector) collector = make (*text, name, value, error);

  if (!collector)
    return FALSE;
  g_free (*text);
  *text = reel_object_to_text (REEL_OBJECT (collector));
  return TRUE;
}

static gboolean
set_number (char **text, const char *name, gint64 value, GError **error)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  return set_property (text, name, number, error);
}

gboolean
text_says (const char *text, const char *name)
{
  g_autofree char *pattern = g_strdup_printf ("[:,]%s=", name);

  return g_regex_match_simple (pattern, text, 0, 0);
}

static gboolean
check_text (const char *text, GError **error)
{
  g_autoptr (ReelCollector) collector = make (text, NULL, NULL, error);

  if (!collector)
    {
      g_prefix_error (error, "--collector: ");
      return FALSE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (text_says (text, others[i][0]))
      {
        set_usage_error (error, "--collector %s: say %s in the place of %s", text, others[i][1],
                         others[i][0]);
        return FALSE;
      }
  return TRUE;
}

/* The one that has workers, where those are asked for. */
static const char *
default_collector (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (properties); i++)
    if (properties[i].given && properties[i].of_workers)
      return "multi-sync";
  return "sync";
}

/* Whether a property is a flag that is on, a number that is not 0, or an object. */
static gboolean
is_set (ReelCollector *collector, const char *name)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (collector);
  GParamSpec *property = g_object_class_find_property (klass, name);
  g_auto (GValue) value = G_VALUE_INIT;

  if (!property)
    return FALSE;
  g_object_get_property (G_OBJECT (collector), name, &value);
  return !g_param_value_defaults (property, &value);
}

/* check_trajectories: that no option of them has no effect. */
static gboolean
check_trajectories (const Plan *plan, GError **error)
{
  g_autoptr (ReelCollector) collector = make (plan->collector, NULL, NULL, NULL);
  gboolean puts_together = is_set (collector, "trajs-per-batch");

  if (is_set (collector, "trajs-per-write") && !puts_together)
    set_usage_error (error, "--trajs-per-write is the number of whole trajectories that are stored "
                            "at once: it needs --trajs-per-batch");
  else if (is_set (collector, "split-trajs") && puts_together)
    set_usage_error (error, "cannot use both --split-trajs and --trajs-per-batch: one stores the "
                            "trajectories of each batch, cut at its end, as rows, the other the "
                            "steps of whole ones");
  else
    return TRUE;
  return FALSE;
}

/* A message about the property becomes one about its option. */
static void
name_option (gsize i, const GError *failure, GError **error)
{
  const char *message = failure->message, *rest = message + strlen (properties[i].name);
  gboolean begins =
      g_str_has_prefix (message, properties[i].name) && (*rest == ' ' || *rest == ':');

  g_set_error (error, failure->domain, failure->code, "--%s%s%s", option_of (i), begins ? "" : ": ",
               begins ? rest : message);
}

gboolean
plan_collector (Plan *plan, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *ranks = collect_ranks_text (plan->options);
  const char *text = plan->options->collector ? plan->options->collector
                     : ranks                  ? ranks
                                              : default_collector ();

  if (!check_text (text, error))
    return FALSE;
  plan->collector = g_strdup (text);
  for (gsize i = 0; i < G_N_ELEMENTS (properties); i++)
    if (properties[i].given
        && !set_property (&plan->collector, properties[i].name, properties[i].given, &failure))
      {
        name_option (i, failure, error);
        return FALSE;
      }
  if (plan->all_envs > 0
      && (!set_number (&plan->collector, "first-lane", plan->first_env, error)
          || !set_number (&plan->collector, "all-lanes", plan->all_envs, error)))
    return FALSE;
  return check_trajectories (plan, error);
}

gint64
collector_get_number (const Plan *plan, const char *name)
{
  g_autoptr (ReelCollector) collector = make (plan->collector, NULL, NULL, NULL);
  gint64 value = 0;

  if (collector && g_object_class_find_property (G_OBJECT_GET_CLASS (collector), name))
    g_object_get (collector, name, &value, NULL);
  return value;
}

gboolean
collector_splits (const Plan *plan)
{
  g_autoptr (ReelCollector) collector = make (plan->collector, NULL, NULL, NULL);

  return is_set (collector, "split-trajs");
}

CollectRows
collector_get_rows (const Plan *plan)
{
  g_autoptr (ReelCollector) collector = make (plan->collector, NULL, NULL, NULL);

  if (is_set (collector, "split-trajs"))
    return ROWS_LONG;
  if (is_set (collector, "trajs-per-batch"))
    return ROWS_SORTED;
  return is_set (collector, "postproc") ? ROWS_PROCESSED : ROWS_STEPS;
}

gboolean
collector_decides_by_batch (const Plan *plan)
{
  static const char *const names[] = { "init-random-frames", "reset-at-each-iter",
                                       "set-truncated" };
  g_autoptr (ReelCollector) collector = make (plan->collector, NULL, NULL, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (is_set (collector, names[i]))
      return TRUE;
  return FALSE;
}

gboolean
plan_check_episodes (const Plan *plan, GError **error)
{
  g_autoptr (ReelCollector) collector = make (plan->collector, NULL, NULL, NULL);

  if (plan->episodes == 0
      || g_object_class_find_property (G_OBJECT_GET_CLASS (collector), "total-episodes"))
    return TRUE;
  set_usage_error (error,
                   "cannot use --episodes with the collector %s: it cannot end after a step of all "
                   "environments, for its workers or ranks do not know of each other's episodes; "
                   "use sync or multi-sync in one process, or --frames or --max-time",
                   plan->collector);
  return FALSE;
}

gboolean
plan_layout (Plan *plan, GError **error)
{
  g_autofree char *text = g_strdup (plan->collector);

  if (set_number (&text, "max-frames-per-traj", 0, error)) /* a transform of the env by now */
    plan->layout = reel_collector_make_step (text, plan->env, plan->policy, error);
  if (!plan->layout)
    return FALSE;

  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (plan->layout, &ndim);

  plan->n_lanes = ndim > 0 ? size[0] : 1;
  return TRUE;
}

gint64
plan_least_rows (const Plan *plan)
{
  gint64 n_workers = plan->n_envs / plan->n_lanes;

  return n_workers == 1 ? plan->n_envs : 2 * n_workers * plan->frames_per_batch;
}

gint64
collector_get_limit (const Plan *plan)
{
  return MAX (collector_get_number (plan, "max-frames-per-traj"), 0);
}

gint64
plan_rows_of_episodes (const Plan *plan)
{
  gint64 longest, limit = collector_get_limit (plan);
  gint64 each = collect_round_up (plan->episodes, plan->n_envs) / plan->n_envs;

  g_object_get (plan->env, "max-episode-steps", &longest, NULL);
  if (limit > 0 && (longest == 0 || limit < longest))
    longest = limit;
  if (plan->episodes == 0 || longest == 0 || longest > COLLECT_MOST_ROWS / plan->n_envs / each)
    return COLLECT_MOST_ROWS;
  return (longest * each + 1) * plan->n_envs;
}

/* The limit of episodes is a transform of the env, so that what is stored has its column. */
gboolean
plan_limit_episodes (Plan *plan, GError **error)
{
  gint64 most = collector_get_limit (plan);
  g_autofree char *text = g_strdup_printf ("step-counter:max-steps=%" G_GINT64_FORMAT, most);
  g_autoptr (ReelTransform) counter = NULL;

  if (most == 0)
    return TRUE;
  if (reel_spec_contains (reel_env_get_observation_spec (plan->env), "step_count"))
    {
      set_usage_error (error,
                       "--max-frames-per-traj counts at \"step_count\", which the environment "
                       "has already: give its step-counter max-steps");
      return FALSE;
    }
  counter = reel_object_new_from_text (REEL_TYPE_TRANSFORM, text, error, NULL);
  ReelEnv *env = counter ? reel_transformed_env_new (plan->env, counter, error) : NULL;
  if (!env)
    return FALSE;
  g_object_unref (plan->env);
  plan->env = env;
  return TRUE;
}

/* Tries it with a small buffer, so that nothing is made for one that is refused. */
gboolean
plan_try_collector (const Plan *plan, GError **error)
{
  g_autofree char *text = plan_dup_collector (plan, error);
  g_autofree char *memory =
      g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=%" G_GINT64_FORMAT ",shared=true",
                       MIN (plan->capacity, plan_least_rows (plan)), plan->ndim);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new_from_text (memory, NULL, 0, error);
  g_autoptr (ReelCollector) collector =
      text && buffer ? reel_collector_new (text, plan->env, plan->policy, buffer, error) : NULL;

  return collector != NULL;
}

char *
plan_dup_collector (const Plan *plan, GError **error)
{
  g_autofree char *text = g_strdup (plan->collector);

  if (!set_number (&text, "frames-per-batch", plan->frames_per_batch, error)
      || !set_number (&text, "total-frames", plan->frames, error)
      || !set_number (&text, "threads", plan->threads, error)
      || (plan->episodes > 0 && !set_number (&text, "total-episodes", plan->episodes, error))
      || !set_property (&text, "resume", plan->options->resume ? "true" : "false", error)
      || !set_property (&text, "list-episodes", plan->options->log ? "true" : "false", error)
      || (collector_get_limit (plan) > 0 && !set_number (&text, "max-frames-per-traj", 0, error)))
    return NULL;
  return g_steal_pointer (&text);
}
