/* The run of collect --ranks apart: what the ranks say to each other. */
#pragma once

#include "collect-share.h"

G_BEGIN_DECLS

/* Waits for all ranks, once each knows its plan or why it has none; @failure (transfer full) is
   the latter. Whether all can begin. */
gboolean apart_check_all (const CollectOptions *options, GError *failure, GError **error);

/* Looks for a rank that failed, some times a second. Stops the collector where that is to end all.
 */
void apart_continue (const Plan *plan, ReelCollector *collector);

/* Waits for all ranks at the end of the run; @failure (transfer full) is why this one has none.
   Returns the exit status. */
int apart_end (const Plan *plan, int status, GError *failure, GError **error);

/* Whether rank 0 has ended, so that another one has to speak. */
gboolean apart_lost_first (void);

/* Says what the ranks do. */
void apart_say (const Plan *plan);

G_END_DECLS
