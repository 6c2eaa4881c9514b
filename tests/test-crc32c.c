#include "../src/core/formats/crc32c.h"

#include <string.h>

/* One bit at a time, from the definition. */
static guint32
oracle (guint32 crc, const guint8 *data, gsize length)
{
  crc = ~crc;
  for (gsize i = 0; i < length; i++)
    {
      crc ^= data[i];
      for (int bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
  return ~crc;
}

static void
assert_both (gconstpointer data, gsize length, guint32 expected)
{
  g_assert_cmphex (reel_crc32c (0, data, length), ==, expected);
  g_assert_cmphex (reel_crc32c_portable (0, data, length), ==, expected);
}

/* RFC 3720, appendix B.4, and the check value of the CRC catalogue. */
static void
test_known_vectors (void)
{
  static const guint8 read_command[48] = { 0x01, 0xc0, 0, 0,    0,    0, 0, 0,    0,    0, 0, 0,
                                           0,    0,    0, 0,    0x14, 0, 0, 0,    0,    0, 4, 0,
                                           0,    0,    0, 0x14, 0,    0, 0, 0x18, 0x28, 0, 0, 0,
                                           0,    0,    0, 0,    0x02, 0, 0, 0,    0,    0, 0, 0 };
  guint8 block[32];

  memset (block, 0, sizeof block);
  assert_both (block, sizeof block, 0x8a9136aau);
  memset (block, 0xff, sizeof block);
  assert_both (block, sizeof block, 0x62a8ab43u);
  for (guint i = 0; i < 32; i++)
    block[i] = (guint8) i;
  assert_both (block, sizeof block, 0x46dd794eu);
  for (guint i = 0; i < 32; i++)
    block[i] = (guint8) (31 - i);
  assert_both (block, sizeof block, 0x113fdb5cu);
  assert_both (read_command, sizeof read_command, 0xd9963a56u);
  assert_both ("123456789", 9, 0xe3069283u);
  assert_both (NULL, 0, 0);
}

/* Lengths on both sides of every change of method, at every alignment. */
static void
test_equals_the_definition (void)
{
  static const gsize lengths[] = { 767,   768,   769,   783,   1535,       1536,
                                   24575, 24576, 24577, 25351, 49152 + 776 };
  g_autofree guint8 *data = g_malloc (60000);
  guint32 state = 1;

  for (gsize i = 0; i < 60000; i++)
    data[i] = (guint8) ((state = state * 1664525u + 1013904223u) >> 24);
  for (gsize start = 0; start < 8; start++)
    {
      for (gsize length = 0; length < 100; length++)
        assert_both (data + start, length, oracle (0, data + start, length));
      for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
        assert_both (data + start, lengths[i], oracle (0, data + start, lengths[i]));
    }
}

static void
test_continues_over_any_cut (void)
{
  guint8 data[900];
  guint32 whole;

  for (gsize i = 0; i < sizeof data; i++)
    data[i] = (guint8) (i * 7 + i / 256);
  whole = oracle (0, data, sizeof data);
  for (gsize cut = 0; cut <= sizeof data; cut++)
    {
      guint32 fast = reel_crc32c (0, data, cut), portable = reel_crc32c_portable (0, data, cut);

      g_assert_cmphex (reel_crc32c (fast, data + cut, sizeof data - cut), ==, whole);
      g_assert_cmphex (reel_crc32c_portable (portable, data + cut, sizeof data - cut), ==, whole);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/crc32c/known-vectors", test_known_vectors);
  g_test_add_func ("/core/crc32c/equals-the-definition", test_equals_the_definition);
  g_test_add_func ("/core/crc32c/continues-over-any-cut", test_continues_over_any_cut);
  return g_test_run ();
}
