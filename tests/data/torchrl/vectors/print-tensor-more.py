#!/usr/bin/env python3
"""Writes print-tensor-more.json beside itself: what the real PyTorch prints of tensors that print-tensor.json leaves out.

Of a summarised tensor the file holds `edges` alone, pairs of flat index and value: no other element may matter."""
import json
import pathlib
import sys

import torch

inf, nan = float("inf"), float("nan")
g = torch.tensor
torch.manual_seed(0)
INTS = ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
CASES = [
    ("negative-zero", g([-0.0, 0.0])), ("zeros", torch.zeros(2, 2)), ("minus-inf", g([1.5, -inf])), ("all-nan", g([nan, -nan, inf, -inf])),
    ("nan-scientific", g([nan, 1e-5, inf, -inf, 0.0, -0.0])), ("nan-scalar", g(nan)), ("large-scalar", g(1e20)), ("small", g([1e-4, 0.05])),
    ("below-small", g([9.9e-5, 0.5])), ("ratio-1000", g([0.001, 1.0], dtype=torch.float64)), ("ratio-above", g([0.5, 500.5])), ("int-ratio", g([1., 1000.])),
    ("int-ratio-above", g([1., 1001.])), ("int-1e8", g([1e8])), ("int-above-1e8", g([1e8 + 8])), ("halfway", g([0.00005, 0.5, 0.12345])), ("rounds-up", g([9.99999, 1.5])),
    ("f64-tiny", g([5e-324, 1.7976931348623157e308], dtype=torch.float64)), ("f32-tiny", g([1e-45, 3.4e38])), ("bf16", g([0.1, 300.0]).bfloat16()), ("f16", g([6e-8, 65504.0]).half()),
    ("complex", g([1 + 2j, -3.5 - 0.25j])), ("complex-int", g([1 + 2j, 3 - 4j])), ("complex-nan", g([complex(nan, -inf), complex(0.0, -0.0)])), ("complex-scalar", g(1 - 2j)),
    ("complex128", g([1e-9 + 1j], dtype=torch.complex128)), ("complex32", g([1.5 + 2j, -1j]).to(torch.complex32)), ("complex-wide", (torch.arange(12.) / 7 + 1j * torch.arange(12.)).reshape(2, 6)),
    ("bool-scalar", g(True)), ("bool-long", torch.arange(40) % 3 == 0), ("u64-max", g([2**64 - 1, 0], dtype=torch.uint64)), ("i64-extremes", g([-2**63, 2**63 - 1])),
    ("rank-4", torch.arange(24).reshape(2, 2, 2, 3)), ("ones-4", torch.ones(1, 1, 1, 1)), ("at-threshold", torch.zeros(1000)), ("above-threshold", torch.arange(1001)),
    ("block-of-small", (torch.arange(1080) % 2 == 0).byte().reshape(6, 6, 6, 5)), ("edges-3d", torch.arange(10 * 11 * 12).reshape(10, 11, 12)), ("edges-mixed", torch.arange(2000).reshape(4, 500)),
    ("edges-6", torch.arange(6 * 500).reshape(500, 6)), ("edges-7", torch.arange(7 * 500).reshape(500, 7)), ("edges-bool", torch.zeros(2000, dtype=torch.bool)),
    ("edges-hide-large", torch.cat([torch.ones(500), g([1e9]), torch.ones(600)])), ("edges-complex", torch.arange(1200.) * (1 + 1j)), ("edges-wide", torch.arange(1200.) * 1e-30),
    ("line-80", torch.arange(9) * 10 ** 5 + 100000), ("suffix-fits", torch.ones(14, dtype=torch.int32)), ("suffix-wraps", torch.ones(21, dtype=torch.int32)),
    ("suffix-lines", torch.ones(30, dtype=torch.uint8)), ("wider-than-line", g([1e300] * 3, dtype=torch.float64).reshape(3, 1)), ("random", torch.rand(5, 7)), ("randn", torch.randn(3, 9)),
    ("suffix-to-80", torch.full((13,), 10, dtype=torch.int32)), ("suffix-to-81", torch.ones(18, dtype=torch.int8)),
    ("suffix-lines-to-80", torch.full((31,), 10, dtype=torch.int32)), ("suffix-lines-to-81", torch.ones(42, dtype=torch.int8)),
    ("empty-2-0", torch.zeros(2, 0, dtype=torch.int64)), ("empty-int", torch.zeros(0, dtype=torch.int64)), ("empty-bool", torch.zeros(0, 2, dtype=torch.bool)), ("empty-complex", torch.zeros(0, dtype=torch.complex64)),
] + [(k, g([0, 1, 100], dtype=getattr(torch, k))) for k in INTS] + [("edges-" + k, torch.arange(1200).remainder(100).to(getattr(torch, k))) for k in INTS]


def values(t):
    if t.dtype.is_complex:
        return [float(x).hex() for v in t.reshape(-1).tolist() for x in (v.real, v.imag)]
    if t.dtype.is_floating_point:
        return [float(v).hex() for v in t.reshape(-1).tolist()]
    return [int(v) if v < 2**63 else str(v) for v in t.reshape(-1).tolist()]


def content(t):
    if t.numel() <= 1000:
        return {"data": values(t)}
    flat = torch.arange(t.numel()).reshape(t.shape)
    for dim, n in enumerate(t.shape):
        if n > 6:
            flat = flat.index_select(dim, g([0, 1, 2, n - 3, n - 2, n - 1]))
    at = flat.reshape(-1).tolist()
    if t.dtype in (torch.uint16, torch.uint32, torch.uint64):
        t = t.to(torch.int64)
    return {"edges": [at, values(t.reshape(-1)[at])]}


cases = [{"case": n, "input": {"dtype": str(t.dtype).removeprefix("torch."), "shape": list(t.shape), **content(t)}, "text": str(t)} for n, t in CASES]
out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).with_suffix(".json")
out.write_text('{"about": "str() of plain tensors (torch\'s printer)", "versions": {"torch": "%s"}, "cases": [\n' % torch.__version__ + ",\n".join(json.dumps(c) for c in cases) + "\n]}\n")
