/* The ends of episodes in a batch. */
#include "episode-bounds-kernel.h"
#include "ted.h"
#include "../tensor/tensor-private.h"

/* Steps looked at in one call of a kernel, which needs room for as many results. */
#define CHUNK 16384

/* From as many lanes on, steps are turned to lanes by tiles of 64 by 64 flags. */
#define MANY_LANES 32

typedef struct
{
  gint64 *at;
  gint64 n;
  gint64 capacity;
} Numbers;

/* The input: contiguous marks, lanes × steps or steps × lanes. */
typedef struct
{
  const ReelEpisodeBoundsKernels *kernels;
  const guint8 *data;
  gboolean are_ids;
  gint64 lanes;
  gint64 steps;
} Marks;

static gboolean
set_no_memory (gint64 n, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "cannot allocate %" G_GINT64_FORMAT " bounds of episodes", n);
  return FALSE;
}

static gboolean
numbers_reserve (Numbers *numbers, gint64 more, GError **error)
{
  more += REEL_EPISODE_SPARE;
  if (numbers->n + more <= numbers->capacity)
    return TRUE;

  gint64 capacity = MAX (2 * numbers->capacity, numbers->n + more);
  gint64 *at = g_try_realloc_n (numbers->at, capacity, sizeof *at);
  if (!at)
    return set_no_memory (capacity, error);
  numbers->at = at;
  numbers->capacity = capacity;
  return TRUE;
}

/* One past each end among the first @n marks, in order of memory; an id is compared with the one
 * @apart later. */
static gboolean
find_ends (const Marks *marks, gint64 n, gint64 apart, ReelRowEnds rows, Numbers *found,
           GError **error)
{
  for (gint64 i = 0; i < n; i += CHUNK)
    {
      gint64 count = MIN (CHUNK, n - i);

      if (!numbers_reserve (found, count, error))
        return FALSE;
      gint64 *to = found->at + found->n;
      if (marks->are_ids)
        {
          const gint64 *ids = (const gint64 *) marks->data + i;
          found->n += marks->kernels->changes (ids, ids + apart, count, i + 1, &rows, to);
        }
      else
        found->n += marks->kernels->flags (marks->data + i, count, i + 1, &rows, to);
    }
  return TRUE;
}

/* ---- time fastest ---- */

/* The last step has no successor that its id could be compared with; it ends a row anyway. */
static gboolean
cut_lanes (const Marks *marks, Numbers *bounds, GError **error)
{
  gint64 n = marks->lanes * marks->steps;
  ReelRowEnds rows = { .last = marks->steps, .length = marks->steps };

  if (!find_ends (marks, n - 1, 1, rows, bounds, error) || !numbers_reserve (bounds, 1, error))
    return FALSE;
  bounds->at[bounds->n++] = n;
  return TRUE;
}

/* ---- time slowest, few lanes ---- */

/* i / n by a multiplication that is exact for numbers below 2^32; n is 2 or more. */
typedef struct
{
  guint64 n;
  guint64 inverse; /* 0 where i can be larger */
} Divisor;

static Divisor
divisor_for (gint64 n, gint64 largest)
{
  return (Divisor){ n, largest <= G_MAXUINT32 ? G_MAXUINT64 / (guint64) n + 1 : 0 };
}

static inline gint64
divide (gint64 i, Divisor by)
{
  if (by.inverse == 0)
    return i / (gint64) by.n;
  return (gint64) ((unsigned __int128) (guint64) i * by.inverse >> 64);
}

/* Ends come in order of time and are sorted by lane: counted, then put. */
static gboolean
sort_by_lane (const Marks *marks, const Numbers *ends, Numbers *bounds, GError **error)
{
  Divisor lanes = divisor_for (marks->lanes, marks->lanes * marks->steps);
  g_autofree gint64 *next = g_try_new0 (gint64, marks->lanes + 1);

  if (!next || !numbers_reserve (bounds, ends->n + marks->lanes, error))
    return next ? FALSE : set_no_memory (marks->lanes, error);
  for (gint64 i = 0; i < ends->n; i++)
    {
      gint64 at = ends->at[i] - 1;
      next[at - divide (at, lanes) * marks->lanes + 1]++;
    }
  next[0] = bounds->n;
  for (gint64 i = 1; i < marks->lanes; i++)
    next[i] += next[i - 1] + 1;
  for (gint64 i = 0; i < ends->n; i++)
    {
      gint64 step = divide (ends->at[i] - 1, lanes);
      gint64 lane = ends->at[i] - 1 - step * marks->lanes;
      bounds->at[next[lane]++] = lane * marks->steps + step + 1;
    }
  for (gint64 i = 0; i < marks->lanes; i++)
    bounds->at[next[i]] = (i + 1) * marks->steps;
  bounds->n += ends->n + marks->lanes;
  return TRUE;
}

/* The last step of every lane is an end whatever it says, and is left out of the search. */
static gboolean
cut_steps (const Marks *marks, Numbers *bounds, GError **error)
{
  ReelRowEnds none = { .last = G_MAXINT64 };
  Numbers ends = { 0 };
  gboolean done =
      find_ends (marks, (marks->steps - 1) * marks->lanes, marks->lanes, none, &ends, error)
      && sort_by_lane (marks, &ends, bounds, error);

  g_free (ends.at);
  return done;
}

/* ---- time slowest, many lanes ---- */

/* The bits of each lane, @n_words of them, the last steps left out. */
static void
turn (const Marks *marks, guint64 *bits, gint64 n_words)
{
  for (gint64 w = 0; w < n_words; w++)
    {
      gint64 step = MIN (w * REEL_EPISODE_WORDS, marks->steps - 1);
      gint64 rows = MIN (REEL_EPISODE_WORDS, marks->steps - 1 - step);
      gint64 at = step * marks->lanes;

      if (marks->are_ids)
        marks->kernels->turn_changes ((const gint64 *) marks->data + at, marks->lanes, rows,
                                      bits + w, n_words);
      else
        marks->kernels->turn_flags (marks->data + at, marks->lanes, rows, bits + w, n_words);
    }
}

static gboolean
list_lane (const Marks *marks, const guint64 *bits, gint64 n_words, gint64 lane, Numbers *bounds,
           GError **error)
{
  for (gint64 w = 0; w < n_words; w += CHUNK / REEL_EPISODE_WORDS)
    {
      gint64 count = MIN (CHUNK / REEL_EPISODE_WORDS, n_words - w);
      gint64 first = lane * marks->steps + w * REEL_EPISODE_WORDS + 1;

      if (!numbers_reserve (bounds, count * REEL_EPISODE_WORDS + 1, error))
        return FALSE;
      bounds->n += marks->kernels->list_bits (bits + w, count, first, bounds->at + bounds->n);
    }
  bounds->at[bounds->n++] = (lane + 1) * marks->steps;
  return TRUE;
}

static gboolean
cut_turned (const Marks *marks, Numbers *bounds, GError **error)
{
  gint64 in_step = REEL_EPISODE_WORDS * REEL_EPISODE_WIDTH;
  gint64 n_words = (marks->steps + in_step - 1) / in_step * REEL_EPISODE_WIDTH;
  g_autofree guint64 *bits = g_try_malloc_n (n_words * marks->lanes, sizeof *bits);

  if (!bits)
    return set_no_memory (marks->lanes, error);
  turn (marks, bits, n_words);
  for (gint64 lane = 0; lane < marks->lanes; lane++)
    if (!list_lane (marks, bits + lane * n_words, n_words, lane, bounds, error))
      return FALSE;
  return TRUE;
}

/* ---- any order ---- */

/* @tensor with dimension @dim moved to @place. */
static ReelTensor *
move_dim (ReelTensor *tensor, gint dim, gint place, GError **error)
{
  gint dims[REEL_MAX_NDIM];

  for (gint i = 0, from = 0; i < tensor->ndim; i++)
    if (i == place)
      dims[i] = dim;
    else
      {
        from += from == dim;
        dims[i] = from++;
      }
  return reel_tensor_permute (tensor, dims, error);
}

static ReelTensor *
bounds_to_tensor (Numbers *bounds, GError **error)
{
  gint64 *at = g_steal_pointer (&bounds->at);
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, at, bounds->n * sizeof *at, g_free, at);

  return reel_tensor_new_from_memory (memory, 0, REEL_DTYPE_INT64, 1, &bounds->n, NULL, error);
}

static ReelTensor *
cut (ReelTensor *tensor, gint time_dim, gboolean are_ids, GError **error)
{
  ReelIsa isa;

  if (!reel_dim_resolve (&time_dim, tensor->ndim, error) || !reel_isa_choose (&isa, error))
    return NULL;

  g_autoptr (ReelTensor) slowest = move_dim (tensor, time_dim, 0, error);
  g_autoptr (ReelTensor) fastest = move_dim (tensor, time_dim, tensor->ndim - 1, error);
  gboolean by_steps = !reel_tensor_is_contiguous (fastest) && reel_tensor_is_contiguous (slowest);
  g_autoptr (ReelTensor) read = reel_tensor_in_order (by_steps ? slowest : fastest, error);
  if (!read)
    return NULL;

  gint64 steps = tensor->shape[time_dim], numel = reel_tensor_numel (tensor);
  Marks marks = { REEL_KERNEL_PICK (reel_episode_bounds_kernels, isa), read->data, are_ids,
                  steps > 0 ? numel / steps : 0, steps };
  Numbers bounds = { 0 };
  gboolean done = numbers_reserve (&bounds, 1, error);
  if (done)
    bounds.at[bounds.n++] = 0;
  if (done && numel > 0)
    done = !by_steps                   ? cut_lanes (&marks, &bounds, error)
           : marks.lanes >= MANY_LANES ? cut_turned (&marks, &bounds, error)
                                       : cut_steps (&marks, &bounds, error);
  g_autofree gint64 *unused = done ? NULL : bounds.at;
  return done ? bounds_to_tensor (&bounds, error) : NULL;
}

static ReelTensor *
refuse_dtype (const ReelTensor *tensor, const char *expected, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "%s are expected, not %s", expected,
               reel_dtype_name (tensor->dtype));
  return NULL;
}

ReelTensor *
reel_episode_bounds_from_flags (ReelTensor *flags, gint time_dim, GError **error)
{
  if (flags->dtype != REEL_DTYPE_BOOL)
    return refuse_dtype (flags, "flags of dtype bool", error);
  return cut (flags, time_dim, FALSE, error);
}

/* Only whether ids are equal counts, so the sign need not survive. */
static ReelTensor *
widen (ReelTensor *ids, GError **error)
{
  g_autoptr (ReelTensor) from = reel_tensor_in_order (ids, error);
  g_autoptr (ReelTensor) wide = reel_tensor_new (REEL_DTYPE_INT64, ids->ndim, ids->shape, error);

  if (!from || !wide)
    return NULL;
  gint64 n = reel_tensor_numel (ids);
  gint64 *to = (gint64 *) wide->data;
  for (gint64 i = 0; i < n; i++)
    switch (reel_dtype_size (ids->dtype))
      {
      case 1: to[i] = from->data[i]; break;
      case 2: to[i] = ((const guint16 *) from->data)[i]; break;
      default: to[i] = ((const guint32 *) from->data)[i]; break;
      }
  return g_steal_pointer (&wide);
}

ReelTensor *
reel_episode_bounds_from_ids (ReelTensor *ids, gint time_dim, GError **error)
{
  if (ids->dtype == REEL_DTYPE_BOOL || reel_dtype_is_float (ids->dtype)
      || reel_dtype_is_complex (ids->dtype))
    return refuse_dtype (ids, "ids of an integer dtype", error);
  if (reel_dtype_size (ids->dtype) == sizeof (gint64))
    return cut (ids, time_dim, TRUE, error);

  g_autoptr (ReelTensor) wide = widen (ids, error);
  return wide ? cut (wide, time_dim, TRUE, error) : NULL;
}
