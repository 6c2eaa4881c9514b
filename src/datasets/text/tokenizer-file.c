/* tokenizer.json of Hugging Face: what a byte-level encoding has is read, all else is refused by
 * its name. The source of the format is the package `tokenizers`. */
#include "../../core/formats/json.h"
#include "../../core/system/paths.h"
#include "tokenizer-private.h"

#include <string.h>

/* refuse: sets the error for a part of the file that is not supported. Returns FALSE. */
static gboolean
refuse (const ReelTokenizer *self, const char *key, const char *expected, const char *found,
        GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s: \"%s\": %s is unsupported; expected %s", self->path, key, found, expected);
  return FALSE;
}

static const char *
type_of (const json_t *value)
{
  const char *type = json_string_value (json_object_get (value, "type"));

  return type ? type : "a part without a \"type\"";
}

static gboolean
is_absent (const json_t *value)
{
  return !value || json_is_null (value);
}

static gboolean
check_absent (const ReelTokenizer *self, const json_t *root, const char *key, GError **error)
{
  const json_t *part = json_object_get (root, key);

  return is_absent (part) || refuse (self, key, "null", type_of (part), error);
}

static gboolean
check_byte_level (const ReelTokenizer *self, const json_t *root, const char *key,
                  gboolean may_be_absent, GError **error)
{
  const json_t *part = json_object_get (root, key);

  if (is_absent (part))
    return may_be_absent
           || reel_json_bad_member (root, self->path, key, "an object of the type ByteLevel",
                                    error);
  return g_str_equal (type_of (part), "ByteLevel")
         || refuse (self, key, "ByteLevel", type_of (part), error);
}

/* A flag has one value that is read; a missing flag has the default. */
static gboolean
check_flag (const ReelTokenizer *self, const json_t *part, const char *key, gboolean expected,
            gboolean initial, GError **error)
{
  gboolean value = initial;

  if (!is_absent (json_object_get (part, key))
      && !reel_json_get_bool (part, self->path, key, &value, error))
    return FALSE;
  return value == expected
         || refuse (self, key, expected ? "true" : "false", value ? "true" : "false", error);
}

/* An affix, or null. */
static gboolean
check_empty (const ReelTokenizer *self, const json_t *model, const char *key, GError **error)
{
  const json_t *value = json_object_get (model, key);
  g_autofree char *found = reel_json_describe (value);

  return is_absent (value) || (json_is_string (value) && *json_string_value (value) == '\0')
         || refuse (self, key, "\"\" or null", found, error);
}

static gboolean
check_parts (const ReelTokenizer *self, const json_t *root, GError **error)
{
  const json_t *cutter = json_object_get (root, "pre_tokenizer");

  return check_absent (self, root, "normalizer", error)
         && check_byte_level (self, root, "pre_tokenizer", FALSE, error)
         && check_flag (self, cutter, "add_prefix_space", FALSE, TRUE, error)
         && check_flag (self, cutter, "use_regex", TRUE, TRUE, error)
         && check_byte_level (self, root, "post_processor", TRUE, error)
         && check_byte_level (self, root, "decoder", FALSE, error);
}

static gboolean
check_model (const ReelTokenizer *self, const json_t *model, GError **error)
{
  const json_t *dropout = json_object_get (model, "dropout");
  g_autofree char *found = reel_json_describe (dropout);

  if (!g_str_equal (type_of (model), "BPE"))
    return refuse (self, "model", "BPE", type_of (model), error);
  if (!is_absent (dropout) && json_number_value (dropout) != 0)
    return refuse (self, "dropout", "null", found, error);
  return check_empty (self, model, "continuing_subword_prefix", error)
         && check_empty (self, model, "end_of_word_suffix", error)
         && check_flag (self, model, "byte_fallback", FALSE, FALSE, error)
         && check_flag (self, model, "ignore_merges", FALSE, FALSE, error);
}

static gboolean
add_token (ReelTokenizer *self, const char *name, gint64 id, gboolean is_text, GError **error)
{
  if (reel_token_table_add (&self->tokens, name, (guint32) id, is_text))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: the token \"%s\" has the id %" G_GINT64_FORMAT
               ", but the token or the id is there already",
               self->path, name, id);
  return FALSE;
}

static gboolean
read_vocabulary (ReelTokenizer *self, json_t *model, GError **error)
{
  json_t *vocabulary = json_object_get (model, "vocab"), *value;
  const char *name;

  if (!json_is_object (vocabulary))
    return reel_json_bad_member (model, self->path, "vocab", "an object of tokens and ids", error);
  json_object_foreach (vocabulary, name, value)
  {
    gint64 id;
    if (!reel_json_get_int64 (vocabulary, self->path, name, 0, REEL_MAX_TOKEN_ID, &id, error)
        || !add_token (self, name, id, FALSE, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
find_bytes (ReelTokenizer *self, GError **error)
{
  for (guint byte = 0; byte < 256; byte++)
    {
      char name[7] = { 0 };
      g_unichar_to_utf8 (reel_byte_char ((guint8) byte), name);
      if (reel_token_table_find (&self->tokens, name, &self->byte_ids[byte]))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: \"vocab\": expected a token of each byte, found none of the byte %u, "
                   "\"%s\"",
                   self->path, byte, name);
      return FALSE;
    }
  return TRUE;
}

/* The two names of a merge, in either spelling. */
static gboolean
split_merge (const json_t *merge, char **left, char **right)
{
  const char *text = json_string_value (merge), *gap = text ? strchr (text, ' ') : NULL;
  const char *first = json_string_value (json_array_get (merge, 0));
  const char *second = json_string_value (json_array_get (merge, 1));

  if (gap && !strchr (gap + 1, ' '))
    {
      *left = g_strndup (text, (gsize) (gap - text));
      *right = g_strdup (gap + 1);
      return TRUE;
    }
  if (!first || !second || json_array_size (merge) != 2)
    return FALSE;
  *left = g_strdup (first);
  *right = g_strdup (second);
  return TRUE;
}

static gboolean
read_merge (ReelTokenizer *self, const json_t *entry, gsize rank, GError **error)
{
  g_autofree char *left = NULL, *right = NULL, *both = NULL;
  guint32 left_id, right_id;
  ReelMerge merge = { .rank = (guint32) rank };

  if (!split_merge (entry, &left, &right))
    {
      g_autofree char *found = reel_json_describe (entry);
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: \"merges\": entry %" G_GSIZE_FORMAT
                   ": expected \"a b\" or [\"a\", \"b\"], found %s",
                   self->path, rank, found);
      return FALSE;
    }
  both = g_strconcat (left, right, NULL);
  const char *const names[] = { left, right, both };
  guint32 *const ids[] = { &left_id, &right_id, &merge.id };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (!reel_token_table_find (&self->tokens, names[i], ids[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                     "%s: \"merges\": entry %" G_GSIZE_FORMAT ": \"vocab\" lacks the token \"%s\"",
                     self->path, rank, names[i]);
        return FALSE;
      }
  merge.pair = reel_merge_pair (left_id, right_id);
  reel_merge_table_set (&self->merges, merge);
  return TRUE;
}

static gboolean
read_merges (ReelTokenizer *self, const json_t *model, GError **error)
{
  const json_t *merges = json_object_get (model, "merges");
  gsize n = json_array_size (merges);

  if (!json_is_array (merges))
    return reel_json_bad_member (model, self->path, "merges", "an array of pairs of tokens", error);
  reel_merge_table_init (&self->merges, n);
  for (gsize rank = 0; rank < n; rank++)
    if (!read_merge (self, json_array_get (merges, rank), rank, error))
      return FALSE;
  return TRUE;
}

static gboolean
read_added_token (ReelTokenizer *self, const json_t *token, GError **error)
{
  const char *content = reel_json_get_string (token, self->path, "content", error);
  gint64 id;
  gboolean special = FALSE;

  if (!content || !reel_json_get_int64 (token, self->path, "id", 0, REEL_MAX_TOKEN_ID, &id, error)
      || !check_flag (self, token, "single_word", FALSE, FALSE, error)
      || !check_flag (self, token, "lstrip", FALSE, FALSE, error)
      || !check_flag (self, token, "rstrip", FALSE, FALSE, error)
      || (json_object_get (token, "special")
          && !reel_json_get_bool (token, self->path, "special", &special, error)))
    return FALSE;
  if (*content == '\0')
    return reel_json_bad_member (token, self->path, "content", "a text", error);
  if (!add_token (self, content, id, TRUE, error))
    return FALSE;
  if (!reel_added_tokens_by_id (&self->added, (guint32) id))
    reel_added_tokens_add (&self->added, content, (guint32) id, special);
  return TRUE;
}

/* Whether a text may contain both such that one has bytes of the other. */
static gboolean
overlap (const char *a, const char *b)
{
  if (strstr (a, b) || strstr (b, a))
    return TRUE;
  for (const char *end = a + 1; *end; end++)
    if (g_str_has_prefix (b, end))
      return TRUE;
  for (const char *end = b + 1; *end; end++)
    if (g_str_has_prefix (a, end))
      return TRUE;
  return FALSE;
}

/* `tokenizers` finds the added tokens that are not normalized first, and the others in the rest.
 * All are found at once here, which is the same where they have no bytes in common. */
static gboolean
check_order (const ReelTokenizer *self, const json_t *added, GError **error)
{
  gsize n = json_array_size (added);

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      {
        const json_t *raw = json_array_get (added, i), *normalized = json_array_get (added, j);
        if (json_is_true (json_object_get (raw, "normalized"))
            || !json_is_true (json_object_get (normalized, "normalized")))
          continue;
        const char *a = json_string_value (json_object_get (raw, "content"));
        const char *b = json_string_value (json_object_get (normalized, "content"));
        if (overlap (a, b))
          return refuse (self, "added_tokens", "tokens without common bytes", b, error);
      }
  return TRUE;
}

static gboolean
read_added_tokens (ReelTokenizer *self, const json_t *root, GError **error)
{
  const json_t *added = json_object_get (root, "added_tokens"), *token;
  gsize i;

  if (is_absent (added))
    return TRUE;
  if (!json_is_array (added))
    return reel_json_bad_member (root, self->path, "added_tokens", "an array of tokens", error);
  json_array_foreach (added, i, token) if (!read_added_token (self, token, error)) return FALSE;
  return check_order (self, added, error);
}

gboolean
reel_tokenizer_read (ReelTokenizer *self, GError **error)
{
  g_autoptr (json_t) root =
      reel_path_check_exists (self->path, error) ? reel_json_load_file (self->path, error) : NULL;
  json_t *model = json_object_get (root, "model");

  if (!root || !check_parts (self, root, error))
    return FALSE;
  if (!json_is_object (model))
    return reel_json_bad_member (root, self->path, "model", "an object of the type BPE", error);
  return check_model (self, model, error) && read_vocabulary (self, model, error)
         && find_bytes (self, error) && read_merges (self, model, error)
         && read_added_tokens (self, root, error);
}
