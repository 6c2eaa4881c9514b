/* Tensors lent and borrowed by the structs of DLPack. */
#include "../src/core/formats/dlpack-abi.h"
#include "../src/reel.h"
#include "small-tensors.h"

#include <math.h>

/* Memory that counts itself in @live, so that one sees when it goes. */
static void
count_down (gpointer user_data)
{
  --*(gint *) user_data;
}

static ReelTensor *
new_counted (gint *live, ReelDtype dtype, gint ndim, const gint64 *shape, const gint64 *strides)
{
  static gint64 bytes[64];
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, bytes, sizeof bytes, count_down, live);

  ++*live;
  return reel_tensor_new_from_memory (memory, 256, dtype, ndim, shape, strides, NULL);
}

/* ---- there and back ---- */

static void
assert_same_view (const ReelTensor *a, const ReelTensor *b)
{
  g_assert_cmpint (a->dtype, ==, b->dtype);
  g_assert_cmpint (a->ndim, ==, b->ndim);
  for (gint i = 0; i < a->ndim; i++)
    {
      g_assert_cmpint (a->shape[i], ==, b->shape[i]);
      if (a->shape[i] > 1 && reel_tensor_numel (a) > 0)
        g_assert_cmpint (a->strides[i], ==, b->strides[i]);
    }
  if (reel_tensor_numel (a) > 0)
    g_assert_true (a->data == b->data);
}

static void
check_round_trip (ReelTensor *tensor)
{
  struct DLManagedTensor *plain = reel_tensor_to_dlpack (tensor, NULL);
  g_autoptr (ReelTensor) back = reel_tensor_from_dlpack (plain, NULL);
  struct DLManagedTensorVersioned *versioned = reel_tensor_to_dlpack_versioned (tensor, NULL);
  g_autoptr (ReelTensor) versioned_back = reel_tensor_from_dlpack_versioned (versioned, NULL);

  assert_same_view (back, tensor);
  assert_same_view (versioned_back, tensor);
}

static void
check_strided (ReelTensor *tensor)
{
  for_each_strided (tensor, check_round_trip);
}

static void
test_round_trip (void)
{
  for_each_tensor (check_strided);
}

/* Strides that go backwards, and that stay. */
static void
test_odd_strides (void)
{
  const gint64 shape[2] = { 3, 4 };
  const gint64 strides[][2] = { { -16, 4 }, { 16, -4 }, { -16, -4 }, { 0, 4 }, { 0, 0 } };
  gint live = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (strides); i++)
    {
      g_autoptr (ReelTensor) tensor = new_counted (&live, REEL_DTYPE_FLOAT32, 2, shape, strides[i]);
      check_round_trip (tensor);
    }
  g_assert_cmpint (live, ==, 0);
}

/* ---- what a consumer sees ---- */

static void
test_types (void)
{
  const struct
  {
    const char *name;
    guint8 code, bits;
  } expected[] = {
    { "bool", 6, 8 },     { "uint8", 1, 8 },      { "int8", 0, 8 },       { "int16", 0, 16 },
    { "int32", 0, 32 },   { "int64", 0, 64 },     { "uint16", 1, 16 },    { "uint32", 1, 32 },
    { "uint64", 1, 64 },  { "float16", 2, 16 },   { "bfloat16", 4, 16 },  { "float32", 2, 32 },
    { "float64", 2, 64 }, { "complex32", 5, 32 }, { "complex64", 5, 64 }, { "complex128", 5, 128 },
  };
  const gint64 shape[1] = { 2 };

  g_assert_cmpint (G_N_ELEMENTS (expected), ==, REEL_N_DTYPES);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      ReelDtype dtype;
      g_assert_true (reel_dtype_from_name (expected[i].name, &dtype, NULL));
      g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, 1, shape, NULL);
      struct DLManagedTensor *managed = reel_tensor_to_dlpack (tensor, NULL);
      DLDataType type = managed->dl_tensor.dtype;
      g_assert_cmpint (type.code, ==, expected[i].code);
      g_assert_cmpint (type.bits, ==, expected[i].bits);
      g_assert_cmpint (type.lanes, ==, 1);
      managed->deleter (managed);
      check_round_trip (tensor);
    }
}

static void
test_fields (void)
{
  const gint64 shape[3] = { 2, 1, 3 }, strides[3] = { 48, 7, 8 };
  gint live = 0;
  g_autoptr (ReelTensor) tensor = new_counted (&live, REEL_DTYPE_INT32, 3, shape, strides);
  struct DLManagedTensorVersioned *managed = reel_tensor_to_dlpack_versioned (tensor, NULL);
  const DLTensor *seen = &managed->dl_tensor;

  g_assert_cmpint (managed->version.major, ==, 1);
  g_assert_cmpint (managed->flags, ==, 0);
  g_assert_true (seen->data == tensor->data);
  g_assert_cmpint (seen->byte_offset, ==, 0);
  g_assert_cmpint (seen->device.device_type, ==, 1);
  g_assert_cmpint (seen->device.device_id, ==, 0);
  g_assert_cmpint (seen->ndim, ==, 3);
  g_assert_cmpmem (seen->shape, 3 * sizeof (gint64), shape, sizeof shape);
  g_assert_cmpint (seen->strides[0], ==, 12);
  g_assert_cmpint (seen->strides[2], ==, 2);
  managed->deleter (managed);
}

static void
test_without_elements (void)
{
  const gint64 shape[2] = { 0, 3 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  struct DLManagedTensor *managed = reel_tensor_to_dlpack (tensor, NULL);

  g_assert_null (managed->dl_tensor.data);
  g_assert_nonnull (managed->dl_tensor.strides);
  g_autoptr (ReelTensor) back = reel_tensor_from_dlpack (managed, NULL);
  g_assert_true (reel_tensor_equal (back, tensor));
}

/* ---- lifetime ---- */

static void
test_loan_outlives_tensor (void)
{
  const gint64 shape[1] = { 3 };
  gint live = 0;
  ReelTensor *tensor = new_counted (&live, REEL_DTYPE_INT64, 1, shape, NULL);
  struct DLManagedTensor *plain = reel_tensor_to_dlpack (tensor, NULL);
  struct DLManagedTensorVersioned *versioned = reel_tensor_to_dlpack_versioned (tensor, NULL);

  ((gint64 *) tensor->data)[2] = 42;
  reel_tensor_unref (tensor);
  g_assert_cmpint (live, ==, 1);
  g_assert_cmpint (((gint64 *) plain->dl_tensor.data)[2], ==, 42);
  plain->deleter (plain);
  g_assert_cmpint (live, ==, 1);
  versioned->deleter (versioned);
  g_assert_cmpint (live, ==, 0);
}

static void
test_views_keep_producer (void)
{
  const gint64 shape[2] = { 3, 2 };
  gint live = 0;
  ReelTensor *tensor = new_counted (&live, REEL_DTYPE_INT64, 2, shape, NULL);
  struct DLManagedTensor *managed = reel_tensor_to_dlpack (tensor, NULL);

  reel_tensor_unref (tensor);
  ReelTensor *borrowed = reel_tensor_from_dlpack (managed, NULL);
  ReelTensor *view = reel_tensor_select (borrowed, 0, 1, NULL);
  reel_tensor_unref (borrowed);
  g_assert_cmpint (live, ==, 1);
  reel_tensor_unref (view);
  g_assert_cmpint (live, ==, 0);
}

/* ---- memory that may only be read ---- */

static void
test_read_only (void)
{
  const gint64 shape[1] = { 3 };
  gint live = 0;
  GError *error = NULL;
  g_autoptr (ReelTensor) tensor = new_counted (&live, REEL_DTYPE_INT64, 1, shape, NULL);

  reel_memory_set_read_only (tensor->memory);
  g_assert_null (reel_tensor_to_dlpack (tensor, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  struct DLManagedTensorVersioned *managed = reel_tensor_to_dlpack_versioned (tensor, NULL);
  g_assert_cmpint (managed->flags, ==, DLPACK_FLAG_BITMASK_READ_ONLY);
  g_autoptr (ReelTensor) borrowed = reel_tensor_from_dlpack_versioned (managed, NULL);
  g_assert_true (reel_memory_is_read_only (borrowed->memory));
  g_assert_false (reel_tensor_copy (borrowed, tensor, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
}

/* ---- foreign producers ---- */

static gint64 numbers[6] = { 0, 1, 2, 3, 4, 5 };

typedef struct
{
  struct DLManagedTensor managed;
  gint64 shape[2];
  gint64 strides[2];
  gint ends;
} Producer;

static void
end_producer (struct DLManagedTensor *self)
{
  ((Producer *) self->manager_ctx)->ends++;
}

static void
producer_init (Producer *self)
{
  *self = (Producer){
    .managed = { .dl_tensor = { .data = numbers,
                                .device = { kDLCPU, 0 },
                                .ndim = 2,
                                .dtype = { kDLInt, 64, 1 } },
                 .manager_ctx = self,
                 .deleter = end_producer },
    .shape = { 2, 3 },
    .strides = { 3, 1 },
  };
  self->managed.dl_tensor.shape = self->shape;
  self->managed.dl_tensor.strides = self->strides;
}

static void
test_old_producer (void)
{
  Producer producer;

  producer_init (&producer);
  producer.managed.dl_tensor.strides = NULL;
  producer.managed.dl_tensor.byte_offset = 24;
  producer.shape[0] = 1;
  ReelTensor *tensor = reel_tensor_from_dlpack (&producer.managed, NULL);
  g_assert_true (reel_tensor_is_contiguous (tensor));
  g_assert_true (tensor->data == (guint8 *) &numbers[3]);
  reel_tensor_unref (tensor);
  g_assert_cmpint (producer.ends, ==, 1);

  producer.managed.deleter = NULL;
  reel_tensor_unref (reel_tensor_from_dlpack (&producer.managed, NULL));
}

static void
assert_refused (Producer *producer, gint code, const char *message)
{
  GError *error = NULL;

  g_assert_null (reel_tensor_from_dlpack (&producer->managed, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
  g_clear_error (&error);
  g_assert_cmpint (producer->ends, ==, 0);
}

static void
test_refused_producers (void)
{
  Producer producer;

  producer_init (&producer);
  producer.managed.dl_tensor.device = (DLDevice){ 2, 1 };
  assert_refused (&producer, REEL_ERROR_VALUE,
                  "a DLPack tensor on device 2:1 is not in the CPU's memory, device 1");
  producer_init (&producer);
  producer.managed.dl_tensor.dtype = (DLDataType){ 2, 8, 1 };
  assert_refused (&producer, REEL_ERROR_TYPE,
                  "a DLPack type of code 2, 8 bits and 1 lanes has no counterpart");
  producer_init (&producer);
  producer.managed.dl_tensor.dtype.lanes = 4;
  assert_refused (&producer, REEL_ERROR_TYPE,
                  "a DLPack type of code 0, 64 bits and 4 lanes has no counterpart");
  producer_init (&producer);
  producer.managed.dl_tensor.ndim = 17;
  assert_refused (&producer, REEL_ERROR_VALUE, "a tensor may have 0 to 16 dimensions, not 17");
  producer_init (&producer);
  producer.shape[1] = -1;
  assert_refused (&producer, REEL_ERROR_VALUE, "a tensor of shape [2, -1] has a negative extent");
}

static void
test_unused_stride (void)
{
  Producer producer;

  producer_init (&producer);
  producer.shape[0] = 1;
  producer.strides[0] = G_MAXINT64;
  g_autoptr (ReelTensor) tensor = reel_tensor_from_dlpack (&producer.managed, NULL);
  g_assert_true (reel_tensor_is_contiguous (tensor));
}

/* Each stride alone, the way over one dimension, and that over both. */
static void
test_far_strides (void)
{
  const gint64 strides[][2] = {
    { G_MAXINT64, 1 },
    { G_MININT64, 1 },
    { G_MAXINT64 / 8, G_MAXINT64 / 8 },
    { G_MININT64 / 8, G_MAXINT64 / 8 },
  };
  Producer producer;

  for (gsize i = 0; i < G_N_ELEMENTS (strides); i++)
    {
      producer_init (&producer);
      producer.strides[0] = strides[i][0];
      producer.strides[1] = strides[i][1];
      assert_refused (&producer, REEL_ERROR_VALUE,
                      "the strides of a DLPack tensor of shape [2, 3] reach further than 2^63 - 1 "
                      "bytes");
    }
}

static void
test_other_major (void)
{
  struct DLManagedTensorVersioned managed = { .version = { 2, 5 } };
  GError *error = NULL;

  g_assert_null (reel_tensor_from_dlpack_versioned (&managed, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "a tensor of DLPack 2.5, not 1");
  g_clear_error (&error);
}

/* ---- rows of records ---- */

static void
test_records (void)
{
  const gint64 shape[1] = { 3 };
  const gint64 stride = 66;
  gint live = 0;
  GError *error = NULL;
  g_autoptr (ReelTensor) floats = new_counted (&live, REEL_DTYPE_FLOAT32, 1, shape, &stride);
  g_autoptr (ReelTensor) flags = new_counted (&live, REEL_DTYPE_BOOL, 1, shape, &stride);
  g_autoptr (ReelTensor) askew =
      reel_tensor_new_from_memory (floats->memory, 3, REEL_DTYPE_FLOAT32, 1, shape, NULL, NULL);

  g_assert_null (reel_tensor_to_dlpack (floats, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==,
                   "a stride is 66 bytes, no multiple of the 4 bytes of a float32: copy it "
                   "first");
  g_clear_error (&error);
  g_assert_null (reel_tensor_to_dlpack_versioned (askew, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  check_round_trip (flags);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/core/dlpack/there-and-back", test_round_trip);
  g_test_add_func ("/core/dlpack/odd-strides", test_odd_strides);
  g_test_add_func ("/core/dlpack/every-dtype", test_types);
  g_test_add_func ("/core/dlpack/what-a-consumer-sees", test_fields);
  g_test_add_func ("/core/dlpack/without-elements", test_without_elements);
  g_test_add_func ("/core/dlpack/loans-outlive-the-tensor", test_loan_outlives_tensor);
  g_test_add_func ("/core/dlpack/views-keep-the-producer", test_views_keep_producer);
  g_test_add_func ("/core/dlpack/read-only", test_read_only);
  g_test_add_func ("/core/dlpack/producers-before-1.2", test_old_producer);
  g_test_add_func ("/core/dlpack/producers-that-are-refused", test_refused_producers);
  g_test_add_func ("/core/dlpack/strides-that-no-one-steps", test_unused_stride);
  g_test_add_func ("/core/dlpack/strides-that-reach-too-far", test_far_strides);
  g_test_add_func ("/core/dlpack/another-major-version", test_other_major);
  g_test_add_func ("/core/dlpack/rows-of-records", test_records);

  return g_test_run ();
}
