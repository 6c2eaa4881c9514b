/* Keeps MuJoCo from printing, and from ending the process where it meets an error. Private to the
 * MuJoCo family. */
#pragma once

#include <glib.h>
#include <setjmp.h>

G_BEGIN_DECLS

/**
 * ReelMujocoGuard:
 * @jump: where an error goes
 * @message: what MuJoCo said of it
 * @outer: (nullable): the guard of this thread that it stands before
 *
 * A guard against the errors that MuJoCo raises in one thread, on the caller's stack.
 */
typedef struct ReelMujocoGuard
{
  jmp_buf jump;
  char message[256];
  struct ReelMujocoGuard *outer;
} ReelMujocoGuard;

/**
 * reel_mujoco_guard_begin:
 * @guard: (out caller-allocates): a guard
 *
 * From here errors of MuJoCo in this thread go to @guard, until reel_mujoco_guard_end(), which must
 * follow in the same function. Within that another guard may begin and end. Its caller (see
 * REEL_MUJOCO_CAUGHT()) must not have returned.
 */
void reel_mujoco_guard_begin (ReelMujocoGuard *guard);

/**
 * reel_mujoco_guard_end:
 *
 * Errors in this thread go to whom they went to before the guard began.
 */
void reel_mujoco_guard_end (void);

/**
 * REEL_MUJOCO_CAUGHT:
 * @guard: a guard that was begun
 *
 * 0 at first; 1 when control comes back here because MuJoCo raised an error. The mjData that it was
 * at work on must be reset. Locals that change in between must be volatile.
 */
#define REEL_MUJOCO_CAUGHT(guard) setjmp ((guard)->jump)

G_END_DECLS
