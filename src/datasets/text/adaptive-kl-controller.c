/* A coefficient that moves towards a target of the divergence, by at most a fifth of the values'
 * share of the horizon. The source is Ziegler et al. 2019, "Fine-tuning language models from human
 * preferences", section 2.2, with TorchRL's count of values. */
#include "kl-controller.h"

#include <math.h>

#define LARGEST_ERROR 0.2

struct _ReelAdaptiveKLController
{
  ReelKLController parent_instance;

  double target;
  double horizon;
};

G_DECLARE_FINAL_TYPE (ReelAdaptiveKLController, reel_adaptive_kl_controller, REEL,
                      ADAPTIVE_KL_CONTROLLER, ReelKLController)
G_DEFINE_FINAL_TYPE (ReelAdaptiveKLController, reel_adaptive_kl_controller, REEL_TYPE_KL_CONTROLLER)

static double
update (ReelKLController *controller, double coefficient, double mean, gsize n)
{
  ReelAdaptiveKLController *self = REEL_ADAPTIVE_KL_CONTROLLER (controller);

  if (coefficient == 0 || !isfinite (mean))
    return NAN;
  double divergence = -mean / coefficient;
  double error = CLAMP (divergence / self->target - 1, -LARGEST_ERROR, LARGEST_ERROR);
  return coefficient * (1 + error * (double) n / self->horizon);
}

static void
reel_adaptive_kl_controller_class_init (ReelAdaptiveKLControllerClass *klass)
{
  static const ReelId ids[] = {
    { "adaptive", NULL, "moves towards a target" },
    { "AdaptiveKLController", NULL, "moves towards a target, by TorchRL's name" },
    { NULL },
  };
  static const ReelAlias aliases[] = { { "init-kl-coef", "kl-coef" }, { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->ids = ids;
  object_class->aliases = aliases;
  reel_object_class_add_double (
      object_class, "target", G_STRUCT_OFFSET (ReelAdaptiveKLController, target), G_MINDOUBLE,
      G_MAXDOUBLE, 6, "nats", "divergence that is wanted", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_double (object_class, "horizon",
                                G_STRUCT_OFFSET (ReelAdaptiveKLController, horizon), G_MINDOUBLE,
                                G_MAXDOUBLE, 10000, "values",
                                "values in which an error of 1 changes the coefficient by as much",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  REEL_KL_CONTROLLER_CLASS (klass)->update = update;
}

static void
reel_adaptive_kl_controller_init (ReelAdaptiveKLController *self)
{
}
