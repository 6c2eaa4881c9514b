/* The observations that a step reads: TorchRL's state spec. Private. */
#pragma once

#include "env.h"

G_BEGIN_DECLS

/**
 * ReelEnvStates:
 * @keys: (array zero-terminated=1) (nullable): of the leaves
 * @spec: composite of these leaves, empty where there is none
 * @leaves: (array length=n): which of the observations each is
 * @row_bytes: (array length=n): bytes of one lane's value
 * @n: their number
 */
typedef struct
{
  char **keys;
  ReelSpec *spec;
  guint *leaves;
  gsize *row_bytes;
  gsize n;
} ReelEnvStates;

/**
 * reel_env_states_find:
 * @self: states with @keys alone
 * @observation: the observations of the env
 * @error: KEY for a key that is none of them
 *
 * Returns: whether each was found
 */
gboolean reel_env_states_find (ReelEnvStates *self, const ReelSpec *observation, GError **error);

/**
 * reel_env_states_clear:
 * @self: states, or zeros
 */
void reel_env_states_clear (ReelEnvStates *self);

/**
 * reel_env_states_point:
 * @self: states
 * @root: (array): a column for each of the observations
 * @state: (array): room for as many as there are states
 *
 * Returns: (transfer none): @state, which are the columns of the states
 */
const guint8 *const *reel_env_states_point (const ReelEnvStates *self, guint8 *const *root,
                                            const guint8 **state);

G_END_DECLS
