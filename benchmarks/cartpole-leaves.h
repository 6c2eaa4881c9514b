/* The leaves of a row of CartPole, 58 bytes: all but the ids of trajectories. */
#pragma once

#include "../src/reel.h"

static const struct
{
  const char *path;
  ReelDtype dtype;
  gint64 feature;
} cartpole[] = {
  { "observation", REEL_DTYPE_FLOAT32, 4 },
  { "action", REEL_DTYPE_INT64, 2 },
  { "done", REEL_DTYPE_BOOL, 1 },
  { "terminated", REEL_DTYPE_BOOL, 1 },
  { "truncated", REEL_DTYPE_BOOL, 1 },
  { "next/observation", REEL_DTYPE_FLOAT32, 4 },
  { "next/reward", REEL_DTYPE_FLOAT32, 1 },
  { "next/done", REEL_DTYPE_BOOL, 1 },
  { "next/terminated", REEL_DTYPE_BOOL, 1 },
  { "next/truncated", REEL_DTYPE_BOOL, 1 },
};
