/* Specs: the domains of values. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelSpec:
 *
 * The domain of a value: dtype, shape and bounds. An immutable refcounted value, compared by
 * structure; share it freely between threads. Behaviour follows TorchRL's TensorSpec.
 *
 * An extent of −1 in the shape of a spec takes any extent of a value; what is made of the spec has
 * an extent of 1 there.
 */
typedef struct _ReelSpec ReelSpec;

#define REEL_TYPE_SPEC (reel_spec_get_type ())

/**
 * reel_spec_get_type:
 *
 * Returns: the boxed type of #ReelSpec, for properties, values and signals that hold one; a copy is
 *   a reference
 */
REEL_API
GType reel_spec_get_type (void);

/**
 * reel_spec_ref:
 * @spec: a spec
 *
 * Returns: (transfer full): @spec
 */
REEL_API
ReelSpec *reel_spec_ref (const ReelSpec *spec);

/**
 * reel_spec_unref:
 * @spec: (transfer full): a spec
 *
 * Drops a reference. The last one frees the spec. Any thread.
 */
REEL_API
void reel_spec_unref (ReelSpec *spec);

/**
 * reel_bounded_spec_new:
 * @dtype: a type that is not complex
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @low: (array): least values, one an element in row-major order, or of the last dimensions only,
 *   or a single one for all; −∞ for no bound (in integers: the least there is)
 * @n_low: how many: 1 or the number of elements, or of the last dimensions
 * @high: (array): greatest values, likewise
 * @n_high: how many
 * @error: VALUE when a low is above its high, a bound is NaN or no value of @dtype (floats are
 *   rounded), or the counts do not fit
 *
 * Returns: (transfer full): a box
 */
REEL_API
ReelSpec *reel_bounded_spec_new (ReelDtype dtype, gint ndim, const gint64 *shape, const double *low,
                                 gsize n_low, const double *high, gsize n_high, GError **error);

/**
 * reel_bounded_spec_new_from_tensors:
 * @low: least values, of any type that is not complex, a scalar or of the spec's shape
 * @high: greatest values, likewise
 * @dtype: a type that is not complex
 * @ndim: dimensions; of no meaning where @shape is %NULL
 * @shape: (array length=ndim) (nullable): extents; %NULL for those of @high, else of @low
 * @error: RUNTIME when the shape is given by none or the shapes differ, else as
 *   reel_bounded_spec_new()
 *
 * As reel_bounded_spec_new(), for bounds that doubles cannot hold or that have a shape of their
 * own.
 *
 * Returns: (transfer full): a box
 */
REEL_API
ReelSpec *reel_bounded_spec_new_from_tensors (ReelTensor *low, ReelTensor *high, ReelDtype dtype,
                                              gint ndim, const gint64 *shape, GError **error);

/**
 * reel_unbounded_spec_new:
 * @dtype: any type
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @error: VALUE for a bad shape
 *
 * Returns: (transfer full): anything of this dtype and shape
 */
REEL_API
ReelSpec *reel_unbounded_spec_new (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_categorical_spec_new:
 * @n: number of values, at least 1: 0 to n − 1; −1 where it is not known, so that any will do
 * @dtype: an integer type or bool
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @error: VALUE
 *
 * Returns: (transfer full): integers below @n
 */
REEL_API
ReelSpec *reel_categorical_spec_new (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape,
                                     GError **error);

/**
 * reel_one_hot_spec_new:
 * @n: number of values, at least 1
 * @dtype: bool or an integer type
 * @ndim: dimensions, at least 1
 * @shape: (array length=ndim): extents, the last one @n
 * @error: VALUE
 *
 * Returns: (transfer full): vectors with a single 1
 */
REEL_API
ReelSpec *reel_one_hot_spec_new (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape,
                                 GError **error);

/**
 * reel_multi_categorical_spec_new:
 * @nvec: int64, the number of values of each component, at least 1; of at least one dimension, it
 *   may differ from row to row of a batch
 * @dtype: an integer type or bool
 * @ndim: dimensions, at least 1
 * @shape: (array length=ndim): extents, to which @nvec is broadcast; the last one is that of @nvec
 * @remove_singleton: whether a random value of shape `[1]` loses that dimension, TorchRL's default
 * @error: VALUE, TYPE; RUNTIME when @nvec cannot be broadcast
 *
 * Returns: (transfer full): vectors of integers, each below a number of its own
 */
REEL_API
ReelSpec *reel_multi_categorical_spec_new (ReelTensor *nvec, ReelDtype dtype, gint ndim,
                                           const gint64 *shape, gboolean remove_singleton,
                                           GError **error);

/**
 * reel_multi_one_hot_spec_new:
 * @nvec: (array length=n): the number of values of each component, at least 1
 * @n: how many components, at least 1
 * @dtype: bool or an integer type
 * @ndim: dimensions, at least 1
 * @shape: (array length=ndim): extents, the last one the sum of @nvec
 * @error: VALUE
 *
 * Returns: (transfer full): one-hot vectors one behind the other
 */
REEL_API
ReelSpec *reel_multi_one_hot_spec_new (const gint64 *nvec, gsize n, ReelDtype dtype, gint ndim,
                                       const gint64 *shape, GError **error);

/**
 * reel_binary_spec_new:
 * @dtype: int8 by TorchRL's default, any integer type or bool
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @error: VALUE
 *
 * Returns: (transfer full): zeros and ones
 */
REEL_API
ReelSpec *reel_binary_spec_new (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_composite_spec_new:
 * @ndim: batch dimensions
 * @shape: (array length=ndim): their extents
 * @keys: (array length=n): plain keys
 * @specs: (array length=n): their specs, each with a shape that begins with @shape, referenced; a
 *   composite with fewer dimensions takes those it lacks. %NULL is left unspecified, Python's None
 * @n: how many, 0 allowed
 * @error: VALUE when shapes do not fit, a key stands twice or is one of the reserved `shape`,
 *   `device`, `dtype` and `space`
 *
 * Returns: (transfer full): a tensordict of these, without device and names
 */
REEL_API
ReelSpec *reel_composite_spec_new (gint ndim, const gint64 *shape, const char *const *keys,
                                   ReelSpec *const *specs, gsize n, GError **error);

/**
 * reel_spec_is_composite:
 * @spec: a spec
 *
 * Returns: whether its values are tensordicts
 */
REEL_API
gboolean reel_spec_is_composite (const ReelSpec *spec);

/**
 * reel_spec_get_dtype:
 * @spec: a leaf spec
 *
 * Returns: the type of its elements
 */
REEL_API
ReelDtype reel_spec_get_dtype (const ReelSpec *spec);

/**
 * reel_spec_get_shape:
 * @spec: a spec
 * @ndim: (out): dimensions
 *
 * Returns: (transfer none) (array length=ndim): extents, −1 where any number may stand, valid while
 *   @spec lives
 */
REEL_API
const gint64 *reel_spec_get_shape (const ReelSpec *spec, gint *ndim);

/**
 * reel_spec_get_n:
 * @spec: a categorical, one-hot or binary spec
 *
 * Returns: the number of values of one element (2 for binary, the provisional one or −1 where it is
 *   not known), or 0 for other specs
 */
REEL_API
gint64 reel_spec_get_n (const ReelSpec *spec);

/**
 * reel_spec_list_leaves:
 * @spec: a composite spec
 *
 * Returns: (transfer full) (array zero-terminated=1): the path of every leaf that is specified,
 *   depth first in insertion order
 */
REEL_API
char **reel_spec_list_leaves (const ReelSpec *spec);

/**
 * reel_spec_get:
 * @spec: a composite spec
 * @path: a key or path
 * @error: KEY when there is none; RUNTIME where the members of a stack have specs there that do not
 *   stack
 *
 * Returns: (transfer none) (nullable): the spec there; %NULL without an error where it is left
 *   unspecified, Python's None
 */
REEL_API
const ReelSpec *reel_spec_get (const ReelSpec *spec, const char *path, GError **error);

/**
 * reel_spec_equal:
 * @a: a spec
 * @b: a spec
 *
 * Returns: whether dtype, shape and domain are the same. As in TorchRL a binary spec equals a
 *   categorical one of 2 values, an unbounded one a box from limit to limit of its dtype
 */
REEL_API
gboolean reel_spec_equal (const ReelSpec *a, const ReelSpec *b);

/**
 * reel_spec_rand_rows:
 * @spec: a leaf spec
 * @seed: which stream
 * @step: number of the step
 * @first: number of the first row (the lane)
 * @n: rows to fill
 * @rows: (not nullable): @n values of @spec, one after the other, of their natural alignment
 *
 * Draws values as reel_spec_rand() does, on the counter-based generator (#ReelRandomKey): element e
 * of a row has the index row × elements + e, a one-hot vector that of the vectors, so the value of
 * a row depends on (seed, step, row) alone, not on how the calls are cut. Allocates nothing and
 * cannot fail. Any thread.
 */
REEL_API
void reel_spec_rand_rows (const ReelSpec *spec, guint64 seed, gint64 step, gint64 first, gint64 n,
                          gpointer rows);

/**
 * reel_spec_rand:
 * @spec: a leaf spec
 * @seed: which stream
 * @step: which draw of the stream
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: TYPE where values are no tensors; RUNTIME where the number of classes is not known; VALUE
 *   for a shape that cannot be; NO_SPACE
 *
 * Bounded floats are uniform in [low, high), or low where the two are the same; integers in [low,
 * high]. With one infinite bound a float lies at the distance of a standard normal's magnitude from
 * the other; with two, and unbounded, it is standard normal. Unbounded integers are full range.
 *
 * Returns: (transfer full): random values inside the spec
 */
REEL_API
ReelTensor *reel_spec_rand (const ReelSpec *spec, guint64 seed, gint64 step, gint ndim,
                            const gint64 *shape, GError **error);

/**
 * reel_spec_rand_tensordict:
 * @spec: a composite spec
 * @seed: which streams
 * @step: which draw of them
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: as reel_spec_rand()
 *
 * As reel_spec_rand(), for a composite spec; each leaf has a stream of its own, made of @seed and
 * its place in reel_spec_list_leaves(), the leaves of a stack's members one member after the other.
 * Stacks of different specs give stacks of tensordicts, lazy ones where they must.
 *
 * Returns: (transfer full): random values of every leaf, without device and names
 */
REEL_API
ReelTensordict *reel_spec_rand_tensordict (const ReelSpec *spec, guint64 seed, gint64 step,
                                           gint ndim, const gint64 *shape, GError **error);

/**
 * reel_spec_zero:
 * @spec: a leaf spec
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: TYPE where values are no tensors; VALUE for a shape that cannot be; NO_SPACE
 *
 * Returns: (transfer full): zeros of the spec's dtype, whatever its domain
 */
REEL_API
ReelTensor *reel_spec_zero (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_spec_zero_tensordict:
 * @spec: a composite spec
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: VALUE for a shape that cannot be; NO_SPACE
 *
 * As reel_spec_zero(), for a composite spec.
 *
 * Returns: (transfer full): zeros of every leaf
 */
REEL_API
ReelTensordict *reel_spec_zero_tensordict (const ReelSpec *spec, gint ndim, const gint64 *shape,
                                           GError **error);

/**
 * reel_spec_is_in:
 * @spec: a leaf spec
 * @value: a tensor; its shape may have further dimensions in front
 * @error: (nullable): ASSERTION saying why not: dtype, shape, or the first element outside, with
 *   its index and the bound
 *
 * Returns: whether @value is inside the spec
 */
REEL_API
gboolean reel_spec_is_in (const ReelSpec *spec, const ReelTensor *value, GError **error);

/**
 * reel_spec_is_in_tensordict:
 * @spec: a composite spec
 * @value: a tensordict; its batch size may have further dimensions in front
 * @error: (nullable): ASSERTION naming the leaf, or the member of a stack, and saying why not
 *
 * As reel_spec_is_in(): every leaf must be there and inside.
 *
 * Returns: whether @value is inside the spec
 */
REEL_API
gboolean reel_spec_is_in_tensordict (const ReelSpec *spec, const ReelTensordict *value,
                                     GError **error);

/**
 * reel_spec_project:
 * @spec: a leaf spec
 * @value: a tensor
 * @error: RUNTIME when the shape does not fit; NO_SPACE
 *
 * Boxes clamp (NaN stays), integers below n round half to even and clamp, both in @value's own
 * dtype where TorchRL does (boxes of reals in the wider of the two); a one-hot vector gets its 1 at
 * its first greatest element, in @spec's dtype; unbounded specs convert.
 *
 * Returns: (transfer full): @value itself when it is inside, else a copy moved inside
 */
REEL_API
ReelTensor *reel_spec_project (const ReelSpec *spec, ReelTensor *value, GError **error);

/**
 * reel_spec_to_string:
 * @spec: a spec
 *
 * Returns: (transfer full): what Python prints of the same TorchRL spec, byte for byte
 */
REEL_API
char *reel_spec_to_string (const ReelSpec *spec);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelSpec, reel_spec_unref)

G_END_DECLS
