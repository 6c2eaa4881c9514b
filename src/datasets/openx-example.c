/* Episodes of Open X-Embodiment as examples of TensorFlow, laid out as TensorFlow Datasets does it
 * (its core/features): a feature has the values of all steps, and `features.json` their shapes. */
#include "openx-steps.h"

#include "../core/formats/json.h"
#include "../core/object/error.h"
#include "../core/tensor/convert-kernel.h"

#include <string.h>

#define STEPS "steps"
#define COUNTED "steps/is_first" /* of whose values there is one a step */

typedef enum
{
  ELEMENTS,
  TEXT,
  IMAGE,
} Form;

/* A feature of a step. */
typedef struct
{
  Form form;
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  gint64 n_elements;
} Feature;

/* ---- features.json ---- */

static gboolean
refuse (const char *path, const char *name, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "%s: the feature \"%s\" %s", path,
               name, what);
  return FALSE;
}

/* TensorFlow's names are those of PyTorch. */
static gboolean
find_dtype (const char *name, ReelDtype *dtype)
{
  for (gint i = 0; i < REEL_N_DTYPES; i++)
    if (g_strcmp0 (reel_dtype_name ((ReelDtype) i), name) == 0)
      {
        *dtype = (ReelDtype) i;
        return !reel_dtype_is_complex (*dtype);
      }
  return FALSE;
}

/* Extents are texts of numbers; an unknown one is −1. */
static gboolean
read_shape (Feature *self, const json_t *tensor)
{
  const json_t *extents = json_object_get (json_object_get (tensor, "shape"), "dimensions");

  self->ndim = 0;
  self->n_elements = 1;
  for (gsize d = 0; d < json_array_size (extents); d++)
    {
      const char *text = json_string_value (json_array_get (extents, d));
      gint64 extent = text ? g_ascii_strtoll (text, NULL, 10) : -1;

      if (self->ndim == REEL_MAX_NDIM - 1 || extent < 0
          || __builtin_mul_overflow (self->n_elements, extent, &self->n_elements))
        return FALSE;
      self->shape[self->ndim++] = extent;
    }
  return TRUE;
}

static gboolean
read_tensor (Feature *self, const json_t *tensor, const char *path, const char *name,
             GError **error)
{
  const char *type = json_string_value (json_object_get (tensor, "dtype"));
  const char *encoding = json_string_value (json_object_get (tensor, "encoding"));

  if (encoding && *encoding && !g_str_equal (encoding, "none"))
    return refuse (path, name, "is compressed, which is unsupported", error);
  if (!read_shape (self, tensor))
    return refuse (path, name, "has a shape that is not known beforehand, which is unsupported",
                   error);
  self->form = g_strcmp0 (type, "string") == 0 ? TEXT : ELEMENTS;
  if (self->form == TEXT ? self->ndim == 0 : find_dtype (type, &self->dtype))
    return TRUE;
  return refuse (path, name, "has elements of an unsupported type", error);
}

static gboolean
read_leaf (GHashTable *features, const json_t *feature, const char *path, const char *name,
           GError **error)
{
  g_autofree Feature *self = g_new0 (Feature, 1);
  const json_t *tensor = json_object_get (feature, "tensor");

  self->n_elements = 1;
  self->dtype = REEL_DTYPE_INT64;
  if (tensor && !read_tensor (self, tensor, path, name, error))
    return FALSE;
  if (json_object_get (feature, "text"))
    self->form = TEXT;
  else if (json_object_get (feature, "image"))
    self->form = IMAGE;
  else if (!tensor && !json_object_get (feature, "classLabel"))
    return refuse (path, name, "is of a kind that is unsupported", error);
  g_hash_table_insert (features, g_strdup (name), g_steal_pointer (&self));
  return TRUE;
}

/* Dicts in dicts are as deep as the parser of JSON allows. */
static gboolean
read_features (GHashTable *features, json_t *feature, const char *path, const char *name,
               GError **error)
{
  json_t *members = json_object_get (json_object_get (feature, "featuresDict"), "features");
  const char *key;
  json_t *member;

  if (!members)
    return read_leaf (features, feature, path, name, error);
  json_object_foreach (members, key, member)
  {
    g_autofree char *below = g_strconcat (name, "/", key, NULL);

    if (!read_features (features, member, path, below, error))
      return FALSE;
  }
  return TRUE;
}

GHashTable *
reel_openx_features_read (const char *text, gsize length, const char *path, GError **error)
{
  g_autoptr (GHashTable) features = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (json_t) root = reel_json_parse (path, text, length, error);
  json_t *all = json_object_get (json_object_get (root, "featuresDict"), "features");
  json_t *steps =
      json_object_get (json_object_get (json_object_get (all, STEPS), "sequence"), "feature");

  if (!root)
    return NULL;
  if (!steps)
    {
      reel_json_bad_member (root, path, "featuresDict", "an object with a sequence \"" STEPS "\"",
                            error);
      return NULL;
    }
  return read_features (features, steps, path, STEPS, error) ? g_steal_pointer (&features) : NULL;
}

/* ---- an example ---- */

static gboolean fail (const char *name, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
fail (const char *name, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "\"%s\" %s", name, what);
  return FALSE;
}

/* The column of all steps at once. */
typedef struct
{
  const char *name; /* without "steps/" */
  const Feature *feature;
  const ReelTfFeature *values;
  GByteArray *elements; /* of its type; NULL where the values are byte strings */
} Column;

static void
clear_column (gpointer data)
{
  Column *self = data;

  if (self->elements)
    g_byte_array_unref (self->elements);
}

static gboolean
check_values (const Column *self, gint64 n, GError **error)
{
  const gboolean are_bytes = self->feature->form != ELEMENTS;
  const gint64 n_found = self->values->values->len;
  gint64 n_expected;

  if (are_bytes != (self->values->kind == REEL_TF_BYTES))
    return fail (self->name, error, "has %s; %s are expected", are_bytes ? "numbers" : "no numbers",
                 are_bytes ? "byte strings" : "numbers");
  if (!__builtin_mul_overflow (n, self->feature->n_elements, &n_expected) && n_expected == n_found)
    return TRUE;
  return fail (self->name, error,
               "has %" G_GINT64_FORMAT " values; %" G_GINT64_FORMAT
               " are expected for each of %" G_GINT64_FORMAT " steps",
               n_found, self->feature->n_elements, n);
}

/* Numbers are float32 or int64 in the file, whatever their type is. */
static void
convert (Column *self)
{
  const GArray *values = self->values->values;
  const ReelDtype from =
      self->values->kind == REEL_TF_FLOATS ? REEL_DTYPE_FLOAT32 : REEL_DTYPE_INT64;
  ReelIsa isa;

  self->elements = g_byte_array_new ();
  g_byte_array_set_size (self->elements,
                         values->len * (guint) reel_dtype_size (self->feature->dtype));
  reel_isa_choose (&isa, NULL);
  REEL_KERNEL_PICK (reel_convert_kernels, isa)
      ->convert (from, (const guint8 *) values->data, self->feature->dtype, self->elements->data,
                 values->len);
}

static gboolean
add_column (GArray *columns, const GArray *example, const char *name, const Feature *feature,
            gint64 n, GError **error)
{
  Column self = { name + strlen (STEPS "/"), feature, reel_tf_example_find (example, name), NULL };

  if (!self.values)
    return fail (self.name, error, "is missing");
  if (!check_values (&self, n, error))
    return FALSE;
  if (feature->form == ELEMENTS)
    convert (&self);
  g_array_append_val (columns, self);
  return TRUE;
}

static gboolean
add_step (ReelOpenxSteps *steps, const Column *column, gint64 i, GError **error)
{
  const Feature *feature = column->feature;

  if (feature->form == ELEMENTS)
    return reel_openx_steps_add (steps, column->name, feature->dtype, feature->ndim, feature->shape,
                                 column->elements->data
                                     + (gsize) (i * feature->n_elements)
                                           * reel_dtype_size (feature->dtype),
                                 error);
  const ReelTfBytes *bytes = &g_array_index (column->values->values, ReelTfBytes, i);
  return feature->form == TEXT
             ? reel_openx_steps_add_text (steps, column->name, (const char *) bytes->data,
                                          bytes->length, error)
             : reel_openx_steps_add_image (steps, column->name, bytes->data, bytes->length, error);
}

static gboolean
add_steps (ReelOpenxSteps *steps, const GArray *columns, gint64 n, GError **error)
{
  for (gint64 i = 0; i < n; i++)
    {
      for (guint k = 0; k < columns->len; k++)
        if (!add_step (steps, &g_array_index (columns, Column, k), i, error))
          return FALSE;
      if (!reel_openx_steps_end_step (steps, error))
        return FALSE;
    }
  return TRUE;
}

static GArray *
find_columns (const GArray *example, GHashTable *features, gint64 *n, GError **error)
{
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (Column));
  const ReelTfFeature *counted = reel_tf_example_find (example, COUNTED);
  GHashTableIter iter;
  const char *name;
  const Feature *feature;

  g_array_set_clear_func (columns, clear_column);
  if (!counted)
    {
      fail (COUNTED, error, "is missing");
      return NULL;
    }
  *n = counted->values->len;
  g_hash_table_iter_init (&iter, features);
  while (g_hash_table_iter_next (&iter, (gpointer *) &name, (gpointer *) &feature))
    if (!add_column (columns, example, name, feature, *n, error))
      return NULL;
  return g_steal_pointer (&columns);
}

ReelOpenxSteps *
reel_openx_steps_read_example (const guint8 *data, gsize length, GHashTable *features,
                               GError **error)
{
  g_autoptr (GArray) example = reel_tf_example_read (data, length, error);
  gint64 n = 0;
  g_autoptr (GArray) columns = example ? find_columns (example, features, &n, error) : NULL;
  g_autoptr (ReelOpenxSteps) steps = columns ? reel_openx_steps_new () : NULL;

  return steps && add_steps (steps, columns, n, error) ? g_steal_pointer (&steps) : NULL;
}
