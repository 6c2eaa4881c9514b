/* Episodes of Open X-Embodiment as Python pickles them. */
#include "openx-steps.h"

#include "../core/object/error.h"
#include "../core/tensordict/variant.h"

#include <string.h>

static gboolean
fail (const char *name, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "\"%s\" %s", name, what);
  return FALSE;
}

/* ---- lists of numbers ---- */

/* In the order in which a list of several kinds takes one. */
static const struct
{
  const char *type;
  ReelDtype dtype;
} kinds[] = {
  { "b", REEL_DTYPE_BOOL },
  { "x", REEL_DTYPE_INT64 },
  { "d", REEL_DTYPE_FLOAT32 },
};

/* −1 for what is no number and no bool. */
static gint
find_kind (const ReelPickleItem *value)
{
  GVariant *plain = reel_pickle_get_plain (value);

  for (guint i = 0; plain && i < G_N_ELEMENTS (kinds); i++)
    if (g_variant_is_of_type (plain, G_VARIANT_TYPE (kinds[i].type)))
      return (gint) i;
  return -1;
}

typedef struct
{
  const char *name;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  gint kind;
} List;

/* The depth of the first numbers is that of all, and lists of a depth have one length. */
static gboolean
measure (List *self, const ReelPickleItem *value, gint depth, gboolean is_first, GError **error)
{
  if (!reel_pickle_is_list (value))
    {
      gint kind = find_kind (value);

      if (kind < 0)
        return fail (self->name, "is a list of something else than numbers", error);
      self->kind = MAX (self->kind, kind);
      return depth == self->ndim || fail (self->name, "is a list of lists and numbers", error);
    }
  const gint64 n = reel_pickle_count (value);
  if (is_first)
    {
      if (depth == REEL_MAX_NDIM)
        return fail (self->name, "has too many dimensions", error);
      self->shape[depth] = n;
      self->ndim = depth + 1;
    }
  if (depth >= self->ndim || self->shape[depth] != n)
    return fail (self->name, "is a list of lists of different lengths", error);
  for (guint i = 0; i < n; i++)
    if (!measure (self, reel_pickle_get (value, i), depth + 1, is_first && i == 0, error))
      return FALSE;
  return TRUE;
}

static double
to_double (const ReelPickleItem *value)
{
  GVariant *plain = reel_pickle_get_plain (value);

  return g_variant_is_of_type (plain, G_VARIANT_TYPE_DOUBLE)  ? g_variant_get_double (plain)
         : g_variant_is_of_type (plain, G_VARIANT_TYPE_INT64) ? (double) g_variant_get_int64 (plain)
                                                              : g_variant_get_boolean (plain);
}

static void
append_number (GByteArray *elements, const ReelPickleItem *value, ReelDtype dtype)
{
  GVariant *plain = reel_pickle_get_plain (value);

  if (dtype == REEL_DTYPE_FLOAT32)
    {
      const float number = (float) to_double (value);
      g_byte_array_append (elements, (const guint8 *) &number, sizeof number);
    }
  else if (dtype == REEL_DTYPE_INT64)
    {
      const gint64 number = g_variant_is_of_type (plain, G_VARIANT_TYPE_INT64)
                                ? g_variant_get_int64 (plain)
                                : g_variant_get_boolean (plain);
      g_byte_array_append (elements, (const guint8 *) &number, sizeof number);
    }
  else
    {
      const guint8 flag = (guint8) g_variant_get_boolean (plain);
      g_byte_array_append (elements, &flag, 1);
    }
}

static void
append_numbers (GByteArray *elements, const ReelPickleItem *value, ReelDtype dtype)
{
  if (!reel_pickle_is_list (value))
    append_number (elements, value, dtype);
  else
    for (guint i = 0; i < reel_pickle_count (value); i++)
      append_numbers (elements, reel_pickle_get (value, i), dtype);
}

/* A number, or a list of them; without numbers it is one of floats, as PyTorch has it. */
static gboolean
add_numbers (ReelOpenxSteps *steps, const char *name, const ReelPickleItem *value, GError **error)
{
  g_autoptr (GByteArray) elements = g_byte_array_new ();
  List list = { .name = name, .kind = -1 };

  if (!measure (&list, value, 0, TRUE, error))
    return FALSE;
  const ReelDtype dtype = list.kind < 0 ? REEL_DTYPE_FLOAT32 : kinds[list.kind].dtype;
  append_numbers (elements, value, dtype);
  return reel_openx_steps_add (steps, name, dtype, list.ndim, list.shape, elements->data, error);
}

/* ---- values ---- */

static gboolean add_value (ReelOpenxSteps *steps, const char *name, const ReelPickleItem *value,
                           GError **error);

static gboolean
add_members (ReelOpenxSteps *steps, const char *name, const ReelPickleItem *dict, GError **error)
{
  for (guint i = 0; i < reel_pickle_count (dict); i++)
    {
      const char *key = reel_pickle_get_key (dict, i);

      if (!key)
        return fail (name, "has a key besides strings", error);
      g_autofree char *below = *name ? g_strconcat (name, "/", key, NULL) : g_strdup (key);
      if (!add_value (steps, below, reel_pickle_get (dict, i), error))
        return FALSE;
    }
  return TRUE;
}

/* Images are dicts of their files' bytes and paths, as Hugging Face has them. */
static gboolean
add_dict (ReelOpenxSteps *steps, const char *name, const ReelPickleItem *dict, GError **error)
{
  const ReelPickleItem *member = reel_pickle_find (dict, "bytes");
  GBytes *file = member ? reel_pickle_get_bytes (member) : NULL;
  gsize length;

  if (!file)
    return add_members (steps, name, dict, error);
  const guint8 *bytes = g_bytes_get_data (file, &length);
  return reel_openx_steps_add_image (steps, name, bytes, length, error);
}

static gboolean
add_value (ReelOpenxSteps *steps, const char *name, const ReelPickleItem *value, GError **error)
{
  const guint8 *data;
  const ReelArrayInfo *array = reel_pickle_get_array (value, &data);
  GVariant *plain = reel_pickle_get_plain (value);
  gsize length;

  if (reel_pickle_is_dict (value))
    return add_dict (steps, name, value, error);
  if (array)
    return reel_openx_steps_add (steps, name, (ReelDtype) array->dtype, array->ndim, array->shape,
                                 data, error);
  if (plain && g_variant_is_of_type (plain, G_VARIANT_TYPE_STRING))
    {
      const char *text = g_variant_get_string (plain, &length);
      return reel_openx_steps_add_text (steps, name, text, length, error);
    }
  if (plain && reel_variant_is_none (plain))
    return TRUE;
  return plain || reel_pickle_is_list (value)
             ? add_numbers (steps, name, value, error)
             : fail (name, "is something else than numbers, text or an image", error);
}

static gboolean
add_steps (ReelOpenxSteps *steps, const ReelPickleItem *list, GError **error)
{
  for (guint i = 0; i < reel_pickle_count (list); i++)
    {
      const ReelPickleItem *step = reel_pickle_get (list, i);

      if (!reel_pickle_is_dict (step))
        return fail ("steps", "has a step besides dicts", error);
      if (!add_members (steps, "", step, error) || !reel_openx_steps_end_step (steps, error))
        return FALSE;
    }
  return TRUE;
}

ReelOpenxSteps *
reel_openx_steps_read_pickle (const guint8 *data, gsize length, GError **error)
{
  g_autoptr (ReelPickleItem) tree = reel_pickle_read_tree (data, length, error);
  const ReelPickleItem *list = tree ? reel_pickle_find (tree, "steps") : NULL;
  g_autoptr (ReelOpenxSteps) steps = reel_openx_steps_new ();

  if (!tree)
    return NULL;
  if (!list || !reel_pickle_is_list (list))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                           "a dict with a list \"steps\" is expected");
      return NULL;
    }
  if (!add_steps (steps, list, error))
    return NULL;
  steps->source = g_steal_pointer (&tree);
  return g_steal_pointer (&steps);
}
