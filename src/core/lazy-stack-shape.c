/* How lazy stacks follow changes of shape: the elements are changed, and the stack's dimension
 * moves along. */
#include "lazy-stack-private.h"

#include <string.h>

/* A dimension of the stack, which is not the stack's own, as its elements count it. */
static gint
element_dim (const ReelTensordict *td, gint dim)
{
  return dim < td->stack_dim ? dim : dim - 1;
}

/* A part of the elements. Without any, nothing says which keys there are. */
static ReelTensordict *
new_part (const ReelTensordict *td, GPtrArray *elements, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];

  if (elements->len > 0)
    return reel_lazy_stack_new_like (td, (ReelTensordict *const *) elements->pdata, elements->len,
                                     td->stack_dim, error);
  for (gint i = 0; i < td->ndim; i++)
    shape[i] = i == td->stack_dim ? 0 : MAX (td->batch_size[i], 0);
  ReelTensordict *empty = reel_tensordict_new_like (td, td->ndim, shape);
  reel_tensordict_copy_names (empty, (const char *const *) td->names);
  return empty;
}

/* ---- select ---- */

typedef struct
{
  gint dim;
  gint64 begin;
  gint64 end;
  gint64 step;
} Range;

static ReelTensordict *
select_in (ReelTensordict *element, gconstpointer data, GError **error)
{
  const Range *range = data;

  return reel_tensordict_select_index (element, range->dim, range->begin, error);
}

ReelTensordict *
reel_lazy_stack_select (const ReelTensordict *td, gint dim, gint64 index, GError **error)
{
  const Range range = { .dim = element_dim (td, dim), .begin = index };

  if (dim == td->stack_dim)
    return reel_tensordict_ref (td->elements->pdata[index]);
  return reel_lazy_stack_map (td, td->stack_dim - (dim < td->stack_dim), select_in, &range, error);
}

/* ---- slice ---- */

static ReelTensordict *
slice_in (ReelTensordict *element, gconstpointer data, GError **error)
{
  const Range *range = data;

  return reel_tensordict_slice (element, range->dim, range->begin, range->end, range->step, error);
}

ReelTensordict *
reel_lazy_stack_slice (const ReelTensordict *td, gint dim, gint64 begin, gint64 end, gint64 step,
                       GError **error)
{
  const Range range = { element_dim (td, dim), begin, end, step };
  g_autoptr (GPtrArray) elements = g_ptr_array_new ();
  gint64 count;

  if (dim != td->stack_dim)
    return reel_lazy_stack_map (td, td->stack_dim, slice_in, &range, error);
  if (!reel_slice_resolve (&begin, end, step, td->elements->len, &count, error))
    return NULL;
  for (gint64 i = 0; i < count; i++)
    g_ptr_array_add (elements, td->elements->pdata[begin + i * step]);
  return new_part (td, elements, error);
}

/* ---- gather ---- */

typedef struct
{
  const gint64 *rows;
  gsize n;
} Rows;

static ReelTensordict *
gather_in (ReelTensordict *element, gconstpointer data, GError **error)
{
  const Rows *rows = data;

  return reel_tensordict_gather_rows (element, rows->rows, rows->n, error);
}

ReelTensordict *
reel_lazy_stack_gather_rows (const ReelTensordict *td, const gint64 *rows, gsize n, GError **error)
{
  const Rows what = { rows, n };
  g_autoptr (GPtrArray) elements = g_ptr_array_new ();

  if (td->stack_dim != 0)
    return reel_lazy_stack_map (td, td->stack_dim, gather_in, &what, error);
  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (elements,
                     td->elements->pdata[rows[i] < 0 ? rows[i] + td->elements->len : rows[i]]);
  return new_part (td, elements, error);
}
