/* The form of composites: entries, names of dimensions, device, class of the values. */
#include "composite-spec.h"

#include "../spec-form.h"

static json_t *
string_or_null (const char *string)
{
  return string ? json_string_nocheck (string) : json_null ();
}

static gboolean
has_names (const ReelCompositeSpec *self)
{
  for (gint i = 0; i < self->head.ndim; i++)
    if (self->names[i])
      return TRUE;
  return FALSE;
}

void
reel_composite_spec_describe (const ReelSpec *spec, json_t *form)
{
  const ReelCompositeSpec *self = (const ReelCompositeSpec *) spec;
  json_t *specs = json_object (), *names = NULL;
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  for (gsize i = 0; i < n; i++)
    json_object_set_new_nocheck (specs, entries[i].key,
                                 entries[i].spec ? reel_spec_describe (entries[i].spec)
                                                 : json_null ());
  json_object_set_new (form, REEL_SPEC_FORM_SPECS, specs);
  if (self->on_cpu)
    json_object_set_new (form, "device", json_string ("cpu"));
  if (self->data_class)
    json_object_set_new (form, "data-class", json_string_nocheck (self->data_class));
  if (!has_names (self))
    return;
  json_object_set_new (form, "names", names = json_array ());
  for (gint i = 0; i < spec->ndim; i++)
    json_array_append_new (names, string_or_null (self->names[i]));
}

static gboolean
read_names (ReelCompositeSpec *self, ReelSpecForm *form, GError **error)
{
  const json_t *names = json_object_get (form->members, "names");
  gboolean good = !names || json_array_size (names) == (gsize) form->ndim;

  for (gsize i = 0; good && i < json_array_size (names); i++)
    {
      const json_t *name = json_array_get (names, i);

      good = json_is_string (name) || json_is_null (name);
      self->names[i] = g_strdup (json_string_value (name));
    }
  if (!good)
    reel_spec_form_refuse (form, names, REEL_ERROR_VALUE, error,
                           "names must be a list of words, one a dimension, () for none");
  return good;
}

static gboolean
read_attributes (ReelCompositeSpec *self, ReelSpecForm *form, GError **error)
{
  const char *device = NULL, *data_class = NULL;

  if (reel_spec_form_has (form, "device")
      && !(device = reel_spec_form_get_string (form, "device", error)))
    return FALSE;
  if (reel_spec_form_has (form, "data-class")
      && !(data_class = reel_spec_form_get_string (form, "data-class", error)))
    return FALSE;
  if (device && !g_str_equal (device, "cpu"))
    {
      reel_spec_form_refuse (form, json_object_get (form->members, "device"), REEL_ERROR_VALUE,
                             error, "device must be cpu, not \"%s\"", device);
      return FALSE;
    }
  self->on_cpu = device != NULL;
  self->data_class = g_strdup (data_class);
  return read_names (self, form, error);
}

static gboolean
read_entries (ReelCompositeSpec *self, ReelSpecForm *form, GError **error)
{
  json_t *specs = json_object_get (form->members, REEL_SPEC_FORM_SPECS), *member;
  const char *key;

  if (specs && !json_is_object (specs))
    {
      reel_spec_form_refuse (form, specs, REEL_ERROR_VALUE, error, "specs must be an object");
      return FALSE;
    }
  json_object_foreach (specs, key, member)
  {
    g_autoptr (ReelSpec) spec = NULL;

    if (!json_is_null (member))
      spec = reel_spec_form_read_member (form, key, member, error);
    if (!spec && !json_is_null (member))
      return FALSE;
    if (!reel_composite_spec_put (self, key, spec, error))
      return FALSE;
  }
  return TRUE;
}

ReelSpec *
reel_composite_spec_from_form (ReelSpecForm *form, GError **error)
{
  ReelCompositeSpec *self = reel_composite_spec_new_like (NULL, form->ndim, form->shape, error);
  g_autoptr (ReelSpec) made = (ReelSpec *) self;

  if (!self || !read_attributes (self, form, error) || !read_entries (self, form, error))
    return NULL;
  return g_steal_pointer (&made);
}
