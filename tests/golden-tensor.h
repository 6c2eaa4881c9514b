/* Tensors and tensordicts as the tables of the real library's outputs hold them. */
#pragma once

#include "../src/reel.h"

#include <jansson.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

/**
 * golden_load:
 * @name: a file of tests/data
 *
 * Returns: (transfer full): what it holds
 */
json_t *golden_load (const char *name);

/**
 * golden_double:
 * @value: a number, or the text of one in hexadecimal
 *
 * Returns: its value
 */
double golden_double (const json_t *value);

/**
 * golden_tensor:
 * @json: `{"dtype", "shape", "data"}`
 *
 * Returns: (transfer full): the tensor
 */
ReelTensor *golden_tensor (const json_t *json);

/**
 * golden_tensordict:
 * @json: `{"batch_size", "keys": {path: tensor}}`
 *
 * Returns: (transfer full): the tensordict
 */
ReelTensordict *golden_tensordict (const json_t *json);
