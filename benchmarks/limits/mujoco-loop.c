#include "mujoco-loop.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "plain-calls.h"

struct LimitMujoco
{
  const mjModel *model;
  int64_t lanes;
  int threads;
  mjData **data;  /* one a thread */
  double *states; /* where each lane ends */
};

typedef struct
{
  LimitMujoco *self;
  const LimitMujocoWork *work;
  mjData *data;
  int64_t begin, end;
  double seconds;
} Share;

static size_t
state_size (const mjModel *model)
{
  return (size_t) (model->nq + 2 * model->nv);
}

static void
put_in (const mjModel *model, mjData *data, const double *state)
{
  memcpy (data->qpos, state, (size_t) model->nq * sizeof *state);
  memcpy (data->qvel, state + model->nq, (size_t) model->nv * sizeof *state);
  memcpy (data->qacc_warmstart, state + model->nq + model->nv, (size_t) model->nv * sizeof *state);
}

static void
take_out (const mjModel *model, const mjData *data, double *state)
{
  memcpy (state, data->qpos, (size_t) model->nq * sizeof *state);
  memcpy (state + model->nq, data->qvel, (size_t) model->nv * sizeof *state);
  memcpy (state + model->nq + model->nv, data->qacc_warmstart, (size_t) model->nv * sizeof *state);
}

static void
step (const Share *share, mjData *data, int64_t row)
{
  const mjModel *model = share->self->model;
  const float *action = share->work->action + row * model->nu;

  if (share->work->begins[row])
    put_in (model, data, share->work->state + (size_t) row * state_size (model));
  for (int i = 0; i < model->nu; i++)
    data->ctrl[i] = action[i];
  for (int64_t i = 0; i < share->work->frame_skip; i++)
    mj_step (model, data);
}

static double *
end_of (const LimitMujoco *self, int64_t lane)
{
  return self->states + (size_t) lane * state_size (self->model);
}

static void *
run_share (void *argument)
{
  Share *share = argument;
  LimitMujoco *self = share->self;
  double begin = limit_now ();

  for (int64_t lane = share->begin; lane < share->end; lane++)
    {
      for (int64_t t = 0; t < share->work->steps; t++)
        step (share, share->data, t * share->work->lanes + lane);
      take_out (self->model, share->data, end_of (self, lane));
    }
  share->seconds = limit_now () - begin;
  return NULL;
}

LimitMujoco *
limit_mujoco_new (const mjModel *model, int64_t lanes, int threads)
{
  LimitMujoco *self = malloc (sizeof *self);

  *self = (LimitMujoco){ model, lanes, threads, malloc ((size_t) threads * sizeof (mjData *)),
                         calloc ((size_t) lanes * state_size (model), sizeof (double)) };
  for (int i = 0; i < threads; i++)
    self->data[i] = mj_makeData (model);
  return self;
}

void
limit_mujoco_free (LimitMujoco *self)
{
  for (int i = 0; i < self->threads; i++)
    mj_deleteData (self->data[i]);
  free (self->data);
  free (self->states);
  free (self);
}

double
limit_mujoco_run (LimitMujoco *self, const LimitMujocoWork *work)
{
  pthread_t threads[self->threads];
  Share shares[self->threads];
  double seconds = 0;

  for (int i = 0; i < self->threads; i++)
    {
      shares[i] = (Share){ self,
                           work,
                           self->data[i],
                           self->lanes * i / self->threads,
                           self->lanes * (i + 1) / self->threads,
                           0 };
      if (i > 0)
        pthread_create (&threads[i], NULL, run_share, &shares[i]);
    }
  run_share (&shares[0]);
  for (int i = 0; i < self->threads; i++)
    {
      if (i > 0)
        pthread_join (threads[i], NULL);
      seconds += shares[i].seconds / self->threads;
    }
  return seconds;
}

const double *
limit_mujoco_end (const LimitMujoco *self, int64_t lane)
{
  return end_of (self, lane);
}
