#include "dataset-leaves.h"

#include "../core/object/error.h"
#include "../core/tensor/convert-kernel.h"
#include "../core/tensor/mapped-memory.h"
#include "../core/tensordict-files/save-plan.h"
#include "../core/tensordict-files/tensordict-files.h"

#include <string.h>

#define PIECE ((gsize) 8 << 20) /* bytes of a leaf that the disk gets at once */
#define LARGE (4 * PIECE)       /* bytes of a leaf that is worth it */
#define MOST_KEPT 64            /* such leaves */

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

/* Flags that are false are not written: no later write makes pages for them. */
static void
prepare_leaf (const ReelTensor *leaf, const char *file, guint *n_kept)
{
  if (leaf->dtype == REEL_DTYPE_BOOL)
    reel_memory_take_huge_pages (leaf->memory);
  else
    reel_memory_want_huge_pages (leaf->memory);
  if (*n_kept < MOST_KEPT && reel_tensor_nbytes (leaf) >= LARGE)
    {
      reel_memory_keep_file (leaf->memory, file);
      (*n_kept)++;
    }
}

ReelTensordict *
reel_leaves_make (const ReelTensordict *outline, const char *directory, GError **error)
{
  g_autoptr (ReelSavePlan) plan = reel_save_plan_new (outline, NULL, error);
  ReelTensordict *data = plan ? reel_tensordict_save_like (outline, directory, error) : NULL;
  g_auto (GStrv) paths = data ? reel_tensordict_list_leaves (data) : NULL;
  guint n_kept = 0;

  for (gsize i = 0; data && paths[i]; i++)
    {
      const ReelTensor *like = reel_tensordict_get_tensor (outline, paths[i], NULL);
      const char *name = reel_save_plan_find (plan, like);
      g_autofree char *file = name ? g_build_filename (directory, name, NULL) : NULL;

      if (file)
        prepare_leaf (reel_tensordict_get_tensor (data, paths[i], NULL), file, &n_kept);
    }
  return data;
}

/* A piece before the last rows is whole, in all threads: they take blocks in order. */
void
reel_leaf_let_go (const ReelTensor *leaf, const guint8 *rows, gsize n)
{
  const gsize offset = (gsize) (rows - leaf->data);
  const gsize begin = MAX (offset / PIECE, 1) - 1, end = MAX ((offset + n) / PIECE, 1) - 1;

  reel_memory_let_go (leaf->memory, rows, n);
  if (end > begin)
    reel_memory_write_back (leaf->memory, leaf->data + begin * PIECE, (end - begin) * PIECE);
}

void
reel_row_source_add (ReelRowSource *self, const ReelTensordict *data, const char *path,
                     gint64 first, gint64 n, gint64 at)
{
  ReelTensor *to = reel_tensordict_get_tensor (data, path, NULL);

  g_return_if_fail (to && self->n_routes < REEL_MOST_ROUTES && at >= 0 && at + n <= to->shape[0]);
  self->routes[self->n_routes++] = (ReelRowRoute){ to, first, n, at, NULL };
}

void
reel_row_source_leave_out (ReelRowSource *self, const ReelTensordict *data, const char *where)
{
  g_return_if_fail (self->n_routes > 0);
  self->routes[self->n_routes - 1].ends = reel_tensordict_get_tensor (data, where, NULL);
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
clear_ends (const ReelRowRoute *route, gint64 first, gint64 n, guint8 *rows, gsize row_bytes)
{
  const guint8 *flags = route->ends->data + first;

  for (gint64 i = 0; i < n; i++)
    if (flags[i])
      memset (rows + (gsize) i * row_bytes, 0, row_bytes);
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
  if (route->ends)
    clear_ends (route, route->at + begin - route->first, n, at, row_bytes);
  reel_leaf_let_go (route->to, at, (gsize) n * row_bytes);
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
