#include "safetensors.h"

#include <string.h>

#include "../system/files.h"
#include "json.h"

#define MOST_BYTES ((gsize) 1 << 36) /* of a file */
#define MOST_HEADER 100000000        /* that other readers take */
#define METADATA "__metadata__"

typedef struct
{
  const char *path;
  const guint8 *data; /* behind the header */
  gsize size;
  GArray *spans; /* of Span */
  ReelTensordict *tensors;
} Reader;

/* The bytes of a tensor. */
typedef struct
{
  const char *name;
  gint64 begin, end;
} Span;

/* ---- one tensor ---- */

static gboolean
find_dtype (const char *path, const char *name, const char *word, ReelDtype *dtype, GError **error)
{
  static const struct
  {
    const char *word;
    ReelDtype dtype;
  } dtypes[] = {
    { "BOOL", REEL_DTYPE_BOOL },   { "U8", REEL_DTYPE_UINT8 },      { "I8", REEL_DTYPE_INT8 },
    { "I16", REEL_DTYPE_INT16 },   { "I32", REEL_DTYPE_INT32 },     { "I64", REEL_DTYPE_INT64 },
    { "U16", REEL_DTYPE_UINT16 },  { "U32", REEL_DTYPE_UINT32 },    { "U64", REEL_DTYPE_UINT64 },
    { "F16", REEL_DTYPE_FLOAT16 }, { "BF16", REEL_DTYPE_BFLOAT16 }, { "F32", REEL_DTYPE_FLOAT32 },
    { "F64", REEL_DTYPE_FLOAT64 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (g_str_equal (word, dtypes[i].word))
      {
        *dtype = dtypes[i].dtype;
        return TRUE;
      }
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s: \"%s\" is of dtype \"%s\", which cannot be read", path, name, word);
  return FALSE;
}

static gboolean
read_offsets (const Reader *self, const json_t *entry, const char *where, Span *span,
              GError **error)
{
  const json_t *offsets = json_object_get (entry, "data_offsets");
  const json_t *begin = json_array_get (offsets, 0), *end = json_array_get (offsets, 1);

  span->begin = json_integer_value (begin);
  span->end = json_integer_value (end);
  if (json_array_size (offsets) == 2 && json_is_integer (begin) && json_is_integer (end)
      && span->begin >= 0 && span->begin <= span->end && (guint64) span->end <= self->size)
    return TRUE;

  g_autofree char *expected = g_strdup_printf (
      "[BEGIN, END] within the %" G_GSIZE_FORMAT " bytes behind the header", self->size);

  return reel_json_bad_member (entry, where, "data_offsets", expected, error);
}

static gboolean
take_tensor (Reader *self, const char *name, const Span *span, ReelTensor *tensor, GError **error)
{
  gsize size = reel_tensor_nbytes (tensor);

  if ((gsize) (span->end - span->begin) != size)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: \"%s\" has %" G_GINT64_FORMAT " bytes, and its dtype and shape need "
                   "%" G_GSIZE_FORMAT,
                   self->path, name, span->end - span->begin, size);
      return FALSE;
    }
  if (size > 0)
    memcpy (tensor->data, self->data + span->begin, size);
  return reel_tensordict_set_tensor (self->tensors, name, tensor, error);
}

/* Whether an extent is so large that no file contains it, before memory is asked for. */
static gboolean
check_extents (const Reader *self, const char *name, gint ndim, const gint64 *shape,
               ReelDtype dtype, GError **error)
{
  gsize size = reel_dtype_size (dtype);
  gboolean empty = FALSE;

  for (gint i = 0; i < ndim; i++)
    empty |= shape[i] == 0;
  for (gint i = 0; i < ndim && !empty; i++)
    if (__builtin_mul_overflow (size, (gsize) shape[i], &size) || size > self->size)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                     "%s: \"%s\" has a shape that needs more than the %" G_GSIZE_FORMAT
                     " bytes behind the header",
                     self->path, name, self->size);
        return FALSE;
      }
  return TRUE;
}

static gboolean
read_tensor (Reader *self, const char *name, const json_t *entry, GError **error)
{
  g_autofree char *where = g_strdup_printf ("%s: \"%s\"", self->path, name);
  const char *word = reel_json_get_string (entry, where, "dtype", error);
  Span span = { .name = name };
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];

  if (!word || !find_dtype (self->path, name, word, &dtype, error)
      || !reel_json_get_shape (entry, where, "shape", &ndim, shape, error)
      || !read_offsets (self, entry, where, &span, error)
      || !check_extents (self, name, ndim, shape, dtype, error))
    return FALSE;

  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, ndim, shape, error);

  g_array_append_val (self->spans, span);
  return tensor && take_tensor (self, name, &span, tensor, error);
}

/* ---- all of them ---- */

static gint
compare_spans (gconstpointer a, gconstpointer b)
{
  const Span *one = a, *other = b;

  if (one->begin != other->begin)
    return one->begin < other->begin ? -1 : 1;
  return one->end < other->end ? -1 : one->end > other->end;
}

/* Each byte belongs to one tensor. */
static gboolean
check_spans (const Reader *self, GError **error)
{
  gint64 end = 0;

  g_array_sort (self->spans, compare_spans);
  for (guint i = 0; i < self->spans->len; i++)
    {
      const Span *span = &g_array_index (self->spans, Span, i);

      if (span->begin != end)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "%s: \"%s\" begins at byte %" G_GINT64_FORMAT
                       ", and the tensors before it end at %" G_GINT64_FORMAT,
                       self->path, span->name, span->begin, end);
          return FALSE;
        }
      end = span->end;
    }
  if ((gsize) end == self->size)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: %" G_GSIZE_FORMAT " bytes follow the header, and its tensors end at "
               "%" G_GINT64_FORMAT,
               self->path, self->size, end);
  return FALSE;
}

/* A tensor takes the place of a tensordict of its name, and the reverse. */
static gboolean
check_names (const Reader *self, GError **error)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (self->tensors);

  if (g_strv_length (leaves) == self->spans->len)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: two names clash, as a and a/b do",
               self->path);
  return FALSE;
}

static gboolean
read_all (Reader *self, json_t *header, GError **error)
{
  const char *name;
  json_t *entry;

  json_object_foreach (header, name, entry)
  {
    if (g_str_equal (name, METADATA))
      continue;
    if (!json_is_object (entry))
      return reel_json_bad_member (header, self->path, name, "an object", error);
    if (!read_tensor (self, name, entry, error))
      return FALSE;
  }
  return check_names (self, error) && check_spans (self, error);
}

/* The length of the JSON text. */
static gboolean
read_length (const char *path, const char *bytes, gsize size, gsize *length, GError **error)
{
  guint64 word = 0;

  if (size >= 8)
    memcpy (&word, bytes, 8);
  word = GUINT64_FROM_LE (word);
  if (size >= 8 && word <= MIN (size - 8, MOST_HEADER))
    {
      *length = (gsize) word;
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: a header of %" G_GUINT64_FORMAT " bytes does not fit the file of "
               "%" G_GSIZE_FORMAT,
               path, word, size);
  return FALSE;
}

ReelTensordict *
reel_safetensors_load (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);

  gsize size, length;
  g_autofree char *bytes = reel_file_read (path, MOST_BYTES, &size, error);

  if (!bytes || !read_length (path, bytes, size, &length, error))
    return NULL;

  g_autoptr (json_t) header = reel_json_parse (path, bytes + 8, length, error);
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));
  g_autoptr (ReelTensordict) tensors = reel_tensordict_new (0, NULL);
  Reader reader = { .path = path,
                    .data = (const guint8 *) bytes + 8 + length,
                    .size = size - 8 - length,
                    .spans = spans,
                    .tensors = tensors };

  if (!header || !read_all (&reader, header, error))
    return NULL;
  return g_steal_pointer (&tensors);
}
