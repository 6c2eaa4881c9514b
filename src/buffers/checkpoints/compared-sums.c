#include "compared-sums.h"

#include "../../core/object/error.h"
#include "checkpoint-report-private.h"
#include "kept-sums.h"

void
reel_sums_add_damage (ReelCheckpointReport *self, const char *where, gint64 n, char *what)
{
  g_ptr_array_add (self->faults, reel_checkpoint_fault_new (where, -1, -1, n, what));
}

/* The first block that differs, and how many do. */
static void
compare_blocks (ReelCheckpointReport *self, const char *key, const json_t *said, const json_t *is,
                gint64 block)
{
  gsize n = json_array_size (is), first = 0;
  gint64 n_bad = 0;

  if (!json_is_array (said) || json_array_size (said) != n)
    {
      reel_sums_add_damage (self, key, 1,
                            g_strdup_printf ("has %" G_GSIZE_FORMAT
                                             " checksums in " REEL_SIDECAR_FILE ", %" G_GSIZE_FORMAT
                                             " expected",
                                             json_array_size (said), n));
      return;
    }
  for (gsize i = n; i-- > 0;)
    if (!json_is_null (json_array_get (said, i))
        && !json_equal (json_array_get (said, i), json_array_get (is, i)))
      {
        first = i;
        n_bad++;
      }
  if (n_bad == 0)
    return;

  g_autofree char *end =
      first + 1 < n ? g_strdup_printf ("to %" G_GINT64_FORMAT, (gint64) (first + 1) * block)
                    : g_strdup ("on");

  reel_sums_add_damage (
      self, key, n_bad,
      g_strdup_printf ("has changed since it was written: the checksum of its bytes from "
                       "%" G_GINT64_FORMAT " %s differs",
                       (gint64) first * block, end));
}

/* Every file with checksums exists, and every file has checksums. */
void
reel_sums_compare (ReelCheckpointReport *self, const json_t *said, json_t *is, gint64 block)
{
  json_t *sums;
  const char *key;

  json_object_foreach ((json_t *) said, key, sums) if (!json_object_get (is, key))
      reel_sums_add_damage (self, key, 1,
                            g_strdup ("has checksums in " REEL_SIDECAR_FILE ", and is missing"));
  json_object_foreach (is, key, sums)
      compare_blocks (self, key, json_object_get (said, key), sums, block);
}

/* A directory of an older version has none. */
gboolean
reel_sums_compare_files (ReelCheckpointReport *self, const json_t *said, const char *path,
                         gint64 block, GError **error)
{
  const ReelChecksumsScope scope = { path, !json_object_get (said, "leaves"), NULL, 0, NULL };
  g_autoptr (json_t) is = NULL;

  if (!json_object_get (said, "files"))
    {
      g_ptr_array_add (self->notes,
                       g_strdup ("its metadata have no checksums: an older version wrote it"));
      return TRUE;
    }
  is = reel_checksums_of_files (&scope, block, error);
  if (!is)
    return FALSE;
  self->checksums = TRUE;
  reel_sums_compare (self, json_object_get (said, "files"), is, block);
  return TRUE;
}

gboolean
reel_sums_check_files (const ReelCheckpoint *checkpoint, GError **error)
{
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_report_new ();
  const json_t *said = checkpoint->sidecar ? checkpoint->sidecar->checksums : NULL;
  const ReelCheckpointFault *fault;

  if (!said || !reel_checksums_are_known (said))
    return TRUE;
  if (!reel_sums_compare_files (report, said, checkpoint->path,
                                json_integer_value (json_object_get (said, "block")), error))
    return FALSE;
  if (report->faults->len == 0)
    return TRUE;
  fault = report->faults->pdata[0];
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "cannot resume %s, which is damaged: %s: %s; replay fsck lists all faults",
               checkpoint->path, fault->where, fault->what);
  return FALSE;
}
