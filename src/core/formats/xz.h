/* Files in the .xz format 1.1, unpacked by liblzma. Private to byte-stream.c. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelXz:
 *
 * An unpacker of some megabytes, as many as the one who packed chose, and 128 at most.
 */
typedef struct _ReelXz ReelXz;

/**
 * reel_xz_new:
 *
 * Returns: (transfer full): an unpacker of streams that follow each other
 */
ReelXz *reel_xz_new (void);

/**
 * reel_xz_free:
 * @self: (nullable) (transfer full): an unpacker
 */
void reel_xz_free (ReelXz *self);

/**
 * reel_xz_read:
 * @self: an unpacker
 * @at: (inout): the next packed byte
 * @end: behind the last of the file
 * @to: (array length=n): where unpacked bytes go
 * @n: how many at most
 * @n_read: (out): how many there were
 * @is_over: (out): whether that was all, and the checksums are right
 * @error: DAMAGED; NOT_IMPLEMENTED where it would take too much memory
 *
 * Returns: whether it went well
 */
gboolean reel_xz_read (ReelXz *self, const guint8 **at, const guint8 *end, guint8 *to, gsize n,
                       gsize *n_read, gboolean *is_over, GError **error);

G_END_DECLS
