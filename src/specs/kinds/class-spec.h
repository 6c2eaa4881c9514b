/* The common part of kinds whose values stand for classes: as integers (categorical, binary,
 * multi-categorical) or as one-hot vectors (one-hot, multi-one-hot). Private. */
#pragma once

#include "bounds.h"
#include "mask.h"
#include "../spec-kind.h"

G_BEGIN_DECLS

/* Which parameters these kinds have: `[…, classes of all components]` and `[…, components]`. */
#define REEL_SPEC_MASK 0
#define REEL_SPEC_NVEC 1

/**
 * ReelClassSpec:
 * @head: its parameters are the mask, %NULL where all is allowed, and in the multi kinds the number
 *   of classes of each component
 * @n: the number of classes where there is one component, −1 where it is not known; 0 in the multi
 *   kinds
 * @provisional_n: what to take for an unknown @n, or 0
 * @remove_singleton: whether random values of shape [1] lose that dimension
 * @n_components: components of a place
 * @sizes: (array length=n_components): their classes, those of the first place
 * @offsets: (array length=n_components+1): where each begins in a one-hot vector, and how long that
 *   is
 * @alike: whether @sizes are those of all places
 * @mask: what the mask allows
 * @bounds: of integers
 *
 * All after @remove_singleton is derived; until then a copy has the @sizes of what it is made of.
 */
typedef struct
{
  ReelSpec head;

  gint64 n;
  gint64 provisional_n;
  gboolean remove_singleton;

  gint64 n_components;
  gint64 *sizes;
  gint64 *offsets;
  gboolean alike;
  ReelMask mask;
  ReelBounds bounds;
} ReelClassSpec;

/**
 * reel_class_spec:
 * @spec: a spec of one of these kinds
 *
 * Returns: (transfer none): @spec
 */
const ReelClassSpec *reel_class_spec (const ReelSpec *spec);

/**
 * reel_class_spec_is_multi:
 * @spec: a spec of one of these kinds
 *
 * Returns: whether it has components, each of its own number of classes
 */
static inline gboolean
reel_class_spec_is_multi (const ReelSpec *spec)
{
  return spec->parameters[REEL_SPEC_NVEC] != NULL;
}

/**
 * reel_class_spec_check_kind:
 * @spec: any spec
 * @code: of the error
 * @what: what specs of classes alone have
 * @error: @code
 *
 * Returns: whether @spec is of one of these kinds
 */
gboolean reel_class_spec_check_kind (const ReelSpec *spec, ReelError code, const char *what,
                                     GError **error);

/**
 * reel_class_spec_check:
 * @word: what the kind is called
 * @n: number of classes
 * @dtype: type of the elements
 * @highest: the greatest value that an element must hold
 * @error: VALUE
 *
 * Returns: whether @n is positive and @dtype bool or an integer type that holds @highest
 */
gboolean reel_class_spec_check (const char *word, gint64 n, ReelDtype dtype, gint64 highest,
                                GError **error);

/**
 * reel_class_spec_prepare:
 *
 * The slot `prepare`.
 */
gboolean reel_class_spec_prepare (ReelSpec *spec, GError **error);

/**
 * reel_class_spec_clear:
 *
 * The slot `clear`.
 */
void reel_class_spec_clear (ReelSpec *spec);

/**
 * reel_class_spec_copy:
 *
 * The slot `copy`.
 */
void reel_class_spec_copy (const ReelSpec *spec, ReelSpec *copy);

/**
 * reel_class_spec_equal:
 *
 * The slot `equal`: as in TorchRL a binary spec is a categorical one of 2 values.
 */
gboolean reel_class_spec_equal (const ReelSpec *spec, const ReelSpec *other);

/**
 * reel_class_spec_get_n:
 *
 * The slot `get_n`.
 */
gint64 reel_class_spec_get_n (const ReelSpec *spec);

/**
 * reel_class_spec_check_draw:
 *
 * The slot `check_draw`: RUNTIME where the number of classes is not known.
 */
gboolean reel_class_spec_check_draw (const ReelSpec *spec, GError **error);

/**
 * reel_class_spec_check_alike:
 * @spec: a spec of one of these kinds
 * @what: what it is wanted for, an infinitive
 * @error: RUNTIME where the number of classes is not known, VALUE where it differs from place to
 *   place
 *
 * Returns: whether all places have the same classes
 */
gboolean reel_class_spec_check_alike (const ReelSpec *spec, const char *what, GError **error);

/**
 * reel_class_spec_cardinality:
 *
 * The slot `cardinality`: the product over the components of a place.
 */
gboolean reel_class_spec_cardinality (const ReelSpec *spec, gint64 *n, GError **error);

/**
 * reel_class_spec_enumerate:
 *
 * The slot `enumerate`: all places run through the same classes.
 */
ReelTensor *reel_class_spec_enumerate (const ReelSpec *spec, gboolean use_mask, GError **error);

/**
 * reel_class_spec_format_space:
 *
 * The slot `format_space`.
 */
char *reel_class_spec_format_space (const ReelSpec *spec);

/**
 * reel_class_spec_single_names:
 * reel_class_spec_multi_names:
 *
 * The slot `parameter_names` of the kinds of one component, and of the multi kinds.
 */
extern const char *const reel_class_spec_single_names[];
extern const char *const reel_class_spec_multi_names[];

/**
 * reel_class_spec_describe:
 *
 * The slot `describe`: sets `n` or `nvec`, and `mask` where there is one.
 */
void reel_class_spec_describe (const ReelSpec *spec, json_t *form);

/**
 * reel_class_spec_take_mask:
 * @spec: (transfer full) (nullable): what was made of @form without its mask
 * @form: a form
 * @error: what is wrong with its mask
 *
 * Returns: (transfer full): @spec, with the mask of @form if that has one
 */
ReelSpec *reel_class_spec_take_mask (ReelSpec *spec, ReelSpecForm *form, GError **error);

/**
 * reel_class_spec_to_one_hot:
 * @spec: a spec of one of these kinds, of integers
 * @classes: contiguous integers, in the multi kinds with a last dimension of the components
 * @dtype: bool or an integer type
 * @error: RUNTIME for what is no class; NO_SPACE
 *
 * Returns: (transfer full): their one-hot vectors, `[…, classes]`
 */
ReelTensor *reel_class_spec_to_one_hot (const ReelSpec *spec, ReelTensor *classes, ReelDtype dtype,
                                        GError **error);

/**
 * reel_class_spec_to_categorical:
 * @spec: a spec of one of these kinds
 * @vectors: one-hot vectors of it, of any batch and dtype
 * @error: RUNTIME when they have not the length that they must; NO_SPACE
 *
 * Returns: (transfer full): their classes, int64: of each component the first greatest element
 */
ReelTensor *reel_class_spec_to_categorical (const ReelSpec *spec, ReelTensor *vectors,
                                            GError **error);

/**
 * reel_class_spec_drops_last:
 * @spec: any spec
 *
 * Returns: whether its random values lose its last dimension, of extent 1
 */
gboolean reel_class_spec_drops_last (const ReelSpec *spec);

/* ---- of integers ---- */

/**
 * reel_class_integers_draw:
 *
 * The slot `draw`: each of the classes allowed is as likely.
 */
void reel_class_integers_draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n,
                               guint8 *values);

/**
 * reel_class_integers_find_outside:
 *
 * The slot `find_outside`.
 */
gint64 reel_class_integers_find_outside (const ReelSpec *spec, const guint8 *values,
                                         gint64 n_values, char **why);

/**
 * reel_class_integers_project_dtype:
 *
 * The slot `project_dtype`: what can hold the result stays what it is, as PyTorch's clamp leaves
 * it; in the multi kind it is the spec's.
 */
ReelDtype reel_class_integers_project_dtype (const ReelSpec *spec, ReelDtype dtype);

/**
 * reel_class_integers_project:
 *
 * The slot `project`: rounds half to even, then goes to the nearest class allowed; a NaN that is
 * not cast to an integer stays.
 */
void reel_class_integers_project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values,
                                  gint64 n_values, guint8 *projected);

/* ---- of one-hot vectors ---- */

/**
 * reel_class_vectors_draw:
 *
 * The slot `draw`: each of the classes allowed is as likely.
 */
void reel_class_vectors_draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n,
                              guint8 *values);

/**
 * reel_class_vectors_find_outside:
 *
 * The slot `find_outside`: as in TorchRL the sum of a component counts, whatever makes it up; what
 * is not allowed must be 0.
 */
gint64 reel_class_vectors_find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values,
                                        char **why);

/**
 * reel_class_vectors_project:
 *
 * The slot `project`: the first greatest element that is allowed gets the 1.
 */
void reel_class_vectors_project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values,
                                 gint64 n_values, guint8 *projected);

/**
 * reel_class_vectors_find_greatest:
 * @dtype: type of @values
 * @values: elements
 * @n: how many of them, at least 1
 * @among: (array length=n) (nullable): the numbers of these; %NULL for the first @n
 *
 * Returns: the number of the first greatest; a NaN is below everything
 */
gint64 reel_class_vectors_find_greatest (ReelDtype dtype, const guint8 *values, gint64 n,
                                         const gint64 *among);

/* ---- kinds ---- */

/**
 * REEL_CLASS_SPEC_INTEGERS:
 * REEL_CLASS_SPEC_VECTORS:
 *
 * In the initializer of a kind: all slots that the kinds of integers have in common, and those of
 * one-hot vectors.
 */
#define REEL_CLASS_SPEC_INTEGERS                                                                   \
  REEL_CLASS_SPEC_SHARED, .classes = REEL_SPEC_CLASSES_INTEGERS, .draw = reel_class_integers_draw, \
                          .find_outside = reel_class_integers_find_outside,                        \
                          .project_dtype = reel_class_integers_project_dtype,                      \
                          .project = reel_class_integers_project
#define REEL_CLASS_SPEC_VECTORS                                                                    \
  REEL_CLASS_SPEC_SHARED, .classes = REEL_SPEC_CLASSES_VECTORS, .draw = reel_class_vectors_draw,   \
                          .find_outside = reel_class_vectors_find_outside,                         \
                          .project = reel_class_vectors_project
#define REEL_CLASS_SPEC_SHARED                                                                     \
  .size = sizeof (ReelClassSpec), .prepare = reel_class_spec_prepare,                              \
  .clear = reel_class_spec_clear, .copy = reel_class_spec_copy, .equal = reel_class_spec_equal,    \
  .get_n = reel_class_spec_get_n, .cardinality = reel_class_spec_cardinality,                      \
  .enumerate = reel_class_spec_enumerate, .format_space = reel_class_spec_format_space,            \
  .describe = reel_class_spec_describe

G_END_DECLS
