/* JSON by jansson, with messages that name file, line and column, or the
 * member and its expected value. */
#include "json.h"

#include "../system/files.h"

#include <stdlib.h>
#include <string.h>

/* Metadata of a million keys, or a sidecar of as many checksums, is smaller. */
#define MAX_FILE_SIZE ((gsize) 256 << 20)

/* A value in a message is cut after this many bytes. */
#define MAX_SHOWN 60

static const char *
kind_name (const json_t *value)
{
  static const char *const names[] = {
    [JSON_OBJECT] = "an object",    [JSON_ARRAY] = "an array", [JSON_STRING] = "the string",
    [JSON_INTEGER] = "the integer", [JSON_REAL] = "the real",  [JSON_TRUE] = "true",
    [JSON_FALSE] = "false",         [JSON_NULL] = "null",
  };

  return names[json_typeof (value)];
}

char *
reel_json_describe (const json_t *value)
{
  if (!value)
    return g_strdup ("nothing");
  if (!json_is_string (value) && !json_is_number (value))
    return g_strdup (kind_name (value));

  char *text = json_dumps (value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
  if (!text)
    return g_strdup ("a string that is not UTF-8");
  gboolean cut = strlen (text) > MAX_SHOWN;
  char *result = g_strdup_printf ("%s %.*s%s", kind_name (value), MAX_SHOWN, text, cut ? "…" : "");
  free (text);
  return result;
}

json_t *
reel_json_parse (const char *path, const char *text, gsize length, GError **error)
{
  json_error_t fault;
  g_autoptr (json_t) root =
      /* Readers differ in which of two equal keys they take, so such text is refused. */
      json_loadb (text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);

  if (!root)
    {
      g_autofree char *valid = g_utf8_make_valid (fault.text, -1);
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s:%d:%d: %s", path, MAX (fault.line, 1),
                   MAX (fault.column, 0), valid);
      return NULL;
    }
  if (!json_is_object (root))
    {
      g_autofree char *found = reel_json_describe (root);
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: expected an object, found %s", path,
                   found);
      return NULL;
    }
  return g_steal_pointer (&root);
}

json_t *
reel_json_load_file (const char *path, GError **error)
{
  ReelPathKind kind;
  gsize length;

  if (!reel_path_query (path, &kind, NULL, error))
    return NULL;
  if (kind != REEL_PATH_FILE)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   kind == REEL_PATH_MISSING ? "%s: this JSON file is missing"
                                             : "%s: expected a JSON file, found something else",
                   path);
      return NULL;
    }
  g_autofree char *text = reel_file_read (path, MAX_FILE_SIZE, &length, error);
  return text ? reel_json_parse (path, text, length, error) : NULL;
}

char *
reel_json_to_string (const json_t *value, ReelJsonStyle style)
{
  gsize flags = JSON_ENCODE_ANY | (style == REEL_JSON_COMPACT ? JSON_COMPACT : JSON_ENSURE_ASCII);
  char *text = json_dumps (value, flags);
  char *result = g_strdup (text);

  free (text);
  return result;
}

gboolean
reel_json_bad_member (const json_t *object, const char *path, const char *key, const char *expected,
                      GError **error)
{
  const json_t *member = json_object_get (object, key);
  g_autofree char *found = reel_json_describe (member);

  if (member)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: \"%s\": expected %s, found %s", path,
                 key, expected, found);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: \"%s\" is missing; expected %s", path,
                 key, expected);
  return FALSE;
}

gboolean
reel_json_get_int64 (const json_t *object, const char *path, const char *key, gint64 low,
                     gint64 high, gint64 *value, GError **error)
{
  const json_t *member = json_object_get (object, key);
  gint64 found = json_integer_value (member);

  if (!json_is_integer (member) || found < low || found > high)
    {
      g_autofree char *expected =
          g_strdup_printf ("an integer from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, low, high);
      return reel_json_bad_member (object, path, key, expected, error);
    }
  *value = found;
  return TRUE;
}

gboolean
reel_json_get_int64_or (const json_t *object, const char *path, const char *key, gint64 low,
                        gint64 high, gint64 otherwise, gint64 *value, GError **error)
{
  const json_t *member = json_object_get (object, key);

  if (member && !json_is_null (member))
    return reel_json_get_int64 (object, path, key, low, high, value, error);
  *value = otherwise;
  return TRUE;
}

gboolean
reel_json_get_bool (const json_t *object, const char *path, const char *key, gboolean *value,
                    GError **error)
{
  const json_t *member = json_object_get (object, key);

  if (!json_is_boolean (member))
    return reel_json_bad_member (object, path, key, "true or false", error);
  *value = json_is_true (member);
  return TRUE;
}

const char *
reel_json_get_string (const json_t *object, const char *path, const char *key, GError **error)
{
  const json_t *member = json_object_get (object, key);

  if (!json_is_string (member))
    reel_json_bad_member (object, path, key, "a string", error);
  return json_string_value (member);
}

gboolean
reel_json_get_shape (const json_t *object, const char *path, const char *key, gint *ndim,
                     gint64 *shape, GError **error)
{
  const json_t *member = json_object_get (object, key);
  gsize n = json_array_size (member);

  if (!json_is_array (member) || n > REEL_MAX_NDIM)
    return reel_json_bad_member (
        object, path, key, "an array of at most " G_STRINGIFY (REEL_MAX_NDIM) " integers", error);
  for (gsize i = 0; i < n; i++)
    {
      const json_t *extent = json_array_get (member, i);
      shape[i] = json_integer_value (extent);
      if (!json_is_integer (extent) || shape[i] < 0)
        {
          g_autofree char *found = reel_json_describe (extent);
          g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "%s: \"%s\"[%" G_GSIZE_FORMAT "]: expected an integer of at least 0, "
                       "found %s",
                       path, key, i, found);
          return FALSE;
        }
    }
  *ndim = (gint) n;
  return TRUE;
}

json_t *
reel_json_new_shape (gint ndim, const gint64 *shape)
{
  json_t *array = json_array ();

  for (gint i = 0; i < ndim; i++)
    json_array_append_new (array, json_integer (shape[i]));
  return array;
}
