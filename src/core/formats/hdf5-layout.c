/* Asks HDF5 where the chunks of datasets are. */
#include "hdf5-layout.h"

#include "hdf5-driver.h"
#include "hdf5-private.h"

#include <string.h>

#define MOST_CHUNKS (1 << 20) /* of all datasets; those beyond are left to HDF5 */
#define LAYOUTS "layouts"
#define CHUNKS "chunks"
#define LAYOUT_LENGTH ((gint64) (sizeof (ReelHdf5Layout) / sizeof (gint64)))
#define CHUNK_LENGTH ((gint64) (sizeof (ReelHdf5Chunk) / sizeof (gint64)))

/* ---- extents ---- */

gsize
reel_hdf5_count_row_bytes (const ReelArrayInfo *set)
{
  gsize bytes = reel_dtype_size ((ReelDtype) set->dtype);

  for (gint d = 1; d < set->ndim; d++)
    bytes *= (gsize) set->shape[d];
  return bytes;
}

gint64
reel_hdf5_count_chunks (const ReelArrayInfo *set, const ReelHdf5Layout *layout, gint from)
{
  gint64 n = 1;

  for (gint d = from; d < set->ndim; d++)
    if (__builtin_mul_overflow (
            n, set->shape[d] / layout->shape[d] + (set->shape[d] % layout->shape[d] != 0), &n))
      return G_MAXINT64 / 2;
  return n;
}

gint64
reel_hdf5_layout_bytes (const ReelArrayInfo *set, const ReelHdf5Layout *layout)
{
  gint64 bytes = (gint64) reel_dtype_size ((ReelDtype) set->dtype);

  for (gint d = 0; d < set->ndim; d++)
    if (__builtin_mul_overflow (bytes, layout->shape[d], &bytes) || bytes > G_MAXINT64 / 2)
      return G_MAXINT64 / 2;
  return bytes;
}

/* ---- the process of HDF5 ---- */

typedef struct
{
  ReelMemory *memory;
  const ReelArrayInfo *const *sets;
  guint n_sets;
} Wish;

static gboolean
add_filter (ReelHdf5Layout *layout, hid_t how, guint i)
{
  unsigned flags, values[8] = { 0 }, config;
  size_t n_values = G_N_ELEMENTS (values);
  gint64 filter = H5Pget_filter2 (how, i, &flags, &n_values, values, 0, NULL, &config);

  if (filter < REEL_HDF5_DEFLATE || filter > REEL_HDF5_FLETCHER32)
    return FALSE;
  for (gint64 k = 0; k < layout->n_filters; k++)
    if (layout->filters[k] == filter)
      return FALSE;
  if (filter == REEL_HDF5_SHUFFLE)
    layout->item = values[0];
  layout->filters[layout->n_filters++] = filter;
  return filter != REEL_HDF5_SHUFFLE || values[0] > 0;
}

static gboolean
find_filters (ReelHdf5Layout *layout, hid_t how)
{
  int n = H5Pget_nfilters (how);

  for (int i = 0; i < n; i++)
    if (i == REEL_HDF5_MOST_FILTERS || !add_filter (layout, how, (guint) i))
      return FALSE;
  return n >= 0;
}

static gboolean
find_whole (const ReelArrayInfo *set, hid_t opened, ReelHdf5Layout *layout, GArray *chunks)
{
  ReelHdf5Chunk whole = { .offset = (gint64) MIN (H5Dget_offset (opened), G_MAXINT64) };

  memcpy (layout->shape, set->shape, sizeof layout->shape);
  whole.size = reel_hdf5_layout_bytes (set, layout);
  g_array_append_val (chunks, whole);
  layout->n_chunks = 1;
  return TRUE;
}

/* The place of a chunk is that at which HDF5 reads it. */
static gboolean
find_chunk (hid_t opened, const hsize_t *at, ReelHdf5File *image, ReelHdf5Chunk *chunk)
{
  ReelHdf5Place place = { -1, 0 };
  guint32 skipped = 0;
  guint8 nothing;
  herr_t read;

  image->place = &place;
  read = H5Dread_chunk (opened, H5P_DEFAULT, at, &skipped, &nothing);
  image->place = NULL;
  *chunk = (ReelHdf5Chunk){ place.offset, place.size, skipped };
  return read >= 0 && place.offset >= 0;
}

static gboolean
find_all_chunks (const ReelArrayInfo *set, hid_t opened, ReelHdf5File *image,
                 ReelHdf5Layout *layout, GArray *chunks)
{
  const gint64 n = reel_hdf5_count_chunks (set, layout, 0);
  hsize_t at[REEL_MAX_NDIM];

  if (n > MOST_CHUNKS - (gint64) chunks->len)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      ReelHdf5Chunk chunk;
      gint64 rest = i;

      for (gint d = set->ndim; d-- > 0;)
        {
          const gint64 across =
              set->shape[d] / layout->shape[d] + (set->shape[d] % layout->shape[d] != 0);

          at[d] = (hsize_t) (rest % across * layout->shape[d]);
          rest /= across;
        }
      if (!find_chunk (opened, at, image, &chunk))
        return FALSE;
      g_array_append_val (chunks, chunk);
    }
  layout->n_chunks = n;
  return n > 0;
}

static gboolean
find_layout (const ReelArrayInfo *set, hid_t opened, ReelHdf5File *image, ReelHdf5Layout *layout,
             GArray *chunks)
{
  reel_auto_hid type = H5Dget_type (opened);
  reel_auto_hid own = reel_hdf5_new_type ((ReelDtype) set->dtype);
  reel_auto_hid how = H5Dget_create_plist (opened);
  hsize_t extents[H5S_MAX_RANK];
  unsigned options = 0;

  if (H5Tequal (type, own) <= 0)
    return FALSE;
  if (H5Pget_layout (how) == H5D_CONTIGUOUS)
    return H5Dget_offset (opened) != HADDR_UNDEF && find_whole (set, opened, layout, chunks);
  if (H5Pget_layout (how) != H5D_CHUNKED || H5Pget_chunk (how, H5S_MAX_RANK, extents) != set->ndim
      || H5Pget_chunk_opts (how, &options) < 0 || options != 0 || !find_filters (layout, how))
    return FALSE;
  for (gint d = 0; d < set->ndim; d++)
    if ((layout->shape[d] = (gint64) extents[d]) == 0)
      return FALSE;
  return find_all_chunks (set, opened, image, layout, chunks);
}

/* Nothing is told of a dataset in which something is wrong. */
static ReelHdf5Layout
look_at_set (const Wish *wish, guint i, hid_t file, ReelHdf5File *image, GArray *chunks)
{
  ReelHdf5Layout layout = { 0 };
  const guint n = chunks->len;
  reel_auto_hid set = reel_hdf5_open_set (file, wish->memory, wish->sets[i], NULL);

  if (set >= 0 && find_layout (wish->sets[i], set, image, &layout, chunks))
    return layout;
  g_array_set_size (chunks, n);
  return (ReelHdf5Layout){ 0 };
}

static gboolean
tell (const GArray *array, gint64 length, ReelTensordict *found, const char *key, GError **error)
{
  const gint64 n = array->len * length;
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);

  if (tensor && n > 0)
    memcpy (tensor->data, array->data, reel_tensor_nbytes (tensor));
  return tensor && reel_tensordict_set_tensor (found, key, tensor, error);
}

static ReelTensordict *
look_at_file (gconstpointer data, int line, GError **error)
{
  const Wish *wish = data;
  ReelHdf5File image;
  reel_auto_hid file = reel_hdf5_open_image (wish->memory, &image, error);
  g_autoptr (GArray) layouts = g_array_new (FALSE, FALSE, sizeof (ReelHdf5Layout));
  g_autoptr (GArray) chunks = g_array_new (FALSE, FALSE, sizeof (ReelHdf5Chunk));
  g_autoptr (ReelTensordict) found = reel_tensordict_new (0, NULL);

  for (guint i = 0; file >= 0 && i < wish->n_sets; i++)
    {
      const ReelHdf5Layout layout = look_at_set (wish, i, file, &image, chunks);

      g_array_append_val (layouts, layout);
    }
  return file >= 0 && tell (layouts, LAYOUT_LENGTH, found, LAYOUTS, error)
                 && tell (chunks, CHUNK_LENGTH, found, CHUNKS, error)
             ? g_steal_pointer (&found)
             : NULL;
}

/* ---- what it told: it may have crashed in any way ---- */

static gboolean
check_layout (const ReelArrayInfo *set, const ReelHdf5Layout *layout, gint64 n_left)
{
  if (layout->n_chunks < 1 || layout->n_chunks > n_left || layout->n_filters < 0
      || layout->n_filters > REEL_HDF5_MOST_FILTERS || layout->item < 0)
    return FALSE;
  for (gint64 i = 0; i < layout->n_filters; i++)
    if (layout->filters[i] < REEL_HDF5_DEFLATE || layout->filters[i] > REEL_HDF5_FLETCHER32
        || (layout->filters[i] == REEL_HDF5_SHUFFLE && layout->item == 0)
        || (i > 0 && layout->filters[i] == layout->filters[0])
        || (i > 1 && layout->filters[i] == layout->filters[1]))
      return FALSE;
  for (gint d = 0; d < set->ndim; d++)
    if (layout->shape[d] < 1)
      return FALSE;
  return reel_hdf5_count_chunks (set, layout, 0) == layout->n_chunks;
}

static gboolean
check_chunks (const ReelHdf5Chunk *chunks, gint64 n, gint64 file_bytes)
{
  for (gint64 i = 0; i < n; i++)
    if (chunks[i].offset < 0 || chunks[i].size < 0 || chunks[i].offset > file_bytes
        || chunks[i].size > file_bytes - chunks[i].offset)
      return FALSE;
  return TRUE;
}

static void
take_layouts (ReelHdf5Layouts *self, const Wish *wish, const ReelTensor *layouts,
              const ReelTensor *chunks)
{
  const gint64 n = reel_tensor_numel (chunks) / CHUNK_LENGTH;
  gint64 at = 0;
  gsize file_bytes;

  if (reel_tensor_numel (layouts) != wish->n_sets * LAYOUT_LENGTH)
    return;
  reel_memory_get_data (wish->memory, &file_bytes);
  g_array_append_vals (self->chunks, chunks->data, (guint) n);
  for (guint i = 0; i < wish->n_sets; i++)
    {
      const ReelHdf5Layout *told = (const ReelHdf5Layout *) layouts->data + i;

      if (told->n_chunks == 0)
        continue;
      if (!check_layout (wish->sets[i], told, n - at)
          || !check_chunks (&g_array_index (self->chunks, ReelHdf5Chunk, at), told->n_chunks,
                            (gint64) file_bytes))
        return;
      self->layouts[i] = *told;
      self->first[i] = (guint) at;
      at += told->n_chunks;
    }
}

ReelHdf5Layouts *
reel_hdf5_find_layouts (ReelMemory *file, const ReelArrayInfo *const *sets, guint n_sets)
{
  const Wish wish = { file, sets, n_sets };
  ReelHdf5Layouts *self = g_new0 (ReelHdf5Layouts, 1);
  gsize length;

  reel_memory_get_data (file, &length);
  g_autoptr (ReelTensordict) found = reel_hdf5_run (look_at_file, &wish, length, NULL);
  const ReelTensor *layouts = found ? reel_tensordict_get_tensor (found, LAYOUTS, NULL) : NULL;
  const ReelTensor *chunks = found ? reel_tensordict_get_tensor (found, CHUNKS, NULL) : NULL;
  self->layouts = g_new0 (ReelHdf5Layout, MAX (n_sets, 1));
  self->first = g_new0 (guint, MAX (n_sets, 1));
  self->chunks = g_array_new (FALSE, FALSE, sizeof (ReelHdf5Chunk));
  if (layouts && chunks && layouts->dtype == REEL_DTYPE_INT64 && chunks->dtype == REEL_DTYPE_INT64)
    take_layouts (self, &wish, layouts, chunks);
  return self;
}

void
reel_hdf5_layouts_free (ReelHdf5Layouts *self)
{
  if (!self)
    return;
  g_free (self->layouts);
  g_free (self->first);
  g_array_unref (self->chunks);
  g_free (self);
}
