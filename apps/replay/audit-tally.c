/* Parts of the definitions: tallies, and the info columns of a sampler. */
#include "audit.h"

#include "../common/free-memory.h"

Tally *
audit_add_tally (Audit *audit, const char *name, gint64 n, GError **error)
{
  Tally *tally = &audit->tallies[audit->n_tallies];

  if (!free_memory_check (name, n * (gint64) (sizeof (double) + sizeof (gint64)), error))
    return NULL;
  *tally = (Tally){ name, n, g_new0 (double, n), g_new0 (gint64, n) };
  audit->n_tallies++;
  return tally;
}

void
audit_scale_chances (Tally *tally)
{
  double sum = 0;

  for (gint64 i = 0; i < tally->n; i++)
    sum += tally->chances[i];
  for (gint64 i = 0; i < tally->n && sum > 0; i++)
    tally->chances[i] /= sum;
}

gboolean
audit_find_column (const Audit *audit, const char *name, guint *column)
{
  guint n;
  const ReelInfoColumn *columns = reel_sampler_list_info (audit->sampler, &n);

  for (*column = 0; *column < n; ++*column)
    if (name && g_str_equal (columns[*column].path, name))
      return TRUE;
  return FALSE;
}
