/* The fields of the collector multi-async, and the states of its workers. Private to the library.
 */
#pragma once

#include "../core/system/mapping.h"
#include "multi-collector.h"
#include "saved-lanes.h"

G_BEGIN_DECLS

/* How a batch is begun. */
typedef struct
{
  gint worker;
  gboolean restarts, is_random;
} ReelAsyncBeginning;

/* A place for a batch: of the own blocks, or of steps that the buffer lends. */
typedef struct
{
  gint worker;                  /* -1 while it is free */
  gint64 number;                /* batches that were begun before */
  ReelAsyncBeginning beginning; /* of it */
  gboolean is_done;
  gboolean is_lost;         /* its worker failed */
  ReelStepBlock *own;       /* NULL where a buffer is written in place */
  ReelCollectorStats tally; /* of its worker, once it is done */
  gint64 n_empty;           /* likewise */
} ReelAsyncSlot;

struct _ReelMultiAsyncCollector
{
  ReelMultiCollector parent_instance;

  gint64 batch_steps;
  ReelAsyncSlot *slots;
  gint n_slots;
  gint *slot_of;   /* by worker: the one at work, -1 for none */
  gint handed;     /* the slot that is handed out, -1 for none */
  gint unseen;     /* the one that is to be, -1 for none */
  gboolean ends;   /* no more batches are begun */
  gint64 n_begun;  /* batches that were ever begun, which follow one another in the buffer */
  gint64 n_stored; /* of them, those that are committed, or were handed out */
  GArray *again;   /* ReelAsyncBeginning: batches that the collector of a state had begun */
  ReelCollectorStats *tallies; /* by worker: of batches that were handed out */
  guint8 **columns;            /* of a block */
  gboolean *restarts;          /* by worker: whether its next batch begins new episodes */
  ReelCollectorTask task;      /* the last one */
  ReelTensordict *batch;       /* that was handed out */

  ReelRunState *state; /* (not owned) or NULL */
  gsize state_bytes;   /* of a worker, with its head */
  ReelMapping states;  /* by slot; nothing where the state of lanes cannot be copied */
  guint8 *committed;   /* by worker: that after the last batch that was committed or handed out */
  const GArray *episodes;
  gboolean is_open; /* all of the above is there */
};

G_DECLARE_FINAL_TYPE (ReelMultiAsyncCollector, reel_multi_async_collector, REEL,
                      MULTI_ASYNC_COLLECTOR, ReelMultiCollector)

/**
 * reel_multi_async_make_states:
 * @self: a collector whose slots are counted
 * @error: NO_SPACE
 *
 * Makes memory for the state of each worker after each batch, where lanes can be saved.
 *
 * Returns: whether it is there
 */
gboolean reel_multi_async_make_states (ReelMultiAsyncCollector *self, GError **error);

/**
 * reel_multi_async_resume:
 * @self: a collector with a buffer
 * @error: NOT_IMPLEMENTED where lanes cannot be saved; what says that the run cannot be resumed
 *
 * Opens the saved states of the run, and puts workers where these were, if the run is resumed.
 *
 * Returns: whether batches can be begun
 */
gboolean reel_multi_async_resume (ReelMultiAsyncCollector *self, GError **error);

/**
 * reel_multi_async_note_first_state:
 * @self: a collector that saves lanes
 * @worker: one that has not begun
 *
 * Its state is that of its lanes in the env of this process.
 */
void reel_multi_async_note_first_state (ReelMultiAsyncCollector *self, gint worker);

/**
 * reel_multi_async_order_state:
 * @self: a collector
 * @slot: where a batch is to be
 * @order: of the batch
 *
 * Has the worker save its state after the batch, where lanes can be saved.
 */
void reel_multi_async_order_state (ReelMultiAsyncCollector *self, gint slot, ReelMultiOrder *order);

/**
 * reel_multi_async_keep_state:
 * @self: a collector
 * @slot: of a batch that is committed or handed out
 *
 * The state after it is that of its worker.
 */
void reel_multi_async_keep_state (ReelMultiAsyncCollector *self, gint slot);

/**
 * reel_multi_async_save_states:
 * @self: a collector
 * @n_steps: of the run, with those that are committed next
 *
 * Saves the states of all workers beside the rows, where the buffer has files.
 */
void reel_multi_async_save_states (ReelMultiAsyncCollector *self, gint64 n_steps);

/**
 * reel_multi_async_dup_state:
 * @self: a collector
 * @state: gets the state
 * @error: what reel_saved_lanes_write() says
 *
 * Returns: whether @state has it
 */
gboolean reel_multi_async_dup_state (ReelMultiAsyncCollector *self, ReelTensordict *state,
                                     GError **error);

/**
 * reel_multi_async_read_state:
 * @self: a collector
 * @state: a state
 * @saved: (out): its parts, valid as long as @state
 * @error: VALUE where it is of other workers; DAMAGED
 *
 * Changes nothing.
 *
 * Returns: whether @self can take it
 */
gboolean reel_multi_async_read_state (ReelMultiAsyncCollector *self, const ReelTensordict *state,
                                      ReelSavedLanes *saved, GError **error);

/**
 * reel_multi_async_take_state:
 * @self: a collector without batches that are under way
 * @saved: what was read
 *
 * Puts counts and workers where they were.
 */
void reel_multi_async_take_state (ReelMultiAsyncCollector *self, const ReelSavedLanes *saved);

G_END_DECLS
