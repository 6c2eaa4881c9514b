#!/usr/bin/env python3
"""Writes tests/data/recurrent with PyTorch: weights of recurrent networks, and what they make of some steps."""
import json
import pathlib
import sys

import torch
from safetensors.torch import save_file
from torch import nn

OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "data/recurrent")
LANES, STEPS, N_IN, N_OUT, N_HIDDEN = 3, 6, 3, 2, 5


class Net(nn.Module):
    """What is before, the memory, and what follows it."""

    def __init__(self, memory, before=None, after=None):
        super().__init__()
        self.before, self.memory, self.after = before, memory, after

    def forward(self, x, state):
        x = self.before(x) if self.before else x
        if isinstance(self.memory, nn.LSTMCell):
            h, c = self.memory(x, (state[0][0], state[1][0]))
            y, state = h, (h[None], c[None])
        elif isinstance(self.memory, nn.LSTM):
            y, state = self.memory(x[None], state)
        else:
            y, h = self.memory(x[None], state[0])
            state = (h,)
        y = y.reshape(len(x), -1)
        return (self.after(y) if self.after else y), state


def short(values):
    """Nested lists with as many digits as float32 has."""
    return [short(v) for v in values] if isinstance(values, list) else float(f"{values:.8g}")


def record(name, net, text, n_states, depth, scale=1.0):
    save_file({key: (value * scale).contiguous() for key, value in net.state_dict().items()}, OUT / f"{name}.safetensors")
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(scale)
    x = torch.randn(STEPS, LANES, N_IN)
    state = tuple(torch.zeros(depth, LANES, N_HIDDEN) for _ in range(n_states))
    steps = []
    for row in x:
        with torch.no_grad():
            y, state = net(row, state)
        # Reel's rows are [depth, n_hidden] of a lane.
        steps.append({"x": short(row.tolist()), "y": short(y.tolist()),
                      "state": [short(s.transpose(0, 1).tolist()) for s in state]})
    return {"name": name, "text": text, "depth": depth, "n_hidden": N_HIDDEN, "n_out": y.shape[-1], "steps": steps}


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(7)
    mlp = [nn.Linear(N_IN, 6), nn.Tanh(), nn.Linear(6, 4)]
    head = [nn.Linear(N_HIDDEN, 7), nn.Tanh(), nn.Linear(7, N_OUT)]
    relu = [nn.Linear(N_IN, 4), nn.ReLU()]
    relu_head = [nn.Linear(N_HIDDEN, 7), nn.ReLU(), nn.Linear(7, N_OUT)]
    order = ",layers=[before,memory,after]"
    cases = [
        record("lstm", Net(nn.LSTM(N_IN, N_HIDDEN), after=nn.Linear(N_HIDDEN, N_OUT)), ",layers=[memory,after]", 2, 1, 3.0),
        record("lstm-deep", Net(nn.LSTM(4, N_HIDDEN, 3), nn.Sequential(*mlp), nn.Sequential(*head)), order, 2, 3, 2.0),
        record("lstm-bare", Net(nn.LSTM(N_IN, N_HIDDEN, bias=False)), "", 2, 1),
        record("lstm-cell", Net(nn.LSTMCell(N_IN, N_HIDDEN), after=nn.Linear(N_HIDDEN, N_OUT)), ",layers=[memory,after]", 2, 1),
        record("gru", Net(nn.GRU(N_IN, N_HIDDEN), after=nn.Linear(N_HIDDEN, N_OUT)), ",layers=[memory,after]", 1, 1, 3.0),
        record("gru-deep", Net(nn.GRU(4, N_HIDDEN, 2), nn.Sequential(*relu), nn.Sequential(*relu_head)),
               order + ",activation=relu,activate-memory=true", 1, 2, 2.0),
    ]
    save_file({f"{key}.{name}": value for key, n in (("a", 3), ("b", 4)) for name, value in nn.GRU(3, n).state_dict().items()},
              OUT / "two.safetensors")
    save_file(dict(nn.RNN(N_IN, N_HIDDEN).state_dict()), OUT / "odd.safetensors")
    save_file(dict(nn.LSTM(N_IN, N_HIDDEN, bidirectional=True).state_dict()), OUT / "reverse.safetensors")
    (OUT / "cases.json").write_text(json.dumps({"torch": torch.__version__, "cases": cases}) + "\n")


main()
