/* Records of TensorFlow (its lib/io/record_writer.h): a length and bytes, each with a masked
 * CRC-32C. Private to the library. */
#pragma once

#include "byte-stream.h"

G_BEGIN_DECLS

/**
 * reel_tf_record_read:
 * @stream: a file of records, at the beginning of one or at the end
 * @record: (inout) (transfer none): the bytes of a record, which take the place of what is there
 * @found: (out): whether there was another; %FALSE at the end of the file
 * @error: DAMAGED for a record that is cut off or whose checksums are others; NOT_IMPLEMENTED for
 *   one of more than 512 MB; as reel_byte_stream_read()
 *
 * Reads the next record. No more memory is taken than twice the bytes that are there.
 *
 * Returns: whether it went well
 */
gboolean reel_tf_record_read (ReelByteStream *stream, GByteArray *record, gboolean *found,
                              GError **error);

G_END_DECLS
