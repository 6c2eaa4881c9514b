/* What binary specs share with categorical ones: integers from 0 to n − 1. Private. */
#pragma once

#include "spec-kind.h"

G_BEGIN_DECLS

/* Slots of #ReelSpecKind for kinds whose elements are integers below their get_n (). */
gboolean reel_categorical_spec_equal (const ReelSpec *spec, const ReelSpec *other);
void reel_categorical_spec_draw_rows (const ReelSpec *spec, ReelRandomKey key, gint64 first,
                                      gint64 n, guint8 *rows);
gint64 reel_categorical_spec_find_outside (const ReelSpec *spec, const guint8 *values,
                                           gint64 n_values, char **why);
ReelDtype reel_categorical_spec_project_dtype (const ReelSpec *spec, ReelDtype dtype);
void reel_categorical_spec_project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values,
                                    gint64 n_values, guint8 *projected);

/**
 * reel_categorical_spec_check:
 * @word: what the kind is called
 * @n: number of values
 * @dtype: type of the elements
 * @highest: the greatest value that an element must hold
 * @error: VALUE
 *
 * Returns: whether @n is positive and @dtype an integer type that holds @highest
 */
gboolean reel_categorical_spec_check (const char *word, gint64 n, ReelDtype dtype, gint64 highest,
                                      GError **error);

G_END_DECLS
