/* Numbers as people write them. */
#include "../src/reel.h"

static void
check_number (const char *text, gint64 expected)
{
  g_autoptr (GError) error = NULL;
  gint64 value = 77;

  g_assert_true (reel_parse_int64 (text, G_MININT64, G_MAXINT64, &value, &error));
  g_assert_no_error (error);
  g_assert_cmpint (value, ==, expected);
}

static void
test_numbers_as_people_write_them (void)
{
  check_number ("0", 0);
  check_number ("-0", 0);
  check_number ("+5", 5);
  check_number ("1000", 1000);
  check_number ("1e6", 1000000);
  check_number ("1E+6", 1000000);
  check_number ("1M", 1000000);
  check_number ("2.5k", 2500);
  check_number ("3K", 3000);
  check_number ("1_000_000", 1000000);
  check_number ("1.5e1", 15);
  check_number ("1500e-2", 15);
  check_number (".5k", 500);
  check_number ("8G", 8000000000);
  check_number ("007", 7);
  check_number ("0e999999999999999999999", 0);
  check_number ("9223372036854775807", G_MAXINT64);
  check_number ("-9223372036854775808", G_MININT64);
  check_number ("9007199254740993", 9007199254740993);
}

static void
test_no_numbers (void)
{
  static const char *const bad[] = { "",
                                     "-",
                                     ".",
                                     "e6",
                                     "1e",
                                     "1e6k",
                                     "1m",
                                     "_1",
                                     "1_",
                                     "1__0",
                                     "0x10",
                                     "1 000",
                                     "1,000",
                                     "1.5",
                                     "1e-1",
                                     "--1",
                                     "1k2",
                                     "inf",
                                     "nan",
                                     "1.5G.",
                                     "١",
                                     "9223372036854775808",
                                     "-9223372036854775809",
                                     "1e19",
                                     "99999999999999999999",
                                     "1e999999999999999999999" };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      gint64 value = 77;
      g_assert_false (reel_parse_int64 (bad[i], G_MININT64, G_MAXINT64, &value, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_cmpint (value, ==, 77);
    }
}

static void
test_number_out_of_range (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) reason = NULL;
  gint64 value;

  g_assert_false (reel_parse_int64 ("6", 1, 5, &value, &error));
  g_assert_cmpstr (error->message, ==, "cannot be 6: it must be 1 to 5");
  g_assert_false (reel_parse_int64 ("x", 1, G_MAXINT64, &value, &reason));
  g_assert_cmpstr (reason->message, ==, "cannot be \"x\": it must be a whole number, at least 1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/number/as-people-write-them", test_numbers_as_people_write_them);
  g_test_add_func ("/core/number/none", test_no_numbers);
  g_test_add_func ("/core/number/out-of-range", test_number_out_of_range);

  return g_test_run ();
}
