"""EnvPool, asynchronous, random actions, nothing stored. Prints frames per second.

    envpool_vector.py BATCH THREADS SECONDS
"""
import sys
import time

import envpool
import numpy as np

batch, threads, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
env = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=2 * batch, batch_size=batch,
                   num_threads=threads)
env.async_reset()
rng = np.random.default_rng(0)


def step():
    info = env.recv()[-1]
    env.send(rng.integers(0, 2, batch), info["env_id"])


for _ in range(20):
    step()
steps, begin = 0, time.perf_counter()
while time.perf_counter() - begin < seconds:
    step()
    steps += 1
print(steps * batch / (time.perf_counter() - begin))
