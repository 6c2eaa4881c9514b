/* The arguments of a class. */
#pragma once

#include "../../src/reel.h"

#include <jansson.h>

G_BEGIN_DECLS

/* Each with its default and its meaning. */
void class_arguments_print (const GPtrArray *infos);
json_t *class_arguments_to_json (const GPtrArray *infos);

G_END_DECLS
