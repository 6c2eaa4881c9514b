/* TED data without repetition, as TorchRL's TED2Flat, TED2Nested and H5Split lay them out: lane
 * after lane, each in order of time; of a key that stands at the root and in `next` the root's
 * rows, and behind the last of each trajectory the one in `next`. Rows go one after the other from
 * a storage to files and back: of neither more is held than a part. Private to the library; format
 * in docs/file-format.md. */
#pragma once

#include "../../core/formats/row-stream.h"
#include "../storages/row-copy.h"
#include "checkpointer.h"
#include "flat-form.h"

G_BEGIN_DECLS

/**
 * ReelFlatTed:
 * @done_keys: (nullable): flags of `next` that the root does not keep; %NULL for TorchRL's
 * @reward_keys: (nullable): others that are taken from `next`; %NULL for TorchRL's
 *
 * Keys taken from `next` alone.
 */
typedef struct
{
  char **done_keys;
  char **reward_keys;
} ReelFlatTed;

/**
 * reel_flat_ted_add_properties:
 * @klass: the class of a checkpointer, in its class_init
 * @offset: of its field of that type
 *
 * Adds `done-keys` and `reward-keys`.
 */
void reel_flat_ted_add_properties (ReelObjectClass *klass, gsize offset);

/**
 * reel_flat_ted_is_of_next:
 * @self: which keys
 * @key: a key of the root
 *
 * Returns: whether it is taken from `next` alone
 */
gboolean reel_flat_ted_is_of_next (const ReelFlatTed *self, const char *key);

/* ---- to flat rows ---- */

/**
 * ReelFlatPack:
 *
 * TED data on their way to flat rows.
 */
typedef struct _ReelFlatPack ReelFlatPack;

/**
 * reel_flat_pack_new:
 * @keys: which keys
 * @data: `[steps, lanes…]`, which must stay as it is
 * @state: which steps are valid, and which is the oldest
 * @error: KEY, TYPE or VALUE for what the format cannot hold; NO_SPACE
 *
 * Slots that are not valid become zero.
 *
 * Returns: (transfer full): what gives the rows
 */
ReelFlatPack *reel_flat_pack_new (const ReelFlatTed *keys, ReelTensordict *data,
                                  const ReelCheckpointState *state, GError **error);

/**
 * reel_flat_pack_free:
 * @self: (transfer full) (nullable): a pack
 */
void reel_flat_pack_free (ReelFlatPack *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelFlatPack, reel_flat_pack_free)

/**
 * reel_flat_pack_get_outline:
 * @self: a pack
 *
 * Returns: (transfer none): `is_full`, `shift` and `_storage_shape`, and tensors of the rows'
 *   shapes, of which no element is there
 */
ReelTensordict *reel_flat_pack_get_outline (const ReelFlatPack *self);

/**
 * reel_flat_pack_get_cut:
 * @self: a pack
 *
 * Returns: (transfer none): its trajectories
 */
const ReelFlatCut *reel_flat_pack_get_cut (const ReelFlatPack *self);

/**
 * reel_flat_pack_choose:
 * @self: a pack
 * @leaf: a tensor of its outline
 *
 * Returns: (transfer none) (array): the rows of each part of @leaf
 */
const gint64 *reel_flat_pack_choose (const ReelFlatPack *self, const ReelTensor *leaf);

/**
 * reel_flat_pack_get_stream:
 * @self: a pack
 * @leaf: a tensor of its outline
 *
 * Those of different leaves may be read in different threads.
 *
 * Returns: (transfer none): its rows, to be read once
 */
const ReelRowStream *reel_flat_pack_get_stream (ReelFlatPack *self, const ReelTensor *leaf);

/**
 * reel_flat_pack_warn:
 * @self: a pack whose streams were read
 * @warnings: (element-type utf8): a sentence for each key of which something is lost is added
 */
void reel_flat_pack_warn (const ReelFlatPack *self, GPtrArray *warnings);

/* ---- and back ---- */

/**
 * ReelFlatPieces:
 * @memory: what they lie in
 * @where: int64 `[parts]`: twice the offset at which the rows of each begin there, plus 1 where
 *   there is one more than one a step
 *
 * Rows that lie apart, part by part.
 */
typedef struct
{
  ReelMemory *memory;
  ReelTensor *where;
} ReelFlatPieces;

/**
 * reel_flat_pieces_offset:
 * @self: pieces
 * @part: number of one
 *
 * Returns: where its rows begin
 */
gint64 reel_flat_pieces_offset (const ReelFlatPieces *self, gint64 part);

/**
 * reel_flat_pieces_more:
 * @self: pieces
 * @part: number of one
 *
 * Returns: how many rows it has beyond one a step, 0 or 1
 */
gint64 reel_flat_pieces_more (const ReelFlatPieces *self, gint64 part);

/**
 * ReelFlatRows:
 * @flat: tensors of rows, and `is_full`, `shift` and `_storage_shape`
 * @pieces: (element-type utf8 ReelFlatPieces): by their keys those whose elements lie apart; what
 *   @flat has of them is their shape
 * @n_parts: of how many parts
 * @lengths: (array length=n_parts) (nullable): rows of each of a key that has one a step; %NULL
 *   where none lie apart
 *
 * Flat rows as they were found.
 */
typedef struct
{
  ReelTensordict *flat;
  GHashTable *pieces;
  gint64 n_parts;
  gint64 *lengths;
} ReelFlatRows;

/**
 * reel_flat_rows_new:
 * @flat: (transfer full): all of it
 *
 * Returns: (transfer full): rows none of which lie apart
 */
ReelFlatRows *reel_flat_rows_new (ReelTensordict *flat);

/**
 * reel_flat_rows_free:
 * @self: (transfer full) (nullable): rows
 */
void reel_flat_rows_free (ReelFlatRows *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelFlatRows, reel_flat_rows_free)

/**
 * ReelFlatUnpack:
 *
 * Flat rows on their way to TED data.
 */
typedef struct _ReelFlatUnpack ReelFlatUnpack;

/**
 * reel_flat_unpack_new:
 * @keys: which keys
 * @rows: (transfer full): what was found
 * @error: DAMAGED naming the key, found and expected; NO_SPACE
 *
 * Checks everything: nothing can fail afterwards.
 *
 * Returns: (transfer full): what gives the data
 */
ReelFlatUnpack *reel_flat_unpack_new (const ReelFlatTed *keys, ReelFlatRows *rows, GError **error);

/**
 * reel_flat_unpack_free:
 * @self: (transfer full) (nullable): an unpack
 */
void reel_flat_unpack_free (ReelFlatUnpack *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelFlatUnpack, reel_flat_unpack_free)

/**
 * reel_flat_unpack_get_outline:
 * @self: an unpack
 *
 * Returns: (transfer none): `[steps, lanes…]`, of which no element is there
 */
ReelTensordict *reel_flat_unpack_get_outline (const ReelFlatUnpack *self);

/**
 * reel_flat_unpack_copy:
 * @self: an unpack
 * @copy: where to; what it says of where from is @self
 *
 * Writes rows to a storage, as reel_row_copy_run() does. Flags at the root are zero.
 */
void reel_flat_unpack_copy (ReelFlatUnpack *self, const ReelRowCopy *copy);

/**
 * reel_flat_unpack_all:
 * @self: an unpack
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the outline's tensors with all elements; what stands in slots that are
 *   not valid is zero
 */
ReelTensordict *reel_flat_unpack_all (ReelFlatUnpack *self, GError **error);

G_END_DECLS
