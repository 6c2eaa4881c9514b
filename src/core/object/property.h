/* Properties of objects: struct fields with a kind, a range, a unit and a text form. */
#pragma once

#include "object.h"

G_BEGIN_DECLS

typedef enum
{
  REEL_PROPERTY_BOOL,
  REEL_PROPERTY_INT64,
  REEL_PROPERTY_DOUBLE,
  REEL_PROPERTY_STRING,
  REEL_PROPERTY_PATH,
  REEL_PROPERTY_TEXT,
  REEL_PROPERTY_ENUM,
  REEL_PROPERTY_LIST,
  REEL_PROPERTY_WORDS,
  REEL_PROPERTY_OBJECT,
} ReelPropertyKind;

/* Facts about a property that a GParamSpec lacks. */
typedef struct
{
  ReelPropertyKind kind;
  gsize offset;
  const char *unit;
  const char *const *words;
} ReelProperty;

/**
 * reel_property_list:
 * @klass: a class
 * @n: (out): how many
 *
 * Returns: (transfer container) (array length=n): the specs of @klass's properties that have a text
 *   form, those of its ancestors first, in the order in which they were added
 */
GParamSpec **reel_property_list (ReelObjectClass *klass, guint *n);

/**
 * reel_property_resolve_alias:
 * @klass: a class
 * @name: what a text calls a property
 *
 * Returns: (transfer none): the property that it is a second name of, or @name
 */
const char *reel_property_resolve_alias (ReelObjectClass *klass, const char *name);

/**
 * reel_property_list_aliases:
 * @klass: a class
 * @name: a property
 *
 * Returns: (transfer container) (array zero-terminated=1): its second names; free with g_free()
 */
const char **reel_property_list_aliases (ReelObjectClass *klass, const char *name);

/**
 * reel_property_get:
 * @pspec: a spec from reel_property_list()
 *
 * Returns: (transfer none): what else is known of it
 */
const ReelProperty *reel_property_get (GParamSpec *pspec);

/**
 * reel_property_parse:
 * @pspec: a property
 * @text: a value in the grammar
 * @literal: whether strings and paths stand in @text as they are, not quoted
 * @value: (out caller-allocates): zeroed; initialised on success
 * @error: VALUE or KEY, naming the property, the value and what it must be
 *
 * Returns: whether @text is a value of @pspec
 */
gboolean reel_property_parse (GParamSpec *pspec, const char *text, gboolean literal, GValue *value,
                              GError **error);

/**
 * reel_property_format:
 * @pspec: a property
 * @value: a value of it
 *
 * Returns: (transfer full): text that reel_property_parse() reads as the same value
 */
char *reel_property_format (GParamSpec *pspec, const GValue *value);

/**
 * reel_property_range:
 * @pspec: a property
 *
 * Returns: (transfer full): what a value must be: `0 to 1 m`, `portable or libm`, `true or false`
 */
char *reel_property_range (GParamSpec *pspec);

/**
 * reel_property_clear_fields:
 * @object: an object
 *
 * Frees what its string, path, list and object properties hold.
 */
void reel_property_clear_fields (GObject *object);

/**
 * reel_object_id_and_properties:
 *
 * The default of reel_object_to_text().
 */
char *reel_object_id_and_properties (ReelObject *self);

G_END_DECLS
