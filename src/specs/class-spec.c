#include "class-spec.h"

#include <string.h>

#include "parameter.h"
#include "spec-classes.h"
#include "spec-form.h"

const ReelClassSpec *
reel_class_spec (const ReelSpec *spec)
{
  return (const ReelClassSpec *) spec;
}

static gboolean
is_multi (const ReelSpec *spec)
{
  return spec->parameters[REEL_SPEC_NVEC] != NULL;
}

/* ---- making one ---- */

gboolean
reel_class_spec_check_kind (const ReelSpec *spec, ReelError code, const char *what, GError **error)
{
  if (spec->kind->classes != REEL_SPEC_CLASSES_NONE)
    return TRUE;
  g_set_error (error, REEL_ERROR, (gint) code, "a %s spec has no %s", reel_spec_class_name (spec),
               what);
  return FALSE;
}

gboolean
reel_class_spec_check (const char *word, gint64 n, ReelDtype dtype, gint64 highest, GError **error)
{
  ReelInteger low, high;

  if (n < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s spec cannot have %" G_GINT64_FORMAT " values: it must have at least 1",
                   word, n);
      return FALSE;
    }
  if (!reel_element_is_integer (dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s spec cannot be %s: it must be bool or an integer type", word,
                   reel_dtype_name (dtype));
      return FALSE;
    }
  reel_element_limits (dtype, &low, &high);
  if (highest > high)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s spec of %" G_GINT64_FORMAT
                   " values cannot be %s: it must hold %" G_GINT64_FORMAT,
                   word, n, reel_dtype_name (dtype), highest);
      return FALSE;
    }
  return TRUE;
}

/* A batch without places holds no numbers: it keeps those that its places would have, @sizes of
 * what it was made of. */
static gboolean
keep_sizes (ReelClassSpec *self, GError **error)
{
  g_autofree gint64 *sizes = g_steal_pointer (&self->sizes);
  ReelTensor **nvec = &self->head.parameters[REEL_SPEC_NVEC];
  g_autoptr (ReelTensor) row = NULL;
  ReelTensor *kept;

  if (!sizes || !*nvec || reel_tensor_numel (*nvec) > 0)
    return TRUE;
  row = reel_tensor_new (REEL_DTYPE_INT64, 1, &self->n_components, error);
  if (!row)
    return FALSE;
  memcpy (row->data, sizes, reel_tensor_nbytes (row));
  kept = reel_tensor_expand (row, (*nvec)->ndim, (*nvec)->shape, error);
  if (!kept)
    return FALSE;
  reel_tensor_unref (*nvec);
  *nvec = kept;
  return TRUE;
}

/* The number of classes of each component of each place, those that only repeat left out. */
static ReelTensor *
get_nvec (const ReelSpec *spec, GError **error)
{
  const ReelTensor *nvec = spec->parameters[REEL_SPEC_NVEC];
  gint64 n = reel_class_spec_get_n (spec);
  ReelTensor *scalar;

  if (nvec)
    return reel_parameter_tail (nvec, reel_parameter_n_repeated (nvec, nvec->ndim - 1), error);
  scalar = reel_tensor_new (REEL_DTYPE_INT64, 1, (const gint64[]){ 1 }, error);
  if (scalar)
    memcpy (scalar->data, &n, sizeof n);
  return scalar;
}

static void
set_sizes (ReelClassSpec *self, const ReelTensor *nvec)
{
  const gint64 *sizes = (const gint64 *) (gpointer) nvec->data;
  gint64 numel = reel_tensor_numel (nvec);
  gint64 k = nvec->shape[nvec->ndim - 1];

  self->n_components = k;
  self->sizes = g_new0 (gint64, k + 1);
  self->offsets = g_new0 (gint64, k + 1);
  self->alike = TRUE;
  for (gint64 i = 0; i < numel; i++)
    if (i < k)
      self->sizes[i] = sizes[i];
    else
      self->alike = self->alike && sizes[i] == sizes[i - k];
  for (gint64 i = 0; i < k; i++)
    if (__builtin_add_overflow (self->offsets[i], self->sizes[i], &self->offsets[i + 1]))
      self->offsets[i + 1] = G_MAXINT64;
}

/* Where the number of classes is not known any integer will do. */
static gboolean
set_bounds (ReelClassSpec *self, const ReelTensor *nvec, GError **error)
{
  ReelDtype dtype = self->head.dtype;
  gsize size = reel_dtype_size (dtype);
  g_autoptr (ReelTensor) low = reel_tensor_new (dtype, nvec->ndim, nvec->shape, error);
  g_autoptr (ReelTensor) high =
      low ? reel_tensor_new (dtype, nvec->ndim, nvec->shape, error) : NULL;
  const gint64 *sizes = (const gint64 *) (gpointer) nvec->data;
  ReelInteger least, most;

  if (!high)
    return FALSE;
  reel_element_limits (dtype, &least, &most);
  for (gsize i = 0; i < (gsize) reel_tensor_numel (high); i++)
    {
      gboolean any = sizes[i] == -1 || self->n == -1;

      reel_element_store_integer (dtype, low->data + i * size, any ? least : 0);
      reel_element_store_integer (dtype, high->data + i * size, any ? most : sizes[i] - 1);
    }
  return reel_bounds_init (&self->bounds, low, high, error);
}

static gboolean
set_mask (ReelClassSpec *self, GError **error)
{
  const ReelTensor *mask = self->head.parameters[REEL_SPEC_MASK];
  g_autofree char *has = NULL;

  if (!mask)
    return TRUE;
  if (!self->alike)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Only homogeneous MultiDiscrete specs can be masked, got an nvec that differs "
                   "from row to row");
      return FALSE;
    }
  if (mask->shape[mask->ndim - 1] == self->offsets[self->n_components])
    return reel_mask_init (&self->mask, mask, self->n_components, self->sizes, error);
  has = reel_spec_format_shape (mask->ndim, mask->shape, ", ");
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Cannot expand mask to the desired shape: the mask has shape %s, but there are "
               "%" G_GINT64_FORMAT " classes",
               has, self->offsets[self->n_components]);
  return FALSE;
}

gboolean
reel_class_spec_prepare (ReelSpec *spec, GError **error)
{
  ReelClassSpec *self = (ReelClassSpec *) spec;
  g_autoptr (ReelTensor) nvec = keep_sizes (self, error) ? get_nvec (spec, error) : NULL;

  if (!nvec)
    return FALSE;
  set_sizes (self, nvec);
  if (spec->kind->classes == REEL_SPEC_CLASSES_INTEGERS && !set_bounds (self, nvec, error))
    return FALSE;
  return set_mask (self, error);
}

void
reel_class_spec_clear (ReelSpec *spec)
{
  ReelClassSpec *self = (ReelClassSpec *) spec;

  g_free (self->sizes);
  g_free (self->offsets);
  reel_mask_clear (&self->mask);
  reel_bounds_clear (&self->bounds);
}

void
reel_class_spec_copy (const ReelSpec *spec, ReelSpec *copy)
{
  const ReelClassSpec *from = reel_class_spec (spec);
  ReelClassSpec *to = (ReelClassSpec *) copy;

  to->n = from->n;
  to->provisional_n = from->provisional_n;
  to->remove_singleton = from->remove_singleton;
  to->n_components = from->n_components;
  to->sizes = g_memdup2 (from->sizes, (gsize) from->n_components * sizeof *from->sizes);
}

gboolean
reel_class_spec_equal (const ReelSpec *spec, const ReelSpec *other)
{
  gboolean same =
      spec->kind == other->kind
      || (spec->kind == &reel_categorical_spec_kind && other->kind == &reel_binary_spec_kind)
      || (spec->kind == &reel_binary_spec_kind && other->kind == &reel_categorical_spec_kind);

  return same && reel_class_spec (spec)->n == reel_class_spec (other)->n
         && reel_spec_equal_parameters (spec, other);
}

gint64
reel_class_spec_get_n (const ReelSpec *spec)
{
  const ReelClassSpec *self = reel_class_spec (spec);

  return self->n == -1 && self->provisional_n > 0 ? self->provisional_n : self->n;
}

/* ---- how many, and all of them ---- */

static gboolean
check_known (const ReelSpec *spec, GError **error)
{
  if (is_multi (spec) || reel_class_spec_get_n (spec) > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Undefined cardinality for %s: give it one with reel_spec_with_provisional_n()",
               reel_spec_class_name (spec));
  return FALSE;
}

static gboolean
check_alike (const ReelSpec *spec, const char *what, GError **error)
{
  if (!check_known (spec, error))
    return FALSE;
  if (!reel_class_spec (spec)->alike)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "Cannot %s on heterogeneous nvecs", what);
      return FALSE;
    }
  return TRUE;
}

gboolean
reel_class_spec_check_draw (const ReelSpec *spec, GError **error)
{
  if (is_multi (spec) || reel_class_spec_get_n (spec) > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Cannot generate random categorical samples for undefined cardinality (n=-1): give "
               "it one with reel_spec_with_provisional_n()");
  return FALSE;
}

gboolean
reel_class_spec_cardinality (const ReelSpec *spec, gint64 *n, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);

  if (!check_alike (spec, "count the values", error))
    return FALSE;
  *n = 1;
  for (gint64 i = 0; i < self->n_components; i++)
    if (__builtin_mul_overflow (*n, self->sizes[i], n))
      *n = G_MAXINT64;
  return TRUE;
}

/* How many classes component @i has, and (unless %NULL) which; those of a mask or all. */
static gint64
get_choices (const ReelClassSpec *self, gboolean use_mask, gint64 i, const gint64 **choices)
{
  gint64 n = self->sizes[i];

  *choices = use_mask && self->mask.n_rows > 0 ? reel_mask_get (&self->mask, i, &n) : NULL;
  return n;
}

static gint64
count_combinations (const ReelClassSpec *self, gboolean use_mask)
{
  gint64 n = 1;
  const gint64 *choices;

  for (gint64 i = 0; i < self->n_components; i++)
    if (__builtin_mul_overflow (n, get_choices (self, use_mask, i, &choices), &n))
      return G_MAXINT64;
  return n;
}

/* `[combinations, components]`, the last component fastest. */
static ReelTensor *
combine (const ReelClassSpec *self, gboolean use_mask, GError **error)
{
  gint64 shape[2] = { count_combinations (self, use_mask), self->n_components };
  ReelTensor *combinations = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, error);
  gint64 run = 1;

  for (gint64 i = self->n_components - 1; combinations && i >= 0; i--)
    {
      gint64 *class = (gint64 *) (gpointer) combinations->data + i;
      const gint64 *choices;
      gint64 n = get_choices (self, use_mask, i, &choices);

      for (gint64 row = 0; row < shape[0]; row++, class += self->n_components)
        {
          gint64 choice = row / run % n;
          *class = choices ? choices[choice] : choice;
        }
      run *= n;
    }
  return combinations;
}

static ReelTensor *
cast (const ReelTensor *classes, ReelDtype dtype, GError **error)
{
  ReelTensor *tensor = reel_tensor_new (dtype, classes->ndim, classes->shape, error);

  for (gsize i = 0; tensor && i < (gsize) reel_tensor_numel (tensor); i++)
    reel_element_cast (classes->dtype, classes->data + i * sizeof (gint64), dtype,
                       tensor->data + i * reel_dtype_size (dtype));
  return tensor;
}

/* Each of the values `[values, …]` in all places: `[values, *shape]`. */
static ReelTensor *
spread (const ReelSpec *spec, ReelTensor *values, GError **error)
{
  gboolean fixed = spec->kind->last == REEL_SPEC_LAST_FIXED;
  gint64 extents[REEL_MAX_NDIM + 1];
  g_autoptr (ReelTensor) column = NULL;

  extents[0] = values->shape[0];
  for (gint i = 0; i < spec->ndim; i++)
    extents[i + 1] = fixed && i == spec->ndim - 1 ? spec->shape[i] : 1;
  if (spec->ndim == REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the values of a spec of %d dimensions cannot be stacked", spec->ndim);
      return NULL;
    }
  column = reel_tensor_view (values, spec->ndim + 1, extents, error);
  reel_spec_safe_shape (spec, extents + 1);
  return column ? reel_tensor_expand (column, spec->ndim + 1, extents, error) : NULL;
}

ReelTensor *
reel_class_spec_enumerate (const ReelSpec *spec, gboolean use_mask, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gboolean vectors = spec->kind->classes == REEL_SPEC_CLASSES_VECTORS;
  g_autoptr (ReelTensor) classes = NULL;
  g_autoptr (ReelTensor) values = NULL;

  if (!check_alike (spec, "call enumerate", error))
    return NULL;
  if (use_mask && !reel_mask_is_uniform (&self->mask))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Cannot call enumerate with a mask that differs from row to row");
      return NULL;
    }
  classes = combine (self, use_mask, error);
  if (!classes)
    return NULL;
  if (vectors && !is_multi (spec))
    {
      ReelTensor *flat = reel_tensor_select (classes, 1, 0, NULL);
      reel_tensor_unref (classes);
      classes = flat;
    }
  values = vectors ? reel_class_spec_to_one_hot (spec, classes, spec->dtype, error)
                   : cast (classes, spec->dtype, error);
  return values ? spread (spec, values, error) : NULL;
}

/* ---- one-hot vectors ---- */

static ReelTensor *
new_vectors (const ReelSpec *spec, const ReelTensor *classes, ReelDtype dtype, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gint n_batch = classes->ndim - is_multi (spec);
  gint64 shape[REEL_MAX_NDIM + 1];

  if (n_batch < 0 || (is_multi (spec) && classes->shape[n_batch] != self->n_components))
    {
      g_autofree char *has = reel_spec_format_shape (classes->ndim, classes->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "classes of shape %s do not end in the %" G_GINT64_FORMAT
                   " components of the %s spec",
                   has, self->n_components, reel_spec_class_name (spec));
      return NULL;
    }
  for (gint i = 0; i < n_batch; i++)
    shape[i] = classes->shape[i];
  shape[n_batch] = self->offsets[self->n_components];
  return reel_tensor_new (dtype, n_batch + 1, shape, error);
}

static gboolean
set_hot (const ReelClassSpec *self, const ReelTensor *classes, gint64 i, ReelTensor *vectors,
         GError **error)
{
  gint64 component = i % self->n_components;
  gint64 vector = i / self->n_components * self->offsets[self->n_components];
  ReelInteger class = reel_element_load_integer (
      classes->dtype, classes->data + (gsize) i * reel_dtype_size (classes->dtype));

  if (class < 0 || class >= self->sizes[component])
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "class %" G_GINT64_FORMAT " is not in 0 to %" G_GINT64_FORMAT, (gint64) class,
                   self->sizes[component] - 1);
      return FALSE;
    }
  reel_element_store_integer (vectors->dtype,
                              vectors->data
                                  + (gsize) (vector + self->offsets[component] + (gint64) class)
                                        * reel_dtype_size (vectors->dtype),
                              1);
  return TRUE;
}

ReelTensor *
reel_class_spec_to_one_hot (const ReelSpec *spec, ReelTensor *classes, ReelDtype dtype,
                            GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  g_autoptr (ReelTensor) rows = NULL;
  g_autoptr (ReelTensor) vectors = NULL;

  if (!check_alike (spec, "make one-hot vectors", error))
    return NULL;
  if (!reel_element_is_integer (classes->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "classes cannot be %s: they are integers",
                   reel_dtype_name (classes->dtype));
      return NULL;
    }
  rows = reel_tensor_contiguous (classes, error);
  vectors = rows ? new_vectors (spec, rows, dtype, error) : NULL;
  for (gint64 i = 0; vectors && i < reel_tensor_numel (rows); i++)
    if (!set_hot (self, rows, i, vectors, error))
      return NULL;
  return g_steal_pointer (&vectors);
}

static ReelTensor *
new_classes (const ReelSpec *spec, const ReelTensor *vectors, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gint n_batch = vectors->ndim - 1;
  gint64 width = self->offsets[self->n_components];
  gint64 shape[REEL_MAX_NDIM];

  if (n_batch < 0 || vectors->shape[n_batch] != width)
    {
      g_autofree char *has = reel_spec_format_shape (vectors->ndim, vectors->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "vectors of shape %s do not end in the %" G_GINT64_FORMAT
                   " classes of the %s spec",
                   has, width, reel_spec_class_name (spec));
      return NULL;
    }
  memcpy (shape, vectors->shape, (gsize) n_batch * sizeof *shape);
  shape[n_batch] = self->n_components;
  return reel_tensor_new (REEL_DTYPE_INT64, n_batch + is_multi (spec), shape, error);
}

ReelTensor *
reel_class_spec_to_categorical (const ReelSpec *spec, ReelTensor *vectors, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  g_autoptr (ReelTensor) rows = reel_tensor_contiguous (vectors, error);
  ReelTensor *classes = rows ? new_classes (spec, rows, error) : NULL;
  gint64 k = self->n_components;
  gint64 *class = classes ? (gint64 *) (gpointer) classes->data : NULL;

  for (gint64 i = 0; classes && i < reel_tensor_numel (classes); i++)
    {
      gint64 at = i / k * self->offsets[k] + self->offsets[i % k];

      class[i] = reel_class_vectors_find_greatest (
          rows->dtype, rows->data + (gsize) at * reel_dtype_size (rows->dtype), self->sizes[i % k],
          NULL);
    }
  return classes;
}

gboolean
reel_class_spec_drops_last (const ReelSpec *spec)
{
  return spec->kind == &reel_multi_categorical_spec_kind && spec->ndim == 1 && spec->shape[0] == 1
         && reel_class_spec (spec)->remove_singleton;
}

/* ---- text and forms ---- */

/* A list of the last dimension, each item of which is a list of those before it. */
static void
append_boxes (const ReelTensor *nvec, const guint8 *at, gint ndim, GString *text)
{
  if (ndim == 0)
    {
      g_string_append_printf (text, "CategoricalBox(n=%" G_GINT64_FORMAT ")",
                              *(const gint64 *) (gconstpointer) at);
      return;
    }
  g_string_append (text, "BoxList(boxes=[");
  for (gint64 i = 0; i < nvec->shape[ndim - 1]; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      append_boxes (nvec, at + i * nvec->strides[ndim - 1], ndim - 1, text);
    }
  g_string_append (text, "])");
}

char *
reel_class_spec_format_space (const ReelSpec *spec)
{
  const ReelTensor *nvec = spec->parameters[REEL_SPEC_NVEC];
  const ReelClassSpec *self = reel_class_spec (spec);
  GString *text;

  if (!nvec)
    return g_strdup_printf ("CategoricalBox(n=%" G_GINT64_FORMAT ")", self->n);
  text = g_string_new (NULL);
  if (spec->kind->classes == REEL_SPEC_CLASSES_INTEGERS)
    append_boxes (nvec, nvec->data, nvec->ndim, text);
  else
    {
      g_string_append (text, "BoxList(boxes=[");
      for (gint64 i = 0; i < self->n_components; i++)
        g_string_append_printf (text, "%sCategoricalBox(n=%" G_GINT64_FORMAT ")", i > 0 ? ", " : "",
                                self->sizes[i]);
      g_string_append (text, "])");
    }
  return g_string_free (text, FALSE);
}

const char *const reel_class_spec_single_names[] = { "n", "mask", NULL };
const char *const reel_class_spec_multi_names[] = { "nvec", "mask", NULL };

void
reel_class_spec_describe (const ReelSpec *spec, json_t *form)
{
  if (is_multi (spec))
    json_object_set_new (form, "nvec",
                         reel_spec_form_from_tensor (spec->parameters[REEL_SPEC_NVEC], 1));
  else if (spec->kind != &reel_binary_spec_kind)
    json_object_set_new (form, "n", json_integer (reel_class_spec (spec)->n));
  if (spec->parameters[REEL_SPEC_MASK])
    json_object_set_new (form, "mask",
                         reel_spec_form_from_tensor (spec->parameters[REEL_SPEC_MASK], 1));
}

ReelSpec *
reel_class_spec_take_mask (ReelSpec *spec, ReelSpecForm *form, GError **error)
{
  g_autoptr (ReelTensor) mask = NULL;
  ReelSpec *masked = NULL;

  if (!spec || !reel_spec_form_has (form, "mask"))
    return spec;
  mask = reel_spec_form_get_tensor (form, "mask", REEL_DTYPE_BOOL, error);
  if (mask)
    masked = reel_spec_with_mask (spec, mask, error);
  reel_spec_unref (spec);
  return masked;
}
