/* From ids to classes. */
#pragma once

#include "object.h"

G_BEGIN_DECLS

/**
 * reel_registry_find:
 * @base: a kind of object
 * @name: an id, or an id without its version for the newest
 * @id: (out): the id that is meant
 * @error: KEY with the closest id there is
 *
 * Returns: the class that has it, or %G_TYPE_INVALID
 */
GType reel_registry_find (GType base, const char *name, const ReelId **id, GError **error);

G_END_DECLS
