#include "limits.h"

#include <math.h>
#include <stdlib.h>

typedef struct
{
  double x, x_dot, theta, theta_dot;
  int64_t steps;
  int64_t traj_id;
} Env;

struct _LimitCartpoleScalar
{
  Env *envs;
  int64_t lanes;
  uint64_t random;
};

static uint64_t
draw (LimitCartpoleScalar *self)
{
  uint64_t z = self->random += 0x9e3779b97f4a7c15;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static double
draw_start (LimitCartpoleScalar *self)
{
  return (double) (draw (self) >> 11) * 0x1p-53 * 0.1 - 0.05;
}

static void
reset (LimitCartpoleScalar *self, Env *env)
{
  env->x = draw_start (self);
  env->x_dot = draw_start (self);
  env->theta = draw_start (self);
  env->theta_dot = draw_start (self);
  env->steps = 0;
}

static LimitCartpoleScalar *
open_scalar (int64_t lanes, uint64_t seed)
{
  LimitCartpoleScalar *self = malloc (sizeof *self);

  self->envs = malloc ((size_t) lanes * sizeof *self->envs);
  self->lanes = lanes;
  self->random = seed;
  for (int64_t lane = 0; lane < lanes; lane++)
    {
      reset (self, &self->envs[lane]);
      self->envs[lane].traj_id = lane;
    }
  return self;
}

static void
close_scalar (LimitCartpoleScalar *self)
{
  free (self->envs);
  free (self);
}

/* Returns whether the env is out of bounds. */
static int
step (Env *env, int push_right)
{
  double force = push_right ? 10.0 : -10.0;
  double cosine = cos (env->theta), sine = sin (env->theta);
  double temp = (force + 0.05 * env->theta_dot * env->theta_dot * sine) / 1.1;
  double theta_acc =
      (9.8 * sine - cosine * temp) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1));
  double x_acc = temp - 0.05 * theta_acc * cosine / 1.1;

  env->x += 0.02 * env->x_dot;
  env->x_dot += 0.02 * x_acc;
  env->theta += 0.02 * env->theta_dot;
  env->theta_dot += 0.02 * theta_acc;
  return env->x < -2.4 || env->x > 2.4 || env->theta < -0.20943951023931953
         || env->theta > 0.20943951023931953;
}

static void
observe (const Env *env, float *observation)
{
  observation[0] = (float) env->x;
  observation[1] = (float) env->x_dot;
  observation[2] = (float) env->theta;
  observation[3] = (float) env->theta_dot;
}

/* One transition. Returns whether its episode ended. */
static int
step_row (LimitCartpoleScalar *self, Env *env, const LimitColumns *ring, int64_t row)
{
  int push_right = (int) (draw (self) >> 63);

  observe (env, ring->observation + 4 * row);
  ring->action[2 * row] = !push_right;
  ring->action[2 * row + 1] = push_right;
  ring->done[row] = ring->terminated[row] = ring->truncated[row] = 0;
  ring->traj_ids[row] = env->traj_id;

  int terminated = step (env, push_right), truncated = ++env->steps >= 500;
  int done = terminated || truncated;

  observe (env, ring->next_observation + 4 * row);
  ring->next_reward[row] = 1.0f;
  ring->next_terminated[row] = (uint8_t) terminated;
  ring->next_truncated[row] = (uint8_t) truncated;
  ring->next_done[row] = (uint8_t) done;
  if (done)
    {
      reset (self, env);
      env->traj_id += self->lanes;
    }
  return done;
}

static int64_t
run_scalar (LimitCartpoleScalar *self, const LimitColumns *ring, int64_t ring_steps,
            int64_t first_step, int64_t n_steps)
{
  int64_t episodes = 0;

  for (int64_t t = 0; t < n_steps; t++)
    {
      int64_t row = (first_step + t) % ring_steps * self->lanes;

      for (int64_t lane = 0; lane < self->lanes; lane++)
        episodes += step_row (self, &self->envs[lane], ring, row + lane);
    }
  return episodes;
}

const LimitCartpoleScalarLoop LIMIT_NAME (limit_cartpole_scalar) = { open_scalar, close_scalar,
                                                                     run_scalar };
