#include "composite-spec.h"

#include <string.h>

#include "../spec-change.h"
#include "../spec-form.h"

static const ReelCompositeSpec *
composite (const ReelSpec *spec)
{
  return (const ReelCompositeSpec *) spec;
}

gboolean
reel_spec_is_composite (const ReelSpec *spec)
{
  g_return_val_if_fail (spec, FALSE);

  return spec->kind->get_entries != NULL;
}

/* ---- entries ---- */

const ReelSpecEntry *
reel_spec_get_entries (const ReelSpec *spec, gsize *n)
{
  return spec->kind->get_entries (spec, n);
}

static const ReelSpecEntry *
get_entries (const ReelSpec *spec, gsize *n)
{
  *n = composite (spec)->entries->len;
  return (const ReelSpecEntry *) (gpointer) composite (spec)->entries->data;
}

const ReelSpecEntry *
reel_spec_find_entry (const ReelSpec *spec, const char *path, gsize length)
{
  gsize n = 0;
  const ReelSpecEntry *entries = NULL;

  if (reel_spec_is_composite (spec))
    entries = reel_spec_get_entries (spec, &n);
  for (gsize i = 0; i < n; i++)
    if (strlen (entries[i].path) == length && strncmp (entries[i].path, path, length) == 0)
      return &entries[i];
  return NULL;
}

void
reel_spec_entry_clear (gpointer data)
{
  ReelSpecEntry *entry = data;

  g_free (entry->key);
  g_free (entry->path);
  g_clear_pointer (&entry->spec, reel_spec_unref);
}

/* ---- putting entries ---- */

static gboolean
begins_with (const ReelSpec *spec, const ReelSpec *batch)
{
  return spec->ndim >= batch->ndim
         && memcmp (spec->shape, batch->shape, (gsize) batch->ndim * sizeof *batch->shape) == 0;
}

static gboolean
fail_shape (const ReelSpec *self, const char *key, const ReelSpec *spec, GError **error)
{
  g_autofree char *has = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
  g_autofree char *wants = reel_spec_format_shape (self->ndim, self->shape, ", ");

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\": the shapes of the spec %s and the Composite mismatch: the first %d "
               "dimensions should match but got spec.shape=%s and Composite.shape=%s",
               key, reel_spec_class_name (spec), self->ndim, has, wants);
  return FALSE;
}

/* @spec with the batch dimensions of @self, or NULL. */
static ReelSpec *
fit_shape (const ReelSpec *self, const char *key, const ReelSpec *spec, GError **error)
{
  if (begins_with (spec, self))
    return reel_spec_ref (spec);
  if (spec->kind->widen && begins_with (self, spec))
    return spec->kind->widen (spec, self->ndim, self->shape, error);
  fail_shape (self, key, spec, error);
  return NULL;
}

/* An entry of a composite: of its batch dimensions and of its device. */
static ReelSpec *
fit (const ReelCompositeSpec *self, const char *key, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) fitting = fit_shape (&self->head, key, spec, error);

  if (!fitting || !self->on_cpu || !reel_spec_is_composite (fitting))
    return g_steal_pointer (&fitting);
  return reel_spec_set_device (fitting, "cpu", error);
}

static gboolean
is_reserved (const char *key)
{
  static const char *const reserved[] = { "shape", "device", "dtype", "space", NULL };

  return g_strv_contains (reserved, key);
}

gboolean
reel_composite_spec_put (ReelCompositeSpec *self, const char *key, const ReelSpec *spec,
                         GError **error)
{
  g_autofree char *path = reel_path_escape (key);
  ReelSpecEntry *old = (ReelSpecEntry *) reel_spec_find_entry (&self->head, path, strlen (path));
  ReelSpecEntry entry = { 0 };

  if (is_reserved (key))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Composite[\"%s\"] cannot be set: the name is reserved", key);
      return FALSE;
    }
  entry.spec = spec ? fit (self, key, spec, error) : NULL;
  if (spec && !entry.spec)
    return FALSE;
  if (old)
    {
      g_clear_pointer (&old->spec, reel_spec_unref);
      old->spec = entry.spec;
      return TRUE;
    }
  entry.key = g_strdup (key);
  entry.path = g_steal_pointer (&path);
  g_array_append_val (self->entries, entry);
  return TRUE;
}

/* ---- making one ---- */

ReelCompositeSpec *
reel_composite_spec_new_like (const ReelSpec *like, gint ndim, const gint64 *shape, GError **error)
{
  ReelCompositeSpec *self =
      reel_spec_alloc (&reel_composite_spec_kind, REEL_DTYPE_BOOL, ndim, shape, error);

  if (!self)
    return NULL;
  self->entries = g_array_new (FALSE, FALSE, sizeof (ReelSpecEntry));
  g_array_set_clear_func (self->entries, reel_spec_entry_clear);
  if (like)
    {
      self->on_cpu = composite (like)->on_cpu;
      self->data_class = g_strdup (composite (like)->data_class);
    }
  return self;
}

void
reel_composite_spec_take_names (ReelCompositeSpec *self, char *const *names)
{
  for (gint i = 0; i < self->head.ndim; i++)
    {
      g_free (self->names[i]);
      self->names[i] = g_strdup (names[i]);
    }
}

ReelSpec *
reel_composite_spec_new (gint ndim, const gint64 *shape, const char *const *keys,
                         ReelSpec *const *specs, gsize n, GError **error)
{
  ReelCompositeSpec *self = reel_composite_spec_new_like (NULL, ndim, shape, error);
  g_autoptr (ReelSpec) made = (ReelSpec *) self;

  for (gsize i = 0; self && i < n; i++)
    {
      if (!reel_composite_spec_put (self, keys[i], specs[i], error))
        return NULL;
      if (self->entries->len == i + 1)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "the key \"%s\" is repeated", keys[i]);
      return NULL;
    }
  return g_steal_pointer (&made);
}

static void
clear (ReelSpec *spec)
{
  ReelCompositeSpec *self = (ReelCompositeSpec *) spec;

  g_array_unref (self->entries);
  g_free (self->data_class);
  for (gint i = 0; i < spec->ndim; i++)
    g_free (self->names[i]);
}

/* ---- what all kinds have ---- */

/* @spec without its entries, in another shape; it may have more dimensions than are changed. */
static ReelCompositeSpec *
change_batch (const ReelSpec *spec, const ReelSpecChange *change, GError **error)
{
  char *const *names = composite (spec)->names;
  gint64 shape[2 * REEL_MAX_NDIM];
  gint ndim = change->n_to;
  ReelCompositeSpec *self;

  for (gint i = 0; i < change->n_to; i++)
    shape[i] = change->to[i];
  for (gint i = change->n_from; i < spec->ndim; i++)
    shape[ndim++] = spec->shape[i];
  self = reel_composite_spec_new_like (spec, ndim, shape, error);
  if (!self)
    return NULL;
  for (gint i = 0; i < change->n_to; i++)
    self->names[i] = g_strdup (change->origins[i] >= 0 ? names[change->origins[i]] : NULL);
  for (gint i = change->n_from; i < spec->ndim; i++)
    self->names[change->n_to + i - change->n_from] = g_strdup (names[i]);
  return self;
}

static ReelSpec *
change (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  ReelCompositeSpec *self = change_batch (spec, change, error);
  g_autoptr (ReelSpec) made = (ReelSpec *) self;
  gsize n;
  const ReelSpecEntry *entries = get_entries (spec, &n);

  for (gsize i = 0; self && i < n; i++)
    {
      g_autoptr (ReelSpec) child = NULL;

      if (entries[i].spec)
        child = reel_spec_change (entries[i].spec, change, error);
      if (entries[i].spec && !child)
        return NULL;
      if (!reel_composite_spec_put (self, entries[i].key, child, error))
        return NULL;
    }
  return g_steal_pointer (&made);
}

static gboolean
equal_entry (const ReelSpecEntry *mine, const ReelSpecEntry *theirs)
{
  if (!theirs || !mine->spec || !theirs->spec)
    return theirs && mine->spec == theirs->spec;
  return reel_spec_equal (mine->spec, theirs->spec);
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  const ReelCompositeSpec *a = composite (spec);
  const ReelCompositeSpec *b = composite (other);
  gsize n;
  const ReelSpecEntry *entries = get_entries (spec, &n);

  if (other->kind != &reel_composite_spec_kind || n != b->entries->len || a->on_cpu != b->on_cpu
      || g_strcmp0 (a->data_class, b->data_class) != 0)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!equal_entry (&entries[i],
                      reel_spec_find_entry (other, entries[i].path, strlen (entries[i].path))))
      return FALSE;
  return TRUE;
}

static const ReelSpecName other_names[] = {
  { "Composite", REEL_DTYPE_BOOL },
  { "CompositeSpec", REEL_DTYPE_BOOL },
  { NULL },
};
static const char *const parameter_names[] = { REEL_SPEC_FORM_SPECS, "device", "data-class",
                                               "names", NULL };

const ReelSpecKind reel_composite_spec_kind = {
  .word = "composite",
  .other_names = other_names,
  .parameter_names = parameter_names,
  .without_dtype = TRUE,
  .class_name = "Composite",
  .size = sizeof (ReelCompositeSpec),
  .default_dtype = REEL_DTYPE_BOOL,
  .clear = clear,
  .change = change,
  .widen = reel_spec_set_shape,
  .get_entries = get_entries,
  .equal = equal,
  .cardinality = reel_composite_spec_cardinality,
  .describe = reel_composite_spec_describe,
  .from_form = reel_composite_spec_from_form,
};
