/* A table of file operations that forwards to the one in force, counts the calls and makes chosen
 * ones fail.
 *
 *   for (gint64 n = 1;; n++)
 *     {
 *       file_faults_begin ();
 *       file_faults_fail (NULL, n, EIO, FALSE);
 *       gboolean done = the_work (&error);
 *       gboolean struck = file_faults_struck ();
 *       file_faults_end ();
 *       … what holds after a failure of call n …
 *       if (!struck)
 *         break;
 *     }
 */
#pragma once

#include <glib.h>

/* Puts the table in force, with all counts at zero and no fault planned. */
void file_faults_begin (void);

/* Puts the table back that was in force before file_faults_begin(). */
void file_faults_end (void);

/* Plans that the nth call (1 is the first) fails with error and does nothing, and if onward every
 * later one too, as for a process that has been killed. call is the name of a member of
 * ReelFileOps, or NULL for any of them. Calls that close (close, closedir, munmap) do so even where
 * one fails, as the system's calls do. */
void file_faults_fail (const char *call, gint64 nth, int error, gboolean onward);

/* Plans that the nth read, write or pwrite moves half of its bytes (of a single byte: that one). */
void file_faults_shorten (gint64 nth);

/* Plans that func is called before the nth call of any kind: another process may change files any
 * moment. Its own calls by the table are not counted again. */
void file_faults_call (gint64 nth, void (*func) (gpointer data), gpointer data);

/* How many calls there were since file_faults_begin(): of one member, or of all (NULL). */
gint64 file_faults_count (const char *call);

/* Whether the planned fault came to pass. */
gboolean file_faults_struck (void);
