#include "mujoco-contacts.h"

typedef struct
{
  int a, b; /* geoms */
} Pair;

/* MuJoCo's own rule (mj_contactFilter() in engine_collision_driver.c). */
static gboolean
can_touch (const mjModel *model, int a, int b)
{
  int body_a = model->body_weldid[model->geom_bodyid[a]];
  int body_b = model->body_weldid[model->geom_bodyid[b]];
  int parent_a = model->body_weldid[model->body_parentid[body_a]];
  int parent_b = model->body_weldid[model->body_parentid[body_b]];

  if (!(model->geom_contype[a] & model->geom_conaffinity[b])
      && !(model->geom_contype[b] & model->geom_conaffinity[a]))
    return FALSE;
  return body_a != body_b
         && (body_a == 0 || body_b == 0 || (body_a != parent_b && body_b != parent_a));
}

static void
find_between (const mjModel *model, int body_a, int body_b, GArray *pairs)
{
  int begin_a = model->body_geomadr[body_a], end_a = begin_a + model->body_geomnum[body_a];
  int begin_b = model->body_geomadr[body_b], end_b = begin_b + model->body_geomnum[body_b];

  for (int a = begin_a; a < end_a; a++)
    for (int b = begin_b; b < end_b; b++)
      if (can_touch (model, a, b))
        g_array_append_vals (pairs, &(Pair){ a, b }, 1);
}

/* find_pairs: body by body, which is the order of MuJoCo's contacts. */
static GArray *
find_pairs (const mjModel *model)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (Pair));

  for (int a = 0; a < model->nbody; a++)
    for (int b = a + 1; b < model->nbody; b++)
      find_between (model, a, b, pairs);
  return pairs;
}

#if mjVERSION_HEADER < 233

/* The contacts of two geoms, as MuJoCo makes them (mj_collideGeoms()), at a place of the list. */
static void
put_pair (mjModel *model, gsize at, const Pair *pair)
{
  const int a = pair->a, b = pair->b;
  double *friction = model->pair_friction + 5 * at;

  model->pair_geom1[at] = a;
  model->pair_geom2[at] = b;
  model->pair_dim[at] = MAX (model->geom_condim[a], model->geom_condim[b]);
  model->pair_margin[at] = MAX (model->geom_margin[a], model->geom_margin[b]);
  model->pair_gap[at] = MAX (model->geom_gap[a], model->geom_gap[b]);
  for (int i = 0; i < mjNREF; i++)
    model->pair_solref[mjNREF * at + i] =
        0.5 * model->geom_solref[mjNREF * a + i] + 0.5 * model->geom_solref[mjNREF * b + i];
  for (int i = 0; i < mjNIMP; i++)
    model->pair_solimp[mjNIMP * at + i] =
        0.5 * model->geom_solimp[mjNIMP * a + i] + 0.5 * model->geom_solimp[mjNIMP * b + i];
  for (int i = 0; i < 3; i++)
    friction[2 * i] = MAX (model->geom_friction[3 * a + i], model->geom_friction[3 * b + i]);
  friction[1] = friction[0];
  friction[3] = friction[4];
}

static gpointer
put_pairs (mjModel *model, const GArray *pairs)
{
  const gsize n = pairs->len;
  double *numbers = g_malloc0 (n * ((mjNREF + mjNIMP + 7) * sizeof (double) + 3 * sizeof (int)));
  int *whole = (int *) (numbers + (mjNREF + mjNIMP + 7) * n);

  model->opt.collision = mjCOL_PAIR;
  model->npair = (int) n;
  model->pair_solref = numbers;
  model->pair_solimp = numbers + mjNREF * n;
  model->pair_friction = numbers + (mjNREF + mjNIMP) * n;
  model->pair_margin = numbers + (mjNREF + mjNIMP + 5) * n;
  model->pair_gap = numbers + (mjNREF + mjNIMP + 6) * n;
  model->pair_dim = whole;
  model->pair_geom1 = whole + n;
  model->pair_geom2 = whole + 2 * n;
  for (gsize i = 0; i < n; i++)
    put_pair (model, i, &g_array_index (pairs, Pair, i));
  return numbers;
}

#else

static gpointer
put_pairs (mjModel *model, const GArray *pairs)
{
  return NULL;
}

#endif

gpointer
reel_mujoco_contacts_list (mjModel *model)
{
  g_autoptr (GArray) pairs = find_pairs (model);

  if (pairs->len > 0)
    return put_pairs (model, pairs);
  model->opt.disableflags |= mjDSBL_CONTACT;
  return NULL;
}
