/* What a kind of spec fills in. Private: one file a kind, and no kind knows of the machinery. */
#pragma once

#include "../core/random.h"
#include "spec.h"

G_BEGIN_DECLS

typedef struct _ReelSpecKind ReelSpecKind;

/**
 * ReelSpec:
 * @kind: what it is
 * @dtype: type of the elements; of no meaning in composites
 * @ndim: dimensions
 * @shape: extents
 * @numel: their product
 *
 * The head of every spec; a kind's own struct begins with it.
 */
struct _ReelSpec
{
  const ReelSpecKind *kind;
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  gint64 numel;
};

/**
 * ReelSpecKind:
 * @word: what the text form calls it
 * @size: bytes of its struct
 * @default_dtype: the element type that the text form leaves out
 * @exact_shape: whether values must have its very extents; else an extent of 1 takes any
 * @clear: (nullable): frees what it owns
 * @expand: required. Gives @copy, whose head is set, the domain of @spec, a batch of which it is
 * @equal: required. Whether the domains are the same; dtype and shape are. @other may be of any
 * kind
 * @get_n: (nullable): the number of values of one element
 * @get_class_name: required but for composites. The class that Python prints
 * @draw_rows: required but for composites. Fills @n rows of a step from row @first on; element e of
 *   row r is drawn from index r × numel + e of @key alone, so that cuts do not matter
 * @find_outside: required but for composites. The number of the first of @values, whole rows, that
 *   is outside, or −1; @why says why, to follow "element […] "
 * @project_dtype: required but for composites. The type of what values of @dtype are projected to
 * @project: required but for composites. Writes to @projected the nearest values inside
 * @to_text: required. Appends `,name=value` for every parameter but dtype and shape
 *
 * Everything that tells one kind of spec from another.
 */
struct _ReelSpecKind
{
  const char *word;
  gsize size;
  ReelDtype default_dtype;
  gboolean exact_shape;

  void (*clear) (ReelSpec *spec);
  gboolean (*expand) (const ReelSpec *spec, ReelSpec *copy, GError **error);
  gboolean (*equal) (const ReelSpec *spec, const ReelSpec *other);
  gint64 (*get_n) (const ReelSpec *spec);

  const char *(*get_class_name) (const ReelSpec *spec);
  void (*draw_rows) (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n, guint8 *rows);
  gint64 (*find_outside) (const ReelSpec *spec, const guint8 *values, gint64 n_values, char **why);
  ReelDtype (*project_dtype) (const ReelSpec *spec, ReelDtype dtype);
  void (*project) (const ReelSpec *spec, ReelDtype dtype, const guint8 *values, gint64 n_values,
                   guint8 *projected);
  void (*to_text) (const ReelSpec *spec, GString *text);
};

extern const ReelSpecKind reel_bounded_spec_kind;
extern const ReelSpecKind reel_unbounded_spec_kind;
extern const ReelSpecKind reel_one_hot_spec_kind;
extern const ReelSpecKind reel_categorical_spec_kind;
extern const ReelSpecKind reel_binary_spec_kind;
extern const ReelSpecKind reel_composite_spec_kind;

/**
 * reel_spec_alloc:
 * @kind: a kind
 * @dtype: type of the elements
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @error: VALUE for a bad shape
 *
 * Returns: (transfer full): a zeroed spec with its head set
 */
gpointer reel_spec_alloc (const ReelSpecKind *kind, ReelDtype dtype, gint ndim, const gint64 *shape,
                          GError **error);

/**
 * reel_spec_row_bytes:
 * @spec: a leaf spec
 *
 * Returns: bytes of one value
 */
gsize reel_spec_row_bytes (const ReelSpec *spec);

/**
 * reel_spec_leaf_seed:
 * @seed: the seed of a stream
 * @leaf: number of a leaf, in the order of reel_spec_list_leaves()
 *
 * Returns: the seed of that leaf's own stream
 */
guint64 reel_spec_leaf_seed (guint64 seed, gint64 leaf);

/**
 * reel_spec_format_shape:
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @separator: what stands between them
 *
 * Returns: (transfer full): `[2, 3]`
 */
char *reel_spec_format_shape (gint ndim, const gint64 *shape, const char *separator);

G_END_DECLS
