/* The common part of transforms; not installed. */
#pragma once

#include "transform.h"

G_BEGIN_DECLS

/**
 * ReelSpecSide:
 * @REEL_SPEC_OUTPUT: observation, done flags, reward
 * @REEL_SPEC_INPUT: state, action
 *
 * Halves of the specs of an environment.
 */
typedef enum
{
  REEL_SPEC_OUTPUT,
  REEL_SPEC_INPUT,
} ReelSpecSide;

/**
 * reel_spec_find_part:
 * @spec: the specs of an env
 * @side: where to look
 * @key: a path
 *
 * Returns: (transfer full) (nullable): the path of the part that has @key, such as
 *   `output_spec/full_done_spec`; %NULL where none has
 */
char *reel_spec_find_part (const ReelSpec *spec, ReelSpecSide side, const char *key);

/**
 * reel_spec_list_part:
 * @spec: the specs of an env
 * @part: the path of a part
 *
 * Returns: (transfer full): the paths of its leaves, unspecified ones too, from @part on
 */
char **reel_spec_list_part (const ReelSpec *spec, const char *part);

/**
 * reel_spec_set_in_part:
 * @spec: the specs of an env; a reference is dropped where the result is set
 * @part: the path of a part
 * @key: a path in it
 * @value: (nullable): what is to stand there; %NULL to remove what stands there
 * @error: VALUE when it does not fit
 *
 * Returns: whether @spec was replaced
 */
gboolean reel_spec_set_in_part (ReelSpec **spec, const char *part, const char *key,
                                const ReelSpec *value, GError **error);

/**
 * reel_spec_get_in_part:
 *
 * Returns: (transfer none) (nullable): what stands at @key of @part
 */
const ReelSpec *reel_spec_get_in_part (const ReelSpec *spec, const char *part, const char *key);

/**
 * reel_transform_set_keys:
 * @self: a transform
 * @in_keys: (array zero-terminated=1): what it reads
 * @out_keys: (array zero-terminated=1): what it writes; as many or not
 *
 * For those whose keys are not given as such.
 */
void reel_transform_set_keys (ReelTransform *self, const char *const *in_keys,
                              const char *const *out_keys);

/**
 * reel_transform_set_inverse_keys:
 * @self: a transform
 * @in_keys: (array zero-terminated=1): what the inverse writes
 * @out_keys: (array zero-terminated=1): what it reads
 *
 * As reel_transform_set_keys(), of the inverse.
 */
void reel_transform_set_inverse_keys (ReelTransform *self, const char *const *in_keys,
                                      const char *const *out_keys);

/**
 * reel_transform_default_to:
 * @self: a transform with in-keys, in its build
 * @key: a key
 *
 * Has it read @key where no in-keys were given.
 */
void reel_transform_default_to (ReelTransform *self, const char *key);

/**
 * reel_transform_default_to_pixels:
 * @self: a transform with in-keys, in its build
 *
 * Has it read `pixels` where no in-keys were given.
 */
void reel_transform_default_to_pixels (ReelTransform *self);

/**
 * reel_transform_default_to_reward:
 * @self: a transform with in-keys, in its build
 *
 * Has it read `reward` where no in-keys were given.
 */
void reel_transform_default_to_reward (ReelTransform *self);

/**
 * reel_transform_bind:
 * @self: a transform
 * @plan: the plan of an env, with the leaves that it gives
 * @error: KEY for a key that the env lacks; NOT_IMPLEMENTED for a class that serves stored data
 *   alone; what the class says
 *
 * Returns: whether @plan has its works
 */
gboolean reel_transform_bind (ReelTransform *self, ReelLanePlan *plan, GError **error);

/**
 * reel_transform_bind_inverse:
 * @self: a transform
 * @plan: the plan of the actions of an env, with the leaves that the next transform takes
 * @error: as reel_transform_bind()
 *
 * Returns: whether @plan has its works
 */
gboolean reel_transform_bind_inverse (ReelTransform *self, ReelLanePlan *plan, GError **error);

/**
 * reel_compose_chain:
 *
 * The slot `chain` of #ReelObjectClass.
 */
gpointer reel_compose_chain (GPtrArray *objects, GError **error);

/**
 * reel_key_check_all:
 * @keys: (array zero-terminated=1) (nullable): paths
 * @error: KEY naming the first that is no path
 *
 * Returns: whether all are paths
 */
gboolean reel_key_check_all (const char *const *keys, GError **error);

/**
 * reel_key_append_repr:
 * @text: where to
 * @key: a path
 * @as_str: whether a single key is to stand without quotes
 *
 * Appends what Python prints of a nested key: `'a'`, `('next', 'b')`.
 */
void reel_key_append_repr (GString *text, const char *key, gboolean as_str);

/**
 * reel_key_format_list:
 * @keys: (array zero-terminated=1) (nullable): paths
 *
 * Returns: (transfer full): what Python prints of a list of them: `['a', ('next', 'b')]`
 */
char *reel_key_format_list (const char *const *keys);

G_END_DECLS
