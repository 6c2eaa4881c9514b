/* A fuzz target: one function that takes any bytes. Linked with fuzz-corpus.c it runs over its seed
 * corpus as a test; linked with libFuzzer it looks for more. */
#pragma once

#include <glib.h>

/* Runs the code under test over @size bytes of @data; aborts where a promise does not hold. */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);
