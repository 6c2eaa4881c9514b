/* The value of an entry: a tensor, a tensordict or a non-tensor. */
#include "tensordict-private.h"

ReelTensordictValue
reel_tensordict_hold_value (const ReelTensordictEntry *entry)
{
  ReelTensordictValue value = { NULL };

  if (entry->child)
    value.child = reel_tensordict_ref (entry->child);
  else if (entry->tensor)
    value.tensor = reel_tensor_ref (entry->tensor);
  else
    value.non_tensor = reel_non_tensor_ref (entry->non_tensor);
  return value;
}

ReelTensordictValue
reel_tensordict_share_value (const ReelTensordictEntry *entry)
{
  if (entry->child)
    return (ReelTensordictValue){ .child = reel_tensordict_clone (entry->child, FALSE, NULL) };
  return reel_tensordict_hold_value (entry);
}

void
reel_tensordict_release_value (ReelTensordictValue *value)
{
  g_clear_pointer (&value->tensor, reel_tensor_unref);
  g_clear_pointer (&value->child, reel_tensordict_unref);
  g_clear_pointer (&value->non_tensor, reel_non_tensor_unref);
}
