/* The network of a learner as a file of weights, which the mlp policy, PyTorch and others read. */
#pragma once

#include "learner.h"

G_BEGIN_DECLS

/* Writes a .safetensors file of 0.weight, 0.bias, 2.weight and so on, the names of
 * torch.nn.Sequential with activations between; replaces one. Outputs for a box are those of the
 * box itself, where the policy takes them as they are. */
gboolean export_policy (const Learner *learner, const char *path, GError **error);

/* The text of the policy that acts by it; NULL where it sees pixels, which mlp does not. */
char *export_dup_text (const Learner *learner, const char *path);

G_END_DECLS
