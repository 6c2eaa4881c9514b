/* The checks of a reader around its copies. */
#include "storage-look.h"

#include "storage-private.h"

#define PAUSE 50            /* µs */
#define PATIENCE 10000000ll /* µs that rows may be under change, or overwritten again and again */

/* Whether @deadline, 0 before the first call, is over. */
static gboolean
is_over (gint64 *deadline)
{
  gint64 now = g_get_monotonic_time ();

  if (*deadline == 0)
    *deadline = now + PATIENCE;
  return now > *deadline;
}

gboolean
reel_storage_look (ReelStorage *storage, ReelStorageLook *look, GError **error)
{
  gint64 deadline = 0;

  while ((look->revision = reel_storage_get_revision (storage)) % 2 == 1)
    {
      if (is_over (&deadline))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT,
                       "rows cannot be read: the writer has been changing some in their place for "
                       "%d s",
                       (int) (PATIENCE / 1000000));
          return FALSE;
        }
      g_usleep (PAUSE);
    }
  reel_storage_get_view (storage, &look->view);
  return TRUE;
}

gint64
reel_storage_look_again (ReelStorage *storage, const ReelStorageLook *look)
{
  /* A row is whole where its number is not below the result: none is after a change in place. */
  gint64 intact = reel_storage_first_intact_row (storage);

  return reel_storage_get_revision (storage) == look->revision ? intact : G_MAXINT64;
}

gboolean
reel_storage_may_retry (ReelStorage *storage, gint64 *deadline, GError **error)
{
  if (!is_over (deadline))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT,
               "for %d s the writer overwrote rows faster than they could be read: raise the "
               "capacity, now %" G_GINT64_FORMAT " rows",
               (int) (PATIENCE / 1000000), reel_storage_get_capacity (storage));
  return FALSE;
}
