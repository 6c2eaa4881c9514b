#include "frame-stack.h"

#include <string.h>

/* A lane keeps the frames before the newest in a ring, behind the number of the oldest one: the
 * newest goes from its column to the window. A window is written piece by piece: as many of each
 * frame as there are places before the dimension. */
typedef struct
{
  ReelLaneWork work;
  ReelFrameStack stack;
  guint from, to;
  gint64 n_kept;
  ReelDtype dtype;
  gsize frame_bytes, piece_bytes;
} Stack;

typedef struct
{
  gint64 oldest;
  guint8 frames[];
} Ring;

static Ring *
get_ring (const Stack *self, gint64 lane)
{
  return (Ring *) (gpointer) (self->work.state + (gsize) lane * self->work.state_bytes);
}

static guint8 *
frame_of (const Stack *self, Ring *ring, gint64 i)
{
  gint64 at = ring->oldest + i;

  return ring->frames + (gsize) (at < self->n_kept ? at : at - self->n_kept) * self->frame_bytes;
}

static void
write_window (const Stack *self, Ring *ring, const guint8 *newest, guint8 *to)
{
  for (gsize at = 0; at < self->frame_bytes; at += self->piece_bytes)
    {
      for (gint64 i = 0; i < self->n_kept; i++, to += self->piece_bytes)
        memcpy (to, frame_of (self, ring, i) + at, self->piece_bytes);
      memcpy (to, newest + at, self->piece_bytes);
      to += self->piece_bytes;
    }
}

/* The newest frame takes the place of the oldest. */
static void
keep (const Stack *self, Ring *ring, const guint8 *newest)
{
  if (self->n_kept == 0)
    return;
  memcpy (frame_of (self, ring, 0), newest, self->frame_bytes);
  ring->oldest = ring->oldest + 1 < self->n_kept ? ring->oldest + 1 : 0;
}

static gsize
window_bytes (const Stack *self)
{
  return (gsize) self->stack.n * self->frame_bytes;
}

static const guint8 *
newest_of (const Stack *self, guint8 *const *columns, gint64 lane)
{
  return columns[self->from] + (gsize) lane * self->frame_bytes;
}

static void
stack_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Stack *self = (const Stack *) work;

  for (gint64 lane = begin; lane < end; lane++)
    {
      const guint8 *newest = newest_of (self, columns, lane);
      Ring *ring = get_ring (self, lane);

      write_window (self, ring, newest, columns[self->to] + (gsize) lane * window_bytes (self));
      keep (self, ring, newest);
    }
}

static void
fill_value (const Stack *self, guint8 *frame)
{
  gsize size = reel_dtype_size (self->dtype);

  for (gsize at = 0; at < self->frame_bytes; at += size)
    reel_dtype_store_double (self->dtype, frame + at, self->stack.value);
}

/* Frames before an episode are its first one, or the value. */
static void
stack_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Stack *self = (const Stack *) work;

  for (gsize k = 0; k < n; k++)
    {
      const guint8 *first = newest_of (self, columns, lanes[k]);
      Ring *ring = get_ring (self, lanes[k]);

      ring->oldest = 0;
      for (gint64 i = 0; i < self->n_kept; i++)
        if (self->stack.same)
          memcpy (frame_of (self, ring, i), first, self->frame_bytes);
        else
          fill_value (self, frame_of (self, ring, i));
      write_window (self, ring, first, columns[self->to] + (gsize) lanes[k] * window_bytes (self));
      keep (self, ring, first);
    }
}

static void
stack_free (ReelLaneWork *work)
{
  g_free (work);
}

/* check_dim: the place of the dimension in a frame, −1 where it lacks it. */
static gint
check_dim (const ReelFrameStack *stack, const ReelLaneLeaf *leaf, GError **error)
{
  gint64 dim = leaf->ndim + stack->dim;

  if (dim >= 0)
    return (gint) dim;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "\"%s\" has %d dimensions, so its frames cannot be joined along dimension "
               "%" G_GINT64_FORMAT,
               leaf->path, leaf->ndim, stack->dim);
  return -1;
}

gboolean
reel_frame_stack_bind (const ReelFrameStack *stack, ReelLanePlan *plan, const char *in,
                       const char *out, GError **error)
{
  gint from = reel_lane_plan_require (plan, in, error), dim;
  ReelLaneLeaf leaf;
  Stack *work;
  gsize pieces = 1;

  if (from < 0)
    return FALSE;
  leaf = *reel_lane_plan_get_leaf (plan, (guint) from);
  dim = check_dim (stack, &leaf, error);
  if (dim < 0)
    return FALSE;
  for (gint i = 0; i < dim; i++)
    pieces *= (gsize) leaf.shape[i];
  leaf.shape[dim] *= stack->n;
  work = g_new0 (Stack, 1);
  *work = (Stack){
    .work = { .step = stack_step, .reset = stack_reset, .free = stack_free },
    .stack = *stack,
    .from = (guint) from,
    .n_kept = stack->n - 1,
    .dtype = leaf.dtype,
    .frame_bytes = leaf.row_bytes,
    .piece_bytes = MAX (leaf.row_bytes / MAX (pieces, 1), 1),
  };
  work->to = reel_lane_plan_define (plan, out, leaf.role, leaf.dtype, leaf.ndim, leaf.shape);
  return reel_lane_plan_add (plan, &work->work,
                             (sizeof (Ring) + (gsize) work->n_kept * work->frame_bytes + 7) / 8 * 8,
                             error);
}
