/* collect --ranks apart: each rank has some of the environments, and a run of its own. */
#pragma once

#include "collect.h"

G_BEGIN_DECLS

/* Whether ranks work so. */
gboolean apart_is_on (const CollectOptions *options);

/* Checks the options, which change none yet. */
gboolean apart_check (const CollectOptions *options, GError **error);

/* Opens the ranks, and makes of the options those of this rank: its directory and its log. */
gboolean apart_begin (CollectOptions *options, GError **error);

/* Chooses the environments of this rank. */
gboolean apart_share (Plan *plan, GError **error);

/* Numbers the environments of the plan, and the lanes of its policy, as they are of all. */
gboolean apart_number_env (Plan *plan, GError **error);
gboolean apart_number_policy (Plan *plan, GError **error);

/* Takes the share of a run that is continued. */
void apart_take_share (Plan *plan, gint64 first, gint64 all);

/* The rows of this rank, of so many of all ranks; the same number where there are no others. */
gint64 apart_rows (const Plan *plan, gint64 rows);

/* The rows of all ranks where this one has so many, for messages. */
gint64 apart_all_rows (const Plan *plan, gint64 rows);

/* Keeps with a buffer which rank the run is of. */
gboolean apart_record (const Plan *plan, ReelReplayBuffer *buffer, GError **error);

/* Fails for the directory of several ranks, where one run is to be continued. */
gboolean apart_check_whole (const char *path, GError **error);

/* Whether this rank may continue the run that was recorded with `text`. */
gboolean apart_check_resume (const CollectOptions *options, const char *text, GError **error);

/* The directory of all ranks, or NULL. */
const char *apart_get_directory (void);

G_END_DECLS
