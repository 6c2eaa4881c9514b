/* The contract of transforms, run over all that are listed. */
#include "contract.h"
#include "make-transform.h"

#include <string.h>

/* ---- data for all ---- */

/* An id with what it must be told, for the data and the specs below. */
static const char *
arguments (const char *id)
{
  static const struct
  {
    const char *id;
    const char *arguments;
  } told[] = {
    { "cat-frames", ":n=3,dim=-1,in-keys=[observation,next/observation]" },
    { "CatFrames", ":n=2,dim=-1,in-keys=[b],out-keys=[c],mask-key=m,as-inverse=true" },
    { "cat-tensors", ":in-keys=[b,a]" },
    { "CatTensors", ":in-keys=[b,a],out-key=a" },
    { "exclude", ":keys=[a]" },
    { "ExcludeTransform", ":keys=[b],inverse=true" },
    { "gray-scale", ":out-keys=[gray]" },
    { "invert", ":transform=(rename:in-keys=a,out-keys=c)" },
    { "random-crop", ":sub-seq-len=3" },
    { "RandomCropTensorDict", ":sub-seq-len=2,sample-dim=-2" },
    { "rename", ":in-keys=[a],out-keys=[c],in-keys-inv=[act],out-keys-inv=[b]" },
    { "RenameTransform", ":in-keys=[a,observation],out-keys=[c,deep/d],create-copy=true" },
    { "resize", ":w=2,h=5" },
    { "Resize", ":w=3,interpolation=area,out-keys=[small]" },
    { "select", ":keys=[a,observation]" },
    { "SelectTransform", ":keys=[b],keep-rewards=false,keep-dones=false" },
    { "to-tensor-image", ":out-keys=[image]" },
    { "ToTensorImage", ":from-int=false,shape-tolerant=true" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (told); i++)
    if (g_str_equal (told[i].id, id))
      return told[i].arguments;
  return "";
}

static ReelTransform *
make (const char *id)
{
  g_autofree char *text = g_strconcat (id, arguments (id), NULL);

  return make_transform (text);
}

/* The same rows, each leaf strided: every second step of twice as many. */
static ReelTensordict *
make_view (void)
{
  g_autoptr (ReelTensordict) data = make_steps ();
  ReelTensordict *both[2] = { data, data };
  g_autoptr (ReelTensordict) stacked = reel_tensordict_stack (both, 2, 2, NULL);

  return reel_tensordict_select_index (stacked, 2, 0, NULL);
}

/* ---- the contract ---- */

static void
test_text_survives (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (transform));
  g_autoptr (ReelTransform) again = make_transform (text);
  g_autofree char *second = reel_object_to_text (REEL_OBJECT (again));

  g_assert_true (g_str_has_prefix (text, id));
  g_assert_cmpstr (text, ==, second);
}

static void
test_prints_a_name (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autofree char *text = reel_transform_to_string (transform);

  g_assert_true (strchr (text, '('));
  g_assert_true (g_str_has_suffix (text, ")"));
  if (g_ascii_isupper (*(const char *) id))
    g_assert_true (g_str_has_prefix (text, id));
}

static void
test_views_do_not_matter (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id), again = make (id);
  g_autoptr (ReelTensordict) data = make_steps (), view = make_view ();
  g_autoptr (ReelTensordict) in_a = inverse (transform, data), in_b = inverse (again, view);
  g_autoptr (ReelTensordict) a = forward (transform, data), b = forward (again, view);

  g_assert_true (reel_tensordict_equal (in_a, in_b));
  g_assert_true (reel_tensordict_equal (a, b));
}

/* Neither the keys nor an element of what is written, and it may be locked. */
static void
test_inverse_leaves_what_it_is_given (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelTensordict) data = make_steps (), before = make_steps ();
  g_autoptr (ReelTensordict) result = NULL;

  reel_tensordict_lock (data);
  result = inverse (transform, data);
  g_assert_true (reel_tensordict_equal (data, before));
  if (!reel_transform_changes_writes (transform))
    g_assert_true (reel_tensordict_equal (result, before));
}

/* Rows that are read may lose and gain keys; their elements belong to the storage. */
static void
test_forward_writes_no_element (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelTensordict) data = make_steps (), before = make_steps ();
  g_autoptr (ReelTensordict) shared = reel_tensordict_clone (data, FALSE, NULL);
  g_autoptr (ReelTensordict) result = forward (transform, shared);

  g_assert_true (reel_tensordict_equal (data, before));
}

static void
test_clones_do_the_same (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelCompose) parent = reel_compose_new ();
  g_autoptr (ReelTransform) clone = NULL;
  g_autoptr (ReelTensordict) data = make_steps (), other = make_steps ();
  g_autoptr (ReelTensordict) in_a = NULL, in_b = NULL, a = NULL, b = NULL;
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (transform)), *copied = NULL;

  reel_transform_set_parent (transform, G_OBJECT (parent), NULL);
  clone = reel_transform_clone (transform, NULL);
  copied = reel_object_to_text (REEL_OBJECT (clone));
  g_assert_cmpstr (text, ==, copied);
  g_assert_null (reel_transform_get_parent (clone));
  in_a = inverse (transform, data);
  in_b = inverse (clone, other);
  g_assert_true (reel_tensordict_equal (in_a, in_b));
  a = forward (transform, data);
  b = forward (clone, other);
  g_assert_true (reel_tensordict_equal (a, b));
  reel_transform_set_parent (transform, NULL, NULL);
}

static void
test_has_one_parent (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelCompose) a = reel_compose_new (), b = reel_compose_new ();

  g_assert_true (reel_compose_insert (a, 0, transform, NULL));
  g_assert_false (reel_compose_insert (b, 0, transform, NULL));
  g_assert_true (reel_transform_get_parent (transform) == G_OBJECT (a));
  g_clear_object (&a);
  g_assert_null (reel_transform_get_parent (transform));
  g_assert_true (reel_compose_insert (b, 0, transform, NULL));
}

/* ---- specs ---- */

/* Observation, reward and flags: what a step of the env gives. */
static ReelTensordict *
zero_outputs (const ReelSpec *spec)
{
  static const char *const parts[] = { "observation", "reward", "done" };
  ReelTensordict *td = reel_tensordict_new (0, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (ReelTensordict) part =
          reel_spec_zero_tensordict (reel_env_spec_get_part (spec, parts[i]), 0, NULL, NULL);
      g_assert_true (reel_tensordict_update (td, part, NULL, FALSE, NULL));
    }
  return td;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static char *
sorted_leaves (const ReelTensordict *td)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);

  qsort (leaves, g_strv_length (leaves), sizeof *leaves, compare);
  return g_strjoinv (" ", leaves);
}

/* The results of a step, through the transform, has the keys and shapes of the specs seen through
 * it; or there is a reason why not. */
static void
test_specs_are_those_of_the_data (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) changed = reel_transform_env_spec (transform, spec, &error);
  static const char *const parts[] = { "observation", "reward", "done" };

  if (!changed)
    {
      g_assert_true (error->domain == REEL_ERROR);
      g_assert_true (error->code == REEL_ERROR_RUNTIME || error->code == REEL_ERROR_VALUE);
      return;
    }
  g_autoptr (ReelTensordict) step = zero_outputs (spec);
  g_autoptr (ReelTensordict) seen = forward (transform, step);
  g_autoptr (ReelTensordict) expected = zero_outputs (changed);
  g_autofree char *found = sorted_leaves (seen), *wanted = sorted_leaves (expected);

  g_assert_cmpstr (found, ==, wanted);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      reel_spec_is_in_tensordict (reel_env_spec_get_part (changed, parts[i]), seen, &error);
      g_assert_no_error (error);
    }
}

static const ContractTest contract[] = {
  { "text-survives", test_text_survives },
  { "prints-a-name", test_prints_a_name },
  { "views-do-not-matter", test_views_do_not_matter },
  { "inverse-leaves-what-it-is-given", test_inverse_leaves_what_it_is_given },
  { "forward-writes-no-element", test_forward_writes_no_element },
  { "clones-do-the-same", test_clones_do_the_same },
  { "has-one-parent", test_has_one_parent },
  { "specs-are-those-of-the-data", test_specs_are_those_of_the_data },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("transforms", REEL_TYPE_TRANSFORM, contract, G_N_ELEMENTS (contract));

  return g_test_run ();
}
