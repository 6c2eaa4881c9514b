/* Classes of characters in the pattern by which GPT-2 cuts text into words. Private to the library.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelCharClass:
 * @REEL_CHAR_OTHER: signs, marks, controls, bytes that are not UTF-8
 * @REEL_CHAR_LETTER: Unicode's `\p{L}`
 * @REEL_CHAR_NUMBER: `\p{N}`
 * @REEL_CHAR_SPACE: `\s`, which has U+0085 and no U+001C to U+001F
 *
 * The classes of the pattern. GLib's own tables follow its version of Unicode, and ids must not
 * depend on it.
 */
typedef enum
{
  REEL_CHAR_OTHER,
  REEL_CHAR_LETTER,
  REEL_CHAR_NUMBER,
  REEL_CHAR_SPACE,
} ReelCharClass;

/**
 * REEL_CHAR_CLASSES:
 *
 * Code points of a table of classes: all from here on are %REEL_CHAR_OTHER.
 */
#define REEL_CHAR_CLASSES 0x32400

/**
 * reel_unicode_runs:
 *
 * The first code point of each run of one class, ascending, times 4, and the class.
 */
extern const guint32 reel_unicode_runs[];
extern const gsize reel_n_unicode_runs;

/**
 * reel_char_classes_new:
 *
 * Returns: (transfer full) (array fixed-size=REEL_CHAR_CLASSES): the class of each code point; free
 *   with g_free()
 */
guint8 *reel_char_classes_new (void);

G_END_DECLS
