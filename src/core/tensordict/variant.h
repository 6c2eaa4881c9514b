/* Values that are no tensors, as GVariants of one canonical form: what JSON holds, and what Python
 * prints of them. Private to the library. */
#pragma once

#include "../object/error.h"

#include <jansson.h>

G_BEGIN_DECLS

/**
 * REEL_VARIANT_MAX_DEPTH:
 *
 * How deep lists and dicts may be nested: what GVariant can read back, whatever they hold.
 */
#define REEL_VARIANT_MAX_DEPTH 32

/**
 * reel_variant_canonical:
 * @value: (nullable): any value; a floating reference is sunk
 * @error: TYPE naming the type of what has no counterpart in JSON; VALUE for an unsigned integer
 *   beyond 2^63 − 1, or nesting beyond %REEL_VARIANT_MAX_DEPTH
 *
 * Brings a value into the form that equal values share: string `s`, integer `x`, number `d`, `b`,
 * none (also %NULL) `mv`, list `av`, dict `a{sv}`; a tuple stays one. Arrays become lists.
 *
 * Returns: (transfer full): the value
 */
GVariant *reel_variant_canonical (GVariant *value, GError **error);

/**
 * reel_variant_new_none:
 *
 * Returns: (transfer full): Python's None
 */
GVariant *reel_variant_new_none (void);

/**
 * reel_variant_is_none:
 * @value: a canonical value
 *
 * Returns: whether it is Python's None
 */
gboolean reel_variant_is_none (GVariant *value);

/**
 * reel_variant_from_json:
 * @json: a value
 * @error: VALUE when it is nested deeper than %REEL_VARIANT_MAX_DEPTH, or a string is no UTF-8
 *
 * Returns: (transfer full): the same in canonical form
 */
GVariant *reel_variant_from_json (const json_t *json, GError **error);

/**
 * reel_variant_to_json:
 * @value: a canonical value
 *
 * Tuples become arrays; NaN and infinities, which JSON lacks, null.
 *
 * Returns: (transfer full): the same as JSON
 */
json_t *reel_variant_to_json (GVariant *value);

/**
 * reel_variant_check_depth:
 * @depth: lists and dicts around a value
 * @error: VALUE beyond %REEL_VARIANT_MAX_DEPTH
 *
 * Returns: whether there may be a value
 */
gboolean reel_variant_check_depth (guint depth, GError **error);

/**
 * reel_variant_append_repr:
 * @text: where to
 * @value: a canonical value
 *
 * Appends what Python's `repr` gives: `{'a': [1, 2.5, None]}`.
 */
void reel_variant_append_repr (GString *text, GVariant *value);

/**
 * reel_variant_append_str:
 * @text: where to
 * @value: a canonical value
 *
 * Appends what Python's `str` gives: a string as it is, all else as reel_variant_append_repr().
 */
void reel_variant_append_str (GString *text, GVariant *value);

G_END_DECLS
