/* The members of an ensemble, each converted. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* The target of a conversion: capacity and ndim, 0 as it has them; whether the oldest row
 * comes first; how rows lie in the files, NULL as in memory; what changes them, NULL for nothing.
 */
typedef struct
{
  ReelOrderedDump ring;
  gboolean in_order;
  ReelCheckpointer *checkpointer;
  ReelTransform *transform;
} Conversion;

/* A member that was converted: where it was, and what it is now. */
typedef struct
{
  char *path;
  ReelOrderedDump ring;
} ConvertedMember;

void converted_member_clear (ConvertedMember *member);

/* Whether no buffer of an ensemble is being written. */
gboolean convert_check_ended (ReelReplayBufferEnsemble *ensemble, const char *path, GError **error);

/* An ensemble of the same weights whose members are converted; those without rows stay as they are.
 * A ConvertedMember for each buffer is added to @members. */
ReelReplayBufferEnsemble *convert_ensemble (ReelReplayBufferEnsemble *ensemble, const char *path,
                                            const Conversion *conversion, GArray *members,
                                            GError **error);

G_END_DECLS
