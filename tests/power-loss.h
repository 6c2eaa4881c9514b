/* The contents of a disk after a power loss. The recorder stands in front of the table in force and
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

/* The survivors besides synced data: the names of directories as last synced (as little as POSIX
 * promises); all names, so that a renamed file is in its place without the data that were not
 * synced; or, by chance, some directories' names and some sectors of 512 bytes, in any order. What
 * is right survives all three. Data written by chance count as written from then on. */
typedef enum
{
  POWER_LOSS_SYNCED_NAMES,
  POWER_LOSS_ALL_NAMES,
  POWER_LOSS_TORN,
  POWER_LOSS_NONE, /* the system goes on: all is written but what failed syncs dropped */
} PowerLossNames;

/* Begins to record; what is below root now counts as durable. */
PowerLoss *power_loss_begin (const char *root);

/* Some of what was not synced goes to the disk now, as the system may write it at any time. */
void power_loss_write_some (PowerLoss *loss);

/* The nth sync of a file from now on fails with EIO; none for 0. As Linux does, the system has then
 * written some of its sectors, and calls the others clean: a later sync succeeds and does not write
 * them. */
void power_loss_fail_sync (PowerLoss *loss, gint64 nth);

/* Whether that came to pass. */
gboolean power_loss_sync_failed (const PowerLoss *loss);

/* Makes target (which must not exist) what root would be after a power loss at this moment. A file
 * holds what it held when it was last synced, and nothing if it never was, but for what was written
 * by chance. */
void power_loss_rebuild (PowerLoss *loss, PowerLossNames names, const char *target);

/* Makes the run in a directory one of another start of the machine. */
void power_loss_reboot (const char *directory);

/* Puts the table back that was in force before. */
void power_loss_end (PowerLoss *loss);
