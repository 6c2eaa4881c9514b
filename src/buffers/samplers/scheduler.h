/* Schedules of a sampler's parameters. */
#pragma once

#include "../../core/object/object.h"

G_BEGIN_DECLS

/**
 * ReelScheduler:
 *
 * A number of an object that changes from step to step: the `beta` of a sampler that grows to 1,
 * say. It writes the property, and the object acts on it when it is used next. The thread that uses
 * the object steps its schedulers.
 *
 * Properties of every scheduler: `parameter` (the property that it writes, which must be a number
 * that may change), `min-value` and `max-value` (what it is clipped to).
 *
 * Ids: `linear` (`LinearScheduler`; `final-value`, `num-steps`): to a value in equal steps;
 * `step` (`StepScheduler`; `gamma`, `n-steps`, `mode`): multiplied by or increased by gamma
 * every n steps. `callback` cannot be named by text: reel_scheduler_new_callback().
 */
#define REEL_TYPE_SCHEDULER (reel_scheduler_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelScheduler, reel_scheduler, REEL, SCHEDULER, ReelObject)

/**
 * ReelSchedulerClass:
 * @value: required. The number at step @k, counted from 1, before it is clipped;
 *   @initial is what it was when the scheduler was attached, @current what it is
 *
 * Virtual functions of a scheduler.
 */
struct _ReelSchedulerClass
{
  ReelObjectClass parent_class;

  double (*value) (ReelScheduler *self, gint64 k, double initial, double current);
};

/**
 * ReelSchedulerFunction:
 * @k: the step, from 1
 * @user_data: what reel_scheduler_new_callback() was given
 *
 * Returns: what the initial value is multiplied by
 */
typedef double (*ReelSchedulerFunction) (gint64 k, gpointer user_data);

/**
 * reel_scheduler_new_callback:
 * @parameter: the property that it writes
 * @function: called at each step
 * @user_data: for @function
 * @destroy: (nullable): called with @user_data when the scheduler goes away
 *
 * TorchRL's `LambdaScheduler`.
 *
 * Returns: (transfer full): a scheduler of id `callback`
 */
REEL_API
ReelScheduler *reel_scheduler_new_callback (const char *parameter, ReelSchedulerFunction function,
                                            gpointer user_data, GDestroyNotify destroy);

/**
 * reel_scheduler_attach:
 * @self: a scheduler
 * @target: (transfer none): whose property is written, such as a sampler; kept alive by @self
 * @error: VALUE where @target has no such property, or it is no number or cannot change
 *
 * Begins anew at step 0; what the property is now is the initial value.
 *
 * Returns: whether it can be stepped
 */
REEL_API
gboolean reel_scheduler_attach (ReelScheduler *self, ReelObject *target, GError **error);

/**
 * reel_scheduler_step:
 * @self: a scheduler
 * @error: RUNTIME where it was not attached; VALUE for a value that the property cannot have, with
 *   its range
 *
 * Goes one step on and writes the property. A step that fails counts.
 *
 * Returns: whether it was written
 */
REEL_API
gboolean reel_scheduler_step (ReelScheduler *self, GError **error);

G_END_DECLS
