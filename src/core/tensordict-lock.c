/* Locks go through a graph: each level counts the locked levels that hold it, and stays locked as
 * long as there is one. */
#include "tensordict-private.h"

void
reel_tensordict_lock (ReelTensordict *td)
{
  const ReelTensordictEntry *entry;

  if (td->locked)
    return;
  td->locked = TRUE;
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->child)
      {
        atomic_fetch_add_explicit (&entry->child->lockers, 1, memory_order_relaxed);
        reel_tensordict_lock (entry->child);
      }
}

gboolean
reel_tensordict_is_locked (const ReelTensordict *td)
{
  return td->locked;
}

void
reel_tensordict_drop_locks (ReelTensordict *td)
{
  const ReelTensordictEntry *entry;

  if (!td->locked)
    return;
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->child)
      atomic_fetch_sub_explicit (&entry->child->lockers, 1, memory_order_relaxed);
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
  const ReelTensordictEntry *entry;

  reel_tensordict_drop_locks (td);
  td->locked = FALSE;
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->child && entry->child->locked && !is_held (entry->child))
      release (entry->child);
}

static gboolean
is_held_below (const ReelTensordict *td)
{
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->child && (is_held (entry->child) || is_held_below (entry->child)))
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
  if (td->locked)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "Cannot modify locked TensorDict. For in-place modification, consider "
                         "using the `set_()` method and make sure the key is present.");
  return !td->locked;
}
