/* Specs to forms, and to JSON. */
#include <string.h>

#include "../../core/object/number.h"
#include "../../core/object/object.h"
#include "../../core/tensor/tensor-private.h"
#include "../element.h"
#include "../parameter.h"
#include "../spec-form.h"
#include "../spec-text.h"

json_t *
reel_spec_form_from_word (const char *word)
{
  gsize sign = *word == '-' || *word == '+';
  gboolean digits = word[sign] && strspn (word + sign, "0123456789") == strlen (word + sign);
  gint64 integer;
  double real;

  if (reel_parse_int64 (word, G_MININT64, G_MAXINT64, &integer, NULL))
    return json_integer (integer);
  if (!digits && reel_parse_double (word, &real) && real - real == 0)
    return json_real (real);
  return json_string_nocheck (word);
}

/* ---- tensors ---- */

/* Whether every index along the first dimension holds what the first one holds. */
static gboolean
is_constant (ReelTensor *tensor)
{
  g_autoptr (ReelTensor) first = reel_tensor_select (tensor, 0, 0, NULL);

  for (gint64 i = 1; tensor->strides[0] != 0 && i < tensor->shape[0]; i++)
    {
      g_autoptr (ReelTensor) other = reel_tensor_select (tensor, 0, i, NULL);

      if (!reel_parameter_equal (first, other))
        return FALSE;
    }
  return TRUE;
}

static json_t *
nest (ReelTensor *tensor)
{
  json_t *list;

  if (tensor->ndim == 0)
    {
      g_autofree char *word = reel_element_format (tensor->dtype, tensor->data);
      return reel_spec_form_from_word (word);
    }
  list = json_array ();
  for (gint64 i = 0; i < tensor->shape[0]; i++)
    {
      g_autoptr (ReelTensor) inner = reel_tensor_select (tensor, 0, i, NULL);
      json_array_append_new (list, nest (inner));
    }
  return list;
}

static json_t *
nest_ones (gint ndim, const gint64 *shape)
{
  json_t *list;

  if (ndim == 0)
    return json_integer (1);
  list = json_array ();
  for (gint64 i = 0; i < shape[0]; i++)
    json_array_append_new (list, nest_ones (ndim - 1, shape + 1));
  return list;
}

/* Of a batch without elements, whose kept dimensions must be told: what its elements would be,
 * where it is a view of something, or ones. */
static json_t *
nest_empty (const ReelTensor *tensor, gint keep)
{
  const gint64 *shape = tensor->shape + tensor->ndim - keep;
  const gint64 *strides = tensor->strides + tensor->ndim - keep;
  gsize offset = (gsize) (tensor->data - (guint8 *) reel_memory_get_data (tensor->memory, NULL));
  g_autoptr (ReelTensor) kept = reel_tensor_new_from_memory (tensor->memory, offset, tensor->dtype,
                                                             keep, shape, strides, NULL);

  return kept ? nest (kept) : nest_ones (keep, shape);
}

json_t *
reel_spec_form_from_tensor (const ReelTensor *tensor, gint keep)
{
  g_autoptr (ReelTensor) rest = reel_tensor_ref ((ReelTensor *) tensor);

  if (reel_tensor_numel (tensor) == 0)
    return keep > 0 ? nest_empty (tensor, keep) : json_integer (1);
  while (rest->ndim > keep && is_constant (rest))
    {
      ReelTensor *first = reel_tensor_select (rest, 0, 0, NULL);

      reel_tensor_unref (rest);
      rest = first;
    }
  return nest (rest);
}

/* ---- specs ---- */

json_t *
reel_spec_describe (const ReelSpec *spec)
{
  json_t *form = json_object ();

  json_object_set_new (form, REEL_SPEC_FORM_KIND, json_string (spec->kind->word));
  if (spec->kind->describe)
    spec->kind->describe (spec, form);
  if (!spec->kind->without_dtype)
    json_object_set_new (form, REEL_SPEC_FORM_DTYPE, json_string (reel_dtype_name (spec->dtype)));
  if (!spec->kind->without_shape)
    json_object_set_new (form, REEL_SPEC_FORM_SHAPE, reel_json_new_shape (spec->ndim, spec->shape));
  return form;
}

/* jansson writes such keys as something that is no JSON. */
static gboolean
has_utf8_keys (const ReelSpec *spec)
{
  g_autofree char *text = reel_spec_to_text (spec);

  return g_utf8_validate (text, -1, NULL);
}

char *
reel_spec_to_json (const ReelSpec *spec, GError **error)
{
  g_autoptr (json_t) form = NULL;

  g_return_val_if_fail (spec, NULL);

  if (!has_utf8_keys (spec))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the spec cannot be written as JSON: one of its keys is not UTF-8");
      return NULL;
    }
  form = reel_spec_describe (spec);
  return reel_json_to_string (form, REEL_JSON_COMPACT);
}
