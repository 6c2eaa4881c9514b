/* Objects with named properties, made from text. */
#pragma once

#include <gio/gio.h>

#include "error.h"

G_BEGIN_DECLS

/**
 * ReelObject:
 *
 * Base of everything that users pick by name and configure: environments, policies, storages,
 * samplers, writers, collectors. Construction can fail (it is a #GInitable); properties are struct
 * fields, fixed at construction unless marked mutable. One thread at a time uses an object.
 */
#define REEL_TYPE_OBJECT (reel_object_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelObject, reel_object, REEL, OBJECT, GObject)

/**
 * ReelId:
 * @id: what users type, such as `CartPole-v1` or `round-robin`. A trailing `-vN` is its version:
 *   the name without it means the newest
 * @preset: (nullable): properties that the id sets, in the text grammar: `max-episode-steps=500`
 * @blurb: one line for listings
 *
 * One of the names of a class.
 */
typedef struct
{
  const char *id;
  const char *preset;
  const char *blurb;
} ReelId;

/**
 * ReelAlias:
 * @name: what another library calls a property, lower case or not, with hyphens: `max-size`
 * @property: the property
 *
 * A second name of a property. Text may use it, and nothing prints it but descriptions.
 */
typedef struct
{
  const char *name;
  const char *property;
} ReelAlias;

/**
 * ReelOptional:
 * @names: (array zero-terminated=1): names without their versions
 * @library: what they need, such as `MuJoCo`
 * @remedy: how a build gets it
 *
 * Names that are there only where the library was built with another one, so that a build without
 * it can say so.
 */
typedef struct
{
  const char *const *names;
  const char *library;
  const char *remedy;
} ReelOptional;

/**
 * ReelObjectClass:
 * @ids: (array zero-terminated=1): the names of the class, ended by a %NULL id; %NULL in abstract
 *   classes
 * @aliases: (array zero-terminated=1) (nullable): second names of properties, ended by a %NULL
 *   name; those of the ancestors hold too
 * @kind: what messages call it, such as `environment`; set by the abstract base
 * @optional: optional, set by the abstract base: what builds with a certain library alone have
 * @positional: (nullable): the property of text that the first item sets where it has no name:
 *   `exec:'python3 my_env.py'`
 * @wrapper: (nullable): set by the abstract base: a class of TorchRL whose first argument names
 * what it wraps, such as `GymEnv`: text may use it
 * @wrapper_argument: (nullable): the name of that argument, such as `env_name`
 * @build: makes the object usable after its properties are set; chains up first. Default: nothing.
 *   Returns FALSE and sets the error when that can't be
 * @chain: optional, set by the abstract base of what can be chained: one object of those that text
 *   joins by `|`, of which it takes references
 * @extend: optional, set by the abstract base: an object of the first of those that text joins by
 *   `|`, and of the text of the rest, which are of another base
 * @to_text: as reel_object_to_text(). Default: the id and the properties
 *
 * A class: what it is called and how it comes to life.
 */
struct _ReelObjectClass
{
  GObjectClass parent_class;

  const ReelId *ids;
  const ReelAlias *aliases;
  const char *kind;
  const ReelOptional *optional;
  const char *positional;
  const char *wrapper;
  const char *wrapper_argument;
  gboolean (*build) (ReelObject *self, GError **error);
  gpointer (*chain) (GPtrArray *objects, GError **error);
  gpointer (*extend) (gpointer first, const char *rest, GError **error);
  char *(*to_text) (ReelObject *self);
};

/**
 * ReelPropertyFlags:
 * @REEL_PROPERTY_CONSTRUCT_ONLY: fixed at construction
 * @REEL_PROPERTY_MUTABLE: may be written later, by the thread that uses the object
 *
 * Time at which a property may be written.
 */
typedef enum
{
  REEL_PROPERTY_CONSTRUCT_ONLY = 0,
  REEL_PROPERTY_MUTABLE = 1 << 0,
} ReelPropertyFlags;

/**
 * reel_object_class_add_bool:
 * @klass: the class, in its class_init
 * @name: the property, lower case with hyphens
 * @offset: `G_STRUCT_OFFSET` of a gboolean field of the instance
 * @initial: the default
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * Adds a property that is true or false.
 */
REEL_API
void reel_object_class_add_bool (ReelObjectClass *klass, const char *name, gsize offset,
                                 gboolean initial, const char *blurb, ReelPropertyFlags flags);

/**
 * reel_object_class_add_int64:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of a gint64 field
 * @low: smallest value
 * @high: largest value
 * @initial: the default
 * @unit: (nullable): such as `rows`
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * Adds a property that is an integer within bounds.
 */
REEL_API
void reel_object_class_add_int64 (ReelObjectClass *klass, const char *name, gsize offset,
                                  gint64 low, gint64 high, gint64 initial, const char *unit,
                                  const char *blurb, ReelPropertyFlags flags);

/**
 * reel_object_class_add_double:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of a double field
 * @low: smallest value; %G_MINDOUBLE reads as `above 0`
 * @high: largest value
 * @initial: the default
 * @unit: (nullable): such as `m/s^2`
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * NaN is refused.
 */
REEL_API
void reel_object_class_add_double (ReelObjectClass *klass, const char *name, gsize offset,
                                   double low, double high, double initial, const char *unit,
                                   const char *blurb, ReelPropertyFlags flags);

/**
 * reel_object_class_add_string:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of a `char *` field, freed with the object
 * @initial: (nullable): the default
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * Adds a property that is a text.
 */
REEL_API
void reel_object_class_add_string (ReelObjectClass *klass, const char *name, gsize offset,
                                   const char *initial, const char *blurb, ReelPropertyFlags flags);

/**
 * reel_object_class_add_path:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of a `char *` field, freed with the object
 * @initial: (nullable): the default
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * As reel_object_class_add_string(), for the name of a file or directory.
 */
REEL_API
void reel_object_class_add_path (ReelObjectClass *klass, const char *name, gsize offset,
                                 const char *initial, const char *blurb, ReelPropertyFlags flags);

/**
 * reel_object_class_add_text:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of a `char *` field, freed with the object, %NULL at first
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * Adds a property that is a text with brackets of its own, such as that of a spec. It is written in
 * brackets: `primers=(composite:…)`.
 */
REEL_API
void reel_object_class_add_text (ReelObjectClass *klass, const char *name, gsize offset,
                                 const char *blurb, ReelPropertyFlags flags);

/**
 * reel_object_class_add_enum:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of an `int` field
 * @words: (array zero-terminated=1): the values' words, value 0 first; static
 * @initial: the default, an index of @words
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * Adds a property whose value is one of some words.
 */
REEL_API
void reel_object_class_add_enum (ReelObjectClass *klass, const char *name, gsize offset,
                                 const char *const *words, int initial, const char *blurb,
                                 ReelPropertyFlags flags);

/**
 * reel_object_class_add_list:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of a `GArray *` field of doubles, freed with the object, %NULL when empty
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * Adds a property that is a list of numbers. One number stands for a list of one.
 */
REEL_API
void reel_object_class_add_list (ReelObjectClass *klass, const char *name, gsize offset,
                                 const char *blurb, ReelPropertyFlags flags);

/**
 * reel_object_class_add_words:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of a `GStrv` field, freed with the object, %NULL when empty
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * A list of words, such as keys: `[observation,next/observation]`. One word stands for a list of
 * one.
 */
REEL_API
void reel_object_class_add_words (ReelObjectClass *klass, const char *name, gsize offset,
                                  const char *blurb, ReelPropertyFlags flags);

/**
 * reel_object_class_add_object:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of a pointer field to a #ReelObject, unreffed with the object
 * @base: the class that the value must be of
 * @blurb: what it is for
 * @flags: whether it may change
 *
 * Adds a property that is another object, named by its text.
 */
REEL_API
void reel_object_class_add_object (ReelObjectClass *klass, const char *name, gsize offset,
                                   GType base, const char *blurb, ReelPropertyFlags flags);

/**
 * reel_object_new_from_text:
 * @base: the kind of object, such as %REEL_TYPE_ENV
 * @text: `id[:name=value{,name=value}]`; a value is a number, a word, `'quoted'`, `[v,…]`,
 *   `(object)` or `(text)`. Numbers may be written `1e6`, `1M`, `1_000_000`; in names `_` is `-`
 * @error: KEY for an unknown id or property, with the closest there is; VALUE for a value out of
 *   range or unreadable, with the range; TYPE; whatever the class's build says
 * @...: (nullable): pairs of a property name and a text value that override @text, ended by %NULL;
 *   strings and paths among them are taken as they are, without quotes
 *
 * The one way from a name to an object. In quotes `''` is a quote; an empty string, `[]` and `()`
 * mean none. Where @base can be chained (transforms), `a|b` is one object that is both, and `(a|b)`
 * one of its own inside another chain; what overrides @text is for an object that is no chain.
 *
 * Returns: (transfer full) (type ReelObject): the object, not floating
 */
REEL_API
gpointer reel_object_new_from_text (GType base, const char *text, GError **error,
                                    ...) G_GNUC_NULL_TERMINATED;

/**
 * reel_object_new_like:
 * @like: an object
 * @base: the kind of object to make
 * @text: as for reel_object_new_from_text(); no chain
 * @error: as for reel_object_new_from_text()
 * @...: (nullable): as for reel_object_new_from_text()
 *
 * As reel_object_new_from_text(), but a mutable property that neither @text nor what overrides it
 * sets has the value that it has in @like, where @like has it.
 *
 * Returns: (transfer full) (type ReelObject): the object, not floating
 */
REEL_API
gpointer reel_object_new_like (ReelObject *like, GType base, const char *text, GError **error,
                               ...) G_GNUC_NULL_TERMINATED;

/**
 * reel_object_text_with_default:
 * @text: the text of an object, or of a chain, as for reel_object_new_from_text()
 * @name: a property
 * @value: the text of a value
 *
 * Sets a property of the object, or of the first of a chain, unless @text sets it.
 *
 * Returns: (transfer full): the text of the object with the property
 */
REEL_API
char *reel_object_text_with_default (const char *text, const char *name, const char *value);

/**
 * reel_object_to_text:
 * @self: an object
 *
 * Returns: (transfer full): its id and the properties that differ from what the id presets, in the
 *   grammar that reel_object_new_from_text() reads
 */
REEL_API
char *reel_object_to_text (ReelObject *self);

/**
 * reel_object_get_id:
 * @self: an object
 *
 * Returns: (transfer none): the full id that it was made by, `CartPole-v1`; without one, the name
 *   of its class
 */
REEL_API
const char *reel_object_get_id (ReelObject *self);

/**
 * reel_object_list_ids:
 * @base: a kind of object
 * @n: (out): how many
 *
 * Returns: (transfer container) (array length=n): the ids of every class below @base, sorted; free
 *   with g_free()
 */
REEL_API
const ReelId **reel_object_list_ids (GType base, gsize *n);

/**
 * ReelPropertyInfo:
 * @name: what users type
 * @kind: `bool`, `int64`, `double`, `string`, `path`, `text`, `enum`, `list`, `words` or
 *   `object`
 * @range: what a value must be, its unit included: `0 to 1 m`, `portable or libm`
 * @unit: (nullable): its unit alone
 * @initial: what the id presets, in the text grammar
 * @blurb: what it is for
 * @is_mutable: whether it may change after construction
 *
 * The description of a property.
 */
typedef struct
{
  char *name;
  char *kind;
  char *range;
  char *unit;
  char *initial;
  char *blurb;
  gboolean is_mutable;
} ReelPropertyInfo;

/**
 * reel_object_list_properties:
 * @base: a kind of object
 * @id: an id of it
 * @error: KEY for an unknown id, with the closest there is
 *
 * Returns: (transfer full) (element-type ReelPropertyInfo): the properties of @id, those of its
 *   ancestors first; free with g_ptr_array_unref()
 */
REEL_API
GPtrArray *reel_object_list_properties (GType base, const char *id, GError **error);

/**
 * reel_object_describe:
 * @base: a kind of object
 * @id: an id of it
 * @error: KEY for an unknown id, with the closest there is
 *
 * Returns: (transfer full): a table of the properties of @id: name, kind, range, unit, default,
 *   what for; one a line
 */
REEL_API
char *reel_object_describe (GType base, const char *id, GError **error);

/**
 * reel_closest_word:
 * @word: what was typed
 * @words: (array zero-terminated=1): what there is
 *
 * Returns: (transfer none) (nullable): the word of @words that was probably meant (optimal string
 *   alignment distance at most a third of the length, case and `-`/`_` ignored)
 */
REEL_API
const char *reel_closest_word (const char *word, const char *const *words);

/**
 * reel_parse_int64:
 * @text: a number as users write it: `1000`, `1e6`, `1M`, `1_000_000`, `2.5k`
 * @low: smallest value
 * @high: largest value
 * @value: (out): the number
 * @error: VALUE when @text is no whole number or out of range, naming both
 *
 * The message is the end of a sentence, `cannot be 7: it must be 1 to 5`: prefix the thing.
 *
 * Returns: whether @value was set
 */
REEL_API
gboolean reel_parse_int64 (const char *text, gint64 low, gint64 high, gint64 *value,
                           GError **error);

G_END_DECLS
