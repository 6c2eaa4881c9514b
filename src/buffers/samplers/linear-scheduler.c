/* To a value in equal steps. */
#include "scheduler.h"

struct _ReelLinearScheduler
{
  ReelScheduler parent_instance;

  double final_value;
  gint64 num_steps;
};

G_DECLARE_FINAL_TYPE (ReelLinearScheduler, reel_linear_scheduler, REEL, LINEAR_SCHEDULER,
                      ReelScheduler)
G_DEFINE_FINAL_TYPE (ReelLinearScheduler, reel_linear_scheduler, REEL_TYPE_SCHEDULER)

static double
get_value (ReelScheduler *scheduler, gint64 k, double initial, double current)
{
  ReelLinearScheduler *self = REEL_LINEAR_SCHEDULER (scheduler);
  double delta = (self->final_value - initial) / (double) self->num_steps;

  return k < self->num_steps ? initial + delta * (double) k : self->final_value;
}

static void
reel_linear_scheduler_class_init (ReelLinearSchedulerClass *klass)
{
  static const ReelId ids[] = {
    { "linear", NULL, "to a value in equal steps" },
    { "LinearScheduler", NULL, "to a value in equal steps, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->ids = ids;
  reel_object_class_add_double (
      object_class, "final-value", G_STRUCT_OFFSET (ReelLinearScheduler, final_value), -G_MAXDOUBLE,
      G_MAXDOUBLE, 1, NULL, "where it ends", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "num-steps",
                               G_STRUCT_OFFSET (ReelLinearScheduler, num_steps), 1, G_MAXINT64, 1,
                               "steps", "after how many", REEL_PROPERTY_CONSTRUCT_ONLY);
  REEL_SCHEDULER_CLASS (klass)->value = get_value;
}

static void
reel_linear_scheduler_init (ReelLinearScheduler *self)
{
}
