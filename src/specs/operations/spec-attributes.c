/* Batch size, names and device of composites. */
#include "../spec-attributes.h"

#include <string.h>

#include "../kinds/non-tensor-spec.h"
#include "../kinds/stacked-spec.h"

static const ReelCompositeSpec *
composite (const ReelSpec *spec)
{
  return (const ReelCompositeSpec *) spec;
}

/* The change of an entry that is a composite; a leaf stays. */
typedef ReelSpec *(*ChangeEntry) (const ReelSpec *spec, gconstpointer data, GError **error);

/* Fills @self with the entries of @spec, its composites changed. */
static ReelSpec *
fill (ReelCompositeSpec *self, const ReelSpec *spec, ChangeEntry change, gconstpointer data,
      GError **error)
{
  g_autoptr (ReelSpec) made = &self->head;
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  for (gsize i = 0; i < n; i++)
    {
      const ReelSpec *entry = entries[i].spec;
      gboolean changes = entry && change && reel_spec_is_composite (entry);
      g_autoptr (ReelSpec) changed = changes ? change (entry, data, error) : NULL;

      if (changes && !changed)
        return NULL;
      if (!reel_composite_spec_put (self, entries[i].key, changes ? changed : entry, error))
        return NULL;
    }
  return g_steal_pointer (&made);
}

static ReelSpec *
fail_lazy (const ReelSpec *spec, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "the %s of a %s cannot be set: set that of its members", what,
               reel_spec_class_name (spec));
  return NULL;
}

/* ---- shape ---- */

typedef struct
{
  gint ndim;
  const gint64 *shape;
} Shape;

static ReelSpec *
follow_shape (const ReelSpec *spec, gconstpointer data, GError **error)
{
  const Shape *batch = data;

  gboolean begins = spec->ndim >= batch->ndim;

  for (gint i = 0; begins && i < batch->ndim; i++)
    begins = spec->shape[i] == batch->shape[i];
  if (begins)
    return reel_spec_ref (spec);
  return reel_spec_set_shape (spec, batch->ndim, batch->shape, error);
}

ReelSpec *
reel_spec_set_shape (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error)
{
  Shape batch = { ndim, shape };
  ReelCompositeSpec *self;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  if (reel_spec_is_lazy (spec))
    return fail_lazy (spec, "shape", error);
  self = reel_composite_spec_new_like (spec, ndim, shape, error);
  if (!self)
    return NULL;
  for (gint i = 0; i < MIN (ndim, spec->ndim); i++)
    self->names[i] = g_strdup (composite (spec)->names[i]);
  return fill (self, spec, follow_shape, &batch, error);
}

/* ---- device and class ---- */

static ReelSpec *
set_device_of_member (const ReelSpec *member, guint i, gpointer device, GError **error)
{
  return reel_spec_set_device (member, device, error);
}

static ReelSpec *
follow_device (const ReelSpec *spec, gconstpointer data, GError **error)
{
  return reel_spec_set_device (spec, data, error);
}

ReelSpec *
reel_spec_set_device (const ReelSpec *spec, const char *device, GError **error)
{
  ReelCompositeSpec *self;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  if (device && strcmp (device, "cpu") != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "unknown device \"%s\": the one is \"cpu\"",
                   device);
      return NULL;
    }
  if (reel_spec_is_lazy (spec))
    return reel_stacked_spec_map_in_place (spec, set_device_of_member, (gpointer) device, error);
  self = reel_composite_spec_new_like (spec, spec->ndim, spec->shape, error);
  if (!self)
    return NULL;
  self->on_cpu = device != NULL;
  reel_composite_spec_take_names (self, composite (spec)->names);
  return fill (self, spec, follow_device, device, error);
}

const char *
reel_spec_get_device (const ReelSpec *spec)
{
  gsize n;
  ReelSpec *const *members;

  g_return_val_if_fail (spec, NULL);

  if (!reel_spec_is_composite (spec))
    return reel_spec_is_non_tensor (spec) ? NULL : "cpu";
  if (!reel_spec_is_lazy (spec))
    return composite (spec)->on_cpu ? "cpu" : NULL;
  members = reel_spec_get_members (spec, &n);
  for (gsize i = 0; i < n; i++)
    if (reel_spec_get_device (members[i]))
      return "cpu";
  return NULL;
}

ReelSpec *
reel_spec_set_data_class (const ReelSpec *spec, const char *name)
{
  ReelCompositeSpec *self;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec) && !reel_spec_is_lazy (spec), NULL);

  self = reel_composite_spec_new_like (spec, spec->ndim, spec->shape, NULL);
  g_free (self->data_class);
  self->data_class = g_strdup (name);
  reel_composite_spec_take_names (self, composite (spec)->names);
  return fill (self, spec, NULL, NULL, NULL);
}

const char *
reel_spec_get_data_class (const ReelSpec *spec)
{
  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  return reel_spec_is_lazy (spec) ? NULL : composite (spec)->data_class;
}

/* ---- names ---- */

typedef struct
{
  gint n;
  const char *const *names;
} Names;

static ReelSpec *
follow_names (const ReelSpec *spec, gconstpointer data, GError **error)
{
  const Names *names = data;
  ReelCompositeSpec *self;

  if (reel_spec_is_lazy (spec))
    return reel_spec_ref (spec);
  self = reel_composite_spec_new_like (spec, spec->ndim, spec->shape, error);
  for (gint i = 0; self && i < names->n; i++)
    self->names[i] = g_strdup (names->names ? names->names[i] : NULL);
  return self ? fill (self, spec, follow_names, data, error) : NULL;
}

static char *
format_names (gint n, const char *const *names)
{
  GString *text = g_string_new ("[");

  for (gint i = 0; i < n; i++)
    g_string_append_printf (text, names[i] ? "%s'%s'" : "%sNone", i > 0 ? ", " : "", names[i]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

ReelSpec *
reel_spec_set_names (const ReelSpec *spec, gint n, const char *const *names, GError **error)
{
  Names all = { n, names };

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  if (reel_spec_is_lazy (spec))
    return fail_lazy (spec, "names", error);
  if (names && n != spec->ndim)
    {
      g_autofree char *text = format_names (n, names);
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "Expected %d names, but got %d names: %s",
                   spec->ndim, n, text);
      return NULL;
    }
  all.n = spec->ndim;
  return follow_names (spec, &all, error);
}

/* One name a dimension, in @filled. FALSE where there are too many. */
static gboolean
fill_in (gint ndim, gint n, const char *const *names, const char **filled)
{
  gint at = 0;

  for (gint i = 0; i < n; i++)
    if (g_strcmp0 (names[i], "...") == 0)
      at += MAX (ndim - n + 1, 0);
    else if (at < ndim)
      filled[at++] = names[i];
    else
      return FALSE;
  return at == ndim;
}

ReelSpec *
reel_spec_refine_names (const ReelSpec *spec, gint n, const char *const *names, GError **error)
{
  const char *filled[REEL_MAX_NDIM] = { NULL };
  const char *const *has;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  if (reel_spec_is_lazy (spec))
    return fail_lazy (spec, "names", error);
  if (!fill_in (spec->ndim, n, names, filled))
    return reel_spec_set_names (spec, n, names, error);
  has = (const char *const *) composite (spec)->names;
  for (gint i = 0; i < spec->ndim; i++)
    if (has[i] && g_strcmp0 (has[i], filled[i]) != 0)
      {
        g_autofree char *old = format_names (spec->ndim, has);
        g_autofree char *new = format_names (n, names);
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                     "refine_names: cannot coerce Composite names %s with %s", old, new);
        return NULL;
      }
  return reel_spec_set_names (spec, spec->ndim, filled, error);
}

const char *
reel_spec_get_name (const ReelSpec *spec, gint dim)
{
  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (dim >= 0 && dim < spec->ndim, NULL);

  return reel_spec_is_lazy (spec) ? NULL : composite (spec)->names[dim];
}
