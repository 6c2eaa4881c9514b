"""The fastest that a Python user can write: Gymnasium's NumPy vector env, rows into memory-mapped
columns of a ring of 2^20 rows. Prints frames per second of later passes.

    gymnasium_vector.py ENVS SECONDS OUT
"""
import os
import sys
import time

import gymnasium
import numpy as np

CAPACITY = 1 << 20
n, seconds, out = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
os.makedirs(out)


def column(name, dtype, width):
    return np.memmap(os.path.join(out, name), dtype, "w+", shape=(CAPACITY, width)[: 1 + (width > 1)])


observations, following = column("observation", "f4", 4), column("next_observation", "f4", 4)
actions, rewards = column("action", "i8", 1), column("reward", "f4", 1)
terminated, truncated = column("terminated", "?", 1), column("truncated", "?", 1)
env = gymnasium.make_vec("CartPole-v1", num_envs=n, vectorization_mode="vector_entry_point")
rng = np.random.default_rng(0)
observation, _ = env.reset(seed=0)
at = 0


def step():
    global observation, at
    rows = slice(at, at + n)
    action = rng.integers(0, 2, n)
    observations[rows], actions[rows] = observation, action
    observation, rewards[rows], terminated[rows], truncated[rows], _ = env.step(action)
    following[rows] = observation
    at = (at + n) % CAPACITY


for _ in range(CAPACITY // n):
    step()
steps, begin = 0, time.perf_counter()
while time.perf_counter() - begin < seconds:
    step()
    steps += 1
print(steps * n / (time.perf_counter() - begin))
