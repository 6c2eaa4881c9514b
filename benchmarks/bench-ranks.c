/* A batch from one rank to another: the messages of the collector `ranks`, beside a bare MPI_Send.
 * It starts itself again by mpirun, on two ranks, of which rank 1 sends. */
#include "../src/ranks/ranks-private.h"
#include "../src/reel.h"
#include "bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_BYTES (1 << 20)
#define ASK_TAG 7
#define SEND_TAG 8

/* Bytes of a row of CartPole by leaf, in the order in which they are sent. */
static const gsize row_bytes[] = { 16, 16, 1, 1, 1, 16, 4, 1, 1, 1, 8 };

#define N_LEAVES G_N_ELEMENTS (row_bytes)
#define ROW_BYTES 66
#define N_ROWS (BATCH_BYTES / ROW_BYTES)

/* The orders of rank 0 to rank 1. */
enum
{
  BATCHES,
  BARE,
  END
};

static guint8 *memory;

static void
lay_out (ReelRankPart *parts)
{
  guint8 *at = memory;

  for (gsize i = 0; i < N_LEAVES; i++)
    {
      parts[i] = (ReelRankPart){ at, N_ROWS * row_bytes[i] };
      at += parts[i].n_bytes;
    }
}

static void
order (int what, gint64 n)
{
  gint64 numbers[] = { what, n };

  MPI_Send (numbers, 2, MPI_INT64_T, 1, ASK_TAG, MPI_COMM_WORLD);
}

/* ---- rank 0: receives ---- */

static double
receive_batches (gpointer data, gint64 n)
{
  ReelRankPart parts[N_LEAVES];

  lay_out (parts);
  order (BATCHES, n);
  double begin = bench_clock ();
  for (gint64 i = 0; i < n; i++)
    {
      ReelRankMessage message = { .kind = REEL_RANK_STEP };
      g_autofree guint8 *body = NULL;
      GError *error = NULL;

      bench_demand (reel_rank_send (1, &message, NULL, 0, &error)
                        && reel_rank_receive (1, &message, &body, &error)
                        && reel_rank_receive_parts (1, parts, N_LEAVES, &error),
                    error);
    }
  return bench_clock () - begin;
}

static double
receive_bare (gpointer data, gint64 n)
{
  char word = 0;

  order (BARE, n);
  double begin = bench_clock ();
  for (gint64 i = 0; i < n; i++)
    {
      MPI_Send (&word, 1, MPI_CHAR, 1, ASK_TAG, MPI_COMM_WORLD);
      MPI_Recv (memory, BATCH_BYTES, MPI_BYTE, 1, SEND_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  return bench_clock () - begin;
}

/* ---- rank 1: sends ---- */

static void
send_batches (gint64 n)
{
  ReelRankPart parts[N_LEAVES];
  guint8 counts[sizeof (ReelCollectorStats)] = { 0 };

  lay_out (parts);
  for (gint64 i = 0; i < n; i++)
    {
      ReelRankMessage message;
      g_autofree guint8 *body = NULL;
      GError *error = NULL;

      bench_demand (reel_rank_receive (0, &message, &body, &error)
                        && reel_rank_send (0, &message, counts, sizeof counts, &error)
                        && reel_rank_send_parts (0, parts, N_LEAVES, &error),
                    error);
    }
}

static void
send_bare (gint64 n)
{
  char word;

  for (gint64 i = 0; i < n; i++)
    {
      MPI_Recv (&word, 1, MPI_CHAR, 0, ASK_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send (memory, BATCH_BYTES, MPI_BYTE, 0, SEND_TAG, MPI_COMM_WORLD);
    }
}

static void
answer (void)
{
  gint64 numbers[2];

  for (;;)
    {
      MPI_Recv (numbers, 2, MPI_INT64_T, 0, ASK_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (numbers[0] == END)
        return;
      (numbers[0] == BATCHES ? send_batches : send_bare) (numbers[1]);
    }
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double one = *(const double *) a, other = *(const double *) b;

  return (one > other) - (one < other);
}

/* measure: round after round, for rank 1 is a load of the machine that bench_measure() would wait
 * for. */
static int
measure (int argc, char **argv)
{
  Bench *bench = bench_open ("Ranks: a batch of 1 MB from one to another", argc, argv);
  const BenchFigure figure = {
    .name = "MPI batch of 1 MB, 11 leaves", .unit = "GB/s", .floor = 0.7, .goal = 0.9
  };
  gint rounds = bench_is_tiny (bench) ? 1 : 11, n = bench_is_tiny (bench) ? 1 : 100;
  double ours[11], limit[11];

  receive_bare (NULL, 1);
  receive_batches (NULL, 1);
  for (gint i = 0; i < rounds; i++)
    {
      limit[i] = n * (BATCH_BYTES / 1e9) / receive_bare (NULL, n);
      ours[i] = n * (BATCH_BYTES / 1e9) / receive_batches (NULL, n);
    }
  qsort (limit, (gsize) rounds, sizeof *limit, compare);
  bench_report (bench, &figure, ours, rounds, limit[rounds / 2]);
  order (END, 0);
  return bench_close (bench);
}

/* start: this program again, by mpirun. */
static int
start (char **argv)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  static const char *const mpirun[] = { "mpirun", "--oversubscribe", "--allow-run-as-root", "-n",
                                        "2" };

  for (gsize i = 0; i < G_N_ELEMENTS (mpirun); i++)
    g_ptr_array_add (words, (char *) mpirun[i]);
  for (; *argv; argv++)
    g_ptr_array_add (words, *argv);
  g_ptr_array_add (words, NULL);
  execvp ("mpirun", (char **) words->pdata);
  perror ("mpirun");
  return 1;
}

int
main (int argc, char **argv)
{
  int rank, provided, status = 0;

  if (reel_ranks_count_launched (NULL) == 1)
    return start (argv);
  MPI_Init_thread (&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  memory = g_malloc0 (BATCH_BYTES);

  GError *error = NULL;
  bench_demand (reel_ranks_open (NULL, NULL, &error), error);
  if (rank == 0)
    status = measure (argc, argv);
  else
    answer ();
  reel_ranks_close ();
  MPI_Finalize ();
  return status;
}
