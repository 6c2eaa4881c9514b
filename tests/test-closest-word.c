/* Which word is suggested for one that is not there. */
#include "../src/reel.h"

static const char *const words[] = { "gravity",  "length",      "max-episode-steps",
                                     "masscart", "CartPole-v1", "math",
                                     NULL };

static void
check (const char *typed, const char *meant)
{
  g_assert_cmpstr (reel_closest_word (typed, words), ==, meant);
}

static void
test_one_slip (void)
{
  check ("gravty", "gravity");
  check ("graavity", "gravity");
  check ("gravitx", "gravity");
}

static void
test_neighbours_exchanged_are_one_slip (void)
{
  check ("mtah", "math");
  check ("lnegth", "length");
}

static void
test_case_and_hyphens_are_ignored (void)
{
  check ("cartpole_V1", "CartPole-v1");
  check ("MAX_EPISODE_STEPS", "max-episode-steps");
}

static void
test_at_most_a_third_of_the_length (void)
{
  check ("gravitxyz", "gravity");
  check ("gra", NULL);
  check ("maxi", NULL);
  check ("", NULL);
  check ("reward", NULL);
}

static void
test_first_of_equals (void)
{
  static const char *const pair[] = { "aaab", "aaac", NULL };

  g_assert_cmpstr (reel_closest_word ("aaad", pair), ==, "aaab");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/closest-word/one-slip", test_one_slip);
  g_test_add_func ("/core/closest-word/neighbours-exchanged-are-one-slip",
                   test_neighbours_exchanged_are_one_slip);
  g_test_add_func ("/core/closest-word/case-and-hyphens-are-ignored",
                   test_case_and_hyphens_are_ignored);
  g_test_add_func ("/core/closest-word/at-most-a-third-of-the-length",
                   test_at_most_a_third_of_the_length);
  g_test_add_func ("/core/closest-word/first-of-equals", test_first_of_equals);

  return g_test_run ();
}
