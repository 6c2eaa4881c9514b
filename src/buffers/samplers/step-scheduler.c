/* Multiplied or increased every few steps. */
#include "scheduler.h"

typedef enum
{
  MULTIPLICATIVE,
  ADDITIVE,
} Mode;

struct _ReelStepScheduler
{
  ReelScheduler parent_instance;

  double gamma;
  gint64 n_steps;
  int mode;
};

G_DECLARE_FINAL_TYPE (ReelStepScheduler, reel_step_scheduler, REEL, STEP_SCHEDULER, ReelScheduler)
G_DEFINE_FINAL_TYPE (ReelStepScheduler, reel_step_scheduler, REEL_TYPE_SCHEDULER)

static double
get_value (ReelScheduler *scheduler, gint64 k, double initial, double current)
{
  ReelStepScheduler *self = REEL_STEP_SCHEDULER (scheduler);

  if (k % self->n_steps != 0)
    return current;
  return self->mode == ADDITIVE ? current + self->gamma : current * self->gamma;
}

static void
reel_step_scheduler_class_init (ReelStepSchedulerClass *klass)
{
  static const char *const modes[] = { "multiplicative", "additive", NULL };
  static const ReelId ids[] = {
    { "step", NULL, "multiplied or increased every few steps" },
    { "StepScheduler", NULL, "multiplied or increased every few steps, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->ids = ids;
  reel_object_class_add_double (object_class, "gamma", G_STRUCT_OFFSET (ReelStepScheduler, gamma),
                                -G_MAXDOUBLE, G_MAXDOUBLE, 0.9, NULL, "by how much",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "n-steps",
                               G_STRUCT_OFFSET (ReelStepScheduler, n_steps), 1, G_MAXINT64, 1,
                               "steps", "how often", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (object_class, "mode", G_STRUCT_OFFSET (ReelStepScheduler, mode),
                              modes, MULTIPLICATIVE, "use of gamma", REEL_PROPERTY_CONSTRUCT_ONLY);
  REEL_SCHEDULER_CLASS (klass)->value = get_value;
}

static void
reel_step_scheduler_init (ReelStepScheduler *self)
{
}
