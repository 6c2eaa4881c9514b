/* JSON files read and written such that every fault names file, place, found and expected. The
 * values are jansson's. Private to the library. */
#pragma once

#include "../tensor/tensor.h"

#include <jansson.h>

G_BEGIN_DECLS

/**
 * ReelJsonStyle:
 * @REEL_JSON_COMPACT: as orjson writes it: no blanks, raw UTF-8; of `meta.json`
 * @REEL_JSON_SPACED: as Python's json writes it: `", "`, `": "`, ASCII alone; of all other files
 *
 * How a value is written.
 */
typedef enum
{
  REEL_JSON_COMPACT,
  REEL_JSON_SPACED,
} ReelJsonStyle;

/**
 * reel_json_parse:
 * @path: the file that the text came from, for messages
 * @text: the text
 * @length: its bytes
 * @error: DAMAGED with line and column when it is no JSON (duplicate keys, NaN and integers beyond
 *   64 bits are none), or when it is no object
 *
 * Returns: (transfer full): the object
 */
json_t *reel_json_parse (const char *path, const char *text, gsize length, GError **error);

/**
 * reel_json_load_file:
 * @path: a file that holds one JSON object
 * @error: DAMAGED when it is missing, unreasonably large, no JSON or no object; IO
 *
 * Returns: (transfer full): the object
 */
json_t *reel_json_load_file (const char *path, GError **error);

/**
 * reel_json_to_string:
 * @value: an object or array
 * @style: how
 *
 * Returns: (transfer full): the text, without a newline at its end
 */
char *reel_json_to_string (const json_t *value, ReelJsonStyle style);

/**
 * reel_json_describe:
 * @value: (nullable): any value
 *
 * Returns: (transfer full): it in a message: `the real 3.5`, `an object`, `nothing`
 */
char *reel_json_describe (const json_t *value);

/**
 * reel_json_bad_member:
 * @object: an object
 * @path: the file it came from
 * @key: the member at fault
 * @expected: what should be there
 * @error: DAMAGED, always set, with what is there
 *
 * Returns: FALSE
 */
gboolean reel_json_bad_member (const json_t *object, const char *path, const char *key,
                               const char *expected, GError **error);

/**
 * reel_json_get_int64:
 * @object: an object
 * @path: the file it came from, for messages
 * @key: a member that must be there
 * @low: smallest value
 * @high: largest value
 * @value: (out): what it holds
 * @error: DAMAGED when it is missing, no JSON integer (`5.0` is none) or out of range
 *
 * Returns: whether @value was set
 */
gboolean reel_json_get_int64 (const json_t *object, const char *path, const char *key, gint64 low,
                              gint64 high, gint64 *value, GError **error);

/**
 * reel_json_get_int64_or:
 * @object: an object
 * @path: the file it came from, for messages
 * @key: a member that may be missing or null
 * @low: smallest value
 * @high: largest value
 * @otherwise: what @value is set to without it
 * @value: (out): what it holds
 * @error: DAMAGED when it is there and no JSON integer or out of range
 *
 * Returns: whether @value was set
 */
gboolean reel_json_get_int64_or (const json_t *object, const char *path, const char *key,
                                 gint64 low, gint64 high, gint64 otherwise, gint64 *value,
                                 GError **error);

/**
 * reel_json_get_bool:
 * @object: an object
 * @path: the file it came from, for messages
 * @key: a member that must be there
 * @value: (out): what it holds
 * @error: DAMAGED when it is missing or no boolean
 *
 * Returns: whether @value was set
 */
gboolean reel_json_get_bool (const json_t *object, const char *path, const char *key,
                             gboolean *value, GError **error);

/**
 * reel_json_get_string:
 * @object: an object
 * @path: the file it came from, for messages
 * @key: a member that must be there
 * @error: DAMAGED when it is missing or no string
 *
 * Returns: (transfer none): what it holds, valid while @object lives
 */
const char *reel_json_get_string (const json_t *object, const char *path, const char *key,
                                  GError **error);

/**
 * reel_json_get_shape:
 * @object: an object
 * @path: the file it came from, for messages
 * @key: a member that must be there
 * @ndim: (out): how many extents
 * @shape: (out) (array length=REEL_MAX_NDIM): the extents
 * @error: DAMAGED when it is missing or no array of at most %REEL_MAX_NDIM integers of 0 and more
 *
 * Returns: whether the two were set
 */
gboolean reel_json_get_shape (const json_t *object, const char *path, const char *key, gint *ndim,
                              gint64 *shape, GError **error);

/**
 * reel_json_new_shape:
 * @ndim: how many extents
 * @shape: (array length=ndim): the extents
 *
 * Returns: (transfer full): an array of them
 */
json_t *reel_json_new_shape (gint ndim, const gint64 *shape);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

G_END_DECLS
