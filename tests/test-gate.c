#include "../src/core/system/gate.h"

#include <pthread.h>

#define N_SLEEPERS 3

typedef struct
{
  ReelGate gate, back;
  gint payload;
} Pair;

static void *
follow (void *data)
{
  Pair *pair = data;

  for (guint seen = 0; seen < 2000; seen++)
    {
      if (seen % 3 != 0 || !reel_gate_spin (&pair->gate, seen, 5))
        g_assert_true (reel_gate_wait (&pair->gate, seen, -1));
      g_assert_cmpint (pair->payload, ==, (gint) seen);
      reel_gate_advance (&pair->back);
    }
  return NULL;
}

static void
test_orders_what_was_written (void)
{
  Pair pair = { 0 };
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, follow, &pair), ==, 0);
  for (guint seen = 0; seen < 2000; seen++)
    {
      pair.payload = (gint) seen;
      reel_gate_advance (&pair.gate);
      g_assert_true (
          reel_gate_wait (&pair.back, seen, g_get_monotonic_time () + 60 * G_USEC_PER_SEC));
    }
  pthread_join (thread, NULL);
}

static void *
sleep_at (void *gate)
{
  g_assert_true (reel_gate_wait (gate, 0, -1));
  return NULL;
}

static void
test_one_advance_wakes_all (void)
{
  ReelGate gate = { 0 };
  pthread_t threads[N_SLEEPERS];

  for (int i = 0; i < N_SLEEPERS; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, sleep_at, &gate), ==, 0);
  while (atomic_load (&gate.sleepers) < N_SLEEPERS)
    g_usleep (100);
  g_usleep (2000); /* asleep, not on the way to it */
  reel_gate_advance (&gate);
  for (int i = 0; i < N_SLEEPERS; i++)
    pthread_join (threads[i], NULL);
  g_assert_cmpuint (atomic_load (&gate.sleepers), ==, 0);
}

static void
test_deadline (void)
{
  ReelGate gate = { 0 };
  gint64 begin = g_get_monotonic_time ();

  g_assert_false (reel_gate_wait (&gate, 0, begin + 20000));
  g_assert_cmpint (g_get_monotonic_time (), >=, begin + 20000);
  g_assert_false (reel_gate_wait (&gate, 0, 0));
  g_assert_false (reel_gate_spin (&gate, 0, 50));
  g_assert_true (reel_gate_wait (&gate, 1, 0));
  g_assert_true (reel_gate_spin (&gate, 1, 0));
  g_assert_false (reel_gate_linger (&gate, 0, 50));
  g_assert_true (reel_gate_linger (&gate, 1, 0));
  g_assert_cmpuint (reel_gate_value (&gate), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/gate/orders-what-was-written", test_orders_what_was_written);
  g_test_add_func ("/core/gate/one-advance-wakes-all", test_one_advance_wakes_all);
  g_test_add_func ("/core/gate/deadline", test_deadline);
  return g_test_run ();
}
