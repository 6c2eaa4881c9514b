#include "ted.h"
#include "tensordict-keys.h"
#include "tensordict-private.h"
#include "tensordict-update.h"

#include <string.h>

static const char *const only_reward[] = { "reward", NULL };
static const char *const only_done[] = { "done", NULL };
static const char *const only_action[] = { "action", NULL };
static const char *const only_next[] = { "next", NULL };

/* Lists of paths that are left behind; NULL for none. */
typedef struct
{
  const char *const *lists[4];
} Excluded;

static gboolean
is_excluded (const Excluded *excluded, const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (excluded->lists); i++)
    if (excluded->lists[i] && g_strv_contains (excluded->lists[i], path))
      return TRUE;
  return FALSE;
}

/* Of @like's class and device, for the batch of @td. */
static ReelTensordict *
new_empty (const ReelTensordict *like, const ReelTensordict *td)
{
  ReelTensordict *empty = reel_tensordict_new_like (like, td->ndim, td->batch_size);

  reel_tensordict_copy_names (empty, (const char *const *) td->names);
  return empty;
}

static gboolean take_level (const ReelTensordict *from, ReelTensordict *to, const char *prefix,
                            const Excluded *excluded);

/* Into the nested tensordict that is there from the root, or a new one if it gets any entry. */
static gboolean
take_child (const ReelTensordictEntry *entry, ReelTensordict *to, const char *path,
            const Excluded *excluded)
{
  const ReelTensordictEntry *there = reel_tensordict_find (to, entry->escaped, entry->length);
  g_autofree char *prefix = g_strconcat (path, "/", NULL);

  if (there && there->child)
    return take_level (entry->child, there->child, prefix, excluded);
  g_autoptr (ReelTensordict) child = new_empty (entry->child, entry->child);
  if (!take_level (entry->child, child, prefix, excluded))
    return FALSE;
  reel_tensordict_put (to, entry->key, (ReelTensordictValue){ .child = g_steal_pointer (&child) });
  return TRUE;
}

/* Whether there was anything to take. */
static gboolean
take_level (const ReelTensordict *from, ReelTensordict *to, const char *prefix,
            const Excluded *excluded)
{
  const ReelTensordictEntry *entry;
  gboolean taken = FALSE;

  for (guint i = 0; (entry = reel_tensordict_get_entry (from, i)); i++)
    {
      g_autofree char *path = g_strconcat (prefix, entry->escaped, NULL);
      if (is_excluded (excluded, path))
        continue;
      if (entry->child)
        taken |= take_child (entry, to, path, excluded);
      else
        {
          reel_tensordict_put (to, entry->key, reel_tensordict_hold_value (entry));
          taken = TRUE;
        }
    }
  return taken;
}

static void
take_root (const ReelTensordict *td, ReelTensordict *to, const ReelStepMdpKeys *keys,
           ReelStepMdpFlags flags, Excluded excluded)
{
  if (!(flags & REEL_STEP_MDP_DROP_OTHER))
    {
      excluded.lists[3] = only_next;
      take_level (td, to, "", &excluded);
    }
  else if (flags & REEL_STEP_MDP_KEEP_ACTION)
    {
      g_autoptr (ReelTensordict) actions =
          reel_tensordict_select_keys (td, keys->action, FALSE, NULL);
      take_level (actions, to, "", &(Excluded){ { NULL } });
    }
}

ReelTensordict *
reel_step_mdp (const ReelTensordict *td, const ReelStepMdpKeys *keys, ReelStepMdpFlags flags,
               ReelTensordict *next_td, GError **error)
{
  const ReelStepMdpKeys named = {
    .reward = keys && keys->reward ? keys->reward : only_reward,
    .done = keys && keys->done ? keys->done : only_done,
    .action = keys && keys->action ? keys->action : only_action,
  };
  const Excluded excluded = { {
      flags & REEL_STEP_MDP_KEEP_REWARD ? NULL : named.reward,
      flags & REEL_STEP_MDP_DROP_DONE ? named.done : NULL,
      flags & REEL_STEP_MDP_KEEP_ACTION ? NULL : named.action,
  } };
  ReelTensordict *next = reel_tensordict_get_tensordict (td, "next", error);

  if (!next)
    return NULL;
  g_autoptr (ReelTensordict) result = new_empty (next, td);
  take_root (td, result, &named, flags, excluded);
  take_level (next, result, "", &excluded);
  if (!next_td)
    return g_steal_pointer (&result);
  return reel_tensordict_update (next_td, result, NULL, FALSE, error)
             ? reel_tensordict_ref (next_td)
             : NULL;
}
