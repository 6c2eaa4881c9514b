#include "collector-background.h"

#include "../core/system/errands.h"
#include "collector-fields.h"

struct _ReelCollectorBackground
{
  ReelCollector *collector; /* (not owned) */
  ReelErrands *thread;
  gboolean busy;
  atomic_int pauses;
  GError *error; /* that ended it; the thread's while it is busy */
};

/* run: batch after batch, until there is no more to do. */
static void
run (gpointer data, gint64 number)
{
  ReelCollectorBackground *self = data;

  while (!atomic_load_explicit (&self->pauses, memory_order_relaxed)
         && reel_collector_next_batch (self->collector, NULL, &self->error) > 0)
    ;
}

static ReelCollectorBackground *
make_background (ReelCollector *collector, GError **error)
{
  ReelCollectorBackground *self = g_new0 (ReelCollectorBackground, 1);

  self->collector = collector;
  self->thread = reel_errands_new (1, 1, run, self, error);
  if (self->thread == NULL)
    g_clear_pointer (&self, g_free);
  return self;
}

gboolean
reel_collector_background_is_busy (const ReelCollectorBackground *self)
{
  return self && self->busy;
}

/* wait: until the thread is done. */
static gboolean
wait (ReelCollectorBackground *self, gint64 deadline, GError **error)
{
  atomic_store_explicit (&self->pauses, TRUE, memory_order_relaxed);
  if (self->busy && reel_errands_take (self->thread, deadline) < 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TIMEOUT,
                           "the batch at work in the background did not end in time");
      return FALSE;
    }
  self->busy = FALSE;
  if (self->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}

void
reel_collector_background_free (ReelCollectorBackground *self)
{
  if (self == NULL)
    return;
  wait (self, -1, NULL);
  reel_errands_free (self->thread);
  g_free (self);
}

/* ---- what a caller asks for ---- */

static gboolean
check_start (const ReelCollectorPrivate *priv, GError **error)
{
  if (priv->parts.buffer == NULL)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "a collector without a buffer cannot collect in the background, where "
                         "nobody takes its batches: give it a buffer");
  else if (priv->is_shut)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "the collector was shut down: make a new one");
  else
    return TRUE;
  return FALSE;
}

gboolean
reel_collector_start (ReelCollector *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), FALSE);

  ReelCollectorPrivate *priv = reel_collector_get_private (self);

  if (!check_start (priv, error))
    return FALSE;
  if (priv->background == NULL)
    priv->background = make_background (self, error);
  if (priv->background == NULL)
    return FALSE;
  if (priv->background->busy)
    return TRUE;
  atomic_store_explicit (&priv->background->pauses, FALSE, memory_order_relaxed);
  priv->background->busy = TRUE;
  reel_errands_send (priv->background->thread, 0);
  return TRUE;
}

gboolean
reel_collector_pause (ReelCollector *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), FALSE);

  const ReelCollectorPrivate *priv = reel_collector_get_private (self);

  if (priv->background)
    return wait (priv->background, -1, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "a collector that was not started cannot be paused: start it first");
  return FALSE;
}

gboolean
reel_collector_shutdown (ReelCollector *self, gint64 timeout, GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), FALSE);

  ReelCollectorPrivate *priv = reel_collector_get_private (self);
  gint64 deadline = timeout < 0 ? -1 : g_get_monotonic_time () + timeout;

  reel_collector_stop (self);
  priv->is_shut = TRUE;
  return priv->background == NULL || wait (priv->background, deadline, error);
}
