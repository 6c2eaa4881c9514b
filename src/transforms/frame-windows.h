/* Windows of frames that follow one another in time, one a step. Private. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelFrameWindows:
 * @n: frames of a window
 * @future: whether a step's window begins with it, not ends
 * @same: whether a frame that is missing is the nearest one of the trajectory, else @value
 * @value: what fills a frame that is missing
 * @ndim: dimensions of the batch
 * @outer: elements of the dimensions before that of time
 * @steps: extent of time
 * @inner: elements of the dimensions of the batch behind it
 * @edges: (array length=outer × steps × inner): the step that the trajectory of each begins with,
 *   or, in the future, ends with
 * @rows: (array length=n_rows) (nullable): of a batch [T], the steps whose windows are wanted;
 *   %NULL for all
 * @n_rows: how many
 *
 * The windows over a batch [*outer, T, *inner].
 */
typedef struct
{
  gint64 n;
  gboolean future;
  gboolean same;
  double value;
  gint ndim;
  gint64 outer;
  gint64 steps;
  gint64 inner;
  gint64 *edges;
  gint64 *rows;
  gint64 n_rows;
} ReelFrameWindows;

/**
 * reel_frame_windows_find_edges:
 * @windows: all but `edges`, which is allocated
 * @breaks: (array length=outer × steps × inner): whether the next step of the lane, if there is
 *   one, is of another trajectory
 */
void reel_frame_windows_find_edges (ReelFrameWindows *windows, const guint8 *breaks);

/**
 * reel_frame_windows_stack:
 * @windows: which
 * @frames: contiguous, its first dimensions those of the batch
 * @before: (nullable): frames as @frames, of which that of the trajectory's first step comes before
 *   @frames, as what was seen before the first `next`; not in the future
 * @dim: the dimension of @frames along which frames are joined, behind those of the batch
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the windows, oldest frame first
 */
ReelTensor *reel_frame_windows_stack (const ReelFrameWindows *windows, const ReelTensor *frames,
                                      const ReelTensor *before, gint dim, GError **error);

/**
 * reel_frame_windows_mask:
 * @windows: which
 * @size: (array): extents of the batch
 * @error: NO_SPACE
 *
 * Returns: (transfer full): bool, the batch, or rows of it, by n: which frames are missing
 */
ReelTensor *reel_frame_windows_mask (const ReelFrameWindows *windows, const gint64 *size,
                                     GError **error);

G_END_DECLS
