#!/usr/bin/env python3
"""Writes tests/data/torch-archives with PyTorch: what torch.save makes of dicts of tensors and plain values."""
import collections
import pathlib
import sys

import torch

OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "data/torch-archives")
DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()


def save(name, **items):
    torch.save(collections.OrderedDict(items), OUT / f"{name}.pt")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    save("empty")
    save("one", rows=torch.arange(3))
    save("values", none=None, yes=True, no=False, zero=0, byte=255, word=256, more=65536, negative=-1, least=-(2**31),
         long=2**31, least_long=-(2**63), half=0.5, infinite=float("-inf"), text="tschüß", empty="", tuple=(), pair=(1, "a"),
         four=(1, 2.5, None, True), list=[], single=[7], several=[1, [2, 3], (4,)])
    save("shapes", scalar=torch.tensor(7.0), none=torch.zeros(0), flat=torch.zeros(2, 0, 3),
         cube=torch.arange(24, dtype=torch.float64).reshape(2, 3, 4))
    for part, names in ("a", DTYPES[:6]), ("b", DTYPES[6:]):
        save(f"dtypes-{part}", **{name: torch.tensor([0, 1, 2]).to(getattr(torch, name)) for name in names})
    save("nested", outer={"inner": {"rows": torch.arange(2)}, "n": 1}, empty={})
    save("many", **{f"key{i}": i for i in range(1001)})
    save("tensors", **{f"t{i}": torch.tensor([i]) for i in range(60)})
    rows = torch.arange(12)
    save("views", whole=rows, tail=rows[4:], columns=rows.reshape(3, 4).t(), again=rows)
    module = torch.nn.BatchNorm1d(2)
    torch.save(module.state_dict(), OUT / "module.pt")
    torch.save({"plain": torch.arange(2)}, OUT / "dict.pt")
    for name, value in {"unsigned": {"a": torch.zeros(1, dtype=torch.uint16)}, "list": [1, 2], "expanded": {"a": torch.zeros(1).expand(9)},
                        "parameter": {"a": torch.nn.Parameter(torch.zeros(1))}, "number-key": {1: 2},
                        "object": {"a": torch.device("cpu")}}.items():
        torch.save(value, OUT / f"refused-{name}.pt")


main()
