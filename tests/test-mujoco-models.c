/* The library's models against figures of Gymnasium's, compiled by MuJoCo 2.2.2. */
#include "../src/envs/mujoco-model.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/envs/mujoco-model/figures-are-gymnasiums", test_figures);
  g_test_add_func ("/envs/mujoco-model/versions-of-walker2d-differ-in-a-foot", test_feet);
  return g_test_run ();
}
