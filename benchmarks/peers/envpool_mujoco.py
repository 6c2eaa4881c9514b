"""EnvPool's MuJoCo tasks, random actions drawn beforehand, nothing stored. Prints the versions and
steps per second: rows that begin an episode, whose action is ignored, are none.

    envpool_mujoco.py TASK sync|async ENVS THREADS SECONDS
"""
import os
import re
import sys
import time
from importlib.metadata import version

import envpool
import numpy as np

task, kind, envs, threads, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
batch = envs if kind == "sync" else envs // 2
env = envpool.make(task, env_type="gymnasium", num_envs=envs, batch_size=batch, num_threads=threads)
space = env.action_space
rng = np.random.default_rng(0)
actions = [rng.uniform(space.low, space.high, (batch, *space.shape)).astype(space.dtype) for _ in range(64)]


def mujoco_version():
    """That of the MuJoCo inside of EnvPool, which tells it nowhere."""
    path = os.path.join(os.path.dirname(envpool.__file__), "mujoco", "mujoco_gym_envpool.so")
    with open(path, "rb") as file:
        found = re.search(rb"\x00([234]\.\d+\.\d+)\x00", file.read())
    return found.group(1).decode() if found else "of unknown version"


def step(i):
    """Returns how many of the rows are steps."""
    action = actions[i % len(actions)]
    if kind == "sync":
        info = env.step(action)[-1]
    else:
        info = env.recv()[-1]
        env.send(action, info["env_id"])
    return np.count_nonzero(info["elapsed_step"])


if kind == "sync":
    env.reset()
else:
    env.async_reset()
i, steps, begin = 0, 0, time.perf_counter()
while time.perf_counter() - begin < seconds / 2:
    step(i)
    i += 1
begin = time.perf_counter()
while time.perf_counter() - begin < seconds:
    steps += step(i)
    i += 1
print(f"EnvPool {version('envpool')} with MuJoCo {mujoco_version()}:", steps / (time.perf_counter() - begin))
