/* A piece of consecutive steps out of each row, from a random step on. */
#include "transform-private.h"

#include "../core/math/random.h"
#include "../core/tensordict/shape.h"
#include "../core/tensor/tensor-private.h"

#include <stdatomic.h>

struct _ReelRandomCropTensordict
{
  ReelTransform parent_instance;

  gint64 sub_seq_len;
  gint64 sample_dim;
  char *mask_key;
  gint64 seed;
  atomic_llong n_calls;
};

G_DECLARE_FINAL_TYPE (ReelRandomCropTensordict, reel_random_crop_tensordict, REEL,
                      RANDOM_CROP_TENSORDICT, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelRandomCropTensordict, reel_random_crop_tensordict, REEL_TYPE_TRANSFORM)

/* Rows along one dimension of a batch: row r begins r / inner × length × inner + r % inner
 * elements from the first, and its elements lie inner apart. */
typedef struct
{
  gint ndim;
  gint dim;
  gint64 shape[REEL_MAX_NDIM];
  gint64 length;
  gint64 inner;
  gint64 n_rows;
} Rows;

static gint64
row_begin (const Rows *rows, gint64 row, gint64 length)
{
  return row / rows->inner * length * rows->inner + row % rows->inner;
}

static gboolean
find_rows (ReelRandomCropTensordict *self, const ReelTensordict *td, Rows *rows, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  if (ndim == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot sub-sample from a tensordict with an empty shape.");
      return FALSE;
    }
  *rows = (Rows){ .ndim = ndim, .dim = (gint) self->sample_dim, .inner = 1, .n_rows = 1 };
  if (!reel_dim_resolve (&rows->dim, ndim, error))
    return FALSE;
  for (gint i = 0; i < ndim; i++)
    {
      rows->shape[i] = size[i];
      rows->inner *= i > rows->dim ? size[i] : 1;
      rows->n_rows *= i != rows->dim ? size[i] : 1;
    }
  rows->length = size[rows->dim];
  if (rows->length >= self->sub_seq_len)
    return TRUE;
  g_autofree char *text = reel_shape_to_string (ndim, size);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Cannot sample trajectories of length %" G_GINT64_FORMAT
               " along dimension %" G_GINT64_FORMAT " given a tensordict of shape %s. Consider "
               "reducing the sub_seq_len parameter or increase sample length.",
               self->sub_seq_len, self->sample_dim, text);
  return FALSE;
}

static gboolean
check_mask (const ReelTensor *mask, const Rows *rows, GError **error)
{
  gboolean same = mask->ndim == rows->ndim;

  for (gint i = 0; same && i < rows->ndim; i++)
    same = mask->shape[i] == rows->shape[i];
  if (!same)
    {
      g_autofree char *found = reel_shape_to_string (mask->ndim, mask->shape);
      g_autofree char *expected = reel_shape_to_string (rows->ndim, rows->shape);

      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Expected a mask of the same shape as the tensordict. Got mask.shape=%s and "
                   "tensordict.shape=%s instead.",
                   found, expected);
      return FALSE;
    }
  if (mask->dtype == REEL_DTYPE_BOOL)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "a mask is of dtype bool, not %s",
               reel_dtype_name (mask->dtype));
  return FALSE;
}

/* How many steps of a row are valid: all that are must come first. −1 on failure. */
static gint64
count_valid (const guint8 *mask, const Rows *rows, gint64 row, GError **error)
{
  const guint8 *at = mask + row_begin (rows, row, rows->length);
  gint64 n = 0;

  while (n < rows->length && at[n * rows->inner])
    n++;
  for (gint64 i = n; i < rows->length; i++)
    if (at[i * rows->inner])
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "the mask of row %" G_GINT64_FORMAT " is True at step %" G_GINT64_FORMAT
                     " after False at step %" G_GINT64_FORMAT ": a trajectory comes first, then "
                     "its padding",
                     row, i, n);
        return -1;
      }
  return n;
}

static gboolean
find_length (ReelRandomCropTensordict *self, const guint8 *mask, const Rows *rows, gint64 row,
             gint64 *length, GError **error)
{
  *length = mask ? count_valid (mask, rows, row, error) : rows->length;
  if (*length < 0 || *length >= self->sub_seq_len)
    return *length >= 0;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Cannot sample trajectories of length %" G_GINT64_FORMAT
               ": that of row %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT,
               self->sub_seq_len, row, *length);
  return FALSE;
}

/* The steps of each piece, in the shape of the result. */
static ReelTensor *
draw (ReelRandomCropTensordict *self, const Rows *rows, const guint8 *mask, GError **error)
{
  gint64 call = atomic_fetch_add_explicit (&self->n_calls, 1, memory_order_relaxed);
  ReelRandomKey key = reel_random_key ((guint64) self->seed, call);
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) index = NULL;

  for (gint i = 0; i < rows->ndim; i++)
    shape[i] = i == rows->dim ? self->sub_seq_len : rows->shape[i];
  index = reel_tensor_new (REEL_DTYPE_INT64, rows->ndim, shape, error);
  for (gint64 row = 0; index && row < rows->n_rows; row++)
    {
      gint64 *at = (gint64 *) index->data + row_begin (rows, row, self->sub_seq_len);
      gint64 length, start;

      if (!find_length (self, mask, rows, row, &length, error))
        return NULL;
      start = reel_random_below (key, row, length - self->sub_seq_len + 1);
      for (gint64 i = 0; i < self->sub_seq_len; i++)
        at[i * rows->inner] = start + i;
    }
  return g_steal_pointer (&index);
}

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelRandomCropTensordict *self = REEL_RANDOM_CROP_TENSORDICT (transform);
  g_autoptr (ReelTensor) given = NULL, mask = NULL, index = NULL;
  Rows rows;

  if (!find_rows (self, td, &rows, error))
    return NULL;
  if (self->mask_key && reel_tensordict_contains (td, self->mask_key))
    {
      given = reel_tensordict_ref_tensor (td, self->mask_key, error);
      if (!given || !check_mask (given, &rows, error))
        return NULL;
      mask = reel_tensor_contiguous (given, error);
      if (!mask)
        return NULL;
    }
  index = draw (self, &rows, mask ? mask->data : NULL, error);
  return index ? reel_tensordict_gather (td, rows.dim, index, error) : NULL;
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "random-crop is for data that are read, not for environments");
  return NULL;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelRandomCropTensordict *self = REEL_RANDOM_CROP_TENSORDICT (object);
  const char *const keys[] = { self->mask_key, NULL };

  if (self->sub_seq_len == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "random-crop needs to know how many steps: random-crop:sub-seq-len=N");
      return FALSE;
    }
  return REEL_OBJECT_CLASS (reel_random_crop_tensordict_parent_class)->build (object, error)
         && reel_key_check_all (keys, error);
}

static gboolean
dup_state (ReelTransform *transform, ReelTensordict *state, GError **error)
{
  g_autoptr (ReelTensor) n_calls = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, error);

  if (!n_calls)
    return FALSE;
  *(gint64 *) n_calls->data = atomic_load (&REEL_RANDOM_CROP_TENSORDICT (transform)->n_calls);
  return reel_tensordict_set_tensor (state, "n_calls", n_calls, error);
}

static gboolean
set_state (ReelTransform *transform, const ReelTensordict *state, GError **error)
{
  const ReelTensor *n_calls = reel_tensordict_get_tensor (state, "n_calls", error);

  if (!n_calls)
    return FALSE;
  if (n_calls->dtype != REEL_DTYPE_INT64 || reel_tensor_numel (n_calls) != 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "\"n_calls\" is %s of %" G_GINT64_FORMAT " elements, an int64 expected",
                   reel_dtype_name (n_calls->dtype), reel_tensor_numel (n_calls));
      return FALSE;
    }
  atomic_store (&REEL_RANDOM_CROP_TENSORDICT (transform)->n_calls, *(const gint64 *) n_calls->data);
  return TRUE;
}

static void
reel_random_crop_tensordict_class_init (ReelRandomCropTensordictClass *klass)
{
  static const ReelId ids[] = {
    { "random-crop", NULL, "a piece of consecutive steps out of each row" },
    { "RandomCropTensorDict", NULL,
      "a piece of consecutive steps out of each row, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_int64 (object_class, "sub-seq-len",
                               G_STRUCT_OFFSET (ReelRandomCropTensordict, sub_seq_len), 0,
                               G_MAXINT64, 0, "steps", "length of a piece; to be given", fixed);
  reel_object_class_add_int64 (object_class, "sample-dim",
                               G_STRUCT_OFFSET (ReelRandomCropTensordict, sample_dim),
                               -REEL_MAX_NDIM, REEL_MAX_NDIM - 1, -1, NULL,
                               "the batch dimension of time; negative counts from the end", fixed);
  reel_object_class_add_string (
      object_class, "mask-key", G_STRUCT_OFFSET (ReelRandomCropTensordict, mask_key), NULL,
      "key of a mask, True for the steps of each row that count, which come first", fixed);
  reel_object_class_add_int64 (object_class, "seed",
                               G_STRUCT_OFFSET (ReelRandomCropTensordict, seed), 0, G_MAXINT64, 0,
                               NULL, "seed of the draws", fixed);
  REEL_TRANSFORM_CLASS (klass)->peer_name = "RandomCropTensorDict";
  REEL_TRANSFORM_CLASS (klass)->forward = forward;
  REEL_TRANSFORM_CLASS (klass)->env_spec = env_spec;
  REEL_TRANSFORM_CLASS (klass)->dup_state = dup_state;
  REEL_TRANSFORM_CLASS (klass)->set_state = set_state;
}

static void
reel_random_crop_tensordict_init (ReelRandomCropTensordict *self)
{
}
