/* The fields of a collector, which the files of ReelCollector share. Private. */
#pragma once

#include "collector-private.h"
#include "collector-background.h"
#include "whole-trajectories.h"

#include <stdatomic.h>

G_BEGIN_DECLS

typedef struct
{
  ReelCollectorPreHook pre;
  ReelCollectorPostHook post;
  gpointer data;
  GDestroyNotify destroy;
} ReelCollectorHooks;

typedef struct
{
  ReelCollectorParts parts;
  gint64 n_lanes;
  gint64 batch_steps; /* of a whole batch */
  gint64 first_step;  /* of the run, at which this collector went on */
  gint64 steps_left;  /* of a batch that began, in a run that was stopped or by a failure; else 0 */
  gint64 n_steps;     /* collected so far, of all lanes */
  gint64 n_batches;
  gboolean collected; /* the last call did something */
  gboolean restarts;  /* the next batch begins with new episodes */
  gboolean is_shut;
  ReelTensordict *batch;        /* that was handed out, where it is not the kind's */
  ReelWholeTrajectories *whole; /* NULL unless whole trajectories are asked for */
  ReelCollectorHooks hooks;
  ReelCollectorBackground *background; /* NULL before reel_collector_start() */
  atomic_int stopped;
  atomic_int interrupted;
} ReelCollectorPrivate;

/**
 * reel_collector_get_private:
 * @self: a collector
 *
 * Returns: (transfer none): its fields
 */
ReelCollectorPrivate *reel_collector_get_private (ReelCollector *self);

/**
 * reel_collector_next_batch:
 * @self: a collector
 * @batch: as in reel_collector_next()
 * @error: likewise
 *
 * Returns: as reel_collector_next(), in whichever thread collects
 */
gint64 reel_collector_next_batch (ReelCollector *self, ReelTensordict **batch, GError **error);

/**
 * reel_collector_check_free:
 * @self: a collector
 * @error: RUNTIME where it was shut down or collects in the background
 *
 * Returns: whether the caller may use it
 */
gboolean reel_collector_check_free (ReelCollector *self, GError **error);

G_END_DECLS
