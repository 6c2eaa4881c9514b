/* Entries of composite specs. Specs are values: what sets, removes or updates gives a new spec that
 * shares the rest, and what was given stays. */
#pragma once

#include "spec.h"

G_BEGIN_DECLS

/**
 * ReelSpecKeys:
 * @REEL_SPEC_KEYS_DEFAULT: the keys of the spec itself
 * @REEL_SPEC_KEYS_NESTED: those of nested composites too, before the key of their composite
 * @REEL_SPEC_KEYS_LEAVES_ONLY: those of composites not
 *
 * Which keys to list.
 */
typedef enum
{
  REEL_SPEC_KEYS_DEFAULT = 0,
  REEL_SPEC_KEYS_NESTED = 1 << 0,
  REEL_SPEC_KEYS_LEAVES_ONLY = 1 << 1,
} ReelSpecKeys;

/**
 * reel_spec_list_keys:
 * @spec: a composite spec, or a stack of such: what all members have, in the order of bytes
 * @flags: which of its keys
 *
 * As TorchRL's keys(include_nested, leaves_only). An unspecified entry is a leaf.
 *
 * Returns: (transfer full) (array zero-terminated=1): paths
 */
REEL_API
char **reel_spec_list_keys (const ReelSpec *spec, ReelSpecKeys flags);

/**
 * reel_spec_contains:
 * @spec: a composite spec
 * @path: a key or path
 *
 * Returns: whether there is something, even if it is left unspecified
 */
REEL_API
gboolean reel_spec_contains (const ReelSpec *spec, const char *path);

/**
 * reel_spec_is_empty:
 * @spec: a composite spec
 * @recurse: whether composites without leaves count as nothing, and leaves that are unspecified
 *
 * Returns: whether it has no entries; of a stack, whether no member has
 */
REEL_API
gboolean reel_spec_is_empty (const ReelSpec *spec, gboolean recurse);

/**
 * reel_spec_empty:
 * @spec: a composite spec
 *
 * Returns: (transfer full): one like it, without entries and names
 */
REEL_API
ReelSpec *reel_spec_empty (const ReelSpec *spec);

/**
 * reel_spec_set:
 * @spec: a composite spec, or a stack of such: @value is unbound for its members
 * @path: a key or path; composites that are missing on the way are made, with the batch dimensions
 *   and the device of @spec
 * @value: (nullable): the spec to put there; its shape begins with that of @spec, but a composite
 *   with fewer dimensions takes those it lacks. %NULL leaves it unspecified
 * @error: VALUE when the shapes do not fit or the key is reserved (`shape`, `device`, `dtype`,
 *   `space`), KEY for what is no path, TYPE when the path leads through a leaf
 *
 * Returns: (transfer full): @spec with @value there, in the place of what was there
 */
REEL_API
ReelSpec *reel_spec_set (const ReelSpec *spec, const char *path, const ReelSpec *value,
                         GError **error);

/**
 * reel_spec_remove:
 * @spec: a composite spec, or a stack of such, of which one member at least must have it
 * @path: a key or path
 * @error: KEY when there is none
 *
 * TorchRL's `del spec[path]`; with reel_spec_get() before, its pop().
 *
 * Returns: (transfer full): @spec without what is there
 */
REEL_API
ReelSpec *reel_spec_remove (const ReelSpec *spec, const char *path, GError **error);

/**
 * reel_spec_update:
 * @spec: a composite spec
 * @other: another
 * @error: as reel_spec_set()
 *
 * Returns: (transfer full): @spec with the entries of @other. Where both have a composite it is
 *   updated likewise; else what @other has replaces what is there, be it left unspecified
 */
REEL_API
ReelSpec *reel_spec_update (const ReelSpec *spec, const ReelSpec *other, GError **error);

/**
 * reel_spec_separate:
 * @spec: a composite spec
 * @paths: (array zero-terminated=1): keys and paths; what is not there is passed over
 * @separated: (out) (nullable): what was there, in a composite of the same batch dimensions and
 *   device; %NULL where nothing was
 * @error: as reel_spec_set()
 *
 * TorchRL's separates().
 *
 * Returns: (transfer full): @spec without these
 */
REEL_API
ReelSpec *reel_spec_separate (const ReelSpec *spec, const char *const *paths, ReelSpec **separated,
                              GError **error);

G_END_DECLS
