/* Open MPI, opened when it is first needed: few calls of it, on one communicator. Private.
 *
 * A library that is linked with MPI starts slowly and not at all where there is none, so that it is
 * loaded as drivers are. All calls are of one thread. */
#pragma once

#include "../core/object/error.h"

G_BEGIN_DECLS

/**
 * REEL_MPI_MOST_BYTES:
 *
 * Bytes of a message at most; MPI counts in int.
 */
#define REEL_MPI_MOST_BYTES ((gsize) 1 << 30)

/**
 * reel_mpi_start:
 * @rank: (out): the number of this process
 * @n_ranks: (out): how many there are
 * @error: NOT_IMPLEMENTED where this build leaves MPI out; RUNTIME where it cannot be loaded or
 *   started
 *
 * Starts MPI, unless the program did so, with a communicator of our own. All ranks call it.
 *
 * Returns: whether messages can be sent
 */
gboolean reel_mpi_start (gint *rank, gint *n_ranks, GError **error);

/**
 * reel_mpi_stop:
 *
 * Ends what reel_mpi_start() started. All ranks call it, and wait for each other.
 */
void reel_mpi_stop (void);

/**
 * reel_mpi_send:
 * @data: (array length=n): bytes that stay until the request is done
 * @n: at most %REEL_MPI_MOST_BYTES
 * @to: a rank
 * @tag: what kind of message it is
 *
 * Returns: (nullable): the request; %NULL where MPI refuses the message
 */
gpointer reel_mpi_send (gconstpointer data, gsize n, gint to, gint tag);

/**
 * reel_mpi_receive:
 * @data: (array length=n): memory for the message
 * @n: its bytes
 * @from: a rank
 * @tag: what kind of message it is
 *
 * Returns: (nullable): the request; %NULL where MPI refuses the message
 */
gpointer reel_mpi_receive (gpointer data, gsize n, gint from, gint tag);

/**
 * ReelMpiState:
 * @REEL_MPI_UNDER_WAY: some requests are not done
 * @REEL_MPI_DONE: all are
 * @REEL_MPI_FAILED: one cannot be done
 *
 * How far requests are.
 */
typedef enum
{
  REEL_MPI_UNDER_WAY,
  REEL_MPI_DONE,
  REEL_MPI_FAILED
} ReelMpiState;

/**
 * reel_mpi_test:
 * @requests: (array length=n): requests, %NULL for those that MPI refused
 * @n: how many
 *
 * Returns: how far they are
 */
ReelMpiState reel_mpi_test (gpointer *requests, guint n);

/**
 * reel_mpi_drop:
 * @requests: (array length=n): requests that a rank which ended leaves open
 * @n: how many
 *
 * Gives them up.
 */
void reel_mpi_drop (gpointer *requests, guint n);

/**
 * reel_mpi_probe:
 * @from: a rank
 * @tag: what kind of message
 *
 * Returns: whether one has come
 */
gboolean reel_mpi_probe (gint from, gint tag);

G_END_DECLS
