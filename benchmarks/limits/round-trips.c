#include "memory-limits.h"
#include "plain-calls.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define PAUSE() _mm_pause ()
#else
#define PAUSE()
#endif

/* Trips of which the fastest counts: a pause of one of the two is not a part of the trip. */
#define CHUNK 1024
#define TRIAL_CHUNKS 4
#define MOST_PAIRS 8

/* One way of sending a line to and fro between two threads that do nothing but look at it. */
typedef struct
{
  bool apart;  /* a line each way, or one line for both */
  bool pauses; /* whether a look that finds nothing is followed by a pause */
} Way;

static const Way ways[] = { { false, false }, { false, true }, { true, false }, { true, true } };

typedef struct
{
  _Alignas(128) _Atomic int64_t there;
  _Alignas(128) _Atomic int64_t back;
  _Alignas(128) int64_t n;
  Way way;
  int cpu; /* of the other thread */
} Game;

static void
wait_for (_Atomic int64_t *line, int64_t value, bool pauses)
{
  while (atomic_load_explicit (line, memory_order_acquire) != value)
    if (pauses)
      PAUSE ();
}

static void
pin (int cpu)
{
  cpu_set_t set;

  CPU_ZERO (&set);
  CPU_SET (cpu, &set);
  pthread_setaffinity_np (pthread_self (), sizeof set, &set);
}

static void *
send_back (void *data)
{
  Game *game = data;
  _Atomic int64_t *back = game->way.apart ? &game->back : &game->there;

  pin (game->cpu);
  for (int64_t i = 0; i < game->n; i++)
    {
      wait_for (&game->there, 2 * i + 1, game->way.pauses);
      atomic_store_explicit (back, 2 * i + 2, memory_order_release);
    }
  return NULL;
}

/* Seconds of the fastest @trips of @chunks times as many, −1 where there is no thread. */
static double
play (Way way, int cpu, int64_t chunks, int64_t trips)
{
  Game game = { .n = chunks * trips, .way = way, .cpu = cpu };
  _Atomic int64_t *back = way.apart ? &game.back : &game.there;
  double best = -1;
  pthread_t other;

  if (pthread_create (&other, NULL, send_back, &game) != 0)
    return -1;
  for (int64_t chunk = 0, i = 0; chunk < chunks; chunk++)
    {
      double begin = limit_now (), seconds;

      for (int64_t end = i + trips; i < end; i++)
        {
          atomic_store_explicit (&game.there, 2 * i + 1, memory_order_release);
          wait_for (back, 2 * i + 2, way.pauses);
        }
      seconds = limit_now () - begin;
      if (best < 0 || seconds < best)
        best = seconds;
    }
  pthread_join (other, NULL);
  return best;
}

/* The nearest of some other processors and the best way to it, tried out. */
typedef struct
{
  int cpu;
  Way way;
} Choice;

static int
other_cpu (const cpu_set_t *allowed, int own)
{
  int cpu = 0;

  while (cpu == own || !CPU_ISSET (cpu, allowed))
    cpu++;
  return cpu;
}

static Choice
choose (const cpu_set_t *allowed, int own)
{
  Choice choice = { own, ways[0] };
  double best = -1;

  for (int cpu = 0, tried = 0; cpu < CPU_SETSIZE && tried < MOST_PAIRS; cpu++)
    {
      if (cpu == own || !CPU_ISSET (cpu, allowed))
        continue;
      tried++;
      for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        {
          double seconds = play (ways[i], cpu, TRIAL_CHUNKS, CHUNK);

          if (seconds >= 0 && (best < 0 || seconds < best))
            {
              best = seconds;
              choice = (Choice){ cpu, ways[i] };
            }
        }
    }
  return choice;
}

double
limit_round_trips (int64_t n)
{
  static Choice choice = { -1, { false, false } };
  int64_t chunks = n / CHUNK;
  cpu_set_t allowed;
  double seconds;
  int own = sched_getcpu ();

  if (own < 0 || sched_getaffinity (0, sizeof allowed, &allowed) != 0 || CPU_COUNT (&allowed) < 2)
    return -1;
  if (choice.cpu >= 0 && own == choice.cpu)
    choice.cpu = -1;
  pin (own);
  if (choice.cpu < 0 && chunks > 0)
    choice = choose (&allowed, own);
  if (chunks > 0)
    seconds = play (choice.way, choice.cpu, chunks, CHUNK) * (double) n / CHUNK;
  else
    seconds = play (ways[1], other_cpu (&allowed, own), 1, n); /* too few to find a way */
  pthread_setaffinity_np (pthread_self (), sizeof allowed, &allowed);
  return seconds;
}
