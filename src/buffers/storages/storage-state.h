/* The fields of a storage, for the files that implement it. Private. */
#pragma once

#include "columns.h"
#include "storage-private.h"

#include <stdatomic.h>

G_BEGIN_DECLS

#define REEL_STORAGE_MAX_NDIM 3

typedef struct
{
  ReelCommitFunc func;
  gpointer user_data;
} ReelObserver;

typedef struct
{
  gint64 capacity; /* rows; rounded up when allocated */
  gint64 ndim;
  gint64 dim_extend; /* −1 for the last storage dimension */
  _Atomic guint64 identity;
  _Atomic guint64 revision_before; /* of rings before this one, less what it had counted */
  gint64 *_Atomic replaced;   /* the last slots whose steps were replaced, NULL before the first */
  _Atomic gint64 n_replaced;  /* how many there were, of which the last n_slots are kept */
  _Atomic gint64 n_replacing; /* as many once those of now are through */
  _Atomic gint64 origin; /* number of the first step since it was last emptied, or one before */

  /* Fixed by the allocation. The ring is stored last, with release order: who sees it sees the
   * rest. */
  ReelTensordict *data;
  ReelColumns columns;
  gint64 n_slots; /* steps */
  gint64 lanes;
  const ReelCopyKernels *kernels;
  const ReelGatherKernels *gather_kernels;
  ReelRing *_Atomic ring;
  _Atomic (_Atomic gint64 *) generations; /* a slot each, NULL where none asked for them */

  gboolean tracks; /* generations are wanted */
  gboolean given;  /* the memory is its maker's */
  gboolean shares; /* a forked process shares the rows, of a class that does not always */

  /* The writer's, made when it first writes. */
  gboolean past_cache; /* the ring does not fit the cache: long copies stream past it */
  guint8 **block;      /* the columns of the block that is out */
  gint64 most_lent;    /* steps of a block */
  ReelMemory *staging; /* what blocks of records are packed from, else NULL */
  const char *sealed;  /* why nothing can be written, NULL where it can */
  ReelWriteGate gate;  /* asked before the first write, NULL from then on */
  gpointer gate_data;
  ReelOverwriteGuard guard; /* asked before each write, NULL for none */
  gpointer guard_data;
  gint64 n_lent;         /* steps of the block that is out, 0 when none is */
  gint64 n_ahead;        /* likewise, of those that several fill */
  ReelSettleFunc settle; /* has these completed, NULL while there are none */
  gpointer settle_data;
  GArray *observers;
} ReelStoragePrivate;

/**
 * reel_storage_state:
 * @self: a storage
 *
 * Returns: its fields
 */
ReelStoragePrivate *reel_storage_state (ReelStorage *self);

/**
 * reel_storage_begin_write:
 * @self: an allocated storage
 * @error: RUNTIME before the first write, or when a block is still out; NO_SPACE
 *
 * The first part of every write: makes the memory of blocks, once.
 *
 * Returns: whether the writer may go on
 */
gboolean reel_storage_begin_write (ReelStorage *self, GError **error);

/**
 * reel_storage_begin_steps:
 * @self: a storage
 * @end: the steps before this number are about to be written at the cursor
 * @error: what its guard says; as reel_ring_announce()
 *
 * Comes before the claim of steps, which is not taken back.
 *
 * Returns: whether they may be claimed
 */
gboolean reel_storage_begin_steps (ReelStorage *self, gint64 end, GError **error);

/**
 * reel_storage_announce:
 * @self: a storage
 * @first_step: number of the first step that became readable
 * @n_steps: how many
 *
 * Tells those who follow.
 */
void reel_storage_announce (ReelStorage *self, gint64 first_step, gint64 n_steps);

/**
 * reel_storage_set_shared:
 * @self: a storage, in @allocate of its class
 *
 * Says that a forked process shares this storage's rows.
 */
void reel_storage_set_shared (ReelStorage *self);

/**
 * reel_storage_renew_identity:
 * @self: a storage of which something changed that samplers resolve once
 */
void reel_storage_renew_identity (ReelStorage *self);

/**
 * reel_storage_make_generations:
 * @self: a storage whose number of slots is known: where they are wanted, all are −1
 */
void reel_storage_make_generations (ReelStorage *self);

/**
 * reel_storage_free_generations:
 * @self: a storage that goes away
 */
void reel_storage_free_generations (ReelStorage *self);

/**
 * reel_storage_outdate_generations:
 * @self: a storage whose rows are others now, or none: one more for each slot that was written
 */
void reel_storage_outdate_generations (ReelStorage *self);

/**
 * reel_storage_finish_writing:
 * @self: a storage that goes away
 */
void reel_storage_finish_writing (ReelStorage *self);

G_END_DECLS
