/* The steps of an episode of Open X-Embodiment, column by column, whatever file they are from.
 * Private to the library. */
#pragma once

#include "../core/formats/pickle-tree.h"
#include "../core/formats/tf-example.h"

G_BEGIN_DECLS

/**
 * ReelOpenxKind:
 * @REEL_OPENX_ELEMENTS: numbers or bools
 * @REEL_OPENX_TEXT: a string a step
 * @REEL_OPENX_IMAGE: an image a step, as its file
 *
 * The content of a column.
 */
typedef enum
{
  REEL_OPENX_ELEMENTS,
  REEL_OPENX_TEXT,
  REEL_OPENX_IMAGE,
} ReelOpenxKind;

/**
 * ReelOpenxColumn:
 * @kind: what it contains
 * @info: its name, keys joined by `/`; its type; its shape, the steps first; only the number of
 *   steps for texts and images
 * @elements: those of all steps
 * @texts: (element-type utf8): or the strings
 * @images: (element-type ReelTfBytes): or the files, in memory that must stay
 *
 * A value of every step.
 */
typedef struct
{
  ReelOpenxKind kind;
  ReelArrayInfo info;
  GByteArray *elements;
  GPtrArray *texts;
  GArray *images;
} ReelOpenxColumn;

/**
 * ReelOpenxSteps:
 * @n: steps
 * @columns: (element-type ReelOpenxColumn): in the order of the first step
 * @by_name: the same, by name
 * @source: (nullable): a pickle's values, which images may be parts of
 *
 * The steps of an episode.
 */
typedef struct
{
  gint64 n;
  GPtrArray *columns;
  GHashTable *by_name;
  ReelPickleItem *source;
} ReelOpenxSteps;

/**
 * reel_openx_steps_new:
 *
 * Returns: (transfer full): no steps
 */
ReelOpenxSteps *reel_openx_steps_new (void);

/**
 * reel_openx_steps_free:
 * @self: (nullable) (transfer full): steps
 */
void reel_openx_steps_free (ReelOpenxSteps *self);

/**
 * reel_openx_steps_find:
 * @self: steps
 * @name: of a column
 *
 * Returns: (transfer none) (nullable): that column
 */
const ReelOpenxColumn *reel_openx_steps_find (const ReelOpenxSteps *self, const char *name);

/**
 * reel_openx_steps_add:
 * @self: steps
 * @name: of a column
 * @dtype: type of the elements
 * @ndim: dimensions of a step
 * @shape: (array length=ndim): its extents
 * @elements: those of the next step
 * @error: DAMAGED where they are not as those of the steps before, or the step has two of the name
 *
 * Adds a value to a step that reel_openx_steps_end_step() ends.
 *
 * Returns: whether it was added
 */
gboolean reel_openx_steps_add (ReelOpenxSteps *self, const char *name, ReelDtype dtype, gint ndim,
                               const gint64 *shape, gconstpointer elements, GError **error);

/**
 * reel_openx_steps_add_text:
 * @self: steps
 * @name: of a column
 * @text: (array length=length): a string
 * @length: its bytes
 * @error: as reel_openx_steps_add(), and DAMAGED where it is no UTF-8
 *
 * Returns: whether it was added
 */
gboolean reel_openx_steps_add_text (ReelOpenxSteps *self, const char *name, const char *text,
                                    gsize length, GError **error);

/**
 * reel_openx_steps_add_image:
 * @self: steps
 * @name: of a column
 * @file: (array length=length): an image file, which must stay
 * @length: its bytes
 * @error: as reel_openx_steps_add()
 *
 * Returns: whether it was added
 */
gboolean reel_openx_steps_add_image (ReelOpenxSteps *self, const char *name, const guint8 *file,
                                     gsize length, GError **error);

/**
 * reel_openx_steps_end_step:
 * @self: steps
 * @error: DAMAGED naming a column that the step lacks
 *
 * Returns: whether the step has all columns
 */
gboolean reel_openx_steps_end_step (ReelOpenxSteps *self, GError **error);

/* ---- their sources: openx-pickle.c, openx-example.c ---- */

/**
 * reel_openx_steps_read_pickle:
 * @data: (array length=length): a pickled dict with a list `steps` of dicts, which must outlive
 *   the steps
 * @length: its bytes
 * @error: as reel_pickle_read_tree(), and DAMAGED naming step and key
 *
 * Floats become float32, integers int64, lists arrays, dicts with `bytes` images, other dicts
 * names joined by `/`; None is left out.
 *
 * Returns: (transfer full): the steps
 */
ReelOpenxSteps *reel_openx_steps_read_pickle (const guint8 *data, gsize length, GError **error);

/**
 * reel_openx_features_read:
 * @text: (array length=length): a `features.json` of TensorFlow Datasets
 * @length: its bytes
 * @path: of the file, for messages
 * @error: DAMAGED, or NOT_IMPLEMENTED naming a feature that cannot be read
 *
 * Returns: (transfer full): the features of a step, for g_hash_table_unref()
 */
GHashTable *reel_openx_features_read (const char *text, gsize length, const char *path,
                                      GError **error);

/**
 * reel_openx_steps_read_example:
 * @data: (array length=length): an example, which must outlive the steps
 * @length: its bytes
 * @features: what reel_openx_features_read() made
 * @error: as reel_tf_example_read(), and DAMAGED naming the feature
 *
 * Returns: (transfer full): the steps
 */
ReelOpenxSteps *reel_openx_steps_read_example (const guint8 *data, gsize length,
                                               GHashTable *features, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelOpenxSteps, reel_openx_steps_free)

G_END_DECLS
