#include "tokenize.h"

#include "../../core/tensor/tensor.h"

#include <string.h>

/* The ids of all rows, one behind the other. */
typedef struct
{
  ReelTokenizer *tokenizer;
  const ReelTokenizeOptions *options;
  gint64 pad_id;
  GArray *ids;  /* gint64 */
  GArray *ends; /* guint, of each row */
} Rows;

static void
rows_clear (Rows *self)
{
  g_array_unref (self->ids);
  g_array_unref (self->ends);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rows, rows_clear)

/* The bounds of the longest row keep the tensors of a call below 2^63 bytes. */
static gboolean
check_options (const ReelTokenizer *tokenizer, const ReelTokenizeOptions *options, gsize n,
               gint64 *pad_id, GError **error)
{
  *pad_id = options->pad_id == -1 ? reel_tokenizer_find (tokenizer, "<|endoftext|>", error)
                                  : options->pad_id;
  if (options->pad_id == -1 && *pad_id < 0)
    return FALSE;
  if (n > 0 && options->max_length >= 1 && options->max_length <= G_MAXINT32 && *pad_id >= 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot tokenize %" G_GSIZE_FORMAT " texts with max-length %" G_GINT64_FORMAT
               " and padding of the id %" G_GINT64_FORMAT ": it takes a text, a length of 1 to %d "
               "and an id from 0 on",
               n, options->max_length, *pad_id, G_MAXINT32);
  return FALSE;
}

static gboolean
add_row (Rows *self, const char *text, GError **error)
{
  guint first = self->ids->len;
  gint64 limit = self->options->max_length + (self->options->refuse_longer ? 1 : 0);

  if (!reel_tokenizer_encode (self->tokenizer, text, -1, limit, self->ids, error))
    return FALSE;
  if (self->ids->len - first > self->options->max_length)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot tokenize text %u: it has more than %" G_GINT64_FORMAT " tokens",
                   self->ends->len, self->options->max_length);
      return FALSE;
    }
  g_array_append_val (self->ends, self->ids->len);
  return TRUE;
}

static gint64
row_length (const Rows *self)
{
  gint64 longest = 0;

  if (self->options->padding == REEL_PADDING_MAX_LENGTH)
    return self->options->max_length;
  for (guint i = 0, first = 0; i < self->ends->len; i++)
    {
      guint end = g_array_index (self->ends, guint, i);
      longest = MAX (longest, (gint64) (end - first));
      first = end;
    }
  return longest;
}

/* A row of padding, its ids, and a mask of which they are. */
static void
fill_row (const Rows *self, gint64 *ids, gint64 *mask, gint64 length, guint first, guint n)
{
  gint64 begin = self->options->pad_left ? length - n : 0;

  for (gint64 i = 0; i < length; i++)
    {
      gboolean inside = i >= begin && i < begin + n;
      ids[i] =
          inside ? g_array_index (self->ids, gint64, first + (guint) (i - begin)) : self->pad_id;
      mask[i] = inside;
    }
}

static ReelTensor *
add_tensor (ReelTensordict *td, const char *key, ReelDtype dtype, gint ndim, const gint64 *shape,
            GError **error)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, ndim, shape, error);

  return tensor && reel_tensordict_set_tensor (td, key, tensor, error) ? tensor : NULL;
}

static ReelTensordict *
rows_to_tensordict (const Rows *self, GError **error)
{
  gint64 n = self->ends->len, length = row_length (self);
  const gint64 shape[] = { n, length };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, &n);
  ReelTensor *ids = add_tensor (td, "input_ids", REEL_DTYPE_INT64, 2, shape, error);
  ReelTensor *mask =
      ids ? add_tensor (td, "attention_mask", REEL_DTYPE_INT64, 2, shape, error) : NULL;

  if (!mask)
    return NULL;
  for (guint i = 0, first = 0; i < n; i++)
    {
      guint end = g_array_index (self->ends, guint, i);
      fill_row (self, (gint64 *) ids->data + i * length, (gint64 *) mask->data + i * length, length,
                first, end - first);
      first = end;
    }
  return g_steal_pointer (&td);
}

static void
rows_init (Rows *self, ReelTokenizer *tokenizer, const ReelTokenizeOptions *options)
{
  *self = (Rows){ .tokenizer = tokenizer,
                  .options = options,
                  .ids = g_array_new (FALSE, FALSE, sizeof (gint64)),
                  .ends = g_array_new (FALSE, FALSE, sizeof (guint)) };
}

ReelTensordict *
reel_tokenize_texts (ReelTokenizer *tokenizer, const ReelTokenizeOptions *options,
                     const char *const *texts, gsize n, GError **error)
{
  g_auto (Rows) rows;

  rows_init (&rows, tokenizer, options);
  if (!check_options (tokenizer, options, n, &rows.pad_id, error))
    return NULL;
  for (gsize i = 0; i < n; i++)
    if (!add_row (&rows, texts[i], error))
      return NULL;
  return rows_to_tensordict (&rows, error);
}

/* Places of the last ids of the prompts, which are cut as rows are. */
static gboolean
add_prompt_ends (ReelTensordict *td, Rows *rows, const char *const *prompts, gint64 n,
                 GError **error)
{
  ReelTensor *places = add_tensor (td, "prompt_rindex", REEL_DTYPE_INT64, 1, &n, error);

  for (gint64 i = 0; places && i < n; i++)
    {
      g_array_set_size (rows->ids, 0);
      if (!reel_tokenizer_encode (rows->tokenizer, prompts[i], -1, rows->options->max_length,
                                  rows->ids, error))
        return FALSE;
      ((gint64 *) places->data)[i] = (gint64) rows->ids->len - 1;
    }
  return places != NULL;
}

static gboolean
add_valid (ReelTensordict *td, gint64 pad_id, gint64 n, GError **error)
{
  const ReelTensor *ids = reel_tensordict_get_tensor (td, "input_ids", NULL);
  ReelTensor *valid = add_tensor (td, "valid_sample", REEL_DTYPE_BOOL, 1, &n, error);
  gint64 length = ids->shape[1];

  for (gint64 i = 0; valid && i < n; i++)
    valid->data[i] = length > 0 && ((gint64 *) ids->data)[(i + 1) * length - 1] == pad_id;
  return valid != NULL;
}

ReelTensordict *
reel_tokenize_prompts (ReelTokenizer *tokenizer, const ReelTokenizeOptions *options,
                       const char *const *prompts, const char *const *labels, gsize n,
                       GError **error)
{
  g_auto (Rows) rows;

  rows_init (&rows, tokenizer, options);
  if (!check_options (tokenizer, options, n, &rows.pad_id, error))
    return NULL;
  if (options->pad_left)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "cannot pad prompts on the left: their places are counted from the "
                           "beginning of the row");
      return NULL;
    }
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *text = g_strconcat (prompts[i], labels[i], NULL);
      if (!add_row (&rows, text, error))
        return NULL;
    }
  g_autoptr (ReelTensordict) td = rows_to_tensordict (&rows, error);
  if (!td || !add_prompt_ends (td, &rows, prompts, (gint64) n, error)
      || !add_valid (td, rows.pad_id, (gint64) n, error))
    return NULL;
  return g_steal_pointer (&td);
}
