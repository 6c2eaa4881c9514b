"""Stable-Baselines3's replay buffer of a million rows of CartPole, which are five columns of it.

    sb3_buffer.py add|sample SECONDS

Prints calls a second: of one row added, of batches of 256 drawn.
"""
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
from gymnasium import spaces  # noqa: E402
from stable_baselines3.common.buffers import ReplayBuffer  # noqa: E402

ROWS = 1_000_000


def make():
    """A full one: filled in place, which adding row by row would take seconds to do."""
    buffer = ReplayBuffer(ROWS, spaces.Box(-np.inf, np.inf, (4,), np.float32), spaces.Discrete(2), device="cpu")
    for column in (buffer.observations, buffer.next_observations, buffer.actions, buffer.rewards, buffer.dones):
        column[...] = 1
    buffer.full = True
    return buffer


def main():
    what, seconds = sys.argv[1], float(sys.argv[2])
    rng = np.random.default_rng(0)
    buffer = make()
    item = (rng.random((1, 4), np.float32), rng.random((1, 4), np.float32), np.ones((1, 1), np.int64),
            np.ones(1, np.float32), np.zeros(1, np.float32), [{}])
    for _ in range(5):
        buffer.add(*item)
    call = {"add": lambda: buffer.add(*item), "sample": lambda: buffer.sample(256)}[what]
    count, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        call()
        count += 1
    print(count / (time.monotonic() - begin))


main()
