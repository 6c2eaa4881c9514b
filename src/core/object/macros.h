/* What every public header needs: the types of GLib, and the visibility of what it declares. */
#pragma once

#include <glib-object.h>

/**
 * REEL_API:
 *
 * Marks a declaration as exported from the shared library, which hides everything else.
 */
#define REEL_API __attribute__ ((visibility ("default")))
