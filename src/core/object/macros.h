/* The base of every public header: the types of GLib, and the visibility of declarations. */
#pragma once

#include <glib-object.h>

/**
 * REEL_API:
 *
 * Marks a declaration as exported from the shared library, which hides everything else.
 */
#define REEL_API __attribute__ ((visibility ("default")))
