/* Lanes that could not be simulated. */
#include <stdatomic.h>

#include "env-private.h"

struct _ReelEnvFault
{
  ReelEnvFault *next;
  gint64 lane;
  gint64 step;
  char *what;
  gboolean is_message; /* whether @what says all */
};

static void
free_faults (ReelEnvFault *faults)
{
  while (faults != NULL)
    {
      ReelEnvFault *next = faults->next;

      g_free (faults->what);
      g_free (faults);
      faults = next;
    }
}

void
reel_env_forget_faults (ReelEnv *self)
{
  free_faults (atomic_exchange (&reel_env_get_private (self)->faults, NULL));
}

static void
add_fault (ReelEnv *self, gint64 lane, const char *what, gboolean is_message)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);

  if (priv->faulty[lane])
    return;
  priv->faulty[lane] = TRUE;

  ReelEnvFault *fault = g_new (ReelEnvFault, 1);

  fault->lane = lane;
  fault->step = reel_env_get_elapsed (self, lane) + 1;
  fault->what = g_strdup (what);
  fault->is_message = is_message;
  fault->next = atomic_load (&priv->faults);
  while (!atomic_compare_exchange_weak (&priv->faults, &fault->next, fault))
    ;
}

void
reel_env_report_fault (ReelEnv *self, gint64 lane, const char *what)
{
  add_fault (self, lane, what, FALSE);
}

void
reel_env_repeat_fault (ReelEnv *self, gint64 lane, const char *message)
{
  add_fault (self, lane, message, TRUE);
}

/* check_parts: all, so that none keeps a fault for later; the first that has one says it. */
static gboolean
check_parts (const ReelEnvPrivate *priv, GError **error)
{
  gboolean sound = TRUE;

  for (guint i = 0; i < priv->n_parts; i++)
    {
      if (reel_env_check_faults (priv->parts[i].env, sound ? error : NULL))
        continue;
      if (sound && priv->n_parts > 1)
        g_prefix_error (error, "environment %u of %u: ", i, priv->n_parts);
      sound = FALSE;
    }
  return sound;
}

gboolean
reel_env_check_faults (ReelEnv *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  ReelEnvPrivate *priv = reel_env_get_private (self);

  if (!check_parts (priv, error))
    {
      reel_env_forget_faults (self);
      return FALSE;
    }

  ReelEnvFault *faults = atomic_exchange (&priv->faults, NULL), *lowest = faults;

  if (faults == NULL)
    return TRUE;
  for (ReelEnvFault *fault = faults; fault != NULL; fault = fault->next)
    {
      priv->faulty[fault->lane] = FALSE;
      if (fault->lane < lowest->lane)
        lowest = fault;
    }
  if (lowest->is_message)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, lowest->what);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s: lane %" G_GINT64_FORMAT " could not be simulated in step %" G_GINT64_FORMAT
                 " of its episode: %s",
                 reel_object_get_id (REEL_OBJECT (self)), lowest->lane, lowest->step, lowest->what);
  free_faults (faults);
  return FALSE;
}
