/* Files and directories that are put in place whole: made under another name, renamed once. Each is
 * locked (flock) while its writer lives, so that what killed ones left is known and removed. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

typedef struct
{
  char *path;
  char *temporary;
  int fd;
  gboolean is_directory;
  gboolean replaces;   /* a file that was there when it was begun */
  volatile int writer; /* process that writes it, which is ended where it is removed; or 0 */
} Draft;

/* Removes what killed writers of the same path left, then makes an empty file, which will take the
 * place of the plain file at the path, if there is one; or a directory, where nothing may stand. */
Draft *draft_new (const char *path, gboolean is_directory, GError **error);

/* Appends bytes to the file. Errors of all of these name the path, not the temporary. */
gboolean draft_write (const Draft *self, gconstpointer bytes, gsize n, GError **error);

/* Writes the file as a PNG. */
gboolean draft_write_png (const Draft *self, ReelTensor *image, GError **error);

/* Makes a PNG of this name in the directory. */
gboolean draft_add_png (const Draft *self, const char *name, ReelTensor *image, GError **error);

/* Puts it in its place. A file that appeared there meanwhile is not replaced. */
gboolean draft_keep (Draft *self, GError **error);

/* Removes every one that was not kept, for a program that ends at once: a signal handler may call
 * it. */
void draft_remove_all (void);

/* Removes what was not kept. */
void draft_free (Draft *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Draft, draft_free)

G_END_DECLS
