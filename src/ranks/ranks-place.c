/* Where steps of all ranks go: blocks that a buffer lends, or one of the collector. */
#include "ranks-collector-private.h"

#include <string.h>

/* find_order: the column of each leaf, in the order in which ranks send them. */
static void
find_order (ReelRanksCollector *self)
{
  g_auto (GStrv) leaves =
      reel_tensordict_list_leaves (reel_ranks_collector_get_parts (self)->layout);

  self->order = g_new (guint, self->columns->n_columns);
  self->into = g_new (guint8 *, self->columns->n_columns);
  self->leaves = g_new (guint8 *, self->columns->n_columns);
  for (guint i = 0; leaves[i]; i++)
    for (guint c = 0; c < self->columns->n_columns; c++)
      if (strcmp (leaves[i], self->columns->paths[c]) == 0)
        self->order[i] = c;
}

gboolean
reel_ranks_collector_find_place (ReelRanksCollector *self, GError **error)
{
  const ReelCollectorParts *parts = reel_ranks_collector_get_parts (self);

  self->columns = reel_ted_columns_new (parts->env, parts->policy, parts->layout);
  find_order (self);
  if (reel_collector_writes_in_place (parts))
    {
      self->found = reel_ted_columns_find (self->columns, parts->layout,
                                           reel_replay_buffer_get_storage (parts->buffer), error);
      return self->found != NULL;
    }
  self->block = reel_step_block_new (parts->layout, self->columns,
                                     reel_ranks_collector_count_most_steps (self), FALSE, error);
  return self->block != NULL;
}

guint8 *const *
reel_ranks_collector_point (ReelRanksCollector *self, const ReelReservation *lent)
{
  if (lent == NULL)
    reel_step_block_point (self->block, 0, self->into);
  for (guint i = 0; i < self->columns->n_columns; i++)
    self->leaves[i] =
        lent ? lent->columns[self->found[self->order[i]]] : self->into[self->order[i]];
  return self->leaves;
}

gboolean
reel_ranks_collector_see_block (ReelRanksCollector *self, gint64 n_steps, ReelTensordict **steps,
                                GError **error)
{
  *steps = reel_step_block_see (self->block, n_steps,
                                reel_ranks_collector_get_parts (self)->return_same_td, error);
  return *steps != NULL;
}
