/* Compresses a tensor into a zlib stream of its row-major elements, and back. */
#include "packed-leaf.h"

#include "../../core/tensor/tensor-private.h"

#include <string.h>
#include <zlib.h>

#define MOST_RATIO 1032 /* of what deflate can say in a byte */

ReelTensor *
reel_packed_leaf_new_placeholder (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  g_autoptr (ReelTensor) element = reel_tensor_new (dtype, 0, NULL, error);

  return element ? reel_tensor_expand (element, ndim, shape, error) : NULL;
}

ReelTensor *
reel_packed_leaf_deflate (ReelTensor *tensor, gint level, GError **error)
{
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous (tensor, error);
  g_autoptr (ReelTensor) packed = NULL;
  g_autofree guint8 *bytes = NULL;
  uLong size, length;
  gint64 extent;

  if (!dense)
    return NULL;
  size = reel_tensor_nbytes (dense);
  length = compressBound (size);
  bytes = g_try_malloc (length);
  if (!bytes
      || compress2 (bytes, &length, dense->data ? dense->data : (guint8 *) "", size, level) != Z_OK)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "no memory to compress %lu bytes", size);
      return NULL;
    }
  extent = (gint64) length;
  packed = reel_tensor_new_unfilled (REEL_DTYPE_UINT8, 1, &extent, error);
  if (packed)
    memcpy (packed->data, bytes, length);
  return g_steal_pointer (&packed);
}

gboolean
reel_packed_leaf_check (const ReelTensor *packed, const ReelTensor *like, GError **error)
{
  static const guint8 zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
  gsize length = reel_tensor_nbytes (packed), size = reel_tensor_nbytes (like);

  if (length >= sizeof zstd && memcmp (packed->data, zstd, sizeof zstd) == 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                         "is compressed by Zstandard, as TorchRL does it under Python 3.14 and "
                         "later; only zlib can be read");
  else if (length < 8 || (packed->data[0] << 8 | packed->data[1]) % 31 != 0
           || (packed->data[0] & 15) != Z_DEFLATED)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "its %" G_GSIZE_FORMAT " bytes are not a zlib stream", length);
  else if (size / MOST_RATIO > length)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "its %" G_GSIZE_FORMAT " bytes cannot hold the %" G_GSIZE_FORMAT
                 " that its shape needs",
                 length, size);
  else
    return TRUE;
  return FALSE;
}

ReelTensor *
reel_packed_leaf_inflate (ReelTensor *packed, const ReelTensor *like, GError **error)
{
  g_autoptr (ReelTensor) tensor = NULL;
  uLong size = reel_tensor_nbytes (like), read = reel_tensor_nbytes (packed), length = read;
  guint8 none;
  uLong got = MAX (size, 1);
  gint status;

  if (!reel_packed_leaf_check (packed, like, error))
    return NULL;
  tensor = reel_tensor_new (like->dtype, like->ndim, like->shape, error);
  if (!tensor)
    return NULL;
  status = uncompress2 (size > 0 ? tensor->data : &none, &got, packed->data, &read);
  if (status == Z_OK && got == size && read == length)
    return g_steal_pointer (&tensor);
  if (status == Z_MEM_ERROR)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "no memory to decompress %lu bytes", size);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "its zlib stream is damaged, or does not hold the %lu bytes of its shape", size);
  return NULL;
}
