/* Transforms of tensordicts and specs. */
#pragma once

#include "../core/object/object.h"
#include "../core/tensordict/tensordict.h"
#include "../specs/spec.h"

G_BEGIN_DECLS

/**
 * ReelTransform:
 *
 * A change of data on their way: *forward* where they are read, *inverse* where they are written.
 * The same transform serves a buffer and data at hand. Behaviour follows TorchRL's `Transform`:
 * docs/differences-from-torchrl.md says where not.
 *
 * In text `a|b` is one transform that is both (#ReelCompose): forward a, then b; inverse b, then a.
 *
 * A transform belongs to one parent: a chain or a buffer; for another there is
 * reel_transform_clone(). Forward may be called from any number of threads at once, and inverse
 * meanwhile, by the one that writes.
 *
 * Ids: `action-discretizer` (`ActionDiscretizer`), `action-mask` (`ActionMask`), `binarize-reward`
 * (`BinarizeReward`), `cat-frames` (`CatFrames`), `cat-tensors` (`CatTensors`), `center-crop`
 * (`CenterCrop`), `clip` (`ClipTransform`), `compose` (`Compose`), `crop` (`Crop`),
 * `densify-reward` (`DensifyReward`), `double-to-float` (`DoubleToFloat`), `dtype-cast`
 * (`DTypeCastTransform`), `exclude` (`ExcludeTransform`), `finite-check` (`FiniteTensorDictCheck`),
 * `flatten-observation` (`FlattenObservation`), `flatten-tensordict` (`FlattenTensorDict`),
 * `frame-skip` (`FrameSkipTransform`), `gray-scale` (`GrayScale`), `hindsight` (see
 * #ReelHindsightTransform), `init-tracker` (`InitTracker`), `invert`, `linearise-rewards`
 * (`LineariseRewards`), `multi-step` (`MultiStepTransform`), `next-state`
 * (`NextStateReconstructor`), `noop-reset` (`NoopResetEnv`), `observation-norm`
 * (`ObservationNorm`), `permute` (`PermuteTransform`), `policy-age-filter` (see
 * #ReelPolicyAgeFilter), `primer` (`TensorDictPrimer`), `random-crop` (`RandomCropTensorDict`),
 * `rename` (`RenameTransform`), `resize` (`Resize`), `reward-clipping` (`RewardClipping`),
 * `reward-scaling` (`RewardScaling`), `reward-sum` (`RewardSum`), `reward-to-go`
 * (`Reward2GoTransform`), `select` (`SelectTransform`), `sign` (`SignTransform`), `squeeze`
 * (`SqueezeTransform`), `stack` (`Stack`), `step-counter` (`StepCounter`), `target-return`
 * (`TargetReturn`), `time-max-pool` (`TimeMaxPool`), `to-tensor-image` (`ToTensorImage`),
 * `traj-counter` (`TrajCounter`), `unsqueeze` (`UnsqueezeTransform`), `vec-norm` (`VecNorm`),
 * `vec-norm-v2` (`VecNormV2`); see reel_vec_norm_dup_stats().
 */
#define REEL_TYPE_TRANSFORM (reel_transform_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelTransform, reel_transform, REEL, TRANSFORM, ReelObject)

/**
 * ReelLanePlan:
 *
 * A chain at work on the lanes of an env. Private.
 */
typedef struct _ReelLanePlan ReelLanePlan;

/**
 * ReelImagePass:
 *
 * Transforms of images that are done in one pass over their pixels. Private.
 */
typedef struct _ReelImagePass ReelImagePass;

/**
 * ReelTransformClass:
 * @peer_name: TorchRL's name of the class, for printing
 * @forward: as reel_transform_forward(). Default: `apply` of what stands at each of the in-keys is
 *   set at the out-key of the same place
 * @inverse: as reel_transform_inverse(), of a tensordict that it may change. Default:
 *   `apply_inverse` of what stands at each of the out-keys-inv is set at the in-key-inv of the same
 *   place
 * @changes_reads: as reel_transform_changes_reads(). Default: whether there are in-keys, or a
 *   @forward of the class
 * @changes_writes: as reel_transform_changes_writes(). Default: whether there are in-keys-inv
 * @wants_rows: as reel_transform_wants_rows(). Default: no
 * @get_demand: as reel_transform_get_demand(). Default: 1
 * @apply: (transfer full): the value for an out-key; required where there are in-keys and the
 *   default @forward. May return a reference to @value
 * @apply_inverse: (transfer full): the value for an in-key-inv. Default: @value itself
 * @env_spec: as reel_transform_env_spec(). Default: `apply_spec` and `apply_inverse_spec` of the
 *   specs at the keys
 * @apply_spec: (transfer full): the spec of what @apply gives. Default: @spec itself
 * @apply_inverse_spec: (transfer full): the spec of what @apply_inverse takes. Default: @spec
 *   itself
 * @bind: adds to @plan the works that do to each step and reset of an env as @forward does to data.
 *   Default: `apply` of the in-keys, where @forward is the default
 * @bind_inverse: adds to @plan the works that do to the actions of each step as @inverse does.
 *   Default: `apply_inverse` of the out-keys-inv, where @inverse is the default
 * @join_pass: (nullable): adds what `apply` does to @pass, for images of the form that it has
 *   reached, or returns %FALSE and leaves it as it is. Only with the default @forward and @bind
 * @empty: as reel_transform_empty(). Default: nothing
 * @dup_state: adds to an empty tensordict what it must know to go on. Default: nothing
 * @set_state: goes on from that. Default: nothing
 * @clone: as reel_transform_clone(). Default: another of the same id and properties
 * @to_string: as reel_transform_to_string(). Default: the name, and the in-keys
 *
 * Virtual functions of a transform. A class that works key by key fills in `apply` and its fellows,
 * and takes keys by reel_transform_class_add_keys().
 */
struct _ReelTransformClass
{
  ReelObjectClass parent_class;

  const char *peer_name;
  ReelTensordict *(*forward) (ReelTransform *self, ReelTensordict *td, GError **error);
  gboolean (*inverse) (ReelTransform *self, ReelTensordict *td, ReelTensordict **result,
                       GError **error);
  gboolean (*changes_reads) (ReelTransform *self);
  gboolean (*changes_writes) (ReelTransform *self);
  gboolean (*wants_rows) (ReelTransform *self);
  gint64 (*get_demand) (ReelTransform *self);
  ReelTensor *(*apply) (ReelTransform *self, ReelTensor *value, GError **error);
  ReelTensor *(*apply_inverse) (ReelTransform *self, ReelTensor *value, GError **error);
  ReelSpec *(*env_spec) (ReelTransform *self, const ReelSpec *spec, GError **error);
  ReelSpec *(*apply_spec) (ReelTransform *self, const ReelSpec *spec, GError **error);
  ReelSpec *(*apply_inverse_spec) (ReelTransform *self, const ReelSpec *spec, GError **error);
  gboolean (*bind) (ReelTransform *self, ReelLanePlan *plan, GError **error);
  gboolean (*bind_inverse) (ReelTransform *self, ReelLanePlan *plan, GError **error);
  gboolean (*join_pass) (ReelTransform *self, ReelImagePass *pass);
  void (*empty) (ReelTransform *self);
  gboolean (*dup_state) (ReelTransform *self, ReelTensordict *state, GError **error);
  gboolean (*set_state) (ReelTransform *self, const ReelTensordict *state, GError **error);
  ReelTransform *(*clone) (ReelTransform *self, GError **error);
  char *(*to_string) (ReelTransform *self);
};

/**
 * ReelTransformKeys:
 * @REEL_TRANSFORM_IN_KEYS: `in-keys`: what forward reads
 * @REEL_TRANSFORM_OUT_KEYS: `out-keys`: what it writes; by default the in-keys
 * @REEL_TRANSFORM_INVERSE_KEYS: `in-keys-inv` and `out-keys-inv`: what inverse writes, and what it
 *   reads; by default the same
 *
 * Keys that a class of transforms takes.
 */
typedef enum
{
  REEL_TRANSFORM_IN_KEYS = 1 << 0,
  REEL_TRANSFORM_OUT_KEYS = 1 << 1,
  REEL_TRANSFORM_INVERSE_KEYS = 1 << 2,
} ReelTransformKeys;

/**
 * reel_transform_class_add_keys:
 * @klass: the class, in its class_init
 * @keys: which
 *
 * Adds the properties. Their values are paths, as many in as out: VALUE otherwise, when the
 * transform is made.
 */
REEL_API
void reel_transform_class_add_keys (ReelTransformClass *klass, ReelTransformKeys keys);

/**
 * reel_transform_get_in_keys:
 * @self: a transform
 *
 * Returns: (transfer none) (array zero-terminated=1): the keys that forward reads
 */
REEL_API
const char *const *reel_transform_get_in_keys (ReelTransform *self);

/**
 * reel_transform_get_out_keys:
 * @self: a transform
 *
 * Returns: (transfer none) (array zero-terminated=1): the keys that forward writes
 */
REEL_API
const char *const *reel_transform_get_out_keys (ReelTransform *self);

/**
 * reel_transform_get_in_keys_inv:
 * @self: a transform
 *
 * Returns: (transfer none) (array zero-terminated=1): the keys that inverse writes: those that a
 *   store, or an env, knows
 */
REEL_API
const char *const *reel_transform_get_in_keys_inv (ReelTransform *self);

/**
 * reel_transform_get_out_keys_inv:
 * @self: a transform
 *
 * Returns: (transfer none) (array zero-terminated=1): the keys that inverse reads
 */
REEL_API
const char *const *reel_transform_get_out_keys_inv (ReelTransform *self);

/**
 * reel_transform_forward:
 * @self: a transform
 * @td: what is read; entries may be set and removed, and leaves shared
 * @error: KEY for a key that is missing; what the class says
 *
 * Returns: (transfer full): the transformed tensordict, which may be @td
 */
REEL_API
ReelTensordict *reel_transform_forward (ReelTransform *self, ReelTensordict *td, GError **error);

/**
 * reel_transform_inverse:
 * @self: a transform
 * @td: what is to be written. Its entries stay as they are; what a transform does to the elements
 *   of a leaf in place reaches them
 * @result: (out) (transfer full) (nullable): what is to be written instead; %NULL for nothing now
 * @error: KEY for a key that is missing; what the class says
 *
 * Returns: whether @result was set
 */
REEL_API
gboolean reel_transform_inverse (ReelTransform *self, ReelTensordict *td, ReelTensordict **result,
                                 GError **error);

/**
 * reel_transform_changes_reads:
 * @self: a transform
 *
 * Returns: whether forward does anything, so that what is read is not what is stored
 */
REEL_API
gboolean reel_transform_changes_reads (ReelTransform *self);

/**
 * reel_transform_changes_writes:
 * @self: a transform
 *
 * Returns: whether inverse does anything, so that data cannot be written past it
 */
REEL_API
gboolean reel_transform_changes_writes (ReelTransform *self);

/**
 * REEL_ROW_NUMBERS:
 *
 * The key, int64 `[n]`, at which a buffer tells transforms that want to know it the number of each
 * row of a batch `[n]`: a row keeps its number when its slot is written again. The buffer removes
 * the rest after the chain.
 */
#define REEL_ROW_NUMBERS "index_row"

/**
 * reel_transform_wants_rows:
 * @self: a transform
 *
 * Returns: whether forward wants %REEL_ROW_NUMBERS of what is sampled
 */
REEL_API
gboolean reel_transform_wants_rows (ReelTransform *self);

/**
 * reel_transform_get_demand:
 * @self: a transform
 *
 * Returns: how many rows a buffer is to draw for each that forward is to give, at least 1; those of
 *   a chain are multiplied
 */
REEL_API
gint64 reel_transform_get_demand (ReelTransform *self);

/**
 * reel_transform_env_spec:
 * @self: a transform
 * @spec: what reel_env_spec_new() gave
 * @error: KEY for a key that no spec has; what the class says
 *
 * Returns: (transfer full): the specs of the env seen through the transform: observation, reward
 *   and done flags as forward gives them, action and state as inverse takes them
 */
REEL_API
ReelSpec *reel_transform_env_spec (ReelTransform *self, const ReelSpec *spec, GError **error);

/**
 * reel_transform_empty:
 * @self: a transform
 *
 * Forgets data that it holds back: what comes next does not follow what came before.
 */
REEL_API
void reel_transform_empty (ReelTransform *self);

/**
 * reel_transform_dup_state:
 * @self: a transform
 * @error: NO_SPACE
 *
 * The state that it continues from: steps that it holds back, how often it drew. Nobody may
 * use it meanwhile.
 *
 * Returns: (transfer full): a tensordict without batch dimensions, apart from @self; that of a
 *   chain has one for each of its transforms, `0`, `1` and so on
 */
REEL_API
ReelTensordict *reel_transform_dup_state (ReelTransform *self, GError **error);

/**
 * reel_transform_set_state:
 * @self: a transform
 * @state: what reel_transform_dup_state() said of the like
 * @error: VALUE for a chain of another length; KEY, TYPE for what is missing or of another kind
 *
 * Goes on from @state, which may change afterwards. Nobody may use it meanwhile.
 *
 * Returns: whether it does
 */
REEL_API
gboolean reel_transform_set_state (ReelTransform *self, const ReelTensordict *state,
                                   GError **error);

/**
 * reel_transform_clone:
 * @self: a transform
 * @error: RUNTIME for one that cannot be made twice
 *
 * Returns: (transfer full): one that does the same, without a parent and without data
 */
REEL_API
ReelTransform *reel_transform_clone (ReelTransform *self, GError **error);

/**
 * reel_transform_get_parent:
 * @self: a transform
 *
 * Returns: (transfer none) (nullable): whom it belongs to: a chain, or what reads and writes
 *   through it
 */
REEL_API
GObject *reel_transform_get_parent (ReelTransform *self);

/**
 * reel_transform_set_parent:
 * @self: a transform
 * @parent: (nullable) (transfer none): whom it is to belong to, who holds the reference and calls
 *   this with %NULL before dropping it
 * @error: RUNTIME when it has a parent already
 *
 * Returns: whether it belongs to @parent
 */
REEL_API
gboolean reel_transform_set_parent (ReelTransform *self, GObject *parent, GError **error);

/**
 * reel_transform_to_string:
 * @self: a transform
 *
 * Returns: (transfer full): what Python prints of the like transform, byte for byte
 */
REEL_API
char *reel_transform_to_string (ReelTransform *self);

/**
 * ReelTransformFunc:
 * @td: what is read, as in reel_transform_forward()
 * @user_data: what reel_transform_new_callback() was given
 * @error: why it failed
 *
 * A transform in one function, for any kind of tensordict. Called by any thread that reads.
 *
 * Returns: (transfer full): the result, which may be a reference to @td; %NULL on failure
 */
typedef ReelTensordict *(*ReelTransformFunc) (ReelTensordict *td, gpointer user_data,
                                              GError **error);

/**
 * reel_transform_new_callback:
 * @function: (scope notified): what changes data on read
 * @user_data: for @function
 * @destroy: (nullable): called with @user_data when the transform is freed
 *
 * Returns: (transfer full): a transform of id `callback`, which text cannot name. Its inverse does
 *   nothing, and it cannot be cloned
 */
REEL_API
ReelTransform *reel_transform_new_callback (ReelTransformFunc function, gpointer user_data,
                                            GDestroyNotify destroy);

/**
 * reel_transform_new_inverted:
 * @transform: a transform without a parent
 * @error: RUNTIME when it has one
 *
 * Returns: (transfer full): one whose inverse is @transform's forward, and the other way round; in
 *   text `invert:transform=(…)`. It is the parent of @transform
 */
REEL_API
ReelTransform *reel_transform_new_inverted (ReelTransform *transform, GError **error);

G_END_DECLS
