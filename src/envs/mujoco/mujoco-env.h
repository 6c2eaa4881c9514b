/* The common part of MuJoCo's tasks: the model and the lanes. A task is one file.
 * Private to the family. */
#pragma once

#include "../../core/math/random.h"
#include "../env.h"
#include "mujoco-view.h"

G_BEGIN_DECLS

/**
 * ReelMujocoEnv:
 *
 * A batch of simulations of one MuJoCo model. A lane is a row of numbers: time, qpos, qvel, act and
 * qacc_warmstart, all that the next step depends on, with the marks of its task and, where pictures
 * are drawn, the same numbers before the last of MuJoCo's own steps. Threads step it in one mjData
 * each, so that the memory of a lane is some hundred bytes and that of a thread MuJoCo's own (14 MB
 * in MuJoCo 2, of which what is not used is never touched).
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

/* The arguments of a task; see mujoco-arguments.h. */
typedef struct ReelMujocoArguments ReelMujocoArguments;

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
 * @arguments: where #ReelMujocoArguments are in an env, in bytes
 * @uses_contact_forces: whether cfrc_ext is looked at
 * @n_root: see reel_mujoco_env_class_observe_positions()
 * @nq: what the task looks at in a user's model too: at least so many numbers of qpos
 * @nv: likewise of qvel
 * @prepare: (nullable): checks the arguments, finds what the task looks at in the model
 * @begin: (nullable): brings a new mjData into the state, of ctrl too, that episodes begin from
 *   before @place; without it it stays what MuJoCo makes it
 * @init_state: the first qpos and qvel of an episode, which hold the model's own when it is called
 * @mark: (nullable): after a reset and after each step, notes up to %REEL_MUJOCO_MARKS numbers that
 *   the reward of the next step compares with
 * @observe: writes the observation, returns where it ends; always as many numbers
 * @compute_reward: reward and termination of a step
 *
 * Virtual functions of a task. Only @prepare and @begin can fail; the others run on several threads
 * at once and change nothing in the object.
 */
struct _ReelMujocoEnvClass
{
  ReelEnvClass parent_class;

  const char *models[2];
  ReelMujocoView views[2];
  gsize arguments;
  gboolean uses_contact_forces;
  int n_root;
  int nq, nv;
  gboolean (*prepare) (ReelMujocoEnv *self, const mjModel *model, GError **error);
  gboolean (*begin) (ReelMujocoEnv *self, const mjModel *model, mjData *data, GError **error);
  void (*init_state) (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel);
  void (*mark) (ReelMujocoEnv *self, const mjData *data, double *marks);
  double *(*observe) (ReelMujocoEnv *self, const mjData *data, double *at);
  void (*compute_reward) (ReelMujocoEnv *self, ReelMujocoStep *step);
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
 * reel_mujoco_env_class_observe_positions:
 * @klass: a class
 * @n_root: how many positions `exclude-current-positions-from-observation` leaves out in front
 *
 * Says that the observation begins with qpos (reel_mujoco_put_positions()), so that it tells what
 * the env looks like. Positions that are left out are drawn as 0.
 */
void reel_mujoco_env_class_observe_positions (ReelMujocoEnvClass *klass, int n_root);

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

G_END_DECLS
