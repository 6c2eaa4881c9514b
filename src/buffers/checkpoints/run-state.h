/* The state that the lanes of a run were in after its last step, as often as steps are committed.
 * Private. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * REEL_RUN_STATE_FILE:
 *
 * Its name in a live directory.
 */
#define REEL_RUN_STATE_FILE "reel.state"

/**
 * ReelRunState:
 *
 * Copies of a state, each of the step that comes after it. While one is written the one before it
 * is whole, so that a run that is killed finds that of its last committed step. Two more are as old
 * as the JSON files, which a power loss may leave as all that counts. In memory, where the buffer
 * is not live. The thread that writes the buffer.
 */
typedef struct _ReelRunState ReelRunState;

/**
 * reel_run_state_new:
 * @bytes: of a state
 * @error: NO_SPACE
 *
 * Returns: (transfer full) (nullable): states in memory, none of which counts
 */
ReelRunState *reel_run_state_new (gsize bytes, GError **error);

/**
 * reel_run_state_create:
 * @path: a file to make, or to replace
 * @bytes: of a state
 * @error: NO_SPACE, IO
 *
 * Returns: (transfer full) (nullable): states in a file, none of which counts
 */
ReelRunState *reel_run_state_create (const char *path, gsize bytes, GError **error);

/**
 * reel_run_state_open:
 * @path: a file that reel_run_state_create() made
 * @bytes: of a state
 * @error: RUNTIME for states of another size; DAMAGED for another file; IO
 *
 * Returns: (transfer full) (nullable): the states of the file
 */
ReelRunState *reel_run_state_open (const char *path, gsize bytes, GError **error);

/**
 * reel_run_state_get_size:
 * @self: states
 *
 * Returns: bytes of one
 */
gsize reel_run_state_get_size (const ReelRunState *self);

/**
 * reel_run_state_free:
 * @self: (transfer full) (nullable): states
 */
void reel_run_state_free (ReelRunState *self);

/**
 * reel_run_state_begin:
 * @self: states
 *
 * Returns: (transfer none): memory for the next state, which holds that before the last no more
 */
guint8 *reel_run_state_begin (ReelRunState *self);

/**
 * reel_run_state_end:
 * @self: states, after reel_run_state_begin()
 * @step: the step that follows, counted as the ring counts: one past the last that is about to be
 *   committed
 *
 * Has the state count, before the steps up to @step do.
 */
void reel_run_state_end (ReelRunState *self, gint64 step);

/**
 * reel_run_state_keep:
 * @self: (nullable): states
 * @step: the end of the ring
 *
 * Keeps a copy of the state before @step, before the JSON files count the steps up to it.
 */
void reel_run_state_keep (ReelRunState *self, gint64 step);

/**
 * reel_run_state_find:
 * @self: states
 * @step: a step
 * @error: RUNTIME naming @step and the newest that there is a state of; DAMAGED where its bytes
 * changed
 *
 * Finds where a run goes on, and forgets what came after it.
 *
 * Returns: (transfer none) (nullable): the state before @step
 */
const guint8 *reel_run_state_find (ReelRunState *self, gint64 step, GError **error);

G_END_DECLS
