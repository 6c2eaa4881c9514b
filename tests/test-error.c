/* Guarantees after a failed call of the operating system. */
#include "../src/reel.h"

#include <errno.h>

static void
test_errno_is_named (void)
{
  g_autoptr (GError) error = NULL;

  reel_set_error_errno (&error, EACCES, "cannot open \"%s\"", "a/b");

  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  g_assert_cmpstr (error->message, ==, "cannot open \"a/b\": Permission denied");
}

static void
test_full_disk_has_its_code (void)
{
  static const int full[] = { ENOSPC, EDQUOT };

  for (gsize i = 0; i < G_N_ELEMENTS (full); i++)
    {
      g_autoptr (GError) error = NULL;
      reel_set_error_errno (&error, full[i], "cannot write");
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
    }
}

static void
test_errno_is_kept (void)
{
  errno = EINTR;
  reel_set_error_errno (NULL, ENOSPC, "nobody listens");
  g_assert_cmpint (errno, ==, EINTR);
}

static void
test_init_twice (void)
{
  reel_init ();
  reel_init ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/error/errno-is-named", test_errno_is_named);
  g_test_add_func ("/core/error/full-disk-has-its-code", test_full_disk_has_its_code);
  g_test_add_func ("/core/error/errno-is-kept", test_errno_is_kept);
  g_test_add_func ("/init/twice-is-once", test_init_twice);

  return g_test_run ();
}
