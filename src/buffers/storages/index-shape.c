/* Splits row slots into the coordinates that the index of a batch has:
 * the step, then each lane dimension. */
#include "index-shape.h"

#include <string.h>

/* Division by an extent as a multiplication by 2^64 / extent, rounded up: exact for dividends below
 * 2^64 / extent. 0 where the capacity is beyond that. */
static guint64
find_inverse (gint64 extent, gint64 capacity)
{
  gboolean exact = extent > 1 && capacity < G_MAXINT64 / extent;

  return exact ? G_MAXUINT64 / (guint64) extent + 1 : 0;
}

/* Takes the coordinate of one dimension off each row slot in @from, which stand @stride apart.
 * Backwards, for @index begins at the same place and is longer. */
static void
split (const gint64 *from, gint stride, gint64 *index, gint64 n, gint ndim, gint dim, gint64 extent,
       guint64 inverse)
{
  for (gint64 i = n - 1; i >= 0; i--)
    {
      guint64 slot = (guint64) from[i * stride];
      guint64 quotient =
          inverse ? (guint64) ((unsigned __int128) slot * inverse >> 64) : slot / (guint64) extent;

      index[i * ndim + dim] = (gint64) (slot - quotient * (guint64) extent);
      index[i * ndim] = (gint64) quotient;
    }
}

void
reel_storage_get_index_shape (ReelStorage *storage, ReelIndexShape *shape)
{
  const ReelTensordict *data = reel_storage_get_data (storage);
  gint ndim;

  shape->ndim = reel_storage_get_ndim (storage);
  shape->capacity = reel_storage_get_capacity (storage);
  if (data && shape->ndim > 1)
    memcpy (shape->size, reel_tensordict_get_batch_size (data, &ndim),
            (gsize) shape->ndim * sizeof *shape->size);
}

void
reel_index_shape_split (const ReelIndexShape *self, gint64 *index, gint64 n)
{
  for (gint dim = self->ndim - 1; dim > 0; dim--)
    split (index, dim == self->ndim - 1 ? 1 : self->ndim, index, n, self->ndim, dim,
           self->size[dim], find_inverse (self->size[dim], self->capacity));
}

void
reel_slots_to_index (ReelStorage *storage, gint64 *index, gint64 n)
{
  ReelIndexShape shape;

  reel_storage_get_index_shape (storage, &shape);
  reel_index_shape_split (&shape, index, n);
}
