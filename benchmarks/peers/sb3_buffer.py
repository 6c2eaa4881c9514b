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
BLOCK = 1000


def row(rng, n_envs):
    return (rng.random((n_envs, 4), np.float32), rng.random((n_envs, 4), np.float32), np.ones((n_envs, 1), np.int64),
            np.ones(n_envs, np.float32), np.zeros(n_envs, np.float32), [{}] * n_envs)


def make(n_envs):
    return ReplayBuffer(ROWS, spaces.Box(-np.inf, np.inf, (4,), np.float32), spaces.Discrete(2), device="cpu",
                        n_envs=n_envs)


def main():
    what, seconds = sys.argv[1], float(sys.argv[2])
    rng = np.random.default_rng(0)
    buffer = make(1 if what == "add" else BLOCK)
    item = row(rng, buffer.n_envs)
    for _ in range(ROWS // BLOCK):
        buffer.add(*item)
    call = {"add": lambda: buffer.add(*item), "sample": lambda: buffer.sample(256)}[what]
    count, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        call()
        count += 1
    print(count / (time.monotonic() - begin))


main()
