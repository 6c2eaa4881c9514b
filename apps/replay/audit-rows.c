/* Rows, of which each has the same chance, or that of its priority. */
#include "audit.h"

#include <math.h>

#define CHUNK 4096
#define N_PRIORITIES 7

/* Priorities that are known: 1 to 7 in turn. */
static gboolean
set_priorities (Audit *audit, GError **error)
{
  gint64 slots[CHUNK];
  double priorities[CHUNK];

  for (gint64 row = audit->view.first_row; row < audit->view.end_row; row += CHUNK)
    {
      gint64 n = MIN (CHUNK, audit->view.end_row - row);

      for (gint64 i = 0; i < n; i++)
        {
          slots[i] = (row + i) % audit->view.capacity;
          priorities[i] = 1 + (double) ((row + i - audit->view.first_row) % N_PRIORITIES);
        }
      if (!reel_sampler_update_priority (audit->sampler, audit->storage, slots, n, priorities,
                                         error))
        return FALSE;
    }
  return TRUE;
}

/* Of each row: how its chance is to that of the others. Takes those priorities for granted. */
gboolean
audit_prepare_weights (Audit *audit, GError **error)
{
  double alpha = 0, eps = 0;

  if (audit->definition->prioritized)
    {
      g_object_get (audit->by, "alpha", &alpha, "eps", &eps, NULL);
      if (!set_priorities (audit, error))
        return FALSE;
    }
  for (gint i = 0; i < N_PRIORITIES; i++)
    audit->weights[i] = pow (1 + i + eps, alpha);
  return TRUE;
}

double
audit_weight_of (const Audit *audit, gint64 row)
{
  return audit->weights[(row - audit->view.first_row) % N_PRIORITIES];
}

gboolean
audit_prepare_rows (Audit *audit, GError **error)
{
  Tally *tally = audit_add_tally (audit, audit->windows.n_rows > 0 ? "anchors" : "rows",
                                  audit->view.end_row - audit->view.first_row, error);

  if (!tally)
    return FALSE;
  for (gint64 i = 0; i < tally->n; i++)
    tally->chances[i] = audit_weight_of (audit, audit->view.first_row + i);
  audit_scale_chances (tally);
  return TRUE;
}

gboolean
audit_count_rows (Audit *audit, const gint64 *rows, gint64 n, const ReelDraw *draw, GError **error)
{
  Tally *tally = &audit->tallies[0];

  for (gint64 i = 0; i < n; i++)
    {
      gint64 row = rows[i] - audit->view.first_row;

      tally->seen[row]++;
      audit->n_drawn++;
      audit->n_twice += audit->in_pass[row];
      audit->in_pass[row] = audit->definition->once;
    }
  return TRUE;
}
