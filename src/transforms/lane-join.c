#include "lane-join.h"

#include <string.h>

#include "../core/tensor/convert-kernel.h"
#include "link-kernel.h"

/* ---- a leaf of another element type ---- */

typedef struct
{
  ReelLaneWork work;
  const ReelConvertKernels *kernels;
  guint from, to;
  ReelDtype from_dtype, to_dtype;
  gsize from_bytes, to_bytes, n_elements; /* of a row */
} Convert;

static void
convert_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Convert *self = (const Convert *) work;

  self->kernels->convert (self->from_dtype, columns[self->from] + (gsize) begin * self->from_bytes,
                          self->to_dtype, columns[self->to] + (gsize) begin * self->to_bytes,
                          (gsize) (end - begin) * self->n_elements);
}

static void
convert_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    convert_step (work, columns, lanes[i], lanes[i] + 1);
}

static void
convert_free (ReelLaneWork *work)
{
  g_free (work);
}

/* convert: the number of a leaf without a key, of the values of @from. */
static gboolean
convert (ReelLanePlan *plan, guint from, ReelDtype dtype, guint *to, GError **error)
{
  const ReelLaneLeaf leaf = *reel_lane_plan_get_leaf (plan, from);
  Convert *work;
  ReelIsa isa;

  if (!reel_isa_choose (&isa, error))
    return FALSE;
  *to = reel_lane_plan_define (plan, NULL, leaf.role, dtype, leaf.ndim, leaf.shape);
  work = g_new0 (Convert, 1);
  *work = (Convert){
    .work = { .step = convert_step, .free = convert_free },
    .kernels = REEL_KERNEL_PICK (reel_convert_kernels, isa),
    .from = from,
    .to = *to,
    .from_dtype = leaf.dtype,
    .to_dtype = dtype,
    .from_bytes = leaf.row_bytes,
    .to_bytes = reel_lane_plan_get_leaf (plan, *to)->row_bytes,
    .n_elements = leaf.row_bytes / reel_dtype_size (leaf.dtype),
  };
  if (leaf.role == REEL_LANE_OBSERVATION)
    work->work.reset = convert_reset;
  return reel_lane_plan_add (plan, &work->work, 0, error);
}

/* ---- the join ---- */

typedef struct
{
  ReelLaneWork work;
  const ReelLinkKernels *kernels;
  guint n;
  guint whole;
  guint *parts;
  gsize *piece_bytes;  /* by part */
  ReelWordPlan *words; /* of a join; NULL where pieces are no short words */
  gsize n_pieces;      /* of each part in a row */
  gsize row_bytes;     /* of the whole */
} Join;

/* The first pieces, as many as vectors are made of. */
static gsize
join_words (const Join *self, guint8 *const *columns, gsize first, gsize n, guint8 *to)
{
  const guint8 **from = g_newa (const guint8 *, self->n);

  if (self->words == NULL)
    return 0;
  for (guint i = 0; i < self->n; i++)
    from[i] = columns[self->parts[i]] + first * self->piece_bytes[i];
  return self->kernels->join_words (self->words, from, to, n);
}

/* Source after source: the pieces of one are one behind the other, in the result they are apart. */
static void
join_rows (const Join *self, guint8 *const *columns, gint64 begin, gint64 end)
{
  gsize first = (gsize) begin * self->n_pieces, n = (gsize) (end - begin) * self->n_pieces;
  gsize stride = self->row_bytes / self->n_pieces;
  gsize done = join_words (self, columns, first, n, columns[self->whole] + first * stride);
  guint8 *to;

  first += done;
  n -= done;
  to = columns[self->whole] + first * stride;
  for (guint i = 0; i < self->n; to += self->piece_bytes[i++])
    self->kernels->place (columns[self->parts[i]] + first * self->piece_bytes[i],
                          self->piece_bytes[i], to, stride, n);
}

static void
join_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  join_rows ((const Join *) work, columns, begin, end);
}

static void
join_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Join *self = (const Join *) work;
  guint8 *to = columns[self->whole];

  if (self->n_pieces > 1)
    for (gsize i = 0; i < n; i++)
      join_rows (self, columns, lanes[i], lanes[i] + 1);
  else
    for (guint i = 0; i < self->n; to += self->piece_bytes[i++])
      self->kernels->place_lanes (columns[self->parts[i]], self->piece_bytes[i], to,
                                  self->row_bytes, lanes, n);
}

static void
join_free (ReelLaneWork *work)
{
  Join *self = (Join *) work;

  g_free (self->parts);
  g_free (self->piece_bytes);
  g_aligned_free (self->words);
  g_free (self);
}

static Join *
join_new (const ReelLanePlan *plan, guint whole, const guint *parts, guint n, gsize n_pieces)
{
  Join *join = g_new0 (Join, 1);

  join->work.free = join_free;
  join->n = n;
  join->whole = whole;
  join->parts = g_memdup2 (parts, n * sizeof *parts);
  join->piece_bytes = g_new0 (gsize, n);
  join->n_pieces = MAX (n_pieces, 1);
  join->row_bytes = reel_lane_plan_get_leaf (plan, whole)->row_bytes;
  return join;
}

/* measure: the pieces of each part. */
static void
measure (Join *self, const ReelLanePlan *plan)
{
  for (guint i = 0; i < self->n; i++)
    self->piece_bytes[i] =
        reel_lane_plan_get_leaf (plan, self->parts[i])->row_bytes / self->n_pieces;
}

gboolean
reel_lane_plan_add_join (ReelLanePlan *self, const guint *from, guint n, guint to, gsize n_pieces,
                         GError **error)
{
  const ReelLaneLeaf result = *reel_lane_plan_get_leaf (self, to);
  Join *join = join_new (self, to, from, n, n_pieces);
  ReelIsa isa;

  join->work.step = join_step;
  if (result.role == REEL_LANE_OBSERVATION)
    join->work.reset = join_reset;
  for (guint i = 0; i < n; i++)
    if (reel_lane_plan_get_leaf (self, from[i])->dtype != result.dtype
        && !convert (self, from[i], result.dtype, &join->parts[i], error))
      {
        join_free (&join->work);
        return FALSE;
      }
  if (!reel_isa_choose (&isa, error))
    {
      join_free (&join->work);
      return FALSE;
    }
  measure (join, self);
  join->kernels = REEL_KERNEL_PICK (reel_link_kernels, isa);
  join->words = join->kernels->plan_words (join->piece_bytes, n);
  return reel_lane_plan_add (self, &join->work, 0, error);
}

/* ---- the other way ---- */

static void
copy_pieces (guint8 *to, const guint8 *from, gsize from_stride, gsize bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    memcpy (to + i * bytes, from + i * from_stride, bytes);
}

static void
split_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Join *self = (const Join *) work;
  gsize first = (gsize) begin * self->n_pieces, n = (gsize) (end - begin) * self->n_pieces;
  gsize stride = self->row_bytes / self->n_pieces;
  const guint8 *from = columns[self->whole] + first * stride;

  for (guint i = 0; i < self->n; from += self->piece_bytes[i++])
    copy_pieces (columns[self->parts[i]] + first * self->piece_bytes[i], from, stride,
                 self->piece_bytes[i], n);
}

static void
split_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    split_step (work, columns, lanes[i], lanes[i] + 1);
}

gboolean
reel_lane_plan_add_split (ReelLanePlan *self, guint from, const guint *to, guint n, gsize n_pieces,
                          GError **error)
{
  Join *join = join_new (self, from, to, n, n_pieces);

  join->work.step = split_step;
  if (reel_lane_plan_get_leaf (self, from)->role == REEL_LANE_OBSERVATION)
    join->work.reset = split_reset;
  measure (join, self);
  return reel_lane_plan_add (self, &join->work, 0, error);
}

guint *
reel_lane_plan_require_all (const ReelLanePlan *self, const char *const *keys, GError **error)
{
  g_autofree guint *leaves = g_new (guint, g_strv_length ((char **) keys) + 1);

  for (guint i = 0; keys[i]; i++)
    {
      gint leaf = reel_lane_plan_require (self, keys[i], error);

      if (leaf < 0)
        return NULL;
      leaves[i] = (guint) leaf;
    }
  return g_steal_pointer (&leaves);
}
