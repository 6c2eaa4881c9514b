/* The directories above that of a run, which are made for it. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Notes those that are missing: before any rank makes them. */
void parents_note (const char *path);

gboolean parents_make (const char *path, GError **error);

/* Removes those that were missing and are empty, as runs that could not begin leave them. */
void parents_remove_empty (void);

G_END_DECLS
