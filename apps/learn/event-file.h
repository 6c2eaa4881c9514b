/* Event files of TensorBoard: scalars over steps, texts, and parameters. */
#pragma once

#include "../../src/reel.h"

#include <jansson.h>

G_BEGIN_DECLS

/* The records of one file, as TensorBoard reads them: a TFRecord of an Event each. */

/* Appends the first record, of the version. */
void event_file_append_version (GByteArray *bytes, double wall_time);

/* Appends an event of one scalar. */
void event_file_append_scalar (GByteArray *bytes, double wall_time, gint64 step, const char *tag,
                               float value);

/* Appends an event of a text, in Markdown. */
void event_file_append_text (GByteArray *bytes, double wall_time, const char *tag,
                             const char *text);

/* Appends the event that begins a session of the page HPARAMS, whose parameters are the numbers,
   strings and booleans of an object. */
void event_file_append_parameters (GByteArray *bytes, double wall_time, const json_t *parameters);

/* The usual name of a file that is begun now. */
char *event_file_dup_name (void);

G_END_DECLS
