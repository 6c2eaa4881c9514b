/* CRC-32C (Castagnoli): the checksum of leaf blocks in reel.json. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_crc32c:
 * @crc: 0 to begin, or the value for the bytes before @data
 * @data: (nullable): the bytes; NULL only with @length 0
 * @length: how many bytes
 *
 * The CRC-32C of @data, continued from @crc, so that `reel_crc32c (reel_crc32c (0, a), b)` is the
 * checksum of a followed by b. Polynomial 0x1EDC6F41 reflected, initial value and final xor
 * 0xFFFFFFFF (RFC 3720, appendix B.4). Uses the SSE4.2 instruction where the CPU has it. Any
 * thread.
 *
 * Returns: the checksum
 */
guint32 reel_crc32c (guint32 crc, gconstpointer data, gsize length);

/**
 * reel_crc32c_portable:
 * @crc: as reel_crc32c()
 * @data: (nullable): as reel_crc32c()
 * @length: as reel_crc32c()
 *
 * The same value by table look-ups, eight bytes at a time, on any CPU. reel_crc32c() falls back to
 * it. Any thread.
 *
 * Returns: the checksum
 */
guint32 reel_crc32c_portable (guint32 crc, gconstpointer data, gsize length);

G_END_DECLS
