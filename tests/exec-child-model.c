/* A model of text for exec, of 7 ids: logits are the id less the last of the row, log-probabilities
 * minus the id, scores the sum of the text. */
#include "exec-child.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VOCABULARY 7

/* Of rows that a fault is about. */
#define ROW 1

typedef struct
{
  long n, length;
  int64_t *ids, *used;
  unsigned char *mask;
  float *logits, *log_probs, *scores;
} Rows;

static void
say_vocabulary (void)
{
  const char *text = exec_is ("no-vocabulary")  ? "{\"words\":7}\n"
                     : exec_is ("vocabulary-0") ? "{\"vocabulary\":0}\n"
                                                : "{\"vocabulary\":7}\n";

  if (!exec_begin_wrongly ())
    exec_say (text, strlen (text));
}

static void
compute (const Rows *rows, long row, char message)
{
  const int64_t *ids = rows->ids + row * rows->length, used = rows->used[row];
  float sum = 0;

  for (long i = 0; i < used; i++)
    sum += rows->mask[row * rows->length + i] ? (float) ids[i] : 0;
  if (message == 's')
    rows->scores[row] = sum;
  for (long i = 0; message == 'l' && i < used; i++)
    rows->log_probs[row * rows->length + i] = -(float) ids[i];
  for (long i = 0; message == 'n' && i < VOCABULARY; i++)
    rows->logits[row * VOCABULARY + i] = (float) (i - ids[used - 1]);
}

static void
answer (const Rows *rows)
{
  char message;

  for (long number = 1; read (EXEC_SOCKET, &message, 1) == 1; number++)
    {
      int faulty = number == exec_fault_at;

      for (long row = 0; row < rows->n; row++)
        if (!(faulty && row == ROW && exec_is ("one-nothing")))
          compute (rows, row, message);
      if (faulty && exec_break_down ())
        continue;
      if (faulty && exec_is ("infinite"))
        rows->scores[ROW] = INFINITY;
      exec_echo (message, number);
    }
}

int
exec_model (json_t *hello)
{
  say_vocabulary ();

  json_t *places = json_loads (exec_hear (), 0, NULL);
  char *memory = exec_map (places);
  const Rows rows = {
    .n = (long) json_integer_value (json_object_get (hello, "num_rows")),
    .length = (long) json_integer_value (json_object_get (hello, "length")),
    .ids = exec_find (places, memory, "input", "ids"),
    .mask = exec_find (places, memory, "input", "mask"),
    .used = exec_find (places, memory, "input", "used"),
    .logits = exec_find (places, memory, "output", "logits"),
    .log_probs = exec_find (places, memory, "output", "log_probs"),
    .scores = exec_find (places, memory, "output", "end_score"),
  };

  answer (&rows);
  json_decref (places);
  json_decref (hello);
  return 0;
}
