/* Samplers: the choice of the rows of a batch. */
#pragma once

#include "../storages/storage.h"

G_BEGIN_DECLS

/**
 * ReelSampler:
 *
 * Which rows a batch is made of, and what is said of them. A sampler belongs to one thread at a
 * time; threads that sample one buffer at once bring a sampler each. It never runs in the writer's
 * thread: what it knows of rows it brings up to date when it is asked.
 *
 * Properties of every sampler: `seed` (default 0). Samplers of one seed draw the same rows of the
 * same storage, call by call.
 *
 * Ids:
 * - `consuming` (`ConsumingSampler`; `max-sample-count`): every row so many times; then it is gone,
 *   and its slot is the first that reel_replay_buffer_extend() writes again.
 * - `prioritized` (`PrioritizedSampler`; `alpha`, `beta`, `eps`, `dtype`, `reduction`,
 *   `max-capacity`, `max-priority-within-buffer`): each row with a chance that follows its
 *   priority, with replacement; `priority_weight`, float32 or float64 as `dtype` says, takes back
 *   what that does to a mean. `alpha` and `beta` may be set at any time between two draws
 * - `prioritized-slice` (`PrioritizedSliceSampler`; the properties of `prioritized` and of `slice`
 *   but for padding and `span-left`): pieces of trajectories, whose first step is drawn by
 *   priority; every step of a piece has the `priority_weight` of its first
 * - `random` (`RandomSampler`): uniform, with replacement.
 * - `sequence` (`Sequence`, TorchRL's sample unit; `sampler`, `length`, `burn-in`, `bootstrap`,
 *   `dilation`, `episode-boundary`, `done-key`): windows of burn-in + length + bootstrap rows of a
 *   lane, @dilation steps apart, whose first to learn from is the row that `sampler` draws. A batch
 *   holds one window behind the other; `sequence_id`, `step_in_sequence` and `anchor_index` say
 *   which, `learning_mask` what is neither burn-in nor bootstrap, `validity_mask` what is no
 *   repeated row at the end of a trajectory. None goes past the newest row or the oldest
 * - `slice` (`SliceSampler`; `num-slices` or `slice-len`, `traj-key`, `end-key`, `end-keys`,
 *   `truncated-key`, `init-key`, `strict-length`, `pad-output`, `span-left`, `span-right`): pieces
 *   of trajectories, each trajectory with the same chance, one piece after the other; the ends of
 *   pieces are marked
 * - `slice-without-replacement` (`SliceSamplerWithoutReplacement`; the same but for padding and
 *   spans, `drop-last`, `shuffle`): a piece of every trajectory before any comes again; a pass
 *   begins anew when rows were written
 * - `staleness-aware` (`StalenessAwareSampler`; `version-key`, `max-staleness`,
 *   `consumer-version`, which the learner writes): each row with weight 1 / (staleness + 1), where
 *   staleness is the consumer's version less that of the row's policy; no row twice in a batch
 *   unless there are too few. `staleness`, float32, is said of each
 * - `without-replacement` (`SamplerWithoutReplacement`; `drop-last`, `shuffle`): every row once
 *   before any comes again; a pass begins anew when the length changed, and rows that are being
 *   overwritten as their turn comes are passed over.
 */
#define REEL_TYPE_SAMPLER (reel_sampler_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelSampler, reel_sampler, REEL, SAMPLER, ReelObject)

/**
 * ReelInfoMerge:
 * @REEL_INFO_SET: the batch holds what the sampler says, in the place of a stored key of that name
 * @REEL_INFO_OR: of bool: the stored value or this; this alone where the key is not stored
 * @REEL_INFO_OR_STORED: as @REEL_INFO_OR, but nothing where the key is not stored
 *
 * The use of a column that a sampler adds to a batch.
 */
typedef enum
{
  REEL_INFO_SET,
  REEL_INFO_OR,
  REEL_INFO_OR_STORED,
} ReelInfoMerge;

/**
 * ReelInfoColumn:
 * @path: the key in the batch
 * @dtype: of its elements
 * @ndim: 0 or 1: dimensions of a row
 * @shape: of a row: `[]` or `[1]`
 * @merge: what becomes of it
 *
 * A column that a sampler adds to each row that it draws, besides its number.
 */
typedef struct
{
  const char *path;
  ReelDtype dtype;
  gint ndim;
  gint64 shape[2];
  ReelInfoMerge merge;
} ReelInfoColumn;

/**
 * ReelDraw:
 * @n: rows wanted; then rows drawn, from 1 to those wanted
 * @rows: (array): room for as many row numbers as are wanted, as #ReelStorageView has them
 * @info: (array): for each info column an array with room for as many elements; %NULL where there
 *   are no info columns
 * @lines: (nullable): private, what is about to be copied of the rows. Samplers of the library have
 *   it brought into the cache while they go on
 *
 * The rows of one draw, filled in by a sampler.
 */
typedef struct
{
  gint64 n;
  gint64 *rows;
  guint8 *const *info;
  const struct _ReelRowLines *lines;
} ReelDraw;

/**
 * ReelSamplerClass:
 * @peer_name: TorchRL's name of the class, for printing
 * @bind: optional. Resolves keys and checks sizes against @storage, which holds memory or not:
 *   called when a buffer takes the sampler, when the storage got its memory, and when another
 *   storage is to be sampled, which means to begin anew
 * @bind_key: optional. Resolves reel_sampler_get_priority_key() in @storage, which it is bound to:
 *   called when the key changed meanwhile. Its knowledge of rows stays
 * @list_info: optional. Its info columns, the same from one @bind to the next; valid as long
 * @follow: optional. Catches up with what was written since the last look, up to the end of @view.
 *   Called before each draw, @update_priority and @mark_update. Where reel_storage_get_revision()
 *   differs from the last look, stored values may have changed in their place; rows that a writer
 *   put in the place of others are listed by reel_storage_list_replaced(). Rows that the
 *   writer reached while they were read are those before reel_storage_first_intact_row()
 * @sample: required. Draws from the rows of @view, of which there are some: sets draw->n, that many
 *   of draw->rows, and the elements of draw->info. Allocates nothing once it has seen the sizes
 * @redraw: optional. @draw is what this sampler drew last, of which rows were overwritten before
 *   they could be copied: draws their successors from @view. Without it they are forgotten, and
 *   @sample is called again
 * @delivered: optional. The rows that it drew last were copied
 * @get_anchors: optional. Another sampler, around whose rows it draws: priorities, passes, state
 *   and printing are those of that one, and the slots for them are left out; but for @get_remaining
 * @count_rows: optional. Rows that can be drawn, as far as it has looked; without it all that are
 *   stored
 * @count_candidates: optional. The number of candidates for a batch of @n rows, where those are not
 *   single rows: for slices the places where one can begin
 * @update_priority: optional. Sets the priorities of @n row slots; without it they are of no
 *   concern to the class, and ignored
 * @mark_update: optional. Gives row slots the default priority again
 * @get_default_priority: optional. The priority of new rows; without it 1
 * @get_reduction: optional. How several priorities of a row become one: `max`, `min`, `mean`,
 *   `median` or `sum`; without it `max`
 * @get_ran_out: optional. Whether the last draw ended a pass over the data; without it there is no
 *   end
 * @get_remaining: optional. Batches of @n rows left of this pass; without it %G_MAXINT64
 * @needs_batch_size: optional. Whether batches must be of one size that is known beforehand
 * @empty: optional. The storage was emptied: forget what is known of its rows
 * @to_string: optional. TorchRL's print; without it `@peer_name()`
 * @stream: 0, or the offset in an instance of a gint64 that counts draws, of which each follows
 *   from the seed and that count: a part of its state
 * @state_form: %NULL, or how its state lies in TorchRL's files: the id of the class whose layout
 *   it has (docs/file-format.md). The next four are left out without it
 * @dup_state: what it must know to go on: a tensordict without batch dimensions, under the keys of
 *   TorchRL's state, (transfer full). Called after @follow
 * @read_state: what such a state says to a sampler of so many rows, checked, and with the memory
 *   that it takes; changes nothing
 * @take_state: goes on from what @read_state gave, once @storage holds the rows that it was said of
 * @free_state: frees it, taken or not
 *
 * Virtual functions of a sampler. A row slot is a row number modulo the capacity of the view.
 */
struct _ReelSamplerClass
{
  ReelObjectClass parent_class;

  const char *peer_name;
  gboolean (*bind) (ReelSampler *self, ReelStorage *storage, GError **error);
  gboolean (*bind_key) (ReelSampler *self, ReelStorage *storage, GError **error);
  const ReelInfoColumn *(*list_info) (ReelSampler *self, guint *n);
  gboolean (*follow) (ReelSampler *self, ReelStorage *storage, const ReelStorageView *view,
                      GError **error);
  gboolean (*sample) (ReelSampler *self, ReelStorage *storage, const ReelStorageView *view,
                      ReelDraw *draw, GError **error);
  gboolean (*redraw) (ReelSampler *self, ReelStorage *storage, const ReelStorageView *view,
                      ReelDraw *draw, GError **error);
  void (*delivered) (ReelSampler *self, const ReelDraw *draw);
  ReelSampler *(*get_anchors) (ReelSampler *self);
  gint64 (*count_rows) (ReelSampler *self);
  gboolean (*count_candidates) (ReelSampler *self, const ReelStorageView *view, gint64 n,
                                gint64 *count, GError **error);
  gboolean (*update_priority) (ReelSampler *self, ReelStorage *storage, const gint64 *slots,
                               gint64 n, const double *priorities, GError **error);
  gboolean (*mark_update) (ReelSampler *self, ReelStorage *storage, const gint64 *slots, gint64 n,
                           GError **error);
  double (*get_default_priority) (ReelSampler *self);
  const char *(*get_reduction) (ReelSampler *self);
  gboolean (*get_ran_out) (ReelSampler *self);
  gint64 (*get_remaining) (ReelSampler *self, gint64 n);
  gboolean (*needs_batch_size) (ReelSampler *self);
  void (*empty) (ReelSampler *self);
  char *(*to_string) (ReelSampler *self);

  gsize stream;
  const char *state_form;
  ReelTensordict *(*dup_state) (ReelSampler *self, ReelStorage *storage, GError **error);
  gpointer (*read_state) (ReelSampler *self, gint64 capacity, const ReelTensordict *state,
                          GError **error);
  void (*take_state) (ReelSampler *self, ReelStorage *storage, gpointer said);
  GDestroyNotify free_state;
};

/**
 * reel_sampler_get_seed:
 * @self: a sampler
 *
 * Returns: its property `seed`
 */
REEL_API
gint64 reel_sampler_get_seed (ReelSampler *self);

/**
 * reel_sampler_get_anchors:
 * @self: a sampler
 *
 * Returns: (transfer none) (nullable): the sampler that draws what it draws windows around; %NULL
 *   where there is none
 */
REEL_API
ReelSampler *reel_sampler_get_anchors (ReelSampler *self);

/**
 * reel_sampler_bind:
 * @self: a sampler
 * @storage: what it is going to draw from
 * @error: what the class says of keys and sizes that do not fit
 *
 * Makes it ready for @storage; nothing to do where it is. The other functions do this themselves.
 *
 * Returns: whether it can draw from @storage
 */
REEL_API
gboolean reel_sampler_bind (ReelSampler *self, ReelStorage *storage, GError **error);

/**
 * reel_sampler_list_info:
 * @self: a sampler that is bound
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n) (nullable): what it says of rows; valid until it is
 *   bound to another storage or to new memory
 */
REEL_API
const ReelInfoColumn *reel_sampler_list_info (ReelSampler *self, guint *n);

/**
 * reel_sampler_sample:
 * @self: a sampler
 * @storage: what to draw from
 * @view: what can be read of it
 * @draw: (inout): rows wanted and room for them and for the info columns
 * @error: RUNTIME "Cannot sample from an empty storage.", and what the class says
 *
 * Draws rows without copying them. reel_replay_buffer_sample() does both.
 *
 * Returns: whether they were drawn
 */
REEL_API
gboolean reel_sampler_sample (ReelSampler *self, ReelStorage *storage, const ReelStorageView *view,
                              ReelDraw *draw, GError **error);

/**
 * reel_sampler_count_rows:
 * @self: a sampler
 * @storage: what it draws from
 *
 * Looks at what was written. The thread that samples.
 *
 * Returns: rows that it can draw now
 */
REEL_API
gint64 reel_sampler_count_rows (ReelSampler *self, ReelStorage *storage);

/**
 * reel_sampler_count_sampleable:
 * @self: a sampler
 * @storage: what it draws from
 * @n: rows of a batch, at least 1
 * @count: (out): rows that it can draw now; of a sampler of slices, the slices that it can draw for
 *   such a batch
 * @error: what the class says of sizes and keys that do not fit
 *
 * TorchRL's `_sampleable_count()`: how much a buffer weighs in an ensemble that weighs its buffers
 * by what can be sampled. An empty storage has nothing. The thread that samples.
 *
 * Returns: whether @count was set
 */
REEL_API
gboolean reel_sampler_count_sampleable (ReelSampler *self, ReelStorage *storage, gint64 n,
                                        gint64 *count, GError **error);

/**
 * reel_sampler_update_priority:
 * @self: a sampler
 * @storage: what it draws from
 * @slots: (array length=n): row slots
 * @n: how many
 * @priorities: (array length=n): theirs; of a slot that stands twice the last one
 * @error: what the class says: VALUE naming a row whose priority is not finite or negative
 *
 * The thread that samples. Nothing where the class has no priorities.
 *
 * Returns: whether all were set; none are on failure
 */
REEL_API
gboolean reel_sampler_update_priority (ReelSampler *self, ReelStorage *storage, const gint64 *slots,
                                       gint64 n, const double *priorities, GError **error);

/**
 * reel_sampler_mark_update:
 * @self: a sampler
 * @storage: what it draws from
 * @slots: (array length=n): row slots that get the default priority again
 * @n: how many
 * @error: what the class says
 *
 * As reel_sampler_update_priority().
 *
 * Returns: whether all were set
 */
REEL_API
gboolean reel_sampler_mark_update (ReelSampler *self, ReelStorage *storage, const gint64 *slots,
                                   gint64 n, GError **error);

/**
 * reel_sampler_has_priorities:
 * @self: a sampler
 *
 * Returns: whether priorities mean anything to its class
 */
REEL_API
gboolean reel_sampler_has_priorities (ReelSampler *self);

/**
 * reel_sampler_get_default_priority:
 * @self: a sampler
 *
 * Returns: the priority that new rows get; 1 where the class has none
 */
REEL_API
double reel_sampler_get_default_priority (ReelSampler *self);

/**
 * reel_sampler_get_reduction:
 * @self: a sampler
 *
 * Returns: (transfer none): how several priorities of a row become one, such as `max`
 */
REEL_API
const char *reel_sampler_get_reduction (ReelSampler *self);

/**
 * reel_sampler_set_priority_key:
 * @self: a sampler
 * @key: (nullable): the stored key that tells the priority of new rows; %NULL where they get the
 *   default one
 *
 * The buffer that takes the sampler does this. Rows that the sampler has seen keep their
 * priorities.
 */
REEL_API
void reel_sampler_set_priority_key (ReelSampler *self, const char *key);

/**
 * reel_sampler_get_priority_key:
 * @self: a sampler
 *
 * Returns: (transfer none) (nullable): the key that tells the priority of new rows, where it is
 *   stored
 */
REEL_API
const char *reel_sampler_get_priority_key (ReelSampler *self);

/**
 * reel_sampler_get_ran_out:
 * @self: a sampler
 *
 * Returns: whether the last draw ended a pass over the data; never where there is no end
 */
REEL_API
gboolean reel_sampler_get_ran_out (ReelSampler *self);

/**
 * reel_sampler_get_remaining:
 * @self: a sampler
 * @n: rows of a batch, at least 1
 *
 * Returns: batches left of this pass; %G_MAXINT64 where there is no end
 */
REEL_API
gint64 reel_sampler_get_remaining (ReelSampler *self, gint64 n);

/**
 * reel_sampler_needs_batch_size:
 * @self: a sampler
 *
 * Returns: whether a buffer with it must have a batch size
 */
REEL_API
gboolean reel_sampler_needs_batch_size (ReelSampler *self);

/**
 * reel_sampler_empty:
 * @self: a sampler
 *
 * Tells it that the storage was emptied.
 */
REEL_API
void reel_sampler_empty (ReelSampler *self);

/**
 * reel_sampler_get_state_form:
 * @self: a sampler
 *
 * Returns: (transfer none) (nullable): the id of the class whose layout its state has in TorchRL's
 *   files, such as `without-replacement`; %NULL for a sampler that has nothing to remember
 */
REEL_API
const char *reel_sampler_get_state_form (ReelSampler *self);

/**
 * reel_sampler_dup_state:
 * @self: a sampler
 * @storage: what it draws from
 * @error: what the class says; NO_SPACE
 *
 * The state that it continues from: TorchRL's `sampler.state_dict ()`, with the same keys,
 * and
 * `_stream`, int64: how far it is with its random numbers; that alone while @storage holds no
 * memory. The thread that samples.
 *
 * Returns: (transfer full): a tensordict without batch dimensions
 */
REEL_API
ReelTensordict *reel_sampler_dup_state (ReelSampler *self, ReelStorage *storage, GError **error);

/**
 * reel_sampler_set_state:
 * @self: a sampler
 * @storage: what it is going to draw from
 * @state: what reel_sampler_dup_state() said of a sampler of the same form
 * @error: KEY or TYPE for keys that are missing or of another kind; VALUE for values that cannot be
 *
 * Goes on from @state; without `_stream` with the random numbers that come next anyway. The thread
 * that samples.
 *
 * Returns: whether it does; else it is as before
 */
REEL_API
gboolean reel_sampler_set_state (ReelSampler *self, ReelStorage *storage,
                                 const ReelTensordict *state, GError **error);

/**
 * reel_sampler_to_string:
 * @self: a sampler
 *
 * Returns: (transfer full): what TorchRL prints of the like sampler: `RandomSampler()`
 */
REEL_API
char *reel_sampler_to_string (ReelSampler *self);

G_END_DECLS
