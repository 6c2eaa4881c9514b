"""What TensorDict makes of changes of shape: prints tests/data/shapes.tsv.

A line is: the tensordict, the operation and its arguments in Python's words; then for each result
batch size, names, and shape and elements of `a` and of `n/c`, a space between all; or the error's
class. `td` has batch size [2, 3] and names p, q; `one` has [2, 1, 3] and p, o, q; `bare` has none.
"""
import warnings

import torch
from tensordict import TensorDict, pad

warnings.simplefilter("ignore")


def make(shape, names):
    count = torch.arange(torch.Size(shape).numel() * 2)
    return TensorDict({"a": count.reshape(*shape, 2),
                       "n": TensorDict({"c": count.reshape(*shape, 2) + 100}, [*shape, 2])},
                      shape, names=names)


def make_all():
    td = make([2, 3], ["p", "q"])
    return {"td": td, "turned": td.transpose(0, 1), "one": make([2, 1, 3], ["p", "o", "q"]),
            "bare": make([], None)}


dims = [-4, -3, -2, -1, 0, 1, 2, 3]
calls = []
for name in "td", "one", "turned":
    calls += [(name, "squeeze", (d,)) for d in dims] + [(name, "unsqueeze", (d,)) for d in dims]
    calls += [(name, "squeeze_all", ())]
    calls += [(name, "flatten", (a, b)) for a in range(-2, 2) for b in range(-2, 2)]
    calls += [(name, "reshape", s) for s in [(-1,), (6,), (3, 2), (2, 3), (2, -1), (1, 2, 3), (6, 1), (4,), (-1, -1), (-1, 4), ()]]
    calls += [(name, "view", s) for s in [(-1,), (6,), (3, 2), (2, 3), (2, -1), (1, 2, 3), (6, 1), (4,), (-1, 4)]]
    calls += [(name, "unbind", (d,)) for d in dims]
    calls += [(name, "split", (size, d)) for size in (-1, 0, 1, 2, 3, 5) for d in (0, 1, -1, 3)]
    calls += [(name, "chunk", (n, d)) for n in (0, 1, 2, 3, 5) for d in (0, 1, -1, 3)]
    calls += [(name, "roll", (shift, d)) for shift in (-4, -1, 0, 1, 5) for d in (0, 1)]
    calls += [(name, "repeat_interleave", (n, d)) for n in (-1, 0, 1, 3) for d in (0, 1)]
    calls += [(name, "pad", p) for p in [(1, 0), (0, 2), (1, 0, 0, 2), (-1, 0), (-1, 1), (0, 0, -1, -1), (1,), (-3, 0), (1,) * 8]]
for name in "td", "turned":
    calls += [(name, "permute", s) for s in [(0, 1), (1, 0), (-1, 0), (0, 0), (0, 2), (-1, -2)]]
    calls += [(name, "transpose", s) for s in [(0, 1), (1, 0), (0, 0), (-1, 0), (-2, -1)]]
    calls += [(name, "contiguous", ())]
calls += [("one", "permute", s) for s in [(2, 0, 1), (1, 2, 0), (-1, 1, 0)]]
calls += [("td", "expand", s) for s in [(2, 3), (4, 2, 3), (3,), (2, 4), (1, 1, 2, 3), (0, 2, 3)]]
calls += [("one", "expand", s) for s in [(2, 7, 3), (2, 0, 3), (2, 1, 4), (5, 2, 2, 3)]]
calls += [("bare", "expand", (2,)), ("bare", "unsqueeze", (0,)), ("bare", "squeeze_all", ()), ("bare", "reshape", (1,)),
          ("bare", "reshape", (1, 1))]
calls += [("td", "unflatten", s) for s in [(1, 3, 1), (1, 1, 3), (1, 2, 2), (0, 2, 1), (0, 1, 2), (-1, 1, 3, 1), (2, 1, 1)]]
calls += [("td", "split_sizes", s) for s in [(1, 1, 2), (1, 0, 3), (1, 3), (1, 1, 1), (1, 4, -1), (0, 1, 1), (1, 1, 0, 2)]]
calls += [("td", "repeats", s) for s in [(0, 0, 3), (0, 2, 1), (1, 1, 0, 2), (1, 1, 2), (0, -1, 1)]]
calls += [("td", "gather", s) for s in [(0, 1, 3, 1, 0, 1), (0, 3, 3, 1, 0, 1, 0, 0, 0, 1, 1, 1), (1, 2, 1, 2, 0),
                                        (1, 2, 4, 0, 1, 2, 2, 1, 1, 0, 2), (-1, 2, 1, 0, 1), (2, 2, 1, 0, 0), (-3, 2, 1, 0, 0), (0, 0, 3)]]
calls += [("td", "masked_select", s) for s in [(1, 0), (0, 0), (1, 0, 1, 0, 1, 0), (0, 0, 0, 0, 0, 0)]]
calls += [("td", "masked_fill", s) for s in [(1, 0), (0, 0), (1, 0, 1, 0, 1, 0)]]
calls += [("td", "where", s) for s in [(1, 0), (1, 1), (1, 0, 1, 0, 1, 0)]]
# Below -2 the peer joins what it likes.
calls += [("td", "cat", (d,)) for d in range(-2, 4)]


def mask_of(args):
    mask = torch.tensor(args, dtype=torch.bool)
    return mask.reshape(2, 3) if len(args) == 6 else mask


def call(td, op, args):
    if op == "squeeze_all":
        return td.squeeze()
    if op == "pad":
        return pad(td, list(args), value=9)
    if op == "split_sizes":
        return td.split(list(args[1:]), args[0])
    if op == "unflatten":
        return td.unflatten(args[0], args[1:])
    if op == "repeats":
        return td.repeat_interleave(torch.tensor(args[1:]), dim=args[0])
    if op == "repeat_interleave":
        return td.repeat_interleave(args[0], dim=args[1])
    if op == "gather":
        return td.gather(args[0], torch.tensor(args[3:], dtype=torch.long).reshape(args[1:3]))
    if op == "masked_select":
        return td.masked_select(mask_of(args))
    if op == "masked_fill":
        return td.masked_fill(mask_of(args), 9)
    if op == "where":
        return td.where(mask_of(args), td.clone().zero_())
    if op == "cat":
        return torch.cat([td, td.clone().zero_()], args[0])
    return getattr(td, op)(*args)


def words(values):
    return ",".join(map(str, values)) or "-"


def text(td):
    a, c = td["a"], td["n", "c"]
    return " ".join(map(words, [td.batch_size, [n or "." for n in td.names], a.shape, a.flatten().tolist(), c.shape,
                                c.flatten().tolist()]))


for name, op, args in calls:
    try:
        result = call(make_all()[name], op, args)
        results = result if isinstance(result, (tuple, list)) else [result]
        line = "\t".join(map(text, results))
    except Exception as error:
        line = type(error).__name__
    print(f"{name} {op} {words(args)}\t{line}")
