/* Event files of TensorBoard: scalars over steps. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* The records of one file, as TensorBoard reads them: a TFRecord of an Event each. */

/* Appends the first record, of the version. */
void event_file_append_version (GByteArray *bytes, double wall_time);

/* Appends an event of one scalar. */
void event_file_append_scalar (GByteArray *bytes, double wall_time, gint64 step, const char *tag,
                               float value);

/* The usual name of a file that is begun now. */
char *event_file_dup_name (void);

G_END_DECLS
