/* Normal draws with the same bits on every machine. Private. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_normal_from_word:
 * @word: 64 random bits
 *
 * The inverse of the normal distribution at (upper 53 bits + ½) · 2^−53, by Wichura's AS 241
 * (PPND16, Applied Statistics 37, 1988), on +, −, ×, ÷ and √ alone: libm's logarithm is not the
 * same everywhere.
 *
 * Returns: a standard normal value, within ±8.3
 */
double reel_normal_from_word (guint64 word);

G_END_DECLS
