#include "openml-files.h"

#include "../core/formats/json.h"
#include "../core/object/error.h"
#include "source-files.h"

#include <string.h>

#define REPLIES "api/v1/json/data"
#define GZIP ".gz"
#define MOST_BYTES ((gsize) 16 << 20) /* of a reply */

/* ---- files ---- */

ReelByteStream *
reel_openml_open (const char *path, GError **error)
{
  g_autoptr (ReelMemory) file = reel_source_map (path, error);

  if (!file)
    return NULL;
  return g_str_has_suffix (path, GZIP) ? reel_byte_stream_new_gzip (file)
                                       : reel_byte_stream_new (file);
}

static char *
find_file (const char *from, const char *name, GError **error)
{
  g_autofree char *packed = g_strconcat (name, GZIP, NULL);

  return reel_source_find (from, (const char *[]){ name, packed, NULL }, error);
}

static char *
read_text (const char *path, gsize *length, GError **error)
{
  g_autoptr (ReelByteStream) stream = reel_openml_open (path, error);
  g_autofree char *text = g_malloc (MOST_BYTES);

  if (!stream)
    return NULL;
  if (reel_byte_stream_read (stream, (guint8 *) text, MOST_BYTES, length, error)
      && reel_byte_stream_end (stream, error))
    return g_realloc (g_steal_pointer (&text), MAX (*length, 1));
  g_prefix_error (error, "%s: ", path);
  return NULL;
}

/* ---- replies ---- */

/* A member below others, which must be of @type. */
static json_t *
get_member (const json_t *object, const char *path, const char *key, json_type type, GError **error)
{
  json_t *member = json_object_get (object, key);

  if (member && json_typeof (member) == type)
    return member;
  reel_json_bad_member (object, path, key,
                        type == JSON_ARRAY    ? "an array"
                        : type == JSON_OBJECT ? "an object"
                                              : "a string",
                        error);
  return NULL;
}

/* A reply is an object of one object, which is returned. */
static json_t *
read_reply (const char *from, const char *name, const char *key, char **path, GError **error)
{
  gsize length;
  g_autofree char *text = NULL;
  g_autoptr (json_t) reply = NULL;
  json_t *member;

  *path = find_file (from, name, error);
  if (!*path || !(text = read_text (*path, &length, error))
      || !(reply = reel_json_parse (*path, text, length, error)))
    return NULL;
  member = get_member (reply, *path, key, JSON_OBJECT, error);
  return member ? json_incref (member) : NULL;
}

/* Numbers are numbers or texts in OpenML's replies. */
static gboolean
read_number (const json_t *object, const char *path, const char *key, gint64 *number,
             GError **error)
{
  const json_t *member = json_object_get (object, key);
  const char *text = json_string_value (member);
  char *end = NULL;
  double value = text ? g_ascii_strtod (text, &end) : json_number_value (member);

  if ((json_is_number (member) || (text && end > text && !*end)) && value >= 0 && value < 1e15)
    {
      *number = (gint64) value;
      return TRUE;
    }
  return reel_json_bad_member (object, path, key, "a number of 0 and more", error);
}

static gboolean
find_id (const char *from, const char *name, int version, gint64 *id, GError **error)
{
  g_autofree char *file =
      g_strdup_printf (REPLIES "/list/data_name/%s/limit/2/data_version/%d", name, version);
  g_autofree char *path = NULL;
  g_autoptr (json_t) list = read_reply (from, file, "data", &path, error);
  const json_t *sets = list ? get_member (list, path, "dataset", JSON_ARRAY, error) : NULL;

  return sets && read_number (json_array_get (sets, 0), path, "did", id, error);
}

/* The part of a URL behind the name of the server, which leads nowhere else. */
static const char *
find_url_path (const char *url)
{
  const char *server = strstr (url, "://");
  const char *slash = server ? strchr (server + 3, '/') : NULL;

  return slash && slash[1] && !strstr (slash, "..") ? slash + 1 : NULL;
}

static gboolean
read_description (ReelOpenmlTable *self, const char *from, gint64 id, GError **error)
{
  g_autofree char *file = g_strdup_printf (REPLIES "/%" G_GINT64_FORMAT, id), *path = NULL;
  g_autoptr (json_t) reply = read_reply (from, file, "data_set_description", &path, error);
  const char *url = reply ? reel_json_get_string (reply, path, "url", error) : NULL;
  const char *md5 = url ? reel_json_get_string (reply, path, "md5_checksum", error) : NULL;

  if (!md5)
    return FALSE;
  if (!find_url_path (url))
    return reel_json_bad_member (reply, path, "url", "the URL of a file", error);
  self->md5 = g_ascii_strdown (md5, -1);
  self->path = find_file (from, find_url_path (url), error);
  return self->path != NULL;
}

static gboolean
is_true (const json_t *feature, const char *key)
{
  return g_strcmp0 (json_string_value (json_object_get (feature, key)), "true") == 0;
}

static gboolean
read_feature (ReelOpenmlTable *self, const json_t *feature, const char *path, GError **error)
{
  const char *name = reel_json_get_string (feature, path, "name", error);

  if (!name)
    return FALSE;
  if (is_true (feature, "is_target") && self->target)
    return reel_json_bad_member (feature, path, "is_target", "true of one column alone", error);
  if (is_true (feature, "is_target"))
    self->target = g_strdup (name);
  if (is_true (feature, "is_target") || is_true (feature, "is_ignore")
      || is_true (feature, "is_row_identifier"))
    g_hash_table_add (self->ignored, g_strdup (name));
  return TRUE;
}

static gboolean
read_features (ReelOpenmlTable *self, const char *from, gint64 id, GError **error)
{
  g_autofree char *file = g_strdup_printf (REPLIES "/features/%" G_GINT64_FORMAT, id);
  g_autofree char *path = NULL;
  g_autoptr (json_t) reply = read_reply (from, file, "data_features", &path, error);
  const json_t *features = reply ? get_member (reply, path, "feature", JSON_ARRAY, error) : NULL;

  if (!features)
    return FALSE;
  for (gsize i = 0; i < json_array_size (features); i++)
    if (!read_feature (self, json_array_get (features, i), path, error))
      return FALSE;
  return self->target
         || reel_json_bad_member (reply, path, "feature", "an array with one target", error);
}

static gboolean
read_qualities (ReelOpenmlTable *self, const char *from, gint64 id, GError **error)
{
  g_autofree char *file = g_strdup_printf (REPLIES "/qualities/%" G_GINT64_FORMAT, id);
  g_autofree char *path = NULL;
  g_autoptr (json_t) reply = read_reply (from, file, "data_qualities", &path, error);
  const json_t *qualities = reply ? get_member (reply, path, "quality", JSON_ARRAY, error) : NULL;

  for (gsize i = 0; i < json_array_size (qualities); i++)
    {
      const json_t *quality = json_array_get (qualities, i);
      const char *name = json_string_value (json_object_get (quality, "name"));

      if (g_strcmp0 (name, "NumberOfInstances") == 0)
        return read_number (quality, path, "value", &self->n_rows, error);
    }
  if (qualities)
    reel_json_bad_member (reply, path, "quality", "an array with NumberOfInstances", error);
  return FALSE;
}

ReelOpenmlTable *
reel_openml_find (const char *from, const char *name, int version, GError **error)
{
  g_autoptr (ReelOpenmlTable) self = g_new0 (ReelOpenmlTable, 1);
  gint64 id;

  self->ignored = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return find_id (from, name, version, &id, error) && read_description (self, from, id, error)
                 && read_features (self, from, id, error) && read_qualities (self, from, id, error)
             ? g_steal_pointer (&self)
             : NULL;
}

void
reel_openml_table_free (ReelOpenmlTable *self)
{
  if (!self)
    return;
  g_free (self->path);
  g_free (self->md5);
  g_free (self->target);
  g_hash_table_unref (self->ignored);
  g_free (self);
}
