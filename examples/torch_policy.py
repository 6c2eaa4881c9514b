"""A policy of PyTorch for Reel: collect Pendulum --policy "exec:'python3 torch_policy.py actor.pt'"

actor.pt is the state_dict() of the network below, which torch.save() wrote; without it, the weights are random. The
network computes actions [lanes, m] of observations [lanes, n], or a value of each class. Put yours in its place.
"""
import json
import mmap
import socket
import sys

import numpy as np


def leaves(spec, path=""):
    """Path and spec of each leaf of a composite."""
    for key, leaf in spec["specs"].items():
        if leaf["kind"] == "composite":
            yield from leaves(leaf, f"{path}{key}/")
        else:
            yield path + key, leaf


def make_act(hello, seen, actor=None):
    """A function from the arrays of all lanes to the action."""
    import torch

    torch.manual_seed(hello["seed"])
    (key, spec), = leaves(hello["action"])
    is_class, n_in = spec["kind"] == "one-hot", sum(x[0].size for x in seen.values())
    module = torch.nn.Sequential(
        torch.nn.Linear(n_in, 256), torch.nn.Tanh(), torch.nn.Linear(256, int(np.prod(spec["shape"]))))
    if actor:
        module.load_state_dict(torch.load(actor))

    @torch.inference_mode()
    def act():
        rows = [torch.from_numpy(x).flatten(1).float() for x in seen.values()]
        y = module(torch.cat(rows, 1))
        if is_class:
            y = torch.nn.functional.one_hot(y.argmax(-1), y.shape[-1]).to(getattr(torch, spec["dtype"]))
        elif spec["kind"] == "bounded":
            low, high = (torch.tensor(spec[name], dtype=y.dtype) for name in ("low", "high"))
            y = y.clamp(low, high)
        return {key: y.numpy()}

    return act


def write(columns, values):
    """Without a cast or a broadcast: another type or shape is a mistake."""
    for key, column in columns.items():
        value = values[key]
        if (value.dtype, value.shape) != (column.dtype, column.shape):
            raise TypeError(f'"{key}" is {value.dtype} {value.shape}, not {column.dtype} {column.shape}')
        column[:] = value


def main(*arguments):
    reel, lines = socket.socket(fileno=3), open(3, "rb", buffering=0, closefd=False)
    hello = json.loads(lines.readline())
    reel.sendall(json.dumps({"action": hello["action"]}).encode() + b"\n")
    places = json.loads(lines.readline())
    memory = mmap.mmap(4, places["bytes"])

    def columns(name):
        return {path: np.ndarray((hello["num_envs"], *leaf["shape"]), leaf["dtype"], memory, places[name][path])
                for path, leaf in leaves(hello[name])}

    action, act = columns("action"), make_act(hello, columns("observation"), *arguments)
    while message := reel.recv(1):
        try:
            write(action, act())
        except Exception as error:
            message = f"!{type(error).__name__}: {error}".replace("\n", " ").encode() + b"\n"
        reel.sendall(message)


main(*sys.argv[1:])
