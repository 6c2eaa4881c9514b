/* The environments that Gymnasium and Reel both have. Facts: gymnasium/envs/__init__.py, 1.4. */
#include "gymnasium-specs.h"

#include "../core/formats/json.h"
#include "../core/object/number.h"
#include "../core/object/text.h"

#include <string.h>

#define CLASSIC "gymnasium.envs.classic_control."
#define MUJOCO "gymnasium.envs.mujoco."

/* An environment; of MuJoCo the module ends in the version, and lacks it here. */
typedef struct
{
  const char *name; /* without the version */
  const char *module;
  const char *class;
  double threshold; /* 0 for none, but of those that are marked */
  gint64 most_steps;
  const char *const *arguments; /* of the constructor */
} Entry;

static const char *const none[] = { NULL };
static const char *const of_cartpole[] = { "sutton-barto-reward", NULL };
static const char *const of_pendulum[] = { "g", NULL };
static const char *const of_mountain_car[] = { "goal-velocity", NULL };
static const char *const of_mujoco[] = { "forward-reward-weight",
                                         "ctrl-cost-weight",
                                         "contact-cost-weight",
                                         "healthy-reward",
                                         "reset-noise-scale",
                                         "terminate-when-unhealthy",
                                         "exclude-current-positions-from-observation",
                                         "include-cfrc-ext-in-observation",
                                         "healthy-z-range",
                                         "healthy-angle-range",
                                         "healthy-state-range",
                                         "contact-force-range",
                                         "contact-cost-range",
                                         "impact-cost-weight",
                                         "impact-cost-range",
                                         "uph-cost-weight",
                                         "reward-dist-weight",
                                         "reward-control-weight",
                                         NULL };

static const Entry entries[] = {
  { "CartPole", CLASSIC "cartpole", "CartPoleEnv", 475, 500, of_cartpole },
  { "Acrobot", CLASSIC "acrobot", "AcrobotEnv", -100, 500, none },
  { "MountainCar", CLASSIC "mountain_car", "MountainCarEnv", -110, 200, of_mountain_car },
  { "MountainCarContinuous", CLASSIC "continuous_mountain_car", "Continuous_MountainCarEnv", 90,
    999, of_mountain_car },
  { "Pendulum", CLASSIC "pendulum", "PendulumEnv", 0, 200, of_pendulum },
  { "Ant", MUJOCO "ant", "AntEnv", 6000, 1000, of_mujoco },
  { "HalfCheetah", MUJOCO "half_cheetah", "HalfCheetahEnv", 4800, 1000, of_mujoco },
  { "Hopper", MUJOCO "hopper", "HopperEnv", 3800, 1000, of_mujoco },
  { "Humanoid", MUJOCO "humanoid", "HumanoidEnv", 0, 1000, of_mujoco },
  { "HumanoidStandup", MUJOCO "humanoidstandup", "HumanoidStandupEnv", 0, 1000, of_mujoco },
  { "InvertedDoublePendulum", MUJOCO "inverted_double_pendulum", "InvertedDoublePendulumEnv", 9100,
    1000, of_mujoco },
  { "InvertedPendulum", MUJOCO "inverted_pendulum", "InvertedPendulumEnv", 950, 1000, of_mujoco },
  { "Pusher", MUJOCO "pusher", "PusherEnv", 0, 100, of_mujoco },
  { "Reacher", MUJOCO "reacher", "ReacherEnv", -3.75, 50, of_mujoco },
  { "Swimmer", MUJOCO "swimmer", "SwimmerEnv", 360, 1000, of_mujoco },
  { "Walker2d", MUJOCO "walker2d", "Walker2dEnv", 0, 1000, of_mujoco },
};

/* ---- which one ---- */

/* @version: `v5` of `Hopper-v5`. */
static const Entry *
find_entry (const char *id, const char **version)
{
  const char *dash = g_strrstr (id, "-v");

  *version = dash ? dash + 1 : NULL;
  for (gsize i = 0; dash && i < G_N_ELEMENTS (entries); i++)
    if (strncmp (entries[i].name, id, (gsize) (dash - id)) == 0
        && entries[i].name[dash - id] == '\0')
      return &entries[i];
  return NULL;
}

static gboolean
is_of_mujoco (const Entry *self)
{
  return g_str_has_prefix (self->module, MUJOCO);
}

/* ---- arguments ---- */

static json_t *
parse_value (const char *text)
{
  g_autofree char *inner = reel_text_unwrap (text, '[', ']');
  g_auto (GStrv) parts = inner ? reel_text_split (inner, ',', NULL) : NULL;
  json_t *list = inner ? json_array () : NULL;
  double value;

  if (g_str_equal (text, "true") || g_str_equal (text, "false"))
    return json_boolean (*text == 't');
  if (!inner)
    return reel_parse_double (text, &value) ? json_real (value) : NULL; /* NULL for infinities */
  for (gsize i = 0; parts && parts[i]; i++)
    if (json_array_append_new (list, parse_value (parts[i])) != 0)
      {
        json_decref (list);
        return NULL;
      }
  return list;
}

/* Older environments of MuJoCo take other arguments, each in a way of its own. */
static gboolean
takes (const Entry *self, const char *version, const char *name)
{
  return g_strv_contains (self->arguments, name)
         && !(is_of_mujoco (self) && g_str_equal (version, "v4"));
}

/* Says how the lanes are simulated, and not what they are. */
static gboolean
is_of_lanes (const char *name)
{
  static const char *const names[] = { "num-envs", "seed", "action-encoding", "math", NULL };

  return g_strv_contains (names, name);
}

/* Takes an argument of the text; FALSE where Gymnasium has no such thing. */
static gboolean
take_argument (const Entry *self, const char *version, const char *name, const char *value,
               json_t *kwargs, gint64 *most_steps)
{
  g_autofree char *key = g_strdelimit (g_strdup (name), "-", '_');

  if (is_of_lanes (name))
    return TRUE;
  if (g_str_equal (name, "max-episode-steps"))
    {
      *most_steps = g_ascii_strtoll (value, NULL, 10);
      return TRUE;
    }
  return takes (self, version, name) && json_object_set_new (kwargs, key, parse_value (value)) == 0;
}

static gboolean
take_arguments (const Entry *self, const char *version, const char *text, json_t *kwargs,
                gint64 *most_steps, char **why)
{
  g_auto (GStrv) arguments = reel_text_split (text, ',', NULL);

  for (gsize i = 0; arguments && arguments[i]; i++)
    {
      g_autofree char *value = NULL, *name = reel_text_cut (arguments[i], '=', &value);

      if (value && take_argument (self, version, name, value, kwargs, most_steps))
        continue;
      *why = g_strdup_printf ("Gymnasium's has no %s", arguments[i]);
      return FALSE;
    }
  return arguments != NULL;
}

/* ---- JSON ---- */

static json_t *
find_threshold (const Entry *self, const char *id)
{
  if (g_str_equal (id, "CartPole-v0"))
    return json_real (195);
  return self->threshold != 0 || g_str_equal (self->name, "Pusher") ? json_real (self->threshold)
                                                                    : json_null ();
}

static json_t *
find_vector_class (const Entry *self)
{
  return g_str_equal (self->name, "CartPole") ? json_string (CLASSIC "cartpole:CartPoleVectorEnv")
                                              : json_null ();
}

/* Takes @kwargs. */
static char *
describe (const Entry *self, const char *id, const char *version, gint64 most_steps, json_t *kwargs)
{
  g_autofree char *entry = is_of_mujoco (self)
                               ? g_strdup_printf ("%s_%s:%s", self->module, version, self->class)
                               : g_strdup_printf ("%s:%s", self->module, self->class);
  g_autoptr (json_t) spec =
      json_pack ("{s:s, s:s, s:o, s:b, s:o, s:b, s:b, s:o, s:[], s:o}", "id", id, "entry_point",
                 entry, "reward_threshold", find_threshold (self, id), "nondeterministic", FALSE,
                 "max_episode_steps", most_steps > 0 ? json_integer (most_steps) : json_null (),
                 "order_enforce", TRUE, "disable_env_checker", FALSE, "kwargs", kwargs,
                 "additional_wrappers", "vector_entry_point", find_vector_class (self));

  return reel_json_to_string (spec, REEL_JSON_SPACED);
}

char *
reel_gymnasium_spec_new (const char *text, char **why)
{
  g_autofree char *arguments = NULL, *id = reel_text_cut (text, ':', &arguments);
  const char *version;
  const Entry *entry = find_entry (id, &version);
  gint64 most_steps = entry ? entry->most_steps : 0;
  json_t *kwargs;

  *why = NULL;
  if (strchr (text, '|'))
    *why = g_strdup ("transforms change what it shows");
  else if (!entry)
    *why = g_strdup_printf ("Gymnasium has no \"%s\"", id);
  if (*why)
    return NULL;
  if (g_str_equal (id, "CartPole-v0"))
    most_steps = 200;
  kwargs = json_object ();
  if (!arguments || take_arguments (entry, version, arguments, kwargs, &most_steps, why))
    return describe (entry, id, version, most_steps, kwargs);
  json_decref (kwargs);
  return NULL;
}
