#include "mujoco-arguments.h"

#include "mujoco-painter.h"

#include <float.h>

/* One that several tasks take. */
typedef struct
{
  const char *name;
  gsize offset;
  const char *blurb;
} Argument;

#define OFFSET(field) G_STRUCT_OFFSET (ReelMujocoArguments, field)

static const Argument weights[] = {
  { "forward-reward-weight", OFFSET (forward_reward_weight), "of the speed ahead in the reward" },
  { "ctrl-cost-weight", OFFSET (ctrl_cost_weight), "of the squares of the action in the cost" },
  { "contact-cost-weight", OFFSET (contact_cost_weight),
    "of the squares of the forces of contact" },
  { "impact-cost-weight", OFFSET (contact_cost_weight), "of the squares of the forces of contact" },
  { "healthy-reward", OFFSET (healthy_reward), "of a step after which the lane is healthy" },
  { "reset-noise-scale", OFFSET (reset_noise_scale),
    "of the noise that is added to the first state" },
};

static const Argument flags[] = {
  { "terminate-when-unhealthy", OFFSET (terminate_when_unhealthy),
    "whether an episode ends where the lane is unhealthy" },
  { "exclude-current-positions-from-observation", OFFSET (exclude_positions),
    "leave out where the body is on the ground" },
  { "include-cinert-in-observation", OFFSET (include_cinert), "inertia of each body" },
  { "include-cvel-in-observation", OFFSET (include_cvel), "velocity of each body" },
  { "include-qfrc-actuator-in-observation", OFFSET (include_qfrc_actuator),
    "force of the actuators at each joint" },
  { "include-cfrc-ext-in-observation", OFFSET (include_cfrc_ext), "forces of contact" },
};

static const Argument ranges[] = {
  { "healthy-state-range", OFFSET (healthy_state_range),
    "outside of which any element of the state but the first two is unhealthy" },
  { "healthy-z-range", OFFSET (healthy_z_range), "outside of which the height is unhealthy" },
  { "healthy-angle-range", OFFSET (healthy_angle_range),
    "outside of which the pitch is unhealthy" },
  { "contact-force-range", OFFSET (contact_range), "to which forces of contact are clipped" },
  { "contact-cost-range", OFFSET (contact_range), "to which the cost of contact is clipped" },
  { "impact-cost-range", OFFSET (contact_range), "to which the cost of impact is clipped" },
};

/* ---- of all ---- */

void
reel_mujoco_env_class_add_common (ReelMujocoEnvClass *klass)
{
  static const char *const qualities[] = { "full", "fast", NULL };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  const gsize at = klass->arguments;

  reel_object_class_add_int64 (object_class, "frame-skip", at + OFFSET (frame_skip), 1, G_MAXINT32,
                               1, "steps of MuJoCo", "in a step of the environment",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_path (object_class, "xml-file", at + OFFSET (xml_file), NULL,
                              "a model in MuJoCo's XML, in the place of the one that a task brings",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "old-margins", at + OFFSET (old_margins), FALSE,
                              "contacts as before MuJoCo 3.5 on newer ones: margins are halved",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_string (
      object_class, "camera", at + OFFSET (camera), NULL,
      "of pictures: name or number of one of the model's, such as track; follow, which follows the "
      "first body; -1, the default, is free and is placed as Gymnasium's",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      object_class, "quality", at + OFFSET (quality), qualities, REEL_MUJOCO_FULL,
      "of pictures: full, as Gymnasium's; fast, without shadows, reflections and smooth edges",
      REEL_PROPERTY_CONSTRUCT_ONLY);
}

void
reel_mujoco_env_class_add_rules (ReelMujocoEnvClass *klass)
{
  static const char *const rules[] = { "v4", "v5", NULL };

  reel_object_class_add_enum (
      REEL_OBJECT_CLASS (klass), "rules", klass->arguments + OFFSET (rules), rules, REEL_MUJOCO_V5,
      "rewards and observations: Gymnasium's -v4 or -v5", REEL_PROPERTY_CONSTRUCT_ONLY);
}

/* ---- of several ---- */

static const Argument *
find_argument (const Argument *arguments, gsize n, const char *name)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (arguments[i].name, name))
      return &arguments[i];
  g_return_val_if_reached (NULL);
}

void
reel_mujoco_env_class_add_weight (ReelMujocoEnvClass *klass, const char *name, double initial)
{
  const Argument *found = find_argument (weights, G_N_ELEMENTS (weights), name);
  gboolean is_scale = g_str_equal (name, "reset-noise-scale");

  reel_object_class_add_double (REEL_OBJECT_CLASS (klass), name, klass->arguments + found->offset,
                                is_scale ? 0 : -DBL_MAX, DBL_MAX, initial, NULL, found->blurb,
                                REEL_PROPERTY_CONSTRUCT_ONLY);
}

void
reel_mujoco_env_class_add_flag (ReelMujocoEnvClass *klass, const char *name)
{
  const Argument *found = find_argument (flags, G_N_ELEMENTS (flags), name);

  reel_object_class_add_bool (REEL_OBJECT_CLASS (klass), name, klass->arguments + found->offset,
                              TRUE, found->blurb, REEL_PROPERTY_CONSTRUCT_ONLY);
}

void
reel_mujoco_env_class_add_body (ReelMujocoEnvClass *klass)
{
  /* All but the first, which is about health. */
  for (gsize i = 1; i < G_N_ELEMENTS (flags); i++)
    reel_mujoco_env_class_add_flag (klass, flags[i].name);
}

void
reel_mujoco_env_class_add_range (ReelMujocoEnvClass *klass, const char *name)
{
  const Argument *found = find_argument (ranges, G_N_ELEMENTS (ranges), name);

  reel_object_class_add_list (REEL_OBJECT_CLASS (klass), name, klass->arguments + found->offset,
                              found->blurb, REEL_PROPERTY_CONSTRUCT_ONLY);
}

static gboolean
check_range (const GArray *range, const char *name, GError **error)
{
  if (range != NULL && range->len == 2
      && g_array_index (range, double, 0) <= g_array_index (range, double, 1))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s must be two numbers, the lower one first, such as [0.2,1]", name);
  return FALSE;
}

gboolean
reel_mujoco_env_check_ranges (ReelMujocoEnv *self, GError **error)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (self);
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);

  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (g_object_class_find_property (klass, ranges[i].name) != NULL
        && !check_range (G_STRUCT_MEMBER (GArray *, arguments, ranges[i].offset), ranges[i].name,
                         error))
      return FALSE;
  return TRUE;
}
