"""cpprb's prioritised buffer: draw 256 of a million rows of CartPole, give them new priorities.

    cpprb_prioritized.py SECONDS [alone]

Five keys a row, as its users keep it: 53 bytes, where the ten keys of ours are 58. `alone` stores a byte a row, the
least that it takes: rows and weights, and nothing worth mentioning is copied.
Prints such steps a second.
"""
import sys
import time

import numpy as np
from cpprb import PrioritizedReplayBuffer

ROWS = 1_000_000


def make(rng, alone):
    if alone:
        buffer = PrioritizedReplayBuffer(ROWS, {"done": {"dtype": np.bool_}}, alpha=0.6)
        buffer.add(done=np.zeros(ROWS, np.bool_))
        return buffer
    buffer = PrioritizedReplayBuffer(ROWS, {"obs": {"shape": 4}, "act": {"shape": 2, "dtype": np.int64}, "rew": {},
                                            "next_obs": {"shape": 4}, "done": {"dtype": np.bool_}}, alpha=0.6)
    for _ in range(100):
        n = ROWS // 100
        buffer.add(obs=rng.random((n, 4), np.float32), act=np.ones((n, 2), np.int64), rew=np.ones(n, np.float32),
                   next_obs=rng.random((n, 4), np.float32), done=np.zeros(n, np.bool_))
    return buffer


def main():
    seconds = float(sys.argv[1])
    rng = np.random.default_rng(0)
    buffer = make(rng, sys.argv[2:] == ["alone"])
    buffer.update_priorities(np.arange(ROWS), rng.random(ROWS))
    priorities = rng.random((64, 256))
    for i in range(5):
        buffer.update_priorities(buffer.sample(256, beta=0.4)["indexes"], priorities[i])
    count, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        buffer.update_priorities(buffer.sample(256, beta=0.4)["indexes"], priorities[count % 64])
        count += 1
    print(count / (time.monotonic() - begin))


main()
