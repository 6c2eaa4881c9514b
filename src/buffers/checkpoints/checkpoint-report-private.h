/* Reports of faults on their way to the user. Private. */
#pragma once

#include "checkpoint-report.h"

G_BEGIN_DECLS

/**
 * reel_checkpoint_fault_new:
 * @where: file or key
 * @step: number of the step, −1 where it is of none
 * @lane: its lane, −1 where it is of none
 * @n: how many places
 * @what: (transfer full): found and expected
 *
 * Returns: (transfer full): a fault
 */
ReelCheckpointFault *reel_checkpoint_fault_new (const char *where, gint64 step, gint64 lane,
                                                gint64 n, char *what);

/**
 * reel_checkpoint_report_new:
 *
 * Returns: (transfer full): an empty report
 */
ReelCheckpointReport *reel_checkpoint_report_new (void);

G_END_DECLS
