#include "json-values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

json_t *
json_from_double (double value)
{
  if (isnan (value))
    return json_string ("nan");
  if (isinf (value))
    return json_string (value > 0 ? "inf" : "-inf");
  return json_real (value);
}

json_t *
json_count_or_null (gint64 count)
{
  return count >= 0 ? json_integer (count) : json_null ();
}

json_t *
json_string_or_null (const char *text)
{
  return text ? json_string (text) : json_null ();
}

static json_t *
from_integer (ReelDtype dtype, gconstpointer element)
{
  if (dtype == REEL_DTYPE_BOOL)
    return json_boolean (*(const guint8 *) element);
  if (dtype == REEL_DTYPE_INT64 || dtype == REEL_DTYPE_UINT64)
    {
      gint64 value;
      memcpy (&value, element, sizeof value);
      if (dtype == REEL_DTYPE_INT64 || value >= 0)
        return json_integer (value);
    }
  double value = reel_dtype_load_double (dtype, element);
  return dtype == REEL_DTYPE_UINT64 ? json_real (value) : json_integer ((json_int_t) value);
}

static json_t *
from_complex (ReelDtype dtype, const guint8 *element)
{
  ReelDtype part = dtype == REEL_DTYPE_COMPLEX32   ? REEL_DTYPE_FLOAT16
                   : dtype == REEL_DTYPE_COMPLEX64 ? REEL_DTYPE_FLOAT32
                                                   : REEL_DTYPE_FLOAT64;

  return json_pack ("[o, o]", json_from_element (part, element),
                    json_from_element (part, element + reel_dtype_size (part)));
}

json_t *
json_from_element (ReelDtype dtype, gconstpointer element)
{
  if (reel_dtype_is_complex (dtype))
    return from_complex (dtype, element);
  if (reel_dtype_is_float (dtype))
    return json_from_double (reel_dtype_load_double (dtype, element));
  return from_integer (dtype, element);
}

static json_t *
from_dimension (const ReelTensor *tensor, gint dim, const guint8 *data)
{
  if (dim == tensor->ndim)
    return json_from_element (tensor->dtype, data);
  json_t *list = json_array ();
  for (gint64 i = 0; i < tensor->shape[dim]; i++)
    json_array_append_new (list, from_dimension (tensor, dim + 1, data + i * tensor->strides[dim]));
  return list;
}

json_t *
json_from_tensor (const ReelTensor *tensor)
{
  return from_dimension (tensor, 0, tensor->data);
}

static void
print_value (json_t *value)
{
  char *text = json_dumps (value, JSON_COMPACT | JSON_ENCODE_ANY);

  fputs (text, stdout);
  free (text);
  json_decref (value);
}

static void
print_tensor (const ReelTensor *tensor)
{
  if (tensor->ndim == 0)
    {
      print_value (json_from_tensor (tensor));
      return;
    }
  putchar ('[');
  for (gint64 i = 0; i < tensor->shape[0] && !ferror (stdout); i++)
    {
      if (i > 0)
        putchar (',');
      print_value (
          from_dimension (tensor, 1, (const guint8 *) tensor->data + i * tensor->strides[0]));
    }
  putchar (']');
}

static json_t *
from_items (GVariant *list)
{
  json_t *array = json_array ();

  for (gsize i = 0; i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) item = g_variant_get_child_value (list, i);
      json_array_append_new (array, json_from_variant (item));
    }
  return array;
}

static json_t *
from_dict (GVariant *dict)
{
  json_t *object = json_object ();

  for (gsize i = 0; i < g_variant_n_children (dict); i++)
    {
      const char *key;
      g_autoptr (GVariant) value = NULL;

      g_variant_get_child (dict, i, "{&sv}", &key, &value);
      json_object_set_new (object, key, json_from_variant (value));
    }
  return object;
}

json_t *
json_from_variant (GVariant *value)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BOOLEAN: return json_boolean (g_variant_get_boolean (value));
    case G_VARIANT_CLASS_INT64: return json_integer (g_variant_get_int64 (value));
    case G_VARIANT_CLASS_DOUBLE: return json_from_double (g_variant_get_double (value));
    case G_VARIANT_CLASS_STRING: return json_string (g_variant_get_string (value, NULL));
    case G_VARIANT_CLASS_MAYBE: return json_null ();
    case G_VARIANT_CLASS_VARIANT:
      {
        g_autoptr (GVariant) inner = g_variant_get_variant (value);
        return json_from_variant (inner);
      }
    case G_VARIANT_CLASS_ARRAY:
      if (g_variant_is_of_type (value, G_VARIANT_TYPE ("a{sv}")))
        return from_dict (value);
      return from_items (value);
    default: return from_items (value);
    }
}

static void print_td (const ReelTensordict *td);

static void
print_level (const ReelTensordict *td)
{
  ReelTensordictIter iter;
  const char *key, *separator = "";
  ReelTensor *tensor;
  ReelTensordict *child;

  putchar ('{');
  reel_tensordict_iter_init (&iter, td);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    {
      fputs (separator, stdout);
      print_value (json_string (key));
      putchar (':');
      if (tensor)
        print_tensor (tensor);
      else if (child)
        print_td (child);
      else
        {
          g_autoptr (GVariant) value =
              reel_non_tensor_to_list (reel_tensordict_iter_get_non_tensor (&iter));
          print_value (json_from_variant (value));
        }
      separator = ",";
    }
  putchar ('}');
}

/* A lazy stack is a list of what it stacks: these may differ. */
static void
print_td (const ReelTensordict *td)
{
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (td, &n);

  if (!elements)
    {
      print_level (td);
      return;
    }
  putchar ('[');
  for (gsize i = 0; i < n && !ferror (stdout); i++)
    {
      if (i > 0)
        putchar (',');
      print_td (elements[i]);
    }
  putchar (']');
}

void
json_print_tensordict (const ReelTensordict *td)
{
  print_td (td);
  putchar ('\n');
}

char *
json_take_text (json_t *value)
{
  char *text = json_dumps (value, JSON_ENCODE_ANY);
  char *copy = g_strdup (text);
  free (text);
  json_decref (value);
  return copy;
}

void
json_print (json_t *value)
{
  char *text = json_dumps (value, JSON_COMPACT);
  printf ("%s\n", text);
  free (text);
  json_decref (value);
}
