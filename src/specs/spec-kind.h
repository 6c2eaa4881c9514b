/* Virtual functions of a kind of spec. Private: one file a kind, and no kind knows the machinery.
 */
#pragma once

#include "../core/formats/json.h"
#include "../core/math/random.h"
#include "spec.h"

G_BEGIN_DECLS

typedef struct _ReelSpecKind ReelSpecKind;
typedef struct _ReelSpecChange ReelSpecChange;
typedef struct _ReelSpecForm ReelSpecForm;

/**
 * ReelSpecName:
 * @name: what TorchRL calls a kind of spec, or called it once; %NULL ends a list
 * @dtype: the type of its elements where it is not said
 */
typedef struct
{
  const char *name;
  ReelDtype dtype;
} ReelSpecName;

/**
 * ReelSpecLast:
 * @REEL_SPEC_LAST_FREE: it is a dimension as the others
 * @REEL_SPEC_LAST_WHOLE: it is neither indexed nor unbound; changes of shape may change it
 * @REEL_SPEC_LAST_FIXED: a value lies along it: it stays what it is
 *
 * How the last dimension of a kind of spec takes part in changes of shape.
 */
typedef enum
{
  REEL_SPEC_LAST_FREE,
  REEL_SPEC_LAST_WHOLE,
  REEL_SPEC_LAST_FIXED,
} ReelSpecLast;

/**
 * ReelSpecClasses:
 * @REEL_SPEC_CLASSES_NONE: they do not
 * @REEL_SPEC_CLASSES_INTEGERS: by the integers from 0 on
 * @REEL_SPEC_CLASSES_VECTORS: by one-hot vectors, one behind the other
 *
 * Whether values stand for classes; if so the spec is a #ReelClassSpec.
 */
typedef enum
{
  REEL_SPEC_CLASSES_NONE,
  REEL_SPEC_CLASSES_INTEGERS,
  REEL_SPEC_CLASSES_VECTORS,
} ReelSpecClasses;

/**
 * ReelSpecContent:
 * @REEL_SPEC_ZEROS: zeros
 * @REEL_SPEC_ONES: ones
 * @REEL_SPEC_RANDOM: random values inside
 *
 * The values to make.
 */
typedef enum
{
  REEL_SPEC_ZEROS,
  REEL_SPEC_ONES,
  REEL_SPEC_RANDOM,
} ReelSpecContent;

/**
 * REEL_SPEC_N_PARAMETERS:
 *
 * Parameters that a kind may have.
 */
#define REEL_SPEC_N_PARAMETERS 2

/**
 * ReelSpec:
 * @kind: what it is
 * @dtype: type of the elements; of no meaning in composites
 * @ndim: dimensions
 * @shape: extents, −1 where any number may stand
 * @numel: their product, −1 counted as 1: what is made of the spec has an extent of 1 there
 * @parameters: (nullable): what differs from element to element: bounds, masks, numbers of classes.
 *   Each has the dimensions of the spec in front, −1 as 1, but a fixed last one, which it may
 *   replace by dimensions of its own. They follow the spec through every change of its shape,
 *   as views where that can be
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
  ReelTensor *parameters[REEL_SPEC_N_PARAMETERS];
};

/**
 * ReelSpecKind:
 * @word: what the text form calls it
 * @other_names: required, ended by a %NULL name. Other words accepted where a spec is read
 * @parameter_names: (nullable): what the form holds beyond `kind`, `dtype` and `shape`, ended by
 *   %NULL
 * @without_dtype: whether the form holds no `dtype`: there is none, or it follows from the rest
 * @without_shape: likewise for `shape`
 * @class_name: required. The class that Python prints
 * @class_name_of_reals: (nullable): the one that it prints where the elements are real or complex,
 *   if another
 * @size: bytes of its struct
 * @default_dtype: the element type that the text form leaves out
 * @exact_shape: whether values must have its very extents; else an extent of 1 that is not
 *   fixed takes any
 * @last: how its last dimension takes part in changes of shape
 * @prepare: (nullable): checks the parameters and derives from them what the other slots need. The
 *   last step of making a spec and of every change
 * @clear: (nullable): frees what it owns beyond the head, also of a spec that is not prepared
 * @copy: (nullable): gives @copy, whose head is set, what @spec owns beyond it. Values derived
 *   from parameters are left to @prepare. %NULL where the head says all
 * @change: (nullable): what reel_spec_change() gives, in kinds with members. %NULL where parameters
 *   are all that follows the shape
 * @widen: (nullable): what it becomes in a composite with batch dimensions that begin with its own,
 *   but are more. %NULL where that does not fit
 * @get_entries: (nullable): its entries, where values are tensordicts
 * @equal: required. Whether the domains are the same; dtype and shape are. @other may be of any
 *   kind
 * @get_n: (nullable): the number of values of one element
 * @make: (nullable): makes values, in kinds with members; see reel_spec_make(). %NULL where @draw
 *   does
 * @is_in: (nullable): whether a tensor is inside, in kinds with members. %NULL where @find_outside
 *   says it
 * @check_draw: (nullable): whether values can be drawn. %NULL where they always can
 * @draw: (nullable): %NULL where values are no tensors, or @make stands. Fills @n elements from
 *   number @first on, whole rows; element number i (in kinds of vectors, vector number i) is drawn
 *   from index i of @key alone, so that cuts do not matter
 * @find_outside: (nullable): the number of the first of @values, whole rows, that is outside, and
 *   @why, to follow "element […] ", such as "is 5, not at most 4"; or −1. %NULL where all values
 *   are inside
 * @project_dtype: (nullable): the type of what values of @dtype are projected to. %NULL for the
 *   spec's own
 * @project: (nullable): %NULL where it has no meaning. Writes to @projected the nearest values
 *   inside
 * @cardinality: (nullable): sets how many values there are, %G_MAXINT64 for infinitely many. %NULL
 *   where that has no meaning
 * @enumerate: (nullable): all values, stacked along dimension 0, those that a mask forbids left out
 *   on request. %NULL where that has no meaning
 * @format_space: (nullable): what Python prints as `space`. %NULL for a box of bounds
 * @append_repr: (nullable): appends what Python prints behind the fields that all leaves have
 * @describe: (nullable): sets in the spec's form, a JSON object, the parameters of
 *   @parameter_names; see spec-form.h for what helps to do so. %NULL where there are none
 * @from_form: required. Makes the spec that a form describes
 *
 * Everything that tells one kind of spec from another.
 */
struct _ReelSpecKind
{
  const char *word;
  const ReelSpecName *other_names;
  const char *const *parameter_names;
  gboolean without_dtype;
  gboolean without_shape;
  const char *class_name;
  const char *class_name_of_reals;
  gsize size;
  ReelDtype default_dtype;
  gboolean exact_shape;
  ReelSpecLast last;
  ReelSpecClasses classes;

  gboolean (*prepare) (ReelSpec *spec, GError **error);
  void (*clear) (ReelSpec *spec);
  void (*copy) (const ReelSpec *spec, ReelSpec *copy);
  ReelSpec *(*change) (const ReelSpec *spec, ReelSpecChange *change, GError **error);
  ReelSpec *(*widen) (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error);
  const struct _ReelSpecEntry *(*get_entries) (const ReelSpec *spec, gsize *n);
  gboolean (*equal) (const ReelSpec *spec, const ReelSpec *other);
  gint64 (*get_n) (const ReelSpec *spec);

  ReelTensor *(*make) (const ReelSpec *spec, ReelSpecContent content, guint64 seed, gint64 step,
                       gint ndim, const gint64 *shape, GError **error);
  gboolean (*is_in) (const ReelSpec *spec, const ReelTensor *value, GError **error);
  gboolean (*check_draw) (const ReelSpec *spec, GError **error);
  void (*draw) (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n, guint8 *values);
  gint64 (*find_outside) (const ReelSpec *spec, const guint8 *values, gint64 n_values, char **why);
  ReelDtype (*project_dtype) (const ReelSpec *spec, ReelDtype dtype);
  void (*project) (const ReelSpec *spec, ReelDtype dtype, const guint8 *values, gint64 n_values,
                   guint8 *projected);

  gboolean (*cardinality) (const ReelSpec *spec, gint64 *n, GError **error);
  ReelTensor *(*enumerate) (const ReelSpec *spec, gboolean use_mask, GError **error);

  char *(*format_space) (const ReelSpec *spec);
  void (*append_repr) (const ReelSpec *spec, GString *text);
  void (*describe) (const ReelSpec *spec, json_t *form);
  ReelSpec *(*from_form) (ReelSpecForm *form, GError **error);
};

extern const ReelSpecKind reel_bounded_spec_kind;
extern const ReelSpecKind reel_unbounded_spec_kind;
extern const ReelSpecKind reel_one_hot_spec_kind;
extern const ReelSpecKind reel_categorical_spec_kind;
extern const ReelSpecKind reel_binary_spec_kind;
extern const ReelSpecKind reel_multi_categorical_spec_kind;
extern const ReelSpecKind reel_multi_one_hot_spec_kind;
extern const ReelSpecKind reel_non_tensor_spec_kind;
extern const ReelSpecKind reel_choice_spec_kind;
extern const ReelSpecKind reel_composite_spec_kind;
extern const ReelSpecKind reel_stacked_spec_kind;
extern const ReelSpecKind reel_stacked_composite_spec_kind;

/**
 * reel_spec_alloc:
 * @kind: a kind
 * @dtype: type of the elements
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @error: VALUE for a bad shape
 *
 * Returns: (transfer full): a zeroed spec with its head set, without parameters; to be given those
 *   and what the kind adds, then to reel_spec_finish()
 */
gpointer reel_spec_alloc (const ReelSpecKind *kind, ReelDtype dtype, gint ndim, const gint64 *shape,
                          GError **error);

/**
 * reel_spec_finish:
 * @spec: (transfer full): what reel_spec_alloc() gave
 * @error: whatever `prepare` finds
 *
 * Returns: (transfer full): @spec, prepared, or %NULL
 */
ReelSpec *reel_spec_finish (gpointer spec, GError **error);

/**
 * reel_spec_changed:
 * @spec: a spec without members
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @parameters: (array fixed-size=2): what takes the place of its parameters; referenced
 * @error: VALUE for a bad shape, and whatever `prepare` finds
 *
 * Returns: (transfer full): what @spec is in another shape
 */
ReelSpec *reel_spec_changed (const ReelSpec *spec, gint ndim, const gint64 *shape,
                             ReelTensor *const *parameters, GError **error);

/**
 * reel_spec_equal_parameters:
 * @a: a spec
 * @b: a spec of the same kind, dtype and shape
 *
 * Returns: whether all parameters are there or not there in both, and have the same elements
 */
gboolean reel_spec_equal_parameters (const ReelSpec *a, const ReelSpec *b);

/**
 * reel_spec_safe_shape:
 * @spec: a spec
 * @shape: (out caller-allocates): room for REEL_MAX_NDIM: its extents, −1 as 1
 */
void reel_spec_safe_shape (const ReelSpec *spec, gint64 *shape);

/**
 * reel_spec_fill_in:
 * @spec: a leaf spec without members
 * @shape: (array): as many extents as it has, those that it takes for its own
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the spec of values of that very shape
 */
ReelSpec *reel_spec_fill_in (const ReelSpec *spec, const gint64 *shape, GError **error);

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
 * reel_spec_find_outside:
 * @spec: a leaf spec
 * @value: a tensor
 * @element: (out): the number of the first of its elements that is outside, or −1
 * @why: (out): why it is, see #ReelSpecKind
 * @error: ASSERTION when dtype or shape differ; NO_SPACE
 *
 * The check of reel_spec_is_in().
 *
 * Returns: whether the elements could be looked at
 */
gboolean reel_spec_find_outside (const ReelSpec *spec, const ReelTensor *value, gint64 *element,
                                 char **why, GError **error);

/**
 * reel_spec_row_bytes:
 * @spec: a leaf spec
 *
 * Returns: bytes of one value
 */
gsize reel_spec_row_bytes (const ReelSpec *spec);

/**
 * reel_spec_make:
 * @spec: a leaf spec
 * @content: what to make
 * @seed: as in reel_spec_rand()
 * @step: as in reel_spec_rand()
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: as reel_spec_rand(), reel_spec_zero() and reel_spec_one()
 *
 * Returns: (transfer full): what one of these gives
 */
ReelTensor *reel_spec_make (const ReelSpec *spec, ReelSpecContent content, guint64 seed,
                            gint64 step, gint ndim, const gint64 *shape, GError **error);

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
