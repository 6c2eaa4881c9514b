/* Values for the properties of an object that is about to be made. */
#pragma once

#include "object.h"

G_BEGIN_DECLS

/* The values of one id and a text, by name, in the order given. */
typedef struct
{
  ReelObjectClass *klass;
  const ReelId *id;
  GPtrArray *names;
  GArray *values;
} ReelSettings;

/**
 * reel_settings_init:
 * @settings: (out caller-allocates): what the id presets
 * @base: a kind of object
 * @name: an id, or an id without its version
 * @error: KEY
 *
 * Returns: whether there is such an id; @settings is to be cleared either way
 */
gboolean reel_settings_init (ReelSettings *settings, GType base, const char *name, GError **error);

/**
 * reel_settings_clear:
 * @settings: settings
 */
void reel_settings_clear (ReelSettings *settings);

/**
 * reel_settings_set:
 * @settings: settings
 * @name: a property, `_` for `-` allowed
 * @text: its value
 * @literal: whether strings and paths stand in @text as they are, not quoted
 * @error: KEY, VALUE
 *
 * A later value of the same property replaces the earlier.
 *
 * Returns: whether it was set
 */
gboolean reel_settings_set (ReelSettings *settings, const char *name, const char *text,
                            gboolean literal, GError **error);

/**
 * reel_settings_set_all:
 * @settings: settings
 * @text: `name=value{,name=value}`, or blank; the first item may be a value of the positional
 *   property
 * @error: KEY, VALUE
 *
 * Returns: whether all were set
 */
gboolean reel_settings_set_all (ReelSettings *settings, const char *text, GError **error);

/**
 * reel_settings_are_set:
 * @settings: settings
 * @pspec: a property
 *
 * Returns: whether the id or a later call set it
 */
gboolean reel_settings_are_set (const ReelSettings *settings, GParamSpec *pspec);

/**
 * reel_settings_set_value:
 * @settings: settings
 * @pspec: a property
 * @value: a value of it, copied
 */
void reel_settings_set_value (ReelSettings *settings, GParamSpec *pspec, const GValue *value);

/**
 * reel_settings_get:
 * @settings: settings
 * @pspec: a property
 *
 * Returns: (transfer none): the value set, or the default
 */
const GValue *reel_settings_get (const ReelSettings *settings, GParamSpec *pspec);

/**
 * reel_settings_construct:
 * @settings: settings
 * @error: whatever the class's build says
 *
 * Returns: (transfer full): the object
 */
gpointer reel_settings_construct (ReelSettings *settings, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelSettings, reel_settings_clear)

G_END_DECLS
