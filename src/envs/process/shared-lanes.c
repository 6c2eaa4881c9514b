#include "shared-lanes.h"

#include <string.h>

#include "../../core/object/error.h"
#include "../../specs/spec-kind.h"
#include "../env-private.h"
#include "../lost-row.h"

#define ALIGNMENT 64 /* of a column */

/* ---- places: counted first, then taken ---- */

typedef struct
{
  guint8 *memory; /* NULL while places are counted */
  gsize bytes;
  gboolean overflows;
} Room;

/* take: room for @n elements of @size. */
static gpointer
take (Room *room, gsize n, gsize size)
{
  gsize bytes, end, at = room->bytes;

  if (!g_size_checked_mul (&bytes, n, size) || !g_size_checked_add (&end, at, bytes)
      || end > G_MAXSSIZE - ALIGNMENT)
    {
      room->overflows = TRUE;
      return NULL;
    }
  room->bytes = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return room->memory ? room->memory + at : NULL;
}

static void
place_group (ReelEnvGroupStep *group, Room *room, gsize n)
{
  group->reward = take (room, n, sizeof (float));
  group->terminated = take (room, n, 1);
  group->truncated = take (room, n, 1);
  group->done = take (room, n, 1);
}

static void
place (ReelSharedLanes *self, Room *room)
{
  gsize n = (gsize) self->n_lanes;

  for (gsize i = 0; i < self->n_actions; i++)
    self->action[i] = take (room, n, self->action_bytes[i]);
  for (gsize i = 0; i < self->n_observations; i++)
    self->observation[i] = take (room, n, self->observation_bytes[i]);
  for (gsize i = 0; i < self->n_groups; i++)
    place_group (&self->groups[i], room, n * (gsize) self->n_agents[i]);
  for (gsize i = 0; i < self->n_results; i++)
    self->results[i] = take (room, n, self->result_bytes[i]);
  for (gsize i = 0; i < self->n_states; i++)
    self->state[i] = take (room, n, self->state_row[i]);
  self->reward = take (room, n, sizeof *self->reward);
  self->terminated = take (room, n, 1);
  self->truncated = take (room, n, 1);
  self->done = take (room, n, 1);
  self->elapsed = take (room, n, sizeof *self->elapsed);
  self->listed = take (room, n, sizeof *self->listed);
  self->states[0] = take (room, n, self->state_bytes);
  self->states[1] = take (room, n, self->state_bytes);
  self->newest = take (room, n, 1);
  self->is_kept = take (room, n, 1);
}

/* ---- making them ---- */

static gsize *
measure (const ReelSpec *specs, gsize *n, ReelDtype **dtypes)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (specs);
  gsize *bytes;

  *n = g_strv_length (paths);
  bytes = g_new (gsize, *n + 1);
  if (dtypes)
    *dtypes = g_new (ReelDtype, *n + 1);
  for (gsize i = 0; i < *n; i++)
    {
      const ReelSpec *leaf = reel_spec_get (specs, paths[i], NULL);

      bytes[i] = reel_spec_row_bytes (leaf);
      if (dtypes)
        (*dtypes)[i] = reel_spec_get_dtype (leaf);
    }
  return bytes;
}

static void
measure_results (ReelSharedLanes *self, const ReelEnvResults *results)
{
  self->n_results = results->n_rewards + results->n_flags;
  self->results = g_new0 (guint8 *, self->n_results + 1);
  self->result_bytes = g_new (gsize, self->n_results + 1);
  self->lost_results = g_new (guint8, self->n_results + 1);
  for (gsize i = 0; i < self->n_results; i++)
    {
      self->result_bytes[i] = results->list[i].row_bytes;
      self->lost_results[i] =
          i >= results->n_rewards && reel_env_flag_is_of_cuts (results->list[i].path);
    }
}

static gboolean
allocate (ReelSharedLanes *self, GError **error)
{
  Room room = { 0 };

  place (self, &room);
  if (room.overflows || !reel_mapping_new_shared (room.bytes, &self->memory))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                   "cannot share the memory of %" G_GINT64_FORMAT " lanes with worker processes",
                   self->n_lanes);
      return FALSE;
    }
  room = (Room){ .memory = self->memory.data };
  place (self, &room);
  return TRUE;
}

gboolean
reel_shared_lanes_init (ReelSharedLanes *self, ReelEnv *env, GError **error)
{
  *self = (ReelSharedLanes){ .n_lanes = reel_env_get_num_envs (env) };
  self->n_groups = reel_env_get_n_groups (env);
  self->state_bytes = reel_env_get_state_size (env);
  self->action_bytes = measure (reel_env_get_action_spec (env), &self->n_actions, NULL);
  self->observation_bytes = measure (reel_env_get_observation_spec (env), &self->n_observations,
                                     &self->observation_dtypes);
  self->action = g_new0 (guint8 *, self->n_actions + 1);
  self->observation = g_new0 (guint8 *, self->n_observations + 1);
  self->groups = g_new0 (ReelEnvGroupStep, self->n_groups + 1);
  self->n_agents = g_new0 (gint64, self->n_groups + 1);
  for (gsize i = 0; i < self->n_groups; i++)
    reel_env_get_group (env, i, &self->n_agents[i]);
  measure_results (self, &reel_env_get_private (env)->results);
  self->n_states = reel_env_get_private (env)->states.n;
  self->state_row = reel_env_get_private (env)->states.row_bytes;
  self->state = g_new0 (guint8 *, self->n_states + 1);
  if (!allocate (self, error))
    return FALSE;
  for (gint64 lane = 0; lane < self->n_lanes; lane++)
    self->elapsed[lane] = -1;
  return TRUE;
}

void
reel_shared_lanes_clear (ReelSharedLanes *self)
{
  g_free (self->action_bytes);
  g_free (self->observation_bytes);
  g_free (self->observation_dtypes);
  g_free (self->n_agents);
  g_free (self->result_bytes);
  g_free (self->results);
  g_free (self->lost_results);
  g_free (self->state);
  g_free (self->action);
  g_free (self->observation);
  g_free (self->groups);
  reel_mapping_unmap (&self->memory);
  *self = (ReelSharedLanes){ 0 };
}

/* ---- rows ---- */

ReelEnvIO
reel_shared_lanes_io (const ReelSharedLanes *self)
{
  return (ReelEnvIO){
    .action = (const guint8 *const *) self->action,
    .observation = self->observation,
    .reward = self->reward,
    .terminated = self->terminated,
    .truncated = self->truncated,
    .done = self->done,
    .groups = self->groups,
    .results = self->results,
    .state = (const guint8 *const *) self->state,
  };
}

static void
copy (gpointer to, gconstpointer from, gint64 begin, gint64 end, gsize bytes)
{
  gsize at = (gsize) begin * bytes;

  memcpy ((guint8 *) to + at, (const guint8 *) from + at, (gsize) (end - begin) * bytes);
}

void
reel_shared_lanes_take_inputs (ReelSharedLanes *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gsize i = 0; i < self->n_actions; i++)
    copy (self->action[i], io->action[i], begin, end, self->action_bytes[i]);
  for (gsize i = 0; i < self->n_states; i++)
    copy (self->state[i], io->state[i], begin, end, self->state_row[i]);
}

static void
give_groups (const ReelSharedLanes *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gsize i = 0; i < self->n_groups; i++)
    {
      const ReelEnvGroupStep *from = &self->groups[i], *to = &io->groups[i];
      gint64 first = begin * self->n_agents[i], after = end * self->n_agents[i];

      copy (to->reward, from->reward, first, after, sizeof (float));
      copy (to->terminated, from->terminated, first, after, 1);
      copy (to->truncated, from->truncated, first, after, 1);
      copy (to->done, from->done, first, after, 1);
    }
}

void
reel_shared_lanes_give_step (const ReelSharedLanes *self, gint64 begin, gint64 end,
                             const ReelEnvIO *io)
{
  for (gsize i = 0; i < self->n_observations; i++)
    {
      copy (io->observation[i], self->observation[i], begin, end, self->observation_bytes[i]);
      if (io->carry)
        copy (io->carry[i], self->observation[i], begin, end, self->observation_bytes[i]);
    }
  copy (io->reward, self->reward, begin, end, sizeof (float));
  copy (io->terminated, self->terminated, begin, end, 1);
  copy (io->truncated, self->truncated, begin, end, 1);
  copy (io->done, self->done, begin, end, 1);
  give_groups (self, begin, end, io);
  for (gsize i = 0; i < self->n_results; i++)
    copy (io->results[i], self->results[i], begin, end, self->result_bytes[i]);
}

void
reel_shared_lanes_give_reset (const ReelSharedLanes *self, gint64 lane, guint8 *const *observation)
{
  for (gsize i = 0; i < self->n_observations; i++)
    copy (observation[i], self->observation[i], lane, lane + 1, self->observation_bytes[i]);
}

void
reel_shared_lanes_lose_step (ReelSharedLanes *self, gint64 begin, gint64 end)
{
  gsize n = (gsize) (end - begin);

  for (gsize i = 0; i < self->n_observations; i++)
    for (gint64 lane = begin; lane < end; lane++)
      reel_write_lost_row (self->observation_dtypes[i],
                           self->observation[i] + (gsize) lane * self->observation_bytes[i],
                           self->observation_bytes[i]);
  for (gsize i = 0; i < self->n_results; i++)
    memset (self->results[i] + (gsize) begin * self->result_bytes[i], self->lost_results[i],
            n * self->result_bytes[i]);
  memset (self->reward + begin, 0, n * sizeof *self->reward);
  memset (self->terminated + begin, FALSE, n);
  memset (self->truncated + begin, TRUE, n);
  memset (self->done + begin, TRUE, n);
  for (gsize i = 0; i < self->n_groups; i++)
    {
      const ReelEnvGroupStep *group = &self->groups[i];
      gsize first = (gsize) (begin * self->n_agents[i]), all = n * (gsize) self->n_agents[i];

      memset (group->reward + first, 0, all * sizeof *group->reward);
      memset (group->terminated + first, FALSE, all);
      memset (group->truncated + first, TRUE, all);
      memset (group->done + first, TRUE, all);
    }
}
