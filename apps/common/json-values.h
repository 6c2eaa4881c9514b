/* Elements, tensors and tensordicts as JSON. NaN and infinities become the strings nan, inf, -inf.
 */
#pragma once

#include "../../src/reel.h"

#include <jansson.h>

G_BEGIN_DECLS

json_t *json_from_double (double value);
json_t *json_from_element (ReelDtype dtype, gconstpointer element);

/* null where it is negative, or NULL. */
json_t *json_count_or_null (gint64 count);
json_t *json_string_or_null (const char *text);

/* Nested lists; a scalar gives its value. */
json_t *json_from_tensor (const ReelTensor *tensor);

/* Values other than tensors: strings, numbers, lists and objects of them. */
json_t *json_from_variant (GVariant *value);

/* Prints nested objects on one line, row by row: values take ten times the memory of the tensors.
 * A lazy stack is a list. */
void json_print_tensordict (const ReelTensordict *td);

/* The value as text, "[126, 8]"; drops the value. Free it with g_free(). */
char *json_take_text (json_t *value);

/* Prints one line and drops the value. */
void json_print (json_t *value);

G_END_DECLS
