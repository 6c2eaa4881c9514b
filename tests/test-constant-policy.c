/* The policy of one action. */
#include "policy-record.h"

#include "make-spec.h"

static void
test_numbers_go_to_elements (void)
{
  g_autoptr (PolicyRecord) record = policy_act_through ("constant:[1,-0.5,0,5.5,4,0,1,1]");

  for (gint64 lane = 0; lane < N_LANES; lane++)
    {
      const gint64 *push = (const gint64 *) (gpointer) record->action[3][0] + 2 * lane;
      const float *steer = (const float *) (gpointer) record->action[3][1] + 3 * lane;
      const gint64 *gear = (const gint64 *) (gpointer) record->action[3][2] + lane;
      const gint8 *lamps = (const gint8 *) record->action[3][3] + 3 * lane;

      g_assert_cmpint (push[0], ==, 0);
      g_assert_cmpint (push[1], ==, 1);
      g_assert_cmpfloat (steer[0], ==, -0.5f);
      g_assert_cmpfloat (steer[2], ==, 5.5f);
      g_assert_cmpint (gear[0], ==, 4);
      g_assert_cmpint (lamps[0], ==, 0);
      g_assert_cmpint (lamps[2], ==, 1);
    }
}

/* Without numbers each element is what is nearest to 0, and of classes the first. */
static void
test_nothing_is_nearest_to_zero (void)
{
  g_autoptr (PolicyRecord) record = policy_act_through ("constant");

  g_assert_cmpint (((const gint64 *) (gpointer) record->action[0][0])[0], ==, 1);
  g_assert_cmpfloat (((const float *) (gpointer) record->action[0][1])[2], ==, 5);
  g_assert_cmpint (((const gint64 *) (gpointer) record->action[0][2])[0], ==, 0);
}

static gboolean
bind (const char *text, const ReelSpec *leaf, GError **error)
{
  const char *const key = "action";
  g_autoptr (ReelSpec) nothing = make_composite (SCALAR, NULL, NULL, 0);
  g_autoptr (ReelSpec) action =
      make_composite (SCALAR, &key, (ReelSpec *[]){ (ReelSpec *) leaf }, 1);
  g_autoptr (ReelPolicy) policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, error, NULL);

  return policy && reel_policy_bind (policy, nothing, action, 2, error);
}

static void
expect (const char *text, const ReelSpec *leaf, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (bind (text, leaf, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, message);
  g_assert_false (bind (text, leaf, NULL));
}

static void
test_refuses_what_is_outside (void)
{
  g_autoptr (ReelSpec) box = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (3), -2, 2);
  g_autoptr (ReelSpec) one_hot = make_one_hot (3, REEL_DTYPE_INT64, SHAPE (3));
  g_autoptr (ReelSpec) class = make_categorical (3, REEL_DTYPE_INT64, SCALAR);
  g_autoptr (ReelSpec) reals = make_unbounded (REEL_DTYPE_FLOAT64, SCALAR);

  g_assert_true (bind ("constant:2", box, NULL));
  g_assert_true (bind ("constant:2", class, NULL));
  g_assert_true (bind ("constant:value=[2]", one_hot, NULL));
  g_assert_true (bind ("constant:-1e300", reals, NULL));
  expect ("constant:[1,2]", box,
          "value has 2 numbers, and the action takes 3 (a class is one number), or one for all");
  expect ("constant:[1,2,3]", class,
          "value has 3 numbers, and the action takes 1 (a class is one number), or one for all");
  expect ("constant:0.5", class,
          "the constant policy cannot set \"action\" to 0.5: it is a Categorical spec of int64");
  expect ("constant:3", one_hot,
          "the constant policy cannot set \"action\" to 3: it is a OneHot spec of int64");
  expect ("constant:-1", one_hot,
          "the constant policy cannot set \"action\" to -1: it is a OneHot spec of int64");
  expect ("constant:3", box,
          "the constant policy cannot set \"action\": element [0] is 3, not at most 2");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/policies/constant/numbers-go-to-elements", test_numbers_go_to_elements);
  g_test_add_func ("/policies/constant/nothing-is-nearest-to-zero",
                   test_nothing_is_nearest_to_zero);
  g_test_add_func ("/policies/constant/refuses-what-is-outside", test_refuses_what_is_outside);
  return g_test_run ();
}
