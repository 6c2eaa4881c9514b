/* A pole on a cart, pushed left or right: Gymnasium's CartPole-v0 and -v1. */

#include <float.h>
#include <math.h>

#include "cartpole-kernel.h"
#include "classic-drawing.h"

typedef enum
{
  EULER,
  SEMI_IMPLICIT_EULER,
} Integrator;

struct _ReelCartpoleEnv
{
  ReelClassicEnv parent_instance;

  double gravity, mass_cart, mass_pole, length, force_mag, tau, theta_threshold, x_threshold;
  double reset_low, reset_high;
  gboolean sutton_barto_reward;
  int integrator;
  ReelCartpolePhysics physics;
};

#define REEL_TYPE_CARTPOLE_ENV (reel_cartpole_env_get_type ())
G_DECLARE_FINAL_TYPE (ReelCartpoleEnv, reel_cartpole_env, REEL, CARTPOLE_ENV, ReelClassicEnv)
G_DEFINE_FINAL_TYPE (ReelCartpoleEnv, reel_cartpole_env, REEL_TYPE_CLASSIC_ENV)

static const ReelId ids[] = {
  { "CartPole-v0", "max-episode-steps=200", "balance a pole on a cart; 200 steps" },
  { "CartPole-v1", "max-episode-steps=500", "balance a pole on a cart; 500 steps" },
  { NULL, NULL, NULL },
};

static const ReelAlias aliases[] = {
  { "masscart", "mass-cart" },
  { "masspole", "mass-pole" },
  { "theta-threshold-radians", "theta-threshold" },
  { NULL, NULL },
};

static const char *const integrators[] = { "euler", "semi-implicit-euler", NULL };

static gboolean
prepare (ReelClassicEnv *env, ReelClassicRules *rules, ReelClassicBounds *bounds, GError **error)
{
  ReelCartpoleEnv *self = REEL_CARTPOLE_ENV (env);
  const double total_mass = self->mass_pole + self->mass_cart, infinity = (double) INFINITY;

  self->physics = (ReelCartpolePhysics){
    .push = self->force_mag / total_mass * self->tau,
    .swing = self->mass_pole * self->length / total_mass,
    .whirl = self->mass_pole * self->length / total_mass * self->tau,
    .fall = self->gravity * self->tau,
    .lever = self->length * (4.0 / 3.0),
    .drag = self->length * self->mass_pole / total_mass,
    .tau = self->tau,
    .x_limit = self->x_threshold,
    .theta_limit = self->theta_threshold,
    .semi_implicit = self->integrator == SEMI_IMPLICIT_EULER,
  };
  *rules = (ReelClassicRules){
    .physics = &self->physics,
    .alive = self->sutton_barto_reward ? 0 : 1,
    .terminating = self->sutton_barto_reward ? -1 : 1,
    .terminated = self->sutton_barto_reward ? -1 : 0,
  };
  *bounds = (ReelClassicBounds){
    .low = { -2 * self->x_threshold, -infinity, -2 * self->theta_threshold, -infinity },
    .high = { 2 * self->x_threshold, infinity, 2 * self->theta_threshold, infinity },
  };
  return reel_classic_rules_draw (rules, 4, self->reset_low, self->reset_high, error);
}

/* Gymnasium's own order of operations, on the C library's sine and cosine. */
static gboolean
step_exactly (ReelClassicEnv *env, gboolean first, double *state, double action, float *reward)
{
  ReelCartpoleEnv *self = REEL_CARTPOLE_ENV (env);
  double force = action != 0 ? self->force_mag : -self->force_mag;
  double total_mass = self->mass_pole + self->mass_cart;
  double polemass_length = self->mass_pole * self->length;
  double x_dot = state[1], theta_dot = state[3];
  double c = cos (state[2]), s = sin (state[2]);
  double temp = (force + polemass_length * (theta_dot * theta_dot) * s) / total_mass;
  double theta_acc = (self->gravity * s - c * temp)
                     / (self->length * (4.0 / 3.0 - self->mass_pole * (c * c) / total_mass));
  double x_acc = temp - polemass_length * theta_acc * c / total_mass;
  gboolean new_first = self->integrator == SEMI_IMPLICIT_EULER;

  state[1] = x_dot + self->tau * x_acc;
  state[3] = theta_dot + self->tau * theta_acc;
  state[0] += self->tau * (new_first ? state[1] : x_dot);
  state[2] += self->tau * (new_first ? state[3] : theta_dot);
  return fabs (state[0]) > self->x_threshold || fabs (state[2]) > self->theta_threshold;
}

static void
draw (ReelClassicEnv *env, const ReelCanvas *canvas, gboolean first, const double *state)
{
  const ReelCartpoleEnv *self = REEL_CARTPOLE_ENV (env);

  reel_draw_cartpole (canvas, state[0], state[2], self->x_threshold, self->length);
}

/* ---- class ---- */

#define FIELD(name) G_STRUCT_OFFSET (ReelCartpoleEnv, name)

static void
add_properties (ReelObjectClass *klass)
{
  reel_object_class_add_bool (klass, "sutton-barto-reward", FIELD (sutton_barto_reward), FALSE,
                              "reward 0, and -1 where terminated, instead of 1",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_classic_env_class_add_constant (klass, "reset-low", FIELD (reset_low), -DBL_MAX, DBL_MAX,
                                       -0.05, NULL,
                                       "least value of a component of the first state");
  reel_classic_env_class_add_constant (klass, "reset-high", FIELD (reset_high), -DBL_MAX, DBL_MAX,
                                       0.05, NULL, "upper end of a component of the first state");
  reel_classic_env_class_add_constant (klass, "gravity", FIELD (gravity), -DBL_MAX, DBL_MAX, 9.8,
                                       "m/s^2", "downwards");
  reel_classic_env_class_add_constant (klass, "mass-cart", FIELD (mass_cart), DBL_MIN, DBL_MAX, 1.0,
                                       "kg", "mass of the cart");
  reel_classic_env_class_add_constant (klass, "mass-pole", FIELD (mass_pole), 0, DBL_MAX, 0.1, "kg",
                                       "mass of the pole");
  reel_classic_env_class_add_constant (klass, "length", FIELD (length), DBL_MIN, DBL_MAX, 0.5, "m",
                                       "half the length of the pole");
  reel_classic_env_class_add_constant (klass, "force-mag", FIELD (force_mag), -DBL_MAX, DBL_MAX,
                                       10.0, "N", "force of an action; 1 pushes to the right");
  reel_classic_env_class_add_constant (klass, "tau", FIELD (tau), DBL_MIN, DBL_MAX, 0.02, "s",
                                       "time between steps");
  reel_object_class_add_enum (klass, "kinematics-integrator", FIELD (integrator), integrators,
                              EULER, "how a step integrates", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_classic_env_class_add_constant (klass, "theta-threshold", FIELD (theta_threshold), 0,
                                       DBL_MAX, 12 * 2 * G_PI / 360, "rad",
                                       "pole angle beyond which an episode terminates");
  reel_classic_env_class_add_constant (klass, "x-threshold", FIELD (x_threshold), 0, DBL_MAX, 2.4,
                                       "m", "cart position beyond which an episode terminates");
}

static const char *const observation_names[] = { "cart position", "cart velocity", "pole angle",
                                                 "pole angular velocity", NULL };

static void
reel_cartpole_env_class_init (ReelCartpoleEnvClass *klass)
{
  ReelClassicEnvClass *classic_class = REEL_CLASSIC_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->aliases = aliases;
  REEL_ENV_CLASS (klass)->source = "Gymnasium 1.4.0, classic_control/cartpole.py";
  classic_class->shape = (ReelClassicShape) REEL_CARTPOLE_SHAPE;
  REEL_CLASSIC_TAKE_KERNELS (classic_class, reel_cartpole_kernels);
  classic_class->prepare = prepare;
  classic_class->step_exactly = step_exactly;
  classic_class->draw = draw;
  REEL_ENV_CLASS (klass)->observation_names = observation_names;
  REEL_ENV_CLASS (klass)->frame_width = REEL_CARTPOLE_WIDTH;
  REEL_ENV_CLASS (klass)->frame_height = REEL_CARTPOLE_HEIGHT;
  REEL_ENV_CLASS (klass)->frame_rate = 50;
  add_properties (REEL_OBJECT_CLASS (klass));
}

static void
reel_cartpole_env_init (ReelCartpoleEnv *self)
{
}
