/* Whether an environment is what it says it is. */
#include "collect.h"
#include "../common/json-values.h"

#include <stdio.h>

gboolean
collect_check_env (const Plan *plan, GError **error)
{
  const char *id = reel_object_get_id (REEL_OBJECT (plan->env));

  if (!reel_env_check (plan->env, error))
    return FALSE;
  if (plan->options->json)
    json_print (
        json_pack ("{s:s, s:I, s:b}", "id", id, "lanes", (json_int_t) plan->n_envs, "ok", TRUE));
  else
    printf ("%s keeps its promises: %d lanes, values in their specs, the same bytes for the "
            "same seed%s\n",
            id, (int) plan->n_envs,
            reel_env_has_state (plan->env) ? ", in ranges of lanes, and from saved states"
                                           : "; it has no states to save");
  return TRUE;
}
