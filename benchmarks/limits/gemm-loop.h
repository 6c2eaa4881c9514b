/* The products that a network of linear layers takes, on threads. Frozen; shares nothing with the
 * library. */
#pragma once

#include "level.h"

#include <stdint.h>

/* c = a b of a [m, k] and b [k, n], all of float32. b is packed in panels of so many columns, one
 * behind the other, [k, panel] each, with zeros beyond n; rows of c are as long as the panels. */
typedef struct
{
  void (*multiply) (int64_t m, int64_t k, int64_t n, const float *a, const float *b, float *c);
  int64_t panel;
} LimitGemm;

LIMIT_DECLARE (LimitGemm, limit_gemm);
#define limit_gemm() LIMIT_PICK (limit_gemm)

/* Products one after the other, each of the outputs of the one before it. */
typedef struct LimitLayers LimitLayers;

/* @sizes are inputs and outputs, ended by a 0; at most 512. */
LimitLayers *limit_layers_new (const int64_t *sizes, int64_t lanes, int threads);
void limit_layers_free (LimitLayers *self);

/* All products of all lanes, @steps times; each thread has its share of the lanes. Returns the
 * seconds that a thread took, the mean of all of them. */
double limit_layers_run (LimitLayers *self, int64_t steps);

/* Whether the first product of a thread is right. */
int limit_layers_check (LimitLayers *self);
