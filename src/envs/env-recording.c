/* Records all leaves of some steps in memory filled with one byte, for comparisons. */
#include "env-recording.h"

#include <string.h>

#include "../core/tensor/memory.h"

/* One leaf in all steps. */
typedef struct
{
  const ReelEnvLeaf *leaf;
  const char *prefix; /* `next/` or nothing */
  gboolean flag;
  gsize step_bytes;
  ReelMemory *memory;
  guint8 *data;
} Column;

struct _ReelEnvRecording
{
  ReelEnv *env;
  const ReelEnvLeaves *leaves;
  GArray *columns; /* root observations, actions, next observations, rewards, flags */
  guint8 **at;     /* by column: the step at work */
  ReelEnvGroupStep *groups;
  guint8 **results;
  const guint8 **state;
  guint8 *done; /* by lane: in its last step; flags need not be shown */
};

static void
clear_column (gpointer data)
{
  g_clear_pointer (&((Column *) data)->memory, reel_memory_unref);
}

static gboolean
add_columns (ReelEnvRecording *self, const ReelEnvLeafList *list, const char *prefix,
             gboolean flags, guint8 filler, GError **error)
{
  for (gsize i = 0; i < list->n; i++)
    {
      Column column = { .leaf = &list->list[i], .prefix = prefix, .flag = flags };
      gsize size;

      column.step_bytes = column.leaf->row_bytes * (gsize) self->leaves->n_lanes;
      column.memory = reel_memory_new (column.step_bytes * REEL_ENV_RECORDING_STEPS, error);
      if (column.memory == NULL)
        return FALSE;
      column.data = reel_memory_get_data (column.memory, &size);
      memset (column.data, filler, size);
      g_array_append_val (self->columns, column);
    }
  return TRUE;
}

ReelEnvRecording *
reel_env_recording_new (ReelEnv *env, guint8 filler, GError **error)
{
  g_autoptr (ReelEnvRecording) self = g_new0 (ReelEnvRecording, 1);
  const ReelEnvLeaves *leaves = reel_env_get_leaves (env);

  self->env = env;
  self->leaves = leaves;
  self->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  g_array_set_clear_func (self->columns, clear_column);
  if (!add_columns (self, &leaves->observations, "", FALSE, filler, error)
      || !add_columns (self, &leaves->actions, "", FALSE, filler, error)
      || !add_columns (self, &leaves->observations, "next/", FALSE, filler, error)
      || !add_columns (self, &leaves->rewards, "next/", FALSE, filler, error)
      || !add_columns (self, &leaves->flags, "next/", TRUE, filler, error))
    return NULL;
  self->at = g_new (guint8 *, self->columns->len + 1);
  self->groups = g_new (ReelEnvGroupStep, leaves->n_groups + 1);
  self->results = g_new (guint8 *, leaves->rewards.n + leaves->flags.n + 1);
  self->state = g_new (const guint8 *, leaves->states->n + 1);
  self->done = g_new0 (guint8, leaves->n_lanes);
  return g_steal_pointer (&self);
}

void
reel_env_recording_free (ReelEnvRecording *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->columns);
  g_free (self->groups);
  g_free (self->results);
  g_free (self->state);
  g_free (self->done);
  g_free (self->at);
  g_free (self);
}

/* ---- recording ---- */

static void
seek (ReelEnvRecording *self, gint64 step)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      const Column *column = &g_array_index (self->columns, Column, i);

      self->at[i] = column->data + (gsize) step * column->step_bytes;
    }
}

static ReelEnvIO
point (ReelEnvRecording *self)
{
  const ReelEnvLeaves *leaves = self->leaves;
  guint8 **action = self->at + leaves->observations.n;
  guint8 **next = action + leaves->actions.n;
  guint8 **rewards = next + leaves->observations.n;
  guint8 **flags = rewards + leaves->rewards.n;

  ReelEnvIO io = reel_env_leaves_point (leaves, rewards, flags, self->groups, self->results);

  io.action = (const guint8 *const *) action;
  io.observation = next;
  io.state = reel_env_states_point (leaves->states, self->at, self->state);
  return io;
}

/* The start of a step: the last observation, or the first of another episode. */
static void
begin_step (ReelEnvRecording *self, gint64 step, gint64 begin, gint64 end)
{
  const ReelEnvLeaves *leaves = self->leaves;

  if (step > 0)
    seek (self, step - 1);
  for (gsize i = 0; step > 0 && i < leaves->observations.n; i++)
    {
      const Column *root = &g_array_index (self->columns, Column, i);
      gsize row = root->leaf->row_bytes, at = (gsize) begin * row;
      const guint8 *last = self->at[leaves->observations.n + leaves->actions.n + i];

      memcpy (root->data + (gsize) step * root->step_bytes + at, last + at,
              (gsize) (end - begin) * row);
    }
  seek (self, step);
  reel_env_reset_lanes (self->env, begin, end, step > 0 ? self->done : NULL, self->at);
}

static gboolean
record (ReelEnvRecording *self, ReelPolicy *policy, gint64 step, gint64 begin, gint64 end,
        GError **error)
{
  begin_step (self, step, begin, end);

  const ReelPolicyIO acting = {
    .observation = (const guint8 *const *) self->at,
    .action = self->at + self->leaves->observations.n,
  };

  if (!reel_policy_act (policy, step, begin, end, &acting, error))
    return FALSE;

  const ReelEnvIO stepping = point (self);

  reel_env_step_lanes (self->env, begin, end, &stepping);
  memcpy (self->done + begin, stepping.done + begin, (gsize) (end - begin));
  return TRUE;
}

gboolean
reel_env_recording_run (ReelEnvRecording *self, ReelPolicy *policy, gint64 first, gint64 end,
                        gboolean apart, GError **error)
{
  gint64 n = self->leaves->n_lanes, width = apart ? 1 : n;

  for (gint64 step = first; step < end; step++)
    for (gint64 lane = n - width; lane >= 0; lane -= width)
      if (!record (self, policy, step, lane, lane + width, error))
        return FALSE;
  return reel_env_check_faults (self->env, error);
}

/* ---- judging ---- */

static void
set_error_at (const ReelEnvRecording *self, const Column *column, gsize byte, const char *what,
              GError **error)
{
  gint64 step = (gint64) (byte / column->step_bytes);
  gint64 lane = (gint64) (byte % column->step_bytes / column->leaf->row_bytes);

  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION,
               "%s: \"%s%s\" of lane %" G_GINT64_FORMAT " in step %" G_GINT64_FORMAT " %s",
               reel_object_get_id (REEL_OBJECT (self->env)), column->prefix, column->leaf->path,
               lane, step, what);
}

gboolean
reel_env_recording_compare (const ReelEnvRecording *self, const ReelEnvRecording *other,
                            const char *why, GError **error)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      const Column *a = &g_array_index (self->columns, Column, i);
      const Column *b = &g_array_index (other->columns, Column, i);
      gsize size = a->step_bytes * REEL_ENV_RECORDING_STEPS, at = 0;

      if (memcmp (a->data, b->data, size) == 0)
        continue;
      while (a->data[at] == b->data[at])
        at++;
      set_error_at (self, a, at, why, error);
      return FALSE;
    }
  return TRUE;
}

gboolean
reel_env_recording_check_flags (const ReelEnvRecording *self, GError **error)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      const Column *column = &g_array_index (self->columns, Column, i);

      for (gsize k = 0; column->flag && k < column->step_bytes * REEL_ENV_RECORDING_STEPS; k++)
        if (column->data[k] > 1)
          {
            g_autofree char *what = g_strdup_printf ("is %d, and must be 0 or 1", column->data[k]);

            set_error_at (self, column, k, what, error);
            return FALSE;
          }
    }
  return TRUE;
}
