#include "plan.h"

#include "../common/free-memory.h"
#include "../common/option-file.h"
#include "../common/saved-batches.h"

#include <math.h>
#include <string.h>

#define MOST_WIDTH 65536

/* Pixels of an environment as networks see them: small, gray, the last four at once; bytes, so that
   a buffer contains many. */
#define PIXELS                                                                                     \
  "to-tensor-image:dtype=uint8,from-int=false,gray=true,w=60,h=90,interpolation=area"              \
  "|cat-frames:n=4,dim=-3,in-keys=pixels"

void
plan_clear (Plan *plan)
{
  g_clear_pointer (&plan->learner, learner_free);
  spaces_clear (&plan->spaces);
  plan_close_data (plan);
  g_clear_object (&plan->env);
  g_clear_object (&plan->eval_env);
  g_clear_pointer (&plan->path, g_free);
  g_clear_pointer (&plan->base_text, g_free);
  g_clear_pointer (&plan->env_text, g_free);
}

/* ---- environments ---- */

/* The environment that the first of the saved data was collected from. */
static char *
dup_recorded_env (const Plan *plan, GError **error)
{
  const char *directory = plan->options->data[0];
  gboolean unnamed = reel_checkpoint_is_ensemble (directory) || saved_batches_are_at (directory);
  g_autoptr (ReelReplayBuffer) buffer =
      unnamed ? NULL : reel_replay_buffer_open (directory, REEL_OPEN_READ_ONLY, error);
  g_autofree char *info = buffer ? reel_replay_buffer_dup_info (buffer, "env") : NULL;
  json_t *object = info ? json_loads (info, 0, NULL) : NULL;
  char *text = g_strdup (json_string_value (json_object_get (object, "text")));

  json_decref (object);
  if (!text && (buffer || unnamed))
    set_usage_error (error, "%s does not name its environment: name it by --env", directory);
  return text;
}

/* The environment, which shows pixels alone, behind the chain of the user. */
static char *
with_pixels (const char *text)
{
  g_autofree char *shown = reel_object_text_with_default (text, "from-pixels", "true");
  g_autofree char *alone = reel_object_text_with_default (shown, "pixels-only", "true");

  return g_strconcat (alone, "|" PIXELS, NULL);
}

static char *
dup_base_text (const Plan *plan, GError **error)
{
  const LearnOptions *options = plan->options;

  if (options->env || plan->class->source != LEARN_FROM_DATA)
    return g_strdup (options->env ? options->env : plan->class->env);
  return dup_recorded_env (plan, error);
}

static gboolean
plan_env_text (Plan *plan, GError **error)
{
  const char *chain = plan->options->transform;
  g_autofree char *seen = NULL;

  plan->base_text = dup_base_text (plan, error);
  if (!plan->base_text)
    return FALSE;
  seen = chain ? g_strconcat (plan->base_text, "|", chain, NULL) : g_strdup (plan->base_text);
  plan->env_text = plan->options->pixels ? with_pixels (seen) : g_steal_pointer (&seen);
  return TRUE;
}

static ReelEnv *
make_env (const char *text, const char *num_envs, gint64 seed, GError **error)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, seed);
  g_autofree char *some = reel_object_text_with_default (text, "num-envs", num_envs);
  g_autofree char *whole = reel_object_text_with_default (some, "seed", number);

  /* The record of a run is data, which start no programs. */
  reel_env_forbid_programs (option_file_is_record () && option_file_has ("env"));
  ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, whole, error, NULL);
  reel_env_forbid_programs (FALSE);
  return env;
}

/* Adds a transform to the chain of the evaluation, unless it changes rewards alone. */
static gboolean
add_to_evaluation (ReelCompose *chain, ReelTransform *transform, GError **error)
{
  const char *const *keys = reel_transform_get_out_keys (transform);
  gboolean rewards = keys && g_strv_contains (keys, "reward");
  g_autoptr (ReelTransform) same = NULL;

  if (rewards && !keys[1])
    return TRUE;
  if (!rewards)
    return (same = reel_transform_clone (transform, error))
           && reel_compose_append (chain, same, error);
  set_usage_error (error,
                   "cannot evaluate: %s changes the reward and other keys; name the others by "
                   "in-keys=[observation], or evaluate nothing by --eval-every 0",
                   reel_object_get_id (REEL_OBJECT (transform)));
  return FALSE;
}

/* Evaluations count the rewards of the environment, whatever is learned from. */
static gboolean
show_rewards (ReelEnv **env, GError **error)
{
  g_autoptr (ReelCompose) chain = reel_compose_new ();
  ReelTransformedEnv *old;
  ReelEnv *new;

  if (!REEL_IS_TRANSFORMED_ENV (*env))
    return TRUE;
  old = REEL_TRANSFORMED_ENV (*env);
  ReelCompose *whole = reel_transformed_env_get_transform (old);
  guint n = reel_compose_get_length (whole);
  for (guint i = 0; i < n; i++)
    if (!add_to_evaluation (chain, reel_compose_get (whole, (gint) i, NULL), error))
      return FALSE;
  if (reel_compose_get_length (chain) == n)
    return TRUE;
  new =
      reel_transformed_env_new (reel_transformed_env_get_base (old), REEL_TRANSFORM (chain), error);
  g_object_unref (old);
  *env = new;
  return new != NULL;
}

gint64
plan_get_eval_seed (const Plan *plan)
{
  return plan->seed + 1000000;
}

/* That of the evaluation has other first states than the one that is learned in. */
static gboolean
plan_envs (Plan *plan, GError **error)
{
  const LearnOptions *options = plan->options;
  g_autofree char *episodes = g_strdup_printf ("%" G_GINT64_FORMAT, plan->n_eval_episodes);
  const char *some = options->num_envs ? options->num_envs : plan->class->num_envs;
  const char *text;

  if (!plan_env_text (plan, error))
    return FALSE;
  text = plan->env_text;
  if (!(plan->env = make_env (text, some ? some : "1", plan->seed, error)))
    return FALSE;
  if (plan->eval_every > 0
      && (!(plan->eval_env = make_env (text, episodes, plan_get_eval_seed (plan), error))
          || !show_rewards (&plan->eval_env, error)))
    return FALSE;
  return spaces_init (&plan->spaces, plan->env, options->pixels, error);
}

/* ---- settings ---- */

/* The default of a setting. */
static double
find_initial (const Plan *plan, const Setting *setting)
{
  const PixelDefault *other = plan->options->pixels ? plan->class->of_pixels : NULL;

  for (; other && other->name; other++)
    if (strcmp (other->name, setting->name) == 0)
      return other->initial;
  return setting->initial;
}

static gboolean
read_setting (const Setting *setting, const char *text, double *value, GError **error)
{
  static const char *const words[] = { "false", "true" };
  gint64 number;

  if (!text)
    return TRUE;
  if (setting->kind == SETTING_INTEGER)
    {
      if (!options_parse_number (setting->name, text, (gint64) setting->low, (gint64) setting->high,
                                 0, &number, error))
        return FALSE;
      *value = (double) number;
      return TRUE;
    }
  if (setting->kind == SETTING_SWITCH)
    for (guint i = 0; i < 2; i++)
      if (strcmp (text, words[i]) == 0)
        {
          *value = i;
          return TRUE;
        }
  if (setting->kind == SETTING_SWITCH)
    set_usage_error (error, "--%s cannot be \"%s\": it must be true or false", setting->name, text);
  else if (options_parse_double (setting->name, text, 0, value, error))
    {
      if (*value >= setting->low && *value <= setting->high)
        return TRUE;
      set_usage_error (error, "--%s cannot be %s: it must be %g to %g", setting->name, text,
                       setting->low, setting->high);
    }
  return FALSE;
}

static gboolean
plan_settings (Plan *plan, GError **error)
{
  const Setting *settings = plan->class->settings;

  for (guint i = 0; settings[i].name; i++)
    {
      double *value = &plan->learner->values[i];

      *value = find_initial (plan, &settings[i]);
      if (!read_setting (&settings[i], plan->options->settings[i], value, error))
        return FALSE;
    }
  return TRUE;
}

/* `64,64`: the widths of the layers between. */
static gboolean
plan_network (Plan *plan, GError **error)
{
  const LearnOptions *options = plan->options;
  const char *activation = options->activation ? options->activation : plan->class->activation;
  g_auto (GStrv) widths =
      g_strsplit (options->hidden ? options->hidden : plan->class->hidden, ",", -1);
  Learner *learner = plan->learner;

  learner->n_hidden = g_strv_length (widths);
  if (learner->n_hidden < 1 || learner->n_hidden > LEARNER_MOST_LAYERS)
    {
      set_usage_error (error, "--hidden must have 1 to %d widths, as in 64,64",
                       LEARNER_MOST_LAYERS);
      return FALSE;
    }
  for (guint i = 0; widths[i]; i++)
    {
      gint64 width;

      if (!options_parse_number ("hidden", widths[i], 1, MOST_WIDTH, 0, &width, error))
        return FALSE;
      learner->widths[i] = (gint) width;
    }
  learner->activation = strcmp (activation, "tanh") == 0 ? ACTIVATION_TANH : ACTIVATION_RELU;
  if (learner->activation == ACTIVATION_TANH || strcmp (activation, "relu") == 0)
    return TRUE;
  set_usage_error (error, "--activation cannot be \"%s\": it must be relu or tanh", activation);
  return FALSE;
}

/* Memory that the widest learner takes, nearly: a dozen values of each row and layer, ten of each
 * parameter. */
static gboolean
check_memory (const Plan *plan, GError **error)
{
  const Learner *learner = plan->learner;
  const Spaces *spaces = &plan->spaces;
  gint64 before = spaces->n_inputs + spaces->n_actions;
  gint64 last = spaces->n_classes + 2 * spaces->n_actions;
  double rows = plan->class->count_rows ? (double) plan->class->count_rows (learner)
                                        : learner->values[BATCH_SIZE];
  double width = (double) (before + last), n_parameters = 0;

  if (plan->class->source == LEARN_FROM_ROLLOUTS)
    rows = MAX (rows, (double) plan->class->count_frames (learner));
  for (guint l = 0; l < learner->n_hidden; before = learner->widths[l++])
    {
      n_parameters += (double) before * learner->widths[l];
      width += learner->widths[l];
    }
  n_parameters += (double) before * (double) last;
  return free_memory_check ("the networks and their batches",
                            (gint64) MIN (48 * rows * width + 40 * n_parameters, 1e18), error);
}

static gboolean
plan_learner (Plan *plan, GError **error)
{
  guint32 seed[] = { (guint32) plan->seed, (guint32) ((guint64) plan->seed >> 32) };

  plan->learner = learner_new (plan->class, &plan->spaces, error);
  if (!plan->learner)
    return FALSE;
  plan->learner->seed = (guint64) plan->seed;
  plan->learner->n_lanes = reel_env_get_num_envs (plan->env);
  reel_pcg64_seed (&plan->learner->random, seed, seed[1] != 0 ? 2 : 1);
  return plan_settings (plan, error) && plan_network (plan, error) && check_memory (plan, error)
         && plan->class->begin (plan->learner, error);
}

/* ---- numbers ---- */

static gboolean
plan_numbers (Plan *plan, GError **error)
{
  const LearnOptions *options = plan->options;
  const gint64 most = G_MAXINT64 / 4;
  const char *total = plan->class->source == LEARN_FROM_DATA ? "max-updates" : "frames";

  return options_parse_number (total, options->total ? options->total : plan->class->total, 1, most,
                               0, &plan->total, error)
         && options_parse_number ("seed", options->seed, 0, most, 0, &plan->seed, error)
         && options_parse_number ("threads", options->threads, 0, 65536, 0, &plan->threads, error)
         && options_parse_number ("eval-every", options->eval_every, 0, most,
                                  MAX (plan->total / 20, 1), &plan->eval_every, error)
         && options_parse_number ("eval-episodes", options->eval_episodes, 1, 1000000, 20,
                                  &plan->n_eval_episodes, error)
         && options_parse_number ("log-every", options->log_every, 1, most,
                                  MAX (plan->total / 200, 1), &plan->log_every, error)
         && options_parse_number ("checkpoint-every", options->checkpoint_every, 0, most, 0,
                                  &plan->checkpoint_every, error)
         && options_parse_double ("stop-at", options->stop_at, 0, &plan->stop_at, error);
}

/* The configuration, which is JSON, has the names. */
static gboolean
check_names (char **data, GError **error)
{
  for (; data && *data; data++)
    if (!g_utf8_validate (*data, -1, NULL))
      {
        set_usage_error (error, "cannot use --data %s: its name is not in UTF-8", *data);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_options (Plan *plan, GError **error)
{
  const LearnOptions *options = plan->options;

  if (!options->stop_at)
    plan->stop_at = INFINITY;
  else if (plan->eval_every == 0)
    {
      set_usage_error (error, "--stop-at needs evaluations: --eval-every cannot be 0");
      return FALSE;
    }
  if (options->video_format && !options->videos)
    set_usage_error (error, "--video-format is for --videos");
  else if (options->videos && plan->eval_every == 0)
    set_usage_error (error, "--videos needs evaluations: --eval-every cannot be 0");
  else if (plan->class->source == LEARN_FROM_DATA && !options->data)
    set_usage_error (error, "%s learns from saved data: name a directory by --data",
                     plan->class->name);
  else if (options->weights && g_strv_length (options->data) < 2)
    set_usage_error (error, "--weights needs several --data, a weight for each");
  else
    return check_names (options->data, error)
           && (!options->videos
               || video_format_choose (options->video_format, &plan->videos, error));
  return FALSE;
}

/* runs/CartPole-v1__dqn__0__20261120-203000, with a counter where that exists already. */
static char *
name_run (const Plan *plan)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%Y%m%d-%H%M%S");
  g_autofree char *name = g_strdup_printf ("%s__%s__%" G_GINT64_FORMAT "__%s",
                                           reel_object_get_id (REEL_OBJECT (plan->env)),
                                           plan->class->name, plan->seed, time);
  char *path = g_build_filename ("runs", name, NULL);

  for (guint i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_free (path);
      path = g_strdup_printf ("runs/%s-%u", name, i);
    }
  return path;
}

static gboolean
check_out (const Plan *plan, GError **error)
{
  if (*plan->path && !g_file_test (plan->path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (!*plan->path)
    set_usage_error (error, "--out is empty: it must be the name of a directory");
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s exists; choose another --out",
                 plan->path);
  return FALSE;
}

static gboolean
plan_path (Plan *plan, GError **error)
{
  const LearnOptions *options = plan->options;
  gsize length;

  plan->path = g_strdup (options->resume ? options->resume : options->out);
  if (!plan->path)
    plan->path = name_run (plan);
  for (length = strlen (plan->path); length > 1 && plan->path[length - 1] == G_DIR_SEPARATOR;)
    plan->path[--length] = '\0';
  return options->resume ? plan_check_resumed (plan, error) : check_out (plan, error);
}

gboolean
plan_init (Plan *plan, const LearnerClass *class, const LearnOptions *options, GError **error)
{
  plan->class = class;
  plan->options = options;
  return plan_numbers (plan, error) && check_options (plan, error) && plan_envs (plan, error)
         && plan_learner (plan, error) && plan_path (plan, error);
}

json_t *
plan_describe (const Plan *plan)
{
  const Setting *settings = plan->class->settings;
  g_autofree char *env = reel_object_to_text (REEL_OBJECT (plan->env));
  json_t *values = json_object (), *widths = json_array ();

  for (guint i = 0; settings[i].name; i++)
    {
      double value = plan->learner->values[i];

      json_object_set_new (values, settings[i].name,
                           settings[i].kind == SETTING_SWITCH    ? json_boolean (value != 0)
                           : settings[i].kind == SETTING_INTEGER ? json_integer ((gint64) value)
                                                                 : json_real (value));
    }
  for (guint i = 0; i < plan->learner->n_hidden; i++)
    json_array_append_new (widths, json_integer (plan->learner->widths[i]));
  return json_pack ("{s:s, s:s, s:s, s:I, s:I, s:s, s:o, s:s, s:o, s:o}", "program",
                    option_file_program, "learner", plan->class->name, "env", env, "seed",
                    (json_int_t) plan->seed, "total", (json_int_t) plan->total, "unit",
                    plan->class->source == LEARN_FROM_DATA ? "updates" : "frames", "hidden", widths,
                    "activation", plan->learner->activation == ACTIVATION_TANH ? "tanh" : "relu",
                    "settings", values, OPTION_FILE_RECORD, plan_list_options (plan));
}
