/* Reports of a verification: faults with a place, and notes. */
#include "checkpoint-report-private.h"

ReelCheckpointFault *
reel_checkpoint_fault_new (const char *where, gint64 step, gint64 lane, gint64 n, char *what)
{
  ReelCheckpointFault *fault = g_new (ReelCheckpointFault, 1);

  *fault = (ReelCheckpointFault){ g_strdup (where), step, lane, n, what, FALSE };
  return fault;
}

static void
free_fault (gpointer data)
{
  ReelCheckpointFault *fault = data;

  g_free (fault->where);
  g_free (fault->what);
  g_free (fault);
}

ReelCheckpointReport *
reel_checkpoint_report_new (void)
{
  ReelCheckpointReport *self = g_new0 (ReelCheckpointReport, 1);

  self->faults = g_ptr_array_new_with_free_func (free_fault);
  self->notes = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
reel_checkpoint_report_free (ReelCheckpointReport *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->faults);
  g_ptr_array_unref (self->notes);
  g_free (self);
}
