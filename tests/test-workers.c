#include "../src/core/system/cpus.h"
#include "../src/core/object/error.h"
#include "../src/core/system/workers.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_TESTED 7

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Plain memory: ThreadSanitizer says if the order of the runs does not cover it. */
typedef struct
{
  gint64 input;
  gint64 seen[MAX_TESTED], calls[MAX_TESTED];
  gint n_workers[MAX_TESTED];
} Board;

static void
note (gpointer data, gint worker, gint n_workers)
{
  Board *board = data;

  board->seen[worker] = board->input;
  board->calls[worker]++;
  board->n_workers[worker] = n_workers;
}

static void
run_and_check (ReelWorkers *workers, Board *board, gint64 n_runs)
{
  gint n = reel_workers_count (workers);

  for (gint64 i = 1; i <= n_runs; i++)
    {
      board->input = i;
      reel_workers_run (workers, note, board);
      for (gint worker = 0; worker < MAX_TESTED; worker++)
        if (board->seen[worker] != (worker < n ? i : 0)
            || board->calls[worker] != board->seen[worker])
          g_error ("worker %d of %d in run %" G_GINT64_FORMAT, worker, n, i);
    }
  for (gint worker = 0; worker < n; worker++)
    g_assert_cmpint (board->n_workers[worker], ==, n_runs > 0 ? n : 0);
}

static void
test_each_runs_once (void)
{
  /* More workers than CPUs must sleep and be woken each time. */
  gint64 n_runs = g_test_slow () ? 1000000 : 2000;

  for (gint n = 1; n <= MAX_TESTED; n++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelWorkers) workers = reel_workers_new (n, &error);
      Board board = { 0 };

      g_assert_no_error (error);
      g_assert_cmpint (reel_workers_count (workers), ==, n);
      run_and_check (workers, &board, n <= 2 ? 50 * n_runs : n_runs);
    }
}

static void
test_sleepers_wake (void)
{
  g_autoptr (ReelWorkers) workers = reel_workers_new (3, NULL);
  Board board = { 0 };

  for (gint64 i = 1; i <= 20; i++)
    {
      g_usleep (1000); /* twenty times as long as they spin */
      board.input = i;
      reel_workers_run (workers, note, &board);
      for (gint worker = 0; worker < 3; worker++)
        g_assert_cmpint (board.seen[worker], ==, i);
    }
}

static void
note_thread (gpointer data, gint worker, gint n_workers)
{
  pthread_t *who = data;

  who[worker] = pthread_self ();
}

/* Threads that sleep come late: sooner or later the caller finds a share that none has begun. */
static void
test_late_shares_are_the_callers (void)
{
  g_autoptr (ReelWorkers) workers = reel_workers_new (MAX_TESTED, NULL);
  pthread_t who[MAX_TESTED];
  gint n_taken = 0;

  for (gint i = 0; i < 10000 && n_taken == 0; i++)
    {
      g_usleep (200);
      reel_workers_run (workers, note_thread, who);
      g_assert_true (pthread_equal (who[0], pthread_self ()));
      for (gint worker = 1; worker < MAX_TESTED; worker++)
        n_taken += pthread_equal (who[worker], pthread_self ()) != 0;
    }
  g_assert_cmpint (n_taken, >, 0);
}

static void
dawdle (gpointer data, gint worker, gint n_workers)
{
  gint *slow = data;

  if (worker == *slow)
    g_usleep (2000);
}

static void
test_waits_for_the_slowest (void)
{
  g_autoptr (ReelWorkers) workers = reel_workers_new (3, NULL);

  for (gint slow = 0; slow < 3; slow++)
    {
      gint64 begin = g_get_monotonic_time ();

      reel_workers_run (workers, dawdle, &slow);
      g_assert_cmpint (g_get_monotonic_time () - begin, >=, 2000);
    }
}

static void
test_ends_at_any_time (void)
{
  for (int i = 0; i < 200; i++)
    {
      ReelWorkers *workers = reel_workers_new (1 + i % 5, NULL);
      Board board = { 0 };

      if (i % 2)
        run_and_check (workers, &board, i % 7);
      if (i % 20 == 0)
        g_usleep (500); /* asleep */
      reel_workers_free (workers);
    }
  reel_workers_free (NULL);
}

static void *
own (void *data)
{
  Board board = { 0 };
  g_autoptr (ReelWorkers) workers = reel_workers_new (2, NULL);

  run_and_check (workers, &board, *(gint64 *) data);
  return NULL;
}

static void
test_sets_are_independent (void)
{
  gint64 n_runs = 1000;
  pthread_t threads[3];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, own, &n_runs), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);
}

static void
test_default_number (void)
{
  g_autoptr (ReelWorkers) workers = reel_workers_new (0, NULL);

  g_assert_cmpint (reel_workers_count (workers), ==, reel_cpu_count ());
}

static void
test_number_out_of_range (void)
{
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_workers_new (i ? 1025 : -1, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, i ? "1025" : "-1"));
    }
}

/* An address space with room for few stacks. */
static void
test_refused_threads (void)
{
  g_autoptr (GError) error = NULL;
  struct rlimit limit;
  g_autofree char *text = NULL;

  if (SANITIZED)
    {
      g_test_skip ("sanitizers need address space");
      return;
    }
  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  limit.rlim_cur = limit.rlim_max =
      (rlim_t) (g_ascii_strtoll (text, NULL, 10) * sysconf (_SC_PAGESIZE)) + (256 << 20);
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
  g_assert_null (reel_workers_new (1000, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "1000 workers"));
  reel_workers_free (reel_workers_new (2, NULL)); /* what was started has ended */
}

typedef struct
{
  int number;
  atomic_int is_blocked[2];
} Signals;

static void
look_at_signals (gpointer data, gint worker, gint n_workers)
{
  Signals *signals = data;
  sigset_t blocked;

  pthread_sigmask (SIG_SETMASK, NULL, &blocked);
  atomic_store (&signals->is_blocked[worker], sigismember (&blocked, signals->number));
  while (worker == 0 && atomic_load (&signals->is_blocked[1]) < 0)
    g_usleep (100); /* else the caller would do both shares */
}

static void
test_signals_go_to_the_caller (void)
{
  g_autoptr (ReelWorkers) workers = reel_workers_new (2, NULL);
  Signals signals = { SIGINT, { -1, -1 } };

  reel_workers_run (workers, look_at_signals, &signals);
  g_assert_cmpint (signals.is_blocked[0], ==, 0);
  g_assert_cmpint (signals.is_blocked[1], ==, 1);
}

/* A handler finds the file that was cut under a worker that reads it. */
static void
test_signals_of_faults_go_to_the_worker (void)
{
  static const int faults[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
  g_autoptr (ReelWorkers) workers = reel_workers_new (2, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      Signals signals = { faults[i], { -1, -1 } };

      reel_workers_run (workers, look_at_signals, &signals);
      g_assert_cmpint (signals.is_blocked[1], ==, 0);
    }
}

/* Every small case: ranges join without gaps, begin at multiples, are never short, and differ
 * little. */
static void
test_partition (void)
{
  for (gint64 n_items = 0; n_items < 70; n_items++)
    for (gint64 multiple = 1; multiple < 9; multiple++)
      for (gint n = 1; n < 9; n++)
        {
          gint64 at = 0, longest = 0, shortest = G_MAXINT64;

          for (gint worker = 0; worker < n; worker++)
            {
              gint64 begin, end;

              reel_workers_partition (n_items, multiple, worker, n, &begin, &end);
              g_assert_cmpint (begin, ==, at);
              g_assert_cmpint (end, >=, begin);
              at = end;
              if (end == begin)
                continue;
              g_assert_cmpint (begin % multiple, ==, 0);
              g_assert_true (end - begin >= multiple || n_items < multiple);
              longest = MAX (longest, (end - begin) / multiple);
              shortest = MIN (shortest, (end - begin) / multiple);
            }
          g_assert_cmpint (at, ==, n_items);
          g_assert_true (n_items == 0 || longest - shortest <= 1);
        }
}

typedef struct
{
  ReelWorkersClaim claim;
  guint8 taken[1000];
} Items;

static void
take (gpointer data, gint worker, gint n_workers)
{
  Items *items = data;
  gint64 begin, end;

  while (reel_workers_claim (&items->claim, &begin, &end))
    for (gint64 i = begin; i < end; i++)
      items->taken[i]++;
}

static void
test_claim (void)
{
  static const gint64 chunks[] = { 1, 7, 64, 999, 1000, 1001, G_MAXINT32 };
  g_autoptr (ReelWorkers) workers = reel_workers_new (3, NULL);

  for (gsize c = 0; c < G_N_ELEMENTS (chunks); c++)
    for (gint64 n_items = 0; n_items <= 1000; n_items += 125)
      {
        Items items = { .taken = { 0 } };

        reel_workers_claim_init (&items.claim, n_items, chunks[c]);
        reel_workers_run (workers, take, &items);
        for (gint64 i = 0; i < 1000; i++)
          g_assert_cmpint (items.taken[i], ==, i < n_items);
      }
}

static void
nothing (gpointer data, gint worker, gint n_workers)
{
}

static void
test_hand_off_time (void)
{
  g_autoptr (ReelWorkers) workers = reel_workers_new (2, NULL);
  gint64 best = G_MAXINT64;

  for (int i = 0; i < 20; i++)
    {
      gint64 begin = g_get_monotonic_time ();

      for (int run = 0; run < 5000; run++)
        reel_workers_run (workers, nothing, NULL);
      best = MIN (best, g_get_monotonic_time () - begin);
    }
  g_test_minimized_result ((double) best / 5000, "a run of two workers takes %.3f us",
                           (double) best / 5000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/workers/each-runs-once", test_each_runs_once);
  g_test_add_func ("/core/workers/sleepers-wake", test_sleepers_wake);
  g_test_add_func ("/core/workers/late-shares-are-the-callers", test_late_shares_are_the_callers);
  g_test_add_func ("/core/workers/waits-for-the-slowest", test_waits_for_the_slowest);
  g_test_add_func ("/core/workers/ends-at-any-time", test_ends_at_any_time);
  g_test_add_func ("/core/workers/sets-are-independent", test_sets_are_independent);
  g_test_add_func ("/core/workers/default-number", test_default_number);
  g_test_add_func ("/core/workers/number-out-of-range", test_number_out_of_range);
  g_test_add_func ("/core/workers/refused-threads", test_refused_threads);
  g_test_add_func ("/core/workers/signals-go-to-the-caller", test_signals_go_to_the_caller);
  g_test_add_func ("/core/workers/signals-of-faults-go-to-the-worker",
                   test_signals_of_faults_go_to_the_worker);
  g_test_add_func ("/core/workers/partition", test_partition);
  g_test_add_func ("/core/workers/claim", test_claim);
  if (g_test_perf ())
    g_test_add_func ("/core/workers/hand-off-time", test_hand_off_time);
  return g_test_run ();
}
