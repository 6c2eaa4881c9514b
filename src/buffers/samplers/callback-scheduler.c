/* The initial value times what a function says. It has no id: text cannot name a function. */
#include "scheduler.h"

struct _ReelCallbackScheduler
{
  ReelScheduler parent_instance;

  ReelSchedulerFunction function;
  gpointer user_data;
  GDestroyNotify destroy;
};

G_DECLARE_FINAL_TYPE (ReelCallbackScheduler, reel_callback_scheduler, REEL, CALLBACK_SCHEDULER,
                      ReelScheduler)
G_DEFINE_FINAL_TYPE (ReelCallbackScheduler, reel_callback_scheduler, REEL_TYPE_SCHEDULER)

static double
get_value (ReelScheduler *scheduler, gint64 k, double initial, double current)
{
  ReelCallbackScheduler *self = REEL_CALLBACK_SCHEDULER (scheduler);

  return initial * self->function (k, self->user_data);
}

static void
finalize (GObject *object)
{
  ReelCallbackScheduler *self = REEL_CALLBACK_SCHEDULER (object);

  if (self->destroy)
    self->destroy (self->user_data);
  G_OBJECT_CLASS (reel_callback_scheduler_parent_class)->finalize (object);
}

static void
reel_callback_scheduler_class_init (ReelCallbackSchedulerClass *klass)
{
  REEL_SCHEDULER_CLASS (klass)->value = get_value;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_callback_scheduler_init (ReelCallbackScheduler *self)
{
}

ReelScheduler *
reel_scheduler_new_callback (const char *parameter, ReelSchedulerFunction function,
                             gpointer user_data, GDestroyNotify destroy)
{
  ReelCallbackScheduler *self;

  g_return_val_if_fail (parameter && *parameter, NULL);
  g_return_val_if_fail (function, NULL);

  self = g_initable_new (reel_callback_scheduler_get_type (), NULL, NULL, "id", "callback",
                         "parameter", parameter, NULL);
  self->function = function;
  self->user_data = user_data;
  self->destroy = destroy;
  return REEL_SCHEDULER (self);
}
