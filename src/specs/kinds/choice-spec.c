#include "choice-private.h"

#include <string.h>

#include "../../core/tensordict/variant.h"
#include "../spec-change.h"
#include "../spec-form.h"

static const ReelChoiceSpec *
choice (const ReelSpec *spec)
{
  return (const ReelChoiceSpec *) spec;
}

/* ---- making one ---- */

static gboolean
refuse_none (GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "a choice must have at least one member");
  return FALSE;
}

static gboolean
refuse_shape (GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "All choices must have the same shape");
  return FALSE;
}

static gboolean
has_shape_of (const ReelSpec *a, const ReelSpec *b)
{
  return a->ndim == b->ndim && memcmp (a->shape, b->shape, (gsize) a->ndim * sizeof *a->shape) == 0;
}

static gboolean
check_specs (ReelSpec *const *choices, gsize n, GError **error)
{
  if (n == 0)
    return refuse_none (error);
  if (!choices[0]->kind->draw)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "Each choice must be a spec of tensors or a value, but got a %s",
                   reel_spec_class_name (choices[0]));
      return FALSE;
    }
  for (gsize i = 1; i < n; i++)
    {
      if (choices[i]->kind != choices[0]->kind)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "All choices must be the same type");
          return FALSE;
        }
      if (!has_shape_of (choices[i], choices[0]))
        return refuse_shape (error);
      if (choices[i]->dtype != choices[0]->dtype)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "All choices must have the same dtype");
          return FALSE;
        }
    }
  return TRUE;
}

ReelSpec *
reel_choice_spec_new (ReelSpec *const *choices, gsize n, GError **error)
{
  ReelChoiceSpec *self;

  if (!check_specs (choices, n, error))
    return NULL;
  self = reel_spec_alloc (&reel_choice_spec_kind, choices[0]->dtype, choices[0]->ndim,
                          choices[0]->shape, error);
  if (!self)
    return NULL;
  self->n = n;
  self->specs = g_new0 (ReelSpec *, n);
  for (gsize i = 0; i < n; i++)
    self->specs[i] = reel_spec_ref (choices[i]);
  return reel_spec_finish (self, error);
}

ReelSpec *
reel_choice_spec_new_from_non_tensors (ReelNonTensor *const *choices, gsize n, GError **error)
{
  ReelChoiceSpec *self;
  gint ndim = 0;
  const gint64 *shape;

  if (n == 0)
    {
      refuse_none (error);
      return NULL;
    }
  shape = reel_non_tensor_get_batch_size (choices[0], &ndim);
  for (gsize i = 1; i < n; i++)
    {
      gint other_ndim;
      const gint64 *other = reel_non_tensor_get_batch_size (choices[i], &other_ndim);

      if (other_ndim != ndim || memcmp (other, shape, (gsize) ndim * sizeof *shape) != 0)
        {
          refuse_shape (error);
          return NULL;
        }
    }
  self = reel_spec_alloc (&reel_choice_spec_kind, REEL_DTYPE_BOOL, ndim, shape, error);
  if (!self)
    return NULL;
  self->n = n;
  self->values = g_new0 (ReelNonTensor *, n);
  for (gsize i = 0; i < n; i++)
    self->values[i] = reel_non_tensor_ref (choices[i]);
  return reel_spec_finish (self, error);
}

static void
clear (ReelSpec *spec)
{
  ReelChoiceSpec *self = (ReelChoiceSpec *) spec;

  for (gsize i = 0; i < self->n; i++)
    {
      if (self->specs)
        g_clear_pointer (&self->specs[i], reel_spec_unref);
      if (self->values)
        g_clear_pointer (&self->values[i], reel_non_tensor_unref);
    }
  g_free (self->specs);
  g_free (self->values);
}

gboolean
reel_choice_spec_is_of_non_tensors (const ReelSpec *spec)
{
  return spec->kind == &reel_choice_spec_kind && choice (spec)->values;
}

gsize
reel_choice_spec_get_n_choices (const ReelSpec *spec)
{
  g_return_val_if_fail (spec && spec->kind == &reel_choice_spec_kind, 0);

  return choice (spec)->n;
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  const ReelChoiceSpec *a = choice (spec);
  const ReelChoiceSpec *b = choice (other);

  if (other->kind != &reel_choice_spec_kind || a->n != b->n || !a->specs != !b->specs)
    return FALSE;
  for (gsize i = 0; i < a->n; i++)
    if (a->specs ? !reel_spec_equal (a->specs[i], b->specs[i])
                 : !reel_non_tensor_equal (a->values[i], b->values[i]))
      return FALSE;
  return TRUE;
}

/* ---- shapes ---- */

static ReelSpec *
change_specs (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  const ReelChoiceSpec *self = choice (spec);
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);

  for (gsize i = 0; i < self->n; i++)
    {
      ReelSpec *member = reel_spec_change (self->specs[i], change, error);

      if (!member)
        return NULL;
      g_ptr_array_add (changed, member);
    }
  return reel_choice_spec_new ((ReelSpec *const *) changed->pdata, changed->len, error);
}

static ReelSpec *
change_values (const ReelSpec *spec, const ReelSpecChange *change, GError **error)
{
  const ReelChoiceSpec *self = choice (spec);
  g_autoptr (GPtrArray) changed =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_non_tensor_unref);

  for (gsize i = 0; i < self->n; i++)
    {
      gint64 n;
      GVariant *const *values = reel_non_tensor_get_values (self->values[i], &n);
      g_autoptr (ReelTensor) which =
          reel_spec_change_parameter (reel_non_tensor_get_which (self->values[i]), change, error);
      ReelNonTensor *member =
          which ? reel_non_tensor_new_from_which (values, n, which, error) : NULL;

      if (!member)
        return NULL;
      g_ptr_array_add (changed, member);
    }
  return reel_choice_spec_new_from_non_tensors ((ReelNonTensor *const *) changed->pdata,
                                                changed->len, error);
}

static ReelSpec *
change (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  return choice (spec)->specs ? change_specs (spec, change, error)
                              : change_values (spec, change, error);
}

/* ---- text and forms ---- */

static char *
format_space (const ReelSpec *spec)
{
  return g_strdup ("None");
}

/* As JSON in a string: the text form has no objects that are no specs. */
static json_t *
describe_value (const ReelNonTensor *value)
{
  g_autoptr (GVariant) data = reel_non_tensor_dup_data (value);
  g_autoptr (json_t) json = json_object ();
  g_autofree char *text = NULL;

  json_object_set_new (json, reel_non_tensor_is_single (value) ? "data" : "list",
                       reel_variant_to_json (data));
  text = reel_json_to_string (json, REEL_JSON_COMPACT);
  return json_string (text);
}

static void
describe (const ReelSpec *spec, json_t *form)
{
  const ReelChoiceSpec *self = choice (spec);
  json_t *list = json_array ();

  for (gsize i = 0; i < self->n; i++)
    json_array_append_new (list, self->specs ? reel_spec_describe (self->specs[i])
                                             : describe_value (self->values[i]));
  json_object_set_new (form, self->specs ? "choices" : "values", list);
}

static ReelNonTensor *
read_value (ReelSpecForm *form, const json_t *string, GError **error)
{
  const char *text = json_is_string (string) ? json_string_value (string) : "";
  g_autoptr (json_t) json = json_loads (text, JSON_REJECT_DUPLICATES, NULL);
  const json_t *data = json_object_get (json, "data");
  const json_t *list = json_object_get (json, "list");
  g_autoptr (GVariant) value = NULL;

  if (!data && !list)
    {
      reel_spec_form_refuse (form, string, REEL_ERROR_VALUE, error,
                             "a value must be the JSON of an object with \"data\" or \"list\"");
      return NULL;
    }
  value = reel_variant_from_json (data ? data : list, error);
  if (!value)
    return NULL;
  return data ? reel_non_tensor_new (value, form->ndim, form->shape, error)
              : reel_non_tensor_new_from_list (value, form->ndim, error);
}

static ReelSpec *
values_from_form (ReelSpecForm *form, GError **error)
{
  const json_t *list = json_object_get (form->members, "values");
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_non_tensor_unref);

  if (!json_is_array (list))
    {
      reel_spec_form_refuse (form, list, REEL_ERROR_VALUE, error, "values must be a list");
      return NULL;
    }
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      ReelNonTensor *value = read_value (form, json_array_get (list, i), error);

      if (!value)
        return NULL;
      g_ptr_array_add (values, value);
    }
  return reel_choice_spec_new_from_non_tensors ((ReelNonTensor *const *) values->pdata, values->len,
                                                error);
}

static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  g_autoptr (GPtrArray) choices = NULL;
  g_autoptr (ReelSpec) spec = NULL;

  if (reel_spec_form_has (form, "values"))
    return values_from_form (form, error);
  choices = reel_spec_form_get_specs (form, "choices", error);
  if (!choices)
    return NULL;
  spec = reel_choice_spec_new ((ReelSpec *const *) choices->pdata, choices->len, error);
  if (!spec || !form->has_shape
      || (form->ndim == spec->ndim
          && memcmp (form->shape, spec->shape, (gsize) form->ndim * sizeof *form->shape) == 0))
    return g_steal_pointer (&spec);
  reel_spec_form_refuse (form, json_object_get (form->members, REEL_SPEC_FORM_SHAPE),
                         REEL_ERROR_VALUE, error, "the shape is not that of the choices");
  return NULL;
}

static const ReelSpecName other_names[] = {
  { "Choice", REEL_DTYPE_BOOL },
  { NULL },
};
static const char *const parameter_names[] = { "choices", "values", NULL };

const ReelSpecKind reel_choice_spec_kind = {
  .word = "choice",
  .other_names = other_names,
  .parameter_names = parameter_names,
  .without_dtype = TRUE,
  .class_name = "Choice",
  .size = sizeof (ReelChoiceSpec),
  .default_dtype = REEL_DTYPE_BOOL,
  .exact_shape = TRUE,
  .clear = clear,
  .change = change,
  .equal = equal,
  .check_draw = reel_choice_spec_check_draw,
  .draw = reel_choice_spec_draw,
  .find_outside = reel_choice_spec_find_outside,
  .cardinality = reel_choice_spec_cardinality,
  .enumerate = reel_choice_spec_enumerate,
  .format_space = format_space,
  .describe = describe,
  .from_form = from_form,
};
