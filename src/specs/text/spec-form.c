/* Forms to specs. */
#include "../spec-form.h"

#include <math.h>
#include <string.h>

#include "../../core/object/number.h"
#include "../../core/object/object.h"
#include "../element.h"
#include "../spec-text.h"

/* ---- kinds ---- */

static const ReelSpecKind *const kinds[] = {
  &reel_bounded_spec_kind,   &reel_unbounded_spec_kind,         &reel_categorical_spec_kind,
  &reel_one_hot_spec_kind,   &reel_multi_categorical_spec_kind, &reel_multi_one_hot_spec_kind,
  &reel_binary_spec_kind,    &reel_non_tensor_spec_kind,        &reel_choice_spec_kind,
  &reel_composite_spec_kind, &reel_stacked_spec_kind,           &reel_stacked_composite_spec_kind,
};

const ReelSpecKind *const *
reel_spec_list_kinds (gsize *n)
{
  *n = G_N_ELEMENTS (kinds);
  return kinds;
}

const ReelSpecKind *
reel_spec_find_kind (const char *word, ReelDtype *dtype)
{
  g_autofree char *own = g_strdelimit (g_strdup (word), "_", '-');

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const ReelSpecName *name = kinds[i]->other_names;

      while (name->name && !g_str_equal (name->name, word))
        name++;
      if (!name->name && !g_str_equal (kinds[i]->word, own))
        continue;
      if (dtype)
        *dtype = name->name ? name->dtype : kinds[i]->default_dtype;
      return kinds[i];
    }
  return NULL;
}

/* All that stands for a kind, own words first. */
static const char **
list_words (void)
{
  GPtrArray *words = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    g_ptr_array_add (words, (gpointer) kinds[i]->word);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    for (const ReelSpecName *name = kinds[i]->other_names; name->name; name++)
      g_ptr_array_add (words, (gpointer) name->name);
  g_ptr_array_add (words, NULL);
  return (const char **) g_ptr_array_free (words, FALSE);
}

/* ---- faults ---- */

static char *
format_place (const ReelSpecForm *form, const json_t *value)
{
  gsize at = 0;

  if (form->source->places)
    {
      at = GPOINTER_TO_SIZE (g_hash_table_lookup (form->source->places, value));
      if (at == 0)
        at = GPOINTER_TO_SIZE (g_hash_table_lookup (form->source->places, form->members));
    }
  if (at > 0)
    return reel_spec_format_place (form->source->text, at - 1);
  return *form->path ? g_strdup_printf ("\"%s\": ", form->path) : g_strdup ("");
}

void
reel_spec_form_refuse (ReelSpecForm *form, const json_t *value, ReelError code, GError **error,
                       const char *format, ...)
{
  g_autofree char *place = format_place (form, value);
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, REEL_ERROR, code, "%s%s", place, message);
  form->placed = TRUE;
}

/* The form of other specs. */
static void
place (ReelSpecForm *form, GError **error)
{
  g_autofree char *prefix = format_place (form, form->members);

  if (!form->placed)
    g_prefix_error (error, "%s", prefix);
  form->placed = TRUE;
}

/* A parameter that is not what it must be. */
static gboolean
refuse (ReelSpecForm *form, const char *name, const char *expected, GError **error)
{
  json_t *value = json_object_get (form->members, name);
  g_autofree char *found = reel_json_describe (value);

  if (value)
    reel_spec_form_refuse (form, value, REEL_ERROR_VALUE, error, "%s must be %s, found %s", name,
                           expected, found);
  else
    reel_spec_form_refuse (form, NULL, REEL_ERROR_VALUE, error, "%s must have %s, which is %s",
                           form->kind->word, name, expected);
  return FALSE;
}

/* ---- parameters ---- */

gboolean
reel_spec_form_has (const ReelSpecForm *form, const char *name)
{
  return json_object_get (form->members, name) != NULL;
}

gboolean
reel_spec_form_get_int64 (ReelSpecForm *form, const char *name, gint64 *value, GError **error)
{
  const json_t *member = json_object_get (form->members, name);

  *value = json_integer_value (member);
  return json_is_integer (member) || refuse (form, name, "an integer", error);
}

const char *
reel_spec_form_get_string (ReelSpecForm *form, const char *name, GError **error)
{
  const json_t *member = json_object_get (form->members, name);

  if (!json_is_string (member))
    refuse (form, name, "a word or 'quoted'", error);
  return json_string_value (member);
}

static gboolean
store_integer (const json_t *value, ReelDtype dtype, guint8 *element)
{
  const char *word = json_string_value (value);
  ReelInteger integer = json_integer_value (value), low, high;
  guint64 large;

  if (json_is_boolean (value))
    integer = json_is_true (value);
  else if (word && g_ascii_string_to_unsigned (word, 10, 0, G_MAXUINT64, &large, NULL))
    integer = large;
  else if (!json_is_integer (value))
    return FALSE;
  reel_element_limits (dtype, &low, &high);
  reel_element_store_integer (dtype, element, integer);
  return integer >= low && integer <= high;
}

static gboolean
store_real (const json_t *value, ReelDtype dtype, guint8 *element)
{
  double real = json_number_value (value);

  if (!json_is_number (value)
      && !(json_is_string (value) && reel_parse_double (json_string_value (value), &real)))
    return FALSE;
  reel_dtype_store_double (dtype, element, real);
  return TRUE;
}

/* Fills @tensor, contiguous, with what has its very shape. */
static gboolean
store (const json_t *value, ReelTensor *tensor, gint dim, guint8 **element)
{
  gboolean stored;

  if (dim < tensor->ndim)
    {
      if (!json_is_array (value) || (gint64) json_array_size (value) != tensor->shape[dim])
        return FALSE;
      for (gsize i = 0; i < json_array_size (value); i++)
        if (!store (json_array_get (value, i), tensor, dim + 1, element))
          return FALSE;
      return TRUE;
    }
  stored = reel_element_is_integer (tensor->dtype) ? store_integer (value, tensor->dtype, *element)
                                                   : store_real (value, tensor->dtype, *element);
  *element += reel_dtype_size (tensor->dtype);
  return stored;
}

/* %NULL where it cannot be read as @dtype. */
static ReelTensor *
get_tensor (const ReelSpecForm *form, const char *name, ReelDtype dtype)
{
  const json_t *value = json_object_get (form->members, name), *inner = value;
  g_autoptr (ReelTensor) tensor = NULL;
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = 0;
  guint8 *element;

  for (; json_is_array (inner) && ndim < REEL_MAX_NDIM; inner = json_array_get (inner, 0))
    shape[ndim++] = (gint64) json_array_size (inner);
  tensor = reel_tensor_new (dtype, ndim, shape, NULL);
  element = tensor ? tensor->data : NULL;
  return tensor && store (value, tensor, 0, &element) ? g_steal_pointer (&tensor) : NULL;
}

static const char numbers[] = "or nested lists of such, all as long as their neighbours";

ReelTensor *
reel_spec_form_get_tensor (ReelSpecForm *form, const char *name, ReelDtype dtype, GError **error)
{
  ReelTensor *tensor = get_tensor (form, name, dtype);
  g_autofree char *expected = g_strdup_printf ("a %s, %s", reel_dtype_name (dtype), numbers);

  if (!tensor)
    refuse (form, name, expected, error);
  return tensor;
}

ReelTensor *
reel_spec_form_get_numbers (ReelSpecForm *form, const char *name, GError **error)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_INT64, REEL_DTYPE_UINT64, REEL_DTYPE_FLOAT64 };
  g_autofree char *expected = g_strdup_printf ("a number, %s", numbers);

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      ReelTensor *tensor = get_tensor (form, name, dtypes[i]);

      if (tensor)
        return tensor;
    }
  refuse (form, name, expected, error);
  return NULL;
}

/* ---- specs within specs ---- */

static ReelSpec *read_form (json_t *members, const ReelSpecSource *source, const char *path,
                            gint depth, GError **error);

ReelSpec *
reel_spec_form_read_member (ReelSpecForm *form, const char *key, json_t *member, GError **error)
{
  g_autofree char *escaped = reel_path_escape (key);
  g_autofree char *path = g_strconcat (form->path, *form->path ? "/" : "", escaped, NULL);
  ReelSpec *spec = NULL;

  if (!json_is_object (member))
    {
      g_autofree char *found = reel_json_describe (member);
      reel_spec_form_refuse (form, member, REEL_ERROR_VALUE, error,
                             "\"%s\" must be a spec, found %s", key, found);
    }
  else
    spec = read_form (member, form->source, path, form->depth + 1, error);
  form->placed |= !spec;
  return spec;
}

GPtrArray *
reel_spec_form_get_specs (ReelSpecForm *form, const char *name, GError **error)
{
  const json_t *list = json_object_get (form->members, name);
  g_autoptr (GPtrArray) specs = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);

  if (!json_is_array (list))
    {
      refuse (form, name, "a list of specs", error);
      return NULL;
    }
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      g_autofree char *key = g_strdup_printf ("%" G_GSIZE_FORMAT, i);
      ReelSpec *spec = reel_spec_form_read_member (form, key, json_array_get (list, i), error);

      if (!spec)
        return NULL;
      g_ptr_array_add (specs, spec);
    }
  return g_steal_pointer (&specs);
}

/* ---- the whole ---- */

static gboolean
read_kind (ReelSpecForm *form, GError **error)
{
  const char *word = json_string_value (json_object_get (form->members, REEL_SPEC_FORM_KIND));
  g_autofree const char **words = list_words ();
  const char *meant;

  if (!word)
    {
      reel_spec_form_refuse (form, NULL, REEL_ERROR_VALUE, error,
                             "a spec must have a \"kind\", such as \"bounded\"");
      return FALSE;
    }
  form->kind = reel_spec_find_kind (word, &form->dtype);
  if (form->kind)
    return TRUE;
  meant = reel_closest_word (word, words);
  reel_spec_form_refuse (form, NULL, REEL_ERROR_KEY, error, "there is no kind of spec \"%s\"%s%s%s",
                         word, meant ? "; did you mean \"" : "", meant ? meant : "",
                         meant ? "\"?" : "");
  return FALSE;
}

/* The arguments of a kind, in an order that suits messages. */
static const char **
list_parameters (const ReelSpecKind *kind)
{
  GPtrArray *names = g_ptr_array_new ();

  for (const char *const *name = kind->parameter_names; name && *name; name++)
    g_ptr_array_add (names, (gpointer) *name);
  if (!kind->without_dtype)
    g_ptr_array_add (names, REEL_SPEC_FORM_DTYPE);
  if (!kind->without_shape)
    g_ptr_array_add (names, REEL_SPEC_FORM_SHAPE);
  g_ptr_array_add (names, NULL);
  return (const char **) g_ptr_array_free (names, FALSE);
}

static gboolean
check_names (ReelSpecForm *form, GError **error)
{
  g_autofree const char **names = list_parameters (form->kind);
  g_autofree char *joined = g_strjoinv (", ", (char **) names);
  const char *name, *meant;
  json_t *value;

  json_object_foreach (form->members, name, value)
  {
    if (g_str_equal (name, REEL_SPEC_FORM_KIND) || g_strv_contains (names, name))
      continue;
    meant = reel_closest_word (name, names);
    if (g_str_equal (name, REEL_SPEC_FORM_SPECS))
      reel_spec_form_refuse (form, value, REEL_ERROR_KEY, error, "%s is made of no other specs",
                             form->kind->word);
    else
      reel_spec_form_refuse (form, value, REEL_ERROR_KEY, error, "%s has no %s; %s %s%s",
                             form->kind->word, name, meant ? "did you mean" : "it has",
                             meant ? meant : joined, meant ? "?" : "");
    return FALSE;
  }
  return TRUE;
}

static gboolean
read_dtype (ReelSpecForm *form, GError **error)
{
  const json_t *value = json_object_get (form->members, REEL_SPEC_FORM_DTYPE);
  const char *name = json_string_value (value);
  g_autoptr (GError) local = NULL;

  if (!value)
    return TRUE;
  if (!name)
    return refuse (form, REEL_SPEC_FORM_DTYPE, "the name of an element type", error);
  if (reel_dtype_from_name (name, &form->dtype, &local))
    return TRUE;
  reel_spec_form_refuse (form, value, REEL_ERROR_TYPE, error, "%s", local->message);
  return FALSE;
}

static gboolean
read_shape (ReelSpecForm *form, GError **error)
{
  const json_t *value = json_object_get (form->members, REEL_SPEC_FORM_SHAPE);
  gsize n = json_is_array (value) ? json_array_size (value) : 1;

  if (!value)
    return TRUE;
  for (gsize i = 0; i < n; i++)
    {
      const json_t *extent = json_is_array (value) ? json_array_get (value, i) : value;

      if (!json_is_integer (extent) || n > REEL_MAX_NDIM)
        return refuse (form, REEL_SPEC_FORM_SHAPE,
                       "a list of at most " G_STRINGIFY (REEL_MAX_NDIM) " integers", error);
      form->shape[i] = json_integer_value (extent);
    }
  form->has_shape = TRUE;
  form->ndim = (gint) n;
  return TRUE;
}

static ReelSpec *
read_form (json_t *members, const ReelSpecSource *source, const char *path, gint depth,
           GError **error)
{
  ReelSpecForm form = { .members = members, .source = source, .path = path, .depth = depth };
  ReelSpec *spec = NULL;

  if (depth > REEL_SPEC_MAX_DEPTH)
    reel_spec_form_refuse (
        &form, NULL, REEL_ERROR_VALUE, error,
        "more than " G_STRINGIFY (REEL_SPEC_MAX_DEPTH) " specs within each other");
  else if (read_kind (&form, error) && check_names (&form, error) && read_dtype (&form, error)
           && read_shape (&form, error))
    spec = form.kind->from_form (&form, error);
  if (!spec)
    place (&form, error);
  return spec;
}

ReelSpec *
reel_spec_read_form (json_t *form, const ReelSpecSource *source, GError **error)
{
  return read_form (form, source, "", 1, error);
}

ReelSpec *
reel_spec_new_from_json (const char *json, GError **error)
{
  g_autoptr (json_t) form = NULL;

  g_return_val_if_fail (json, NULL);

  form = reel_json_parse ("spec", json, strlen (json), error);
  return form ? reel_spec_read_form (form, &(ReelSpecSource){ 0 }, error) : NULL;
}
