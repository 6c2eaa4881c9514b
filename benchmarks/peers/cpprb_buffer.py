"""cpprb's replay buffer of a million rows of CartPole, which are five columns of it.

    cpprb_buffer.py extend|sample SECONDS

Prints calls a second: of a thousand rows added, of batches of 256 drawn.
"""
import sys
import time

import numpy as np
from cpprb import ReplayBuffer

ROWS = 1_000_000
BLOCK = 1000


def main():
    seconds = float(sys.argv[2])
    rng = np.random.default_rng(0)
    buffer = ReplayBuffer(ROWS, {"obs": {"shape": 4}, "act": {"shape": 2, "dtype": np.int64}, "rew": {},
                                 "next_obs": {"shape": 4}, "done": {"dtype": np.bool_}})
    block = dict(obs=rng.random((BLOCK, 4), np.float32), act=np.ones((BLOCK, 2), np.int64),
                 rew=np.ones(BLOCK, np.float32), next_obs=rng.random((BLOCK, 4), np.float32),
                 done=np.zeros(BLOCK, np.bool_))
    for _ in range(ROWS // BLOCK):
        buffer.add(**block)
    call = {"extend": lambda: buffer.add(**block), "sample": lambda: buffer.sample(256)}[sys.argv[1]]
    count, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        call()
        count += 1
    print(count / (time.monotonic() - begin))


main()
