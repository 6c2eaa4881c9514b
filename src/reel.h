/* Reel records, replays and renders reinforcement-learning experience: the one public header. */
#pragma once

#include "core/object/macros.h"
#include "core/object/error.h"
#include "core/tensor/dtype.h"
#include "core/tensor/memory.h"
#include "core/object/object.h"
#include "core/tensor/tensor.h"
#include "core/tensor/index.h"
#include "core/image/image.h"
#include "core/image/image-draw.h"
#include "core/image/plot.h"
#include "core/tensordict/non-tensor.h"
#include "core/tensordict/tensordict-apply.h"
#include "core/tensordict/tensordict-compare.h"
#include "core/tensordict/record.h"
#include "core/tensordict/tensordict-keys.h"
#include "core/tensordict/tensordict-update.h"
#include "core/tensordict/tensordict.h"
#include "core/tensordict/lazy-stack.h"
#include "core/tensordict/tree.h"
#include "core/tensordict-files/tree-files.h"
#include "core/tensordict/shape.h"
#include "core/tensordict/tensordict-index.h"
#include "core/tensordict-files/tensordict-files.h"
#include "core/formats/arrow.h"
#include "core/formats/dlpack.h"
#include "core/formats/safetensors.h"
#include "core/math/random.h"
#include "core/trajectory/ted.h"
#include "specs/spec.h"
#include "specs/kinds/choice-spec.h"
#include "specs/kinds/non-tensor-spec.h"
#include "specs/kinds/composite-values.h"
#include "specs/spec-attributes.h"
#include "specs/spec-classes.h"
#include "specs/spec-keys.h"
#include "specs/spec-shape.h"
#include "specs/spec-stack.h"
#include "specs/spec-text.h"
#include "specs/spec-values.h"
#include "specs/kinds/env-spec.h"
#include "transforms/transform.h"
#include "transforms/burn-in.h"
#include "transforms/compose.h"
#include "transforms/multi-step.h"
#include "transforms/policy-age-filter.h"
#include "transforms/vec-norm.h"
#include "policies/policy.h"
#include "envs/env.h"
#include "envs/gl/gl.h"
#include "envs/process/parallel-env.h"
#include "envs/serial-env.h"
#include "envs/single-lane.h"
#include "envs/transformed-env.h"
#include "envs/env-step.h"
#include "envs/env-vector.h"
#include "envs/env-policy.h"
#include "envs/observation-stats.h"
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
#include "buffers/stacked-frames.h"
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
#include "ranks/ranks.h"
#include "ranks/remote-buffer.h"
#include "datasets/buffer-export.h"
#include "datasets/dataset.h"
#include "datasets/preprocess.h"
#include "datasets/text/kl-controller.h"
#include "datasets/text/tokenizer.h"
#include "datasets/text/tokenize.h"
#include "datasets/text/text-records.h"
#include "datasets/text/text-dataset.h"
#include "datasets/text/text-model.h"
#include "datasets/text/rollout-from-model.h"
#include "plugin.h"

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
