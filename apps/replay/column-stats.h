/* Statistics of the valid rows of one column. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Steps of a ring that hold something: at most two runs of slots, in file order. */
typedef struct
{
  guint n;
  gint64 begin[2];
  gint64 end[2];
} SlotRuns;

typedef struct
{
  gint64 n;
  gint64 n_nan;
  double min;
  double max;
  double sum;
} ColumnStats;

void slot_runs_init (SlotRuns *runs, const ReelRingInfo *ring);

/* Least, greatest and sum of the elements that are numbers; complex columns count each part. */
void column_stats_init (ColumnStats *stats, const ReelColumn *column, const SlotRuns *runs);

/* The SHA-256 of the rows as they lie in the file. */
char *column_digest (const ReelColumn *column, const SlotRuns *runs);

G_END_DECLS
