/* Resets that an env skips lead where resets that are done lead. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* Skips different numbers of resets in each lane of an env of @text, up to some more than @most,
 * and does as many in another. Asserts that one more reset leads to the same bytes, and that
 * nothing changes where they cannot be skipped. Returns whether they can. */
gboolean skipped_resets_check (const char *text, gint64 most);

G_END_DECLS
