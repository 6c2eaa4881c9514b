/* Small tensordicts, and what is asked of them in many tests. */
#pragma once

#include "../src/reel.h"

/* Sets int64 elements that count up from 0 in row-major order. */
void set_counting (ReelTensordict *td, const char *path, gint ndim, const gint64 *shape);

/* Batch size [3, 2]; a: [3, 2], next/b: [3, 2, 4], next/deep/c: [3, 2], all counting. */
ReelTensordict *new_example_tensordict (void);

void assert_batch_size (const ReelTensordict *td, gint ndim, const gint64 *expected);

/* @error, which is cleared, has this code and message. */
void assert_message (GError **error, ReelError code, const char *message);

/* The paths of the leaves are @expected, with a blank between them. */
void assert_leaves (const ReelTensordict *td, const char *expected);
