#include "gemm-loop.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "plain-calls.h"

#define MOST 8
#define WIDEST 576 /* floats of a row, whole panels */

struct LimitLayers
{
  int64_t sizes[MOST + 1];
  int n, threads;
  int64_t lanes;
  float *weights[MOST];
  float **rows; /* two blocks a thread */
};

typedef struct
{
  LimitLayers *self;
  float *from, *to;
  int64_t lanes, steps;
  double seconds;
} Share;

static int64_t
padded (int64_t n)
{
  int64_t panel = limit_gemm ()->panel;

  return (n + panel - 1) / panel * panel;
}

static float
number (int64_t i)
{
  return (float) (i * 37 % 19 - 9) / 64;
}

static float *
make_numbers (int64_t n)
{
  float *numbers = malloc ((size_t) n * sizeof *numbers);

  for (int64_t i = 0; i < n; i++)
    numbers[i] = number (i);
  return numbers;
}

LimitLayers *
limit_layers_new (const int64_t *sizes, int64_t lanes, int threads)
{
  LimitLayers *self = calloc (1, sizeof *self);

  self->threads = threads;
  self->lanes = lanes;
  self->sizes[0] = sizes[0];
  for (; sizes[self->n + 1] > 0; self->n++)
    {
      self->sizes[self->n + 1] = sizes[self->n + 1];
      self->weights[self->n] = make_numbers (sizes[self->n] * padded (sizes[self->n + 1]));
    }
  self->rows = malloc ((size_t) (2 * threads) * sizeof *self->rows);
  for (int i = 0; i < 2 * threads; i++)
    self->rows[i] = make_numbers (lanes * WIDEST);
  return self;
}

void
limit_layers_free (LimitLayers *self)
{
  for (int i = 0; i < 2 * self->threads; i++)
    free (self->rows[i]);
  for (int i = 0; i < self->n; i++)
    free (self->weights[i]);
  free (self->rows);
  free (self);
}

static void *
run_share (void *argument)
{
  Share *share = argument;
  LimitLayers *self = share->self;
  double begin = limit_now ();

  for (int64_t step = 0; step < share->steps; step++)
    for (int i = 0; i < self->n; i++)
      {
        float *to = i % 2 == 0 ? share->to : share->from;

        limit_gemm ()->multiply (share->lanes, self->sizes[i], self->sizes[i + 1],
                                 i % 2 == 0 ? share->from : share->to, self->weights[i], to);
      }
  share->seconds = limit_now () - begin;
  return NULL;
}

double
limit_layers_run (LimitLayers *self, int64_t steps)
{
  pthread_t threads[self->threads];
  Share shares[self->threads];
  double seconds = 0;

  for (int i = 0; i < self->threads; i++)
    {
      shares[i] = (Share){ self,
                           self->rows[2 * i],
                           self->rows[2 * i + 1],
                           self->lanes * (i + 1) / self->threads - self->lanes * i / self->threads,
                           steps,
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

int
limit_layers_check (LimitLayers *self)
{
  int64_t k = self->sizes[0], n = self->sizes[1], m = self->lanes, panel = limit_gemm ()->panel;
  float *a = make_numbers (m * k), *c = make_numbers (m * WIDEST);
  int right = 1;

  limit_gemm ()->multiply (m, k, n, a, self->weights[0], c);
  for (int64_t row = 0; row < m; row++)
    for (int64_t j = 0; j < n; j++)
      {
        double sum = 0;

        for (int64_t i = 0; i < k; i++)
          sum += (double) a[row * k + i]
                 * (double) self->weights[0][(j / panel * k + i) * panel + j % panel];
        right &= fabs (sum - (double) c[row * padded (n) + j]) < 1e-3;
      }
  free (a);
  free (c);
  return right;
}
