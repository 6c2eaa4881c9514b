/* Values multiplied and moved, or the other way round. Private. */
#pragma once

#include "pointwise.h"

G_BEGIN_DECLS

/**
 * ReelAffine:
 * @loc: (nullable) (element-type double): what is added; one number for all elements, or one for
 *   each of the last dimension
 * @scale: (nullable) (element-type double): what they are multiplied with, likewise
 * @shape: (nullable) (element-type double): the last dimensions of values, with a number for each
 *   of their elements; %NULL for the last one alone
 * @standard_normal: whether @loc is subtracted, then it is divided by @scale
 * @period: how many numbers there are of each
 * @tile: the same, repeated, so that a loop over them is worth it
 * @narrow: (array length=tile) scales, then locs
 * @wide: (array length=tile) scales, then locs
 * @isa: which kernels to use
 *
 * A line, for each element of a row. The first four are properties.
 */
typedef struct
{
  GArray *loc;
  GArray *scale;
  GArray *shape;
  gboolean standard_normal;
  gint64 period;
  gint64 tile;
  float *narrow;
  double *wide;
  ReelIsa isa;
} ReelAffine;

/**
 * reel_affine_add_properties:
 * @klass: a class
 * @offset: of a #ReelAffine in its instance
 *
 * Adds `loc`, `scale` and `standard-normal`.
 */
void reel_affine_add_properties (ReelObjectClass *klass, gsize offset);

/**
 * reel_affine_add_shape_property:
 * @klass: a class
 * @offset: of a #ReelAffine in its instance
 *
 * Adds `shape`.
 */
void reel_affine_add_shape_property (ReelObjectClass *klass, gsize offset);

/**
 * reel_affine_is_set:
 * @self: a line
 *
 * Returns: whether @loc and @scale are known
 */
gboolean reel_affine_is_set (const ReelAffine *self);

/**
 * reel_affine_build:
 * @self: whose @loc and @scale are given
 * @least: a scale below is this instead
 * @each: whether this holds for each of several scales, not for a single one alone
 * @error: VALUE for NaN, where there are several of both, but not as many, and where @shape has
 *   another number of elements; as reel_isa_choose()
 *
 * Returns: whether it can be applied
 */
gboolean reel_affine_build (ReelAffine *self, double least, gboolean each, GError **error);

/**
 * reel_affine_apply:
 * @self: a line
 * @value: a tensor
 * @inverse: whether to go back
 * @error: VALUE where the last dimensions are not @shape, or the last one does not have @period
 *   elements; TYPE
 *
 * A last dimension of 1 does not count, where there are several and no @shape.
 *
 * Returns: (transfer full): the changed values, as reel_pointwise() gives them
 */
ReelTensor *reel_affine_apply (const ReelAffine *self, ReelTensor *value, gboolean inverse,
                               GError **error);

/**
 * reel_affine_apply_from:
 * @self: a line
 * @value: a tensor
 * @first: the number that belongs to its first element; as many as it has elements follow
 * @inverse: whether to go back
 * @error: TYPE
 *
 * Returns: (transfer full): as reel_affine_apply(), of a part of the elements that there are
 *   numbers for
 */
ReelTensor *reel_affine_apply_from (const ReelAffine *self, ReelTensor *value, gint64 first,
                                    gboolean inverse, GError **error);

/**
 * reel_affine_to_string:
 * @self: a line that was built
 *
 * Returns: (transfer full): `loc=0.5000, scale=2.0000`, as Python prints it; several in brackets
 */
char *reel_affine_to_string (const ReelAffine *self);

/**
 * reel_affine_clear:
 * @self: a line
 *
 * Frees what is no property.
 */
void reel_affine_clear (ReelAffine *self);

G_END_DECLS
