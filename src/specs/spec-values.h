/* Values of leaf specs: made, checked, encoded from plain numbers and decoded to them. */
#pragma once

#include "spec.h"

G_BEGIN_DECLS

/**
 * reel_spec_one:
 * @spec: a leaf spec
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: NO_SPACE
 *
 * Returns: (transfer full): ones of the spec's dtype (true for bool), whatever its domain
 */
REEL_API
ReelTensor *reel_spec_one (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_spec_assert_is_in:
 * @spec: a leaf spec
 * @value: a tensor
 * @error: ASSERTION, in TorchRL's words and with what reel_spec_is_in() says
 *
 * Returns: whether @value is inside the spec
 */
REEL_API
gboolean reel_spec_assert_is_in (const ReelSpec *spec, const ReelTensor *value, GError **error);

/**
 * reel_spec_type_check:
 * @spec: a leaf spec
 * @value: a tensor
 * @error: TYPE
 *
 * Returns: whether @value has the dtype of the spec
 */
REEL_API
gboolean reel_spec_type_check (const ReelSpec *spec, const ReelTensor *value, GError **error);

/**
 * reel_spec_encode:
 * @spec: a leaf spec
 * @raw: a number, a bool, or lists of them in lists (typed arrays or `av`), as from JSON; a
 *   floating reference is taken
 * @check: whether the value must be inside, TorchRL's CHECK_SPEC_ENCODE
 * @error: TYPE for what is no number; RUNTIME when the lists are ragged; else as
 *   reel_spec_encode_array()
 *
 * Returns: (transfer full): the value of the spec that @raw stands for
 */
REEL_API
ReelTensor *reel_spec_encode (const ReelSpec *spec, GVariant *raw, gboolean check, GError **error);

/**
 * reel_spec_encode_array:
 * @spec: a leaf spec
 * @raw: plain numbers, of any dtype
 * @check: whether the value must be inside, TorchRL's CHECK_SPEC_ENCODE
 * @error: RUNTIME "Shape mismatch: …" when there are not as many numbers as the spec has elements;
 *   ASSERTION for what is outside, of @check; in kinds of one-hot vectors ASSERTION or RUNTIME for
 *   what is no class
 *
 * Numbers are converted to the dtype of the spec and take its shape. Kinds of one-hot vectors take
 * classes: one-hot ones of any shape `[*]`, to `[*, n]`; multi-one-hot `[*, components]`, as many
 * as the spec has places.
 *
 * Returns: (transfer full): the value; @raw itself if it has the dtype and shape already
 */
REEL_API
ReelTensor *reel_spec_encode_array (const ReelSpec *spec, ReelTensor *raw, gboolean check,
                                    GError **error);

/**
 * reel_spec_encode_tensor:
 * @spec: a leaf spec
 * @raw: a tensor
 * @check: as for reel_spec_encode_array()
 * @error: likewise
 *
 * As reel_spec_encode_array(), but what is a tensor in TorchRL too is taken as it is: only classes
 * become one-hot vectors.
 *
 * Returns: (transfer full): the value
 */
REEL_API
ReelTensor *reel_spec_encode_tensor (const ReelSpec *spec, ReelTensor *raw, gboolean check,
                                     GError **error);

/**
 * reel_spec_encode_doubles:
 * @spec: a leaf spec
 * @raw: (array length=n): numbers in row-major order
 * @n: how many
 * @check: whether the value must be inside
 * @error: as reel_spec_encode_array(), to which it is the short way
 *
 * Returns: (transfer full): the value
 */
REEL_API
ReelTensor *reel_spec_encode_doubles (const ReelSpec *spec, const double *raw, gsize n,
                                      gboolean check, GError **error);

/**
 * reel_spec_encode_integers:
 * @spec: a leaf spec
 * @raw: (array length=n): numbers in row-major order
 * @n: how many
 * @check: whether the value must be inside
 * @error: as reel_spec_encode_array(), to which it is the short way
 *
 * Returns: (transfer full): the value
 */
REEL_API
ReelTensor *reel_spec_encode_integers (const ReelSpec *spec, const gint64 *raw, gsize n,
                                       gboolean check, GError **error);

/**
 * reel_spec_to_plain:
 * @spec: a leaf spec
 * @value: a value
 * @check: whether it must be inside
 * @error: ASSERTION, of @check; RUNTIME when vectors have not the length that they must
 *
 * TorchRL's to_numpy(): the inverse of reel_spec_encode_array().
 *
 * Returns: (transfer full): the classes that one-hot vectors stand for, as int64, else @value
 *   itself
 */
REEL_API
ReelTensor *reel_spec_to_plain (const ReelSpec *spec, ReelTensor *value, gboolean check,
                                GError **error);

/**
 * reel_spec_to_variant:
 * @spec: a leaf spec
 * @value: a value
 * @check: whether it must be inside
 * @error: as reel_spec_to_plain(); TYPE for complex numbers
 *
 * Returns: (transfer full): what reel_spec_to_plain() gives, as lists (`av`) of integers (`x`, `t`
 *   beyond 2^63 − 1), bools (`b`) or doubles (`d`); a single one where there are no dimensions
 */
REEL_API
GVariant *reel_spec_to_variant (const ReelSpec *spec, ReelTensor *value, gboolean check,
                                GError **error);

G_END_DECLS
