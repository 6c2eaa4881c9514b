/* Rows in memory, saved now and then and at the end. */
#include "collect.h"

#include <string.h>
#include <sys/stat.h>

#define MOST_NAMES 100 /* that are tried for rows whose place is taken */

void
checkpoints_begin (Checkpoints *self, Plan *plan, ReelReplayBuffer *buffer)
{
  *self = (Checkpoints){ .plan = plan, .buffer = buffer, .time = g_get_monotonic_time () };
}

/* ---- whose the place is ---- */

static void
identify (const char *path, guint64 identity[2])
{
  struct stat info;
  gboolean there = stat (path, &info) == 0;

  identity[0] = there ? info.st_dev : 0;
  identity[1] = there ? info.st_ino : 0;
}

/* An own checkpoint is replaced, and nobody else's. */
static ReelCheckpointFlags
get_flags (const Checkpoints *self)
{
  guint64 there[2];

  identify (self->plan->path, there);
  if (self->plan->options->force
      || (there[1] != 0 && memcmp (there, self->identity, sizeof there) == 0))
    return REEL_CHECKPOINT_FORCE;
  return REEL_CHECKPOINT_DEFAULT;
}

/* ---- saving ---- */

/* Several runs that begin in the same second choose the same automatic name. */
static gboolean
save (Checkpoints *self, GError **error)
{
  g_autoptr (GError) failure = NULL;

  while (!reel_replay_buffer_dumps (self->buffer, self->plan->path, get_flags (self), &failure)
         && plan_rename (self->plan))
    g_clear_error (&failure);
  if (failure)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  identify (self->plan->path, self->identity);
  return TRUE;
}

static gboolean
is_due (const Checkpoints *self, gint64 rows)
{
  const Plan *plan = self->plan;
  double seconds = (double) (g_get_monotonic_time () - self->time) / G_TIME_SPAN_SECOND;

  return (plan->checkpoint_rows > 0 && rows - self->rows >= plan->checkpoint_rows)
         || (plan->checkpoint_seconds > 0 && seconds >= plan->checkpoint_seconds);
}

void
checkpoints_continue (Checkpoints *self, gint64 rows)
{
  g_autoptr (GError) failure = NULL;

  if (!is_due (self, rows))
    return;
  if (!save (self, &failure) && !self->failed)
    g_printerr ("collect: cannot save a checkpoint; the run continues: %s\n", failure->message);
  self->failed = failure != NULL;
  self->rows = rows;
  self->time = g_get_monotonic_time ();
}

/* The first free name beside a path that rows can be saved at, or NULL. */
static char *
save_beside (const char *path, ReelReplayBuffer *buffer)
{
  gsize length = strlen (path);

  while (length > 1 && path[length - 1] == G_DIR_SEPARATOR)
    length--;
  for (int i = 1; i < MOST_NAMES; i++)
    {
      g_autofree char *beside = g_strdup_printf ("%.*s-%d", (int) length, path, i);

      if (reel_replay_buffer_dumps (buffer, beside, REEL_CHECKPOINT_DEFAULT, NULL))
        return g_steal_pointer (&beside);
    }
  return NULL;
}

gboolean
checkpoints_end (Checkpoints *self, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *beside = NULL;

  if (save (self, &failure))
    return TRUE;
  if (g_error_matches (failure, REEL_ERROR, REEL_ERROR_RUNTIME))
    beside = save_beside (self->plan->path, self->buffer);
  if (beside)
    g_prefix_error (&failure, "the rows are saved in %s: ", beside);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}
