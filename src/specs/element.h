/* Single elements as integers and reals, whatever their dtype. Private. */
#pragma once

#include "../core/tensor/dtype.h"

G_BEGIN_DECLS

/* Holds the values of every integer type. */
typedef __int128 ReelInteger;

/**
 * reel_element_is_integer:
 * @dtype: an element type
 *
 * Returns: whether @dtype is bool or one of the integer types
 */
gboolean reel_element_is_integer (ReelDtype dtype);

/**
 * reel_element_limits:
 * @dtype: bool or an integer type
 * @low: (out): least value
 * @high: (out): greatest value
 */
void reel_element_limits (ReelDtype dtype, ReelInteger *low, ReelInteger *high);

/**
 * reel_element_load_integer:
 * @dtype: bool or an integer type
 * @element: one element
 *
 * Returns: its value
 */
ReelInteger reel_element_load_integer (ReelDtype dtype, gconstpointer element);

/**
 * reel_element_store_integer:
 * @dtype: bool or an integer type
 * @element: where to store one element
 * @value: its value; what @dtype cannot hold wraps, bool takes whether it differs from 0
 */
void reel_element_store_integer (ReelDtype dtype, gpointer element, ReelInteger value);

/**
 * reel_element_cast:
 * @from: type of @source
 * @source: one element
 * @to: type of @target
 * @target: where to store the same value: integers wrap, reals are truncated toward zero and
 *   saturate, a complex number loses its imaginary part
 */
void reel_element_cast (ReelDtype from, gconstpointer source, ReelDtype to, gpointer target);

/**
 * reel_element_predecessor:
 * @dtype: a real floating type
 * @element: an element but −∞, replaced by the next one below
 */
void reel_element_predecessor (ReelDtype dtype, gpointer element);

/**
 * reel_element_format:
 * @dtype: a type that is not complex
 * @element: one element
 *
 * Returns: (transfer full): its value in decimal, 6 digits or as many more as it needs to be read
 *   back
 */
char *reel_element_format (ReelDtype dtype, gconstpointer element);

G_END_DECLS
