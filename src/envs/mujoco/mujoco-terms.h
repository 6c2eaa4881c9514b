/* Terms of Gymnasium's observations, rewards and resets, which the MuJoCo tasks are made of.
 * Private to the family. */
#pragma once

#include "mujoco-arguments.h"
#include "mujoco-model.h"

G_BEGIN_DECLS

/**
 * reel_mujoco_in_range:
 * @range: two numbers
 * @value: a number
 *
 * Returns: whether it lies between them and is neither; NaN does not
 */
gboolean reel_mujoco_in_range (const GArray *range, double value);

/**
 * reel_mujoco_is_v4:
 * @self: an env
 *
 * Returns: whether it follows the rules of v4
 */
gboolean reel_mujoco_is_v4 (ReelMujocoEnv *self);

/**
 * reel_mujoco_are_finite:
 * @values: (array length=n): numbers
 * @n: how many
 *
 * Returns: whether none is NaN or infinite
 */
gboolean reel_mujoco_are_finite (const double *values, gsize n);

/**
 * reel_mujoco_sum:
 * @values: (array length=n): numbers
 * @n: how many
 *
 * Returns: `np.sum (values)` in the order of NumPy's additions
 */
double reel_mujoco_sum (const double *values, gsize n);

/**
 * reel_mujoco_sum_of_squares:
 * @values: (array length=n): numbers
 * @n: how many
 *
 * Returns: `np.sum (np.square (values))` in the order of NumPy's additions: eight sums side by side
 */
double reel_mujoco_sum_of_squares (const double *values, gsize n);

/**
 * reel_mujoco_control_cost:
 * @action: (array length=n): an action
 * @n: how many
 * @weight: of the cost
 *
 * Returns: `weight * np.sum (np.square (action))`, in float32 as NumPy 2 has it
 */
double reel_mujoco_control_cost (const float *action, gsize n, double weight);

/**
 * reel_mujoco_distance:
 * @a: (array fixed-size=3): a point
 * @b: (array fixed-size=3): another
 *
 * Returns: the length of a − b
 */
double reel_mujoco_distance (const double *a, const double *b);

/**
 * reel_mujoco_healthy_reward:
 * @self: an env
 * @step: a step, of which `terminated` is set
 * @healthy: whether the lane is healthy after it
 *
 * Sets `terminated`.
 *
 * Returns: the reward for it: in v4 also that of an unhealthy step that ends the episode
 */
double reel_mujoco_healthy_reward (ReelMujocoEnv *self, ReelMujocoStep *step, gboolean healthy);

/**
 * reel_mujoco_add_noise:
 * @rng: a stream
 * @values: (array length=n): numbers
 * @n: how many
 * @scale: of the noise
 *
 * Adds a uniform draw from ±@scale to each.
 */
void reel_mujoco_add_noise (ReelPcg64 *rng, double *values, gsize n, double scale);

/**
 * reel_mujoco_init_uniform:
 *
 * `place` of many tasks: uniform noise of `reset-noise-scale` on qpos and qvel.
 */
void reel_mujoco_init_uniform (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel);

/**
 * reel_mujoco_init_normal:
 *
 * `place` of many tasks: uniform noise of `reset-noise-scale` on qpos, normal noise on qvel.
 */
void reel_mujoco_init_normal (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel);

/**
 * reel_mujoco_put:
 * @at: where to write
 * @values: (array length=n): what
 * @n: how many
 *
 * Returns: where it ends
 */
double *reel_mujoco_put (double *at, const double *values, gsize n);

/**
 * reel_mujoco_put_clipped:
 * @at: where to write
 * @values: (array length=n): what
 * @n: how many
 * @low: least value
 * @high: largest value
 *
 * Returns: where it ends
 */
double *reel_mujoco_put_clipped (double *at, const double *values, gsize n, double low,
                                 double high);

/**
 * reel_mujoco_count_excluded:
 * @self: an env
 *
 * Returns: how many positions the observation leaves out in front
 */
gsize reel_mujoco_count_excluded (ReelMujocoEnv *self);

/**
 * reel_mujoco_put_positions:
 * @self: an env
 * @data: a state
 * @at: where to write
 *
 * Writes qpos, without the root's where they are excluded; see
 * reel_mujoco_env_class_observe_positions().
 *
 * Returns: where it ends
 */
double *reel_mujoco_put_positions (ReelMujocoEnv *self, const mjData *data, double *at);

/**
 * reel_mujoco_put_state:
 *
 * As reel_mujoco_put_positions(), and qvel behind it.
 */
double *reel_mujoco_put_state (ReelMujocoEnv *self, const mjData *data, double *at);

/* ---- what runs ahead along x ---- */

/**
 * reel_mujoco_mark_x:
 *
 * `mark` of what runs: qpos[0].
 */
void reel_mujoco_mark_x (ReelMujocoEnv *self, const mjData *data, double *marks);

/**
 * reel_mujoco_reward_run:
 *
 * `compute_reward` of what runs and cannot fall: the weighted speed, less the cost of control.
 */
void reel_mujoco_reward_run (ReelMujocoEnv *self, ReelMujocoStep *step);

/**
 * reel_mujoco_reward_walk:
 * @self: an env
 * @step: a step
 * @healthy: whether the lane is healthy after it
 *
 * The weighted speed and the reward for health, less the cost of control.
 */
void reel_mujoco_reward_walk (ReelMujocoEnv *self, ReelMujocoStep *step, gboolean healthy);

/**
 * reel_mujoco_is_upright:
 * @self: an env of a class of reel_mujoco_env_class_add_walk()
 * @data: a state
 *
 * Returns: whether height and pitch are in their healthy ranges
 */
gboolean reel_mujoco_is_upright (ReelMujocoEnv *self, const mjData *data);

/**
 * reel_mujoco_observe_walk:
 *
 * `observe` of what walks in a plane: qpos without x, and qvel clipped to ±10.
 */
double *reel_mujoco_observe_walk (ReelMujocoEnv *self, const mjData *data, double *at);

/**
 * reel_mujoco_env_class_add_walk:
 * @klass: a class, in its class_init
 *
 * All but `compute_reward` of what walks in a plane, and the arguments of it.
 */
void reel_mujoco_env_class_add_walk (ReelMujocoEnvClass *klass);

/* ---- human figures ---- */

/**
 * reel_mujoco_observe_body:
 *
 * `observe` of human figures: qpos without x and y, qvel, and of those that are included cinert,
 * cvel, qfrc_actuator and cfrc_ext. v5 leaves out the world and the free joint, v4 does not.
 */
double *reel_mujoco_observe_body (ReelMujocoEnv *self, const mjData *data, double *at);

/**
 * reel_mujoco_contact_cost:
 * @self: an env of a `contact-cost-range` or `impact-cost-range`
 * @data: a state
 *
 * Returns: the weighted sum of the squares of the forces of contact, clipped
 */
double reel_mujoco_contact_cost (ReelMujocoEnv *self, const mjData *data);

G_END_DECLS
