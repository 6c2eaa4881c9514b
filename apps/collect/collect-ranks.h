/* collect on several ranks: what mpirun started, one of which writes the run. */
#pragma once

#include "collect.h"

G_BEGIN_DECLS

/* First in main: ranks other than 0 print nothing on stdout. */
void collect_ranks_begin (void);

/* Whether this process is one of the other ranks: then it does what rank 0 says until the end, and
   its exit status is set. */
gboolean collect_ranks_follow (const CollectOptions *options, int *status, GError **error);

/* Checks --ranks and --on-rank-error. */
gboolean collect_ranks_check (const CollectOptions *options, GError **error);

/* Checks that ranks can share what is to be collected, before anything is made. */
gboolean collect_ranks_check_plan (const Plan *plan, GError **error);

/* Checks that the policy can act on some of the environments, where ranks have only some. */
gboolean collect_ranks_check_policy (const Plan *plan, GError **error);

/* The collector under mpirun, where none is named; else NULL. */
char *collect_ranks_text (const CollectOptions *options);

/* Keeps with a buffer that its rows are of several ranks in turn. */
gboolean collect_ranks_record (const Plan *plan, ReelReplayBuffer *buffer, GError **error);

/* Fails for the rows of such a run, which none can continue, and for the run of another rank. */
gboolean collect_ranks_check_resume (const CollectOptions *options, ReelReplayBuffer *buffer,
                                     GError **error);

/* Says on how many ranks the run is. */
void collect_ranks_say (const Plan *plan);

/* Prints which ranks ended since the last call. */
void collect_ranks_say_warnings (void);

/* Last in main, in the place of program_end(): one rank prints an error that all have. */
int collect_ranks_end (const char *program, int status, const GError *error);

G_END_DECLS
