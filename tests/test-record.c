/* C structs described by a table, as typed tensordicts and back. */
#include "small-tensordicts.h"

#include <string.h>

/* TorchRL's PromptData. */
typedef struct
{
  ReelTensor *input_ids, *attention_mask, *prompt_rindex, *labels, *logits, *loss;
} PromptData;

#define TOKENS .dtype = REEL_DTYPE_INT64, .ndim = 1, .shape = { REEL_FIELD_ANY }

static const ReelField prompt_fields[] = {
  REEL_FIELD (PromptData, input_ids, TOKENS),
  REEL_FIELD (PromptData, attention_mask, TOKENS),
  REEL_FIELD (PromptData, prompt_rindex, .dtype = REEL_DTYPE_INT64),
  REEL_FIELD (PromptData, labels, TOKENS, .optional = TRUE),
  REEL_FIELD (PromptData, logits, .dtype = REEL_DTYPE_FLOAT32, .ndim = 2,
              .shape = { REEL_FIELD_ANY, 5 }, .optional = TRUE),
  REEL_FIELD (PromptData, loss, .dtype = REEL_DTYPE_FLOAT32, .ndim = REEL_FIELD_ANY,
              .optional = TRUE),
};
static const ReelRecordType prompt_type =
    REEL_RECORD_TYPE ("torchrl.data.llm.prompt.PromptData", PromptData, prompt_fields);

/* A record of every kind of field. */
typedef struct
{
  ReelTensor *images;
  PromptData *prompt, *more;
  ReelNonTensor *text;
  ReelTensordict *extra;
} Item;

static const ReelField item_fields[] = {
  REEL_FIELD (Item, images, .dtype = REEL_DTYPE_UINT8, .ndim = 2, .shape = { 3, 4 }),
  REEL_FIELD (Item, prompt, .kind = REEL_FIELD_RECORD, .record = &prompt_type),
  REEL_FIELD (Item, more, .kind = REEL_FIELD_RECORD, .record = &prompt_type, .optional = TRUE),
  REEL_FIELD (Item, text, .kind = REEL_FIELD_NON_TENSOR, .optional = TRUE),
  REEL_FIELD (Item, extra, .kind = REEL_FIELD_TENSORDICT, .optional = TRUE),
};
static const ReelRecordType item_type = REEL_RECORD_TYPE ("golden.Item", Item, item_fields);

static const gint64 shape[] = { 2, 3, 4 };

static ReelTensor *
new_tensor (ReelDtype dtype, gint ndim)
{
  return reel_tensor_new (dtype, ndim, shape, NULL);
}

static PromptData
new_prompt (void)
{
  return (PromptData){ .input_ids = new_tensor (REEL_DTYPE_INT64, 2),
                       .attention_mask = new_tensor (REEL_DTYPE_INT64, 2),
                       .prompt_rindex = new_tensor (REEL_DTYPE_INT64, 1) };
}

static Item
new_item (void)
{
  PromptData *prompt = g_new (PromptData, 1);

  *prompt = new_prompt ();
  return (Item){ .images = new_tensor (REEL_DTYPE_UINT8, 3),
                 .prompt = prompt,
                 .text = reel_non_tensor_new (g_variant_new_string ("hi"), 1, shape, NULL),
                 .extra = reel_tensordict_new (1, shape) };
}

static gboolean
is_zero (gconstpointer record, gsize size)
{
  const guint8 *bytes = record;

  for (gsize i = 0; i < size; i++)
    if (bytes[i])
      return FALSE;
  return TRUE;
}

/* ---- there and back ---- */

static void
test_columns_are_shared_both_ways (void)
{
  PromptData record = new_prompt (), back;

  record.labels = reel_tensor_ref (record.input_ids);
  g_autoptr (ReelTensordict) td = reel_record_to_tensordict (&prompt_type, &record, 1, shape, NULL);
  assert_batch_size (td, 1, shape);
  assert_leaves (td, "input_ids attention_mask prompt_rindex labels");
  g_assert_cmpstr (reel_tensordict_get_class_name (td), ==, "torchrl.data.llm.prompt.PromptData");
  g_assert_true (reel_tensordict_get_tensor (td, "input_ids", NULL) == record.input_ids);
  g_assert_true (reel_record_from_tensordict (&prompt_type, td, &back, NULL));
  g_assert_cmpmem (&back, sizeof back, &record, sizeof record);
  reel_record_clear (&prompt_type, &record);
  reel_record_clear (&prompt_type, &back);
  g_assert_true (is_zero (&back, sizeof back));
}

static void
test_every_kind_of_field (void)
{
  Item record = new_item (), back;

  g_autoptr (ReelTensordict) td = reel_record_to_tensordict (&item_type, &record, 1, shape, NULL);
  g_assert_cmpstr (
      reel_tensordict_get_class_name (reel_tensordict_get_tensordict (td, "prompt", NULL)), ==,
      prompt_type.name);
  g_assert_true (reel_record_from_tensordict (&item_type, td, &back, NULL));
  g_assert_true (back.images == record.images);
  g_assert_true (back.text == record.text);
  g_assert_true (back.extra == record.extra);
  g_assert_null (back.more);
  g_assert_true (back.prompt != record.prompt);
  g_assert_cmpmem (back.prompt, sizeof *back.prompt, record.prompt, sizeof *record.prompt);
  reel_record_clear (&item_type, &record);
  reel_record_clear (&item_type, &back);
}

/* A row of it, and one without class. */
static void
test_views_are_records_too (void)
{
  Item record = new_item (), back;
  g_autoptr (ReelTensordict) td = reel_record_to_tensordict (&item_type, &record, 1, shape, NULL);
  g_autoptr (ReelTensordict) row = reel_tensordict_select_index (td, 0, 1, NULL);

  g_assert_true (reel_record_from_tensordict (&item_type, row, &back, NULL));
  g_assert_cmpint (back.prompt->input_ids->ndim, ==, 1);
  reel_record_clear (&item_type, &back);
  reel_tensordict_set_class (row, NULL, NULL, NULL);
  g_assert_true (reel_record_from_tensordict (&item_type, row, &back, NULL));
  reel_record_clear (&item_type, &back);
  reel_tensordict_set_class (row, "elsewhere.Item", reel_tensordict_get_class_fields (td), NULL);
  g_assert_true (reel_record_from_tensordict (&item_type, row, &back, NULL));
  reel_record_clear (&item_type, &back);
  reel_record_clear (&item_type, &record);
}

/* Printed by tensordict 0.14.3 of the same tensorclass. */
/* clang-format off */
#define TENSOR(size, dtype) \
  "Tensor(shape=torch.Size([" size "]), device=cpu, dtype=torch." dtype ", is_shared=False),\n"

static const char printed[] =
  "Item(\n"
  "    images=" TENSOR ("2, 3, 4", "uint8")
  "    prompt=PromptData(\n"
  "        attention_mask=" TENSOR ("2, 3", "int64")
  "        input_ids=" TENSOR ("2, 3", "int64")
  "        logits=" TENSOR ("2, 3, 5", "float32")
  "        loss=" TENSOR ("2", "float32")
  "        prompt_rindex=" TENSOR ("2", "int64")
  "        labels=None,\n"
  "        batch_size=torch.Size([2]),\n"
  "        device=None,\n"
  "        is_shared=False),\n"
  "    text=NonTensorData(data=hi, batch_size=torch.Size([2]), device=None),\n"
  "    extra=None,\n"
  "    more=None,\n"
  "    batch_size=torch.Size([2]),\n"
  "    device=None,\n"
  "    is_shared=False)";
/* clang-format on */

static void
test_it_prints_as_in_python (void)
{
  Item record = new_item ();

  g_clear_pointer (&record.extra, reel_tensordict_unref);
  record.prompt->logits = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, (gint64[]){ 2, 3, 5 }, NULL);
  record.prompt->loss = new_tensor (REEL_DTYPE_FLOAT32, 1);
  g_autoptr (ReelTensordict) td = reel_record_to_tensordict (&item_type, &record, 1, shape, NULL);
  g_autofree char *text = reel_tensordict_to_string (td);
  g_assert_cmpstr (text, ==, printed);
  reel_record_clear (&item_type, &record);
}

/* ---- what is refused ---- */

static void
assert_refused (ReelTensordict *td, ReelError code, const char *message)
{
  Item record;
  GError *error = NULL;

  memset (&record, 0xA5, sizeof record);
  g_assert_false (reel_record_from_tensordict (&item_type, td, &record, &error));
  assert_message (&error, code, message);
  g_assert_true (is_zero (&record, sizeof record));
}

/* A tensordict of an Item, without its class. */
static ReelTensordict *
new_plain (void)
{
  Item record = new_item ();
  ReelTensordict *td = reel_record_to_tensordict (&item_type, &record, 1, shape, NULL);

  reel_tensordict_set_class (td, NULL, NULL, NULL);
  reel_tensordict_set_class (reel_tensordict_get_tensordict (td, "prompt", NULL), NULL, NULL, NULL);
  reel_record_clear (&item_type, &record);
  return td;
}

static void
test_fields_are_checked (void)
{
  g_autoptr (ReelTensordict) td = new_plain ();
  g_autoptr (ReelTensor) pixels = reel_tensordict_pop_tensor (td, "images", NULL);

  assert_refused (td, REEL_ERROR_KEY, "the field \"images\" of Item is missing");
  set_counting (td, "images", 3, shape);
  assert_refused (td, REEL_ERROR_TYPE, "the field \"images\" of Item is of dtype int64, not uint8");
  g_autoptr (ReelTensor) flat = reel_tensor_view (pixels, 2, (gint64[]){ 2, 12 }, NULL);
  reel_tensordict_set_tensor (td, "images", flat, NULL);
  assert_refused (td, REEL_ERROR_VALUE,
                  "the field \"images\" of Item is of shape [12] after the batch, not [3, 4]");
  g_autoptr (ReelTensor) turned = reel_tensor_transpose (pixels, 1, 2, NULL);
  reel_tensordict_set_tensor (td, "images", turned, NULL);
  assert_refused (td, REEL_ERROR_VALUE,
                  "the field \"images\" of Item is of shape [4, 3] after the batch, not [3, 4]");
  reel_tensordict_set_tensor (td, "images", pixels, NULL);
  set_counting (td, "text", 1, shape);
  assert_refused (td, REEL_ERROR_TYPE, "the field \"text\" of Item is a tensor, not a non-tensor");
  reel_tensordict_remove (td, "text", NULL);
  set_counting (td, "more", 1, shape);
  assert_refused (td, REEL_ERROR_TYPE, "the field \"more\" of Item is a tensor, not a record");
}

static void
test_nested_fields_are_checked (void)
{
  g_autoptr (ReelTensordict) td = new_plain ();

  set_counting (td, "prompt/labels", 1, shape);
  assert_refused (td, REEL_ERROR_VALUE,
                  "the field \"labels\" of PromptData is of shape [] after the batch, not [*]");
  reel_tensordict_remove (td, "prompt/labels", NULL);
  reel_tensordict_remove (td, "prompt/input_ids", NULL);
  assert_refused (td, REEL_ERROR_KEY, "the field \"input_ids\" of PromptData is missing");
  set_counting (td, "prompt/ids", 2, shape);
  assert_refused (td, REEL_ERROR_KEY,
                  "PromptData has no field \"ids\": its fields are {'input_ids', 'attention_mask', "
                  "'prompt_rindex', 'labels', 'logits', 'loss'}");
}

static void
test_unknown_keys_and_other_classes (void)
{
  static const char *const fields[] = {
    "images", "prompt", "more", "text", "extra", "unknown", NULL
  };
  g_autoptr (ReelTensordict) td = new_plain ();

  reel_tensordict_set_class (td, "golden.Other", fields, NULL);
  assert_refused (td, REEL_ERROR_TYPE, "the tensordict is a golden.Other, not a golden.Item");
  reel_tensordict_set_class (td, NULL, NULL, NULL);
  set_counting (td, "unknown", 1, shape);
  assert_refused (td, REEL_ERROR_KEY,
                  "Item has no field \"unknown\": its fields are {'images', 'prompt', 'more', "
                  "'text', 'extra'}");
}

static void
assert_no_tensordict (const PromptData *record, gint ndim, ReelError code, const char *message)
{
  GError *error = NULL;

  g_assert_null (reel_record_to_tensordict (&prompt_type, record, ndim, shape, &error));
  assert_message (&error, code, message);
}

static void
test_structs_are_checked (void)
{
  PromptData record = new_prompt ();
  GError *error = NULL;

  assert_no_tensordict (&record, 2, REEL_ERROR_VALUE,
                        "the field \"input_ids\" of PromptData is of shape [] after the batch, not "
                        "[*]");
  record.logits = new_tensor (REEL_DTYPE_FLOAT32, 3);
  assert_no_tensordict (&record, 1, REEL_ERROR_VALUE,
                        "the field \"logits\" of PromptData is of shape [3, 4] after the batch, "
                        "not [*, 5]");
  reel_tensor_unref (record.attention_mask);
  record.attention_mask = new_tensor (REEL_DTYPE_INT32, 2);
  assert_no_tensordict (&record, 1, REEL_ERROR_TYPE,
                        "the field \"attention_mask\" of PromptData is of dtype int32, not int64");
  g_clear_pointer (&record.attention_mask, reel_tensor_unref);
  assert_no_tensordict (&record, 1, REEL_ERROR_KEY,
                        "the field \"attention_mask\" of PromptData is missing");
  g_assert_null (reel_record_to_tensordict (&prompt_type, &record, 1, (gint64[]){ 7 }, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "batch dimension mismatch, got self.batch_size=torch.Size([7]) and "
                  "value.shape=torch.Size([2, 3]) for key \"input_ids\"");
  g_assert_null (reel_record_to_tensordict (&prompt_type, &record, 1, (gint64[]){ -1 }, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  reel_record_clear (&prompt_type, &record);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/record/columns-are-shared-both-ways", test_columns_are_shared_both_ways);
  g_test_add_func ("/core/record/every-kind-of-field", test_every_kind_of_field);
  g_test_add_func ("/core/record/views-are-records-too", test_views_are_records_too);
  g_test_add_func ("/core/record/it-prints-as-in-python", test_it_prints_as_in_python);
  g_test_add_func ("/core/record/fields-are-checked", test_fields_are_checked);
  g_test_add_func ("/core/record/nested-fields-are-checked", test_nested_fields_are_checked);
  g_test_add_func ("/core/record/unknown-keys-and-other-classes",
                   test_unknown_keys_and_other_classes);
  g_test_add_func ("/core/record/structs-are-checked", test_structs_are_checked);

  return g_test_run ();
}
