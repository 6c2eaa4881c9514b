#include "npy.h"

#include "../system/cpus.h"
#include "../system/errands.h"
#include "numpy-types.h"

#include <string.h>

#define MAGIC "\x93NUMPY"
#define MOST_HEADER_BYTES (1 << 16)
#define BLOCK ((gsize) 1 << 20)
#define N_BLOCKS 3         /* that are unpacked or taken at once */
#define LARGE (16 * BLOCK) /* bytes of an array that are worth a thread */
#define MOST_ROW_BYTES ((gsize) 64 << 20)

/* A literal of Python that is read from its beginning. */
typedef struct
{
  const char *at;
  gboolean is_object;
  gboolean is_fortran;
  guint found; /* a bit for each key */
} Header;

static gboolean fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED, what);
  return FALSE;
}

/* ---- the literal ---- */

static void
skip_blanks (Header *self)
{
  self->at += strspn (self->at, " \n\t");
}

static gboolean
skip (Header *self, const char *word)
{
  skip_blanks (self);
  if (!g_str_has_prefix (self->at, word))
    return FALSE;
  self->at += strlen (word);
  return TRUE;
}

/* In single quotes, or NULL. */
static char *
read_text (Header *self)
{
  const char *begin = (skip_blanks (self), self->at);
  const char *end = *begin == '\'' ? strchr (begin + 1, '\'') : NULL;

  if (!end)
    return NULL;
  self->at = end + 1;
  return g_strndup (begin + 1, (gsize) (end - begin - 1));
}

/* ---- its members ---- */

static gboolean
read_type (Header *self, ReelArrayInfo *array, GError **error)
{
  g_autofree char *code = read_text (self);
  gboolean is_text = code && strchr ("<>|=", *code) && *code && strchr ("USV", code[1]) && code[1];

  self->is_object = g_strcmp0 (code, "|O") == 0;
  array->dtype = -1;
  if (self->is_object || is_text)
    return TRUE;
  if (code && *code && strchr ("<|=", *code))
    array->dtype = reel_numpy_find_type (code + 1);
  if (array->dtype >= 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "its elements are of the type \"%s\", which cannot be read",
               code ? code : "a record");
  return FALSE;
}

static gboolean
read_extent (Header *self, gint64 *extent)
{
  char *end;

  skip_blanks (self);
  if (!g_ascii_isdigit (*self->at))
    return FALSE;
  guint64 number = g_ascii_strtoull (self->at, &end, 10);
  self->at = end;
  *extent = (gint64) MIN (number, G_MAXINT64);
  return TRUE;
}

static gboolean
read_shape (Header *self, ReelArrayInfo *array, GError **error)
{
  array->ndim = 0;
  if (!skip (self, "("))
    return fail (error, "its header has no shape");
  while (!skip (self, ")"))
    {
      if (array->ndim == REEL_MAX_NDIM)
        return fail (error, "it has more than %d dimensions", REEL_MAX_NDIM);
      if (!read_extent (self, &array->shape[array->ndim++]))
        return fail (error, "an extent of its shape is not a number of 0 and more");
      if (!skip (self, ",") && *self->at != ')')
        return fail (error, "its shape is not a tuple of numbers");
    }
  return TRUE;
}

static gboolean
read_member (Header *self, ReelArrayInfo *array, GError **error)
{
  static const char *const keys[] = { "descr", "fortran_order", "shape", NULL };
  g_autofree char *key = read_text (self);
  guint which = 0;

  while (keys[which] && g_strcmp0 (keys[which], key) != 0)
    which++;
  if (!keys[which] || (self->found & 1u << which) || !skip (self, ":"))
    return fail (error, "its header is not a dict of descr, fortran_order and shape");
  self->found |= 1u << which;
  if (which == 0)
    return read_type (self, array, error);
  if (which == 2)
    return read_shape (self, array, error);
  self->is_fortran = skip (self, "True");
  return self->is_fortran || skip (self, "False")
         || fail (error, "fortran_order of its header is neither True nor False");
}

/* Extents whose product overflows are refused, also beside an extent of 0. */
static gboolean
check_size (const ReelArrayInfo *array, guint64 most, GError **error)
{
  gint64 bytes = array->dtype < 0 ? 1 : (gint64) reel_dtype_size ((ReelDtype) array->dtype);
  gboolean is_empty = array->dtype < 0, overflows = FALSE;

  for (gint d = 0; d < array->ndim; d++)
    {
      is_empty |= array->shape[d] == 0;
      overflows |= __builtin_mul_overflow (bytes, MAX (array->shape[d], 1), &bytes);
    }
  return (!overflows && (is_empty || (guint64) bytes <= most))
         || fail (error, "its shape claims more elements than the file can have");
}

static gboolean
read_literal (Header *self, ReelArrayInfo *array, GError **error)
{
  if (!skip (self, "{"))
    return fail (error, "its header is not a dict");
  while (!skip (self, "}"))
    {
      if (!read_member (self, array, error))
        return FALSE;
      if (!skip (self, ",") && *self->at != '}')
        return fail (error, "its header is not a dict");
    }
  skip_blanks (self);
  if (*self->at || self->found != 7)
    return fail (error, "its header is not a dict of descr, fortran_order and shape");
  return TRUE;
}

/* ---- the file ---- */

static gboolean
read_length (ReelByteStream *stream, guint32 *length, GError **error)
{
  guint8 begin[8];

  *length = 0;
  if (!reel_byte_stream_take (stream, begin, sizeof begin, error))
    return FALSE;
  if (memcmp (begin, MAGIC, 6) != 0)
    return fail (error, "it does not begin as an array of NumPy");
  if (begin[6] < 1 || begin[6] > 3)
    return fail (error, "it has version %d of NumPy's format; 1 to 3 are known", begin[6]);
  /* Little-endian, as the host is. */
  if (!reel_byte_stream_take (stream, (guint8 *) length, begin[6] == 1 ? 2 : 4, error))
    return FALSE;
  return *length <= MOST_HEADER_BYTES
         || fail (error, "its header of %u bytes is unreasonably large", *length);
}

gboolean
reel_npy_read_header (ReelByteStream *stream, ReelArrayInfo *array, gboolean *is_object,
                      GError **error)
{
  Header header = { 0 };
  guint32 length;

  *array = (ReelArrayInfo){ .dtype = -1 };
  if (!read_length (stream, &length, error))
    return FALSE;
  g_autofree char *text = g_malloc0 (length + 1);
  if (!reel_byte_stream_take (stream, (guint8 *) text, length, error))
    return FALSE;
  header.at = text;
  if (strlen (text) != length)
    return fail (error, "its header contains a zero");
  if (!read_literal (&header, array, error)
      || !check_size (array, reel_byte_stream_get_most (stream), error))
    return FALSE;
  if (is_object)
    *is_object = header.is_object;
  if ((is_object || !header.is_object) && (array->ndim < 2 || !header.is_fortran))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       header.is_object ? "its elements are objects of Python, which are never read"
                                        : "its first index is the fastest (fortran_order); save it "
                                          "by numpy.ascontiguousarray()");
  return FALSE;
}

/* ---- rows ---- */

/* Blocks of rows between the thread that unpacks them and the one that takes them. */
typedef struct
{
  ReelNpyRowsFunc take;
  gpointer data;
  struct
  {
    gint64 first;
    gint64 n;
    guint8 *rows;
  } blocks[N_BLOCKS];
} Belt;

static void
take_block (gpointer data, gint64 i)
{
  const Belt *belt = data;

  belt->take (belt->data, belt->blocks[i].first, belt->blocks[i].n, belt->blocks[i].rows);
}

/* A block that nobody uses; without a thread there is one. */
static gint64
find_free (Belt *belt, ReelErrands *taker, gint64 number, gsize size)
{
  gint64 i = !taker ? 0 : number < N_BLOCKS ? number : reel_errands_take (taker, -1);

  if (!belt->blocks[i].rows)
    belt->blocks[i].rows = g_malloc (size);
  return i;
}

static gint64
read_blocks (ReelByteStream *stream, gint64 n_rows, gsize row_bytes, Belt *belt, ReelErrands *taker,
             GError **error)
{
  const gint64 most = MIN ((gint64) MAX (BLOCK / row_bytes, 1), n_rows);
  gint64 number = 0;

  for (gint64 first = 0, n; first < n_rows; first += n, number++)
    {
      gint64 i = find_free (belt, taker, number, (gsize) most * row_bytes);

      n = MIN (most, n_rows - first);
      belt->blocks[i].first = first;
      belt->blocks[i].n = n;
      if (!reel_byte_stream_take (stream, belt->blocks[i].rows, (gsize) n * row_bytes, error))
        return -1;
      if (taker)
        reel_errands_send (taker, i);
      else
        take_block (belt, i);
    }
  return number;
}

/* All that was sent is taken, unless the rest is missing. */
static gboolean
move_rows (ReelByteStream *stream, gint64 n_rows, gsize row_bytes, ReelNpyRowsFunc take,
           gpointer data, GError **error)
{
  Belt belt = { .take = take, .data = data };
  const gboolean large =
      row_bytes <= 4 * BLOCK && (gsize) n_rows >= LARGE / row_bytes && reel_cpu_count () > 1;
  ReelErrands *taker = large ? reel_errands_new (1, N_BLOCKS, take_block, &belt, NULL) : NULL;
  const gint64 n = read_blocks (stream, n_rows, row_bytes, &belt, taker, error);

  for (gint64 i = 0; taker && i < MIN (n, N_BLOCKS); i++)
    reel_errands_take (taker, -1);
  reel_errands_free (taker);
  for (gsize i = 0; i < N_BLOCKS; i++)
    g_free (belt.blocks[i].rows);
  return n >= 0;
}

gboolean
reel_npy_read_rows (ReelByteStream *stream, const ReelArrayInfo *array, ReelNpyRowsFunc take,
                    gpointer data, GError **error)
{
  gsize row_bytes = reel_dtype_size ((ReelDtype) array->dtype);

  for (gint d = 1; d < array->ndim; d++)
    row_bytes *= (gsize) array->shape[d];
  if (row_bytes > MOST_ROW_BYTES)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "a row of %" G_GSIZE_FORMAT " bytes is unsupported; the most is 64 MB",
                   row_bytes);
      return FALSE;
    }
  return (row_bytes == 0 || array->shape[0] == 0
          || move_rows (stream, array->shape[0], row_bytes, take, data, error))
         && reel_byte_stream_end (stream, error);
}
