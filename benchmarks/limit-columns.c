#include "limit-columns.h"

#include <string.h>

#define LINE 64

gpointer
limit_columns_open (LimitColumns *columns, gint64 rows)
{
  void **fields[] = {
    (void **) &columns->observation,
    (void **) &columns->action,
    (void **) &columns->done,
    (void **) &columns->terminated,
    (void **) &columns->truncated,
    (void **) &columns->traj_ids,
    (void **) &columns->next_observation,
    (void **) &columns->next_reward,
    (void **) &columns->next_done,
    (void **) &columns->next_terminated,
    (void **) &columns->next_truncated,
  };
  static const gsize bytes[] = { 16, 16, 1, 1, 1, 8, 16, 4, 1, 1, 1 };
  gsize padded = ((gsize) rows + LINE - 1) / LINE * LINE;
  guint8 *memory = g_aligned_alloc (padded, LIMIT_ROW_BYTES, LINE);
  guint8 *at = memory;

  memset (memory, 0, padded * LIMIT_ROW_BYTES);
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      *fields[i] = at;
      at += padded * bytes[i];
    }
  return memory;
}
