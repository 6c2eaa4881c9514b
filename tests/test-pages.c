/* Large blocks: aligned, zeroed where asked for, and kept for the next that overwrites them. */
#include "../src/core/system/pages.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

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

static gboolean
is_mapped (gpointer page)
{
  unsigned char resident;

  return mincore (page, 1, &resident) == 0;
}

static gsize
address_space (void)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  return (gsize) g_ascii_strtoull (text, NULL, 10) * (gsize) sysconf (_SC_PAGESIZE);
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

/* Those that are kept longest make room: 128 MiB are kept, with what is mapped beside them. */
static void
test_large_ones (void)
{
  gsize sizes[4] = { 20, 21, 40, 41 };
  ReelPages *pages[4];
  gpointer data[4];

  for (guint i = 0; i < 4; i++)
    {
      pages[i] = reel_pages_new (sizes[i] * REEL_HUGE_PAGE, TRUE);
      data[i] = pages[i]->data;
    }
  for (guint i = 0; i < 4; i++)
    reel_pages_free (pages[i]);
  g_assert_true (is_mapped (data[3]));
  g_assert_false (is_mapped (data[2]));
  g_assert_false (is_mapped (data[1]));
  pages[3] = reel_pages_new (sizes[3] * REEL_HUGE_PAGE, FALSE);
  g_assert_true (pages[3]->data == data[3]);
  reel_pages_free (pages[3]);
  pages[0] = reel_pages_new (64 * REEL_HUGE_PAGE, TRUE);
  data[0] = pages[0]->data;
  reel_pages_free (pages[0]);
  g_assert_false (is_mapped (data[0]));
}

/* Kept memory is returned where it is all there is. */
static void
test_kept_is_not_missing (void)
{
  struct rlimit before, now;
  ReelPages *pages = reel_pages_new (40 * REEL_HUGE_PAGE, TRUE);
  gpointer data = pages->data;

  reel_pages_free (pages);
  g_assert_true (is_mapped (data));
  g_assert_cmpint (getrlimit (RLIMIT_AS, &before), ==, 0);
  now = before;
  now.rlim_cur = address_space () + 8 * REEL_HUGE_PAGE;
  g_assert_cmpint (setrlimit (RLIMIT_AS, &now), ==, 0);
  pages = reel_pages_new (30 * REEL_HUGE_PAGE, FALSE);
  g_assert_cmpint (setrlimit (RLIMIT_AS, &before), ==, 0);
  g_assert_nonnull (pages);
  reel_pages_free (pages);
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
  g_test_add_func ("/core/pages/large-ones", test_large_ones);
  g_test_add_func ("/core/pages/kept-is-not-missing", test_kept_is_not_missing);
  g_test_add_func ("/core/pages/no-such-memory", test_no_such_memory);

  return g_test_run ();
}
