"""A text model of PyTorch for Reel: replay rollout PROMPTS DIR --model "exec:'python3 torch_text_model.py model.pt'" …

model.pt is the state_dict() of the network below, which torch.save() wrote; without it, the weights are random. Put
yours in its place, such as AutoModelForCausalLM of transformers, whose output has `logits`.
"""
import json
import mmap
import socket
import sys

import numpy as np
import torch


class Network(torch.nn.Module):
    """Logits [rows, n, vocabulary] of what follows each token of `ids` [rows, n], where `mask` is true."""

    def __init__(self, vocabulary=50257, width=64):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, width)
        self.recurrent = torch.nn.GRU(width, width, bias=False, batch_first=True)  # padding in front leaves zeros

    def forward(self, ids, mask):
        return self.recurrent(self.words(ids) * mask[..., None])[0] @ self.words.weight.T


def make_model(seed, path=None):
    torch.manual_seed(seed)
    weights = torch.load(path) if path else Network().state_dict()
    model = Network(len(weights["words.weight"]))
    model.load_state_dict(weights)
    return model


@torch.inference_mode()
def answer(message, model, ids, mask, to):
    """Writes what Reel asks for: logits of what follows, log-probabilities of each id, or scores (how usual)."""
    logits = model(ids, mask)
    values = logits.log_softmax(-1)[:, :-1].gather(-1, ids[:, 1:, None]).squeeze(-1)
    if message == b"n":
        to["logits"][:] = logits[:, -1]
    elif message == b"l":
        to["log_probs"][:, 1:ids.shape[1]] = values
    else:
        to["end_score"][:] = (values * mask[:, 1:]).sum(-1) / mask[:, 1:].sum(-1).clamp(min=1)


def main(*arguments):
    reel, lines = socket.socket(fileno=3), open(3, "rb", buffering=0, closefd=False)
    hello = json.loads(lines.readline())
    model, n, length = make_model(hello["seed"], *arguments), hello["num_rows"], hello["length"]
    vocabulary = model(torch.zeros(1, 1, dtype=torch.int64), torch.ones(1, 1, dtype=torch.bool)).shape[-1]
    reel.sendall(json.dumps({"vocabulary": vocabulary}).encode() + b"\n")
    places = json.loads(lines.readline())
    memory = mmap.mmap(4, places["bytes"])

    def column(name, key, dtype, *shape):
        return torch.from_numpy(np.ndarray((n, *shape), dtype, memory, places[name][key]))

    ids, mask = column("input", "ids", "i8", length), column("input", "mask", "?", length)
    used = column("input", "used", "i8")
    to = {"logits": column("output", "logits", "f4", vocabulary),
          "log_probs": column("output", "log_probs", "f4", length), "end_score": column("output", "end_score", "f4")}
    while message := reel.recv(1):
        try:
            answer(message, model, ids[:, :used[0]], mask[:, :used[0]], to)
        except Exception as error:
            message = f"!{type(error).__name__}: {error}".replace("\n", " ").encode() + b"\n"
        reel.sendall(message)


main(*sys.argv[1:])
