/* The grammar of texts that name an object: id[:name=value{,name=value}]. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_text_split:
 * @text: some text
 * @separator: a character that no quote, bracket or parenthesis is made of
 * @error: VALUE for a quote, bracket or parenthesis without its other half, or more than 64 in each
 *   other
 *
 * Cuts @text at every @separator that stands outside of quotes, brackets and parentheses.
 *
 * Returns: (transfer full): the pieces, without the space around them; none for blank @text
 */
char **reel_text_split (const char *text, char separator, GError **error);

/**
 * reel_text_cut:
 * @text: some text
 * @separator: where to cut; its first occurrence
 * @tail: (out) (nullable): what follows it, stripped; %NULL when there is no @separator
 *
 * Returns: (transfer full): what stands before, stripped
 */
char *reel_text_cut (const char *text, char separator, char **tail);

/**
 * reel_text_unwrap:
 * @value: a value
 * @open: `[` or `(`
 * @close: its other half
 *
 * Returns: (transfer full) (nullable): what @open and @close enclose, or %NULL when @value is no
 *   such thing
 */
char *reel_text_unwrap (const char *value, char open, char close);

/**
 * reel_text_unquote:
 * @value: a word, a number or `'quoted'`, in which `''` stands for a quote
 * @error: VALUE for anything else
 *
 * Returns: (transfer full): the string that is meant
 */
char *reel_text_unquote (const char *value, GError **error);

/**
 * reel_text_quote:
 * @string: any string
 *
 * Returns: (transfer full): @string as a word where that is safe, else `'quoted'`
 */
char *reel_text_quote (const char *string);

G_END_DECLS
