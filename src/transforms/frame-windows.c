/* Windows of frames: the edges of trajectories, and copies of runs with padding outside of them. */
#include "frame-windows.h"

#include "../core/tensor/tensor-private.h"

#include <string.h>

/* ---- where trajectories begin and end ---- */

static void
find_begins (const ReelFrameWindows *windows, gint64 first, const guint8 *breaks)
{
  gint64 begin = 0;

  for (gint64 t = 0; t < windows->steps; t++)
    {
      gint64 at = first + t * windows->inner;

      windows->edges[at] = begin;
      if (breaks[at])
        begin = t + 1;
    }
}

static void
find_ends (const ReelFrameWindows *windows, gint64 first, const guint8 *breaks)
{
  gint64 end = windows->steps - 1;

  for (gint64 t = windows->steps - 1; t >= 0; t--)
    {
      gint64 at = first + t * windows->inner;

      if (breaks[at])
        end = t;
      windows->edges[at] = end;
    }
}

void
reel_frame_windows_find_edges (ReelFrameWindows *windows, const guint8 *breaks)
{
  for (gint64 o = 0; o < windows->outer; o++)
    for (gint64 i = 0; i < windows->inner; i++)
      (windows->future ? find_ends : find_begins) (windows, o * windows->steps * windows->inner + i,
                                                   breaks);
}

/* ---- windows ---- */

/* Frames in memory: a step's frame is `n_parts` parts, between which those of the other frames of
 * its window come. */
typedef struct
{
  const ReelFrameWindows *windows;
  const guint8 *frames;
  const guint8 *before;
  guint8 *missing; /* one part of it */
  gsize part;      /* bytes */
  gint64 n_parts;
  gsize step; /* bytes from a step of a lane to the next */
} Stack;

static void
put_frame (const Stack *stack, guint8 *to, const guint8 *from)
{
  gsize window = stack->part * (gsize) stack->windows->n;

  for (gint64 p = 0; p < stack->n_parts; p++)
    memcpy (to + (gsize) p * window, from ? from + (gsize) p * stack->part : stack->missing,
            stack->part);
}

/* The substitute for step @t outside of the window's trajectory: %NULL for the value. */
static const guint8 *
find_missing (const Stack *stack, gint64 lane, gint64 edge, gint64 t)
{
  gsize at = (gsize) lane * stack->part * (gsize) stack->n_parts + (gsize) edge * stack->step;

  if (stack->before && (t == edge - 1 || stack->windows->same))
    return stack->before + at;
  return stack->windows->same ? stack->frames + at : NULL;
}

/* The frames of steps @from to @to, in a window from its frame @slot on. */
static void
put_run (const Stack *stack, guint8 *window, gint64 slot, gint64 lane, gint64 from, gint64 to)
{
  gsize frame = stack->part * (gsize) stack->n_parts;
  const guint8 *at = stack->frames + (gsize) lane * frame + (gsize) from * stack->step;

  if (stack->n_parts == 1 && stack->step == frame)
    memcpy (window + (gsize) slot * frame, at, (gsize) (to - from + 1) * frame);
  else
    for (; from <= to; from++, slot++, at += stack->step)
      put_frame (stack, window + (gsize) slot * stack->part, at);
}

/* The window of step @t, whose trajectory has the edge @edge. */
static void
put_window (const Stack *stack, guint8 *window, gint64 lane, gint64 t, gint64 edge)
{
  gint64 n = stack->windows->n, first = stack->windows->future ? t : t - n + 1;
  gint64 last = first + n - 1;
  gint64 from = stack->windows->future ? t : MAX (first, edge);
  gint64 to = stack->windows->future ? MIN (last, edge) : t;

  for (gint64 i = first; i < from; i++)
    put_frame (stack, window + (gsize) (i - first) * stack->part,
               find_missing (stack, lane, edge, i));
  put_run (stack, window, from - first, lane, from, to);
  for (gint64 i = to + 1; i <= last; i++)
    put_frame (stack, window + (gsize) (i - first) * stack->part,
               find_missing (stack, lane, edge, i));
}

static void
put_all (const Stack *stack, guint8 *to)
{
  const ReelFrameWindows *windows = stack->windows;
  gsize size = stack->part * (gsize) (stack->n_parts * windows->n);
  gint64 at = 0;

  for (gint64 o = 0; o < windows->outer; o++)
    for (gint64 t = 0; t < windows->steps; t++)
      for (gint64 i = 0; i < windows->inner; i++, at++, to += size)
        put_window (stack, to, o * windows->steps * windows->inner + i, t, windows->edges[at]);
}

static void
put_rows (const Stack *stack, guint8 *to)
{
  const ReelFrameWindows *windows = stack->windows;
  gsize size = stack->part * (gsize) (stack->n_parts * windows->n);

  for (gint64 k = 0; k < windows->n_rows; k++, to += size)
    put_window (stack, to, 0, windows->rows[k], windows->edges[windows->rows[k]]);
}

static guint8 *
fill_part (ReelDtype dtype, double value, gsize bytes)
{
  guint8 element[REEL_MAX_ELEMENT_SIZE], *part = g_malloc (bytes + 1);

  reel_element_from_double (dtype, element, value);
  for (gsize i = 0; i < bytes; i += reel_dtype_size (dtype))
    memcpy (part + i, element, reel_dtype_size (dtype));
  return part;
}

ReelTensor *
reel_frame_windows_stack (const ReelFrameWindows *windows, const ReelTensor *frames,
                          const ReelTensor *before, gint dim, GError **error)
{
  gint64 shape[REEL_MAX_NDIM], n_parts = 1;
  gsize part = reel_dtype_size (frames->dtype);
  ReelTensor *result;

  memcpy (shape, frames->shape, sizeof shape);
  for (gint i = windows->ndim; i < dim; i++)
    n_parts *= shape[i];
  for (gint i = dim; i < frames->ndim; i++)
    part *= (gsize) shape[i];
  if (__builtin_mul_overflow (shape[dim], windows->n, &shape[dim]))
    shape[dim] = G_MAXINT64;
  if (windows->rows)
    shape[0] = windows->n_rows;
  result = reel_tensor_new_unfilled (frames->dtype, frames->ndim, shape, error);
  if (!result || reel_tensor_numel (result) == 0)
    return result;
  Stack stack = { .windows = windows,
                  .frames = frames->data,
                  .before = before ? before->data : NULL,
                  .missing = fill_part (frames->dtype, windows->value, part),
                  .part = part,
                  .n_parts = n_parts,
                  .step = part * (gsize) (n_parts * windows->inner) };
  (windows->rows ? put_rows : put_all) (&stack, result->data);
  g_free (stack.missing);
  return result;
}

static gboolean
is_missing (const ReelFrameWindows *windows, gint64 t, gint64 k, gint64 edge)
{
  return windows->future ? t + k > edge : t - windows->n + 1 + k < edge;
}

ReelTensor *
reel_frame_windows_mask (const ReelFrameWindows *windows, const gint64 *size, GError **error)
{
  gint64 shape[REEL_MAX_NDIM], n = windows->n;
  ReelTensor *mask;

  memcpy (shape, size, sizeof *size * (gsize) windows->ndim);
  shape[windows->ndim] = n;
  if (windows->rows)
    shape[0] = windows->n_rows;
  mask = reel_tensor_new_unfilled (REEL_DTYPE_BOOL, windows->ndim + 1, shape, error);
  if (!mask)
    return NULL;
  for (gint64 i = 0; i < reel_tensor_numel (mask) / n; i++)
    {
      gint64 at = windows->rows ? windows->rows[i] : i;
      gint64 t = at / windows->inner % windows->steps;

      for (gint64 k = 0; k < n; k++)
        mask->data[i * n + k] = is_missing (windows, t, k, windows->edges[at]);
    }
  return mask;
}
