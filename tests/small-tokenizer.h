/* Tokenizers of few merges, as a tokenizer.json that tests can damage. */
#pragma once

#include "../src/reel.h"

#include <jansson.h>

/* A tokenizer.json of the 256 bytes, ids 0 to 255, of merges "a b" joined by ";", ids from 256 on,
 * and of added tokens joined by a blank, ids behind those; "|" ahead of one makes it special. */
json_t *small_tokenizer_json (const char *merges, const char *added);

/* Reads it from a file of the test's directory. */
ReelTokenizer *small_tokenizer_load (const json_t *json, GError **error);

/* Both, without a fault. */
ReelTokenizer *small_tokenizer_new (const char *merges, const char *added);

/* The tokenizer of tests/data/text, 400 tokens. */
ReelTokenizer *golden_tokenizer (void);

/* The ids of a text. */
GArray *encode_text (ReelTokenizer *self, const char *text, gssize length);

void assert_same_ids (GArray *ids, GArray *expected);
