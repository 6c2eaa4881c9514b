"""What anyone writes first: one Gymnasium env, random actions, rows saved by NumPy.

    gymnasium_loop.py FRAMES OUT
"""
import os
import sys

import gymnasium
import numpy as np

frames, out = int(sys.argv[1]), sys.argv[2]
env = gymnasium.make("CartPole-v1")
observation, _ = env.reset(seed=0)
env.action_space.seed(0)
rows = []
for _ in range(frames):
    action = env.action_space.sample()
    following, reward, terminated, truncated, _ = env.step(action)
    rows.append((observation, action, reward, following, terminated, truncated))
    observation = env.reset()[0] if terminated or truncated else following
os.makedirs(out)
names = ("observation", "action", "reward", "next_observation", "terminated", "truncated")
np.savez(os.path.join(out, "rows.npz"), **{n: np.array(c) for n, c in zip(names, zip(*rows))})
