/* The cases of tests/data/transforms: what TorchRL's transforms made of environments as tables. */
#pragma once

#include "golden-tensor.h"

/**
 * GoldenCase:
 * @id: its name
 * @json: what is known of it
 * @env: the table of its environment
 * @bare: the rollouts of that environment without a transform
 *
 * A case. All belongs to the table, which lives as long as the program.
 */
typedef struct
{
  const char *id;
  const json_t *json;
  const json_t *env;
  const json_t *bare;
} GoldenCase;

/**
 * golden_transforms:
 *
 * Returns: (transfer full) (element-type GoldenCase): all cases
 */
GArray *golden_transforms (void);

/**
 * golden_env_table:
 * @name: of an environment
 *
 * Returns: (transfer none) (nullable): its table
 */
const json_t *golden_env_table (const char *name);

/**
 * golden_chain:
 * @golden: a case
 * @offline: whether the chain that serves stored data is wanted, where there is another
 *
 * Returns: (transfer full): the chain as text
 */
char *golden_chain (const GoldenCase *golden, gboolean offline);

/**
 * golden_is_supported:
 * @golden: a case
 *
 * Returns: whether all classes of its chains exist
 */
gboolean golden_is_supported (const GoldenCase *golden);

/**
 * golden_section:
 * @owner: a case, or the rollouts of a bare environment
 * @name: such as `forward`
 *
 * Returns: (transfer none) (nullable): that section
 */
const json_t *golden_section (const json_t *owner, const char *name);

/**
 * golden_section_data:
 * @section: a section with leaves
 *
 * Returns: (transfer full): its tensordict
 */
ReelTensordict *golden_section_data (const json_t *section);

/**
 * golden_env_spec:
 * @golden: a case
 *
 * Returns: (transfer full): the specs of its environment, as of reel_env_spec_new()
 */
ReelSpec *golden_env_spec (const GoldenCase *golden);

/**
 * golden_lane_observation:
 * @env: the table of an environment
 *
 * Returns: (transfer full): the observation spec of one lane of it
 */
ReelSpec *golden_lane_observation (const json_t *env);

/**
 * golden_lane_action:
 * @env: the table of an environment
 *
 * Returns: (transfer full): the action spec of one lane of it
 */
ReelSpec *golden_lane_action (const json_t *env);

/**
 * golden_lane_reward:
 * @env: the table of an environment
 *
 * Returns: (transfer full): the reward spec of one lane of it
 */
ReelSpec *golden_lane_reward (const json_t *env);

/**
 * golden_lane_done:
 * @env: the table of an environment
 *
 * Returns: (transfer full): the done spec of one lane of it
 */
ReelSpec *golden_lane_done (const json_t *env);

/**
 * golden_array:
 * @owner: the table of an environment, or a case
 * @name: such as `reset/observation`
 *
 * Returns: (transfer none) (nullable): the bytes of an array
 */
const guint8 *golden_array (const json_t *owner, const char *name);

/**
 * golden_assert_same:
 * @what: what is compared
 * @ours: a tensordict
 * @theirs: what TorchRL has: the same keys, dtypes and shapes
 * @bound: how far values may differ, relative to those above 1
 */
void golden_assert_same (const char *what, const ReelTensordict *ours, const ReelTensordict *theirs,
                         double bound);

/**
 * golden_error:
 * @json: `{"type", "text"}`
 *
 * Returns: the code of ours for an exception of Python's, −1 where any will do
 */
gint golden_error (const json_t *json);
