/* What a kind of spec fills in. Private: one file a kind, and no kind knows of the machinery. */
#pragma once

#include "../core/random.h"
#include "spec.h"

G_BEGIN_DECLS

typedef struct _ReelSpecKind ReelSpecKind;
typedef struct _ReelSpecChange ReelSpecChange;

/**
 * ReelSpecLast:
 * @REEL_SPEC_LAST_FREE: it is a dimension as the others
 * @REEL_SPEC_LAST_WHOLE: it is neither indexed nor unbound; changes of shape may change it
 * @REEL_SPEC_LAST_FIXED: a value lies along it: it stays what it is
 *
 * How the last dimension of a kind of spec takes part in changes of shape. A *place* is where a
 * value lies: an element, or a vector where the last dimension is fixed.
 */
typedef enum
{
  REEL_SPEC_LAST_FREE,
  REEL_SPEC_LAST_WHOLE,
  REEL_SPEC_LAST_FIXED,
} ReelSpecLast;

/**
 * ReelSpec:
 * @kind: what it is
 * @dtype: type of the elements; of no meaning in composites
 * @ndim: dimensions
 * @shape: extents, −1 where any number may stand
 * @numel: their product, −1 counted as 1
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
 * @class_name: required. The class that Python prints
 * @class_name_of_reals: (nullable): the one that it prints where the elements are real or complex,
 *   if another
 * @size: bytes of its struct
 * @default_dtype: the element type that the text form leaves out
 * @exact_shape: whether values must have its very extents; else an extent of 1 takes any
 * @last: how its last dimension takes part in changes of shape
 * @clear: (nullable): frees what it owns
 * @get_period: (nullable): after how many places (see #ReelSpecLast) the domain repeats. %NULL
 * where it is the same in all
 * @take: (nullable): gives @copy, whose head is set, the domain of @spec. Place p has that of place
 *   @places[p modulo @n_places] of @spec, each below the period; with %NULL for @places the domain
 *   is repeated as it is. %NULL where the head says all
 * @change: (nullable): what reel_spec_change() gives. %NULL for what @take is enough for
 * @equal: required. Whether the domains are the same; dtype and shape are. @other may be of any
 *   kind
 * @get_n: (nullable): the number of values of one element
 * @draw: required but for composites. Fills @n elements from number @first on, whole rows; element
 *   number i (in kinds of vectors, vector number i) is drawn from index i of @key alone, so that
 *   cuts do not matter
 * @find_outside: (nullable): the number of the first of @values, whole rows, that is outside, and
 *   @why, to follow "element […] "; or −1. %NULL where all values are inside
 * @project_dtype: (nullable): the type of what values of @dtype are projected to. %NULL for the
 *   spec's own
 * @project: required but for composites. Writes to @projected the nearest values inside
 * @to_text: (nullable): appends `,name=value` for every parameter but dtype and shape
 *
 * Everything that tells one kind of spec from another.
 */
struct _ReelSpecKind
{
  const char *word;
  const char *class_name;
  const char *class_name_of_reals;
  gsize size;
  ReelDtype default_dtype;
  gboolean exact_shape;
  ReelSpecLast last;

  void (*clear) (ReelSpec *spec);
  gint64 (*get_period) (const ReelSpec *spec);
  void (*take) (const ReelSpec *spec, ReelSpec *copy, const gint64 *places, gint64 n_places);
  ReelSpec *(*change) (const ReelSpec *spec, ReelSpecChange *change, GError **error);
  gboolean (*equal) (const ReelSpec *spec, const ReelSpec *other);
  gint64 (*get_n) (const ReelSpec *spec);

  void (*draw) (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n, guint8 *values);
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
 * @shape: (array length=ndim): extents, −1 where any number may stand
 * @error: VALUE for a bad shape
 *
 * Returns: (transfer full): a zeroed spec with its head set
 */
gpointer reel_spec_alloc (const ReelSpecKind *kind, ReelDtype dtype, gint ndim, const gint64 *shape,
                          GError **error);

/**
 * reel_spec_batch_shape:
 * @spec: a spec
 * @ndim: how many dimensions to put in front, at most REEL_MAX_NDIM
 * @shape: (array length=ndim): their extents
 * @extents: (out caller-allocates): room for 2 × REEL_MAX_NDIM: these, then those of @spec, 1 for
 *   what may be any
 *
 * Returns: how many extents, perhaps more than the REEL_MAX_NDIM that specs and tensors take
 */
gint reel_spec_batch_shape (const ReelSpec *spec, gint ndim, const gint64 *shape, gint64 *extents);

/**
 * reel_spec_class_name:
 * @spec: a spec
 *
 * Returns: (transfer none): the class that Python prints
 */
const char *reel_spec_class_name (const ReelSpec *spec);

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
