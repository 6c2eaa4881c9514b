"""What PyTorch and TensorDict make of indices: prints tests/data/index.tsv.

Every sequence of up to three items of a pool, used on elements 0 … 7 of shape [2, 2, 2] whose
dimensions are named p, q, r. A line is: the index, and extents, elements and names of the result, a
character each (? where the peer's names are wrong); or the index and the error's class.
"""
import itertools
import sys
import warnings

import torch
from tensordict import TensorDict

warnings.simplefilter("ignore")
pool = ["0", "-1", "1:", "::2", "None", "...", "True", "[1, 0, 1]", "[[0], [-1]]", "[True, False]",
        "[[False, True], [True, True]]"]
extra = ["2", "-3", "[0, 2]", "[0, -3]", "[True, False, True]", "[[True], [False]]", "0, 0, 0, 0",
         "[0, 1], [0, 1, 0]", "::-1", "::0", "[]", "[[], []]", "-5:9", "1:0", ":-1, -2:", "range(2)",
         "range(1, -1, -1)", "False", "[0], False", "..., [0, 1], None", "[0, 1], :, [0, 1]",
         "[0, 1], 0, [0, 1]", "0, :, [0, 1]", "[0, 1], None, [0, 1]", "0, ..., [0, 1]"]


class Items:
    def __getitem__(self, items):
        return items


def evaluate(text):
    items = eval(f"Items()[{text},]")
    return tuple(torch.tensor(i, dtype=torch.long if i in ([], [[], []]) else None)
                 if isinstance(i, list) else i for i in items)


def line(text):
    x = torch.arange(8).reshape(2, 2, 2)
    td = TensorDict({"x": x}, [2, 2, 2], names=["p", "q", "r"])
    try:
        index = evaluate(text)
        y = x[index]
    except (IndexError, ValueError, RuntimeError) as error:
        return f"[{text}]\t{type(error).__name__}"
    sub = td[index]
    assert sub.batch_size == y.shape and torch.equal(sub["x"], y), text
    # The peer gives too few names where tensors have different dimensions, and to the wrong
    # dimensions where the first is a scalar and apart from the others.
    apart = text.startswith(tuple(f"True, {item}, [" for item in ("1:", "::2", "None", "...")))
    wrong = len(sub.names) != sub.ndim or apart
    words = y.shape, y.flatten().tolist(), "?" if wrong else (name or "-" for name in sub.names)
    return "\t".join([f"[{text}]", *("".join(map(str, word)) for word in words)])


for text in extra:
    print(line(text))
for n in range(1, 4):
    for items in itertools.product(pool, repeat=n):
        if items.count("...") < 2:
            print(line(", ".join(items)))
