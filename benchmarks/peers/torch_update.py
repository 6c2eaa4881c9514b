"""PyTorch's update of the network of bench-learn on one thread: forward, backward, Adam.

    torch_update.py SECONDS

Prints updates a second of the faster of two optimizers, that of lists of tensors and the fused one.
"""
import sys
import time

import torch
from torch import nn

ROWS, N_IN, HIDDEN, N_OUT = 256, 17, 256, 6


def measure(seconds, **how):
    network = nn.Sequential(nn.Linear(N_IN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(),
                            nn.Linear(HIDDEN, N_OUT))
    adam = torch.optim.Adam(network.parameters(), lr=1e-4, **how)
    inputs = torch.randn(ROWS, N_IN)

    def update():
        outputs = network(inputs)
        adam.zero_grad()
        outputs.backward(outputs.detach() / ROWS)
        adam.step()

    for _ in range(100):
        update()
    n, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        update()
        n += 1
    return n / (time.monotonic() - begin)


def main():
    torch.set_num_threads(1)
    seconds = float(sys.argv[1]) / 2
    rates = {name: measure(seconds, **{name: True}) for name in ("foreach", "fused")}
    name = max(rates, key=rates.get)
    print(f"torch {torch.__version__}, {name}: {rates[name]:.1f}")


main()
