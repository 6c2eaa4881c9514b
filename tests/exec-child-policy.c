/* A policy for exec: the action is the beginning of the observation, `score` its double, and the
 * state `count` counts. */
#include "exec-child.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of lanes that a fault is about. */
#define LANE 3

typedef struct
{
  const char *key;
  long width;
  float *rows;
} Leaf;

typedef struct
{
  long n;
  Leaf seen, action;
  float *score;
  int64_t *count, *next_count;
} Lanes;

/* The one leaf, or the first, of a composite. */
static Leaf
find_leaf (json_t *spec)
{
  json_t *leaf;
  size_t i;
  json_t *extent;
  Leaf found = { NULL, 1, NULL };

  json_object_foreach (json_object_get (spec, "specs"), found.key, leaf)
  {
    json_array_foreach (json_object_get (leaf, "shape"), i, extent) found.width *=
        (long) json_integer_value (extent);
    break;
  }
  return found;
}

static void
say_specs (json_t *hello, const Lanes *lanes)
{
  json_t *action = json_object_get (hello, "action");
  json_t *answer = json_pack ("{s:O}", "action", action);
  char *text;

  if (exec_begin_wrongly ())
    return;
  if (exec_is ("float64") || exec_is ("wide"))
    json_object_set_new (answer, "action",
                         json_pack ("{s:s, s:{s:{s:s, s:s, s:[i]}}}", "kind", "composite", "specs",
                                    lanes->action.key, "kind", "unbounded", "dtype",
                                    exec_is ("wide") ? "float32" : "float64", "shape",
                                    (int) lanes->action.width + exec_is ("wide")));
  if (!exec_is ("plain"))
    {
      json_object_set_new (answer, "output",
                           json_pack ("{s:s, s:{s:{s:s, s:s, s:[]}}}", "kind", "composite", "specs",
                                      exec_is ("owned") ? "reward" : "score", "kind", "unbounded",
                                      "dtype", "float32", "shape"));
      json_object_set_new (answer, "state",
                           json_pack ("{s:s, s:{s:{s:s, s:i, s:i, s:s, s:[]}}}", "kind",
                                      "composite", "specs", "count", "kind", "bounded", "low", 0,
                                      "high", 1000000000, "dtype", "int64", "shape"));
    }
  text = json_dumps (answer, JSON_COMPACT);
  exec_say (text, strlen (text));
  exec_say ("\n", 1);
  free (text);
  json_decref (answer);
}

static void
act_on (const Lanes *lanes, long lane, char message)
{
  const float *seen = lanes->seen.rows + lane * lanes->seen.width;

  for (long i = 0; i < lanes->action.width; i++)
    lanes->action.rows[lane * lanes->action.width + i] = seen[i] > 1    ? 1
                                                         : seen[i] < -1 ? -1
                                                                        : seen[i];
  if (exec_is ("plain"))
    return;
  lanes->score[lane] = 2 * seen[0];
  if (exec_is ("pid"))
    lanes->score[lane] = (float) getpid ();
  if (exec_is ("message"))
    lanes->score[lane] = (float) message;
  lanes->next_count[lane] = lanes->count[lane] + 1;
}

static void
act (const Lanes *lanes, int is_faulty, char message)
{
  for (long lane = 0; lane < lanes->n; lane++)
    if (!is_faulty || !(exec_is ("nothing") || (exec_is ("one-nothing") && lane == LANE)))
      act_on (lanes, lane, message);
  if (!is_faulty)
    return;
  if (exec_is ("nan"))
    lanes->action.rows[LANE * lanes->action.width] = NAN;
  if (exec_is ("outside"))
    lanes->action.rows[LANE * lanes->action.width] = 99;
  if (exec_is ("no-score"))
    memset (&lanes->score[LANE], 0xff, sizeof (float));
  if (exec_is ("nan-score"))
    lanes->score[LANE] = NAN;
  if (exec_is ("back"))
    lanes->next_count[LANE] = -7;
}

int
exec_act (json_t *hello)
{
  Lanes lanes = {
    .n = (long) json_integer_value (json_object_get (hello, "num_envs")),
    .seen = find_leaf (json_object_get (hello, "observation")),
    .action = find_leaf (json_object_get (hello, "action")),
  };
  json_t *places;
  char *memory, message;

  say_specs (hello, &lanes);
  places = json_loads (exec_hear (), 0, NULL);
  memory = exec_map (places);
  lanes.seen.rows = exec_find (places, memory, "observation", lanes.seen.key);
  lanes.action.rows = exec_find (places, memory, "action", lanes.action.key);
  lanes.score = exec_find (places, memory, "output", "score");
  lanes.count = exec_find (places, memory, "state", "count");
  lanes.next_count = exec_find (places, memory, "next_state", "count");
  for (long number = 1; read (EXEC_SOCKET, &message, 1) == 1; number++)
    {
      int is_faulty = number == exec_fault_at;

      if (is_faulty && exec_break_down ())
        continue;
      act (&lanes, is_faulty, message);
      exec_echo (message, number);
    }
  json_decref (places);
  json_decref (hello);
  return 0;
}
