/* A lazy stack of four elements along any dimension, and what is asked of lazy stacks. */
#pragma once

#include "filled-tensors.h"

#define N 4

typedef struct
{
  ReelTensordict *elements[N];
  ReelTensordict *stack;
} Fixture;

/* Adds the test once for each dimension to stack along, which it gets as data. */
void add_for_each_dim (const char *path, void (*test) (Fixture *, gconstpointer));

/* Batch size [2, 3], named p, q; a, sub/b of shape [2, 3], ragged [2, 3, n], word a string; odd
 * ones have odd, too. The first of the four is 1. */
ReelTensordict *new_element (gint64 n);

/* Extents, with a blank between them. */
void assert_size (const ReelTensordict *td, const char *expected);

/* Names, with a blank between them, `-` for none. */
void assert_names (const ReelTensordict *td, const char *expected);

/* @error, which is cleared, has this code and begins so. */
void assert_error_begins (GError **error, ReelError code, const char *beginning);
