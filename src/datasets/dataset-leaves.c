#include "dataset-leaves.h"

#include "../core/object/error.h"
#include "../core/tensor/convert-kernel.h"
#include "../core/tensor/mapped-memory.h"
#include "../core/tensordict-files/tensordict-files.h"

#include <string.h>

gboolean
reel_leaves_add (ReelTensordict *outline, const char *path, ReelDtype dtype, gint ndim,
                 const gint64 *shape, GError **error)
{
  gint batch_ndim;
  gint64 whole[REEL_MAX_NDIM] = { reel_tensordict_get_batch_size (outline, &batch_ndim)[0] };
  g_autoptr (ReelTensor) element = NULL, leaf = NULL;

  if (ndim >= REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"%s\" would have %d dimensions, most are %d", path, ndim + 1, REEL_MAX_NDIM);
      return FALSE;
    }
  if (reel_tensordict_contains (outline, path))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "two arrays of the file become \"%s\"",
                   path);
      return FALSE;
    }
  for (gint d = 0; d < ndim; d++)
    whole[1 + d] = shape[d];
  return (element = reel_tensor_new (dtype, 0, NULL, error))
         && (leaf = reel_tensor_expand (element, 1 + ndim, whole, error))
         && reel_tensordict_set_tensor (outline, path, leaf, error);
}

ReelTensordict *
reel_leaves_make (const ReelTensordict *outline, const char *directory, GError **error)
{
  ReelTensordict *data = reel_tensordict_save_like (outline, directory, error);
  g_auto (GStrv) paths = data ? reel_tensordict_list_leaves (data) : NULL;

  for (gsize i = 0; data && paths[i]; i++)
    reel_memory_want_huge_pages (reel_tensordict_get_tensor (data, paths[i], NULL)->memory);
  return data;
}

void
reel_leaves_clear (const ReelTensordict *data, const char *path, const char *where)
{
  const ReelTensor *flags = reel_tensordict_get_tensor (data, where, NULL);
  const ReelTensor *leaf = reel_tensordict_get_tensor (data, path, NULL);
  const gsize row_bytes = reel_tensor_nbytes (leaf) / (gsize) MAX (leaf->shape[0], 1);

  for (gint64 i = 0; i < flags->shape[0]; i++)
    if (flags->data[i])
      {
        guint8 *row = leaf->data + (gsize) i * row_bytes;

        memset (row, 0, row_bytes);
        reel_memory_let_go (leaf->memory, row, row_bytes);
      }
}

void
reel_row_source_add (ReelRowSource *self, const ReelTensordict *data, const char *path,
                     gint64 first, gint64 n, gint64 at)
{
  ReelTensor *to = reel_tensordict_get_tensor (data, path, NULL);

  g_return_if_fail (to && self->n_routes < REEL_MOST_ROUTES && at >= 0 && at + n <= to->shape[0]);
  self->routes[self->n_routes++] = (ReelRowRoute){ to, first, n, at };
}

/* ---- rows ---- */

static void
convert (ReelDtype from, const guint8 *rows, ReelDtype to, guint8 *at, gsize n)
{
  ReelIsa isa;

  /* The choice fails for a level that `REEL_ISA` may not have, and is the best then. */
  reel_isa_choose (&isa, NULL);
  REEL_KERNEL_PICK (reel_convert_kernels, isa)->convert (from, rows, to, at, n);
}

/* Another thread may mark the same row. */
static void
mark (ReelDtype from, const guint8 *rows, guint8 *at, gsize n)
{
  g_autofree guint8 *flags = g_malloc (MAX (n, 1));

  convert (from, rows, REEL_DTYPE_BOOL, flags, n);
  for (const guint8 *flag = flags; (flag = memchr (flag, 1, n - (gsize) (flag - flags))); flag++)
    __atomic_store_n (at + (flag - flags), 1, __ATOMIC_RELAXED);
}

static void
put (const ReelRowSource *self, const ReelRowRoute *route, gint64 begin, gint64 n,
     const guint8 *rows)
{
  const gsize n_elements = (gsize) n * self->n_elements;
  const gsize row_bytes = self->n_elements * reel_dtype_size (route->to->dtype);
  guint8 *at = route->to->data + (gsize) (route->at + begin - route->first) * row_bytes;

  if (route->to->dtype == REEL_DTYPE_BOOL)
    mark (self->dtype, rows, at, n_elements);
  else if (route->to->dtype == self->dtype)
    memcpy (at, rows, n_elements * reel_dtype_size (self->dtype));
  else
    convert (self->dtype, rows, route->to->dtype, at, n_elements);
  reel_memory_let_go (route->to->memory, at, (gsize) n * row_bytes);
}

void
reel_row_source_take (const ReelRowSource *self, gint64 first, gint64 n, const guint8 *rows)
{
  const gsize row_bytes = self->n_elements * reel_dtype_size (self->dtype);

  for (guint i = 0; i < self->n_routes; i++)
    {
      const ReelRowRoute *route = &self->routes[i];
      gint64 begin = MAX (first, route->first);
      gint64 end = MIN (first + n, route->first + route->n);

      if (begin < end)
        put (self, route, begin, end - begin, rows + (gsize) (begin - first) * row_bytes);
    }
}
