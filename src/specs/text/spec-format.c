/* Specs as Python prints them. */
#include <string.h>

#include "../element.h"
#include "../kinds/non-tensor-spec.h"
#include "../kinds/stacked-spec.h"

char *
reel_spec_format_shape (gint ndim, const gint64 *shape, const char *separator)
{
  GString *text = g_string_new ("[");

  for (gint i = 0; i < ndim; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? separator : "", shape[i]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static char *
format_box (const ReelSpec *spec)
{
  const char *dtype = reel_dtype_name (spec->dtype);
  gint64 extents[REEL_MAX_NDIM];
  g_autofree char *shape = NULL;

  if (spec->kind->format_space)
    return spec->kind->format_space (spec);
  reel_spec_safe_shape (spec, extents);
  shape = reel_spec_format_shape (spec->ndim, extents, ", ");
  return g_strdup_printf (
      "ContinuousBox(\n"
      "        low=Tensor(shape=torch.Size(%s), device=cpu, dtype=torch.%s, contiguous=True),\n"
      "        high=Tensor(shape=torch.Size(%s), device=cpu, dtype=torch.%s, contiguous=True))",
      shape, dtype, shape, dtype);
}

const char *
reel_spec_class_name (const ReelSpec *spec)
{
  const char *of_reals =
      reel_element_is_integer (spec->dtype) ? NULL : spec->kind->class_name_of_reals;

  return of_reals ? of_reals : spec->kind->class_name;
}

static char *format (const ReelSpec *spec, const char *around);

static const char *
device_or_none (const char *device)
{
  return device ? device : "None";
}

/* A spec without space has no domain. A non-tensor has no dtype, and the device of the composite
 * @around it. */
static char *
format_leaf (const ReelSpec *spec, const char *around)
{
  g_autofree char *shape = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
  g_autofree char *box = format_box (spec);
  gboolean tensors = !reel_spec_is_non_tensor (spec);
  gboolean integer = reel_element_is_integer (spec->dtype);
  GString *text = g_string_new (reel_spec_class_name (spec));

  g_string_append_printf (text,
                          "(\n"
                          "    shape=torch.Size(%s),\n"
                          "    space=%s,\n"
                          "    device=%s,\n"
                          "    dtype=%s%s,\n"
                          "    domain=%s",
                          shape, box, tensors ? "cpu" : device_or_none (around),
                          tensors ? "torch." : "", tensors ? reel_dtype_name (spec->dtype) : "None",
                          g_str_equal (box, "None") ? "None"
                          : integer                 ? "discrete"
                                                    : "continuous");
  if (spec->kind->append_repr)
    spec->kind->append_repr (spec, text);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

/* "    key: spec", the lines that follow as far to the right. */
static char *
format_entry (const ReelSpecEntry *entry, const char *device)
{
  g_autofree char *text = entry->spec ? format (entry->spec, device) : g_strdup ("None");
  g_autoptr (GString) indented = g_string_new (text);

  g_string_replace (indented, "\n", "\n    ", 0);
  return g_strdup_printf ("    %s: %s", entry->key, indented->str);
}

static char *
format_composite (const ReelSpec *spec)
{
  g_autofree char *shape = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
  const char *device = reel_spec_get_device (spec);
  const char *name = reel_spec_get_data_class (spec);
  g_autofree char *class = name ? g_strdup_printf ("<class '%s'>", name) : g_strdup ("None");
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);
  GString *text = g_string_new ("Composite(");
  const char *separator = n > 0 ? ",\n    " : ", ";

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *entry = format_entry (&entries[i], device);
      g_string_append_printf (text, "%s%s", i > 0 ? ",\n" : "\n", entry);
    }
  g_string_append_printf (text, "%sdevice=%s%sshape=torch.Size(%s)%sdata_cls=%s)",
                          n > 0 ? separator : "", device_or_none (device), separator, shape,
                          separator, class);
  return g_string_free (text, FALSE);
}

/* ---- stacks ---- */

static char *
format_stacked (const ReelSpec *spec)
{
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);
  g_autofree char *shape = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
  gboolean integer = reel_element_is_integer (spec->dtype);

  return g_strdup_printf ("Stacked%s(\n"
                          "    shape=torch.Size(%s), device=cpu, dtype=torch.%s, domain=%s)",
                          reel_spec_class_name (members[0]), shape, reel_dtype_name (spec->dtype),
                          integer ? "discrete" : "continuous");
}

/* Whether the members' specs of that key are printed as one: there are, and they stack. */
static gboolean
is_shared (const ReelSpec *stack, const char *path)
{
  const ReelSpecEntry *shared = reel_spec_find_entry (stack, path, strlen (path));
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (stack, &n);

  if (!shared || shared->spec)
    return shared != NULL;
  for (gsize i = 0; i < n; i++)
    if (reel_spec_find_entry (members[i], path, strlen (path))->spec)
      return FALSE;
  return TRUE;
}

/* The entries of @spec that are shared, or the others, one a line. */
static char *
format_entries (const ReelSpec *spec, const ReelSpec *stack, gboolean shared)
{
  GString *text = g_string_new (NULL);
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  for (gsize i = 0; i < n; i++)
    if (is_shared (stack, entries[i].path) == shared)
      {
        g_autofree char *entry = format_entry (&entries[i], reel_spec_get_device (spec));
        g_string_append_printf (text, "%s%s", text->len > 0 ? ",\n" : "", entry);
      }
  return g_string_free (text, FALSE);
}

static char *
format_exclusive (const ReelSpec *spec)
{
  GString *text = g_string_new (NULL);
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *entries = format_entries (members[i], spec, FALSE);
      g_autoptr (GString) indented = g_string_new (entries);

      g_string_replace (indented, "\n", "\n    ", 0);
      if (indented->len > 0)
        g_string_append_printf (text, "%s    %" G_GSIZE_FORMAT " ->\n    %s",
                                text->len > 0 ? ",\n" : "", i, indented->str);
    }
  return g_string_free (text, FALSE);
}

static char *
format_stacked_composite (const ReelSpec *spec)
{
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);
  const char *device = reel_spec_get_device (members[0]);
  g_autofree char *shape = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
  g_autofree char *shared = format_entries (spec, spec, TRUE);
  g_autofree char *exclusive = format_exclusive (spec);
  g_autoptr (GString) text = g_string_new ("StackedComposite(\n");

  g_string_append_printf (text,
                          "fields={\n%s},\n"
                          "exclusive_fields={\n%s},\n"
                          "device=%s,\n"
                          "shape=torch.Size(%s),\n"
                          "stack_dim=%d)",
                          shared, exclusive, device_or_none (device), shape,
                          reel_spec_get_stack_dim (spec));
  g_string_replace (text, "\n", "\n    ", 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
format (const ReelSpec *spec, const char *around)
{
  if (reel_spec_is_lazy (spec))
    return reel_spec_is_composite (spec) ? format_stacked_composite (spec) : format_stacked (spec);
  return reel_spec_is_composite (spec) ? format_composite (spec) : format_leaf (spec, around);
}

char *
reel_spec_to_string (const ReelSpec *spec)
{
  g_return_val_if_fail (spec, NULL);

  return format (spec, NULL);
}
