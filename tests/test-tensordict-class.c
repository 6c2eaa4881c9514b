/* Tensordicts of a class: what TorchRL calls tensorclasses. */
#include "small-tensordicts.h"

static const char *const fields[] = { "x", "x1", "x_", "b", "a", NULL };

/* A(x=…, x1=…, x_=…, b=TensorDict(q=…)) of batch size [2]. */
static ReelTensordict *
new_record (void)
{
  const gint64 shape[] = { 2 };
  ReelTensordict *td = reel_tensordict_new (1, shape);

  set_counting (td, "x", 1, shape);
  set_counting (td, "x1", 1, shape);
  set_counting (td, "x_", 1, shape);
  set_counting (td, "b/q", 1, shape);
  g_assert_true (reel_tensordict_set_class (td, "some.module.A", fields, NULL));
  return td;
}

static void
test_it_has_a_name_and_fields (void)
{
  g_autoptr (ReelTensordict) td = new_record ();

  g_assert_cmpstr (reel_tensordict_get_class_name (td), ==, "some.module.A");
  g_assert_cmpuint (g_strv_length ((char **) reel_tensordict_get_class_fields (td)), ==, 5);
  g_assert_null (reel_tensordict_get_class_name (reel_tensordict_get_tensordict (td, "b", NULL)));
  g_assert_true (reel_tensordict_set_class (td, NULL, NULL, NULL));
  g_assert_null (reel_tensordict_get_class_name (td));
  g_assert_null (reel_tensordict_get_class_fields (td));
}

static void
test_it_takes_its_fields_only (void)
{
  const char *expected = "Cannot set the attribute 'q', expected attributes are "
                         "{'x', 'x1', 'x_', 'b', 'a'}.";
  g_autoptr (ReelTensordict) td = new_record ();
  g_autoptr (ReelTensordict) plain = new_example_tensordict ();
  ReelTensor *x = reel_tensordict_get_tensor (td, "x", NULL);
  GError *error = NULL;

  g_assert_false (reel_tensordict_set_tensor (td, "q", x, &error));
  assert_message (&error, REEL_ERROR_KEY, expected);
  g_assert_false (reel_tensordict_set_tensor (td, "q/deep/x", x, &error));
  assert_message (&error, REEL_ERROR_KEY, expected);
  g_assert_true (reel_tensordict_set_tensor (td, "a", x, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "b/more", x, NULL));
  g_assert_false (reel_tensordict_set_class (plain, "m.A", fields, &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "the key \"next\" of the tensordict is not a field of m.A, which has "
                  "{'x', 'x1', 'x_', 'b', 'a'}");
  reel_tensordict_lock (plain);
  g_assert_false (reel_tensordict_set_class (plain, NULL, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
}

static void
test_views_and_copies_are_of_the_class (void)
{
  g_autoptr (ReelTensordict) td = new_record ();
  ReelTensordict *pair[] = { td, td };
  ReelTensordict *parts[] = { reel_tensordict_select_index (td, 0, 1, NULL),
                              reel_tensordict_slice (td, 0, 0, 1, 1, NULL),
                              reel_tensordict_clone (td, TRUE, NULL),
                              reel_tensordict_stack (pair, 2, 0, NULL) };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_assert_cmpstr (reel_tensordict_get_class_name (parts[i]), ==, "some.module.A");
      reel_tensordict_unref (parts[i]);
    }
}

/* Printed by tensordict 0.14.3, but for the fields that are None: it prints them in the order of a
 * hash table. */
static void
test_it_prints_as_in_python (void)
{
  g_autoptr (ReelTensordict) td = new_record ();
  g_autofree char *text = reel_tensordict_to_string (td);
  g_autoptr (ReelTensordict) empty = reel_tensordict_new (0, NULL);

  g_assert_cmpstr (text, ==,
                   "A(\n"
                   "    b=TensorDict(\n"
                   "        fields={\n"
                   "            q: Tensor(shape=torch.Size([2]), device=cpu, dtype=torch.int64, "
                   "is_shared=False)},\n"
                   "        batch_size=torch.Size([2]),\n"
                   "        device=None,\n"
                   "        is_shared=False),\n"
                   "    x1=Tensor(shape=torch.Size([2]), device=cpu, dtype=torch.int64, "
                   "is_shared=False),\n"
                   "    x=Tensor(shape=torch.Size([2]), device=cpu, dtype=torch.int64, "
                   "is_shared=False),\n"
                   "    x_=Tensor(shape=torch.Size([2]), device=cpu, dtype=torch.int64, "
                   "is_shared=False),\n"
                   "    a=None,\n"
                   "    batch_size=torch.Size([2]),\n"
                   "    device=None,\n"
                   "    is_shared=False)");
  reel_tensordict_set_class (empty, "A", (const char *[]){ "x", "b", NULL }, NULL);
  g_autofree char *lone = reel_tensordict_to_string (empty);
  g_assert_cmpstr (lone, ==,
                   "A(\n"
                   ",\n"
                   "    b=None,\n"
                   "    x=None,\n"
                   "    batch_size=torch.Size([]),\n"
                   "    device=None,\n"
                   "    is_shared=False)");
}

static void
test_nested_records_print_in_their_level (void)
{
  const gint64 shape[] = { 2 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) record = reel_tensordict_new (1, shape);

  set_counting (record, "x", 1, shape);
  reel_tensordict_set_class (record, "m.A", (const char *[]){ "x", "y", NULL }, NULL);
  reel_tensordict_set_tensordict (td, "q", record, NULL);
  g_autofree char *text = reel_tensordict_to_string (td);
  g_assert_cmpstr (text, ==,
                   "TensorDict(\n"
                   "    fields={\n"
                   "        q: A(\n"
                   "            x=Tensor(shape=torch.Size([2]), device=cpu, dtype=torch.int64, "
                   "is_shared=False),\n"
                   "            y=None,\n"
                   "            batch_size=torch.Size([2]),\n"
                   "            device=None,\n"
                   "            is_shared=False)},\n"
                   "    batch_size=torch.Size([2]),\n"
                   "    device=None,\n"
                   "    is_shared=False)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict-class/it-has-a-name-and-fields",
                   test_it_has_a_name_and_fields);
  g_test_add_func ("/core/tensordict-class/it-takes-its-fields-only",
                   test_it_takes_its_fields_only);
  g_test_add_func ("/core/tensordict-class/views-and-copies-are-of-the-class",
                   test_views_and_copies_are_of_the_class);
  g_test_add_func ("/core/tensordict-class/it-prints-as-in-python", test_it_prints_as_in_python);
  g_test_add_func ("/core/tensordict-class/nested-records-print-in-their-level",
                   test_nested_records_print_in_their_level);

  return g_test_run ();
}
