#include "../src/core/math/isa.h"

static void
test_words (void)
{
  for (ReelIsa isa = 0; isa < REEL_N_ISAS; isa++)
    {
      g_autoptr (GError) error = NULL;
      ReelIsa parsed;

      g_assert_true (reel_isa_parse (reel_isa_name (isa), REEL_ISA_AVX512, &parsed, &error));
      g_assert_no_error (error);
      g_assert_cmpint (parsed, ==, isa);
    }
}

static void
test_default_is_best (void)
{
  for (ReelIsa best = 0; best < REEL_N_ISAS; best++)
    {
      ReelIsa parsed;

      g_assert_true (reel_isa_parse (NULL, best, &parsed, NULL));
      g_assert_cmpint (parsed, ==, best);
      g_assert_true (reel_isa_parse ("", best, &parsed, NULL));
      g_assert_cmpint (parsed, ==, best);
    }
}

static void
test_unknown_is_refused (void)
{
  g_autoptr (GError) error = NULL;
  ReelIsa parsed;

  g_assert_false (reel_isa_parse ("sse9", REEL_ISA_AVX2, &parsed, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "REEL_ISA=sse9"));
  g_assert_nonnull (strstr (error->message, "generic, avx2 and avx512"));
  g_assert_cmpint (parsed, ==, REEL_ISA_AVX2);
}

static void
test_too_high_is_refused (void)
{
  g_autoptr (GError) error = NULL;
  ReelIsa parsed;

  g_assert_false (reel_isa_parse ("avx512", REEL_ISA_AVX2, &parsed, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "no more than avx2"));
  g_assert_cmpint (parsed, ==, REEL_ISA_AVX2);
}

static void
test_variable_is_read (void)
{
  g_autofree char *saved = g_strdup (g_getenv ("REEL_ISA"));
  g_autoptr (GError) error = NULL;
  ReelIsa isa;

  g_setenv ("REEL_ISA", "generic", TRUE);
  g_assert_true (reel_isa_choose (&isa, NULL));
  g_assert_cmpint (isa, ==, REEL_ISA_GENERIC);
  g_setenv ("REEL_ISA", "best", TRUE);
  g_assert_false (reel_isa_choose (&isa, &error));
  g_assert_cmpint (isa, ==, reel_isa_detect ());

  if (saved != NULL)
    g_setenv ("REEL_ISA", saved, TRUE);
  else
    g_unsetenv ("REEL_ISA");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/isa/every-level-has-a-word", test_words);
  g_test_add_func ("/core/isa/default-is-the-best", test_default_is_best);
  g_test_add_func ("/core/isa/unknown-level-is-refused", test_unknown_is_refused);
  g_test_add_func ("/core/isa/level-above-the-cpu-is-refused", test_too_high_is_refused);
  g_test_add_func ("/core/isa/variable-is-read", test_variable_is_read);
  return g_test_run ();
}
