/* CRC-32C by the crc32 instruction of SSE 4.2, else by tables, eight bytes at a time. The register
 * begins and ends inverted (RFC 3720). */
#include "crc32c.h"

#include <pthread.h>
#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* Castagnoli, reflected */

/* The crc32 instruction takes three cycles and can start each cycle, so three streams run side by
 * side. Their checksums are joined by tables that advance one over a stream's length of zeros. */
#define LONG_STREAM 8192
#define SHORT_STREAM 256

static guint32 slices[8][256];      /* slices[k][b]: byte b followed by k zero bytes */
static guint32 long_zeros[4][256];  /* advances a register over LONG_STREAM zero bytes */
static guint32 short_zeros[4][256]; /* the same over SHORT_STREAM */
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static guint32
load32 (const guint8 *bytes)
{
  guint32 value;

  memcpy (&value, bytes, sizeof value);
  return GUINT32_FROM_LE (value);
}

static guint32
advance (const guint32 table[4][256], guint32 crc)
{
  return table[0][crc & 0xff] ^ table[1][crc >> 8 & 0xff] ^ table[2][crc >> 16 & 0xff]
         ^ table[3][crc >> 24];
}

static guint32
advance_bytewise (guint32 crc, gsize n_zeros)
{
  while (n_zeros--)
    crc = slices[0][crc & 0xff] ^ crc >> 8;
  return crc;
}

/* Advancing is linear over xor: 32 single bits give every entry. */
static void
fill_zeros (guint32 table[4][256], gsize n_zeros)
{
  guint32 bits[32];

  for (int i = 0; i < 32; i++)
    bits[i] = advance_bytewise (1u << i, n_zeros);
  for (int byte = 0; byte < 4; byte++)
    for (int value = 0; value < 256; value++)
      {
        guint32 crc = 0;

        for (int i = 0; i < 8; i++)
          if (value >> i & 1)
            crc ^= bits[8 * byte + i];
        table[byte][value] = crc;
      }
}

static void
fill_tables (void)
{
  for (guint32 value = 0; value < 256; value++)
    {
      guint32 crc = value;

      for (int bit = 0; bit < 8; bit++)
        crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
      slices[0][value] = crc;
    }
  for (guint32 value = 0; value < 256; value++)
    for (int k = 1; k < 8; k++)
      slices[k][value] = advance_bytewise (slices[k - 1][value], 1);
  fill_zeros (long_zeros, LONG_STREAM);
  fill_zeros (short_zeros, SHORT_STREAM);
}

guint32
reel_crc32c_portable (guint32 crc, gconstpointer data, gsize length)
{
  const guint8 *at = data;

  pthread_once (&tables_once, fill_tables);
  crc = ~crc;
  for (; length >= 8; length -= 8, at += 8)
    {
      guint32 low = load32 (at) ^ crc, high = load32 (at + 4);

      /* Slicing by eight (Kounavis and Berry, 2005): each byte goes through the table of the zeros
       * that follow it in these eight. */
      crc = slices[7][low & 0xff] ^ slices[6][low >> 8 & 0xff] ^ slices[5][low >> 16 & 0xff]
            ^ slices[4][low >> 24] ^ slices[3][high & 0xff] ^ slices[2][high >> 8 & 0xff]
            ^ slices[1][high >> 16 & 0xff] ^ slices[0][high >> 24];
    }
  for (; length > 0; length--, at++)
    crc = slices[0][(crc ^ *at) & 0xff] ^ crc >> 8;
  return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)

static inline guint64
load64 (const guint8 *bytes)
{
  guint64 value;

  memcpy (&value, bytes, sizeof value);
  return value;
}

/* Takes whole groups of three streams and leaves the rest to the caller. */
__attribute__ ((target ("sse4.2"))) static guint32
three_streams (guint32 crc, const guint8 **at, gsize *length, gsize stream,
               const guint32 zeros[4][256])
{
  guint64 a = crc;

  for (; *length >= 3 * stream; *length -= 3 * stream, *at += 3 * stream)
    {
      const guint8 *bytes = *at;
      guint64 b = 0, c = 0;

      for (gsize i = 0; i < stream; i += 8)
        {
          a = __builtin_ia32_crc32di (a, load64 (bytes + i));
          b = __builtin_ia32_crc32di (b, load64 (bytes + stream + i));
          c = __builtin_ia32_crc32di (c, load64 (bytes + 2 * stream + i));
        }
      /* The sum of joined pieces: that of the first, advanced over the length of the second, xor
       * that of the second. */
      a = advance (zeros, advance (zeros, (guint32) a) ^ (guint32) b) ^ (guint32) c;
    }
  return (guint32) a;
}

__attribute__ ((target ("sse4.2"))) static guint32
crc32c_sse42 (guint32 crc, const guint8 *at, gsize length)
{
  pthread_once (&tables_once, fill_tables);
  crc = three_streams (~crc, &at, &length, LONG_STREAM, long_zeros);
  crc = three_streams (crc, &at, &length, SHORT_STREAM, short_zeros);
  for (; length >= 8; length -= 8, at += 8)
    crc = (guint32) __builtin_ia32_crc32di (crc, load64 (at));
  for (; length > 0; length--, at++)
    crc = __builtin_ia32_crc32qi (crc, *at);
  return ~crc;
}

#endif

guint32
reel_crc32c (guint32 crc, gconstpointer data, gsize length)
{
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports ("sse4.2"))
    return crc32c_sse42 (crc, data, length);
#endif
  return reel_crc32c_portable (crc, data, length);
}
