/* The entries of a composite. Private. */
#pragma once

#include "spec-kind.h"

G_BEGIN_DECLS

/* One value of a composite: its plain key, the same as part of a path, its spec. */
typedef struct
{
  char *key;
  char *path;
  ReelSpec *spec;
} ReelSpecEntry;

/**
 * reel_composite_spec_get_entries:
 * @spec: a composite spec
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n): its entries in insertion order
 */
const ReelSpecEntry *reel_composite_spec_get_entries (const ReelSpec *spec, gsize *n);

G_END_DECLS
