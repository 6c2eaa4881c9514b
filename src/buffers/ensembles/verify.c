/* A directory is verified with all of its members. */
#include "verify.h"
#include "ensemble-files.h"
#include "ensemble-members.h"

#include "../checkpoints/checkpoint-fingerprint.h"
#include "../checkpoints/checkpoint-report-private.h"
#include "../checkpoints/checkpoint-verify.h"

#include "../../core/object/error.h"

#include <string.h>

static void
put_before (char **text, const char *name)
{
  g_autofree char *old = *text;

  *text = g_strdup_printf ("%s: %s", name, old);
}

/* Says of which member each thing was found: by its place below the whole, empty for that. */
static void
name_report (ReelCheckpointReport *self, const char *name)
{
  for (guint i = 0; *name && i < self->faults->len; i++)
    {
      ReelCheckpointFault *fault = self->faults->pdata[i];

      if (*fault->where)
        put_before (&fault->where, name);
    }
  for (guint i = 0; *name && i < self->notes->len; i++)
    put_before ((char **) &self->notes->pdata[i], name);
}

/* Takes over what was found in a member. */
static void
add_report (ReelCheckpointReport *self, ReelCheckpointReport *report)
{
  g_ptr_array_extend_and_steal (self->faults, g_steal_pointer (&report->faults));
  g_ptr_array_extend_and_steal (self->notes, g_steal_pointer (&report->notes));
  self->n_rows += report->n_rows;
  self->checksums = self->checksums && report->checksums;
  report->faults = g_ptr_array_new ();
  report->notes = g_ptr_array_new ();
}

/* An error of a reader is a fault of the files. */
static gboolean
is_damage (const GError *error)
{
  return error->domain == REEL_ERROR
         && (error->code == REEL_ERROR_DAMAGED || error->code == REEL_ERROR_VALUE
             || error->code == REEL_ERROR_TYPE || error->code == REEL_ERROR_KEY);
}

static ReelCheckpointReport *verify (const char *root, const char *path, gboolean rows,
                                     GError **error);

static gboolean
check_members (ReelCheckpointReport *self, const char *root, const char *path, gboolean rows,
               GError **error)
{
  g_auto (GStrv) members = reel_ensemble_list_members (path, error);

  self->checksums = members && members[0];
  for (char **member = members; member && *member; member++)
    {
      g_autoptr (ReelCheckpointReport) report = verify (root, *member, rows, error);

      if (!report)
        return FALSE;
      add_report (self, report);
    }
  return members != NULL;
}

/* @root: of what @path is a part, or @path. @rows: whether each row is looked at. */
static ReelCheckpointReport *
verify (const char *root, const char *path, gboolean rows, GError **error)
{
  ReelCheckpointReport *self = reel_checkpoint_report_new ();
  const char *name = path + strlen (root);
  g_autoptr (GError) failure = NULL;

  if (reel_checkpoint_is_ensemble (path))
    {
      if (check_members (self, root, path, rows, &failure))
        return self;
    }
  else if (reel_checkpoint_is_rows (path)
               ? reel_checkpoint_verify_rows (self, path, rows, &failure)
               : reel_checkpoint_verify_buffer (self, path, rows, &failure))
    {
      name_report (self, name + (*name == '/'));
      return self;
    }
  if (is_damage (failure))
    {
      g_ptr_array_add (self->faults,
                       reel_checkpoint_fault_new ("", -1, -1, 1, g_strdup (failure->message)));
      return self;
    }
  reel_checkpoint_report_free (self);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

static ReelCheckpointReport *
verify_settled (const char *path, gboolean rows, GError **error)
{
  for (gint attempt = 1;; attempt++)
    {
      g_autoptr (ReelCheckpointFingerprint) look = reel_checkpoint_fingerprint_new (path);
      g_autoptr (GError) failure = NULL;
      g_autoptr (ReelCheckpointReport) report = verify (path, path, rows, &failure);

      /* Files of two directories that had the path are no damage of either. */
      if ((!report || report->faults->len > 0) && attempt < REEL_CHECKPOINT_ATTEMPTS
          && reel_checkpoint_fingerprint_differs (look))
        continue;
      if (failure)
        g_propagate_error (error, g_steal_pointer (&failure));
      return g_steal_pointer (&report);
    }
}

ReelCheckpointReport *
reel_checkpoint_verify (const char *path, GError **error)
{
  g_return_val_if_fail (path, NULL);
  return verify_settled (path, TRUE, error);
}

ReelCheckpointReport *
reel_checkpoint_verify_files (const char *path, GError **error)
{
  g_return_val_if_fail (path, NULL);
  return verify_settled (path, FALSE, error);
}
