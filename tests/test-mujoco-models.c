/* The library's models against figures of Gymnasium's, compiled by MuJoCo 2.2.2. */
#include "../src/core/math/random.h"
#include "../src/envs/mujoco/mujoco-contacts.h"
#include "../src/envs/mujoco/mujoco-model.h"
#include "../src/envs/mujoco/mujoco-terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each line is of one body (model, body, mass, center of mass, inertia) or of a whole model. */
static GStrv
load_lines (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "mujoco-models.tsv", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return g_strsplit (g_strchomp (text), "\n", -1);
}

/* The figures have nine digits or more. */
static void
assert_figures (const double *values, const char *text, int n)
{
  g_auto (GStrv) figures = g_strsplit (text, " ", -1);

  g_assert_cmpint ((int) g_strv_length (figures), ==, n);
  for (int i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (values[i], g_ascii_strtod (figures[i], NULL),
                                    1e-8 * fabs (values[i]) + 1e-15);
}

static void
assert_body (const mjModel *model, GStrv fields)
{
  int body = atoi (fields[1]);

  g_assert_cmpint (body, <, model->nbody);
  g_assert_cmpfloat_with_epsilon (model->body_mass[body], g_ascii_strtod (fields[2], NULL),
                                  1e-12 * model->body_mass[body]);
  assert_figures (model->body_ipos + 3 * body, fields[3], 3);
  assert_figures (model->body_inertia + 3 * body, fields[4], 3);
}

static void
assert_whole (const mjModel *model, GStrv fields)
{
  g_autofree char *sizes =
      g_strdup_printf ("%d %d %d %d %d", (int) model->nq, (int) model->nv, (int) model->nu,
                       (int) model->nbody, (int) model->ngeom);
  mjData *data = mj_makeData (model);

  mj_forward (model, data);
  g_assert_cmpfloat_with_epsilon (mj_getTotalmass (model), g_ascii_strtod (fields[2], NULL),
                                  1e-12 * mj_getTotalmass (model));
  g_assert_cmpstr (sizes, ==, fields[3]);
  g_assert_cmpfloat_with_epsilon (model->stat.extent, g_ascii_strtod (fields[4], NULL), 1e-9);
  g_assert_cmpint (data->ncon, ==, atoi (fields[5]));
  assert_figures (model->qpos0, fields[6], (int) model->nq);
  mj_deleteData (data);
}

static void
test_figures (void)
{
  g_auto (GStrv) lines = load_lines ();

  for (char **line = lines; *line; line++)
    {
      g_auto (GStrv) fields = g_strsplit (*line, "\t", -1);
      g_autoptr (GError) error = NULL;
      mjModel *model = reel_mujoco_model_load (fields[0], NULL, &error);

      g_assert_no_error (error);
      if (g_str_equal (fields[1], "total"))
        assert_whole (model, fields);
      else
        assert_body (model, fields);
      mj_deleteModel (model);
    }
}

/* The one figure in which the models of Walker2d differ: friction of the right foot. */
static void
test_feet (void)
{
  static const char *const names[] = { "walker2d-v4", "walker2d" };
  static const double friction[] = { 0.9, 1.9 };

  for (int i = 0; i < 2; i++)
    {
      mjModel *model = reel_mujoco_model_load (names[i], NULL, NULL);

      g_assert_true (model->geom_friction[3 * 4] == friction[i]);
      g_assert_true (model->geom_friction[3 * 7] == 1.9);
      mj_deleteModel (model);
    }
}

/* ---- contacts ---- */

static const char *const all_models[] = {
  "ant",
  "half-cheetah",
  "hopper",
  "humanoid",
  "humanoid-standup",
  "inverted-double-pendulum",
  "inverted-pendulum",
  "pusher",
  "pusher-v4",
  "reacher",
  "swimmer",
  "walker2d",
  "walker2d-v4",
};

/* Close to the floor and folded up, so that much touches. */
static void
fold (const mjModel *model, mjData *data, ReelPcg64 *rng)
{
  memcpy (data->qpos, model->qpos0, (gsize) model->nq * sizeof (double));
  for (int i = 0; i < model->nq; i++)
    data->qpos[i] += reel_pcg64_uniform (rng, -1.5, 1.5);
  for (int i = 0; i < model->nv; i++)
    data->qvel[i] = reel_pcg64_uniform (rng, -3, 3);
  mj_normalizeQuat (model, data->qpos);
  memset (data->qacc_warmstart, 0, (gsize) model->nv * sizeof (double));
}

#define ASSERT_SAME(a, b, n) g_assert_cmpmem (a, (n) * sizeof *(a), b, (n) * sizeof *(b))

static void
assert_same_contacts (const mjData *listed, const mjData *sought)
{
  g_assert_cmpint (listed->ncon, ==, sought->ncon);
  for (int i = 0; i < sought->ncon; i++)
    {
      const mjContact *a = &listed->contact[i], *b = &sought->contact[i];

      ASSERT_SAME (&a->dist, &b->dist, 1);
      ASSERT_SAME (a->pos, b->pos, 3);
      ASSERT_SAME (a->frame, b->frame, 9);
      ASSERT_SAME (&a->includemargin, &b->includemargin, 1);
      ASSERT_SAME (a->friction, b->friction, 5);
      ASSERT_SAME (a->solref, b->solref, mjNREF);
      ASSERT_SAME (a->solimp, b->solimp, mjNIMP);
      g_assert_cmpint (a->dim, ==, b->dim);
    }
}

/* No model has gaps: these are of each geom its own. */
static void
put_gaps (mjModel *model)
{
  for (int i = 0; i < model->ngeom; i++)
    {
      model->geom_margin[i] = 0.02 + 0.01 * (i % 3);
      model->geom_gap[i] = 0.001 * (i % 7);
    }
}

/* In whatever state, the same touches as where MuJoCo looks for itself. */
static void
compare_contacts (const char *name, void (*change) (mjModel *model))
{
  mjModel *sought = reel_mujoco_model_load (name, NULL, NULL);
  mjModel *listed = reel_mujoco_model_load (name, NULL, NULL);
  change (sought);
  change (listed);
  gpointer contacts = reel_mujoco_contacts_list (listed);
  mjData *a = mj_makeData (listed), *b = mj_makeData (sought);
  ReelPcg64 rng;
  int n = 0;

  reel_pcg64_seed (&rng, &(guint32){ 5 }, 1);
  for (int i = 0; i < 500; i++)
    {
      ReelPcg64 again = rng;

      fold (listed, a, &rng);
      fold (sought, b, &again);
      mj_forward (listed, a);
      mj_forward (sought, b);
      assert_same_contacts (a, b);
      ASSERT_SAME (a->qacc, b->qacc, (gsize) sought->nv);
      n += b->ncon;
    }
  g_test_message ("%s: %d contacts, %d pairs of geoms", name, n, (int) listed->npair);
  if (listed->opt.disableflags & mjDSBL_CONTACT)
    g_assert_cmpint (n, ==, 0);
  else
    g_assert_cmpint (n, >, 100);
  mj_deleteData (a);
  mj_deleteData (b);
  mj_deleteModel (sought);
  mj_deleteModel (listed);
  g_free (contacts);
}

static void
keep (mjModel *model)
{
}

static void
test_listed_contacts (gconstpointer name)
{
  compare_contacts (name, keep);
}

static void
test_listed_contacts_with_gaps (void)
{
  compare_contacts ("humanoid", put_gaps);
}

/* ---- terms ---- */

/* Gymnasium's healthy ranges are open. */
static void
test_ranges_are_open (void)
{
  g_autoptr (GArray) range = g_array_new (FALSE, FALSE, sizeof (double));

  g_array_append_vals (range, ((const double[]){ 0.75, 2 }), 2);
  g_assert_true (reel_mujoco_in_range (range, 1));
  g_assert_false (reel_mujoco_in_range (range, 0.75));
  g_assert_false (reel_mujoco_in_range (range, 2));
  g_assert_false (reel_mujoco_in_range (range, NAN));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/envs/mujoco-model/figures-are-gymnasiums", test_figures);
  g_test_add_func ("/envs/mujoco-model/versions-of-walker2d-differ-in-a-foot", test_feet);
  g_test_add_func ("/envs/mujoco-model/listed-contacts-with-gaps", test_listed_contacts_with_gaps);
  g_test_add_func ("/envs/mujoco-model/healthy-ranges-are-open", test_ranges_are_open);
  for (gsize i = 0; i < G_N_ELEMENTS (all_models); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/envs/mujoco-model/listed-contacts-are-mujocos-own/%s", all_models[i]);

      g_test_add_data_func (path, all_models[i], test_listed_contacts);
    }
  return g_test_run ();
}
