/* A small tensordict to be written as a directory, and directories read back, which must not fail.
 */
#pragma once

#include "../src/reel.h"

#define TENSORDICT "<class 'tensordict._td.TensorDict'>"

/* Two rows of int16 "a" [3], which count from 0, and uint8 "next/b c" []. */
ReelTensordict *memmap_new_example (void);

/* The contents of a directory, to be written to in place. */
ReelTensordict *memmap_load (const char *path);
