/* The start and the end of the work of all ranks. */
#include "ranks.h"

#include "mpi-library.h"
#include "ranks-private.h"

#include <string.h>
#include <unistd.h>

#define RANKS (reel_ranks_state ())
#define PARTING_MS 10000 /* for ranks to hear that the work is over */

static gboolean over;

/* read_number: of a variable that a launcher sets, or -1. */
static gint
read_number (const char *name)
{
  const char *text = g_getenv (name);
  guint64 number;

  return text && g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &number, NULL) ? (gint) number
                                                                                   : -1;
}

gint
reel_ranks_count_launched (gint *rank)
{
  static const char *const names[][2] = {
    { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" }, /* mpirun */
    { "SLURM_NTASKS", "PMIX_RANK" },                    /* srun --mpi=pmix */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gint n = read_number (names[i][0]), number = read_number (names[i][1]);

      if (n < 1 || number < 0 || number >= n)
        continue;
      if (rank)
        *rank = number;
      return n;
    }
  if (rank)
    *rank = 0;
  return 1;
}

void
reel_ranks_cut (gint64 n, gint rank, gint n_ranks, gint64 *begin, gint64 *end)
{
  g_return_if_fail (n >= 0 && rank >= 0 && rank < n_ranks);

  *begin = n / n_ranks * rank + n % n_ranks * rank / n_ranks;
  *end = n / n_ranks * (rank + 1) + n % n_ranks * (rank + 1) / n_ranks;
}

static char *
describe (gint rank)
{
  return g_strdup_printf ("rank %d on %s, process %d", rank, g_get_host_name (), (int) getpid ());
}

/* ---- the start ---- */

static gboolean
open_first (GError **error)
{
  g_autofree char *address = NULL;
  g_autofree char *name = describe (0);
  g_autoptr (GError) failure = NULL;

  RANKS->watch = reel_rank_watch_new (RANKS->n_ranks, &address, error);
  if (RANKS->watch == NULL)
    return FALSE;

  g_autofree char *text = g_strdup_printf ("%s\n%s", address, name);

  for (gint rank = 1; rank < RANKS->n_ranks; rank++)
    {
      ReelRankMessage hello = { .kind = REEL_RANK_HELLO };

      if (!reel_rank_send (rank, &hello, text, strlen (text), error))
        return FALSE;
    }
  for (gint rank = 1; rank < RANKS->n_ranks; rank++)
    {
      ReelRankMessage answer;
      guint8 *body;

      if (reel_rank_receive (rank, &answer, &body, failure ? NULL : &failure))
        RANKS->names[rank] = (char *) body;
      else
        g_prefix_error (&failure, "rank %d: ", rank);
    }
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (reel_rank_watch_accept (RANKS->watch, error))
    return TRUE;
  return FALSE;
}

static gboolean
open_other (GError **error)
{
  ReelRankMessage hello;
  g_autofree guint8 *body = NULL;
  g_autofree char *name = describe (RANKS->rank);
  GError *failure = NULL;

  if (!reel_rank_receive (0, &hello, &body, error))
    return FALSE;

  g_auto (GStrv) lines = g_strsplit ((const char *) body, "\n", 2);

  RANKS->names[0] = g_strdup (lines[1]);
  RANKS->watch = reel_rank_watch_join (lines[0], RANKS->rank, &failure);
  if (RANKS->watch != NULL)
    return reel_rank_send (0, &hello, name, strlen (name), error);
  reel_rank_send_failure (0, failure);
  g_propagate_error (error, failure);
  return FALSE;
}

static gboolean
open_all (GError **error)
{
  ReelRanks start = { .n_ranks = 1 };

  start.alone = reel_ranks_count_launched (NULL) == 1;
  if (!start.alone && !reel_mpi_start (&start.rank, &start.n_ranks, error))
    return FALSE;
  *RANKS = start;
  RANKS->names = g_new0 (char *, RANKS->n_ranks);
  RANKS->warnings = g_ptr_array_new_with_free_func (g_free);
  if (RANKS->alone || (RANKS->rank == 0 ? open_first (error) : open_other (error)))
    return TRUE;
  reel_ranks_close ();
  return FALSE;
}

gboolean
reel_ranks_open (gint *rank, gint *n_ranks, GError **error)
{
  if (over)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "the ranks were closed: MPI cannot be started twice");
      return FALSE;
    }
  if (RANKS->n_ranks == 0 && !open_all (error))
    return FALSE;
  if (rank)
    *rank = RANKS->rank;
  if (n_ranks)
    *n_ranks = RANKS->n_ranks;
  return TRUE;
}

const ReelRanks *
reel_ranks_get (GError **error)
{
  return reel_ranks_open (NULL, NULL, error) ? reel_ranks_state () : NULL;
}

/* ---- the end ---- */

/* wait_for_ends: what is sent is read from memory of the sender, and MPI waits for nobody now. */
static void
wait_for_ends (void)
{
  gint n_there = RANKS->n_ranks;

  for (gint turn = 0; n_there > 0 && turn < PARTING_MS; turn++)
    {
      n_there = 0;
      for (gint rank = 1; rank < RANKS->n_ranks; rank++)
        n_there += !reel_ranks_has_lost (rank);
      if (n_there > 0)
        reel_ranks_look (1);
    }
}

/* part_from_all: rank 0 lets the others go, and says whether MPI can wait for all. */
static void
part_from_all (void)
{
  for (gint rank = 1; rank < RANKS->n_ranks; rank++)
    RANKS->lost = reel_ranks_has_lost (rank) || RANKS->lost;
  for (gint rank = 1; rank < RANKS->n_ranks; rank++)
    {
      ReelRankMessage message = { .kind = REEL_RANK_CLOSE, .numbers = { RANKS->lost } };

      if (!reel_ranks_has_lost (rank))
        reel_rank_send (rank, &message, NULL, 0, NULL);
    }
  if (RANKS->lost)
    wait_for_ends ();
}

void
reel_ranks_note_close (const ReelRankMessage *message)
{
  RANKS->lost = RANKS->lost || message->numbers[0];
  RANKS->parted = TRUE;
}

static void
part_from_first (void)
{
  ReelRankMessage message;
  guint8 *body = NULL;

  while (!RANKS->parted && reel_rank_receive (0, &message, &body, NULL))
    {
      g_free (body);
      if (message.kind == REEL_RANK_CLOSE)
        reel_ranks_note_close (&message);
    }
}

void
reel_ranks_close (void)
{
  if (RANKS->n_ranks == 0)
    return;
  if (RANKS->watch != NULL && RANKS->rank == 0)
    part_from_all ();
  else if (RANKS->watch != NULL)
    part_from_first ();
  if (!RANKS->lost && !RANKS->alone)
    reel_mpi_stop ();
  g_clear_pointer (&RANKS->watch, reel_rank_watch_free);
  g_clear_pointer (&RANKS->warnings, g_ptr_array_unref);
  for (gint rank = 0; rank < RANKS->n_ranks; rank++)
    g_free (RANKS->names[rank]);
  g_free (RANKS->names);
  over = !RANKS->alone;
  *RANKS = (ReelRanks){ 0 };
}
