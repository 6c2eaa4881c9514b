/* The run whose actions are repeated: --actions. */
#include "collect.h"

gboolean
plan_actions (Plan *plan, GError **error)
{
  const char *path = plan->options->actions;

  if (path == NULL)
    return TRUE;
  if (plan->options->policy)
    {
      set_usage_error (error, "cannot use both --actions and --policy: choose one");
      return FALSE;
    }

  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, error);
  ReelStorageView view;

  if (buffer == NULL)
    return FALSE;
  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  plan->actions = g_canonicalize_filename (path, NULL);
  plan->n_action_lanes = view.lanes;
  plan->n_action_rows = view.end_row;
  return TRUE;
}
