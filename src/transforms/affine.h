/* Values multiplied and moved, or the other way round. Private. */
#pragma once

#include "pointwise.h"

G_BEGIN_DECLS

/**
 * ReelAffine:
 * @loc: (nullable) (element-type double): what is added; one number for all elements, or one for
 *   each of the last dimension
 * @scale: (nullable) (element-type double): what they are multiplied with, likewise
 * @standard_normal: whether @loc is subtracted, then it is divided by @scale
 * @period: how many numbers there are of each
 * @tile: the same, repeated, so that a loop over them is worth it
 * @narrow: (array length=tile) scales, then locs
 * @wide: (array length=tile) scales, then locs
 * @isa: which kernels to use
 *
 * A line, for each element of a row. The first three are properties.
 */
typedef struct
{
  GArray *loc;
  GArray *scale;
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
 * reel_affine_build:
 * @self: whose @loc and @scale are given
 * @least: a scale below is this instead
 * @each: whether this holds for each of several scales, not for a single one alone
 * @error: VALUE for NaN, and where there are several of both, but not as many; as
 *   reel_isa_choose()
 *
 * Returns: whether it can be applied
 */
gboolean reel_affine_build (ReelAffine *self, double least, gboolean each, GError **error);

/**
 * reel_affine_apply:
 * @self: a line
 * @value: a tensor
 * @inverse: whether to go back
 * @error: VALUE where the last dimension does not have @period elements; TYPE
 *
 * A last dimension of 1 does not count, where there are several.
 *
 * Returns: (transfer full): the changed values, as reel_pointwise() gives them
 */
ReelTensor *reel_affine_apply (const ReelAffine *self, ReelTensor *value, gboolean inverse,
                               GError **error);

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
