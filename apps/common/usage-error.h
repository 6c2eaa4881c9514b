/* Errors of the command line, and its options by name. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

#define USAGE_ERROR (usage_error_quark ())
GQuark usage_error_quark (void);

/* Sets a USAGE_ERROR: the command line itself is wrong. */
void set_usage_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The entry of a long name, or NULL. */
const GOptionEntry *options_find_entry (const GOptionEntry *entries, const char *name);

G_END_DECLS
