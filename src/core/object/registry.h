/* From ids to classes, and the plugins that some of them came from. */
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

/**
 * reel_registry_refuse:
 * @type: a class
 *
 * Leaves out the class for ever: none of its ids is found or listed.
 */
void reel_registry_refuse (GType type);

/**
 * reel_registry_add_plugin:
 * @name: the name of a plugin
 *
 * Remembers a plugin whose classes were registered. No other thread may use the registry meanwhile.
 */
void reel_registry_add_plugin (const char *name);

/**
 * reel_registry_get_plugins:
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n) (nullable): the names of all plugins, in the order of
 *   their arrival
 */
const char *const *reel_registry_get_plugins (gsize *n);

G_END_DECLS
