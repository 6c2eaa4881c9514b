#include "non-tensor-spec.h"

#include <string.h>

#include "../../core/tensordict/variant.h"
#include "choice-private.h"
#include "../spec-change.h"
#include "../spec-form.h"

typedef struct
{
  ReelSpec head;

  GVariant *example;
  gboolean batched;
  gint feature_dims;
} NonTensorSpec;

static const NonTensorSpec *
non_tensor (const ReelSpec *spec)
{
  return (const NonTensorSpec *) spec;
}

/* ---- making one ---- */

ReelSpec *
reel_non_tensor_spec_new (GVariant *example, gboolean batched, gint feature_dims, gint ndim,
                          const gint64 *shape, GError **error)
{
  g_autoptr (GVariant) given = example ? g_variant_ref_sink (example) : reel_variant_new_none ();
  NonTensorSpec *self;

  if (batched && feature_dims != REEL_SPEC_ALL_DIMS)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Cannot specify both batched and feature_dims.");
      return NULL;
    }
  if (feature_dims < REEL_SPEC_ALL_DIMS)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "feature_dims cannot be %d: it must not be negative", feature_dims);
      return NULL;
    }
  self = reel_spec_alloc (&reel_non_tensor_spec_kind, REEL_DTYPE_BOOL, ndim, shape, error);
  if (!self)
    return NULL;
  self->batched = batched;
  self->feature_dims = feature_dims == REEL_SPEC_ALL_DIMS ? ndim : feature_dims;
  self->example = reel_variant_canonical (given, error);
  if (self->example)
    return reel_spec_finish (self, error);
  reel_spec_unref (&self->head);
  return NULL;
}

static void
clear (ReelSpec *spec)
{
  g_clear_pointer (&((NonTensorSpec *) spec)->example, g_variant_unref);
}

static void
copy (const ReelSpec *spec, ReelSpec *copy)
{
  NonTensorSpec *self = (NonTensorSpec *) copy;

  self->example = g_variant_ref (non_tensor (spec)->example);
  self->batched = non_tensor (spec)->batched;
  self->feature_dims = non_tensor (spec)->feature_dims;
}

static ReelSpec *
widen (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  ReelTensor *const none[REEL_SPEC_N_PARAMETERS] = { NULL };

  return reel_spec_changed (spec, ndim, shape, none, error);
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  return other->kind == &reel_non_tensor_spec_kind
         && g_variant_equal (non_tensor (spec)->example, non_tensor (other)->example);
}

GVariant *
reel_spec_get_example (const ReelSpec *spec)
{
  g_return_val_if_fail (spec && spec->kind == &reel_non_tensor_spec_kind, NULL);

  return non_tensor (spec)->example;
}

gboolean
reel_spec_is_non_tensor (const ReelSpec *spec)
{
  g_return_val_if_fail (spec, FALSE);

  return spec->kind == &reel_non_tensor_spec_kind || reel_choice_spec_is_of_non_tensors (spec);
}

/* ---- values ---- */

/* Zeros over @ndim dimensions, the last @n_shared of which are expanded. */
static ReelTensor *
share (gint ndim, const gint64 *shape, gint n_shared, GError **error)
{
  gint64 ones[2 * REEL_MAX_NDIM];
  g_autoptr (ReelTensor) which = NULL;

  for (gint i = 0; i < ndim; i++)
    ones[i] = i < ndim - n_shared ? shape[i] : 1;
  which = reel_tensor_new (REEL_DTYPE_INT64, ndim, ones, error);
  if (!which || n_shared == 0)
    return g_steal_pointer (&which);
  return reel_tensor_expand (which, ndim, shape, error);
}

static ReelNonTensor *
make (const ReelSpec *spec, GVariant *value, gint ndim, const gint64 *shape, GError **error)
{
  const NonTensorSpec *self = non_tensor (spec);
  gint64 extents[2 * REEL_MAX_NDIM];
  gint n = reel_spec_batch_shape (spec, ndim, shape, extents);
  g_autoptr (ReelTensor) which = NULL;

  if (!self->batched && (self->feature_dims == 0 || self->feature_dims >= n))
    return reel_non_tensor_new (value, n, extents, error);
  which = share (n, extents, self->batched ? 0 : self->feature_dims, error);
  return which ? reel_non_tensor_new_from_which (&value, 1, which, error) : NULL;
}

ReelNonTensor *
reel_spec_zero_non_tensor (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  g_return_val_if_fail (spec && reel_spec_is_non_tensor (spec), NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  if (spec->kind == &reel_non_tensor_spec_kind)
    return make (spec, non_tensor (spec)->example, ndim, shape, error);
  return reel_choice_spec_repeat (spec, 0, ndim, shape, error);
}

ReelNonTensor *
reel_spec_one_non_tensor (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  g_return_val_if_fail (spec && reel_spec_is_non_tensor (spec), NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  if (spec->kind == &reel_non_tensor_spec_kind)
    return make (spec, non_tensor (spec)->example, ndim, shape, error);
  return reel_choice_spec_repeat (spec, 1, ndim, shape, error);
}

ReelNonTensor *
reel_spec_rand_non_tensor (const ReelSpec *spec, guint64 seed, gint64 step, gint ndim,
                           const gint64 *shape, GError **error)
{
  g_return_val_if_fail (spec && reel_spec_is_non_tensor (spec), NULL);
  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  if (spec->kind == &reel_non_tensor_spec_kind)
    return make (spec, non_tensor (spec)->example, ndim, shape, error);
  return reel_choice_spec_draw_non_tensor (spec, reel_random_key (seed, step), ndim, shape, error);
}

ReelNonTensor *
reel_spec_encode_non_tensor (const ReelSpec *spec, GVariant *raw, GError **error)
{
  g_autoptr (GVariant) value = raw ? g_variant_ref_sink (raw) : reel_variant_new_none ();

  g_return_val_if_fail (spec && spec->kind == &reel_non_tensor_spec_kind, NULL);

  return make (spec, value, 0, NULL, error);
}

static gboolean
fits (const ReelSpec *spec, gint ndim, const gint64 *shape)
{
  for (gint i = 1; i <= MIN (ndim, spec->ndim); i++)
    {
      gint64 extent = spec->shape[spec->ndim - i];

      if (extent != -1 && extent != 1 && extent != shape[ndim - i])
        return FALSE;
    }
  return ndim >= spec->ndim;
}

gboolean
reel_spec_is_in_non_tensor (const ReelSpec *spec, const ReelNonTensor *value, GError **error)
{
  gint ndim;
  const gint64 *shape;
  g_autofree char *has = NULL;
  g_autofree char *wants = NULL;

  g_return_val_if_fail (spec && reel_spec_is_non_tensor (spec), FALSE);
  g_return_val_if_fail (value, FALSE);

  shape = reel_non_tensor_get_batch_size (value, &ndim);
  if (fits (spec, ndim, shape))
    return spec->kind == &reel_non_tensor_spec_kind
           || reel_choice_spec_is_in_non_tensor (spec, value, error);
  has = reel_spec_format_shape (ndim, shape, ", ");
  wants = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "shape %s does not end in %s", has, wants);
  return FALSE;
}

/* ---- text and forms ---- */

static char *
format_space (const ReelSpec *spec)
{
  return g_strdup ("None");
}

static void
append_repr (const ReelSpec *spec, GString *text)
{
  g_autoptr (GString) example = g_string_new (NULL);

  reel_variant_append_str (example, non_tensor (spec)->example);
  g_string_replace (example, "\n", "\n    ", 0);
  g_string_append_printf (text, ",\n    example_data=%s", example->str);
}

/* As JSON in a string: the text form has no objects that are no specs. */
static void
describe (const ReelSpec *spec, json_t *form)
{
  const NonTensorSpec *self = non_tensor (spec);
  g_autoptr (json_t) example = reel_variant_to_json (self->example);
  g_autofree char *text = reel_json_to_string (example, REEL_JSON_COMPACT);

  if (!reel_variant_is_none (self->example))
    json_object_set_new (form, "example", json_string (text));
  if (self->batched)
    json_object_set_new (form, "batched", json_integer (1));
  else if (self->feature_dims != spec->ndim)
    json_object_set_new (form, "feature-dims", json_integer (self->feature_dims));
}

/* A string holds JSON; what is no string stands for itself. */
static gboolean
read_example (ReelSpecForm *form, GVariant **example, GError **error)
{
  const json_t *member = json_object_get (form->members, "example");
  g_autoptr (json_t) json = NULL;
  json_error_t fault;

  if (json_is_string (member))
    {
      json =
          json_loads (json_string_value (member), JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &fault);
      if (!json)
        {
          reel_spec_form_refuse (form, member, REEL_ERROR_VALUE, error,
                                 "the example %s is not JSON: %s", json_string_value (member),
                                 fault.text);
          return FALSE;
        }
      member = json;
    }
  *example = member ? reel_variant_from_json (member, error) : NULL;
  return !member || *example;
}

static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  static const gint64 usual[] = { 1 };
  g_autoptr (GVariant) example = NULL;
  gint64 batched = 0, feature_dims = REEL_SPEC_ALL_DIMS;

  if (!read_example (form, &example, error))
    return NULL;
  if (reel_spec_form_has (form, "batched")
      && !reel_spec_form_get_int64 (form, "batched", &batched, error))
    return NULL;
  if (reel_spec_form_has (form, "feature-dims")
      && !reel_spec_form_get_int64 (form, "feature-dims", &feature_dims, error))
    return NULL;
  feature_dims = CLAMP (feature_dims, G_MININT, G_MAXINT);
  return reel_non_tensor_spec_new (example, batched != 0, (gint) feature_dims,
                                   form->has_shape ? form->ndim : 1,
                                   form->has_shape ? form->shape : usual, error);
}

static const ReelSpecName other_names[] = {
  { "NonTensor", REEL_DTYPE_BOOL },
  { "NonTensorSpec", REEL_DTYPE_BOOL },
  { NULL },
};
static const char *const parameter_names[] = { "example", "batched", "feature-dims", NULL };

const ReelSpecKind reel_non_tensor_spec_kind = {
  .word = "non-tensor",
  .other_names = other_names,
  .parameter_names = parameter_names,
  .without_dtype = TRUE,
  .class_name = "NonTensor",
  .size = sizeof (NonTensorSpec),
  .default_dtype = REEL_DTYPE_BOOL,
  .clear = clear,
  .copy = copy,
  .widen = widen,
  .equal = equal,
  .format_space = format_space,
  .append_repr = append_repr,
  .describe = describe,
  .from_form = from_form,
};
