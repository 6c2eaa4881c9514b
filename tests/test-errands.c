/* Errands are all done, once each, and come back in the order in which they ended. */
#include "../src/core/system/errands.h"
#include "../src/core/system/gate.h"
#include "orders.h"

#define MANY 9

/* What threads did: plain, as the order of errands must cover it. */
typedef struct
{
  gint64 times[MANY];
  gint64 given[MANY];
  ReelGate gates[MANY]; /* an errand waits at its own where @waits */
  gboolean waits;
} Done;

static void
do_errand (gpointer data, gint64 number)
{
  Done *done = data;

  if (done->waits)
    reel_gate_wait (&done->gates[number], 0, -1);
  done->times[number] += done->given[number];
}

static ReelErrands *
start (gint n_threads, gint64 n, Done *done)
{
  GError *error = NULL;
  ReelErrands *errands = reel_errands_new (n_threads, n, do_errand, done, &error);

  g_assert_no_error (error);
  return errands;
}

static void
test_one_thread_keeps_the_order (void)
{
  gint64 order[] = { 0, 1, 2, 3, 4 };
  Done done = { 0 };
  ReelErrands *errands = start (1, 5, &done);
  gint64 n = 0;

  for (gint64 i = 0; i < 5; i++)
    done.given[i] = 1;
  do
    {
      for (int i = 0; i < 5; i++)
        reel_errands_send (errands, order[i]);
      for (int i = 0; i < 5; i++)
        g_assert_cmpint (reel_errands_take (errands, -1), ==, order[i]);
      n++;
    }
  while (orders_next (order, 5));
  g_assert_cmpint (n, ==, 120);
  for (gint64 i = 0; i < 5; i++)
    g_assert_cmpint (done.times[i], ==, n);
  reel_errands_free (errands);
}

/* A thread for each: whichever errand ends first comes back first. */
static void
test_first_end_is_first (void)
{
  gint64 order[] = { 0, 1, 2, 3 };

  do
    {
      Done done = { .waits = TRUE };
      ReelErrands *errands = start (4, 4, &done);

      for (gint64 i = 0; i < 4; i++)
        reel_errands_send (errands, i);
      g_assert_cmpint (reel_errands_take (errands, 0), ==, -1);
      for (int i = 0; i < 4; i++)
        {
          reel_gate_advance (&done.gates[order[i]]);
          g_assert_cmpint (reel_errands_take (errands, -1), ==, order[i]);
        }
      g_assert_cmpint (reel_errands_take (errands, g_get_monotonic_time () + 10), ==, -1);
      reel_errands_free (errands);
    }
  while (orders_next (order, 4));
}

/* Each is sent again as soon as it is back, with something that only its thread reads. */
static void
test_none_is_lost (void)
{
  for (gint n_threads = 1; n_threads <= 4; n_threads++)
    for (gint64 n = 1; n <= MANY; n += 4)
      {
        Done done = { 0 };
        ReelErrands *errands = start (n_threads, n, &done);
        gint64 sums[MANY] = { 0 };

        for (gint64 i = 0; i < n; i++)
          reel_errands_send (errands, i);
        for (gint64 k = 1; k <= 5000; k++)
          {
            gint64 number = reel_errands_take (errands, -1);

            g_assert_cmpint (number, <, n);
            g_assert_cmpint (done.times[number], ==, sums[number]);
            done.given[number] = k;
            sums[number] += k;
            reel_errands_send (errands, number);
          }
        reel_errands_free (errands);
      }
}

static void
test_what_is_not_begun_is_left (void)
{
  Done done = { .given = { 1, 1, 1 }, .waits = TRUE };
  ReelErrands *errands = start (1, 3, &done);

  reel_gate_advance (&done.gates[0]);
  for (gint64 i = 0; i < 3; i++)
    reel_errands_send (errands, i);
  g_assert_cmpint (reel_errands_take (errands, -1), ==, 0);
  reel_gate_advance (&done.gates[1]);
  reel_gate_advance (&done.gates[2]);
  reel_errands_free (errands);
  g_assert_cmpint (done.times[0], ==, 1);
  g_assert_cmpint (done.times[2], <=, done.times[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name, function) g_test_add_func ("/core/errands/" name, function)
  TEST ("one-thread-keeps-the-order", test_one_thread_keeps_the_order);
  TEST ("first-end-is-first", test_first_end_is_first);
  TEST ("none-is-lost", test_none_is_lost);
  TEST ("what-is-not-begun-is-left", test_what_is_not_begun_is_left);
#undef TEST
  return g_test_run ();
}
