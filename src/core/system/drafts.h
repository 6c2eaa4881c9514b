/* Directories that are put in place whole: made and filled beside their place, then renamed once.
 * A draft holds a lock (flock) for as long as its writer lives, so that leftovers of killed writers
 * are known on every machine and in every container that shares the file system. Errors are
 * REEL_ERROR_NO_SPACE where the disk or quota is full, else REEL_ERROR_IO, unless said otherwise.
 * Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelDraft:
 * @target: where the directory is to be in the end, symbolic links resolved
 * @path: (nullable): where it is meanwhile, `.NAME.PID-N.tmp` beside @target; %NULL once it is in
 *   place
 * @fd: the directory, locked, or −1
 * @held: the directory at @target that the draft is to replace, locked, or −1
 *
 * One draft has one owner and is used by one thread at a time. %REEL_DRAFT_NONE before.
 */
typedef struct
{
  char *target;
  char *path;
  int fd;
  int held;
} ReelDraft;

/* clang-format off */
#define REEL_DRAFT_NONE { NULL, NULL, -1, -1 }
/* clang-format on */

/**
 * reel_draft_begin:
 * @self: (out caller-allocates): the draft
 * @target: where the directory is to be in the end; its parent must exist
 * @error: return location; REEL_ERROR_VALUE where @target has no last component of its own (empty,
 *   `/`, `.`, `..`)
 *
 * Removes the drafts of ended writers for the same place, then makes an empty, locked directory
 * beside it. A draft whose lock is held, or cannot be asked for (a file system without flock),
 * stays.
 *
 * Returns: whether it is there
 */
gboolean reel_draft_begin (ReelDraft *self, const char *target, GError **error);

/**
 * reel_draft_install:
 * @self: a draft
 * @durable: whether the name must survive a power loss from then on; the contents are the caller's
 *   to sync before
 * @error: return location; REEL_ERROR_RUNTIME where the place is taken
 *
 * Puts the directory in place. It takes a free name, or that of an empty directory, and never
 * replaces anything else; the system checks that in the same step. After an error, a failed sync
 * too, the draft is as before.
 *
 * Returns: whether it is in place
 */
gboolean reel_draft_install (ReelDraft *self, gboolean durable, GError **error);

/**
 * reel_draft_hold:
 * @self: a draft
 * @error: return location; REEL_ERROR_RUNTIME where another process replaces what is there, or
 *   where it is no directory
 *
 * Opens and locks the directory that the draft is to replace, so that no other draft replaces it
 * before reel_draft_clear(). @held is −1 afterwards where nothing is there.
 *
 * Returns: whether it is held, or missing
 */
gboolean reel_draft_hold (ReelDraft *self, GError **error);

/**
 * reel_draft_replace:
 * @self: a draft that holds the directory that it replaces
 * @check: (nullable): asked about the old directory, at its new path, before it is removed; nobody
 *   finds it by its name any more
 * @durable: as reel_draft_install()
 * @leftover: (out) (optional) (transfer full) (nullable): where the old directory is if it could
 *   not be removed whole
 * @error: return location; REEL_ERROR_RUNTIME where another directory is in the place by now
 *
 * Exchanges the two directories in one step (RENAME_EXCHANGE) and then removes the old one, so that
 * the place has one of the two at any moment. A file system without it needs two renames: a kill
 * between them leaves the old directory beside, as `.NAME.*.old`, and nothing in its place. With
 * @durable the exchange is on disk before the old one is touched. After an error, a failed sync
 * too, both are where they were.
 *
 * Returns: whether it is in place; an old directory left over is no failure
 */
gboolean reel_draft_replace (ReelDraft *self, gboolean (*check) (const char *old, GError **error),
                             gboolean durable, char **leftover, GError **error);

/**
 * reel_draft_install_file:
 * @self: a draft, one file of which is what @target is to be; reel_draft_clear() removes the rest
 * @file: its path, synced
 * @replace: whether it may take the place of another file
 * @error: return location; REEL_ERROR_RUNTIME where the place is taken
 *
 * Puts a file in place in one step, durably. Without @replace the system checks in the same step
 * that the name is free, where the file system can.
 *
 * Returns: whether it is in place
 */
gboolean reel_draft_install_file (ReelDraft *self, const char *file, gboolean replace,
                                  GError **error);

/**
 * reel_draft_clear:
 * @self: a draft, or %REEL_DRAFT_NONE, which it is afterwards
 *
 * Removes what was not put in place, and lets go of the locks.
 */
void reel_draft_clear (ReelDraft *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelDraft, reel_draft_clear)

G_END_DECLS
