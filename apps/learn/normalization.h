/* Observations as the networks of learners from saved data see them: less the mean of the data,
 * over their deviation, so that no number is much greater than another. Fujimoto and Gu (2021). */
#pragma once

#include "learner.h"

G_BEGIN_DECLS

/* From now on the learner scales observations: by 1, until data are measured or a state is set. */
void normalization_begin (Learner *learner);

/* Draws batches, and scales by what is in them. */
gboolean normalization_measure (Learner *learner, GError **error);

/* Changes the first layer of a network so that it sees observations as they are. */
void normalization_fold (const Spaces *spaces, Network *network);

G_END_DECLS
