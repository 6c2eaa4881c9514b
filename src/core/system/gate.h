/* A counter that threads wait to see change: the one way in which threads of the library, and
 * processes that it forks, wait for each other. Built of C11 atomics, so that ThreadSanitizer sees
 * what it orders. Private to the library. */
#pragma once

#include <glib.h>
#include <stdatomic.h>

G_BEGIN_DECLS

/**
 * ReelGate:
 * @value: how often it was advanced, modulo 2^32
 * @sleepers: how many threads are parked at it
 * @shared: whether processes wait at it, in memory that they share
 *
 * All zeros is a gate of threads. The writes of a thread before it advanced the gate are visible to
 * those who saw the gate advanced.
 */
typedef struct
{
  atomic_uint value;
  atomic_uint sleepers;
  gboolean shared;
} ReelGate;

/**
 * reel_gate_value:
 * @gate: a gate
 *
 * Any thread.
 *
 * Returns: its value, to be given to reel_gate_wait() after a look at what the gate guards
 */
guint reel_gate_value (ReelGate *gate);

/**
 * reel_gate_advance:
 * @gate: a gate
 *
 * Lets all who wait pass. Makes a system call only where somebody is parked. Any thread.
 */
void reel_gate_advance (ReelGate *gate);

/**
 * reel_gate_spin:
 * @gate: a gate
 * @seen: the value that the caller knows
 * @microseconds: for how long
 *
 * Watches the gate without giving up the CPU. Any thread.
 *
 * Returns: whether its value differs from @seen now
 */
gboolean reel_gate_spin (ReelGate *gate, guint seen, gint64 microseconds);

/**
 * reel_gate_linger:
 * @gate: a gate
 * @seen: the value that the caller knows
 * @microseconds: for how long
 *
 * Watches the gate, and gives up the CPU to any thread that is ready to run. Costs a system call a
 * look, and saves the one that wakes a parked thread. Any thread.
 *
 * Returns: whether its value differs from @seen now
 */
gboolean reel_gate_linger (ReelGate *gate, guint seen, gint64 microseconds);

/**
 * reel_gate_wait:
 * @gate: a gate
 * @seen: the value that the caller knows
 * @deadline: in microseconds of g_get_monotonic_time(), or -1 for none
 *
 * Parks until the gate's value differs from @seen or @deadline has passed. Any thread.
 *
 * Returns: whether the value differs
 */
gboolean reel_gate_wait (ReelGate *gate, guint seen, gint64 deadline);

G_END_DECLS
