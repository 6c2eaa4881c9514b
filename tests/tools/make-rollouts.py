"""Writes tests/data/rollouts.json: what TorchRL rolls out of counting environments, one lane each,
with actions that are given. Run by the peer's Python, see HACKING.md."""

import json
import sys
import types

import numpy
import torch


def decorate(*args, **kwargs):
    return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else decorate


try:
    import pytest
except ImportError:
    # TorchRL's mocks import it and do not need it.
    stand_in = types.ModuleType("pytest")
    stand_in.mark = types.SimpleNamespace(parametrize=decorate, skipif=decorate, gpu=decorate)
    stand_in.fixture = stand_in.param = stand_in.skip = decorate
    sys.modules["pytest"] = stand_in

from torchrl._utils import seed_generator
from torchrl.envs import GymEnv, SerialEnv
from torchrl.testing.mocking_classes import AutoResettingCountingEnv, CountingEnv, MockSerialEnv

STEPS = 9
ENDS = {"any": (True, False), "all": (False, True), "never": (False, False)}


def flat(tensor):
    return tensor.reshape(-1).tolist()


def describe(rollout):
    """Steps slowest, as this library keeps them."""
    time_first = rollout.transpose(0, 1)
    return {
        "steps": rollout.shape[1],
        "observation": flat(time_first["observation"]),
        "done": flat(time_first["done"].int()),
        "next_observation": flat(time_first["next", "observation"]),
        "next_done": flat(time_first["next", "done"].int()),
        "next_terminated": flat(time_first["next", "terminated"].int()),
        "action": flat(time_first["action"]),
    }


def counting(limits, start, pattern, end):
    env = SerialEnv(
        len(limits),
        [lambda limit=limit: CountingEnv(max_steps=limit, start_val=start) for limit in limits],
    )
    lanes = len(limits)
    actions = [
        torch.tensor([[(pattern >> ((t + lane) % 4)) & 1] for lane in range(lanes)], dtype=torch.int8)
        for t in range(STEPS)
    ]
    any_done, all_done = ENDS[end]
    rollout = env.rollout(
        STEPS, actions=actions, break_when_any_done=any_done, break_when_all_done=all_done,
        return_contiguous=True,
    )
    return {"limits": limits, "start": start, "pattern": pattern, "end": end} | describe(rollout)


def serial(seed):
    env = MockSerialEnv()
    env.set_seed(seed)
    rollout = env.rollout(200, break_when_any_done=True, return_contiguous=True)
    found = describe(rollout[None])
    del found["action"]
    return {"seed": seed} | found


def auto_resetting(steps, end):
    env = AutoResettingCountingEnv(4, auto_reset=True)
    rollout = env.rollout(
        steps, policy=lambda td: td.set("action", env.action_spec.zero() + 1),
        break_when_any_done=ENDS[end][0], return_contiguous=True,
    )
    return {"end": end} | describe(rollout[None])


def seeds():
    """The chain from some seeds, and what three environments that are seeded by it begin with."""
    chains = []
    for seed in (0, 1, 2, 42, 123, 1234, 2**32 - 2, 2**32, 2**40 + 7):
        chain = [seed]
        for _ in range(4):
            chain.append(seed_generator(chain[-1]))
        chains.append(chain)
    env = SerialEnv(3, lambda: GymEnv("CartPole-v1"))
    after = env.set_seed(5)
    # Seeding resets: what reset() gives afterwards is the second draw.
    first = env.reset()["observation"]
    return {"chains": chains, "cartpole": {"seed": 5, "next": after,
            "observation": [float(x) for x in numpy.asarray(first, dtype=numpy.float64).reshape(-1)]}}


def main():
    cases = [
        counting(limits, start, pattern, end)
        for limits in ([1, 3], [3, 1], [2, 2], [0, 4, 2], [3])
        for start in (0, 1)
        for pattern in (15, 13, 5)
        for end in ENDS
        if start <= min(limits)
    ]
    json.dump(
        {
            "counting": cases,
            "serial": [serial(seed) for seed in (100, 1, 33)],
            "auto_resetting": [auto_resetting(20, end) for end in ("never", "any")],
            "seeds": seeds(),
        },
        open("tests/data/rollouts.json", "w"),
        separators=(",", ":"),
    )


main()
