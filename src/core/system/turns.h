/* Turns of threads at something that one uses at a time. Private to the library. */
#pragma once

#include "gate.h"

G_BEGIN_DECLS

/**
 * ReelTurns:
 * @next: the number of the next that comes
 * @serving: its value is the number whose turn it is
 *
 * All zeros are turns that nobody waits for. Those who come first are first.
 */
typedef struct
{
  atomic_uint next;
  ReelGate serving;
} ReelTurns;

/**
 * reel_turns_take:
 * @turns: turns
 *
 * Waits for the caller's turn. Any thread.
 */
void reel_turns_take (ReelTurns *turns);

/**
 * reel_turns_pass:
 * @turns: turns, of which the caller has the one at work
 *
 * Ends it.
 */
void reel_turns_pass (ReelTurns *turns);

G_END_DECLS
