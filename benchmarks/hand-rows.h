/* Rows of CartPole by hand: env, random policy and a loop over both that writes what a collector
 * writes, all keys, to a hot ring. */
#pragma once

#include "cartpole-run.h"
#include "limit-columns.h"

G_BEGIN_DECLS

/**
 * HandRows:
 * @run: env and policy
 * @columns: the ring
 * @memory: what it lies in
 * @ring_steps: its steps
 * @ids: number of each lane's trajectory
 * @step: the step that comes next
 *
 * Such a loop.
 */
typedef struct
{
  CartpoleRun run;
  LimitColumns columns;
  gpointer memory;
  gint64 ring_steps;
  gint64 *ids;
  gint64 step;
} HandRows;

/**
 * hand_rows_open:
 * @rows: (out): the loop
 * @num_envs: lanes
 * @ring_steps: steps of the ring
 *
 * Begins the first episode of each lane.
 */
void hand_rows_open (HandRows *rows, gint64 num_envs, gint64 ring_steps);

/**
 * hand_rows_close:
 * @rows: a loop
 */
void hand_rows_close (HandRows *rows);

/**
 * hand_rows_run:
 * @rows: (type HandRows): a loop
 * @n: steps of all lanes
 *
 * A #BenchFunc.
 *
 * Returns: seconds
 */
double hand_rows_run (gpointer rows, gint64 n);

G_END_DECLS
