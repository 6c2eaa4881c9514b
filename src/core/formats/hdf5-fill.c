#include "hdf5-fill.h"

#include "../object/error.h"
#include "../system/files.h"

#define PIECE_BYTES ((gsize) 1 << 19)
#define MOST_OFFSET ((gint64) 1 << 62)

typedef struct
{
  const ReelTensor *tensor;
  const ReelRowStream *stream;
} Leaf;

struct _ReelHdf5Fill
{
  const ReelHdf5Groups *groups;
  int fd;
  const char *path;
  GArray *leaves; /* of Leaf */
  gint64 group;   /* of the dataset whose place comes next */
  guint leaf;
  guint8 *piece;
  gsize size;
  gsize n_bytes; /* in the piece */
  gint64 offset; /* of its first byte in the file */
};

static void
add_leaves (ReelHdf5Fill *self, const ReelTensordict *outline)
{
  ReelTensordictIter iter;
  ReelTensor *tensor;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, outline);
  while (reel_tensordict_iter_next (&iter, NULL, &tensor, &child))
    if (tensor)
      {
        const Leaf leaf = { tensor, self->groups->get_rows (self->groups->data, tensor) };

        g_array_append_val (self->leaves, leaf);
        self->size = MAX (self->size, leaf.stream->row_bytes);
      }
    else if (child)
      add_leaves (self, child);
}

ReelHdf5Fill *
reel_hdf5_fill_new (const ReelHdf5Groups *groups, int fd, const char *path)
{
  ReelHdf5Fill *self = g_new0 (ReelHdf5Fill, 1);

  self->groups = groups;
  self->fd = fd;
  self->path = path;
  self->leaves = g_array_new (FALSE, FALSE, sizeof (Leaf));
  self->size = PIECE_BYTES;
  add_leaves (self, groups->outline);
  self->piece = g_malloc (self->size);
  return self;
}

void
reel_hdf5_fill_free (ReelHdf5Fill *self)
{
  if (!self)
    return;
  g_array_unref (self->leaves);
  g_free (self->piece);
  g_free (self);
}

static gboolean
write_piece (ReelHdf5Fill *self, GError **error)
{
  const gsize n = self->n_bytes;

  self->n_bytes = 0;
  if (n > 0 && !reel_file_write_at (self->fd, self->path, self->piece, n, self->offset, error))
    return FALSE;
  if (n > 0)
    reel_file_write_back (self->fd, self->offset, (gint64) n);
  return TRUE;
}

/* Datasets that follow each other in the file are of one piece. */
static gboolean
put_rows (ReelHdf5Fill *self, const ReelRowStream *stream, gint64 n_rows, gint64 offset,
          GError **error)
{
  const gsize row_bytes = stream->row_bytes;

  for (gint64 n; n_rows > 0 && row_bytes > 0; n_rows -= n)
    {
      if ((self->offset + (gint64) self->n_bytes != offset
           || self->size - self->n_bytes < row_bytes)
          && !write_piece (self, error))
        return FALSE;
      if (self->n_bytes == 0)
        self->offset = offset;
      n = MIN (n_rows, (gint64) ((self->size - self->n_bytes) / row_bytes));
      stream->read (stream->data, self->piece + self->n_bytes, n);
      self->n_bytes += (gsize) n * row_bytes;
      offset += n * (gint64) row_bytes;
    }
  return TRUE;
}

static gboolean
fail_place (GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "HDF5 has no place for some of the rows");
  return FALSE;
}

static gboolean
take_place (ReelHdf5Fill *self, gint64 offset, GError **error)
{
  const ReelHdf5Groups *groups = self->groups;
  const Leaf *leaf;

  if (self->group >= groups->n_groups || offset < 0 || offset > MOST_OFFSET)
    return fail_place (error);
  leaf = &g_array_index (self->leaves, Leaf, self->leaf);
  if (!put_rows (self, leaf->stream, groups->count_rows (groups->data, leaf->tensor, self->group),
                 offset, error))
    return FALSE;
  if (++self->leaf == self->leaves->len)
    self->group++, self->leaf = 0;
  return TRUE;
}

gboolean
reel_hdf5_fill_take (gpointer data, const gint64 *places, gint64 n, GError **error)
{
  for (gint64 i = 0; i < n; i++)
    if (!take_place (data, places[i], error))
      return FALSE;
  return TRUE;
}

gboolean
reel_hdf5_fill_end (ReelHdf5Fill *self, GError **error)
{
  if (self->leaves->len > 0 && self->group < self->groups->n_groups)
    return fail_place (error);
  return write_piece (self, error);
}
