"""Evaluates what learn learned by PyTorch, in Gymnasium: python3 evaluate_policy.py RUN [EPISODES]"""
import json
import sys

import gymnasium as gym
import numpy as np
import torch

run, episodes = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
config = json.load(open(f"{run}/config.json"))
data = open(f"{run}/policy.safetensors", "rb").read()
begin = 8 + int.from_bytes(data[:8], "little")  # of the numbers, behind the header
weights = {name: torch.tensor(np.frombuffer(data[begin:][slice(*x["data_offsets"])], np.float32)).view(x["shape"])
           for name, x in json.loads(data[8:begin]).items() if name != "__metadata__"}
between = torch.nn.Tanh() if config["activation"] == "tanh" else torch.nn.ReLU()
layers = [torch.nn.Linear(*w.shape[::-1]) for name, w in weights.items() if name.endswith("weight")]
network = torch.nn.Sequential(*[part for layer in layers for part in (layer, between)][:-1])
network.load_state_dict(weights)
env, total = gym.make(config["env"].split("|")[0].split(":")[0]), 0
for seed in range(episodes):
    seen, ended, space = env.reset(seed=seed)[0], False, env.action_space
    while not ended:
        out = network(torch.tensor(np.ravel(seen), dtype=torch.float32)).detach().numpy()
        action = out.argmax() if hasattr(space, "n") else out[:space.shape[0]]
        if "tanh-normal" in config["policy"]:  # its mean, in [-1, 1]
            action = space.low + (np.tanh(action) + 1) / 2 * (space.high - space.low)
        seen, reward, terminated, truncated, _ = env.step(action)
        total, ended = total + reward, terminated or truncated
print(f"{episodes} episodes of {env.spec.id}: mean return {total / episodes:.1f}")
