/* The plugins that a run was collected with. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Propagates a failure (transfer full) to make an object that the record of the run names. Where a
   class is unknown, the error also names the plugins that the run was collected with and this
   process did not load. */
void run_plugins_propagate (ReelReplayBuffer *run, GError *failure, GError **error);

G_END_DECLS
