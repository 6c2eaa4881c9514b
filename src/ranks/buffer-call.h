/* The calls of a remote buffer in messages. Private. */
#pragma once

#include "rank-tensordict.h"

G_BEGIN_DECLS

/**
 * ReelBufferCall:
 * @REEL_BUFFER_EXTEND: data; answered with `index`
 * @REEL_BUFFER_SAMPLE: a batch size in `numbers[1]`; answered with the batch
 * @REEL_BUFFER_PRIORITY: `index` and `priority`
 * @REEL_BUFFER_STATS: answered with bytes, see #REEL_BUFFER_STATS_KEY
 * @REEL_BUFFER_PART: no answer
 *
 * The call that `numbers[0]` of a %REEL_RANK_BUFFER message asks for.
 */
typedef enum
{
  REEL_BUFFER_EXTEND,
  REEL_BUFFER_SAMPLE,
  REEL_BUFFER_PRIORITY,
  REEL_BUFFER_STATS,
  REEL_BUFFER_PART
} ReelBufferCall;

/**
 * REEL_BUFFER_STATS_KEY:
 *
 * The key of a tensor that contains a #ReelReplayBufferStats.
 */
#define REEL_BUFFER_STATS_KEY "stats"

G_END_DECLS
