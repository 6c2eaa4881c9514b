/* Simulators that reset themselves: the first observation of the next episode is kept, or fetched
 * by the step that they ignore. */
#include "env-autoreset.h"

#include <string.h>

#include "../core/tensor/memory.h"
#include "../specs/spec-kind.h"
#include "env-private.h"
#include "lost-row.h"

/* A leaf of the observation: rows of all lanes that wait. */
typedef struct
{
  ReelDtype dtype;
  gsize row_bytes;
  guint8 *first;
} Leaf;

struct _ReelEnvAutoreset
{
  ReelAutoreset mode;
  gint64 n_lanes;
  gsize n_observations;
  Leaf *observations;
  guint8 *waits; /* by lane: whether the next episode has begun already, or will in the next step */
  guint8 *ended; /* by lane: what the class said in the step at work */
  guint8 *cut;

  /* Where a step goes whose action is ignored: whatever it gives but the observation. */
  guint8 **actions;
  ReelEnvGroupStep *groups;
  guint8 **results;
  ReelEnvIO ghost;

  GPtrArray *memories;
};

static gpointer
take_memory (ReelEnvAutoreset *self, gsize bytes, GError **error)
{
  ReelMemory *memory = reel_memory_new (bytes, error);

  if (memory == NULL)
    return NULL;
  g_ptr_array_add (self->memories, memory);
  return reel_memory_get_data (memory, NULL);
}

static gboolean
take_outcome (ReelEnvAutoreset *self, gsize n, float **reward, guint8 *flags[3], GError **error)
{
  guint8 *at = take_memory (self, n * (sizeof (float) + 3), error);

  if (at == NULL)
    return FALSE;
  *reward = (float *) at;
  for (gsize i = 0; i < 3; i++)
    flags[i] = at + n * (sizeof (float) + i);
  return TRUE;
}

static gboolean
take_results (ReelEnvAutoreset *self, const ReelEnvResults *results, GError **error)
{
  gsize n = results->n_rewards + results->n_flags;

  self->results = g_new0 (guint8 *, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      gsize bytes = results->list[i].row_bytes * (gsize) self->n_lanes;

      self->results[i] = take_memory (self, MAX (bytes, 1), error);
      if (self->results[i] == NULL)
        return FALSE;
    }
  self->ghost.results = self->results;
  return TRUE;
}

/* Room for what nobody reads. */
static gboolean
prepare_ghost (ReelEnvAutoreset *self, ReelEnv *env, GError **error)
{
  g_auto (GStrv) actions = reel_spec_list_leaves (reel_env_get_action_spec (env));
  gsize lanes = (gsize) self->n_lanes, n_groups = reel_env_get_n_groups (env);
  guint8 *flags[3];

  self->actions = g_new0 (guint8 *, g_strv_length (actions) + 1);
  self->groups = g_new0 (ReelEnvGroupStep, n_groups + 1);
  for (gsize i = 0; actions[i] != NULL; i++)
    {
      const ReelSpec *spec = reel_spec_get (reel_env_get_action_spec (env), actions[i], NULL);

      self->actions[i] = take_memory (self, reel_spec_row_bytes (spec) * lanes, error);
      if (self->actions[i] == NULL)
        return FALSE;
    }
  for (gsize i = 0; i < n_groups; i++)
    {
      ReelEnvGroupStep *group = &self->groups[i];
      gint64 n_agents;

      reel_env_get_group (env, i, &n_agents);
      if (!take_outcome (self, lanes * (gsize) n_agents, &group->reward, flags, error))
        return FALSE;
      group->terminated = flags[0];
      group->truncated = flags[1];
      group->done = flags[2];
    }
  if (!take_outcome (self, lanes, &self->ghost.reward, flags, error)
      || !take_results (self, &reel_env_get_private (env)->results, error))
    return FALSE;
  self->ghost.terminated = flags[0];
  self->ghost.truncated = flags[1];
  self->ghost.done = flags[2];
  self->ghost.action = (const guint8 *const *) self->actions;
  self->ghost.groups = self->groups;
  return TRUE;
}

static gboolean
prepare_leaves (ReelEnvAutoreset *self, ReelEnv *env, GError **error)
{
  const ReelSpec *observation = reel_env_get_observation_spec (env);
  g_auto (GStrv) paths = reel_spec_list_leaves (observation);
  gsize lanes = (gsize) self->n_lanes;
  guint8 *flags = take_memory (self, 3 * lanes, error);

  self->n_observations = g_strv_length (paths);
  self->observations = g_new0 (Leaf, self->n_observations);
  if (flags == NULL)
    return FALSE;
  self->waits = flags;
  self->ended = flags + lanes;
  self->cut = flags + 2 * lanes;
  for (gsize i = 0; i < self->n_observations; i++)
    {
      const ReelSpec *spec = reel_spec_get (observation, paths[i], NULL);
      Leaf *leaf = &self->observations[i];

      leaf->dtype = reel_spec_get_dtype (spec);
      leaf->row_bytes = reel_spec_row_bytes (spec);
      leaf->first = take_memory (self, leaf->row_bytes * lanes, error);
      if (leaf->first == NULL)
        return FALSE;
    }
  return TRUE;
}

ReelEnvAutoreset *
reel_env_autoreset_new (ReelEnv *env, GError **error)
{
  ReelEnvAutoreset *self = g_new0 (ReelEnvAutoreset, 1);

  self->mode = REEL_ENV_GET_CLASS (env)->autoreset;
  self->n_lanes = reel_env_get_num_envs (env);
  self->memories = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_memory_unref);
  if (prepare_leaves (self, env, error) && prepare_ghost (self, env, error))
    return self;
  reel_env_autoreset_free (self);
  return NULL;
}

void
reel_env_autoreset_free (ReelEnvAutoreset *self)
{
  g_ptr_array_unref (self->memories);
  g_free (self->observations);
  g_free (self->actions);
  g_free (self->groups);
  g_free (self->results);
  g_free (self);
}

void
reel_env_autoreset_forget (ReelEnvAutoreset *self, gint64 begin, gint64 end)
{
  memset (self->waits + begin, 0, (gsize) (end - begin));
}

/* ---- steps ---- */

void
reel_env_autoreset_begin (ReelEnvAutoreset *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  reel_env_autoreset_forget (self, begin, end);
  memset (io->truncated + begin, 0, (gsize) (end - begin));
}

void
reel_env_autoreset_look (ReelEnvAutoreset *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 lane = begin; lane < end; lane++)
    {
      self->cut[lane] = io->truncated[lane];
      self->ended[lane] = io->terminated[lane] | io->truncated[lane];
    }
}

/* The observation of a last step is the first of the next episode: it is kept for the reset. */
static void
keep_first (ReelEnvAutoreset *self, gint64 lane, const ReelEnvIO *io)
{
  for (gsize i = 0; i < self->n_observations; i++)
    {
      const Leaf *leaf = &self->observations[i];
      gsize at = (gsize) lane * leaf->row_bytes;

      memcpy (leaf->first + at, io->observation[i] + at, leaf->row_bytes);
      reel_write_lost_row (leaf->dtype, io->observation[i] + at, leaf->row_bytes);
    }
}

gint64
reel_env_autoreset_end (ReelEnvAutoreset *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  gint64 n_done = 0;

  for (gint64 lane = begin; lane < end; lane++)
    {
      io->truncated[lane] |= self->cut[lane];
      io->done[lane] |= self->cut[lane];
      n_done += io->done[lane];
      self->waits[lane] = self->ended[lane];
      if (self->ended[lane] && self->mode == REEL_AUTORESET_SAME_STEP)
        keep_first (self, lane, io);
    }
  return n_done;
}

/* ---- resets ---- */

/* The step whose action is ignored: what it observes is the first of the next episode. */
static void
step_past (const ReelEnvAutoreset *self, ReelEnv *env, gint64 lane, guint8 *const *observation)
{
  ReelEnvIO io = self->ghost;

  io.observation = observation;
  REEL_ENV_GET_CLASS (env)->step (env, lane, lane + 1, &io);
}

static void
take_first (const ReelEnvAutoreset *self, gint64 lane, guint8 *const *observation)
{
  for (gsize i = 0; i < self->n_observations; i++)
    {
      const Leaf *leaf = &self->observations[i];
      gsize at = (gsize) lane * leaf->row_bytes;

      memcpy (observation[i] + at, leaf->first + at, leaf->row_bytes);
    }
}

gsize
reel_env_autoreset_reset (ReelEnvAutoreset *self, ReelEnv *env, gint64 *lanes, gsize n,
                          guint8 *const *observation)
{
  gsize left = 0;

  for (gsize i = 0; i < n; i++)
    {
      gint64 lane = lanes[i];

      if (!self->waits[lane])
        /* The class resets those that did not do so themselves. */
        lanes[left++] = lane;
      else if (self->mode == REEL_AUTORESET_SAME_STEP)
        take_first (self, lane, observation);
      else
        step_past (self, env, lane, observation);
      self->waits[lane] = FALSE;
    }
  return left;
}

/* ---- state ---- */

gsize
reel_env_autoreset_state_size (const ReelEnvAutoreset *self)
{
  gsize size = 1;

  for (gsize i = 0; i < self->n_observations; i++)
    size += self->observations[i].row_bytes;
  return size;
}

gsize
reel_env_autoreset_get_state (const ReelEnvAutoreset *self, gint64 lane, guint8 *state)
{
  guint8 *at = state;

  *at++ = self->waits[lane];
  for (gsize i = 0; i < self->n_observations; i++)
    {
      const Leaf *leaf = &self->observations[i];

      memcpy (at, leaf->first + (gsize) lane * leaf->row_bytes, leaf->row_bytes);
      at += leaf->row_bytes;
    }
  return (gsize) (at - state);
}

gsize
reel_env_autoreset_set_state (ReelEnvAutoreset *self, gint64 lane, const guint8 *state)
{
  const guint8 *at = state;

  self->waits[lane] = *at++;
  for (gsize i = 0; i < self->n_observations; i++)
    {
      const Leaf *leaf = &self->observations[i];

      memcpy (leaf->first + (gsize) lane * leaf->row_bytes, at, leaf->row_bytes);
      at += leaf->row_bytes;
    }
  return (gsize) (at - state);
}
