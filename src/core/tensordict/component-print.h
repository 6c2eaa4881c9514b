/* The common form of printed storages, samplers, writers and buffers. Private. */
#pragma once

#include "tensordict.h"

/**
 * reel_print_call:
 * @name: a class
 * @arguments: its arguments, one or more lines
 *
 * Returns: (transfer full): @arguments between brackets on lines of their own, indented by 4, as
 *   Python prints components of a buffer
 */
char *reel_print_call (const char *name, const char *arguments);

/**
 * reel_print_size:
 * @td: a tensordict
 * @n: how many of its batch dimensions
 *
 * Returns: (transfer full): `torch.Size([3, 2])`
 */
char *reel_print_size (const ReelTensordict *td, gint n);
