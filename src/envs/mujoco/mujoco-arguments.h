/* The arguments of the MuJoCo tasks, by Gymnasium's names and meanings. Private to the family. */
#pragma once

#include "mujoco-env.h"

G_BEGIN_DECLS

/**
 * ReelMujocoArguments:
 *
 * The arguments of all tasks, and those of several, of which each task adds its own to its
 * class.
 */
struct ReelMujocoArguments
{
  gint64 frame_skip;
  char *xml_file;
  gboolean old_margins;
  char *camera;
  int quality; /* a ReelMujocoQuality */

  int rules; /* a ReelMujocoRules */
  double forward_reward_weight;
  double ctrl_cost_weight;
  double contact_cost_weight;
  double healthy_reward;
  double reset_noise_scale;
  gboolean terminate_when_unhealthy;
  gboolean exclude_positions;
  gboolean include_cinert, include_cvel, include_qfrc_actuator, include_cfrc_ext;
  GArray *healthy_state_range, *healthy_z_range, *healthy_angle_range;
  GArray *contact_range;
};

/**
 * reel_mujoco_env_class_add_common:
 * @klass: the class of all tasks, in its class_init
 *
 * Gives it what all tasks take.
 */
void reel_mujoco_env_class_add_common (ReelMujocoEnvClass *klass);

/**
 * reel_mujoco_env_class_add_rules:
 * @klass: a class that follows v4 or v5
 */
void reel_mujoco_env_class_add_rules (ReelMujocoEnvClass *klass);

/**
 * reel_mujoco_env_class_add_weight:
 * @klass: a class
 * @name: `forward-reward-weight`, `ctrl-cost-weight`, `contact-cost-weight`, `impact-cost-weight`,
 *   `healthy-reward` or `reset-noise-scale`
 * @initial: the default
 *
 * Gives the class a number of #ReelMujocoArguments as a property.
 */
void reel_mujoco_env_class_add_weight (ReelMujocoEnvClass *klass, const char *name, double initial);

/**
 * reel_mujoco_env_class_add_flag:
 * @klass: a class
 * @name: `terminate-when-unhealthy`, `exclude-current-positions-from-observation` or
 *   `include-{cinert,cvel,qfrc-actuator,cfrc-ext}-in-observation`; TRUE by default
 */
void reel_mujoco_env_class_add_flag (ReelMujocoEnvClass *klass, const char *name);

/**
 * reel_mujoco_env_class_add_body:
 * @klass: a class
 *
 * All flags of reel_mujoco_observe_body().
 */
void reel_mujoco_env_class_add_body (ReelMujocoEnvClass *klass);

/**
 * reel_mujoco_env_class_add_range:
 * @klass: a class
 * @name: `healthy-{state,z,angle}-range`, `contact-force-range`, `contact-cost-range` or
 *   `impact-cost-range`; the ids preset them
 *
 * A list of two numbers; see reel_mujoco_env_check_ranges().
 */
void reel_mujoco_env_class_add_range (ReelMujocoEnvClass *klass, const char *name);

/**
 * reel_mujoco_env_check_ranges:
 * @self: an env
 * @error: VALUE, naming the range
 *
 * Returns: whether each of its ranges is two numbers in order
 */
gboolean reel_mujoco_env_check_ranges (ReelMujocoEnv *self, GError **error);

G_END_DECLS
