/* Specs in one short call, which must not fail; and the elements of what they give. */
#pragma once

#include "../src/reel.h"

/* The two arguments of a shape: SHAPE (3, 2), or SCALAR. */
#define SHAPE(...) (gint) G_N_ELEMENTS (((gint64[]){ __VA_ARGS__ })), ((gint64[]){ __VA_ARGS__ })
#define SCALAR 0, NULL

/* One low and one high for all elements. */
ReelSpec *make_bounded (ReelDtype dtype, gint ndim, const gint64 *shape, double low, double high);

/* Two float32 elements, each with its own bounds. */
ReelSpec *make_bounded_pair (double low0, double high0, double low1, double high1);

ReelSpec *make_unbounded (ReelDtype dtype, gint ndim, const gint64 *shape);
ReelSpec *make_categorical (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape);
ReelSpec *make_one_hot (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape);
ReelSpec *make_binary (ReelDtype dtype, gint ndim, const gint64 *shape);
ReelSpec *make_composite (gint ndim, const gint64 *shape, const char *const *keys,
                          ReelSpec *const *specs, gsize n);

/* Any leaf by its text form. */
ReelSpec *make_from_text (const char *text);

/* Contiguous tensors of as many elements as the shape has. */
ReelTensor *make_integers (gint ndim, const gint64 *shape, ...);
ReelTensor *make_bools (gint ndim, const gint64 *shape, ...);

/* A composite of "obs", unbounded, and "n/act", categorical, of shape [3]. */
ReelSpec *make_nested (void);

/* Element @i of a contiguous tensor. */
double get_element (const ReelTensor *tensor, gint64 i);
