/* Rows of CSV (RFC 4180): fields apart by commas, quoted where they contain commas, quotes or
 * newlines. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelCsv:
 * @at: the next byte
 * @end: behind the last
 * @line: the line of @at, from 1
 */
typedef struct
{
  const char *at;
  const char *end;
  gint64 line;
} ReelCsv;

/**
 * reel_csv_next:
 * @self: a place at the beginning of a row
 * @fields: (element-type GString): the fields; those of the row before are used again
 * @n_fields: (out): fields of the row, 0 where the text ends
 * @problem: (out): what is wrong where it fails, such as `a quoted field has no end`
 *
 * Lines end with LF or CR LF. Empty lines are skipped.
 *
 * Returns: whether the row could be read
 */
gboolean reel_csv_next (ReelCsv *self, GPtrArray *fields, guint *n_fields, const char **problem);

G_END_DECLS
