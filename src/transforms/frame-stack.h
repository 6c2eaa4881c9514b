/* Windows of the last frames of each lane of an env. Private. */
#pragma once

#include "lane-plan.h"

G_BEGIN_DECLS

/**
 * ReelFrameStack:
 * @n: frames of a window, the newest last
 * @dim: the dimension of a frame to join along, negative
 * @same: whether the frames before an episode are its first one, not @value
 * @value: value of frames before an episode
 *
 * Description of a window.
 */
typedef struct
{
  gint64 n;
  gint64 dim;
  gboolean same;
  double value;
} ReelFrameStack;

/**
 * reel_frame_stack_bind:
 * @stack: a window
 * @plan: the plan of an env
 * @in: the key of frames
 * @out: the key of windows
 * @error: KEY; INDEX where a frame lacks the dimension; NO_SPACE
 *
 * Adds a work that keeps the last frames of each lane and writes them as one.
 *
 * Returns: whether it could
 */
gboolean reel_frame_stack_bind (const ReelFrameStack *stack, ReelLanePlan *plan, const char *in,
                                const char *out, GError **error);

G_END_DECLS
