/* Locks go through a graph: each level counts the locked levels that hold it, and stays locked as
 * long as there is one. */
#include "tensordict-private.h"

void
reel_tensordict_lock (ReelTensordict *td)
{
  ReelTensordict *nested;
  guint at = 0;

  if (td->locked)
    return;
  td->locked = TRUE;
  while ((nested = reel_tensordict_get_nested (td, &at)))
    {
      atomic_fetch_add_explicit (&nested->lockers, 1, memory_order_relaxed);
      reel_tensordict_lock (nested);
    }
}

gboolean
reel_tensordict_is_locked (const ReelTensordict *td)
{
  guint at = 0;
  const ReelTensordict *nested = td->elements ? reel_tensordict_get_nested (td, &at) : NULL;

  /* A lazy stack is locked, too, when all that it stacks is. */
  if (td->locked || !nested)
    return td->locked;
  for (; nested; nested = reel_tensordict_get_nested (td, &at))
    if (!reel_tensordict_is_locked (nested))
      return FALSE;
  return TRUE;
}

void
reel_tensordict_drop_locks (ReelTensordict *td)
{
  ReelTensordict *nested;
  guint at = 0;

  if (!td->locked)
    return;
  while ((nested = reel_tensordict_get_nested (td, &at)))
    atomic_fetch_sub_explicit (&nested->lockers, 1, memory_order_relaxed);
}

static gboolean
is_held (const ReelTensordict *td)
{
  return atomic_load_explicit (&td->lockers, memory_order_relaxed) > 0;
}

/* Unlocks what no other locked level holds. */
static void
release (ReelTensordict *td)
{
  ReelTensordict *nested;
  guint at = 0;

  reel_tensordict_drop_locks (td);
  td->locked = FALSE;
  while ((nested = reel_tensordict_get_nested (td, &at)))
    if (nested->locked && !is_held (nested))
      release (nested);
}

static gboolean
is_held_below (const ReelTensordict *td)
{
  ReelTensordict *nested;
  guint at = 0;

  while ((nested = reel_tensordict_get_nested (td, &at)))
    if (is_held (nested) || is_held_below (nested))
      return TRUE;
  return FALSE;
}

gboolean
reel_tensordict_unlock (ReelTensordict *td, GError **error)
{
  gboolean held = is_held (td);

  if (!td->locked)
    return TRUE;
  if (!held)
    {
      release (td);
      held = is_held_below (td);
      if (held)
        reel_tensordict_lock (td);
    }
  if (held)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "Cannot unlock a tensordict that is part of a locked graph. Unlock the "
                         "root tensordict first. If the tensordict is part of multiple graphs, "
                         "group the graphs under a common tensordict an unlock this root.");
  return !held;
}

gboolean
reel_tensordict_check_unlocked (const ReelTensordict *td, GError **error)
{
  gboolean locked = reel_tensordict_is_locked (td);

  if (locked)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "Cannot modify locked TensorDict. For in-place modification, consider "
                         "using the `set_()` method and make sure the key is present.");
  return !locked;
}
