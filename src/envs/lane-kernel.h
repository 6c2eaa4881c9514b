/* The flags of lanes of every env, over whole columns of bytes. Private. */
#pragma once

#include "../core/math/isa.h"
#include "lane-clock.h"

/* Entries past the last one that list may write. */
#define REEL_LANE_LIST_SLACK 4

/**
 * ReelLaneKernels:
 * @finish: ends a step of the lanes of [begin, end): counts it in @clocks, sets @truncated where
 *   that has reached @limit and @done where either flag is set. Returns how many are done
 * @list: writes to @which the lanes of [begin, end) whose byte in @mask is not 0, in order; @which
 *   has room for end − begin + REEL_LANE_LIST_SLACK. Returns how many
 *
 * One table per instruction set. Every pointer but @which is at lane 0.
 */
typedef struct
{
  gint64 (*finish) (gint64 begin, gint64 end, gint64 limit, const ReelLaneClocks *clocks,
                    const guint8 *terminated, guint8 *truncated, guint8 *done);
  gsize (*list) (gint64 begin, gint64 end, const guint8 *mask, gint64 *which);
} ReelLaneKernels;

REEL_KERNEL_DECLARE (ReelLaneKernels, reel_lane_kernels);
