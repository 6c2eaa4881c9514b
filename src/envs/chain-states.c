#include "chain-states.h"

#include <string.h>

GStrv
reel_chain_states_init (ReelChainStates *self, const ReelEnvStates *base, const guint *observation,
                        const ReelLanePlan *plan)
{
  gsize n_lanes = (gsize) reel_lane_plan_get_n_lanes (plan);
  g_autoptr (GStrvBuilder) keys = g_strv_builder_new ();
  gint n_shown = 0;

  self->base = base;
  self->leaves = g_new (guint, base->n + 1);
  self->rows = g_new0 (guint8 *, base->n + 1);
  self->shown = g_new (gint, base->n + 1);
  for (gsize i = 0; i < base->n; i++)
    {
      guint leaf = observation[base->leaves[i]];
      const char *path = reel_lane_plan_get_leaf (plan, leaf)->path;

      self->leaves[i] = leaf;
      self->rows[i] = g_aligned_alloc0 (MAX (n_lanes * base->row_bytes[i], 1), 1, 64);
      self->shown[i] = path ? n_shown++ : -1;
      if (path)
        g_strv_builder_add (keys, path);
    }
  return g_strv_builder_end (keys);
}

static guint8 *
get_row (const ReelChainStates *self, gsize i, gint64 lane)
{
  return self->rows[i] + (gsize) lane * self->base->row_bytes[i];
}

void
reel_chain_states_keep (const ReelChainStates *self, guint8 *const *columns, gint64 lane)
{
  for (gsize i = 0; i < self->base->n; i++)
    memcpy (get_row (self, i, lane),
            columns[self->leaves[i]] + (gsize) lane * self->base->row_bytes[i],
            self->base->row_bytes[i]);
}

void
reel_chain_states_take (const ReelChainStates *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gsize i = 0; i < self->base->n; i++)
    if (self->shown[i] >= 0)
      memcpy (get_row (self, i, begin),
              io->state[self->shown[i]] + (gsize) begin * self->base->row_bytes[i],
              (gsize) (end - begin) * self->base->row_bytes[i]);
}

gsize
reel_chain_states_get_size (const ReelChainStates *self)
{
  gsize bytes = 0;

  for (gsize i = 0; i < self->base->n; i++)
    bytes += self->base->row_bytes[i];
  return bytes;
}

void
reel_chain_states_save (const ReelChainStates *self, gint64 lane, guint8 *to)
{
  for (gsize i = 0; i < self->base->n; to += self->base->row_bytes[i++])
    memcpy (to, get_row (self, i, lane), self->base->row_bytes[i]);
}

void
reel_chain_states_restore (const ReelChainStates *self, gint64 lane, const guint8 *from)
{
  for (gsize i = 0; i < self->base->n; from += self->base->row_bytes[i++])
    memcpy (get_row (self, i, lane), from, self->base->row_bytes[i]);
}

void
reel_chain_states_clear (ReelChainStates *self)
{
  for (gsize i = 0; self->base && i < self->base->n; i++)
    g_aligned_free (self->rows[i]);
  g_free (self->rows);
  g_free (self->leaves);
  g_free (self->shown);
}
