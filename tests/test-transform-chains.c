/* Chains of transforms: what is in them, whose they are, how they are written and printed. */
#include "make-transform.h"

static void
assert_text (ReelTransform *transform, const char *expected)
{
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (transform));

  g_assert_cmpstr (text, ==, expected);
}

static void
assert_prints (ReelTransform *transform, const char *expected)
{
  g_autofree char *text = reel_transform_to_string (transform);

  g_assert_cmpstr (text, ==, expected);
}

static ReelTensordict *
identity (ReelTensordict *td, gpointer data, GError **error)
{
  return reel_tensordict_ref (td);
}

/* ---- text ---- */

static void
test_text (void)
{
  static const char *const texts[] = {
    "compose",
    "exclude:keys=[a]|select:keys=[b,next/c]",
    "(exclude:keys=[a])",
    "exclude|(select|rename:in-keys=[a],out-keys=[b])|cat-tensors:in-keys=[a,'b|c']",
    "exclude|compose|exclude",
    "exclude|(select)",
    "((select))",
    "invert:transform=(exclude:keys=[a],inverse=true|select)",
    "invert:transform=((exclude))",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelTransform) transform = make_transform (texts[i]);

      assert_text (transform, texts[i]);
    }
}

static void
test_text_is_what_it_says (void)
{
  g_autoptr (ReelTransform) one = make_transform ("exclude:keys=a");
  g_autoptr (ReelTransform) chain =
      make_transform (" exclude : keys=[a, b] | ( select | select ) ");
  g_autoptr (ReelTransform) none = make_transform ("()");
  ReelTransform *inner = reel_compose_get (REEL_COMPOSE (chain), 1, NULL);

  g_assert_false (REEL_IS_COMPOSE (one));
  assert_text (one, "exclude:keys=[a]");
  g_assert_cmpint (reel_compose_get_length (REEL_COMPOSE (chain)), ==, 2);
  g_assert_cmpint (reel_compose_get_length (REEL_COMPOSE (inner)), ==, 2);
  g_assert_cmpint (reel_compose_get_length (REEL_COMPOSE (none)), ==, 0);
}

static void
test_text_refusals (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_TRANSFORM, "exclude|", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_true (g_str_has_prefix (error->message, "the name of the transform is empty: "));
  g_clear_error (&error);
  refuse_transform ("exclude|seletc", REEL_ERROR_KEY,
                    "there is no transform \"seletc\"; did you mean \"select\"?");
  refuse_transform ("(exclude|select", REEL_ERROR_VALUE,
                    "\"(exclude|select\" has a ( without its other half");
  refuse_transform ("exclude:keys=[a|b", REEL_ERROR_VALUE,
                    "\"exclude:keys=[a|b\" has a [ without its other half");
  refuse_transform (
      "exclude:keys=[a//b]", REEL_ERROR_KEY,
      "\"a//b\" is not a path of keys: write %2F for \"/\" in a key, %25 for \"%\" and % "
      "for the empty key");
  g_assert_null (reel_object_new_from_text (REEL_TYPE_SAMPLER, "random|random", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

/* ---- what Python prints ---- */

static void
test_prints (void)
{
  g_autoptr (ReelCompose) chain =
      make_transform ("exclude:keys=[a,next/b]|select:keys=x|"
                      "rename:in-keys=[a,n/b],out-keys=[c,d],in-keys-inv='q''',out-keys-inv=r|"
                      "cat-tensors:in-keys=[b,a,next/z],out-key=next/o|random-crop:sub-seq-len=3|"
                      "multi-step:n-steps=3,gamma=0.9|(exclude:keys=q|compose)");
  g_autoptr (ReelTransform) callback = reel_transform_new_callback (identity, NULL, NULL);
  g_autoptr (ReelTransform) none = make_transform ("compose");
  g_autoptr (ReelTransform) inverted = make_transform (
      "invert:transform=(rename:in-keys=a,out-keys=b,in-keys-inv='q''',out-keys-inv=r)");

  g_assert_true (reel_compose_append (chain, callback, NULL));
  assert_prints (REEL_TRANSFORM (chain), "Compose(\n"
                                         "        ExcludeTransform(keys=[]),\n"
                                         "        SelectTransform(keys=[]),\n"
                                         "        RenameTransform(keys=['a', ('n', 'b')]),\n"
                                         "        CatTensors(in_keys=['a', 'b', ('next', 'z')], "
                                         "out_key=('next', 'o')),\n"
                                         "        RandomCropTensorDict(keys=[]),\n"
                                         "        MultiStepTransform(keys=[]),\n"
                                         "        Compose(\n"
                                         "                ExcludeTransform(keys=[]),\n"
                                         "                Compose()),\n"
                                         "        _CallableTransform(keys=[]))");
  assert_prints (none, "Compose()");
  assert_prints (inverted, "_InvertTransform(keys=[\"q'\"])");
}

/* ---- what is in a chain ---- */

static void
test_append_flattens (void)
{
  g_autoptr (ReelCompose) chain = reel_compose_new ();
  g_autoptr (ReelTransform) one = make_transform ("exclude:keys=a"),
                            two = make_transform ("exclude:keys=b|exclude");

  g_assert_true (reel_compose_append (chain, one, NULL));
  g_assert_true (reel_compose_append (chain, two, NULL));
  assert_text (REEL_TRANSFORM (chain), "exclude:keys=[a]|exclude:keys=[b]|exclude");
  g_assert_cmpint (reel_compose_get_length (REEL_COMPOSE (two)), ==, 0);
  g_assert_true (reel_compose_get (chain, 0, NULL) == one);
  g_assert_true (reel_transform_get_parent (one) == G_OBJECT (chain));
  g_assert_true (reel_transform_get_parent (reel_compose_get (chain, 2, NULL)) == G_OBJECT (chain));
  g_assert_null (reel_transform_get_parent (two));
}

static void
test_insert (void)
{
  static const struct
  {
    gint at;
    const char *expected;
  } cases[] = {
    { 0, "rename|select|exclude" },  { 1, "select|rename|exclude" },
    { 2, "select|exclude|rename" },  { -1, "select|rename|exclude" },
    { -2, "rename|select|exclude" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelCompose) chain = make_transform ("select|exclude");
      g_autoptr (ReelTransform) one = make_transform ("rename");

      g_assert_true (reel_compose_insert (chain, cases[i].at, one, NULL));
      assert_text (REEL_TRANSFORM (chain), cases[i].expected);
    }
  for (gint at = -3; at <= 3; at += 6)
    {
      g_autoptr (ReelCompose) chain = make_transform ("select|exclude");
      g_autoptr (ReelTransform) one = make_transform ("rename");
      g_autoptr (GError) error = NULL;
      g_autofree char *message =
          g_strdup_printf ("Index expected to be between [-2, 2] got index=%d", at);

      g_assert_false (reel_compose_insert (chain, at, one, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_cmpstr (error->message, ==, message);
      g_assert_null (reel_transform_get_parent (one));
    }
}

static void
test_pop_and_slice (void)
{
  g_autoptr (ReelCompose) chain = make_transform ("select|exclude|rename|compose");
  g_autoptr (ReelTransform) popped = reel_compose_pop (chain, -2, NULL);
  g_autoptr (ReelCompose) slice = reel_compose_slice (chain, -2, G_MAXINT, 1, NULL);
  g_autoptr (ReelCompose) nothing = reel_compose_slice (chain, 2, 1, 1, NULL);
  g_autoptr (GError) error = NULL;

  assert_text (popped, "rename");
  g_assert_null (reel_transform_get_parent (popped));
  assert_text (REEL_TRANSFORM (chain), "select|exclude|compose");
  assert_text (REEL_TRANSFORM (slice), "exclude|compose");
  assert_text (REEL_TRANSFORM (nothing), "compose");
  g_assert_true (reel_compose_get (slice, 0, NULL) != reel_compose_get (chain, 1, NULL));
  g_assert_null (reel_compose_get (chain, 3, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_cmpstr (error->message, ==, "index 3 is out of range: the chain has 3 transforms");
  g_assert_null (reel_compose_pop (chain, -4, NULL));
}

/* A number for an index that means "all". */
#define ALL G_MAXINT

/* Chains, whole and in part, print as TorchRL's do: golden data of its Compose. */
static void
test_parts_as_torchrl (void)
{
  static const struct
  {
    gint begin, end;
    const char *expected;
  } cases[] = {
    { 0, ALL,
      "Compose(\n        StepCounter(keys=[]),\n        RewardSum(keys=['reward']),\n        "
      "InitTracker(keys=[]))" },
    { 1, ALL, "Compose(\n        RewardSum(keys=['reward']),\n        InitTracker(keys=[]))" },
    { -1, ALL, "Compose(\n        InitTracker(keys=[]))" },
    { -9, -2, "Compose(\n        StepCounter(keys=[]))" },
    { 0, 0, "Compose()" },
    { 0, -3, "Compose()" },
    { 9, ALL, "Compose()" },
  };
  g_autoptr (ReelCompose) chain =
      make_transform ("step-counter:max-steps=5|reward-sum|init-tracker");
  g_autoptr (ReelTransform) nested =
      make_transform ("step-counter:max-steps=5|(reward-sum|init-tracker)");
  g_autoptr (ReelCompose) inner = NULL;
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (chain)), *after = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelCompose) part =
          reel_compose_slice (chain, cases[i].begin, cases[i].end, 1, NULL);

      assert_prints (REEL_TRANSFORM (part), cases[i].expected);
      g_assert_null (reel_transform_get_parent (REEL_TRANSFORM (part)));
    }
  after = reel_object_to_text (REEL_OBJECT (chain));
  g_assert_cmpstr (text, ==, after);
  assert_prints (nested,
                 "Compose(\n        StepCounter(keys=[]),\n        Compose(\n                "
                 "RewardSum(keys=['reward']),\n                InitTracker(keys=[])))");
  inner = reel_compose_slice (REEL_COMPOSE (nested), 1, ALL, 1, NULL);
  g_assert_cmpint (reel_compose_get_length (inner), ==, 1);
  g_assert_true (REEL_IS_COMPOSE (reel_compose_get (inner, 0, NULL)));
}

/* The elements that Python's slice of range(n) has: the definition, link by link. */
static char *
list_sliced (gint n, gint begin, gint end, gint step)
{
  GString *list = g_string_new (NULL);
  gint from = begin < 0 ? MAX (begin + n, step < 0 ? -1 : 0) : MIN (begin, step < 0 ? n - 1 : n);
  gint to = end < 0 ? MAX (end + n, step < 0 ? -1 : 0) : MIN (end, step < 0 ? n - 1 : n);

  for (gint i = from; (step > 0 && i < to) || (step < 0 && i > to); i += step)
    g_string_append_c (list, (gchar) ('0' + i));
  return g_string_free (list, FALSE);
}

/* Every slice of chains of up to four links: all bounds and steps to one beyond them. */
static void
test_every_slice (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCompose) whole = make_transform ("compose"), back = NULL;

  for (gint n = 0; n <= 4; n++)
    {
      g_autoptr (ReelCompose) chain = reel_compose_new ();

      for (gint i = 0; i < n; i++)
        {
          g_autofree char *text = g_strdup_printf ("rename:in-keys=a%d,out-keys=b", i);
          g_autoptr (ReelTransform) link = make_transform (text);

          g_assert_true (reel_compose_append (chain, link, NULL));
        }
      for (gint begin = -n - 2; begin <= n + 2; begin++)
        for (gint end = -n - 2; end <= n + 2; end++)
          for (gint step = -n - 2; step <= n + 2; step++)
            {
              g_autofree char *expected = NULL;
              g_autoptr (ReelCompose) part = NULL;

              if (step == 0)
                continue;
              expected = list_sliced (n, begin, end, step);
              part = reel_compose_slice (chain, begin, end, step, NULL);
              g_assert_cmpuint (reel_compose_get_length (part), ==, strlen (expected));
              for (gint i = 0; expected[i] != '\0'; i++)
                g_assert_cmpint (
                    reel_transform_get_in_keys (reel_compose_get (part, i, NULL))[0][1], ==,
                    expected[i]);
            }
    }
  g_assert_null (reel_compose_slice (whole, 0, 1, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_object (&whole);
  whole = make_transform ("select|exclude|rename");
  back = reel_compose_slice (whole, G_MAXINT, G_MININT, -1, NULL);
  assert_text (REEL_TRANSFORM (back), "rename|exclude|select");
}

/* Each place, counted from either end, of chains of up to four links. */
static void
test_every_place (void)
{
  static const char *const ids[] = { "select", "exclude", "rename", "sign:in-keys=a" };

  for (gint n = 0; n <= 4; n++)
    for (gint at = -n - 1; at <= n + 1; at++)
      {
        g_autoptr (ReelCompose) chain = reel_compose_new ();
        g_autoptr (ReelTransform) one = make_transform ("clip:low=0,in-keys=a"), popped = NULL;
        gint place = at < 0 ? at + n : at;

        for (gint i = 0; i < n; i++)
          {
            g_autoptr (ReelTransform) link = make_transform (ids[i]);

            g_assert_true (reel_compose_append (chain, link, NULL));
          }
        g_assert_cmpint (reel_compose_insert (chain, at, one, NULL), ==, at >= -n && at <= n);
        if (at < -n || at > n)
          continue;
        g_assert_true (reel_compose_get (chain, place, NULL) == one);
        g_assert_true (reel_compose_get (chain, place - n - 1, NULL) == one);
        popped = reel_compose_pop (chain, place - n - 1, NULL);
        g_assert_true (popped == one);
        g_assert_null (reel_transform_get_parent (one));
        g_assert_cmpint (reel_compose_get_length (chain), ==, n);
        for (gint i = 0; i < n; i++)
          g_assert_true (g_str_has_prefix (
              ids[i], reel_object_get_id (REEL_OBJECT (reel_compose_get (chain, i, NULL)))));
      }
}

static void
test_one_parent (void)
{
  g_autoptr (ReelCompose) a = reel_compose_new (), b = reel_compose_new ();
  g_autoptr (ReelTransform) one = make_transform ("exclude:keys=a");
  g_autoptr (ReelTransform) clone = NULL, inverted = NULL, back = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_compose_append (a, one, NULL));
  g_assert_false (reel_compose_append (b, one, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "parent of transform exclude:keys=[a] already set: clone it to get a similar "
                   "transform without a parent");
  g_assert_false (reel_compose_insert (b, 0, one, NULL));
  g_assert_null (reel_transform_new_inverted (one, NULL));
  clone = reel_transform_clone (one, NULL);
  g_assert_true (reel_compose_append (b, clone, NULL));
  inverted = reel_transform_new_inverted (REEL_TRANSFORM (b), NULL);
  g_assert_nonnull (inverted);
  g_assert_false (reel_compose_append (a, REEL_TRANSFORM (b), NULL));
  g_clear_object (&inverted);
  g_assert_true (reel_compose_append (a, REEL_TRANSFORM (b), NULL));
  g_clear_object (&a);
  back = reel_transform_new_inverted (one, NULL);
  g_assert_nonnull (back);
}

/* ---- what a chain does ---- */

/* T12.1: forward from the first to the last, inverse from the last to the first. */
static ReelTensordict *
append_letter (ReelTensordict *td, gpointer letter, GError **error)
{
  g_autoptr (GVariant) before = reel_tensordict_dup_value (td, "word", NULL);
  g_autofree char *after = g_strconcat (g_variant_get_string (before, NULL), letter, NULL);

  if (!reel_tensordict_set_value (td, "word", g_variant_new_string (after), error))
    return NULL;
  return reel_tensordict_ref (td);
}

static void
append (ReelCompose *chain, const char *letter, gboolean invert)
{
  g_autoptr (ReelTransform) one =
      reel_transform_new_callback (append_letter, (gpointer) letter, NULL);
  g_autoptr (ReelTransform) wrapped =
      invert ? reel_transform_new_inverted (one, NULL) : g_object_ref (one);

  g_assert_true (reel_compose_append (chain, wrapped, NULL));
}

/* A batch is not copied for transforms that leave it as it is. */
static void
test_changes_reads (void)
{
  g_autoptr (ReelCompose) chain = reel_compose_new ();
  g_autoptr (ReelTransform) steps =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, "multi-step:n-steps=3", NULL, NULL);
  g_autoptr (ReelTransform) sign =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, "sign:in-keys=[reward]", NULL, NULL);

  g_assert_false (reel_transform_changes_reads (REEL_TRANSFORM (chain)));
  g_assert_true (reel_compose_append (chain, steps, NULL));
  g_assert_false (reel_transform_changes_reads (REEL_TRANSFORM (chain)));
  g_assert_true (reel_compose_append (chain, sign, NULL));
  g_assert_true (reel_transform_changes_reads (REEL_TRANSFORM (chain)));
  g_assert_true (reel_transform_changes_reads (sign));
}

static void
test_order (void)
{
  g_autoptr (ReelCompose) chain = reel_compose_new ();
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) written = NULL, read = NULL;
  g_autoptr (GVariant) word = NULL, again = NULL, untouched = NULL;

  append (chain, "a", FALSE);
  g_assert_false (reel_transform_changes_writes (REEL_TRANSFORM (chain)));
  append (chain, "b", TRUE);
  append (chain, "c", FALSE);
  append (chain, "d", TRUE);
  g_assert_true (reel_transform_changes_writes (REEL_TRANSFORM (chain)));
  reel_tensordict_set_value (td, "word", g_variant_new_string (":"), NULL);
  g_assert_true (reel_transform_inverse (REEL_TRANSFORM (chain), td, &written, NULL));
  word = reel_tensordict_dup_value (written, "word", NULL);
  g_assert_cmpstr (g_variant_get_string (word, NULL), ==, ":db");
  untouched = reel_tensordict_dup_value (td, "word", NULL);
  g_assert_cmpstr (g_variant_get_string (untouched, NULL), ==, ":");
  read = reel_transform_forward (REEL_TRANSFORM (chain), written, NULL);
  again = reel_tensordict_dup_value (read, "word", NULL);
  g_assert_cmpstr (g_variant_get_string (again, NULL), ==, ":dbac");
}

static ReelTensordict *
fail (ReelTensordict *td, gpointer say_why, GError **error)
{
  if (say_why)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "why");
  return NULL;
}

static void
test_failures_name_the_transform (void)
{
  g_autoptr (ReelCompose) chain = make_transform ("select|rename:in-keys=a,out-keys=b");
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTransform) quiet = reel_transform_new_callback (fail, NULL, NULL);
  g_autoptr (ReelTransform) loud = reel_transform_new_callback (fail, (gpointer) "", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_transform_forward (REEL_TRANSFORM (chain), td, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_true (g_str_has_prefix (error->message, "transform 1, rename: "));
  g_clear_error (&error);
  g_assert_null (reel_transform_forward (quiet, td, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_null (reel_transform_forward (loud, td, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (reel_transform_clone (loud, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/transforms/chain/text", test_text);
  g_test_add_func ("/transforms/chain/text-is-what-it-says", test_text_is_what_it_says);
  g_test_add_func ("/transforms/chain/text-refusals", test_text_refusals);
  g_test_add_func ("/transforms/chain/prints", test_prints);
  g_test_add_func ("/transforms/chain/append-flattens", test_append_flattens);
  g_test_add_func ("/transforms/chain/insert", test_insert);
  g_test_add_func ("/transforms/chain/pop-and-slice", test_pop_and_slice);
  g_test_add_func ("/transforms/chain/parts-as-torchrl", test_parts_as_torchrl);
  g_test_add_func ("/transforms/chain/every-place", test_every_place);
  g_test_add_func ("/transforms/chain/every-slice", test_every_slice);
  g_test_add_func ("/transforms/chain/one-parent", test_one_parent);
  g_test_add_func ("/transforms/chain/order", test_order);
  g_test_add_func ("/transforms/chain/says-what-changes-reads", test_changes_reads);
  g_test_add_func ("/transforms/chain/failures-name-the-transform",
                   test_failures_name_the_transform);

  return g_test_run ();
}
