"""Any environment of Gymnasium for Reel: collect --env exec:'python3 gymnasium_env.py CartPole-v1'

A second argument, sync or async, has a vector environment step the lanes.
"""
import json
import mmap
import socket
import sys

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode


class Lanes:
    """An environment a lane."""

    def __init__(self, name, n):
        self.envs = [gym.make(name) for _ in range(n)]
        self.observation, self.action = self.envs[0].observation_space, self.envs[0].action_space

    def reset(self, i, seeds):
        return [self.envs[lane].reset(seed=seed)[0] for lane, seed in zip(i, seeds)]

    def step(self, i, actions):
        return list(zip(*(self.envs[lane].step(action) for lane, action in zip(i, actions))))[:4]


class VectorLanes:
    """A vector environment, which steps all lanes at once and never resets one itself."""

    def __init__(self, name, n, mode):
        modes = {"autoreset_mode": AutoresetMode.DISABLED}
        self.env = gym.make_vec(name, n, vectorization_mode=mode, vector_kwargs=modes)
        self.observation, self.action = (
            self.env.single_observation_space, self.env.single_action_space)

    def reset(self, i, seeds):
        mask, all_seeds = np.zeros(self.env.num_envs, bool), [None] * self.env.num_envs
        mask[i] = True
        for lane, seed in zip(i, seeds):
            all_seeds[lane] = seed
        return self.env.reset(seed=all_seeds, options={"reset_mask": mask})[0][i]

    def step(self, i, actions):
        if len(i) < self.env.num_envs:
            raise ValueError("a vector environment steps all lanes at once, never some of them")
        return self.env.step(np.asarray(actions))[:4]


def bounds(array):
    return [str(x) if np.isinf(x) else x for x in array.ravel().tolist()]


def spec(space, one_hot):
    if isinstance(space, gym.spaces.Discrete):
        return {"kind": "one-hot" if one_hot else "categorical", "n": int(space.n),
                "dtype": "int64", "shape": [int(space.n)] if one_hot else []}
    if not isinstance(space, gym.spaces.Box):
        sys.exit(f"{space} is not supported: wrap the environment, as by FlattenObservation")
    low, high = (np.reshape(bounds(x), space.shape).tolist() for x in (space.low, space.high))
    return {"kind": "bounded", "low": low, "high": high, "dtype": str(space.dtype),
            "shape": list(space.shape)}


def main(name, mode=None):
    reel, lines = socket.socket(fileno=3), open(3, "rb", buffering=0, closefd=False)
    hello = json.loads(lines.readline())
    n, one_hot = hello["num_envs"], hello["action_encoding"] == "one-hot"
    lanes = VectorLanes(name, n, mode) if mode else Lanes(name, n)
    specs = spec(lanes.observation, False), spec(lanes.action, one_hot)
    reel.sendall(json.dumps({"observation": specs[0], "action": specs[1]}).encode() + b"\n")
    places = json.loads(lines.readline())
    memory = mmap.mmap(4, places["bytes"])

    def column(at, dtype, shape=()):
        return np.ndarray((n, *shape), dtype, memory, at)

    observation, action = (
        column(places[key][key], s["dtype"], s["shape"])
        for key, s in zip(("observation", "action"), specs))
    reward = column(places["reward"], "float32")
    terminated, truncated, mask = (
        column(places[key], bool) for key in ("terminated", "truncated", "lanes"))
    seeds = column(places["seeds"], "int64")
    while message := reel.recv(1):
        i = np.flatnonzero(mask)
        if message == b"r":
            observation[i] = lanes.reset(i, [int(s) if s >= 0 else None for s in seeds[i]])
        else:
            chosen = action[i]
            if isinstance(lanes.action, gym.spaces.Discrete):
                chosen = lanes.action.start + (chosen.argmax(-1) if one_hot else chosen)
            observation[i], reward[i], terminated[i], truncated[i] = lanes.step(i, chosen)
        reel.sendall(message)


main(*sys.argv[1:])
