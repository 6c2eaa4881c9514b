/* Environments as Gymnasium registers them, for datasets that others open. Private to the library.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_gymnasium_spec_new:
 * @text: the text of an environment, such as `CartPole-v1:num-envs=4`
 * @why: (out) (transfer full): where there is none, the reason, such as `Gymnasium has no "Foo"`
 *
 * The environment as JSON, as `EnvSpec.to_json()` of Gymnasium 1.4 has it, from which
 * `gymnasium.make()` makes one lane of it.
 *
 * Returns: (transfer full) (nullable): the JSON
 */
char *reel_gymnasium_spec_new (const char *text, char **why);

G_END_DECLS
