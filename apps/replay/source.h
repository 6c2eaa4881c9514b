/* The source of batches: a buffer, or an ensemble of them. */
#pragma once

#include "replay.h"

G_BEGIN_DECLS

/* How they are to be drawn; texts are NULL where nothing was said. */
typedef struct
{
  const char *sampler;
  const char *transform;
  const char *seed;
  gint64 batch_size; /* 0 for a default */
  gint64 n_ahead;
  const char *offline; /* another directory, to be mixed in */
  double offline_fraction;
  gboolean read_only;
} SourceOptions;

/* All zeros before source_open(). */
typedef struct
{
  GObject *object;
  GObject *opened; /* whose rows they are */
  GObject *offline;
  ReelBatchFunc draw;
  char *sampler;
  gint64 batch_size;
  gint64 row_bytes;
  gint64 demand; /* rows that are drawn for one of a batch */
} Source;

gboolean source_open (Source *source, const char *path, const SourceOptions *options,
                      GError **error);
gboolean source_prefetch (Source *source, gint64 n, GError **error);
void source_clear (Source *source);

G_END_DECLS
