/* Faults of a checkpoint, as reel_checkpoint_verify() finds them. */
#pragma once

#include "../../core/object/macros.h"

G_BEGIN_DECLS

/**
 * ReelCheckpointFault:
 * @where: the key at fault, `storage`, or the empty string where @what names a file
 * @step: number of the first step at fault, counted from the first ever written; −1 where it is of
 *   none
 * @lane: its lane, −1 where it is of none
 * @n: in how many places: rows, blocks of bytes, steps
 * @what: what was found, and what was expected
 * @torn: whether these are steps that a killed writer left half written. Readers of Reel skip them,
 *   TorchRL reads them as rows; a run that goes on overwrites them
 *
 * A fault of a checkpoint.
 */
typedef struct
{
  char *where;
  gint64 step;
  gint64 lane;
  gint64 n;
  char *what;
  gboolean torn;
} ReelCheckpointFault;

/**
 * ReelCheckpointReport:
 * @faults: (element-type ReelCheckpointFault): what is wrong, nothing where all is well
 * @notes: (element-type utf8): what could not be checked, or was left out
 * @n_rows: rows that can be read
 * @checksums: whether there were checksums to compare to
 *
 * The findings of reel_checkpoint_verify().
 */
typedef struct
{
  GPtrArray *faults;
  GPtrArray *notes;
  gint64 n_rows;
  gboolean checksums;
} ReelCheckpointReport;

/**
 * reel_checkpoint_report_free:
 * @self: (transfer full) (nullable): a report
 *
 * Frees a report and its faults.
 */
REEL_API
void reel_checkpoint_report_free (ReelCheckpointReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelCheckpointReport, reel_checkpoint_report_free)

G_END_DECLS
