"""Gymnasium's frames of classic control: make-frames.py  (with the peers' Python)

Writes tests/data/gymnasium/frames.tsv, a line a frame: id, `steps` or `state`, numbers, SHA-256 of
the H x W x 3 bytes, row 0 on top. `steps`: the actions since reset(seed=0). `state`: the state set by
hand. Pendulum's arrow, a picture from a file, is in none of them."""

import hashlib
import os
import pathlib

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
import gymnasium as gym
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
STATES = {
    "CartPole-v1": [[0.5, 0, 0.1, 0], [-2.0, 0, -0.2, 0], [2.39, 0, 0.2, 0], [-2.6, 0, 1.1, 0], [2.7, 0, -2.4, 0],
                    [0, 0, np.pi / 2, 0], [1.5, 0, np.pi, 0], [-1.0, 0, 5e-7, 0], [2.45, 0, -0.7, 0],
                    [-2.35, 0, -0.4, 0], [9.0, 0, 0.1, 0]],
    "Pendulum-v1": [[1.0, 0], [-2.5, 0], [0, 0], [9.3, 0], [np.pi / 2, 0]],
    "Acrobot-v1": [[0.5, -0.7, 0, 0], [-2.0, 1.0, 0, 0], [3.1, 3.0, 0, 0], [0, 0, 0, 0]],
    "MountainCar-v0": [[-0.5, 0], [-1.2, 0], [0.6, 0], [0.1, 0]],
    "MountainCarContinuous-v0": [[-0.5, 0], [-1.2, 0], [0.45, 0]],
}


def line(env, how, numbers):
    frame = np.ascontiguousarray(env.render())
    digest = hashlib.sha256(frame.tobytes()).hexdigest()
    return f"{env.spec.id}\t{how}\t{' '.join(repr(float(x)) for x in numbers)}\t{digest}\n"


def frames(env_id):
    env = gym.make(env_id, render_mode="rgb_array", disable_env_checker=True)
    env.action_space.seed(0)
    env.reset(seed=0)
    actions = []
    yield line(env, "steps", actions)
    for k in range(27 if env_id != "Pendulum-v1" else 0):
        action = env.action_space.sample()
        env.step(action)
        actions += np.ravel(action).tolist()
        if k % 3 == 2:
            yield line(env, "steps", actions)
    env.reset(seed=0)
    for state in STATES[env_id]:
        env.unwrapped.state = np.array(state, "f8")
        yield line(env, "state", state)


with open(HERE.parent / "data" / "gymnasium" / "frames.tsv", "w") as table:
    for name in STATES:
        table.writelines(frames(name))
