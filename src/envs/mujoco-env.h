/* What the tasks of the MuJoCo family have in common: the model, the lanes, the arguments, and the
 * terms of Gymnasium's observations and rewards. A task is one file. Private to the family. */
#pragma once

#include "../core/random.h"
#include "env.h"
#include "mujoco-model.h"
#include "mujoco-view.h"

G_BEGIN_DECLS

/**
 * ReelMujocoEnv:
 *
 * A batch of simulations of one MuJoCo model. A lane is a row of numbers: time, qpos, qvel, act and
 * qacc_warmstart, all that the next step depends on, with the marks of its task and the same
 * numbers before the last of MuJoCo's own steps. Threads step it in
 * one mjData each, so that the memory of a lane is some hundred bytes and that of a thread MuJoCo's
 * own (14 MB in MuJoCo 2, of which what is not used is never touched).
 *
 * The order of calls is Gymnasium's (gymnasium/envs/mujoco/mujoco_env.py): action to ctrl as it is,
 * frame-skip times mj_step(), mj_rnePostConstraint() where contact forces are looked at, and
 * nothing that would bring what MuJoCo derives from the state up to date.
 *
 * So a picture shows what MuJoCo derived during its last step, which is not quite where the bodies
 * are after it. It is drawn from the numbers before that step, by taking it again.
 *
 * An action is not clipped: MuJoCo takes what is within the range of each actuator, and the cost of
 * control is that of the action as it was given. Where an element is NaN or infinite MuJoCo takes 0
 * for all of them, and a reward that has a cost of control is NaN.
 */
#define REEL_TYPE_MUJOCO_ENV (reel_mujoco_env_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelMujocoEnv, reel_mujoco_env, REEL, MUJOCO_ENV, ReelEnv)

/* Marks that a lane can have. */
#define REEL_MUJOCO_MARKS 4

/**
 * ReelMujocoRules:
 *
 * Which version of Gymnasium's tasks rewards and observations follow.
 */
typedef enum
{
  REEL_MUJOCO_V4,
  REEL_MUJOCO_V5,
} ReelMujocoRules;

/**
 * ReelMujocoArguments:
 *
 * Arguments that several tasks take, by Gymnasium's names and meanings; each task adds those that
 * it has to its class.
 */
typedef struct
{
  int rules;
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
} ReelMujocoArguments;

/**
 * ReelMujocoStep:
 * @data: after the physics
 * @action: as it was given, one number an actuator
 * @before: what `mark` wrote after the step before
 * @reward: (out): of the step; float32 in data
 * @terminated: (out): whether the episode ends; FALSE at first
 */
typedef struct
{
  const mjData *data;
  const float *action;
  const double *before;
  double reward;
  gboolean terminated;
} ReelMujocoStep;

/**
 * ReelMujocoEnvClass:
 * @models: names of the models of v4 and v5; %NULL where there is none but a user's
 * @views: from where v4 and v5 are seen; see reel_mujoco_env_class_set_view()
 * @uses_contact_forces: whether cfrc_ext is looked at
 * @nq: what the task looks at in a user's model too: at least so many numbers of qpos
 * @nv: likewise of qvel
 * @prepare: (nullable): checks the arguments, finds what the task looks at in the model
 * @begin: (nullable): brings a new mjData into the state, of ctrl too, that episodes begin from
 *   before @place; without it it stays what MuJoCo makes it
 * @place: the first qpos and qvel of an episode, which hold the model's own when it is called
 * @mark: (nullable): after a reset and after each step, notes up to %REEL_MUJOCO_MARKS numbers that
 *   the reward of the next step compares with
 * @observe: writes the observation, returns where it ends; always as many numbers
 * @judge: reward and termination of a step
 *
 * What a task fills in. Only @prepare and @begin can fail; the others run on several threads at
 * once and change nothing in the object.
 */
struct _ReelMujocoEnvClass
{
  ReelEnvClass parent_class;

  const char *models[2];
  ReelMujocoView views[2];
  gboolean uses_contact_forces;
  int nq, nv;
  gboolean (*prepare) (ReelMujocoEnv *self, const mjModel *model, GError **error);
  gboolean (*begin) (ReelMujocoEnv *self, const mjModel *model, mjData *data, GError **error);
  void (*place) (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel);
  void (*mark) (ReelMujocoEnv *self, const mjData *data, double *marks);
  double *(*observe) (ReelMujocoEnv *self, const mjData *data, double *at);
  void (*judge) (ReelMujocoEnv *self, ReelMujocoStep *step);
};

/* ---- what a task is made of ---- */

/**
 * reel_mujoco_env_get_arguments:
 * @self: an env
 *
 * Returns: (transfer none): its arguments
 */
const ReelMujocoArguments *reel_mujoco_env_get_arguments (ReelMujocoEnv *self);

/**
 * reel_mujoco_env_get_model:
 * @self: an env
 *
 * Returns: (transfer none): its model, which nobody changes
 */
const mjModel *reel_mujoco_env_get_model (ReelMujocoEnv *self);

/**
 * reel_mujoco_env_get_dt:
 * @self: an env
 *
 * Returns: seconds of a step
 */
double reel_mujoco_env_get_dt (ReelMujocoEnv *self);

/* ---- for class_init ---- */

/**
 * reel_mujoco_env_class_add_task:
 * @klass: the class of a task of Gymnasium's
 * @ids: its ids
 * @source: where the task comes from
 * @v4: the model of v4, one of src/envs/models
 * @v5: that of v5
 *
 * Says which task it is, and gives it the argument `rules`.
 */
void reel_mujoco_env_class_add_task (ReelMujocoEnvClass *klass, const ReelId *ids,
                                     const char *source, const char *v4, const char *v5);

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
 * A list of two numbers. The base checks that there are two in order.
 */
void reel_mujoco_env_class_add_range (ReelMujocoEnvClass *klass, const char *name);

/**
 * reel_mujoco_env_class_set_view:
 * @klass: a class
 * @distance: see #ReelMujocoView
 * @height: likewise
 * @elevation: likewise
 *
 * Says how Gymnasium's camera stands, in v4 and v5.
 */
void reel_mujoco_env_class_set_view (ReelMujocoEnvClass *klass, double distance, double height,
                                     double elevation);

/* ---- terms ---- */

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
 * reel_mujoco_place_uniform:
 *
 * `place` of many tasks: uniform noise of `reset-noise-scale` on qpos and qvel.
 */
void reel_mujoco_place_uniform (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel);

/**
 * reel_mujoco_place_normal:
 *
 * `place` of many tasks: uniform noise of `reset-noise-scale` on qpos, normal noise on qvel.
 */
void reel_mujoco_place_normal (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel);

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
 * reel_mujoco_put_positions:
 * @self: an env
 * @data: a state
 * @at: where to write
 * @n_excluded: how many positions `exclude-current-positions-from-observation` leaves out in front
 *
 * Writes qpos.
 *
 * Returns: where it ends
 */
double *reel_mujoco_put_positions (ReelMujocoEnv *self, const mjData *data, double *at,
                                   gsize n_excluded);

/**
 * reel_mujoco_put_state:
 *
 * As reel_mujoco_put_positions(), and qvel behind it.
 */
double *reel_mujoco_put_state (ReelMujocoEnv *self, const mjData *data, double *at,
                               gsize n_excluded);

/* ---- what runs ahead along x ---- */

/**
 * reel_mujoco_mark_x:
 *
 * `mark` of what runs: qpos[0].
 */
void reel_mujoco_mark_x (ReelMujocoEnv *self, const mjData *data, double *marks);

/**
 * reel_mujoco_judge_run:
 *
 * `judge` of what runs and cannot fall: the weighted speed, less the cost of control.
 */
void reel_mujoco_judge_run (ReelMujocoEnv *self, ReelMujocoStep *step);

/**
 * reel_mujoco_judge_walk:
 * @self: an env
 * @step: a step
 * @healthy: whether the lane is healthy after it
 *
 * The weighted speed and the reward for health, less the cost of control.
 */
void reel_mujoco_judge_walk (ReelMujocoEnv *self, ReelMujocoStep *step, gboolean healthy);

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
 * All but `judge` of what walks in a plane, and the arguments of it.
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
