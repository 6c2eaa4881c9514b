/* The weight of the distance to a reference model: TorchRL's KL controllers. */
#pragma once

#include "../../core/object/object.h"

G_BEGIN_DECLS

/**
 * ReelKLController:
 *
 * A coefficient of the divergence of Kullback and Leibler between a model that learns and its
 * reference, as a part of rewards. It is changed between rollouts, by what was measured in them.
 *
 * Property of every controller: `kl-coef`, the coefficient.
 *
 * Ids: `constant` (`ConstantKLController`): stays as it is; `adaptive` (`AdaptiveKLController`;
 * `target`, `horizon`): moves towards a target.
 */
#define REEL_TYPE_KL_CONTROLLER (reel_kl_controller_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelKLController, reel_kl_controller, REEL, KL_CONTROLLER, ReelObject)

/**
 * ReelKLControllerClass:
 * @update: required. The next coefficient, from @coefficient and the mean of @n values, which is
 *   NaN without values; NaN where there is none
 *
 * Virtual functions of a controller.
 */
struct _ReelKLControllerClass
{
  ReelObjectClass parent_class;

  double (*update) (ReelKLController *self, double coefficient, double mean, gsize n);
};

/**
 * reel_kl_controller_get_coefficient:
 * @self: a controller
 *
 * Returns: the coefficient
 */
REEL_API
double reel_kl_controller_get_coefficient (ReelKLController *self);

/**
 * reel_kl_controller_update:
 * @self: a controller
 * @values: (array length=n): the means of `reward_kl` of rollouts since the last update: each is
 *   minus the coefficient times the divergence
 * @n: how many
 * @error: VALUE where an adaptive coefficient gets no values or one that is not finite, is 0, which
 *   leaves nothing of the divergence in values, or would not be finite; it is as it was then
 *
 * Returns: whether the coefficient was updated
 */
REEL_API
gboolean reel_kl_controller_update (ReelKLController *self, const double *values, gsize n,
                                    GError **error);

G_END_DECLS
