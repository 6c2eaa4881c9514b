#include "word-scanner.h"

/* Bytes of the UTF-8 sequence that a byte begins; 0 where it begins none. */
static gsize
sequence_length (guint8 first)
{
  if (first < 0xc2 || first > 0xf4)
    return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* The class of the character at @at, and its end. */
static ReelCharClass
take_char (const guint8 *classes, const guint8 *at, const guint8 *end, const guint8 **next)
{
  *next = at + 1;
  if (*at < 0x80)
    return classes[*at];

  gsize length = sequence_length (*at);
  if (length == 0 || (gsize) (end - at) < length)
    return REEL_CHAR_OTHER;
  guint32 code = *at & (0x7fu >> length);
  for (gsize i = 1; i < length; i++)
    {
      if ((at[i] & 0xc0) != 0x80)
        return REEL_CHAR_OTHER;
      code = code << 6 | (at[i] & 0x3fu);
    }
  static const guint32 smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
  if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return REEL_CHAR_OTHER;
  *next = at + length;
  return code < REEL_CHAR_CLASSES ? classes[code] : REEL_CHAR_OTHER;
}

static const guint8 *
run_end (const guint8 *classes, ReelCharClass kind, const guint8 *at, const guint8 *end)
{
  const guint8 *next;

  while (at < end && (ReelCharClass) take_char (classes, at, end, &next) == kind)
    at = next;
  return at;
}

/* Bytes of the contraction at an apostrophe, 0 where there is none. */
static gsize
contraction_length (const guint8 *at, const guint8 *end)
{
  guint8 first = end - at > 1 ? at[1] : 0, second = end - at > 2 ? at[2] : 0;

  if (first == 's' || first == 't' || first == 'm' || first == 'd')
    return 2;
  return ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l') ? 3
                                                                                              : 0;
}

/* Blanks: all up to the end of the text, else all but the last, which the next word may want. */
static const guint8 *
blanks_end (const guint8 *classes, const guint8 *word, const guint8 *end)
{
  const guint8 *last = word, *at = word, *next;

  while (at < end && take_char (classes, at, end, &next) == REEL_CHAR_SPACE)
    {
      last = at;
      at = next;
    }
  return at == end || last == word ? at : last;
}

const guint8 *
reel_word_end (const guint8 *classes, const guint8 *word, const guint8 *end)
{
  const guint8 *next, *start = word;
  ReelCharClass kind = take_char (classes, word, end, &next);

  if (*word == '\'')
    {
      gsize length = contraction_length (word, end);
      if (length > 0)
        return word + length;
    }
  if (*word == ' ' && next < end)
    {
      start = next;
      kind = take_char (classes, start, end, &next);
    }
  if (kind == REEL_CHAR_SPACE)
    return blanks_end (classes, word, end);
  return run_end (classes, kind, next, end);
}
