/* Reel records, replays and renders reinforcement-learning experience: the one public header. */
#pragma once

#include "core/macros.h"
#include "core/error.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/object.h"
#include "core/tensor.h"
#include "core/index.h"
#include "core/image.h"
#include "core/image-draw.h"
#include "core/plot.h"
#include "core/non-tensor.h"
#include "core/tensordict-apply.h"
#include "core/tensordict-compare.h"
#include "core/record.h"
#include "core/tensordict-keys.h"
#include "core/tensordict-update.h"
#include "core/tensordict.h"
#include "core/lazy-stack.h"
#include "core/tree.h"
#include "core/tree-files.h"
#include "core/shape.h"
#include "core/tensordict-index.h"
#include "core/tensordict-files.h"
#include "core/arrow.h"
#include "core/dlpack.h"
#include "core/random.h"
#include "core/ted.h"
#include "specs/spec.h"
#include "specs/choice-spec.h"
#include "specs/non-tensor-spec.h"
#include "specs/composite-values.h"
#include "specs/spec-attributes.h"
#include "specs/spec-classes.h"
#include "specs/spec-keys.h"
#include "specs/spec-shape.h"
#include "specs/spec-stack.h"
#include "specs/spec-text.h"
#include "specs/spec-values.h"
#include "specs/env-spec.h"
#include "transforms/transform.h"
#include "transforms/compose.h"
#include "transforms/multi-step.h"
#include "policies/policy.h"
#include "envs/env.h"
#include "envs/gl.h"
#include "envs/lane-step.h"
#include "envs/env-step.h"
#include "envs/env-vector.h"
#include "envs/env-rollout.h"
#include "envs/env-check.h"
#include "buffers/storages/storage.h"
#include "buffers/samplers/trajectory-index.h"
#include "buffers/samplers/sampler.h"
#include "buffers/samplers/scheduler.h"
#include "buffers/samplers/slice-sampler.h"
#include "buffers/writers/writer.h"
#include "buffers/ensembles/replay-buffer-ensemble.h"
#include "buffers/hindsight-transform.h"
#include "buffers/ensembles/offline-to-online-buffer.h"
#include "buffers/replay-buffer.h"
#include "buffers/buffer-index.h"
#include "buffers/checkpoints/checkpoint.h"
#include "buffers/checkpoints/checkpoint-report.h"
#include "buffers/checkpoints/checkpointer.h"
#include "buffers/checkpoints/part-files.h"
#include "buffers/ensembles/ensemble-files.h"
#include "buffers/ensembles/verify.h"
#include "buffers/checkpoints/buffer-specs.h"
#include "buffers/checkpoints/buffer-state.h"
#include "collectors/collector.h"
#include "collectors/recorded-states.h"

G_BEGIN_DECLS

/**
 * reel_init:
 *
 * Registers every class that the library was built with, so that each can be found by its ids.
 * Call it once, before the first object is made from text. Calling it again does nothing, from
 * any thread.
 */
REEL_API
void reel_init (void);

/**
 * reel_cancel_writes:
 *
 * From now on no file is made or written to: what is under way, in any thread, fails with an IO
 * error and takes back what is half made, as after any failure. For a program that was asked to
 * end, and ends then: there is no way back. Reading goes on. A signal handler may call it.
 */
REEL_API
void reel_cancel_writes (void);

G_END_DECLS
