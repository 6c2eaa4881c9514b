#include "composite-spec.h"

#include <string.h>

#include "../core/text.h"
#include "spec-change.h"

typedef struct
{
  ReelSpec head;

  gsize n;
  ReelSpecEntry *entries;
} CompositeSpec;

static const CompositeSpec *
composite (const ReelSpec *spec)
{
  return (const CompositeSpec *) spec;
}

gboolean
reel_spec_is_composite (const ReelSpec *spec)
{
  g_return_val_if_fail (spec, FALSE);

  return spec->kind == &reel_composite_spec_kind;
}

const ReelSpecEntry *
reel_composite_spec_get_entries (const ReelSpec *spec, gsize *n)
{
  *n = composite (spec)->n;
  return composite (spec)->entries;
}

static const ReelSpecEntry *
find_entry (const ReelSpec *spec, const char *path, gsize length)
{
  for (gsize i = 0; i < composite (spec)->n; i++)
    {
      const ReelSpecEntry *entry = &composite (spec)->entries[i];

      if (strlen (entry->path) == length && strncmp (entry->path, path, length) == 0)
        return entry;
    }
  return NULL;
}

static gboolean
check_entry (const CompositeSpec *self, const char *key, const ReelSpec *spec, GError **error)
{
  const ReelSpec *head = &self->head;
  g_autofree char *path = reel_path_escape (key);
  gsize bytes = (gsize) head->ndim * sizeof *head->shape;

  if (find_entry (head, path, strlen (path)))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "the key \"%s\" stands twice", key);
      return FALSE;
    }
  if (spec->ndim < head->ndim || memcmp (spec->shape, head->shape, bytes) != 0)
    {
      g_autofree char *has = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_autofree char *wants = reel_spec_format_shape (head->ndim, head->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the spec \"%s\" has shape %s, which does not begin with the composite's %s",
                   key, has, wants);
      return FALSE;
    }
  return TRUE;
}

static void
add_entry (CompositeSpec *self, const char *key, ReelSpec *spec)
{
  self->entries[self->n++] = (ReelSpecEntry){ g_strdup (key), reel_path_escape (key), spec };
}

ReelSpec *
reel_composite_spec_new (gint ndim, const gint64 *shape, const char *const *keys,
                         ReelSpec *const *specs, gsize n, GError **error)
{
  CompositeSpec *self =
      reel_spec_alloc (&reel_composite_spec_kind, REEL_DTYPE_BOOL, ndim, shape, error);

  if (!self)
    return NULL;
  self->entries = g_new0 (ReelSpecEntry, n);
  for (gsize i = 0; i < n; i++)
    {
      if (!check_entry (self, keys[i], specs[i], error))
        {
          reel_spec_unref (&self->head);
          return NULL;
        }
      add_entry (self, keys[i], reel_spec_ref (specs[i]));
    }
  return &self->head;
}

static void
clear (ReelSpec *spec)
{
  CompositeSpec *self = (CompositeSpec *) spec;

  for (gsize i = 0; i < self->n; i++)
    {
      g_free (self->entries[i].key);
      g_free (self->entries[i].path);
      reel_spec_unref (self->entries[i].spec);
    }
  g_free (self->entries);
}

static ReelSpec *
change (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  CompositeSpec *self = reel_spec_alloc (spec->kind, spec->dtype, change->n_to, change->to, error);
  gsize n;
  const ReelSpecEntry *entries = reel_composite_spec_get_entries (spec, &n);

  if (!self)
    return NULL;
  self->entries = g_new0 (ReelSpecEntry, n);
  for (gsize i = 0; i < n; i++)
    {
      ReelSpec *child = reel_spec_change (entries[i].spec, change, error);

      if (!child)
        {
          reel_spec_unref (&self->head);
          return NULL;
        }
      add_entry (self, entries[i].key, child);
    }
  return &self->head;
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  if (!reel_spec_is_composite (other) || composite (spec)->n != composite (other)->n)
    return FALSE;
  for (gsize i = 0; i < composite (spec)->n; i++)
    {
      const ReelSpecEntry *mine = &composite (spec)->entries[i];
      const ReelSpecEntry *theirs = find_entry (other, mine->path, strlen (mine->path));

      if (!theirs || !reel_spec_equal (mine->spec, theirs->spec))
        return FALSE;
    }
  return TRUE;
}

static void
to_text (const ReelSpec *spec, GString *text)
{
  for (gsize i = 0; i < composite (spec)->n; i++)
    {
      const ReelSpecEntry *entry = &composite (spec)->entries[i];
      g_autofree char *key = reel_text_quote (entry->key);
      g_autofree char *value = reel_spec_to_text (entry->spec);

      g_string_append_printf (text, ",%s=(%s)", key, value);
    }
}

const ReelSpecKind reel_composite_spec_kind = {
  .word = "composite",
  .class_name = "Composite",
  .size = sizeof (CompositeSpec),
  .default_dtype = REEL_DTYPE_BOOL,
  .clear = clear,
  .change = change,
  .equal = equal,
  .to_text = to_text,
};

/* ---- leaves ---- */

static void
list_leaves (const ReelSpec *spec, const char *prefix, GPtrArray *paths)
{
  for (gsize i = 0; i < composite (spec)->n; i++)
    {
      const ReelSpecEntry *entry = &composite (spec)->entries[i];
      g_autofree char *path = g_strconcat (prefix, entry->path, NULL);
      g_autofree char *inner = g_strconcat (path, "/", NULL);

      if (reel_spec_is_composite (entry->spec))
        list_leaves (entry->spec, inner, paths);
      else
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
}

char **
reel_spec_list_leaves (const ReelSpec *spec)
{
  GPtrArray *paths;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  paths = g_ptr_array_new ();
  list_leaves (spec, "", paths);
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

const ReelSpec *
reel_spec_get (const ReelSpec *spec, const char *path, GError **error)
{
  const char *at = path;

  g_return_val_if_fail (spec && path, NULL);

  for (;;)
    {
      gsize length = strcspn (at, "/");
      const ReelSpecEntry *entry =
          reel_spec_is_composite (spec) ? find_entry (spec, at, length) : NULL;

      if (!entry)
        break;
      if (at[length] == '\0')
        return entry->spec;
      spec = entry->spec;
      at += length + 1;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "the spec has no key \"%s\"", path);
  return NULL;
}
