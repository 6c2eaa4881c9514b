/* Starts and stops of the trajectories of a ring. */
#include "ted.h"
#include "../tensor/tensor-private.h"

#include <string.h>

/* Trajectories of a storage: lanes × steps, cut at bounds that are found as in a line, then joined
 * over the end of the ring and cut at its cursor. */
typedef struct
{
  const ReelTensor *marks; /* [T, lanes…], the last dimension of lanes slowest */
  const gint64 *bounds;
  gint64 steps;
  gint64 lanes;
  gboolean at_capacity;
  gint64 cursor;
  gint64 n;
  gint64 *start, *stop, *length; /* NULL while they are counted */
} Search;

/* With the dimensions of lanes reversed: in the order that they are sorted in. */
static ReelTensor *
sort_lanes (ReelTensor *marks, GError **error)
{
  gint dims[REEL_MAX_NDIM] = { 0 };

  for (gint i = 1; i < marks->ndim; i++)
    dims[i] = marks->ndim - i;
  return reel_tensor_permute (marks, dims, error);
}

/* Where step @step of lane number @lane stands among the marks. */
static void
find_place (const Search *search, gint64 step, gint64 lane, gint64 *place)
{
  place[0] = step;
  for (gint dim = search->marks->ndim - 1; dim > 0; dim--)
    {
      place[dim] = lane % search->marks->shape[dim];
      lane /= search->marks->shape[dim];
    }
}

static const guint8 *
mark_at (const Search *search, gint64 step, gint64 lane)
{
  gint64 place[REEL_MAX_NDIM];

  find_place (search, step, lane, place);
  return reel_tensor_element (search->marks, place);
}

/* Whether the last step of a lane is an end of itself. */
static gboolean
ends_at_seam (const Search *search, gint64 lane)
{
  const guint8 *last = mark_at (search, search->steps - 1, lane);

  if (!search->at_capacity || search->cursor == search->steps - 1)
    return TRUE;
  if (search->marks->dtype == REEL_DTYPE_BOOL)
    return *last;
  return memcmp (last, mark_at (search, 0, lane), reel_dtype_size (search->marks->dtype)) != 0;
}

/* The dimensions of lanes turned back. */
static void
put_place (const Search *search, gint64 *table, gint64 step, gint64 lane)
{
  gint ndim = search->marks->ndim;
  gint64 place[REEL_MAX_NDIM], *row = table + search->n * ndim;

  find_place (search, step, lane, place);
  row[0] = step;
  for (gint dim = 1; dim < ndim; dim++)
    row[dim] = place[ndim - dim];
}

static void
add (Search *search, gint64 lane, gint64 start, gint64 stop)
{
  if (search->start)
    {
      put_place (search, search->start, start, lane);
      put_place (search, search->stop, stop, lane);
      search->length[search->n] = stop - start + 1 + (stop < start ? search->steps : 0);
    }
  search->n++;
}

/* One past the first end of a lane behind @after. */
static gint64
next_end (const Search *search, gint64 lane, gint64 after, gint64 *k)
{
  gint64 first = lane * search->steps, cut = search->cursor + 1;

  while (search->bounds[*k] - first <= after)
    ++*k;
  gint64 end = search->bounds[*k] - first;
  return cut > after && cut < end ? cut : end;
}

/* A lane, whose beginning is bound @k; returns the bound at its end. */
static gint64
walk_lane (Search *search, gint64 lane, gint64 k)
{
  gint64 last = 0, start = 0, end, from = k;

  /* A trajectory over the seam began behind the last end before it. */
  if (!ends_at_seam (search, lane))
    for (end = 0; end < search->steps; end = next_end (search, lane, end, &k))
      last = end;
  k = from;
  start = last;
  for (end = 0; end < search->steps;)
    {
      end = next_end (search, lane, end, &k);
      if (end == search->steps && last > 0)
        break;
      add (search, lane, start, end - 1);
      start = end;
    }
  return k;
}

static void
walk (Search *search)
{
  search->n = 0;
  for (gint64 lane = 0, k = 0; lane < search->lanes; lane++)
    k = walk_lane (search, lane, k);
}

static ReelTensor *
new_table (gint64 n, gint64 columns, GError **error)
{
  return reel_tensor_new (REEL_DTYPE_INT64, columns > 0 ? 2 : 1, (gint64[]){ n, columns }, error);
}

static gboolean
check (const ReelTensor *trajectory, const ReelTensor *end, gboolean at_capacity, gint64 cursor,
       GError **error)
{
  const ReelTensor *marks = trajectory ? trajectory : end;

  if (!trajectory == !end)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "exactly one of trajectory and end is needed, not %s", end ? "both" : "none");
      return FALSE;
    }
  if (marks->ndim == 0 || reel_tensor_numel (marks) == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "there are no steps of trajectories");
      return FALSE;
    }
  if (at_capacity && cursor >= marks->shape[0])
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "cursor %" G_GINT64_FORMAT " is none of the %" G_GINT64_FORMAT " steps", cursor,
                   marks->shape[0]);
      return FALSE;
    }
  return TRUE;
}

gboolean
reel_find_start_stop_traj (ReelTensor *trajectory, ReelTensor *end, gboolean at_capacity,
                           gint64 cursor, ReelTensor **start, ReelTensor **stop,
                           ReelTensor **length, GError **error)
{
  if (!check (trajectory, end, at_capacity, cursor, error))
    return FALSE;

  g_autoptr (ReelTensor) marks = sort_lanes (trajectory ? trajectory : end, error);
  if (!marks)
    return FALSE;
  g_autoptr (ReelTensor) bounds = trajectory ? reel_episode_bounds_from_ids (marks, 0, error)
                                             : reel_episode_bounds_from_flags (marks, 0, error);
  if (!bounds)
    return FALSE;

  Search search = { .marks = marks,
                    .bounds = (const gint64 *) bounds->data,
                    .steps = marks->shape[0],
                    .lanes = reel_tensor_numel (marks) / marks->shape[0],
                    .at_capacity = at_capacity,
                    .cursor = at_capacity ? cursor : -1 };
  walk (&search);
  g_autoptr (ReelTensor) starts = new_table (search.n, marks->ndim, error);
  g_autoptr (ReelTensor) stops = starts ? new_table (search.n, marks->ndim, error) : NULL;
  g_autoptr (ReelTensor) lengths = stops ? new_table (search.n, 0, error) : NULL;
  if (!lengths)
    return FALSE;
  search.start = (gint64 *) starts->data;
  search.stop = (gint64 *) stops->data;
  search.length = (gint64 *) lengths->data;
  walk (&search);
  if (start)
    *start = g_steal_pointer (&starts);
  if (stop)
    *stop = g_steal_pointer (&stops);
  if (length)
    *length = g_steal_pointer (&lengths);
  return TRUE;
}
