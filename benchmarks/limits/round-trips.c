#include "memory-limits.h"
#include "plain-calls.h"

#include <pthread.h>
#include <stdatomic.h>

/* One line goes to and fro between two threads that do nothing but look at it. */
typedef struct
{
  _Alignas(128) _Atomic int64_t ball;
  int64_t n;
} Game;

static void
wait_for (Game *game, int64_t value)
{
  while (atomic_load_explicit (&game->ball, memory_order_acquire) != value)
    ;
}

static void *
send_back (void *data)
{
  Game *game = data;

  for (int64_t i = 0; i < game->n; i++)
    {
      wait_for (game, 2 * i + 1);
      atomic_store_explicit (&game->ball, 2 * i + 2, memory_order_release);
    }
  return NULL;
}

double
limit_round_trips (int64_t n)
{
  Game game = { .n = n + 1 };
  pthread_t other;
  double begin = 0;

  if (pthread_create (&other, NULL, send_back, &game) != 0)
    return -1;
  for (int64_t i = 0; i <= n; i++)
    {
      atomic_store_explicit (&game.ball, 2 * i + 1, memory_order_release);
      wait_for (&game, 2 * i + 2);
      if (i == 0)
        begin = limit_now ();
    }
  begin = limit_now () - begin;
  pthread_join (other, NULL);
  return begin;
}
