/* A program for exec: lanes that count, a policy or a model of text, and every way not to keep to
 * the protocol. */
#include "exec-child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

const char *exec_mode;
long exec_fault_at;
static int64_t shown; /* instead of the count, where not 0 */

void
exec_say (const char *text, size_t n)
{
  for (ssize_t sent; n > 0; text += sent, n -= (size_t) sent)
    if ((sent = write (EXEC_SOCKET, text, n)) < 0)
      exit (errno == EPIPE ? 0 : 9);
}

char *
exec_hear (void)
{
  static char line[1 << 16];
  size_t n = 0;

  while (read (EXEC_SOCKET, line + n, 1) == 1)
    if (line[n++] == '\n')
      {
        line[n] = '\0';
        return line;
      }
  exit (0);
}

int
exec_is (const char *mode)
{
  return strcmp (exec_mode, mode) == 0;
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

int
exec_begin_wrongly (void)
{
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (exec_is (answers[i][0]))
      {
        exec_say (answers[i][1], strlen (answers[i][1]));
        return 1;
      }
  if (exec_is ("exit"))
    exit (7);
  if (exec_is ("silent"))
    pause ();
  if (exec_is ("half"))
    {
      exec_say ("{\"observ", 9);
      exit (0);
    }
  if (exec_is ("endless"))
    for (;;)
      exec_say ("nonsense", 8);
  return 0;
}

static void
say_specs (int one_hot)
{
  char text[1000];

  if (exec_begin_wrongly ())
    return;
  snprintf (text, sizeof text, "{\"observation\":%s,\"action\":%s}\n", observation,
            choose_action (one_hot));
  exec_say (text, strlen (text));
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
  to->terminated[i] = ends && (limit % 2 == 0 || exec_is ("terminating"));
  to->truncated[i] = ends && !to->terminated[i];
  show (to, i, lane);
}

int
exec_break_down (void)
{
  if (exec_is ("die"))
    _exit (3);
  if (exec_is ("orphan"))
    {
      if (fork () == 0)
        for (;;)
          pause ();
      _exit (4);
    }
  if (exec_is ("abort"))
    abort ();
  if (exec_is ("kill"))
    raise (SIGKILL);
  if (exec_is ("stop"))
    raise (SIGSTOP);
  if (exec_is ("hang"))
    pause ();
  if (exec_is ("garbage"))
    exec_say ("\x7f", 1);
  else if (exec_is ("other"))
    exec_say ("x", 1);
  else if (exec_is ("reason"))
    exec_say ("!the gripper is stuck\n", 22);
  else if (exec_is ("half-reason"))
    {
      exec_say ("!the grip", 9);
      _exit (5);
    }
  else if (exec_is ("closed"))
    {
      close (EXEC_SOCKET);
      pause ();
    }
  else
    return 0;
  return 1;
}

/* spoil: what the mode wants to be wrong about the lanes. */
static void
spoil (const Columns *to)
{
  if (exec_is ("outside"))
    to->count[0] = -5;
  else if (exec_is ("flag"))
    to->terminated[0] = 7;
}

void
exec_echo (char message, long number)
{
  int floods = number == exec_fault_at && exec_is ("flood");

  exec_say ((const char[]){ message, '+', '+' }, floods ? 3 : 1);
}

static void
live (const Columns *columns, Lane *lanes, long n, int one_hot)
{
  char message;

  for (long number = 1; read (EXEC_SOCKET, &message, 1) == 1; number++)
    {
      for (long i = 0; i < n; i++)
        if (columns->lanes[i] && message == 'r')
          reset (columns, i, &lanes[i]);
        else if (columns->lanes[i])
          step (columns, i, &lanes[i], one_hot);
      if (number == exec_fault_at && exec_break_down ())
        continue;
      if (number == exec_fault_at)
        spoil (columns);
      exec_echo (message, number);
    }
}

char *
exec_map (json_t *places)
{
  size_t bytes = (size_t) json_integer_value (json_object_get (places, "bytes"));
  char *memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, EXEC_MEMORY, 0);

  if (memory == MAP_FAILED)
    exit (8);
  return memory;
}

void *
exec_find (json_t *places, char *memory, const char *parent, const char *key)
{
  json_t *object = parent ? json_object_get (places, parent) : places;

  return memory + json_integer_value (json_object_get (object, key));
}

int
main (int argc, char **argv)
{
  exec_mode = argc > 1 ? argv[1] : "good";
  exec_fault_at = argc > 2 ? strtol (argv[2], NULL, 10) : 0;

  json_t *hello = json_loads (exec_hear (), 0, NULL);

  if (json_object_get (hello, "observation"))
    return exec_act (hello);
  if (json_object_get (hello, "num_rows"))
    return exec_model (hello);

  long n = (long) json_integer_value (json_object_get (hello, "num_envs"));
  const char *encoding = json_string_value (json_object_get (hello, "action_encoding"));
  int one_hot = encoding && strcmp (encoding, "one-hot") == 0;

  say_specs (one_hot);
  if (exec_is ("pid"))
    shown = getpid ();
  if (exec_is ("fork") && (shown = fork ()) == 0)
    for (;;)
      pause ();

  json_t *places = json_loads (exec_hear (), 0, NULL);
  char *memory = exec_map (places);
  const Columns columns = {
    .count = exec_find (places, memory, "observation", "count"),
    .x = exec_find (places, memory, "observation", "place/x"),
    .action = exec_find (places, memory, "action", "action"),
    .reward = exec_find (places, memory, NULL, "reward"),
    .terminated = exec_find (places, memory, NULL, "terminated"),
    .truncated = exec_find (places, memory, NULL, "truncated"),
    .lanes = exec_find (places, memory, NULL, "lanes"),
    .seeds = exec_find (places, memory, NULL, "seeds"),
  };
  Lane *lanes = calloc ((size_t) n, sizeof *lanes);

  live (&columns, lanes, n, one_hot);
  free (lanes);
  json_decref (places);
  json_decref (hello);
  return 0;
}
