/* The settings of a run in its events: a table of texts, as CleanRL has it, and what TensorBoard's
 * page HPARAMS compares runs by. */
#pragma once

#include "../../src/reel.h"

#include <jansson.h>

G_BEGIN_DECLS

/* Appends both, from the configuration of the run. The page fails where a step is beyond 32 bits,
 * so that a run of so many steps has the table alone. */
void parameters_append (GByteArray *bytes, double wall_time, const json_t *config);

G_END_DECLS
