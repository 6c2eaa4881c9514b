/* What a disk would hold after a power loss. The recorder stands in front of the table in force and
 * notes what fsync and fdatasync made durable below a directory; a test then rebuilds the directory
 * from that alone.
 *
 *   file_faults_begin ();
 *   PowerLoss *loss = power_loss_begin (directory);
 *   file_faults_fail (NULL, n, EIO, TRUE);      the power goes at call n: nothing works from there
 * on the_work (&error); power_loss_rebuild (loss, POWER_LOSS_SYNCED_NAMES, target); power_loss_end
 * (loss); file_faults_end ();
 */
#pragma once

#include <glib.h>

typedef struct _PowerLoss PowerLoss;

/* Which names survive: those of directories as last synced (as little as POSIX promises), or all of
 * them, so that a renamed file stands in its place without the data that were not synced. What is
 * right survives both. */
typedef enum
{
  POWER_LOSS_SYNCED_NAMES,
  POWER_LOSS_ALL_NAMES,
} PowerLossNames;

/* Begins to record; what is below root now counts as durable. */
PowerLoss *power_loss_begin (const char *root);

/* Makes target (which must not exist) what root would be after a power loss at this moment. A file
 * holds what it held when it was last synced, and nothing if it never was. */
void power_loss_rebuild (PowerLoss *loss, PowerLossNames names, const char *target);

/* Puts the table back that was in force before. */
void power_loss_end (PowerLoss *loss);
