/* The ranks as this process sees them, and messages between rank 0 and another. Private. */
#pragma once

#include "rank-watch.h"
#include "ranks.h"

G_BEGIN_DECLS

/**
 * ReelRanks:
 * @rank: the number of this process
 * @n_ranks: how many there are
 * @names: (array length=n_ranks): on rank 0: `rank 2 on HOST, process 17`; on another that of rank
 * 0
 * @watch: (nullable): of those that are there; %NULL before they are connected
 * @warnings: for reel_ranks_dup_warnings()
 * @alone: whether this rank is the only one; MPI is not loaded then
 * @parted: whether rank 0 has ended the work
 * @lost: whether a rank ended before that
 *
 * MPI is one in a process, and so is this.
 */
typedef struct
{
  gint rank;
  gint n_ranks;
  char **names;
  ReelRankWatch *watch;
  GPtrArray *warnings;
  gboolean alone;
  gboolean parted;
  gboolean lost;
} ReelRanks;

/**
 * ReelRankMessageKind:
 * @REEL_RANK_HELLO: the connection of a rank, and its name
 * @REEL_RANK_COLLECT: begin a collector, see rank-collecting.h
 * @REEL_RANK_WEIGHTS: act with other weights
 * @REEL_RANK_STEP: collect a batch
 * @REEL_RANK_BATCH: what was collected
 * @REEL_RANK_END: end the collector
 * @REEL_RANK_BUFFER: a call of a remote buffer, or its answer
 * @REEL_RANK_AGREED: the rank can continue, and has come to where all wait for each other; from
 *   rank 0: so have all
 * @REEL_RANK_STOP: end the work of this rank alone, for another has failed
 * @REEL_RANK_CLOSE: end
 * @REEL_RANK_FAILED: what was asked for could not be done
 */
typedef enum
{
  REEL_RANK_HELLO,
  REEL_RANK_COLLECT,
  REEL_RANK_WEIGHTS,
  REEL_RANK_STEP,
  REEL_RANK_BATCH,
  REEL_RANK_END,
  REEL_RANK_BUFFER,
  REEL_RANK_AGREED,
  REEL_RANK_STOP,
  REEL_RANK_CLOSE,
  REEL_RANK_FAILED
} ReelRankMessageKind;

/**
 * ReelRankMessage:
 * @kind: a #ReelRankMessageKind
 * @n_bytes: of the body
 * @numbers: by kind
 *
 * The head of a message. Ranks are of one architecture.
 */
typedef struct
{
  gint64 kind;
  gint64 n_bytes;
  gint64 numbers[4];
} ReelRankMessage;

/**
 * ReelRankPart:
 * @data: memory
 * @n_bytes: its bytes
 *
 * Bytes that are sent or received without a copy, after a message that both sides understand.
 */
typedef struct
{
  gpointer data;
  gsize n_bytes;
} ReelRankPart;

/**
 * reel_ranks_state:
 *
 * Returns: (transfer none): the ranks, opened or not; zeros then
 */
ReelRanks *reel_ranks_state (void);

/**
 * reel_ranks_get:
 * @error: as reel_ranks_open()
 *
 * Returns: (transfer none) (nullable): the ranks, opened
 */
const ReelRanks *reel_ranks_get (GError **error);

/**
 * reel_ranks_look:
 * @wait_ms: how long to wait for something to see; 0 to go on at once
 *
 * Looks at the connections: which ranks have ended.
 */
void reel_ranks_look (gint wait_ms);

/**
 * reel_ranks_note_close:
 * @message: a message of %REEL_RANK_CLOSE, which rank 0 sent
 *
 * Notes that rank 0 has ended the work.
 */
void reel_ranks_note_close (const ReelRankMessage *message);

/**
 * reel_ranks_has_lost:
 * @rank: a rank
 *
 * Looks at the connections.
 *
 * Returns: whether it ended
 */
gboolean reel_ranks_has_lost (gint rank);

/**
 * reel_ranks_warn:
 * @text: (transfer full): for reel_ranks_dup_warnings()
 *
 * Keeps a warning.
 */
void reel_ranks_warn (char *text);

/**
 * reel_rank_send:
 * @to: a rank: 0, or any for rank 0
 * @message: the head; its `n_bytes` is set
 * @body: (nullable) (array length=n_bytes): what follows it
 * @n_bytes: its bytes
 * @error: RUNTIME naming the rank that ended
 *
 * Sends a message, and returns once it has left.
 *
 * Returns: whether it was sent
 */
gboolean reel_rank_send (gint to, ReelRankMessage *message, gconstpointer body, gsize n_bytes,
                         GError **error);

/**
 * reel_rank_send_failure:
 * @to: a rank
 * @failure: why it could not be done
 *
 * Sends a message of %REEL_RANK_FAILED, if somebody is there.
 */
void reel_rank_send_failure (gint to, const GError *failure);

/**
 * reel_rank_receive:
 * @from: a rank: 0, or any for rank 0
 * @message: (out caller-allocates): the head
 * @body: (out) (transfer full): what follows it, and a nul
 * @error: RUNTIME naming the rank that ended; the error that a %REEL_RANK_FAILED is of
 *
 * Waits for a message.
 *
 * Returns: whether one was received, and no failure
 */
gboolean reel_rank_receive (gint from, ReelRankMessage *message, guint8 **body, GError **error);

/**
 * reel_rank_has_sent:
 * @from: a rank: 0, or any for rank 0
 *
 * Returns: whether a message of it has come
 */
gboolean reel_rank_has_sent (gint from);

/**
 * reel_rank_wait_for_any:
 * @ranks: (array length=n): some ranks
 * @n: how many
 *
 * Waits until one has sent something, or has ended. The first in the list comes first.
 *
 * Returns: its place in @ranks
 */
guint reel_rank_wait_for_any (const gint *ranks, guint n);

/**
 * reel_rank_send_parts:
 * @to: a rank
 * @parts: (array length=n): what to send
 * @n: how many
 * @error: RUNTIME naming the rank that ended
 *
 * Sends bytes from where they are.
 *
 * Returns: whether they were sent
 */
gboolean reel_rank_send_parts (gint to, const ReelRankPart *parts, guint n, GError **error);

/**
 * reel_rank_receive_parts:
 * @from: a rank
 * @parts: (array length=n): memory, of as many bytes as are sent
 * @n: how many
 * @error: RUNTIME naming the rank that ended
 *
 * Receives bytes to where they belong.
 *
 * Returns: whether they were received
 */
gboolean reel_rank_receive_parts (gint from, const ReelRankPart *parts, guint n, GError **error);

G_END_DECLS
