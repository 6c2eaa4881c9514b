/* A coefficient that stays as it is. */
#include "kl-controller.h"

struct _ReelConstantKLController
{
  ReelKLController parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelConstantKLController, reel_constant_kl_controller, REEL,
                      CONSTANT_KL_CONTROLLER, ReelKLController)
G_DEFINE_FINAL_TYPE (ReelConstantKLController, reel_constant_kl_controller, REEL_TYPE_KL_CONTROLLER)

static double
update (ReelKLController *self, double coefficient, double mean, gsize n)
{
  return coefficient;
}

static void
reel_constant_kl_controller_class_init (ReelConstantKLControllerClass *klass)
{
  static const ReelId ids[] = {
    { "constant", NULL, "stays as it is" },
    { "ConstantKLController", NULL, "stays as it is, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_KL_CONTROLLER_CLASS (klass)->update = update;
}

static void
reel_constant_kl_controller_init (ReelConstantKLController *self)
{
}
