/* Continuous actions as a choice of intervals. */
#include "lane-plan.h"
#include "transform-private.h"

#include "../core/tensor/tensor-private.h"
#include "../specs/kinds/bounded-spec.h"
#include "../specs/spec-kind.h"

#include <math.h>
#include <string.h>

#define MOST_INTERVALS 65536

enum
{
  SAMPLING_MEDIAN,
  SAMPLING_LOW,
  SAMPLING_HIGH
};

struct _ReelActionDiscretizer
{
  ReelTransform parent_instance;

  GArray *num_intervals; /* of double, as given: one, or one for each component */
  char *action_key, *out_action_key;
  gint sampling;
  gboolean categorical;

  /* Found in the spec of the action. */
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  gint64 n_components; /* of the last dimension; 1 where there is none */
  gint64 *nvec;        /* of each: its intervals */
  gint64 n_choices;    /* of all: their sum */
  double *values;      /* an action for each component of each row, by interval */
};

G_DECLARE_FINAL_TYPE (ReelActionDiscretizer, reel_action_discretizer, REEL, ACTION_DISCRETIZER,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelActionDiscretizer, reel_action_discretizer, REEL_TYPE_TRANSFORM)

/* ---- intervals ---- */

static gint64
get_intervals (const ReelActionDiscretizer *self, gint64 component)
{
  const GArray *given = self->num_intervals;

  return (gint64) g_array_index (given, double, given->len == 1 ? 0 : component);
}

/* The place of an interval in [0, 1], in the arithmetic of torch. */
#define DEFINE_PLACE(name, type)                                                                   \
  static type name (gint sampling, gint64 i, gint64 n)                                             \
  {                                                                                                \
    type low = (type) i / (type) n, high = 1 - (type) (n - 1 - i) / (type) n;                      \
                                                                                                   \
    return sampling == SAMPLING_LOW ? low : sampling == SAMPLING_HIGH ? high : (low + high) / 2;   \
  }

DEFINE_PLACE (place_f32, float)
DEFINE_PLACE (place_f64, double)

static double
find_value (const ReelActionDiscretizer *self, gint64 i, gint64 n, double low, double high)
{
  if (self->dtype == REEL_DTYPE_FLOAT64)
    return low + place_f64 (self->sampling, i, n) * (high - low);

  float width = (float) high - (float) low, offset = place_f32 (self->sampling, i, n) * width;

  return (double) ((float) low + offset);
}

static double
read_bound (const ReelTensor *bound, gint64 i)
{
  return bound->dtype == REEL_DTYPE_FLOAT64 ? ((const double *) (gconstpointer) bound->data)[i]
                                            : ((const float *) (gconstpointer) bound->data)[i];
}

static gboolean
fill_values (ReelActionDiscretizer *self, const ReelTensor *low, const ReelTensor *high,
             GError **error)
{
  gint64 n_rows = reel_tensor_numel (low) / self->n_components;
  double *value;

  g_free (self->values);
  value = self->values = g_new (double, n_rows * self->n_choices);
  for (gint64 k = 0; k < n_rows * self->n_components; k++)
    {
      gint64 n = self->nvec[k % self->n_components];
      double from = read_bound (low, k), to = read_bound (high, k);

      if (!isfinite (from) || !isfinite (to))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "action-discretizer cuts the range of \"%s\" into intervals, and it is "
                       "unbounded",
                       self->action_key);
          return FALSE;
        }
      for (gint64 i = 0; i < n; i++)
        *value++ = find_value (self, i, n, from, to);
    }
  return TRUE;
}

/* ---- specs ---- */

static gboolean
check_action (const ReelActionDiscretizer *self, const ReelSpec *spec, GError **error)
{
  ReelDtype dtype = reel_spec_get_dtype (spec);

  if (spec->kind == &reel_bounded_spec_kind
      && (dtype == REEL_DTYPE_FLOAT32 || dtype == REEL_DTYPE_FLOAT64))
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_TYPE,
      "action-discretizer takes an action of bounded floats, and \"%s\" is of a %s spec of "
      "dtype %s",
      self->action_key, reel_spec_class_name (spec), reel_dtype_name (dtype));
  return FALSE;
}

static gboolean
measure (ReelActionDiscretizer *self, const ReelSpec *spec, GError **error)
{
  const gint64 *shape = reel_spec_get_shape (spec, &self->ndim);

  memcpy (self->shape, shape, (gsize) self->ndim * sizeof *shape);
  self->dtype = reel_spec_get_dtype (spec);
  self->n_components = self->ndim > 0 ? shape[self->ndim - 1] : 1;
  if (self->num_intervals->len > 1 && self->num_intervals->len != (guint) self->n_components)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "num-intervals has %u numbers, and \"%s\" has %" G_GINT64_FORMAT
                   " components: give one number, or as many",
                   self->num_intervals->len, self->action_key, self->n_components);
      return FALSE;
    }
  g_free (self->nvec);
  self->nvec = g_new (gint64, self->n_components);
  self->n_choices = 0;
  for (gint64 i = 0; i < self->n_components; i++)
    self->n_choices += self->nvec[i] = get_intervals (self, i);
  return TRUE;
}

/* The choice of a single number. */
static ReelSpec *
make_single_spec (const ReelActionDiscretizer *self, GError **error)
{
  const gint64 one[] = { self->nvec[0] };

  return self->categorical ? reel_categorical_spec_new (*one, REEL_DTYPE_INT64, 0, NULL, error)
                           : reel_one_hot_spec_new (*one, REEL_DTYPE_BOOL, 1, one, error);
}

static ReelSpec *
make_spec (const ReelActionDiscretizer *self, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) nvec = NULL;

  if (self->ndim == 0)
    return make_single_spec (self, error);
  memcpy (shape, self->shape, sizeof shape);
  if (!self->categorical)
    {
      shape[self->ndim - 1] = self->n_choices;
      return reel_multi_one_hot_spec_new (self->nvec, (gsize) self->n_components, REEL_DTYPE_BOOL,
                                          self->ndim, shape, error);
    }
  nvec = reel_tensor_new (REEL_DTYPE_INT64, 1, &self->n_components, error);
  if (!nvec)
    return NULL;
  memcpy (nvec->data, self->nvec, (gsize) self->n_components * sizeof *self->nvec);
  return reel_multi_categorical_spec_new (nvec, REEL_DTYPE_INT64, self->ndim, shape, FALSE, error);
}

static ReelSpec *
apply_inverse_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelActionDiscretizer *self = REEL_ACTION_DISCRETIZER (transform);
  g_autoptr (ReelTensor) low = NULL, high = NULL;

  if (!check_action (self, spec, error) || !measure (self, spec, error))
    return NULL;
  low = reel_tensor_in_order (spec->parameters[REEL_SPEC_LOW], error);
  high = low ? reel_tensor_in_order (spec->parameters[REEL_SPEC_HIGH], error) : NULL;
  if (!high || !fill_values (self, low, high, error))
    return NULL;
  return make_spec (self, error);
}

#define ACTION "input_spec/full_action_spec"

/* The action of the env gives its place to the choice. */
static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelActionDiscretizer *self = REEL_ACTION_DISCRETIZER (transform);
  g_autoptr (ReelSpec) changed = REEL_TRANSFORM_CLASS (reel_action_discretizer_parent_class)
                                     ->env_spec (transform, spec, error);

  if (changed && !g_str_equal (self->action_key, self->out_action_key)
      && !reel_spec_set_in_part (&changed, ACTION, self->action_key, NULL, error))
    return NULL;
  return g_steal_pointer (&changed);
}

/* ---- choices to actions ---- */

/* The place of the 1 among @n flags; 0 where there is none, as by torch.argmax(). */
static gint64
find_one (const guint8 *flags, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (flags[i])
      return i;
  return 0;
}

static gboolean
check_choice (const ReelActionDiscretizer *self, gint64 choice, gint64 n, GError **error)
{
  if (0 <= choice && choice < n)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" is %" G_GINT64_FORMAT ", and there are %" G_GINT64_FORMAT " intervals",
               self->out_action_key, choice, n);
  return FALSE;
}

static gint64
read_choice (const ReelActionDiscretizer *self, const guint8 **at, gint64 n)
{
  gint64 choice;

  if (self->categorical)
    {
      memcpy (&choice, *at, sizeof choice);
      *at += sizeof choice;
      return choice;
    }
  choice = find_one (*at, n);
  *at += n;
  return choice;
}

static void
write_value (const ReelTensor *actions, gint64 i, double value)
{
  if (actions->dtype == REEL_DTYPE_FLOAT64)
    ((double *) (gpointer) actions->data)[i] = value;
  else
    ((float *) (gpointer) actions->data)[i] = (float) value;
}

/* fill: an action for each choice of @plain, whose rows are those of the spec over and over. */
static gboolean
fill (const ReelActionDiscretizer *self, const ReelTensor *plain, const ReelTensor *actions,
      GError **error)
{
  gint64 n = reel_tensor_numel (actions), of_spec = self->n_components;
  const guint8 *at = plain->data;
  const double *values = self->values;

  for (gint i = 0; i < self->ndim - 1; i++)
    of_spec *= self->shape[i];
  for (gint64 k = 0; k < n; k++)
    {
      gint64 n_intervals = self->nvec[k % self->n_components];
      gint64 choice = read_choice (self, &at, n_intervals);

      if (!check_choice (self, choice, n_intervals, error))
        return FALSE;
      write_value (actions, k, values[choice]);
      values = (k + 1) % of_spec == 0 ? self->values : values + n_intervals;
    }
  return TRUE;
}

static void
refuse_data (const ReelActionDiscretizer *self, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "action-discretizer finds the range of \"%s\" in an environment, and has none; put "
               "it behind one",
               self->action_key);
}

static ReelTensor *
refuse_choices (const ReelActionDiscretizer *self, const ReelTensor *value, GError **error)
{
  g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);

  g_set_error (
      error, REEL_ERROR, REEL_ERROR_TYPE,
      "\"%s\" of shape %s and dtype %s is not a choice: action-discretizer wants dtype %s, "
      "and %" G_GINT64_FORMAT " in the last dimension",
      self->out_action_key, shape, reel_dtype_name (value->dtype),
      self->categorical ? "int64" : "bool",
      self->categorical ? self->n_components : self->n_choices);
  return NULL;
}

static gboolean
fits (const ReelActionDiscretizer *self, const ReelTensor *value)
{
  gint64 last = self->categorical ? self->n_components : self->n_choices;
  gboolean has_last = self->ndim > 0 || !self->categorical;

  return value->dtype == (self->categorical ? REEL_DTYPE_INT64 : REEL_DTYPE_BOOL)
         && value->ndim >= has_last && (!has_last || value->shape[value->ndim - 1] == last);
}

static ReelTensor *
apply_inverse (ReelTransform *transform, ReelTensor *value, GError **error)
{
  const ReelActionDiscretizer *self = REEL_ACTION_DISCRETIZER (transform);
  g_autoptr (ReelTensor) plain = NULL, actions = NULL;
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = value->ndim - (self->ndim == 0 && !self->categorical);

  if (!self->values)
    {
      refuse_data (self, error);
      return NULL;
    }
  if (!fits (self, value))
    return refuse_choices (self, value, error);
  memcpy (shape, value->shape, (gsize) value->ndim * sizeof *shape);
  if (self->ndim > 0)
    shape[ndim - 1] = self->n_components;
  plain = reel_tensor_in_order (value, error);
  actions = plain ? reel_tensor_new_unfilled (self->dtype, ndim, shape, error) : NULL;
  if (!actions || !fill (self, plain, actions, error))
    return NULL;
  return g_steal_pointer (&actions);
}

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  refuse_data (REEL_ACTION_DISCRETIZER (self), error);
  return NULL;
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  return TRUE;
}

/* ---- the class ---- */

static gboolean
check_intervals (const ReelActionDiscretizer *self, GError **error)
{
  if (!self->num_intervals || self->num_intervals->len == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "action-discretizer wants num-intervals: action-discretizer:"
                           "num-intervals=5, or [3,4] for two components");
      return FALSE;
    }
  for (guint i = 0; i < self->num_intervals->len; i++)
    {
      double n = g_array_index (self->num_intervals, double, i);

      if (n >= 1 && n <= MOST_INTERVALS && n == floor (n))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "num-intervals has %g: give whole numbers from 1 to %d", n, MOST_INTERVALS);
      return FALSE;
    }
  return TRUE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelActionDiscretizer *self = REEL_ACTION_DISCRETIZER (object);

  if (!self->out_action_key)
    self->out_action_key = g_strdup (self->action_key);
  reel_transform_set_inverse_keys (REEL_TRANSFORM (object),
                                   (const char *const[]){ self->action_key, NULL },
                                   (const char *const[]){ self->out_action_key, NULL });
  return check_intervals (self, error)
         && REEL_OBJECT_CLASS (reel_action_discretizer_parent_class)->build (object, error);
}

static char *
format_intervals (const ReelActionDiscretizer *self)
{
  GString *text = g_string_new (NULL);

  if (self->num_intervals->len == 1)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, get_intervals (self, 0));
  else
    for (guint i = 0; i < self->num_intervals->len; i++)
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? "tensor([" : ", ",
                              get_intervals (self, i));
  if (self->num_intervals->len > 1)
    g_string_append (text, "])");
  return g_string_free (text, FALSE);
}

static char *
to_string (ReelTransform *transform)
{
  static const int numbers[] = { 0, 1, 2 };
  const ReelActionDiscretizer *self = REEL_ACTION_DISCRETIZER (transform);
  g_autofree char *intervals = format_intervals (self);

  return g_strdup_printf ("ActionDiscretizer(\n    num_intervals=%s,\n    action_key=%s,\n    "
                          "out_action_key=%s,\n    sampling=%d,\n    categorical=%s)",
                          intervals, self->action_key, self->out_action_key,
                          numbers[self->sampling], self->categorical ? "True" : "False");
}

static void
finalize (GObject *object)
{
  ReelActionDiscretizer *self = REEL_ACTION_DISCRETIZER (object);

  g_free (self->nvec);
  g_free (self->values);
  G_OBJECT_CLASS (reel_action_discretizer_parent_class)->finalize (object);
}

static void
reel_action_discretizer_class_init (ReelActionDiscretizerClass *klass)
{
  static const ReelId ids[] = {
    { "action-discretizer", NULL, "continuous actions as a choice of intervals" },
    { "ActionDiscretizer", NULL, "continuous actions as a choice, by TorchRL's name" },
    { NULL },
  };
  static const char *const samplings[] = { "median", "low", "high", NULL };
  const ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_list (object_class, "num-intervals",
                              G_STRUCT_OFFSET (ReelActionDiscretizer, num_intervals),
                              "intervals of each component, or one number for all", fixed);
  reel_object_class_add_string (object_class, "action-key",
                                G_STRUCT_OFFSET (ReelActionDiscretizer, action_key), "action",
                                "key of the action of the environment", fixed);
  reel_object_class_add_string (object_class, "out-action-key",
                                G_STRUCT_OFFSET (ReelActionDiscretizer, out_action_key), NULL,
                                "key of the choice; action-key by default", fixed);
  reel_object_class_add_enum (
      object_class, "sampling", G_STRUCT_OFFSET (ReelActionDiscretizer, sampling), samplings,
      SAMPLING_MEDIAN, "number of an interval that becomes the action", fixed);
  reel_object_class_add_bool (object_class, "categorical",
                              G_STRUCT_OFFSET (ReelActionDiscretizer, categorical), TRUE,
                              "whether choices are indices, not one-hot vectors", fixed);
  transform_class->peer_name = "ActionDiscretizer";
  transform_class->forward = forward;
  transform_class->apply_inverse = apply_inverse;
  transform_class->env_spec = env_spec;
  transform_class->apply_inverse_spec = apply_inverse_spec;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
}

static void
reel_action_discretizer_init (ReelActionDiscretizer *self)
{
}
