#include "mlp-head.h"

#include <math.h>
#include <string.h>

#include "../core/math/random.h"
#include "../specs/kinds/normal.h"
#include "../specs/spec-kind.h"
#include "../specs/operations/action-mask.h"

#define LEAST_SCALE 1e-4
#define SOFTPLUS_BIAS 0.54132485461291803 /* log (e − 1) */
#define HALF_LOG_TAU 0.91893853320467274  /* log (2 π) / 2 */
#define LOG_2 0.69314718055994531
#define LINEAR 30 /* from which on softplus is the identity to float32 */

/* Streams of random numbers. */
enum
{
  DRAW,
  WHETHER,
  WHICH,
  N_STREAMS,
};

struct _ReelMlpHead
{
  ReelMlpHeadOptions options;
  ReelSpec *action; /* keeps the leaf */
  const ReelSpec *spec;
  char *path;
  gboolean classes, one_hot;
  gint64 n; /* classes, or elements */
  gsize row_bytes, element_bytes;
  double *low, *high; /* of the elements */
  guint noise_place;  /* among the leaves of the policy's state */
  gint mask;          /* the leaf of the observation that says what is allowed, or −1 */
  guint64 seeds[N_STREAMS];
  const ReelExpKernels *exp;
};

/* ---- making it ---- */

static const char *const kind_names[] = { "deterministic", "normal", "tanh-normal", "categorical" };

static double *
get_bounds (const ReelSpec *spec, double limit, gint64 n, GError **error)
{
  g_autoptr (ReelTensor) far = reel_spec_zero (spec, 0, NULL, error);

  for (gint64 i = 0; far && i < n; i++)
    reel_dtype_store_double (spec->dtype, far->data + (gsize) i * reel_dtype_size (spec->dtype),
                             limit);

  g_autoptr (ReelTensor) bound = far ? reel_spec_project (spec, far, error) : NULL;
  double *bounds = bound ? g_new (double, n) : NULL;

  for (gint64 i = 0; bound && i < n; i++)
    bounds[i] = reel_dtype_load_double (spec->dtype,
                                        bound->data + (gsize) i * reel_dtype_size (spec->dtype));
  return bounds;
}

static gboolean
take_action (ReelMlpHead *self, const ReelSpec *action, GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (action);
  gboolean single = g_strv_length (paths) == 1;
  const ReelSpec *spec = single ? reel_spec_get (action, paths[0], NULL) : NULL;

  if (single && spec->kind->draw)
    {
      gboolean one_hot = spec->kind == &reel_one_hot_spec_kind;
      gboolean categorical = spec->kind == &reel_categorical_spec_kind;

      self->action = reel_spec_ref (action);
      self->spec = spec;
      self->path = g_strdup (paths[0]);
      self->row_bytes = reel_spec_row_bytes (spec);
      self->element_bytes = reel_dtype_size (spec->dtype);
      self->classes = one_hot || categorical;
      self->one_hot = one_hot;
      self->n = (gint64) (self->row_bytes / self->element_bytes);
      if (self->classes && (one_hot ? self->n == reel_spec_get_n (spec) : self->n == 1)
          && reel_spec_get_n (spec) > 0)
        {
          self->n = reel_spec_get_n (spec);
          return TRUE;
        }
      if (!self->classes && self->n > 0
          && (spec->dtype == REEL_DTYPE_FLOAT32 || spec->dtype == REEL_DTYPE_FLOAT64))
        {
          self->low = get_bounds (spec, -INFINITY, self->n, error);
          self->high = self->low ? get_bounds (spec, INFINITY, self->n, error) : NULL;
          return self->high != NULL;
        }
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "the mlp policy acts by one box of float32 or float64, or one class: \"%s\" of the "
               "environment is %s",
               paths[0] ? paths[0] : "", single ? reel_spec_class_name (spec) : "one of several");
  return FALSE;
}

static gint64
count_outputs (const ReelMlpHead *self)
{
  gboolean normal =
      self->options.kind == REEL_MLP_NORMAL || self->options.kind == REEL_MLP_TANH_NORMAL;

  return normal ? 2 * self->n : self->n;
}

static gboolean
is_bounded (const ReelMlpHead *self)
{
  for (gint64 i = 0; i < self->n; i++)
    if (!isfinite (self->low[i]) || !isfinite (self->high[i]))
      return FALSE;
  return TRUE;
}

/* Whether it is ever above 0. */
static gboolean
is_used (const ReelMlpSchedule *schedule)
{
  return schedule->begin > 0 || (schedule->steps > 0 && schedule->end > 0);
}

static gboolean
check_kind (const ReelMlpHead *self, gint64 n_out, GError **error)
{
  const ReelMlpHeadOptions *options = &self->options;
  gboolean deterministic = options->kind == REEL_MLP_DETERMINISTIC;
  const char *name = kind_names[options->kind];

  if (!deterministic && self->classes != (options->kind == REEL_MLP_CATEGORICAL))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "head=%s is not for \"%s\", which is %s: %s",
                 name, self->path, self->classes ? "a class" : "a box",
                 self->classes ? "deterministic or categorical"
                               : "deterministic, normal or tanh-normal");
  else if (options->kind == REEL_MLP_TANH_NORMAL && !is_bounded (self))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "head=tanh-normal needs finite bounds, and \"%s\" lacks some: normal", self->path);
  else if (n_out != count_outputs (self))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "the network has %" G_GINT64_FORMAT " outputs, and head=%s of \"%s\" takes "
                 "%" G_GINT64_FORMAT,
                 n_out, name, self->path, count_outputs (self));
  else if (is_used (&options->epsilon) && !(deterministic && self->classes))
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "epsilon is for a deterministic head of classes");
  else if (is_used (&options->sigma) && (!deterministic || self->classes))
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "sigma is for a deterministic head of a box");
  else
    return TRUE;
  return FALSE;
}

static gboolean
find_mask (ReelMlpHead *self, const ReelSpec *observation, GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (observation);

  self->mask = reel_action_mask_find (observation, self->path);
  return self->mask < 0
         || reel_action_mask_check (self->spec, self->path,
                                    reel_spec_get (observation, paths[self->mask], NULL),
                                    paths[self->mask], error);
}

ReelMlpHead *
reel_mlp_head_new (const ReelMlpHeadOptions *options, const ReelSpec *observation,
                   const ReelSpec *action, gint64 n_out, GError **error)
{
  g_autoptr (ReelMlpHead) self = g_new0 (ReelMlpHead, 1);
  ReelIsa isa;

  self->options = *options;
  for (gint64 i = 0; i < N_STREAMS; i++)
    self->seeds[i] = reel_spec_leaf_seed (options->seed, i);
  if (!reel_isa_choose (&isa, error) || !take_action (self, action, error)
      || !check_kind (self, n_out, error) || !find_mask (self, observation, error))
    return NULL;
  self->exp = REEL_KERNEL_PICK (reel_exp_kernels, isa);
  return g_steal_pointer (&self);
}

void
reel_mlp_head_free (ReelMlpHead *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->action, reel_spec_unref);
  g_free (self->path);
  g_free (self->low);
  g_free (self->high);
  g_free (self);
}

/* ---- what it writes ---- */

static gboolean
has_log_prob (const ReelMlpHead *self)
{
  return self->options.kind != REEL_MLP_DETERMINISTIC;
}

static gboolean
has_noise (const ReelMlpHead *self)
{
  return self->options.explore && is_used (&self->options.sigma);
}

static gboolean
has_state (const ReelMlpHead *self)
{
  return has_noise (self) && self->options.ou;
}

/* A composite of one leaf beside the action. */
static ReelSpec *
make_beside (const ReelMlpHead *self, const char *name, gint ndim, const gint64 *shape,
             GError **error)
{
  const char *slash = strrchr (self->path, '/');
  g_autofree char *path =
      g_strdup_printf ("%.*s%s", slash ? (int) (slash + 1 - self->path) : 0, self->path, name);
  g_autoptr (ReelSpec) leaf = reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, ndim, shape, error);
  const char *key = path;

  return leaf ? reel_composite_spec_new (0, NULL, &key, &leaf, 1, error) : NULL;
}

static ReelSpec *
make_nothing (GError **error)
{
  return reel_composite_spec_new (0, NULL, NULL, NULL, 0, error);
}

ReelSpec *
reel_mlp_head_make_outputs (const ReelMlpHead *self, GError **error)
{
  return has_log_prob (self) ? make_beside (self, "action_log_prob", 0, NULL, error)
                             : make_nothing (error);
}

ReelSpec *
reel_mlp_head_make_state (const ReelMlpHead *self, GError **error)
{
  return has_state (self) ? make_beside (self, "ou_noise", 1, &self->n, error)
                          : make_nothing (error);
}

void
reel_mlp_head_place_state (ReelMlpHead *self, const ReelSpec *state)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (state);

  self->noise_place = 0;
  while (paths[self->noise_place] && !g_str_has_suffix (paths[self->noise_place], "ou_noise"))
    self->noise_place++;
}

/* ---- acting ---- */

static double
value_at (const ReelMlpSchedule *schedule, gint64 step)
{
  if (schedule->steps == 0)
    return schedule->begin;
  return schedule->begin
         + (schedule->end - schedule->begin)
               * ((double) MIN (step, schedule->steps) / (double) schedule->steps);
}

/* One lane at work. */
typedef struct
{
  gint64 step, lane;
  gboolean explores; /* draws its action, or adds noise to it */
  const float *outputs;
  double *numbers;
  const guint8 *allowed; /* by class, or NULL for all */
  guint8 *action;
  float *log_prob; /* NULL where it has none */
  const float *noise;
  float *next_noise;
} Lane;

static void
write_class (const ReelMlpHead *self, const Lane *lane, gint64 class)
{
  if (!self->one_hot)
    {
      reel_dtype_store_double (self->spec->dtype, lane->action, (double) class);
      return;
    }
  memset (lane->action, 0, self->row_bytes);
  reel_dtype_store_double (self->spec->dtype, lane->action + (gsize) class * self->element_bytes,
                           1);
}

static void
write_element (const ReelMlpHead *self, const Lane *lane, gint64 i, double value)
{
  reel_dtype_store_double (self->spec->dtype, lane->action + (gsize) i * self->element_bytes,
                           CLAMP (value, self->low[i], self->high[i]));
}

static gboolean
is_allowed (const Lane *lane, gint64 class)
{
  return lane->allowed == NULL || lane->allowed[class];
}

/* The first of the greatest outputs. */
static gint64
find_greatest (const ReelMlpHead *self, const Lane *lane)
{
  gint64 greatest = -1;

  for (gint64 class = 0; class < self->n; class ++)
    if (is_allowed (lane, class)
        && (greatest < 0 || lane->outputs[class] > lane->outputs[greatest]))
      greatest = class;
  return greatest;
}

static gint64
draw_any (const ReelMlpHead *self, const Lane *lane)
{
  gint64 n_allowed = 0, class = 0;

  for (gint64 i = 0; i < self->n; i++)
    n_allowed += is_allowed (lane, i);

  gint64 k =
      reel_random_below (reel_random_key (self->seeds[WHICH], lane->step), lane->lane, n_allowed);

  while (!is_allowed (lane, class) || k-- > 0)
    class ++;
  return class;
}

static void
choose_class (const ReelMlpHead *self, const Lane *lane)
{
  double epsilon = lane->explores ? value_at (&self->options.epsilon, lane->step) : 0;
  ReelRandomKey key = reel_random_key (self->seeds[WHETHER], lane->step);
  gboolean any = epsilon > 0 && reel_random_double (key, lane->lane) < epsilon;

  write_class (self, lane, any ? draw_any (self, lane) : find_greatest (self, lane));
}

/* The class at which the sum of weights passes a random share of all. */
static gint64
draw_class (const ReelMlpHead *self, const Lane *lane, double total)
{
  ReelRandomKey key = reel_random_key (self->seeds[DRAW], lane->step);
  double share = reel_random_double (key, lane->lane) * total, sum = 0;
  gint64 last = 0;

  for (gint64 class = 0; class < self->n; class ++)
    {
      if (!is_allowed (lane, class) || lane->numbers[class] == 0)
        continue;
      last = class;
      sum += lane->numbers[class];
      if (share < sum)
        break;
    }
  return last;
}

static void
choose_categorical (const ReelMlpHead *self, const Lane *lane)
{
  gint64 greatest = find_greatest (self, lane), class = greatest;
  double most = (double) lane->outputs[greatest], total = 0, log_total;

  for (gint64 i = 0; i < self->n; i++)
    lane->numbers[i] = (double) lane->outputs[i] - most;
  self->exp->exp (lane->numbers, self->n, lane->numbers);
  for (gint64 i = 0; i < self->n; i++)
    total += is_allowed (lane, i) ? lane->numbers[i] : 0;
  self->exp->log (&total, 1, &log_total);
  if (lane->explores)
    class = draw_class (self, lane, total);
  write_class (self, lane, class);
  *lane->log_prob = (float) ((double) lane->outputs[class] - most - log_total);
}

static double
draw_normal (const ReelMlpHead *self, const Lane *lane, gint64 i)
{
  ReelRandomKey key = reel_random_key (self->seeds[DRAW], lane->step);

  return reel_normal_from_word (reel_random_word (key, lane->lane * self->n + i));
}

/* The noise of element @i, that of the step before it in the state included. */
static double
draw_noise (const ReelMlpHead *self, const Lane *lane, gint64 i)
{
  const ReelMlpHeadOptions *options = &self->options;
  double noise = value_at (&options->sigma, lane->step) * draw_normal (self, lane, i), before;

  if (!has_state (self))
    return noise;
  before = (double) lane->noise[i];
  lane->next_noise[i] =
      (float) (before - options->theta * before * options->dt + noise * sqrt (options->dt));
  return (double) lane->next_noise[i];
}

static void
choose_elements (const ReelMlpHead *self, const Lane *lane)
{
  gboolean noisy = has_noise (self) && lane->explores;

  if (has_state (self) && !noisy)
    memcpy (lane->next_noise, lane->noise, (gsize) self->n * sizeof *lane->noise);
  for (gint64 i = 0; i < self->n; i++)
    write_element (self, lane, i,
                   (double) lane->outputs[i] + (noisy ? draw_noise (self, lane, i) : 0));
}

/* log (1 + e^x) of @n numbers, in their place. */
static void
soften (const ReelMlpHead *self, double *numbers, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      double x = numbers[i], y = x;

      if (x < LINEAR)
        {
          self->exp->exp (&x, 1, &y);
          y += 1;
          self->exp->log (&y, 1, &y);
        }
      numbers[i] = y;
    }
}

static void
make_scales (const ReelMlpHead *self, const Lane *lane)
{
  gboolean is_exp = self->options.scale == REEL_MLP_EXP;

  for (gint64 i = 0; i < self->n; i++)
    lane->numbers[i] =
        MIN ((double) lane->outputs[self->n + i] + (is_exp ? 0 : SOFTPLUS_BIAS), 700);
  if (is_exp)
    self->exp->exp (lane->numbers, self->n, lane->numbers);
  else
    soften (self, lane->numbers, self->n);
  for (gint64 i = 0; i < self->n; i++)
    lane->numbers[i] = MAX (lane->numbers[i], LEAST_SCALE);
}

/* The logarithm of how much tanh and the bounds stretch at @u. */
static double
stretch (const ReelMlpHead *self, gint64 i, double u)
{
  double soft = -2 * u, log_span = (self->high[i] - self->low[i]) / 2;

  soften (self, &soft, 1);
  self->exp->log (&log_span, 1, &log_span);
  return 2 * (LOG_2 - u - soft) + log_span;
}

static void
choose_normal (const ReelMlpHead *self, const Lane *lane)
{
  gboolean bounded = self->options.kind == REEL_MLP_TANH_NORMAL;
  double sum = 0;

  make_scales (self, lane);
  for (gint64 i = 0; i < self->n; i++)
    {
      double mean = (double) lane->outputs[i], scale = lane->numbers[i], log_scale, z, u;

      u = lane->explores ? mean + scale * draw_normal (self, lane, i) : mean;
      if (bounded)
        {
          double y;

          self->exp->tanh (&u, 1, &y);
          write_element (self, lane, i,
                         self->low[i] + (self->high[i] - self->low[i]) * (y + 1) / 2);
          sum -= stretch (self, i, u);
        }
      else
        {
          write_element (self, lane, i, u);
          /* Of the action that is stored: within its bounds, and as its type rounds it. */
          u = reel_dtype_load_double (self->spec->dtype,
                                      lane->action + (gsize) i * self->element_bytes);
        }
      z = (u - mean) / scale;
      self->exp->log (&scale, 1, &log_scale);
      sum -= z * z / 2 + log_scale + HALF_LOG_TAU;
    }
  *lane->log_prob = (float) CLAMP (sum, -(double) G_MAXFLOAT, (double) G_MAXFLOAT);
}

static void
choose (const ReelMlpHead *self, const Lane *lane)
{
  switch (self->options.kind)
    {
    case REEL_MLP_DETERMINISTIC:
      if (self->classes)
        choose_class (self, lane);
      else
        choose_elements (self, lane);
      return;
    case REEL_MLP_NORMAL:
    case REEL_MLP_TANH_NORMAL: choose_normal (self, lane); return;
    case REEL_MLP_CATEGORICAL: choose_categorical (self, lane); return;
    }
}

/* ---- all lanes ---- */

static gboolean
check_lane (const ReelMlpHead *self, const Lane *lane, GError **error)
{
  for (gint64 i = 0; i < count_outputs (self); i++)
    if (!isfinite (lane->outputs[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "output %" G_GINT64_FORMAT " of the network, for \"%s\" of lane "
                     "%" G_GINT64_FORMAT ", is %g",
                     i, self->path, lane->lane, (double) lane->outputs[i]);
        return FALSE;
      }
  for (gint64 class = 0; lane->allowed && class < self->n; class ++)
    if (lane->allowed[class])
      return TRUE;
  if (lane->allowed == NULL)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "lane %" G_GINT64_FORMAT " has no allowed action: all of its \"%s_mask\" is false",
               lane->lane, self->path);
  return FALSE;
}

static Lane
point (const ReelMlpHead *self, gint64 step, gint64 l, const float *outputs, double *numbers,
       const ReelPolicyIO *io)
{
  Lane lane = { .step = step,
                .lane = l,
                .explores = self->options.explore && io->exploration == REEL_EXPLORATION_RANDOM,
                .outputs = outputs,
                .numbers = numbers,
                .action = io->action[0] + (gsize) l * self->row_bytes };

  if (self->mask >= 0)
    lane.allowed = io->observation[self->mask] + l * self->n;
  if (has_log_prob (self))
    lane.log_prob = (float *) (gpointer) io->output[0] + l;
  if (has_state (self))
    {
      lane.noise = (const float *) (gconstpointer) io->state[self->noise_place] + l * self->n;
      lane.next_noise = (float *) (gpointer) io->next_state[self->noise_place] + l * self->n;
    }
  return lane;
}

/* An action that has no closed form is not replaced by another. */
static gboolean
check_exploration (const ReelMlpHead *self, ReelExploration exploration, GError **error)
{
  gboolean tanh_normal = self->options.kind == REEL_MLP_TANH_NORMAL;
  gboolean mean = exploration == REEL_EXPLORATION_MEAN;

  if (exploration == REEL_EXPLORATION_RANDOM || exploration == REEL_EXPLORATION_DETERMINISTIC
      || !(tanh_normal || (mean && self->options.kind == REEL_MLP_CATEGORICAL)))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "head=%s of \"%s\" has no %s that is an action: exploration-type=deterministic",
               kind_names[self->options.kind], self->path, mean ? "mean" : "mode");
  return FALSE;
}

gboolean
reel_mlp_head_act (const ReelMlpHead *self, gint64 step, gint64 first, gint64 n,
                   const float *outputs, gsize stride, double *numbers, const ReelPolicyIO *io,
                   GError **error)
{
  if (!check_exploration (self, io->exploration, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      Lane lane = point (self, step, first + i, outputs + (gsize) i * stride, numbers, io);

      if (!check_lane (self, &lane, error))
        return FALSE;
      choose (self, &lane);
    }
  return TRUE;
}
