/* The base of schedulers: the property of a target, its initial value,
 * its bounds, and the steps so far. */
#include "scheduler.h"

#include "../../core/object/property.h"

#include <math.h>

typedef struct
{
  char *parameter;
  double min_value, max_value;
  ReelObject *target;
  double initial;
  gint64 n_steps;
} ReelSchedulerPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelScheduler, reel_scheduler, REEL_TYPE_OBJECT)

static ReelSchedulerPrivate *
get_private (ReelScheduler *self)
{
  return reel_scheduler_get_instance_private (self);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelSchedulerPrivate *private = get_private (REEL_SCHEDULER (object));

  if (private->parameter && private->min_value <= private->max_value)
    return REEL_OBJECT_CLASS (reel_scheduler_parent_class)->build (object, error);
  if (private->parameter)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "min-value %g is above max-value %g",
                 private->min_value, private->max_value);
  else
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "parameter must name the property to change, such as beta");
  return FALSE;
}

static void
finalize (GObject *object)
{
  g_clear_object (&get_private (REEL_SCHEDULER (object))->target);
  G_OBJECT_CLASS (reel_scheduler_parent_class)->finalize (object);
}

static void
reel_scheduler_class_init (ReelSchedulerClass *klass)
{
  static const ReelAlias aliases[] = { { "param-name", "parameter" }, { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->aliases = aliases;
  object_class->kind = "scheduler";
  object_class->build = build;
  reel_object_class_add_string (object_class, "parameter",
                                (gsize) G_PRIVATE_OFFSET (ReelScheduler, parameter), NULL,
                                "the property to change", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_double (
      object_class, "min-value", (gsize) G_PRIVATE_OFFSET (ReelScheduler, min_value), -INFINITY,
      INFINITY, -INFINITY, NULL, "the least it may become", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_double (
      object_class, "max-value", (gsize) G_PRIVATE_OFFSET (ReelScheduler, max_value), -INFINITY,
      INFINITY, INFINITY, NULL, "the most it may become", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_scheduler_init (ReelScheduler *self)
{
}

/* The property of a target, which must be a number that may change. */
static GParamSpec *
find_parameter (ReelObject *target, const char *name, GError **error)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (target), name);
  const ReelProperty *property = pspec ? reel_property_get (pspec) : NULL;

  if (!property)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s has no property %s",
                 reel_object_get_id (target), name);
  else if (property->kind != REEL_PROPERTY_DOUBLE && property->kind != REEL_PROPERTY_INT64)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s of %s is not a number", name,
                 reel_object_get_id (target));
  else if (pspec->flags & G_PARAM_CONSTRUCT_ONLY)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s of %s is fixed when it is made", name,
                 reel_object_get_id (target));
  else
    return pspec;
  return NULL;
}

static double
get_number (ReelObject *target, GParamSpec *pspec)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_DOUBLE);
  g_object_get_property (G_OBJECT (target), pspec->name, &value);
  return g_value_get_double (&value);
}

gboolean
reel_scheduler_attach (ReelScheduler *self, ReelObject *target, GError **error)
{
  ReelSchedulerPrivate *private = get_private (self);
  GParamSpec *pspec = find_parameter (target, private->parameter, error);

  if (!pspec)
    return FALSE;
  g_set_object (&private->target, target);
  private->initial = get_number (target, pspec);
  private->n_steps = 0;
  return TRUE;
}

/* GObject would clip what is out of range without a word. */
static gboolean
set_number (ReelObject *target, GParamSpec *pspec, double number, GError **error)
{
  g_auto (GValue) real = G_VALUE_INIT, value = G_VALUE_INIT;
  g_autofree char *range = NULL;

  g_value_init (&real, G_TYPE_DOUBLE);
  g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (pspec));
  g_value_set_double (&real, G_VALUE_HOLDS_INT64 (&value) ? round (number) : number);
  if (number == number && g_value_transform (&real, &value)
      && !g_param_value_validate (pspec, &value))
    {
      g_object_set_property (G_OBJECT (target), pspec->name, &value);
      return TRUE;
    }
  range = reel_property_range (pspec);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s of %s cannot become %g: it must be %s",
               pspec->name, reel_object_get_id (target), number, range);
  return FALSE;
}

gboolean
reel_scheduler_step (ReelScheduler *self, GError **error)
{
  ReelSchedulerPrivate *private = get_private (self);
  GParamSpec *pspec;
  double value;

  if (!private->target)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cannot change %s: attach the scheduler first", private->parameter);
      return FALSE;
    }
  pspec = find_parameter (private->target, private->parameter, error);
  if (!pspec)
    return FALSE;
  value = REEL_SCHEDULER_GET_CLASS (self)->value (self, ++private->n_steps, private->initial,
                                                  get_number (private->target, pspec));
  return set_number (private->target, pspec, CLAMP (value, private->min_value, private->max_value),
                     error);
}
