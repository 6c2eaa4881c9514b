/* reel.json holds what was put into it, and says what is wrong with it. */
#include "../src/buffers/checkpoints/sidecar.h"
#include "scratch.h"

#include <string.h>

static ReelSidecar *
make_sidecar (void)
{
  ReelSidecar *sidecar = reel_sidecar_new ();

  sidecar->storage = g_strdup ("memmap");
  sidecar->sampler = g_strdup ("random:seed=1");
  sidecar->writer = g_strdup ("round-robin");
  sidecar->ndim = 2;
  sidecar->shape[0] = 126;
  sidecar->shape[1] = 8;
  sidecar->names[0] = g_strdup ("time");
  sidecar->begin = 3;
  sidecar->end = G_GINT64_CONSTANT (9007199254740993);
  sidecar->write_count = G_GINT64_CONSTANT (4611686018427387903);
  sidecar->clean = TRUE;
  sidecar->boot_id = g_strdup ("b");
  sidecar->checksums = json_pack ("{s:[I]}", "a", (json_int_t) 4294967295);
  sidecar->info = json_pack ("{s:s}", "env", "größe");
  return sidecar;
}

static char *
write_sidecar (void)
{
  g_autoptr (ReelSidecar) sidecar = make_sidecar ();
  g_autofree char *text = reel_sidecar_to_text (sidecar);
  char *path = scratch_path ("reel.json");

  g_assert_true (g_str_has_suffix (text, "}\n"));
  scratch_put (path, text);
  return path;
}

static void
test_round_trip (void)
{
  g_autofree char *path = write_sidecar ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSidecar) is = reel_sidecar_read (path, &error), was = make_sidecar ();

  g_assert_no_error (error);
  g_assert_cmpstr (is->storage, ==, was->storage);
  g_assert_cmpstr (is->sampler, ==, was->sampler);
  g_assert_cmpstr (is->writer, ==, was->writer);
  g_assert_cmpint (is->ndim, ==, 2);
  g_assert_cmpint (is->shape[0], ==, 126);
  g_assert_cmpint (is->shape[1], ==, 8);
  g_assert_cmpint (reel_sidecar_get_lanes (is), ==, 8);
  g_assert_cmpstr (is->names[0], ==, "time");
  g_assert_null (is->names[1]);
  g_assert_cmpint (is->begin, ==, was->begin);
  g_assert_cmpint (is->end, ==, was->end);
  g_assert_cmpint (is->write_count, ==, was->write_count);
  g_assert_true (is->clean);
  g_assert_cmpstr (is->boot_id, ==, "b");
  g_assert_true (json_equal (is->checksums, was->checksums));
  g_assert_true (json_equal (is->info, was->info));
}

static void
test_empty_members (void)
{
  g_autofree char *path = scratch_path ("reel.json");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSidecar) sidecar = NULL;

  scratch_put (path,
               "{\"format\":1,\"ndim\":1,\"shape\":[4],\"names\":[null],\"begin\":0,\"end\":0,"
               "\"write_count\":0,\"clean\":false,\"later\":{\"x\":[1]},\"storage\":null}");
  sidecar = reel_sidecar_read (path, &error);
  g_assert_no_error (error);
  g_assert_null (sidecar->storage);
  g_assert_null (sidecar->boot_id);
  g_assert_null (sidecar->checksums);
  g_assert_null (sidecar->info);
}

typedef struct
{
  const char *old;
  const char *by;
  ReelError code;
} Fault;

static const Fault faults[] = {
  { "\"format\":1", "\"format\":2", REEL_ERROR_NOT_IMPLEMENTED },
  { "\"format\":1", "\"format\":0", REEL_ERROR_DAMAGED },
  { "\"format\":1", "\"format\":1.0", REEL_ERROR_DAMAGED },
  { "\"format\":1,", "", REEL_ERROR_DAMAGED },
  { "\"memmap\"", "7", REEL_ERROR_DAMAGED },
  { "\"b\"", "[]", REEL_ERROR_DAMAGED },
  { "\"ndim\":2", "\"ndim\":0", REEL_ERROR_DAMAGED },
  { "\"ndim\":2", "\"ndim\":3", REEL_ERROR_DAMAGED },
  { "[126,8]", "[126,0]", REEL_ERROR_DAMAGED },
  { "[126,8]", "[126,8.5]", REEL_ERROR_DAMAGED },
  { "[126,8]", "[126]", REEL_ERROR_DAMAGED },
  { "[126,8]", "126", REEL_ERROR_DAMAGED },
  { "[\"time\",null]", "[\"time\"]", REEL_ERROR_DAMAGED },
  { "[\"time\",null]", "[\"time\",3]", REEL_ERROR_DAMAGED },
  { "\"begin\":3", "\"begin\":-3", REEL_ERROR_DAMAGED },
  { "\"begin\":3", "\"begin\":9007199254740994", REEL_ERROR_DAMAGED },
  { "\"end\":9007199254740993", "\"end\":null", REEL_ERROR_DAMAGED },
  { "\"write_count\":", "\"written\":", REEL_ERROR_DAMAGED },
  { "\"clean\":true", "\"clean\":1", REEL_ERROR_DAMAGED },
  { "{\"a\":[4294967295]}", "[]", REEL_ERROR_DAMAGED },
  { "{\"env\":", "[{\"env\":", REEL_ERROR_DAMAGED },
  { "}\n", "", REEL_ERROR_DAMAGED },
  { "}\n", "}x", REEL_ERROR_DAMAGED },
};

static void
test_faults_are_told (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = write_sidecar (), *text = NULL, *changed = NULL;
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) parts = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      parts = g_strsplit (text, faults[i].old, 2);
      g_assert_cmpuint (g_strv_length (parts), ==, 2);
      changed = g_strjoinv (faults[i].by, parts);
      scratch_put (path, changed);
      g_assert_null (reel_sidecar_read (path, &error));
      g_assert_error (error, REEL_ERROR, (gint) faults[i].code);
      g_assert_nonnull (strstr (error->message, "reel.json"));
    }
}

static void
test_boot_id_stays (void)
{
  g_autofree char *one = reel_boot_id (), *other = reel_boot_id ();

  g_assert_cmpstr (one, ==, other);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  scratch_test ("/buffers/sidecar/round-trip", test_round_trip);
  scratch_test ("/buffers/sidecar/empty-members", test_empty_members);
  scratch_test ("/buffers/sidecar/faults-are-told", test_faults_are_told);
  g_test_add_func ("/buffers/sidecar/boot-id-stays", test_boot_id_stays);

  return g_test_run ();
}
