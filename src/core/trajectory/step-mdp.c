/* The start of the next step from the end of the last. */
#include "ted.h"
#include "../tensordict/lazy-stack-private.h"
#include "../tensordict/tensordict-keys.h"
#include "../tensordict/tensordict-private.h"
#include "../tensordict/tensordict-update.h"

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

/* Element @i along @dim; of a lazy stack along it the very element. */
static ReelTensordict *
element (const ReelTensordict *td, gint dim, gint64 i)
{
  return reel_tensordict_select_index ((ReelTensordict *) td, dim, i, NULL);
}

/* Where either is a lazy stack: element by element, each with keys of its own. */
static ReelTensordict *
take_stack (const ReelTensordict *from, const ReelTensordict *there, const char *prefix,
            const Excluded *excluded)
{
  const ReelTensordict *stack = reel_tensordict_is_lazy (from) ? from : there;
  g_autoptr (GPtrArray) elements =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  gboolean taken = there != NULL;

  for (guint i = 0; i < stack->elements->len; i++)
    {
      g_autoptr (ReelTensordict) source = element (from, stack->stack_dim, i);
      ReelTensordict *target =
          there ? element (there, stack->stack_dim, i) : new_empty (source, source);
      g_ptr_array_add (elements, target);
      taken |= take_level (source, target, prefix, excluded);
    }
  return taken ? reel_lazy_stack_new_like (stack, (ReelTensordict *const *) elements->pdata,
                                           elements->len, stack->stack_dim, NULL)
               : NULL;
}

/* Into the nested tensordict that is there from the root, or a new one if it gets any entry. */
static gboolean
take_child (const ReelTensordictEntry *entry, ReelTensordict *to, const char *path,
            const Excluded *excluded)
{
  const ReelTensordictEntry *found = reel_tensordict_find (to, entry->escaped, entry->length);
  ReelTensordict *there = found ? found->child : NULL, *child;
  g_autofree char *prefix = g_strconcat (path, "/", NULL);

  if (reel_tensordict_is_lazy (entry->child) || (there && reel_tensordict_is_lazy (there)))
    child = take_stack (entry->child, there, prefix, excluded);
  else if (there)
    return take_level (entry->child, there, prefix, excluded);
  else
    {
      child = new_empty (entry->child, entry->child);
      if (!take_level (entry->child, child, prefix, excluded))
        g_clear_pointer (&child, reel_tensordict_unref);
    }
  if (child)
    reel_tensordict_put (to, entry->key, (ReelTensordictValue){ .child = child });
  return child != NULL;
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

static ReelTensordict *
step (const ReelTensordict *td, const ReelStepMdpKeys *keys, ReelStepMdpFlags flags, GError **error)
{
  const Excluded excluded = { {
      flags & REEL_STEP_MDP_KEEP_REWARD ? NULL : keys->reward,
      flags & REEL_STEP_MDP_DROP_DONE ? keys->done : NULL,
      flags & REEL_STEP_MDP_KEEP_ACTION ? NULL : keys->action,
  } };
  ReelTensordict *next = reel_tensordict_get_tensordict (td, "next", error);

  if (!next)
    return NULL;
  ReelTensordict *result = new_empty (next, td);
  take_root (td, result, keys, flags, excluded);
  take_level (next, result, "", &excluded);
  return result;
}

/* The lazy stack that decides how @td is stepped: itself, or what it has as `next`. */
static const ReelTensordict *
find_stack (const ReelTensordict *td)
{
  if (reel_tensordict_is_lazy (td))
    return td;
  const ReelTensordictEntry *next = reel_tensordict_find (td, "next", strlen ("next"));
  return next && next->child && reel_tensordict_is_lazy (next->child)
                 && next->child->stack_dim < td->ndim
             ? next->child
             : NULL;
}

static ReelTensordict *
step_any (const ReelTensordict *td, const ReelStepMdpKeys *keys, ReelStepMdpFlags flags,
          GError **error)
{
  const ReelTensordict *stack = find_stack (td);
  g_autoptr (GPtrArray) elements =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  if (!stack)
    return step (td, keys, flags, error);
  for (guint i = 0; i < stack->elements->len; i++)
    {
      g_autoptr (ReelTensordict) source = element (td, stack->stack_dim, i);
      ReelTensordict *stepped = step_any (source, keys, flags, error);
      if (!stepped)
        return NULL;
      g_ptr_array_add (elements, stepped);
    }
  return reel_lazy_stack_new_like (stack, (ReelTensordict *const *) elements->pdata, elements->len,
                                   stack->stack_dim, error);
}

/* Keys that only some elements have reach the elements of @next_td if it is a lazy stack too. */
static gboolean
update (ReelTensordict *next_td, const ReelTensordict *result, GError **error)
{
  gboolean done = TRUE;

  if (!reel_tensordict_is_lazy (next_td) || !reel_tensordict_is_lazy (result)
      || next_td->stack_dim != result->stack_dim || next_td->elements->len != result->elements->len)
    return reel_tensordict_update (next_td, result, NULL, FALSE, error);
  for (guint i = 0; done && i < result->elements->len; i++)
    done = update (next_td->elements->pdata[i], result->elements->pdata[i], error);
  return done;
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
  g_autoptr (ReelTensordict) result = step_any (td, &named, flags, error);

  if (!result || !next_td)
    return g_steal_pointer (&result);
  return update (next_td, result, error) ? reel_tensordict_ref (next_td) : NULL;
}
