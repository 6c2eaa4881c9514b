/* Large blocks: aligned, zeroed where asked for, and kept for the next that overwrites them. */
#include "../src/core/pages.h"

#include <string.h>

static gboolean
is_zero (const guint8 *bytes, gsize size)
{
  return bytes[0] == 0 && memcmp (bytes, bytes + 1, size - 1) == 0;
}

static void
test_zeroed (void)
{
  for (guint i = 0; i < 40; i++)
    {
      gsize size = REEL_HUGE_PAGE / 2 * (i % 7 + 1) + i;
      ReelPages *pages = reel_pages_new (size, TRUE);

      g_assert_cmpuint ((gsize) pages->data % REEL_HUGE_PAGE, ==, 0);
      g_assert_true (is_zero (pages->data, size));
      memset (pages->data, 0xa5, size);
      reel_pages_free (pages);
    }
}

/* The first test: nothing is kept yet. */
static void
test_kept_for_the_next (void)
{
  ReelPages *pages = reel_pages_new (REEL_HUGE_PAGE + 1, TRUE);
  gpointer data = pages->data;

  memset (data, 0x5a, REEL_HUGE_PAGE + 1);
  reel_pages_free (pages);
  /* Of another size: not that one. Of a size that takes as many pages: that one. */
  ReelPages *other = reel_pages_new (3 * REEL_HUGE_PAGE, FALSE);
  g_assert_true (other->data != data);
  pages = reel_pages_new (2 * REEL_HUGE_PAGE, FALSE);
  g_assert_true (pages->data == data);
  memset (pages->data, 1, 2 * REEL_HUGE_PAGE);
  memset (other->data, 2, 3 * REEL_HUGE_PAGE);
  g_assert_cmpuint (((guint8 *) pages->data)[2 * REEL_HUGE_PAGE - 1], ==, 1);
  reel_pages_free (pages);
  reel_pages_free (other);
}

/* Many more than are kept, of all sizes, each its own. */
static void
test_many (void)
{
  ReelPages *pages[40];

  for (guint round = 0; round < 3; round++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
        {
          pages[i] = reel_pages_new (REEL_HUGE_PAGE * (i % 6 + 1), FALSE);
          *(guint *) pages[i]->data = i;
        }
      for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
        g_assert_cmpuint (*(guint *) pages[i]->data, ==, i);
      for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
        reel_pages_free (pages[i]);
    }
}

static void
test_no_such_memory (void)
{
  g_assert_null (reel_pages_new (G_MAXSIZE, FALSE));
  g_assert_null (reel_pages_new (G_MAXSSIZE - REEL_HUGE_PAGE, TRUE));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/pages/kept-for-the-next", test_kept_for_the_next);
  g_test_add_func ("/core/pages/zeroed", test_zeroed);
  g_test_add_func ("/core/pages/many", test_many);
  g_test_add_func ("/core/pages/no-such-memory", test_no_such_memory);

  return g_test_run ();
}
