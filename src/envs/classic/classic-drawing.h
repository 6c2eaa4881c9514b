/* The pictures of classic control: what Gymnasium's render_mode="rgb_array" gives, from plain
 * numbers. Each draws on the whole canvas, whose world has the size of Gymnasium's screen. Private.
 * Source: the render functions of gymnasium/envs/classic_control. */
#pragma once

#include "../../core/image/canvas.h"

G_BEGIN_DECLS

#define REEL_CARTPOLE_WIDTH 600
#define REEL_CARTPOLE_HEIGHT 400
#define REEL_PENDULUM_SIDE 500
#define REEL_ACROBOT_SIDE 500
#define REEL_MOUNTAIN_CAR_WIDTH 600
#define REEL_MOUNTAIN_CAR_HEIGHT 400

/**
 * reel_draw_cartpole:
 * @canvas: 600 × 400
 * @x: position of the cart, m
 * @theta: angle of the pole, rad, 0 upright
 * @x_limit: half of what the picture shows, m
 * @length: half the length of the pole, m
 *
 * Draws a pole on a cart.
 */
void reel_draw_cartpole (const ReelCanvas *canvas, double x, double theta, double x_limit,
                         double length);

/**
 * reel_draw_pendulum:
 * @canvas: 500 × 500
 * @theta: angle of the rod, rad, 0 upright
 * @torque: what was applied last, N m; 0 before the first step
 *
 * Draws a rod, and an arrow as large as the torque. The arrow is ours, of Gymnasium's place and
 * size: there it is a picture from a file.
 */
void reel_draw_pendulum (const ReelCanvas *canvas, double theta, double torque);

/**
 * reel_draw_acrobot:
 * @canvas: 500 × 500
 * @theta1: angle of the first link, rad, 0 downwards
 * @theta2: angle of the second against the first, rad
 * @is_float: whether the angles are numbers of 32 bits, as Gymnasium's are until the first step
 *
 * Draws two links and the line that the lower end is to reach.
 */
void reel_draw_acrobot (const ReelCanvas *canvas, double theta1, double theta2, gboolean is_float);

/**
 * reel_draw_mountain_car:
 * @canvas: 600 × 400
 * @position: of the car
 * @goal: position of the flag
 * @is_float: whether the position is a number of 32 bits, as Gymnasium's is in the continuous task
 *   from the first step on
 *
 * Draws a car in a valley.
 */
void reel_draw_mountain_car (const ReelCanvas *canvas, double position, double goal,
                             gboolean is_float);

G_END_DECLS
