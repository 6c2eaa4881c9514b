/* Specs to text and JSON and back, and what is said of texts that are none. */
#include "../src/specs/spec-form.h"
#include "../src/reel.h"
#include "make-spec.h"

#include <math.h>
#include <string.h>

/* ---- there and back ---- */

/* One text and JSON at least of every kind, as they are printed. */
static const struct
{
  const char *text;
  const char *json;
} specs[] = {
  { "bounded:low=-1,high=1,shape=[3]",
    "{\"kind\":\"bounded\",\"low\":-1,\"high\":1,\"dtype\":\"float32\",\"shape\":[3]}" },
  { "bounded:low=-inf,high=0.5,dtype=float64",
    "{\"kind\":\"bounded\",\"low\":\"-inf\",\"high\":0.5,\"dtype\":\"float64\",\"shape\":[]}" },
  { "bounded:low=0,high=18446744073709551615,dtype=uint64",
    "{\"kind\":\"bounded\",\"low\":0,\"high\":\"18446744073709551615\",\"dtype\":\"uint64\","
    "\"shape\":[]}" },
  { "bounded:low=[-1,0],high=[1,5],shape=[2]",
    "{\"kind\":\"bounded\",\"low\":[-1,0],\"high\":[1,5],\"dtype\":\"float32\",\"shape\":[2]}" },
  { "bounded:low=0,high=[[1,2],[3,4]],dtype=uint8,shape=[5,2,2]",
    "{\"kind\":\"bounded\",\"low\":0,\"high\":[[1,2],[3,4]],\"dtype\":\"uint8\","
    "\"shape\":[5,2,2]}" },
  { "bounded:low=1,high=1,shape=[0]",
    "{\"kind\":\"bounded\",\"low\":1,\"high\":1,\"dtype\":\"float32\",\"shape\":[0]}" },
  { "unbounded", "{\"kind\":\"unbounded\",\"dtype\":\"float32\",\"shape\":[]}" },
  { "unbounded:dtype=complex64,shape=[2,3]",
    "{\"kind\":\"unbounded\",\"dtype\":\"complex64\",\"shape\":[2,3]}" },
  { "categorical:n=4", "{\"kind\":\"categorical\",\"n\":4,\"dtype\":\"int64\",\"shape\":[]}" },
  { "categorical:n=2,dtype=bool,shape=[1]",
    "{\"kind\":\"categorical\",\"n\":2,\"dtype\":\"bool\",\"shape\":[1]}" },
  { "one-hot:n=2,dtype=int64,shape=[2]",
    "{\"kind\":\"one-hot\",\"n\":2,\"dtype\":\"int64\",\"shape\":[2]}" },
  { "categorical:n=3,mask=[1,0,1],shape=[2]",
    "{\"kind\":\"categorical\",\"n\":3,\"mask\":[1,0,1],\"dtype\":\"int64\",\"shape\":[2]}" },
  { "categorical:n=-1", "{\"kind\":\"categorical\",\"n\":-1,\"dtype\":\"int64\",\"shape\":[]}" },
  { "multi-categorical:nvec=[2,3],mask=[1,1,1,0,1],shape=[4,2]",
    "{\"kind\":\"multi-categorical\",\"nvec\":[2,3],\"mask\":[1,1,1,0,1],\"dtype\":\"int64\","
    "\"shape\":[4,2]}" },
  { "multi-categorical:nvec=[2,3],mask=[1,1,1,0,1],shape=[0,2]",
    "{\"kind\":\"multi-categorical\",\"nvec\":[2,3],\"mask\":[1,1,1,0,1],\"dtype\":\"int64\","
    "\"shape\":[0,2]}" },
  { "multi-categorical:nvec=[[2,3],[4,5]],shape=[2,2]",
    "{\"kind\":\"multi-categorical\",\"nvec\":[[2,3],[4,5]],\"dtype\":\"int64\",\"shape\":[2,2]}" },
  { "multi-one-hot:nvec=[2,3],shape=[5]",
    "{\"kind\":\"multi-one-hot\",\"nvec\":[2,3],\"dtype\":\"bool\",\"shape\":[5]}" },
  { "non-tensor:example=\"it\",shape=[1]",
    "{\"kind\":\"non-tensor\",\"example\":\"\\\"it\\\"\",\"shape\":[1]}" },
  { "choice:choices=[(categorical:n=2),(categorical:n=3)]",
    "{\"kind\":\"choice\",\"choices\":[{\"kind\":\"categorical\",\"n\":2,\"dtype\":\"int64\","
    "\"shape\":[]},"
    "{\"kind\":\"categorical\",\"n\":3,\"dtype\":\"int64\",\"shape\":[]}],\"shape\":[]}" },
  { "unbounded:shape=[-1,3]", "{\"kind\":\"unbounded\",\"dtype\":\"float32\",\"shape\":[-1,3]}" },
  { "binary:shape=[4]", "{\"kind\":\"binary\",\"dtype\":\"int8\",\"shape\":[4]}" },
  { "composite", "{\"kind\":\"composite\",\"specs\":{},\"shape\":[]}" },
  { "composite:a=(),b=(composite:device=cpu,shape=[2]),device=cpu,data-class=Data,names=['5'],"
    "shape=[2]",
    "{\"kind\":\"composite\",\"specs\":{\"a\":null,\"b\":{\"kind\":\"composite\",\"specs\":{},"
    "\"device\":\"cpu\",\"shape\":[2]}},\"device\":\"cpu\",\"data-class\":\"Data\","
    "\"names\":[\"5\"],\"shape\":[2]}" },
  { "stacked:dim=0,members=[(unbounded:shape=[2]),(unbounded:shape=[3])]",
    "{\"kind\":\"stacked\",\"dim\":0,\"members\":[{\"kind\":\"unbounded\",\"dtype\":\"float32\","
    "\"shape\":[2]},{\"kind\":\"unbounded\",\"dtype\":\"float32\",\"shape\":[3]}]}" },
  { "stacked-composite:dim=0,members=[(composite:a=()),(composite)]",
    "{\"kind\":\"stacked-composite\",\"dim\":0,\"members\":[{\"kind\":\"composite\","
    "\"specs\":{\"a\":null},\"shape\":[]},{\"kind\":\"composite\",\"specs\":{},"
    "\"shape\":[]}]}" },
  { "composite:a=(binary:shape=[3]),'a,b'=(composite:''=(unbounded:shape=[3]),shape=[3]),"
    "'it''s'=(unbounded:shape=[3]),shape=[3]",
    NULL },
};

static void
test_there_and_back (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelSpec) spec = reel_spec_new_from_text (specs[i].text, &error);
      g_assert_no_error (error);
      g_autofree char *text = reel_spec_to_text (spec);
      g_autofree char *json = reel_spec_to_json (spec, &error);
      g_assert_no_error (error);
      g_autoptr (ReelSpec) again = reel_spec_new_from_json (json, &error);
      g_assert_no_error (error);

      if (specs[i].json)
        {
          g_assert_cmpstr (text, ==, specs[i].text);
          g_assert_cmpstr (json, ==, specs[i].json);
        }
      g_assert_true (reel_spec_equal (spec, again));
    }
}

/* Every kind says itself, has a name of TorchRL's, and stands in the table above. */
static void
test_every_kind (void)
{
  gsize n;
  const ReelSpecKind *const *kinds = reel_spec_list_kinds (&n);

  for (gsize i = 0; i < n; i++)
    {
      const char *word = kinds[i]->word;
      gboolean shown = FALSE;

      g_assert_nonnull (kinds[i]->from_form);
      g_assert_true (kinds[i]->describe || !kinds[i]->parameter_names
                     || kinds[i] == &reel_binary_spec_kind);
      g_assert_nonnull (kinds[i]->other_names[0].name);
      g_assert_true (reel_spec_find_kind (word, NULL) == kinds[i]);
      for (const ReelSpecName *name = kinds[i]->other_names; name->name; name++)
        g_assert_true (reel_spec_find_kind (name->name, NULL) == kinds[i]);
      for (gsize k = 0; k < G_N_ELEMENTS (specs); k++)
        shown |= g_str_has_prefix (specs[k].text, word) && specs[k].json;
      g_test_message ("%s", word);
      g_assert_true (shown);
    }
}

/* ---- what is read ---- */

static void
check_read (const char *text, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) spec = reel_spec_new_from_text (text, &error);

  g_assert_no_error (error);
  g_autofree char *printed = reel_spec_to_text (spec);
  g_assert_cmpstr (printed, ==, expected);
}

static void
test_shorter_ways (void)
{
  check_read ("  bounded :\tlow = -1 , high=+1 , shape = [ 3 ] ",
              "bounded:low=-1,high=1,shape=[3]");
  check_read ("bounded:low=[1,2,3],high=5", "bounded:low=[1,2,3],high=5,shape=[3]");
  check_read ("bounded:low=0,high=[[1,2],[3,4]]", "bounded:low=0,high=[[1,2],[3,4]],shape=[2,2]");
  check_read ("bounded:low=[1,2,3,4],high=[5],shape=[2,2]",
              "bounded:low=[[1,2],[3,4]],high=5,shape=[2,2]");
  check_read ("bounded:low=[1,1,1],high=[2,2,2],shape=[3]", "bounded:low=1,high=2,shape=[3]");
  check_read ("bounded:low=0,high=1_000_000,dtype=torch.int32",
              "bounded:low=0,high=1000000,dtype=int32");
  check_read ("one_hot:n=1k", "one-hot:n=1000,shape=[1000]");
  check_read ("binary:n=3", "binary:shape=[3]");
  check_read ("binary:n=0,shape=[]", "binary");
  check_read ("unbounded:shape=3", "unbounded:shape=[3]");
  check_read ("bounded:low=5,high=[]", "bounded:low=1,high=1,shape=[0]");
  check_read ("non-tensor", "non-tensor:shape=[1]");
  check_read ("non-tensor:shape=[]", "non-tensor:shape=[]");
}

static void
test_names_of_torchrl (void)
{
  check_read ("Bounded:low=0,high=1", "bounded:low=0,high=1");
  check_read ("BoundedTensorSpec:low=0,high=1", "bounded:low=0,high=1");
  check_read ("Unbounded", "unbounded");
  check_read ("UnboundedContinuousTensorSpec", "unbounded");
  check_read ("UnboundedDiscreteTensorSpec:shape=[1]", "unbounded:dtype=int64,shape=[1]");
  check_read ("UnboundedDiscrete:dtype=int8", "unbounded:dtype=int8");
  check_read ("DiscreteTensorSpec:n=3", "categorical:n=3");
  check_read ("OneHotDiscreteTensorSpec:n=3", "one-hot:n=3,shape=[3]");
  check_read ("BinaryDiscreteTensorSpec:n=3", "binary:shape=[3]");
  check_read ("CompositeSpec:a=(Categorical:n=2)", "composite:a=(categorical:n=2)");
}

/* ---- faults ---- */

static const struct
{
  const char *text;
  ReelError code;
  const char *message;
} faults[] = {
  { "", REEL_ERROR_VALUE,
    "at the end: expected a spec here, such as bounded:low=-1,high=1,shape=[3]" },
  { "bonded:low=1", REEL_ERROR_KEY,
    "character 1, at \"bonded:low=1\": there is no kind of spec \"bonded\"; did you mean "
    "\"bounded\"?" },
  { "discreteTensorSpec:n=2", REEL_ERROR_KEY,
    "character 1, at \"discreteTensorSpec:n=2\": there is no kind of spec \"discreteTensorSpec\"; "
    "did "
    "you mean \"DiscreteTensorSpec\"?" },
  { "box", REEL_ERROR_KEY, "character 1, at \"box\": there is no kind of spec \"box\"" },
  { "bounded:hihg=1,low=2", REEL_ERROR_KEY,
    "character 9, at \"hihg=1,low=2\": bounded has no hihg; did you mean high?" },
  { "unbounded:low=1", REEL_ERROR_KEY,
    "character 11, at \"low=1\": unbounded has no low; it has dtype, shape" },
  { "bounded:low=1", REEL_ERROR_VALUE,
    "character 1, at \"bounded:low=1\": bounded must have high, which is a number, or nested lists "
    "of "
    "such, all as long as their neighbours" },
  { "bounded:low=a,high=2", REEL_ERROR_VALUE,
    "character 9, at \"low=a,high=2\": low must be a number, or nested lists of such, all as long "
    "as "
    "their neighbours, found the string \"a\"" },
  { "bounded:low=[1,[2]],high=2", REEL_ERROR_VALUE,
    "character 9, at \"low=[1,[2]],high=2\": low must be a number, or nested lists of such, all as "
    "long "
    "as their neighbours, found an array" },
  { "bounded:low=2,high=1", REEL_ERROR_VALUE,
    "character 1, at \"bounded:low=2,high=1\": a low of 2 is above its high of 1" },
  { "bounded:low=[1,2],high=3,shape=[4]", REEL_ERROR_VALUE,
    "character 1, at \"bounded:low=[1,2],high=3…\": 2 lows and 1 highs do not fit shape [4]: give "
    "one, or one an element" },
  { "categorical:n=x", REEL_ERROR_VALUE,
    "character 13, at \"n=x\": n must be an integer, found the string \"x\"" },
  { "categorical:n='5'", REEL_ERROR_VALUE,
    "character 13, at \"n='5'\": n must be an integer, found the string \"5\"" },
  { "categorical", REEL_ERROR_VALUE,
    "character 1, at \"categorical\": categorical must have n, which is an integer" },
  { "binary:n=3,shape=[2]", REEL_ERROR_VALUE,
    "character 1, at \"binary:n=3,shape=[2]\": the last extent of the shape must be n, 3" },
  { "binary:dtype=int9", REEL_ERROR_TYPE, NULL },
  { "binary:dtype=3", REEL_ERROR_VALUE,
    "character 8, at \"dtype=3\": dtype must be the name of an element type, found the integer 3" },
  { "binary:shape=[2,x]", REEL_ERROR_VALUE,
    "character 8, at \"shape=[2,x]\": shape must be a list of at most 16 integers, found an "
    "array" },
  { "binary:a=(unbounded)", REEL_ERROR_KEY,
    "character 1, at \"binary:a=(unbounded)\": binary is made of no other specs" },
  { "composite:a=(composite:ö=(bnary))", REEL_ERROR_KEY,
    "character 27, at \"bnary))\": there is no kind of spec \"bnary\"; did you mean \"binary\"?" },
  { "composite:a=(binary),shape=[2]", REEL_ERROR_VALUE,
    "character 1, at \"composite:a=(binary),sha…\": \"a\": the shapes of the spec Binary and "
    "the "
    "Composite mismatch: the first 1 dimensions should match but got spec.shape=[] and "
    "Composite.shape=[2]" },
  { "composite:device=cuda", REEL_ERROR_VALUE,
    "character 11, at \"device=cuda\": device must be cpu, not \"cuda\"" },
  { "composite:names=[a]", REEL_ERROR_VALUE,
    "character 11, at \"names=[a]\": names must be a list of words, one a dimension, () for none" },
  { "composite:a=(binary),a=(binary)", REEL_ERROR_VALUE,
    "character 22, at \"a=(binary)\": this is repeated" },
  { "non-tensor:example=[-12\376]", REEL_ERROR_VALUE, NULL },
  { "non-tensor:example=[(a:\376=1)]", REEL_ERROR_VALUE, NULL },
  { "bounded:low=1,low=2", REEL_ERROR_VALUE, "character 15, at \"low=2\": this is repeated" },
  { "bounded:kind=x", REEL_ERROR_VALUE, "character 9, at \"kind=x\": no parameter has this name" },
  { "bounded:low", REEL_ERROR_VALUE, "character 9, at \"low\": expected name=value here" },
  { "bounded:low=", REEL_ERROR_VALUE,
    "at the end: expected a value here: a number, a word, 'quoted', [v,…] or (spec)" },
  { "bounded:low=[1", REEL_ERROR_VALUE, "character 13, at \"[1\": a [ without its other half" },
  { "composite:a=(binary", REEL_ERROR_VALUE,
    "character 13, at \"(binary\": a ( without its other half" },
  { "composite:'a=(binary)", REEL_ERROR_VALUE,
    "character 11, at \"'a=(binary)\": a ' without its other half" },
  { "binary)", REEL_ERROR_VALUE, "character 7, at \")\": expected nothing here" },
  { "binary|binary", REEL_ERROR_VALUE, "character 7, at \"|binary\": expected nothing here" },
};

static void
test_faults (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_spec_new_from_text (faults[i].text, &error));
      g_assert_error (error, REEL_ERROR, (int) faults[i].code);
      if (faults[i].message)
        g_assert_cmpstr (error->message, ==, faults[i].message);
    }
}

static void
check_json_fault (const char *json, ReelError code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_spec_new_from_json (json, &error));
  g_assert_error (error, REEL_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_json_faults (void)
{
  check_json_fault ("[]", REEL_ERROR_DAMAGED, "spec: expected an object, found an array");
  check_json_fault ("{}", REEL_ERROR_VALUE, "a spec must have a \"kind\", such as \"bounded\"");
  check_json_fault (
      "{\"kind\":\"composite\",\"specs\":{\"a\":{\"kind\":\"composite\",\"specs\":{\"b/c\":"
      "{\"kind\":\"categorical\",\"n\":2.5}}}}}",
      REEL_ERROR_VALUE, "\"a/b%2Fc\": n must be an integer, found the real 2.5");
  check_json_fault ("{\"kind\":\"composite\",\"specs\":{\"a\":3}}", REEL_ERROR_VALUE,
                    "\"a\" must be a spec, found the integer 3");
  check_json_fault ("{\"kind\":\"composite\",\"specs\":[]}", REEL_ERROR_VALUE,
                    "specs must be an object");
  check_json_fault (
      "{\"kind\":\"unbounded\",\"shape\":[1,-2]}", REEL_ERROR_VALUE,
      "a spec cannot have shape [1, -2]: extents must be 0 and up, or -1 for any, and "
      "their product not beyond memory");
}

static char *
nest (gint depth)
{
  GString *text = g_string_new (NULL);

  for (gint i = 1; i < depth; i++)
    g_string_append (text, "composite:a=(");
  g_string_append (text, "binary");
  for (gint i = 1; i < depth; i++)
    g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

static void
test_depth (void)
{
  g_autofree char *deepest = nest (REEL_SPEC_MAX_DEPTH);
  g_autofree char *deeper = nest (REEL_SPEC_MAX_DEPTH + 1);
  g_autofree char *hostile = nest (1000000);
  g_autofree char *lists = g_strnfill (1000000, '[');
  g_autofree char *hostile_lists = g_strconcat ("bounded:low=", lists, NULL);

  check_read (deepest, deepest);
  g_autoptr (ReelSpec) spec = reel_spec_new_from_text (deepest, NULL);
  g_autofree char *json = reel_spec_to_json (spec, NULL);
  g_autoptr (ReelSpec) again = reel_spec_new_from_json (json, NULL);
  g_assert_true (reel_spec_equal (spec, again));
  g_assert_null (reel_spec_new_from_text (deeper, NULL));
  g_assert_null (reel_spec_new_from_text (hostile, NULL));
  g_assert_null (reel_spec_new_from_text (hostile_lists, NULL));
}

/* A key may be any bytes in text; JSON says that it cannot hold them. */
static void
test_key_that_is_no_utf8 (void)
{
  g_autoptr (ReelSpec) spec = reel_spec_new_from_text ("composite:\xff=(binary)", NULL);
  g_autofree char *text = reel_spec_to_text (spec);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (text, ==, "composite:\xff=(binary)");
  g_assert_null (reel_spec_to_json (spec, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/text/there-and-back", test_there_and_back);
  g_test_add_func ("/specs/text/every-kind", test_every_kind);
  g_test_add_func ("/specs/text/shorter-ways", test_shorter_ways);
  g_test_add_func ("/specs/text/names-of-torchrl", test_names_of_torchrl);
  g_test_add_func ("/specs/text/faults", test_faults);
  g_test_add_func ("/specs/text/json-faults", test_json_faults);
  g_test_add_func ("/specs/text/depth", test_depth);
  g_test_add_func ("/specs/text/key-that-is-no-utf8", test_key_that_is_no_utf8);

  return g_test_run ();
}
