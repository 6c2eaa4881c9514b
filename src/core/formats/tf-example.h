/* Examples of TensorFlow (its core/example/example.proto and feature.proto), the part of Protocol
 * Buffers that they are made of. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelTfKind:
 * @REEL_TF_NOTHING: a feature without a list
 * @REEL_TF_BYTES: byte strings
 * @REEL_TF_FLOATS: float32
 * @REEL_TF_INTS: int64
 *
 * The list that a feature has.
 */
typedef enum
{
  REEL_TF_NOTHING,
  REEL_TF_BYTES,
  REEL_TF_FLOATS,
  REEL_TF_INTS,
} ReelTfKind;

/**
 * ReelTfBytes:
 * @data: (array length=length): bytes of the example itself
 * @length: how many
 *
 * A byte string.
 */
typedef struct
{
  const guint8 *data;
  gsize length;
} ReelTfBytes;

/**
 * ReelTfFeature:
 * @name: its key, UTF-8 without a zero
 * @kind: its list
 * @values: the elements: #ReelTfBytes, float or gint64
 *
 * A feature of an example.
 */
typedef struct
{
  char *name;
  ReelTfKind kind;
  GArray *values;
} ReelTfFeature;

/**
 * reel_tf_example_read:
 * @data: (array length=length): an example, which must outlive the features
 * @length: its bytes
 * @error: DAMAGED with the place
 *
 * Fields that the messages do not define are skipped; of a key that is there twice the last one
 * counts, as Protocol Buffers have it. Memory is bounded by @length.
 *
 * Returns: (transfer full) (element-type ReelTfFeature): the features, in the order of the example
 */
GArray *reel_tf_example_read (const guint8 *data, gsize length, GError **error);

/**
 * reel_tf_example_find:
 * @features: (element-type ReelTfFeature): those of an example
 * @name: a key
 *
 * Returns: (transfer none) (nullable): the feature of that key
 */
const ReelTfFeature *reel_tf_example_find (const GArray *features, const char *name);

G_END_DECLS
