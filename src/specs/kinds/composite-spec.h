/* The entries of a composite. Private. */
#pragma once

#include "../spec-attributes.h"
#include "../spec-kind.h"

G_BEGIN_DECLS

/* One value of a composite: its plain key, the same as part of a path, its spec, or NULL where that
 * is not specified. */
typedef struct _ReelSpecEntry
{
  char *key;
  char *path;
  ReelSpec *spec;
} ReelSpecEntry;

/**
 * ReelCompositeSpec:
 * @head: what every spec has
 * @on_cpu: whether its device is "cpu" and not none
 * @data_class: (nullable): the class of its values that Python prints, if it is not a plain one
 * @names: of the batch dimensions, each may be %NULL
 * @entries: of #ReelSpecEntry, in insertion order
 *
 * Filled by who makes it, immutable once it is handed out.
 */
typedef struct
{
  ReelSpec head;

  gboolean on_cpu;
  char *data_class;
  char *names[REEL_MAX_NDIM];
  GArray *entries;
} ReelCompositeSpec;

/**
 * reel_composite_spec_new_like:
 * @like: (nullable): a plain composite spec
 * @ndim: batch dimensions
 * @shape: (array length=ndim): their extents
 * @error: VALUE for a bad shape
 *
 * Returns: (transfer full): a composite without entries and names, of the device and data class of
 *   @like, to be filled with reel_composite_spec_put()
 */
ReelCompositeSpec *reel_composite_spec_new_like (const ReelSpec *like, gint ndim,
                                                 const gint64 *shape, GError **error);

/**
 * reel_composite_spec_put:
 * @self: what is being made
 * @key: a plain key; what has it already is replaced in its place
 * @spec: (nullable): its spec; one whose kind widens takes the batch dimensions it lacks
 * @error: VALUE when the shapes do not fit or @key is reserved
 *
 * Returns: whether it was put
 */
gboolean reel_composite_spec_put (ReelCompositeSpec *self, const char *key, const ReelSpec *spec,
                                  GError **error);

/**
 * reel_composite_spec_take_names:
 * @self: what is being made
 * @names: (array): a name or %NULL for each of its dimensions
 *
 * Copies them, here alone.
 */
void reel_composite_spec_take_names (ReelCompositeSpec *self, char *const *names);

/**
 * reel_composite_spec_cardinality:
 *
 * The slot `cardinality`: the product of those of the entries that are specified, 0 without any.
 */
gboolean reel_composite_spec_cardinality (const ReelSpec *spec, gint64 *n, GError **error);

/**
 * reel_spec_entry_clear:
 * @entry: a #ReelSpecEntry
 *
 * The clear function of an array of them.
 */
void reel_spec_entry_clear (gpointer entry);

/**
 * reel_spec_get_entries:
 * @spec: a spec whose values are tensordicts
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n): its entries in their order
 */
const ReelSpecEntry *reel_spec_get_entries (const ReelSpec *spec, gsize *n);

/**
 * reel_spec_find_entry:
 * @spec: a spec
 * @path: text that begins with a key as part of a path
 * @length: how many bytes of it are that
 *
 * Returns: (transfer none) (nullable): the entry of that key
 */
const ReelSpecEntry *reel_spec_find_entry (const ReelSpec *spec, const char *path, gsize length);

/**
 * reel_composite_spec_describe:
 * @spec: a composite spec
 * @form: its form
 *
 * The slot `describe`.
 */
void reel_composite_spec_describe (const ReelSpec *spec, json_t *form);

/**
 * reel_composite_spec_from_form:
 * @form: a form
 * @error: VALUE with the place
 *
 * The slot `from_form`.
 *
 * Returns: (transfer full): the composite
 */
ReelSpec *reel_composite_spec_from_form (ReelSpecForm *form, GError **error);

G_END_DECLS
