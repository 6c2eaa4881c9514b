#include "mujoco-guard.h"

#include <mujoco/mujoco.h>

/* MuJoCo has one handler for the process: ours passes on what other threads' own calls raise. */
static _Thread_local ReelMujocoGuard *current;
static void (*previous_error) (const char *message);
static void (*previous_warning) (const char *message);

static void
on_error (const char *message)
{
  if (current == NULL)
    {
      mju_user_error = previous_error;
      mju_error (message);
      return;
    }
  g_strlcpy (current->message, message, sizeof current->message);
  longjmp (current->jump, 1);
}

/* Warnings of guarded calls are counted in mjData, where they are looked at. */
static void
on_warning (const char *message)
{
  if (current == NULL && previous_warning != NULL)
    previous_warning (message);
}

void
reel_mujoco_guard_begin (ReelMujocoGuard *guard)
{
  static gsize installed;

  if (g_once_init_enter (&installed))
    {
      previous_error = mju_user_error;
      previous_warning = mju_user_warning;
      mju_user_error = on_error;
      mju_user_warning = on_warning;
      g_once_init_leave (&installed, 1);
    }
  guard->outer = current;
  current = guard;
}

void
reel_mujoco_guard_end (void)
{
  current = current->outer;
}
