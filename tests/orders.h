/* All orders of a few things. */
#pragma once

#include <glib.h>

/* orders_next: the order after @order, in which 0 to n − 1 are first; whether there is one. */
gboolean orders_next (gint64 *order, int n);
