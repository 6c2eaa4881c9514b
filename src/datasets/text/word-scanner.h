/* Text cut into words as GPT-2 cuts it. The source is the pattern of OpenAI's encoder:
 * `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`. Private to the
 * library. */
#pragma once

#include "char-class.h"

G_BEGIN_DECLS

/**
 * REEL_WORD_SIGHT:
 *
 * Bytes behind the end of a word that its end may depend on: blanks end before the last of them
 * where another character follows it.
 */
#define REEL_WORD_SIGHT 8

/**
 * reel_word_end:
 * @classes: from reel_char_classes_new()
 * @word: the first byte of a word
 * @end: the end of the text, behind @word
 *
 * Bytes that are not UTF-8 are each a character of their own.
 *
 * Returns: the byte behind the word
 */
const guint8 *reel_word_end (const guint8 *classes, const guint8 *word, const guint8 *end);

G_END_DECLS
