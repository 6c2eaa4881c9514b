#include "stacked-spec.h"

#include <string.h>

#include "../spec-form.h"

static const ReelStackedSpec *
stacked (const ReelSpec *spec)
{
  return (const ReelStackedSpec *) spec;
}

gboolean
reel_spec_is_lazy (const ReelSpec *spec)
{
  g_return_val_if_fail (spec, FALSE);

  return spec->kind == &reel_stacked_spec_kind || spec->kind == &reel_stacked_composite_spec_kind;
}

gint
reel_spec_get_stack_dim (const ReelSpec *spec)
{
  return reel_spec_is_lazy (spec) ? stacked (spec)->dim : -1;
}

ReelSpec *const *
reel_spec_get_members (const ReelSpec *spec, gsize *n)
{
  g_return_val_if_fail (spec && n, NULL);

  *n = reel_spec_is_lazy (spec) ? stacked (spec)->members->len : 0;
  return *n > 0 ? (ReelSpec *const *) stacked (spec)->members->pdata : NULL;
}

/* ---- what all members have ---- */

/* The spec of @path in each member, or NULL where one of them has none. */
static GPtrArray *
gather (const ReelSpec *spec, const char *path)
{
  g_autoptr (GPtrArray) specs = g_ptr_array_new ();
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  for (gsize i = 0; i < n; i++)
    {
      const ReelSpecEntry *entry = reel_spec_find_entry (members[i], path, strlen (path));

      if (!entry)
        return NULL;
      g_ptr_array_add (specs, entry->spec);
    }
  return g_steal_pointer (&specs);
}

/* NULL without an error where it is unspecified in all of them. */
static ReelSpec *
stack_entry (const ReelSpec *spec, GPtrArray *specs, GError **error)
{
  guint n_specified = 0;

  for (guint i = 0; i < specs->len; i++)
    n_specified += specs->pdata[i] != NULL;
  if (n_specified == 0)
    return NULL;
  if (n_specified == specs->len)
    return reel_spec_stack ((ReelSpec *const *) specs->pdata, specs->len, stacked (spec)->dim,
                            error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Stacking specs cannot occur: some in the list are left unspecified.");
  return NULL;
}

void
reel_stacked_spec_fail_clash (const ReelSpec *spec, const ReelSpecEntry *entry, GError **error)
{
  g_autoptr (GPtrArray) specs = gather (spec, entry->path);
  g_autoptr (ReelSpec) none = stack_entry (spec, specs, error);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  return strcmp (((const ReelSpecEntry *) a)->key, ((const ReelSpecEntry *) b)->key);
}

static void
stack_entries (ReelStackedSpec *self)
{
  gsize n;
  const ReelSpecEntry *first = reel_spec_get_entries (self->members->pdata[0], &n);

  self->entries = g_array_new (FALSE, FALSE, sizeof (ReelSpecEntry));
  g_array_set_clear_func (self->entries, reel_spec_entry_clear);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GPtrArray) specs = gather (&self->head, first[i].path);

      if (specs)
        {
          ReelSpecEntry entry = { g_strdup (first[i].key), g_strdup (first[i].path),
                                  stack_entry (&self->head, specs, NULL) };
          g_array_append_val (self->entries, entry);
        }
    }
  g_array_sort (self->entries, compare_entries);
}

static const ReelSpecEntry *
get_entries (const ReelSpec *spec, gsize *n)
{
  *n = stacked (spec)->entries->len;
  return (const ReelSpecEntry *) (gpointer) stacked (spec)->entries->data;
}

/* ---- making one ---- */

/* The members' extent of dimension @dim, −1 where they differ. */
static gint64
common_extent (ReelSpec *const *members, gsize n, gint dim)
{
  for (gsize i = 1; i < n; i++)
    if (members[i]->shape[dim] != members[0]->shape[dim])
      return -1;
  return members[0]->shape[dim];
}

ReelSpec *
reel_stacked_spec_new (ReelSpec *const *members, gsize n, gint dim, GError **error)
{
  gboolean composite = reel_spec_is_composite (members[0]);
  gint64 shape[REEL_MAX_NDIM + 1];
  gint ndim = 0;
  ReelStackedSpec *self;

  for (gint i = 0; i <= members[0]->ndim; i++)
    {
      if (i == dim)
        shape[ndim++] = (gint64) n;
      if (i < members[0]->ndim)
        shape[ndim++] = common_extent (members, n, i);
    }
  self = reel_spec_alloc (composite ? &reel_stacked_composite_spec_kind : &reel_stacked_spec_kind,
                          members[0]->dtype, ndim, shape, error);
  if (!self)
    return NULL;
  self->dim = dim;
  self->members = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);
  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (self->members, reel_spec_ref (members[i]));
  if (composite)
    stack_entries (self);
  return &self->head;
}

static GPtrArray *
change_members (const ReelSpec *spec, ReelSpecMemberFunc func, gpointer data, GError **error)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  for (guint i = 0; i < n; i++)
    {
      ReelSpec *member = func (members[i], i, data, error);

      if (!member)
        return NULL;
      g_ptr_array_add (changed, member);
    }
  return g_steal_pointer (&changed);
}

ReelSpec *
reel_stacked_spec_map (const ReelSpec *spec, gint dim, ReelSpecMemberFunc func, gpointer data,
                       GError **error)
{
  g_autoptr (GPtrArray) changed = change_members (spec, func, data, error);

  if (!changed)
    return NULL;
  return reel_spec_stack ((ReelSpec *const *) changed->pdata, changed->len, dim, error);
}

ReelSpec *
reel_stacked_spec_map_in_place (const ReelSpec *spec, ReelSpecMemberFunc func, gpointer data,
                                GError **error)
{
  g_autoptr (GPtrArray) changed = change_members (spec, func, data, error);

  if (!changed)
    return NULL;
  return reel_stacked_spec_new ((ReelSpec *const *) changed->pdata, changed->len,
                                stacked (spec)->dim, error);
}

static void
clear (ReelSpec *spec)
{
  ReelStackedSpec *self = (ReelStackedSpec *) spec;

  g_ptr_array_unref (self->members);
  g_clear_pointer (&self->entries, g_array_unref);
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  const ReelStackedSpec *a = stacked (spec);
  const ReelStackedSpec *b = stacked (other);

  if (other->kind != spec->kind || a->dim != b->dim || a->members->len != b->members->len)
    return FALSE;
  for (guint i = 0; i < a->members->len; i++)
    if (!reel_spec_equal (a->members->pdata[i], b->members->pdata[i]))
      return FALSE;
  return TRUE;
}

/* ---- form ---- */

static void
describe (const ReelSpec *spec, json_t *form)
{
  json_t *members = json_array ();

  for (guint i = 0; i < stacked (spec)->members->len; i++)
    json_array_append_new (members, reel_spec_describe (stacked (spec)->members->pdata[i]));
  json_object_set_new (form, "dim", json_integer (stacked (spec)->dim));
  json_object_set_new (form, "members", members);
}

static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  g_autoptr (GPtrArray) members = NULL;
  ReelSpec *const *specs;
  gint64 dim;

  if (!reel_spec_form_get_int64 (form, "dim", &dim, error))
    return NULL;
  members = reel_spec_form_get_specs (form, "members", error);
  if (!members)
    return NULL;
  specs = (ReelSpec *const *) members->pdata;
  if (!reel_spec_check_stack (specs, members->len, error))
    return NULL;
  if (dim < 0 || dim > specs[0]->ndim)
    {
      reel_spec_form_refuse (form, json_object_get (form->members, "dim"), REEL_ERROR_VALUE, error,
                             "dim must be 0 to %d, the dimensions of a member", specs[0]->ndim);
      return NULL;
    }
  return reel_stacked_spec_new (specs, members->len, (gint) dim, error);
}

static const ReelSpecName leaf_names[] = {
  { "Stacked", REEL_DTYPE_BOOL },
  { "LazyStackedTensorSpec", REEL_DTYPE_BOOL },
  { NULL, REEL_DTYPE_BOOL },
};
static const ReelSpecName composite_names[] = {
  { "StackedComposite", REEL_DTYPE_BOOL },
  { "LazyStackedCompositeSpec", REEL_DTYPE_BOOL },
  { NULL, REEL_DTYPE_BOOL },
};
static const char *const parameter_names[] = { "dim", "members", NULL };

const ReelSpecKind reel_stacked_spec_kind = {
  .word = "stacked",
  .other_names = leaf_names,
  .parameter_names = parameter_names,
  .without_dtype = TRUE,
  .without_shape = TRUE,
  .class_name = "Stacked",
  .size = sizeof (ReelStackedSpec),
  .clear = clear,
  .change = reel_stacked_spec_change,
  .equal = equal,
  .make = reel_stacked_spec_make,
  .is_in = reel_stacked_spec_is_in,
  .enumerate = reel_stacked_spec_enumerate,
  .describe = describe,
  .from_form = from_form,
};

const ReelSpecKind reel_stacked_composite_spec_kind = {
  .word = "stacked-composite",
  .other_names = composite_names,
  .parameter_names = parameter_names,
  .without_dtype = TRUE,
  .without_shape = TRUE,
  .class_name = "StackedComposite",
  .size = sizeof (ReelStackedSpec),
  .clear = clear,
  .change = reel_stacked_spec_change,
  .get_entries = get_entries,
  .equal = equal,
  .describe = describe,
  .from_form = from_form,
};
