/* Two links of which only the joint between them has a motor, to be swung up: Gymnasium's
 * Acrobot-v1. */

#include <math.h>

#include "acrobot-kernel.h"
#include "classic-drawing.h"

typedef enum
{
  BOOK,
  NIPS,
} Equations;

struct _ReelAcrobotEnv
{
  ReelClassicEnv parent_instance;

  double reset_low, reset_high;
  int equations;
  ReelAcrobotPhysics physics;
};

G_DECLARE_FINAL_TYPE (ReelAcrobotEnv, reel_acrobot_env, REEL, ACROBOT_ENV, ReelClassicEnv)
G_DEFINE_FINAL_TYPE (ReelAcrobotEnv, reel_acrobot_env, REEL_TYPE_CLASSIC_ENV)

static const ReelId ids[] = {
  { "Acrobot-v1", "max-episode-steps=500", "swing two links up by the joint between; 500 steps" },
  { NULL, NULL, NULL },
};

static const char *const equations[] = { "book", "nips", NULL };

static gboolean
prepare (ReelClassicEnv *env, ReelClassicRules *rules, ReelClassicBounds *bounds, GError **error)
{
  ReelAcrobotEnv *self = REEL_ACROBOT_ENV (env);
  const double speed1 = REEL_ACROBOT_SPEED_1, speed2 = REEL_ACROBOT_SPEED_2;

  self->physics.coupling = self->equations == BOOK ? 0.5 : 0;
  *rules = (ReelClassicRules){ .physics = &self->physics, .round_draws = TRUE, .alive = -1 };
  *bounds = (ReelClassicBounds){
    .low = { -1, -1, -1, -1, -speed1, -speed2 },
    .high = { 1, 1, 1, 1, speed1, speed2 },
  };
  return reel_classic_rules_draw (rules, 4, self->reset_low, self->reset_high, error);
}

/* ---- Gymnasium's own order of operations, on the C library's sine and cosine ---- */

static void
change (const ReelAcrobotEnv *self, const double *state, double torque, double *rate)
{
  const double g = REEL_ACROBOT_GRAVITY, m = 1, l = 1, lc = 0.5, inertia = 1;
  double theta1 = state[0], theta2 = state[1], speed1 = state[2], speed2 = state[3];
  double sine2 = sin (theta2), cosine2 = cos (theta2);
  double d1 = m * (lc * lc) + m * (l * l + lc * lc + 2 * l * lc * cosine2) + inertia + inertia;
  double d2 = m * (lc * lc + l * lc * cosine2) + inertia;
  double phi2 = m * lc * g * cos (theta1 + theta2 - G_PI / 2.0);
  double phi1 = -m * l * lc * reel_classic_square (speed2) * sine2
                - 2 * m * l * lc * speed2 * speed1 * sine2
                + (m * lc + m * l) * g * cos (theta1 - G_PI / 2) + phi2;
  double pull = torque + d2 / d1 * phi1;

  if (self->equations == BOOK)
    pull -= m * l * lc * reel_classic_square (speed1) * sine2;
  rate[0] = speed1;
  rate[1] = speed2;
  rate[3] = (pull - phi2) / (m * (lc * lc) + inertia - reel_classic_square (d2) / d1);
  rate[2] = -(d2 * rate[3] + phi1) / d1;
}

static void
integrate (const ReelAcrobotEnv *self, double *state, double torque)
{
  const double tau = REEL_ACROBOT_TAU, reach[4] = { 0, tau / 2, tau / 2, tau };
  double at[4], rate[4][4];

  for (gint stage = 0; stage < 4; stage++)
    {
      for (gint s = 0; s < 4; s++)
        at[s] = stage == 0 ? state[s] : state[s] + reach[stage] * rate[stage - 1][s];
      change (self, at, torque, rate[stage]);
    }
  for (gint s = 0; s < 4; s++)
    state[s] += tau / 6.0 * (rate[0][s] + 2 * rate[1][s] + 2 * rate[2][s] + rate[3][s]);
}

static double
wrap (double theta)
{
  while (theta > G_PI)
    theta -= 2 * G_PI;
  while (theta < -G_PI)
    theta += 2 * G_PI;
  return theta;
}

static gboolean
step_exactly (ReelClassicEnv *env, gboolean first, double *state, double action, float *reward)
{
  integrate (REEL_ACROBOT_ENV (env), state, action - 1);
  state[0] = wrap (state[0]);
  state[1] = wrap (state[1]);
  state[2] = CLAMP (state[2], -REEL_ACROBOT_SPEED_1, REEL_ACROBOT_SPEED_1);
  state[3] = CLAMP (state[3], -REEL_ACROBOT_SPEED_2, REEL_ACROBOT_SPEED_2);
  return -cos (state[0]) - cos (state[1] + state[0]) > 1.0;
}

/* NumPy's own float32 sine and cosine below π/4, as CPUs with fused multiply-adds have them; what
 * resets draw beyond is left to the C library. */
static void
sine_cosine_float (float x, float *sine, float *cosine)
{
  const float square = x * x;

  if (!(fabsf (x) < (float) G_PI_4))
    {
      *sine = sinf (x);
      *cosine = cosf (x);
      return;
    }
  float c = fmaf (0x1.98e616p-16f, square, -0x1.6c06dcp-10f);
  float s = fmaf (0x1.7d3bbcp-19f, square, -0x1.a06bbap-13f);

  c = fmaf (fmaf (c, square, 0x1.55553cp-5f), square, -0.5f);
  s = fmaf (fmaf (s, square, 0x1.11119ap-7f), square, -0x1.555556p-3f);
  *cosine = fmaf (c, square, 1.0f);
  *sine = fmaf (s * square, x, x);
}

static void
observe_exactly (ReelClassicEnv *env, gboolean first, const double *state, float *observation)
{
  for (gint joint = 0; joint < 2; joint++)
    {
      float *cosine = &observation[2 * joint], *sine = cosine + 1;

      if (first)
        sine_cosine_float ((float) state[joint], sine, cosine);
      else
        {
          *cosine = (float) cos (state[joint]);
          *sine = (float) sin (state[joint]);
        }
      observation[4 + joint] = (float) state[2 + joint];
    }
}

static void
recall (ReelClassicEnv *env, const float *observation, double *state)
{
  state[0] = atan2 (observation[1], observation[0]);
  state[1] = atan2 (observation[3], observation[2]);
  state[2] = observation[4];
  state[3] = observation[5];
}

static void
draw (ReelClassicEnv *env, const ReelCanvas *canvas, gboolean first, const double *state)
{
  reel_draw_acrobot (canvas, state[0], state[1], first);
}

/* ---- class ---- */

static const char *const observation_names[] = {
  "cos angle 1",        "sin angle 1",        "cos angle 2", "sin angle 2",
  "angular velocity 1", "angular velocity 2", NULL
};

static void
reel_acrobot_env_class_init (ReelAcrobotEnvClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelClassicEnvClass *classic_class = REEL_CLASSIC_ENV_CLASS (klass);
  const double most = REEL_ACROBOT_SPEED_1;

  object_class->ids = ids;
  REEL_ENV_CLASS (klass)->source = "Gymnasium 1.4.0, classic_control/acrobot.py";
  classic_class->shape = (ReelClassicShape) REEL_ACROBOT_SHAPE;
  REEL_CLASSIC_TAKE_KERNELS (classic_class, reel_acrobot_kernels);
  classic_class->prepare = prepare;
  classic_class->step_exactly = step_exactly;
  classic_class->observe_exactly = observe_exactly;
  classic_class->recall = recall;
  classic_class->draw = draw;
  REEL_ENV_CLASS (klass)->observation_names = observation_names;
  REEL_ENV_CLASS (klass)->frame_width = REEL_ACROBOT_SIDE;
  REEL_ENV_CLASS (klass)->frame_height = REEL_ACROBOT_SIDE;
  REEL_ENV_CLASS (klass)->frame_rate = 15;
  reel_classic_env_class_add_constant (
      object_class, "reset-low", G_STRUCT_OFFSET (ReelAcrobotEnv, reset_low), -most, most, -0.1,
      "rad, rad/s", "least of an angle and of a velocity of the first state");
  reel_classic_env_class_add_constant (object_class, "reset-high",
                                       G_STRUCT_OFFSET (ReelAcrobotEnv, reset_high), -most, most,
                                       0.1, "rad, rad/s", "upper end of them");
  reel_object_class_add_enum (
      object_class, "equations", G_STRUCT_OFFSET (ReelAcrobotEnv, equations), equations, BOOK,
      "of motion: Sutton and Barto's book, or their NIPS paper", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_acrobot_env_init (ReelAcrobotEnv *self)
{
}
