/* What the files of ReelTensordict share; not installed. */
#pragma once

#include "tensordict.h"
#include "tensor-private.h"

G_BEGIN_DECLS

/* One key of one level. Exactly one of tensor and child is set. */
typedef struct
{
  char *key;     /* plain */
  char *escaped; /* as a component of a path; the same pointer as key where nothing is escaped */
  gsize length;  /* of escaped */
  guint hash;    /* of escaped */
  ReelTensor *tensor;
  ReelTensordict *child;
} ReelTensordictEntry;

/**
 * reel_tensordict_new_like:
 * @td: a tensordict
 * @ndim: batch dimensions of the result
 * @batch_size: (array length=ndim): its batch size
 *
 * Returns: (transfer full): an empty, unlocked tensordict on @td's device, without names
 */
ReelTensordict *reel_tensordict_new_like (const ReelTensordict *td, gint ndim,
                                          const gint64 *batch_size);

/**
 * reel_tensordict_get_entry:
 * @td: a tensordict
 * @i: place in insertion order
 *
 * Returns: (transfer none) (nullable): the entry, or %NULL past the last
 */
const ReelTensordictEntry *reel_tensordict_get_entry (const ReelTensordict *td, guint i);

/**
 * reel_tensordict_find:
 * @td: a tensordict
 * @escaped: one component of a path
 * @length: its bytes
 *
 * Returns: (transfer none) (nullable): the entry of that key
 */
const ReelTensordictEntry *reel_tensordict_find (const ReelTensordict *td, const char *escaped,
                                                 gsize length);

/**
 * reel_tensordict_put:
 * @td: an unlocked tensordict
 * @key: a plain key
 * @tensor: (transfer full) (nullable): a tensor that fits the batch size
 * @child: (transfer full) (nullable): or a tensordict that does
 *
 * Sets or replaces the entry of one level, unchecked.
 */
void reel_tensordict_put (ReelTensordict *td, const char *key, ReelTensor *tensor,
                          ReelTensordict *child);

/**
 * reel_tensordict_append_like:
 * @td: an unlocked tensordict without the key of @like
 * @like: an entry of another tensordict
 * @tensor: (transfer full) (nullable): a tensor that fits the batch size
 * @child: (transfer full) (nullable): or a tensordict that does
 *
 * reel_tensordict_put() for keys that are known to be new: neither escaped nor looked up again.
 */
void reel_tensordict_append_like (ReelTensordict *td, const ReelTensordictEntry *like,
                                  ReelTensor *tensor, ReelTensordict *child);

/**
 * reel_path_split:
 * @path: a path
 * @error: KEY when a component is empty or escapes what needs no escape
 *
 * Returns: (transfer full): the plain key of every component, %NULL-terminated
 */
char **reel_path_split (const char *path, GError **error);

/**
 * reel_tensordict_copy_names:
 * @td: where to
 * @names: (array): one for each of its batch dimensions, each may be %NULL
 */
void reel_tensordict_copy_names (ReelTensordict *td, const char *const *names);

/**
 * reel_tensordict_append_size:
 * @text: where to
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 *
 * Appends what Python prints of a size: `torch.Size([2, 3])`.
 */
void reel_tensordict_append_size (GString *text, gint ndim, const gint64 *shape);

G_END_DECLS
