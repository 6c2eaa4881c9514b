/* Objects by name: ids, presets, the text grammar, ranges, suggestions. */
#include "../src/reel.h"

#include <math.h>
#include <string.h>

/* ---- a kind of object, two classes of it and a class of another kind ---- */

typedef struct
{
  ReelObject parent_instance;

  gint64 size;
} Thing;

typedef struct
{
  ReelObjectClass parent_class;
} ThingClass;

static GType thing_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Thing, g_object_unref)
G_DEFINE_ABSTRACT_TYPE (Thing, thing, REEL_TYPE_OBJECT)

static void
thing_class_init (ThingClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->kind = "thing";
  reel_object_class_add_int64 (object_class, "size", G_STRUCT_OFFSET (Thing, size), 1, 1000000000,
                               8, "rows", "how large", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
thing_init (Thing *self)
{
}

typedef struct
{
  Thing parent_instance;

  gboolean bright;
  gint64 any;
  double gravity;
  double beta;
  double mass;
  double tau;
  char *title;
  char *file;
  int math;
  GArray *limits;
  GStrv tags;
  char *note;
  ReelObject *inner;
} Pole;

typedef struct
{
  ThingClass parent_class;
} PoleClass;

static GType pole_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pole, g_object_unref)
G_DEFINE_TYPE (Pole, pole, thing_get_type ())

static const char *const math_words[] = { "portable", "libm", "fast", NULL };

static gboolean
pole_build (ReelObject *object, GError **error)
{
  Pole *self = (Pole *) object;

  if (!REEL_OBJECT_CLASS (pole_parent_class)->build (object, error))
    return FALSE;
  if (self->file && g_str_has_suffix (self->file, ".missing"))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "\"%s\" is not there", self->file);
      return FALSE;
    }
  return TRUE;
}

static void
pole_class_init (PoleClass *klass)
{
  static const ReelId ids[] = { { "Pole-v0", "size=200", "the old one" },
                                { "Pole-v2", "size=500,title='two, new',limits=[1,2]", "the new" },
                                { "Pole-v10", NULL, "the newest" },
                                { "pole-plain", "inner=(bar)", "no version" },
                                { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  object_class->ids = ids;
  object_class->build = pole_build;
  reel_object_class_add_bool (object_class, "bright", G_STRUCT_OFFSET (Pole, bright), TRUE, "lamp",
                              fixed);
  reel_object_class_add_int64 (object_class, "any-int", G_STRUCT_OFFSET (Pole, any), G_MININT64,
                               G_MAXINT64, 0, NULL, "anything", fixed);
  reel_object_class_add_double (object_class, "gravity", G_STRUCT_OFFSET (Pole, gravity), 0, 1e6,
                                9.8, "m/s^2", "pull", fixed);
  reel_object_class_add_double (object_class, "beta", G_STRUCT_OFFSET (Pole, beta), -INFINITY,
                                INFINITY, 0, "units", "exponent", REEL_PROPERTY_MUTABLE);
  reel_object_class_add_double (object_class, "mass", G_STRUCT_OFFSET (Pole, mass), G_MINDOUBLE,
                                INFINITY, 1, "kg", "of it", fixed);
  reel_object_class_add_double (object_class, "tau", G_STRUCT_OFFSET (Pole, tau), G_MINDOUBLE, 1,
                                0.5, "s", "a step", fixed);
  reel_object_class_add_string (object_class, "title", G_STRUCT_OFFSET (Pole, title), NULL, "name",
                                fixed);
  reel_object_class_add_path (object_class, "file", G_STRUCT_OFFSET (Pole, file), "none.xml",
                              "model", fixed);
  reel_object_class_add_enum (object_class, "math", G_STRUCT_OFFSET (Pole, math), math_words, 0,
                              "which sines", fixed);
  reel_object_class_add_list (object_class, "limits", G_STRUCT_OFFSET (Pole, limits), "bounds",
                              fixed);
  reel_object_class_add_words (object_class, "tags", G_STRUCT_OFFSET (Pole, tags), "words", fixed);
  reel_object_class_add_object (object_class, "inner", G_STRUCT_OFFSET (Pole, inner),
                                thing_get_type (), "what it holds", fixed);
  reel_object_class_add_text (object_class, "note", G_STRUCT_OFFSET (Pole, note), "said of it",
                              fixed);
}

static void
pole_init (Pole *self)
{
}

typedef Thing Bar;
typedef ThingClass BarClass;

static GType bar_get_type (void);
G_DEFINE_TYPE (Bar, bar, thing_get_type ())

static void
bar_class_init (BarClass *klass)
{
  static const ReelId ids[] = { { "bar", NULL, "a bar" }, { NULL } };

  REEL_OBJECT_CLASS (klass)->ids = ids;
}

static void
bar_init (Bar *self)
{
}

/* ---- helpers ---- */

static Pole *
make (const char *text)
{
  g_autoptr (GError) error = NULL;
  Pole *pole = reel_object_new_from_text (thing_get_type (), text, &error, NULL);

  g_assert_no_error (error);
  return pole;
}

static void
refuse (const char *text, ReelError code, const char *message)
{
  g_autoptr (GError) error = NULL;
  gpointer object = reel_object_new_from_text (thing_get_type (), text, &error, NULL);

  g_assert_null (object);
  g_assert_error (error, REEL_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
}

/* ---- ids ---- */

static void
test_exact_id (void)
{
  g_autoptr (Pole) pole = make ("Pole-v0");

  g_assert_cmpstr (reel_object_get_id (REEL_OBJECT (pole)), ==, "Pole-v0");
  g_assert_cmpint (pole->parent_instance.size, ==, 200);
}

static void
test_no_version_is_the_newest (void)
{
  g_autoptr (Pole) pole = make ("Pole");

  g_assert_cmpstr (reel_object_get_id (REEL_OBJECT (pole)), ==, "Pole-v10");
  g_assert_cmpint (pole->parent_instance.size, ==, 8);
}

static void
test_unknown_id_is_answered (void)
{
  refuse ("Poel-v2", REEL_ERROR_KEY, "there is no thing \"Poel-v2\"; did you mean \"Pole-v2\"?");
  refuse ("Pole-v3", REEL_ERROR_KEY, "there is no thing \"Pole-v3\"; did you mean \"Pole-v2\"?");
  refuse ("pole", REEL_ERROR_KEY, "there is no thing \"pole\"; did you mean \"Pole\"?");
  refuse ("Pole_v2", REEL_ERROR_KEY, "there is no thing \"Pole_v2\"; did you mean \"Pole-v2\"?");
  refuse ("zebra", REEL_ERROR_KEY,
          "there is no thing \"zebra\"; there is Pole-v0, Pole-v2, Pole-v10, bar, pole-plain");
  refuse ("", REEL_ERROR_KEY,
          "the name of the thing is empty: a | needs one on both sides, and a : one before it");
}

static void
test_ids_are_listed_by_name_and_version (void)
{
  static const char *const expected[] = { "Pole-v0", "Pole-v2",    "Pole-v10",
                                          "bar",     "pole-plain", NULL };
  gsize n;
  g_autofree const ReelId **ids = reel_object_list_ids (thing_get_type (), &n);

  g_assert_cmpint (n, ==, 5);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpstr (ids[i]->id, ==, expected[i]);
}

static void
test_made_without_an_id (void)
{
  g_autoptr (Thing) thing = g_object_new (bar_get_type (), "size", G_GINT64_CONSTANT (9), NULL);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (thing));

  g_assert_cmpstr (reel_object_get_id (REEL_OBJECT (thing)), ==, "Bar");
  g_assert_cmpstr (text, ==, "Bar");
}

/* ---- properties ---- */

static void
test_every_kind_reaches_its_field (void)
{
  g_autoptr (Pole) pole =
      make ("Pole-v10: size = 1M ,bright=no,any-int=-9223372036854775808,gravity=1.6,beta=-inf,"
            "title='it''s, [so]',file=a/b=c.xml,math=libm,limits=[1, 2.5k,-inf],"
            "tags=[a, b/c,'d, ]e'],inner=(Pole-v0:gravity=3,inner=(bar:size=3))");
  Pole *inner = (Pole *) pole->inner;

  g_assert_cmpint (pole->parent_instance.size, ==, 1000000);
  g_assert_false (pole->bright);
  g_assert_cmpint (pole->any, ==, G_MININT64);
  g_assert_cmpfloat (pole->gravity, ==, 1.6);
  g_assert_cmpfloat (pole->beta, ==, -INFINITY);
  g_assert_cmpstr (pole->title, ==, "it's, [so]");
  g_assert_cmpstr (pole->file, ==, "a/b=c.xml");
  g_assert_cmpint (pole->math, ==, 1);
  g_assert_cmpint (pole->limits->len, ==, 3);
  g_assert_cmpfloat (g_array_index (pole->limits, double, 1), ==, 2500);
  g_assert_cmpint (g_strv_length (pole->tags), ==, 3);
  g_assert_cmpstr (pole->tags[1], ==, "b/c");
  g_assert_cmpstr (pole->tags[2], ==, "d, ]e");
  g_assert_cmpfloat (inner->gravity, ==, 3);
  g_assert_cmpint (((Thing *) inner->inner)->size, ==, 3);
}

static void
test_defaults_and_presets (void)
{
  g_autoptr (Pole) pole = make ("Pole-v2:size=7");

  g_assert_cmpint (pole->parent_instance.size, ==, 7);
  g_assert_true (pole->bright);
  g_assert_cmpfloat (pole->gravity, ==, 9.8);
  g_assert_cmpstr (pole->title, ==, "two, new");
  g_assert_cmpstr (pole->file, ==, "none.xml");
  g_assert_cmpint (pole->limits->len, ==, 2);
  g_assert_null (pole->inner);
}

static void
test_empty_means_none (void)
{
  g_autoptr (Pole) two = make ("Pole-v2:title='',limits=[],file='',tags=[]");
  g_autoptr (Pole) plain = make ("pole-plain:inner=()");

  g_assert_null (two->title);
  g_assert_null (two->limits);
  g_assert_null (two->file);
  g_assert_null (two->tags);
  g_assert_null (plain->inner);
}

static void
test_one_word_is_a_list_of_one (void)
{
  g_autoptr (Pole) pole = make ("Pole:tags=alone");

  g_assert_cmpint (g_strv_length (pole->tags), ==, 1);
  g_assert_cmpstr (pole->tags[0], ==, "alone");
}

static void
test_one_number_is_a_list_of_one (void)
{
  g_autoptr (Pole) pole = make ("Pole:limits=-1.5");

  g_assert_cmpuint (pole->limits->len, ==, 1);
  g_assert_cmpfloat (g_array_index (pole->limits, double, 0), ==, -1.5);
}

static void
test_an_object_needs_no_parentheses (void)
{
  g_autoptr (Pole) pole = make ("Pole:inner=bar");

  g_assert_cmpstr (reel_object_get_id (pole->inner), ==, "bar");
}

static void
test_underscores_are_hyphens_in_names (void)
{
  g_autoptr (Pole) pole = make ("Pole:any_int=3");

  g_assert_cmpint (pole->any, ==, 3);
  refuse ("Pole:any_int=3,any-int=4", REEL_ERROR_VALUE, "any-int is given twice");
}

static void
test_arguments_override_and_are_literal (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Pole) pole =
      reel_object_new_from_text (thing_get_type (), "Pole-v2:size=3,title=old", &error, "size",
                                 "1_000", "title", "it's, new", "math", "fast", NULL);

  g_assert_no_error (error);
  g_assert_cmpint (pole->parent_instance.size, ==, 1000);
  g_assert_cmpstr (pole->title, ==, "it's, new");
  g_assert_cmpint (pole->math, ==, 2);
}

static void
test_only_mutable_ones_change (void)
{
  g_autoptr (Pole) pole = make ("Pole");

  g_object_set (pole, "beta", 0.5, NULL);
  g_assert_cmpfloat (pole->beta, ==, 0.5);
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (pole), "gravity");
  g_assert_true (pspec->flags & G_PARAM_CONSTRUCT_ONLY);
}

/* ---- what is refused ---- */

static void
test_unknown_property_is_answered (void)
{
  refuse ("Pole-v2:graviti=1", REEL_ERROR_KEY,
          "thing Pole-v2 has no property \"graviti\"; did you mean \"gravity\"? it has "
          "size, bright, any-int, gravity, beta, mass, tau, title, file, math, limits, tags, "
          "inner, note");
  refuse ("Pole-v2:Gravity=1", REEL_ERROR_KEY,
          "thing Pole-v2 has no property \"Gravity\"; did you mean \"gravity\"? it has "
          "size, bright, any-int, gravity, beta, mass, tau, title, file, math, limits, tags, "
          "inner, note");
  refuse ("bar:zebra=1", REEL_ERROR_KEY, "thing bar has no property \"zebra\"; it has size");
  refuse ("bar:id=x", REEL_ERROR_KEY, "thing bar has no property \"id\"; it has size");
}

static void
test_out_of_range_is_answered (void)
{
  refuse ("Pole:gravity=-1", REEL_ERROR_VALUE, "gravity cannot be -1: it must be 0 to 1e+06 m/s^2");
  refuse ("Pole:gravity=inf", REEL_ERROR_VALUE,
          "gravity cannot be inf: it must be 0 to 1e+06 m/s^2");
  refuse ("Pole:gravity=nan", REEL_ERROR_VALUE,
          "gravity cannot be \"nan\": it must be a number, 0 to 1e+06 m/s^2");
  refuse ("Pole:beta=x", REEL_ERROR_VALUE, "beta cannot be \"x\": it must be any number of units");
  refuse ("Pole:mass=0", REEL_ERROR_VALUE, "mass cannot be 0: it must be above 0 kg");
  refuse ("Pole:tau=2", REEL_ERROR_VALUE, "tau cannot be 2: it must be above 0, at most 1 s");
  refuse ("Pole:size=0", REEL_ERROR_VALUE, "size cannot be 0: it must be 1 to 1000000000 rows");
  refuse ("Pole:size=1.5", REEL_ERROR_VALUE,
          "size cannot be \"1.5\": it must be a whole number, 1 to 1000000000 rows");
  refuse ("Pole:any-int=1e19", REEL_ERROR_VALUE,
          "any-int cannot be 1e19: it must be a whole number of 64 bits");
  refuse ("Pole:math=lib", REEL_ERROR_VALUE,
          "math cannot be \"lib\": it must be portable, libm or fast; did you mean \"libm\"?");
  refuse ("Pole:bright=maybe", REEL_ERROR_VALUE,
          "bright cannot be \"maybe\": it must be true or false");
  refuse ("Pole:limits=x", REEL_ERROR_VALUE, "limits cannot be \"x\": it must be [numbers]");
  refuse ("Pole:limits=[1,,2]", REEL_ERROR_VALUE,
          "limits cannot be \"[1,,2]\": it must be [numbers]");
  refuse ("Pole:tags=[a,b'c']", REEL_ERROR_VALUE,
          "tags cannot be b'c': it must be a word or 'quoted'");
  refuse ("Pole:inner=(bra)", REEL_ERROR_KEY,
          "inner: there is no thing \"bra\"; did you mean \"bar\"?");
  refuse ("Pole:inner=(bar:size=0)", REEL_ERROR_VALUE,
          "inner: size cannot be 0: it must be 1 to 1000000000 rows");
}

static void
test_brackets_are_64_deep (void)
{
  for (gint depth = 64; depth <= 65; depth++)
    {
      g_autofree char *open = g_strnfill ((gsize) depth, '(');
      g_autofree char *close = g_strnfill ((gsize) depth, ')');
      g_autofree char *text = g_strconcat ("Pole:inner=", open, close, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (thing_get_type (), text, &error, NULL));
      g_assert_error (error, REEL_ERROR, (depth == 64 ? REEL_ERROR_KEY : REEL_ERROR_VALUE));
      if (depth > 64)
        g_assert_true (g_str_has_suffix (error->message, "\" has brackets more than 64 deep"));
    }
}

static void
test_bad_grammar_is_answered (void)
{
  refuse ("Pole:title='abc", REEL_ERROR_VALUE, "\"title='abc\" has a ' without its other half");
  refuse ("Pole:limits=[1,(2]", REEL_ERROR_VALUE,
          "\"limits=[1,(2]\" has a ] without its other half");
  refuse ("Pole:inner=(bar", REEL_ERROR_VALUE, "\"inner=(bar\" has a ( without its other half");
  refuse ("Pole:inner=bar)", REEL_ERROR_VALUE, "\"inner=bar)\" has a ) without its other half");
  refuse ("Pole:gravity", REEL_ERROR_VALUE, "\"gravity\" sets no property: write name=value");
  refuse ("Pole:size=1,,any-int=2", REEL_ERROR_VALUE, "\"\" sets no property: write name=value");
  refuse ("Pole:size=1,size=2", REEL_ERROR_VALUE, "size is given twice");
  refuse ("Pole:title=a'b'", REEL_ERROR_VALUE,
          "title cannot be a'b': it must be a word or 'quoted'");
  refuse ("Pole:title='a'b", REEL_ERROR_VALUE, "title cannot be 'a'b: something follows the quote");
}

static void
test_build_may_fail (void)
{
  refuse ("Pole:file=x.missing", REEL_ERROR_IO, "\"x.missing\" is not there");
}

/* ---- round trips ---- */

static void
check_text (const char *given, const char *expected)
{
  g_autoptr (Pole) pole = make (given);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (pole));
  g_autoptr (Pole) again = make (text);
  g_autofree char *text_again = reel_object_to_text (REEL_OBJECT (again));

  g_assert_cmpstr (text, ==, expected);
  g_assert_cmpstr (text_again, ==, expected);
}

static void
test_to_text_says_what_differs (void)
{
  check_text ("Pole", "Pole-v10");
  check_text ("Pole-v0:size=200,gravity=9.8", "Pole-v0");
  check_text ("Pole-v2:gravity=0.1,size=1e3", "Pole-v2:size=1000,gravity=0.1");
  check_text ("Pole-v2:title='',limits=[]", "Pole-v2:title='',limits=[]");
  check_text ("pole-plain:inner=()", "pole-plain:inner=()");
  check_text ("Pole-v0:note=(a:b=(c,d=[1]),e='f)')", "Pole-v0:note=(a:b=(c,d=[1]),e='f)')");
  check_text ("Pole-v0:note='a'", "Pole-v0:note=(a)");
  check_text ("Pole-v0:note='(a'", "Pole-v0:note='(a'");
  check_text ("pole-plain:inner=(Pole-v0:title='a)')", "pole-plain:inner=(Pole-v0:title='a)')");
}

static const char awkward[] = "a,b|'[]() =:_-%\\\"\n";

static char *
random_string (void)
{
  GString *string = g_string_new (NULL);

  for (int n = g_test_rand_int_range (0, 6); n > 0; n--)
    g_string_append_c (string, awkward[g_test_rand_int_range (0, sizeof awkward - 1)]);
  return g_string_free (string, FALSE);
}

static void
test_any_values_survive (void)
{
  for (guint round = 0; round < 2000; round++)
    {
      g_autofree char *title = random_string ();
      g_autofree char *file = random_string ();
      g_autofree char *note = random_string ();
      double beta = ldexp (g_test_rand_double_range (-1, 1), g_test_rand_int_range (-900, 900));
      g_autoptr (GArray) limits = g_array_new (FALSE, FALSE, sizeof (double));
      const char *const tags[] = { title, file, NULL };
      g_array_append_val (limits, beta);
      g_autoptr (Pole) inner = g_object_new (pole_get_type (), "id", "Pole-v2", "title", file,
                                             "size", (gint64) 1 + round, "limits", limits, NULL);
      g_autoptr (Pole) pole = g_object_new (
          pole_get_type (), "id", "Pole-v0", "title", title, "file", file, "beta", beta, "any-int",
          (gint64) ((guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ()), "math",
          g_test_rand_int_range (0, 3), "bright", g_test_rand_bit (), "tags", tags, "inner", inner,
          "note", note, NULL);
      g_autofree char *text = reel_object_to_text (REEL_OBJECT (pole));
      g_autoptr (Pole) again = make (text);
      g_autofree char *text_again = reel_object_to_text (REEL_OBJECT (again));

      g_assert_cmpstr (text_again, ==, text);
      g_assert_cmpstr (again->title, ==, *title ? title : NULL);
      g_assert_cmpstr (((Pole *) again->inner)->title, ==, *file ? file : NULL);
      g_assert_cmpstrv (again->tags, tags);
      g_assert_cmpstr (again->note, ==, *note ? note : NULL);
      g_assert_cmpfloat (again->beta, ==, beta);
      g_assert_cmpint (again->any, ==, pole->any);
    }
}

static void
test_describe (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = reel_object_describe (thing_get_type (), "Pole-v2", &error);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_assert_no_error (error);
  g_assert_cmpint (g_strv_length (lines), ==, 1 + 14 + 1);
  g_assert_true (g_str_has_prefix (lines[0], "property  kind"));
  g_assert_cmpstr (
      lines[1], ==,
      "size      int64            1 to 1000000000 rows             500         how large");
  g_assert_true (strstr (lines[5], "double, mutable"));
  g_assert_true (strstr (lines[10], "portable, libm or fast"));
  g_assert_true (strstr (lines[13], "(thing)"));
  g_assert_true (strstr (lines[14], "text"));

  g_assert_null (reel_object_describe (thing_get_type (), "Pole-v1", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

static void
test_made_like_another (void)
{
  g_autoptr (Pole) first = make ("Pole:beta=3,gravity=1");
  g_autoptr (Pole) like =
      reel_object_new_like (REEL_OBJECT (first), pole_get_type (), "Pole:size=9", NULL, NULL);
  g_autoptr (Pole) other = reel_object_new_like (REEL_OBJECT (first), pole_get_type (),
                                                 "Pole:beta=0,size=9", NULL, "size", "7", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpfloat (like->beta, ==, 3);
  g_assert_cmpfloat (like->gravity, ==, 9.8);
  g_assert_cmpint (((Thing *) like)->size, ==, 9);
  g_assert_cmpfloat (other->beta, ==, 0);
  g_assert_cmpint (((Thing *) other)->size, ==, 7);
  g_assert_null (
      reel_object_new_like (REEL_OBJECT (first), pole_get_type (), "Pole:size=x", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (pole_get_type ());
  g_type_ensure (bar_get_type ());

  g_test_add_func ("/core/object/exact-id", test_exact_id);
  g_test_add_func ("/core/object/no-version-is-the-newest", test_no_version_is_the_newest);
  g_test_add_func ("/core/object/unknown-id-is-answered", test_unknown_id_is_answered);
  g_test_add_func ("/core/object/ids-are-listed-by-name-and-version",
                   test_ids_are_listed_by_name_and_version);
  g_test_add_func ("/core/object/made-without-an-id", test_made_without_an_id);
  g_test_add_func ("/core/object/every-kind-reaches-its-field", test_every_kind_reaches_its_field);
  g_test_add_func ("/core/object/defaults-and-presets", test_defaults_and_presets);
  g_test_add_func ("/core/object/empty-means-none", test_empty_means_none);
  g_test_add_func ("/core/object/one-word-is-a-list-of-one", test_one_word_is_a_list_of_one);
  g_test_add_func ("/core/object/one-number-is-a-list-of-one", test_one_number_is_a_list_of_one);
  g_test_add_func ("/core/object/an-object-needs-no-parentheses",
                   test_an_object_needs_no_parentheses);
  g_test_add_func ("/core/object/underscores-are-hyphens-in-names",
                   test_underscores_are_hyphens_in_names);
  g_test_add_func ("/core/object/arguments-override-and-are-literal",
                   test_arguments_override_and_are_literal);
  g_test_add_func ("/core/object/only-mutable-ones-change", test_only_mutable_ones_change);
  g_test_add_func ("/core/object/unknown-property-is-answered", test_unknown_property_is_answered);
  g_test_add_func ("/core/object/out-of-range-is-answered", test_out_of_range_is_answered);
  g_test_add_func ("/core/object/bad-grammar-is-answered", test_bad_grammar_is_answered);
  g_test_add_func ("/core/object/brackets-are-64-deep", test_brackets_are_64_deep);
  g_test_add_func ("/core/object/build-may-fail", test_build_may_fail);
  g_test_add_func ("/core/object/to-text-says-what-differs", test_to_text_says_what_differs);
  g_test_add_func ("/core/object/any-values-survive", test_any_values_survive);
  g_test_add_func ("/core/object/describe", test_describe);
  g_test_add_func ("/core/object/made-like-another", test_made_like_another);

  return g_test_run ();
}
