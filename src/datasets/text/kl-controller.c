#include "kl-controller.h"

#include <math.h>

typedef struct
{
  double coefficient;
} ReelKLControllerPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelKLController, reel_kl_controller, REEL_TYPE_OBJECT)

static ReelKLControllerPrivate *
get_private (ReelKLController *self)
{
  return reel_kl_controller_get_instance_private (self);
}

double
reel_kl_controller_get_coefficient (ReelKLController *self)
{
  return get_private (self)->coefficient;
}

/* The mean of values, NaN without any. */
static double
get_mean (const double *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i];
  return sum / (double) n;
}

gboolean
reel_kl_controller_update (ReelKLController *self, const double *values, gsize n, GError **error)
{
  ReelKLControllerPrivate *private = get_private (self);
  double mean = get_mean (values, n);
  double next = REEL_KL_CONTROLLER_GET_CLASS (self)->update (self, private->coefficient, mean, n);

  if (isfinite (next))
    {
      private->coefficient = next;
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot update the KL coefficient %g by %" G_GSIZE_FORMAT
               " values of mean %g: it takes at least one value, all finite, and an adaptive "
               "coefficient other than 0",
               private->coefficient, n, mean);
  return FALSE;
}

static void
reel_kl_controller_class_init (ReelKLControllerClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->kind = "KL controller";
  reel_object_class_add_double (object_class, "kl-coef",
                                (gsize) G_PRIVATE_OFFSET (ReelKLController, coefficient),
                                -G_MAXDOUBLE, G_MAXDOUBLE, 0.1, NULL,
                                "weight of the divergence in rewards", REEL_PROPERTY_MUTABLE);
}

static void
reel_kl_controller_init (ReelKLController *self)
{
}
