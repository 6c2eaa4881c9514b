#include "episode-line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text before each value of an episode, and after the last. */
typedef struct
{
  const char *text;
  gsize length;
} Piece;

#define PIECE(text)                                                                                \
  {                                                                                                \
    text, sizeof text - 1                                                                          \
  }

static const Piece pieces[2][7] = {
  { PIECE ("{\"episode\":"), PIECE (",\"lane\":"), PIECE (",\"length\":"), PIECE (",\"return\":"),
    PIECE (",\"time\":"), PIECE (",\"frames\":"), PIECE ("}\n") },
  { PIECE (""), PIECE (","), PIECE (","), PIECE (","), PIECE (","), PIECE (","), PIECE (",\n") },
};

static char *
put (char *to, const char *text, gsize length)
{
  memcpy (to, text, length);
  return to + length;
}

static char *
put_piece (char *to, const Piece *piece)
{
  return put (to, piece->text, piece->length);
}

/* printf() takes ten times as long, and a run may end millions of episodes a second. */
static char *
put_count (char *to, gint64 count)
{
  static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                              "25262728293031323334353637383940414243444546474849"
                              "50515253545556575859606162636465666768697071727374"
                              "75767778798081828384858687888990919293949596979899";
  char digits[20];
  gsize n = sizeof digits;

  for (; count >= 100; count /= 100)
    memcpy (digits + (n -= 2), pairs + count % 100 * 2, 2);
  memcpy (digits + (n -= 2), pairs + count * 2, 2);
  n += count < 10;
  return put (to, digits + n, sizeof digits - n);
}

void
episode_line_time_init (EpisodeLineTime *self, gint64 microseconds)
{
  self->length =
      (gsize) sprintf (self->text, "%" G_GINT64_FORMAT ".%06d", microseconds / G_USEC_PER_SEC,
                       (int) (microseconds % G_USEC_PER_SEC));
}

/* The shortest text of the same number. */
static char *
put_shortest (char *to, double value)
{
  int n = 0;

  for (int digits = 15; digits <= 17; digits++)
    {
      n = sprintf (to, "%.*g", digits, value); /* LC_NUMERIC is C */
      if (strtod (to, NULL) == value)
        break;
    }
  return to + n;
}

static char *
put_unbounded (char *to, gboolean csv, double value)
{
  const char *quote = csv ? "" : "\"";
  const char *word = isnan (value) ? "nan" : value > 0 ? "inf" : "-inf";

  return to + sprintf (to, "%s%s%s", quote, word, quote);
}

static char *
put_return (char *to, gboolean csv, double value)
{
  if (!isfinite (value))
    return put_unbounded (to, csv, value);
  if (fabs (value) >= 1e15 || value != floor (value))
    return put_shortest (to, value);
  if (value < 0)
    *to++ = '-';
  return put (put_count (to, (gint64) fabs (value)), ".0", 2);
}

char *
episode_line_put (char *to, gboolean csv, const ReelCollectorEpisode *episode,
                  const EpisodeLineTime *time, gint64 frames)
{
  const Piece *piece = pieces[csv];

  to = put_count (put_piece (to, piece++), episode->number);
  to = put_count (put_piece (to, piece++), episode->lane);
  to = put_count (put_piece (to, piece++), episode->length);
  to = put_return (put_piece (to, piece++), csv, episode->reward_sum);
  to = put (put_piece (to, piece++), time->text, time->length);
  to = put_count (put_piece (to, piece++), frames);
  return put_piece (to, piece);
}

char *
episode_line_put_rate (char *to, gboolean csv, double rate, const EpisodeLineTime *time,
                       gint64 frames)
{
  const char *format = csv ? ",,,,%s,%" G_GINT64_FORMAT ",%.1f\n"
                           : "{\"time\":%s,\"frames\":%" G_GINT64_FORMAT
                             ",\"frames_per_second\":%.1f}\n";

  return to + sprintf (to, format, time->text, frames, rate);
}

gboolean
episode_line_is_first (const char *text, gboolean csv)
{
  if (csv)
    return g_str_has_prefix (text, EPISODE_LINE_HEADER);
  return g_str_has_prefix (text, "{\"episode\":") || g_str_has_prefix (text, "{\"time\":");
}
