/* Reads and writes reel.json. */
#include "config.h"

#include "sidecar.h"

#include "../../core/object/error.h"
#include "../../core/system/files.h"

#include <string.h>

ReelSidecar *
reel_sidecar_new (void)
{
  ReelSidecar *self = g_new0 (ReelSidecar, 1);

  self->stream = self->dim_extend = -1;
  return self;
}

void
reel_sidecar_free (ReelSidecar *self)
{
  if (!self)
    return;
  g_free (self->storage);
  g_free (self->sampler);
  g_free (self->writer);
  g_free (self->checkpointer);
  for (gint d = 0; d < REEL_MAX_NDIM; d++)
    g_free (self->names[d]);
  g_free (self->boot_id);
  g_free (self->ring);
  json_decref (self->checksums);
  json_decref (self->checksums_before);
  json_decref (self->info);
  g_free (self);
}

static json_t *
string_or_null (const char *text)
{
  return text ? json_string (text) : json_null ();
}

gint64
reel_sidecar_get_lanes (const ReelSidecar *self)
{
  gint64 lanes = 1;

  for (gint d = 1; d < self->ndim; d++)
    lanes *= self->shape[d];
  return lanes;
}

char *
reel_sidecar_to_text (const ReelSidecar *self)
{
  g_autoptr (json_t) root = json_object ();
  json_t *shape = json_array (), *names = json_array ();
  char *text, *line;

  for (gint d = 0; d < self->ndim; d++)
    {
      json_array_append_new (shape, json_integer (self->shape[d]));
      json_array_append_new (names, string_or_null (self->names[d]));
    }
  json_object_set_new (root, "format", json_integer (REEL_SIDECAR_FORMAT));
  json_object_set_new (root, "library", json_string (PACKAGE_VERSION));
  json_object_set_new (root, "storage", string_or_null (self->storage));
  json_object_set_new (root, "sampler", string_or_null (self->sampler));
  json_object_set_new (root, "writer", string_or_null (self->writer));
  if (self->checkpointer)
    json_object_set_new (root, "checkpointer", json_string (self->checkpointer));
  json_object_set_new (root, "capacity",
                       json_integer (self->shape[0] * reel_sidecar_get_lanes (self)));
  json_object_set_new (root, "ndim", json_integer (self->ndim));
  if (self->dim_extend >= 0 && self->dim_extend != self->ndim - 1)
    json_object_set_new (root, "dim_extend", json_integer (self->dim_extend));
  json_object_set_new (root, "shape", shape);
  json_object_set_new (root, "names", names);
  json_object_set_new (root, "begin", json_integer (self->begin));
  json_object_set_new (root, "end", json_integer (self->end));
  json_object_set_new (root, "write_count", json_integer (self->write_count));
  json_object_set_new (root, "clean", json_boolean (self->clean));
  json_object_set_new (root, "boot_id", string_or_null (self->boot_id));
  if (self->ring && !self->clean)
    json_object_set_new (root, "ring", json_string (self->ring));
  if (self->stream >= 0)
    json_object_set_new (root, "stream", json_integer (self->stream));
  if (self->prefetch > 0)
    json_object_set_new (root, "prefetch", json_integer (self->prefetch));
  json_object_set_new (root, "checksums",
                       self->checksums ? json_incref (self->checksums) : json_null ());
  if (self->checksums_before)
    json_object_set (root, "checksums_before", self->checksums_before);
  json_object_set_new (root, "info", self->info ? json_incref (self->info) : json_object ());
  text = json_dumps (root, JSON_COMPACT);
  line = g_strconcat (text, "\n", NULL);
  free (text);
  return line;
}

static gboolean
read_text (const json_t *root, const char *path, const char *key, char **text, GError **error)
{
  const json_t *member = json_object_get (root, key);

  if (!member || json_is_null (member))
    return TRUE;
  if (!json_is_string (member))
    return reel_json_bad_member (root, path, key, "a string or null", error);
  *text = g_strdup (json_string_value (member));
  return TRUE;
}

static gboolean
read_shape (ReelSidecar *self, const json_t *root, const char *path, GError **error)
{
  const json_t *shape = json_object_get (root, "shape"), *names = json_object_get (root, "names");
  gint64 ndim;

  if (!reel_json_get_int64 (root, path, "ndim", 1, REEL_MAX_NDIM, &ndim, error))
    return FALSE;
  if (json_array_size (shape) != (gsize) ndim)
    return reel_json_bad_member (root, path, "shape", "an array of ndim integers", error);
  if (json_array_size (names) != (gsize) ndim)
    return reel_json_bad_member (root, path, "names", "an array of ndim names", error);
  if (!reel_json_get_int64_or (root, path, "dim_extend", 0, ndim - 1, ndim - 1, &self->dim_extend,
                               error))
    return FALSE;
  self->ndim = (gint) ndim;
  for (gint d = 0; d < self->ndim; d++)
    {
      const json_t *extent = json_array_get (shape, d), *name = json_array_get (names, d);

      self->shape[d] = json_integer_value (extent);
      if (!json_is_integer (extent) || self->shape[d] < 1)
        return reel_json_bad_member (root, path, "shape", "positive integers", error);
      if (!json_is_string (name) && !json_is_null (name))
        return reel_json_bad_member (root, path, "names", "strings or null", error);
      self->names[d] = g_strdup (json_string_value (name));
    }
  return TRUE;
}

static gboolean
read_counts (ReelSidecar *self, const json_t *root, const char *path, GError **error)
{
  const gint64 most = G_MAXINT64 / 2;

  return reel_json_get_int64 (root, path, "begin", 0, most, &self->begin, error)
         && reel_json_get_int64 (root, path, "end", self->begin, most, &self->end, error)
         && reel_json_get_int64 (root, path, "write_count", 0, most, &self->write_count, error)
         && reel_json_get_int64_or (root, path, "stream", 0, most, -1, &self->stream, error)
         && reel_json_get_int64_or (root, path, "prefetch", 1, most, 0, &self->prefetch, error)
         && reel_json_get_bool (root, path, "clean", &self->clean, error);
}

static gboolean
read_object (const json_t *root, const char *path, const char *key, json_t **object, GError **error)
{
  json_t *member = json_object_get (root, key);

  if (member && !json_is_null (member) && !json_is_object (member))
    return reel_json_bad_member (root, path, key, "an object or null", error);
  *object = json_is_object (member) ? json_incref (member) : NULL;
  return TRUE;
}

static gboolean
read_objects (ReelSidecar *self, const json_t *root, const char *path, GError **error)
{
  return read_object (root, path, "checksums", &self->checksums, error)
         && read_object (root, path, "checksums_before", &self->checksums_before, error)
         && read_object (root, path, "info", &self->info, error);
}

gboolean
reel_sidecar_check_format (const json_t *root, const char *path, GError **error)
{
  gint64 format;

  if (!reel_json_get_int64 (root, path, "format", 1, G_MAXINT64, &format, error))
    return FALSE;
  if (format == REEL_SIDECAR_FORMAT)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s: is of format %" G_GINT64_FORMAT
               ", this library reads format %d; use a newer one",
               path, format, REEL_SIDECAR_FORMAT);
  return FALSE;
}

ReelSidecar *
reel_sidecar_read (const char *path, GError **error)
{
  g_autoptr (json_t) root = reel_json_load_file (path, error);
  g_autoptr (ReelSidecar) self = reel_sidecar_new ();

  if (!root || !reel_sidecar_check_format (root, path, error)
      || !read_text (root, path, "storage", &self->storage, error)
      || !read_text (root, path, "sampler", &self->sampler, error)
      || !read_text (root, path, "writer", &self->writer, error)
      || !read_text (root, path, "checkpointer", &self->checkpointer, error)
      || !read_text (root, path, "boot_id", &self->boot_id, error)
      || !read_text (root, path, "ring", &self->ring, error)
      || !read_shape (self, root, path, error) || !read_counts (self, root, path, error)
      || !read_objects (self, root, path, error))
    return NULL;
  return g_steal_pointer (&self);
}

char **
reel_sidecar_list_missing (const char *path, GError **error)
{
  static const char *const always[] = { "library",  "storage", "sampler",   "writer",
                                        "capacity", "boot_id", "checksums", "info" };
  g_autoptr (json_t) root = reel_json_load_file (path, error);
  g_autoptr (GStrvBuilder) missing = g_strv_builder_new ();

  for (gsize i = 0; root && i < G_N_ELEMENTS (always); i++)
    if (!json_object_get (root, always[i]))
      g_strv_builder_add (missing, always[i]);
  return root ? g_strv_builder_end (missing) : NULL;
}

char *
reel_boot_id (void)
{
  char *text = reel_file_read ("/proc/sys/kernel/random/boot_id", 256, NULL, NULL);

  return text ? g_strstrip (text) : NULL;
}
