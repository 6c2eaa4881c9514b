/* In the order of Gymnasium's and NumPy's operations. */
#include "mujoco-terms.h"

#include <math.h>
#include <string.h>

gboolean
reel_mujoco_is_v4 (ReelMujocoEnv *self)
{
  return reel_mujoco_env_get_arguments (self)->rules == REEL_MUJOCO_V4;
}

gboolean
reel_mujoco_are_finite (const double *values, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (!isfinite (values[i]))
      return FALSE;
  return TRUE;
}

gboolean
reel_mujoco_in_range (const GArray *range, double value)
{
  return g_array_index (range, double, 0) < value && value < g_array_index (range, double, 1);
}

/* NaN stays what it is. */
static double
clip (double value, double low, double high)
{
  return value < low ? low : value > high ? high : value;
}

/* NumPy's pairwise sum of what TERM makes of numbers of either width. */
#define PAIRWISE_SUM(name, type, TERM)                                                             \
  static type name (const type *values, gsize n)                                                   \
  {                                                                                                \
    type part[8] = { 0 }, sum = 0;                                                                 \
    gsize i = 0, half = n / 2 - n / 2 % 8;                                                         \
                                                                                                   \
    if (n > 128)                                                                                   \
      return name (values, half) + name (values + half, n - half);                                 \
    if (n >= 8)                                                                                    \
      {                                                                                            \
        for (; i + 8 <= n; i += 8)                                                                 \
          for (gsize k = 0; k < 8; k++)                                                            \
            part[k] += TERM (values[i + k]);                                                       \
        sum = ((part[0] + part[1]) + (part[2] + part[3]))                                          \
              + ((part[4] + part[5]) + (part[6] + part[7]));                                       \
      }                                                                                            \
    for (; i < n; i++)                                                                             \
      sum += TERM (values[i]);                                                                     \
    return sum;                                                                                    \
  }

#define ITSELF(x) (x)
#define SQUARE(x) ((x) * (x))

PAIRWISE_SUM (sum_doubles, double, ITSELF)
PAIRWISE_SUM (sum_squares, double, SQUARE)
PAIRWISE_SUM (sum_float_squares, float, SQUARE)

double
reel_mujoco_sum (const double *values, gsize n)
{
  return sum_doubles (values, n);
}

double
reel_mujoco_sum_of_squares (const double *values, gsize n)
{
  return sum_squares (values, n);
}

double
reel_mujoco_control_cost (const float *action, gsize n, double weight)
{
  return (float) weight * sum_float_squares (action, n);
}

double
reel_mujoco_distance (const double *a, const double *b)
{
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];

  return sqrt (x * x + y * y + z * z);
}

double
reel_mujoco_healthy_reward (ReelMujocoEnv *self, ReelMujocoStep *step, gboolean healthy)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);
  gboolean always = reel_mujoco_is_v4 (self) && arguments->terminate_when_unhealthy;

  step->terminated = arguments->terminate_when_unhealthy && !healthy;
  return healthy || always ? arguments->healthy_reward : 0;
}

void
reel_mujoco_add_noise (ReelPcg64 *rng, double *values, gsize n, double scale)
{
  for (gsize i = 0; i < n; i++)
    values[i] += reel_pcg64_uniform (rng, -scale, scale);
}

void
reel_mujoco_init_uniform (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel)
{
  double scale = reel_mujoco_env_get_arguments (self)->reset_noise_scale;
  const mjModel *model = reel_mujoco_env_get_model (self);

  reel_mujoco_add_noise (rng, qpos, (gsize) model->nq, scale);
  reel_mujoco_add_noise (rng, qvel, (gsize) model->nv, scale);
}

void
reel_mujoco_init_normal (ReelMujocoEnv *self, ReelPcg64 *rng, double *qpos, double *qvel)
{
  double scale = reel_mujoco_env_get_arguments (self)->reset_noise_scale;
  const mjModel *model = reel_mujoco_env_get_model (self);

  reel_mujoco_add_noise (rng, qpos, (gsize) model->nq, scale);
  for (int i = 0; i < model->nv; i++)
    qvel[i] += scale * reel_pcg64_normal (rng);
}

double *
reel_mujoco_put (double *at, const double *values, gsize n)
{
  memcpy (at, values, n * sizeof *at);
  return at + n;
}

double *
reel_mujoco_put_clipped (double *at, const double *values, gsize n, double low, double high)
{
  for (gsize i = 0; i < n; i++)
    at[i] = clip (values[i], low, high);
  return at + n;
}

gsize
reel_mujoco_count_excluded (ReelMujocoEnv *self)
{
  return reel_mujoco_env_get_arguments (self)->exclude_positions
             ? (gsize) REEL_MUJOCO_ENV_GET_CLASS (self)->n_root
             : 0;
}

double *
reel_mujoco_put_positions (ReelMujocoEnv *self, const mjData *data, double *at)
{
  gsize first = reel_mujoco_count_excluded (self);

  return reel_mujoco_put (at, data->qpos + first,
                          (gsize) reel_mujoco_env_get_model (self)->nq - first);
}

double *
reel_mujoco_put_state (ReelMujocoEnv *self, const mjData *data, double *at)
{
  at = reel_mujoco_put_positions (self, data, at);
  return reel_mujoco_put (at, data->qvel, (gsize) reel_mujoco_env_get_model (self)->nv);
}

/* ---- what runs ahead along x ---- */

void
reel_mujoco_mark_x (ReelMujocoEnv *self, const mjData *data, double *marks)
{
  marks[0] = data->qpos[0];
}

static double
forward_reward (ReelMujocoEnv *self, const ReelMujocoStep *step)
{
  double speed = (step->data->qpos[0] - step->before[0]) / reel_mujoco_env_get_dt (self);

  return reel_mujoco_env_get_arguments (self)->forward_reward_weight * speed;
}

static double
control_cost (ReelMujocoEnv *self, const ReelMujocoStep *step)
{
  return reel_mujoco_control_cost (step->action, (gsize) reel_mujoco_env_get_model (self)->nu,
                                   reel_mujoco_env_get_arguments (self)->ctrl_cost_weight);
}

void
reel_mujoco_reward_run (ReelMujocoEnv *self, ReelMujocoStep *step)
{
  step->reward = forward_reward (self, step) - control_cost (self, step);
}

void
reel_mujoco_reward_walk (ReelMujocoEnv *self, ReelMujocoStep *step, gboolean healthy)
{
  double health = reel_mujoco_healthy_reward (self, step, healthy);

  step->reward = forward_reward (self, step) + health - control_cost (self, step);
}

gboolean
reel_mujoco_is_upright (ReelMujocoEnv *self, const mjData *data)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);

  return reel_mujoco_in_range (arguments->healthy_z_range, data->qpos[1])
         && reel_mujoco_in_range (arguments->healthy_angle_range, data->qpos[2]);
}

double *
reel_mujoco_observe_walk (ReelMujocoEnv *self, const mjData *data, double *at)
{
  at = reel_mujoco_put_positions (self, data, at);
  return reel_mujoco_put_clipped (at, data->qvel, (gsize) reel_mujoco_env_get_model (self)->nv, -10,
                                  10);
}

void
reel_mujoco_env_class_add_walk (ReelMujocoEnvClass *klass)
{
  klass->nq = 3;
  klass->init_state = reel_mujoco_init_uniform;
  klass->mark = reel_mujoco_mark_x;
  klass->observe = reel_mujoco_observe_walk;
  reel_mujoco_env_class_observe_positions (klass, 1);
  reel_mujoco_env_class_add_weight (klass, "forward-reward-weight", 1);
  reel_mujoco_env_class_add_weight (klass, "ctrl-cost-weight", 1e-3);
  reel_mujoco_env_class_add_weight (klass, "healthy-reward", 1);
  reel_mujoco_env_class_add_weight (klass, "reset-noise-scale", 5e-3);
  reel_mujoco_env_class_add_flag (klass, "terminate-when-unhealthy");
  reel_mujoco_env_class_add_flag (klass, "exclude-current-positions-from-observation");
  reel_mujoco_env_class_add_range (klass, "healthy-z-range");
  reel_mujoco_env_class_add_range (klass, "healthy-angle-range");
}

/* ---- human figures ---- */

double *
reel_mujoco_observe_body (ReelMujocoEnv *self, const mjData *data, double *at)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);
  const mjModel *model = reel_mujoco_env_get_model (self);
  int first = reel_mujoco_is_v4 (self) ? 0 : 1, n = model->nbody - first;
  int first_dof = reel_mujoco_is_v4 (self) ? 0 : 6;

  at = reel_mujoco_put_state (self, data, at);
  if (arguments->include_cinert)
    at = reel_mujoco_put (at, data->cinert + 10 * first, 10 * (gsize) n);
  if (arguments->include_cvel)
    at = reel_mujoco_put (at, data->cvel + 6 * first, 6 * (gsize) n);
  if (arguments->include_qfrc_actuator)
    at = reel_mujoco_put (at, data->qfrc_actuator + first_dof, (gsize) (model->nv - first_dof));
  if (arguments->include_cfrc_ext)
    at = reel_mujoco_put (at, data->cfrc_ext + 6 * first, 6 * (gsize) n);
  return at;
}

double
reel_mujoco_contact_cost (ReelMujocoEnv *self, const mjData *data)
{
  const ReelMujocoArguments *arguments = reel_mujoco_env_get_arguments (self);
  const double *range = (const double *) (gpointer) arguments->contact_range->data;
  gsize n = (gsize) reel_mujoco_env_get_model (self)->nbody * 6;

  return clip (arguments->contact_cost_weight * sum_squares (data->cfrc_ext, n), range[0],
               range[1]);
}
