/* The pictures of classic control: what Gymnasium's render_mode="rgb_array" gives, from plain
 * numbers. Each draws on the whole canvas, whose world has the size of Gymnasium's screen. Private.
 * Source: the render functions of gymnasium/envs/classic_control. */
#pragma once

#include "../core/canvas.h"

G_BEGIN_DECLS

#define REEL_CARTPOLE_WIDTH 600
#define REEL_CARTPOLE_HEIGHT 400

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

G_END_DECLS
