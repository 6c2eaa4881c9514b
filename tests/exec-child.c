/* A program for exec: lanes that count, and every way not to keep to the protocol. */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REEL 3
#define MEMORY 4

typedef struct
{
  int64_t seed, episode, count;
} Lane;

typedef struct
{
  int64_t *count, *action, *seeds;
  float *x, *reward;
  unsigned char *terminated, *truncated, *lanes;
} Columns;

static const char *mode;
static long fault_at; /* which message, from 1 */
static int64_t shown; /* instead of the count, where not 0 */

static void
say (const char *text, size_t n)
{
  for (ssize_t sent; n > 0; text += sent, n -= (size_t) sent)
    if ((sent = write (REEL, text, n)) < 0)
      exit (errno == EPIPE ? 0 : 9);
}

static char *
hear (void)
{
  static char line[1 << 16];
  size_t n = 0;

  while (read (REEL, line + n, 1) == 1)
    if (line[n++] == '\n')
      {
        line[n] = '\0';
        return line;
      }
  exit (0);
}

static int
is (const char *name)
{
  return strcmp (mode, name) == 0;
}

/* ---- specs ---- */

static const char observation[] =
    "{\"kind\":\"composite\",\"specs\":{"
    "\"count\":{\"kind\":\"bounded\",\"low\":0,\"high\":1000000000,\"dtype\":\"int64\",\"shape\":["
    "1]},\"place\":{\"kind\":\"composite\",\"specs\":{"
    "\"x\":{\"kind\":\"unbounded\",\"dtype\":\"float32\",\"shape\":[2]}}}}}";

static const char *
choose_action (int one_hot)
{
  return one_hot ? "{\"kind\":\"one-hot\",\"n\":3,\"dtype\":\"int64\",\"shape\":[3]}"
                 : "{\"kind\":\"categorical\",\"n\":3,\"dtype\":\"int64\",\"shape\":[]}";
}

/* Answers that are no specs, by mode. */
static const char *const answers[][2] = {
  { "not-json", "good morning\n" },
  { "no-object", "[1,2]\n" },
  { "no-action",
    "{\"observation\":{\"kind\":\"unbounded\",\"dtype\":\"float32\",\"shape\":[2]}}\n" },
  { "no-kind", "{\"observation\":{\"shape\":[2]},\"action\":{\"shape\":[2]}}\n" },
  { "text", "{\"observation\":{\"kind\":\"non-tensor\"},\"action\":{\"kind\":\"unbounded\"}}\n" },
  { "huge", "{\"observation\":{\"kind\":\"unbounded\",\"shape\":[4000000000,4000000]},\"action\":{"
            "\"kind\":\"unbounded\"}}\n" },
  { "ragged", "{\"observation\":{\"kind\":\"unbounded\",\"shape\":[-1,2]},\"action\":{\"kind\":"
              "\"unbounded\"}}\n" },
  { "reward", "{\"observation\":{\"kind\":\"composite\",\"specs\":{\"reward\":{\"kind\":"
              "\"unbounded\"}}},\"action\":{\"kind\":\"unbounded\"}}\n" },
  { "twice", "{\"observation\":{\"kind\":\"composite\",\"specs\":{\"action\":{\"kind\":"
             "\"unbounded\"}}},\"action\":{\"kind\":\"unbounded\"}}\n" },
};

static void
say_specs (int one_hot)
{
  char text[1000];

  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (is (answers[i][0]))
      {
        say (answers[i][1], strlen (answers[i][1]));
        return;
      }
  if (is ("exit"))
    exit (7);
  if (is ("silent"))
    pause ();
  if (is ("half"))
    {
      say ("{\"observ", 9);
      exit (0);
    }
  if (is ("endless"))
    for (;;)
      say ("nonsense", 8);
  snprintf (text, sizeof text, "{\"observation\":%s,\"action\":%s}\n", observation,
            choose_action (one_hot));
  say (text, strlen (text));
}

/* ---- lanes ---- */

static void
show (const Columns *to, long i, const Lane *lane)
{
  to->count[i] = shown ? shown : lane->count;
  to->x[2 * i] = (float) lane->seed + 0.5f * (float) lane->episode;
  to->x[2 * i + 1] = (float) lane->count;
}

static void
reset (const Columns *to, long i, Lane *lane)
{
  lane->episode++;
  lane->count = 0;
  if (to->seeds[i] >= 0)
    *lane = (Lane){ to->seeds[i], 0, 0 };
  show (to, i, lane);
}

static void
step (const Columns *to, long i, Lane *lane, int one_hot)
{
  const int64_t *action = to->action + (one_hot ? 3 * i : i);
  int choice = one_hot ? (int) (action[1] + 2 * action[2]) : (int) *action;
  int64_t limit = 3 + (lane->seed + lane->episode) % 5;
  int ends = ++lane->count >= limit;

  to->reward[i] = (float) choice + 1;
  to->terminated[i] = ends && (limit % 2 == 0 || is ("terminating"));
  to->truncated[i] = ends && !to->terminated[i];
  show (to, i, lane);
}

/* break_down: in the place of the answer to a message; 0 to answer nevertheless. */
static int
break_down (const Columns *to)
{
  if (is ("die"))
    _exit (3);
  if (is ("orphan"))
    {
      if (fork () == 0)
        for (;;)
          pause ();
      _exit (4);
    }
  if (is ("abort"))
    abort ();
  if (is ("kill"))
    raise (SIGKILL);
  if (is ("stop"))
    raise (SIGSTOP);
  if (is ("hang"))
    pause ();
  if (is ("garbage"))
    say ("\x7f", 1);
  else if (is ("other"))
    say ("x", 1);
  else if (is ("reason"))
    say ("!the gripper is stuck\n", 22);
  else if (is ("closed"))
    {
      close (REEL);
      pause ();
    }
  else
    {
      if (is ("outside"))
        to->count[0] = -5;
      else if (is ("flag"))
        to->terminated[0] = 7;
      return 0;
    }
  return 1;
}

static void
live (const Columns *columns, Lane *lanes, long n, int one_hot)
{
  char message;

  for (long number = 1; read (REEL, &message, 1) == 1; number++)
    {
      for (long i = 0; i < n; i++)
        if (columns->lanes[i] && message == 'r')
          reset (columns, i, &lanes[i]);
        else if (columns->lanes[i])
          step (columns, i, &lanes[i], one_hot);
      if (number == fault_at && break_down (columns))
        continue;
      say ((const char[]){ message, '+', '+' }, number == fault_at && is ("flood") ? 3 : 1);
    }
}

static void *
find (json_t *places, char *memory, const char *parent, const char *key)
{
  json_t *object = parent ? json_object_get (places, parent) : places;

  return memory + json_integer_value (json_object_get (object, key));
}

int
main (int argc, char **argv)
{
  mode = argc > 1 ? argv[1] : "good";
  fault_at = argc > 2 ? strtol (argv[2], NULL, 10) : 0;

  json_t *hello = json_loads (hear (), 0, NULL);
  long n = (long) json_integer_value (json_object_get (hello, "num_envs"));
  const char *encoding = json_string_value (json_object_get (hello, "action_encoding"));
  int one_hot = encoding && strcmp (encoding, "one-hot") == 0;

  say_specs (one_hot);
  if (is ("pid"))
    shown = getpid ();
  if (is ("fork") && (shown = fork ()) == 0)
    for (;;)
      pause ();

  json_t *places = json_loads (hear (), 0, NULL);
  size_t bytes = (size_t) json_integer_value (json_object_get (places, "bytes"));
  char *memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, MEMORY, 0);

  if (memory == MAP_FAILED)
    return 8;

  const Columns columns = {
    .count = find (places, memory, "observation", "count"),
    .x = find (places, memory, "observation", "place/x"),
    .action = find (places, memory, "action", "action"),
    .reward = find (places, memory, NULL, "reward"),
    .terminated = find (places, memory, NULL, "terminated"),
    .truncated = find (places, memory, NULL, "truncated"),
    .lanes = find (places, memory, NULL, "lanes"),
    .seeds = find (places, memory, NULL, "seeds"),
  };
  Lane *lanes = calloc ((size_t) n, sizeof *lanes);

  live (&columns, lanes, n, one_hot);
  free (lanes);
  json_decref (places);
  json_decref (hello);
  return 0;
}
