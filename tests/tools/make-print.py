#!/usr/bin/env python3
"""What TensorDict prints of lazy stacks, non-tensors and records: makes tests/data/print.json.

A case is a tree and its text. Nodes: {"tensor": shape, "dtype", "mapped"}, {"value": v} for all,
{"list": nested list, "ndim"} for each, {"dict": {key: node}, "batch", "device", "class", "fields"},
{"lazy": [node, …], "dim", "names"}.
"""
import itertools
import json
import sys
import tempfile
import warnings

import torch
from tensordict import LazyStackedTensorDict, MemoryMappedTensor, NonTensorData, NonTensorStack
from tensordict import TensorDict, lazy_stack, tensorclass

warnings.simplefilter("ignore")
classes = {}
scratch = tempfile.TemporaryDirectory()
files = itertools.count()


def make_class(name, fields):
    if name not in classes:
        body = {"__annotations__": {f: object for f in fields}, **{f: None for f in fields}}
        classes[name] = tensorclass(type(name, (), body))
    return classes[name]


def make_list(values, ndim):
    if ndim == 0:
        return NonTensorData(values)
    return NonTensorStack(*[make_list(v, ndim - 1) for v in values])


def make(node):
    if "tensor" in node:
        zeros = torch.zeros(node["tensor"], dtype=getattr(torch, node.get("dtype", "float32")))
        if not node.get("mapped"):
            return zeros
        return MemoryMappedTensor.from_tensor(zeros, filename=f"{scratch.name}/{next(files)}")
    if "value" in node:
        return NonTensorData(node["value"])
    if "list" in node:
        return make_list(node["list"], node["ndim"])
    if "lazy" in node:
        stack = lazy_stack([make(n) for n in node["lazy"]], node["dim"])
        if "names" in node:
            stack.names = node["names"]
        return stack
    entries = {k: make(n) for k, n in node["dict"].items()}
    batch, device = node.get("batch", []), node.get("device")
    if "class" in node:
        made = make_class(node["class"], node["fields"])
        return made(**entries, batch_size=batch, device=device)
    return TensorDict(entries, batch, device=device)


def t(*shape, **more):
    return {"tensor": list(shape), **more}


def d(batch=(), device=None, **entries):
    return {"dict": entries, "batch": list(batch), **({"device": device} if device else {})}


def v(value):
    return {"value": value}


def lst(values, ndim=1):
    return {"list": values, "ndim": ndim}


def lazy(*nodes, dim=0, **more):
    return {"lazy": list(nodes), "dim": dim, **more}


def rec(batch=(), name="Item", absent=(), **entries):
    # One absent field at most: TensorDict prints them in the order of a set.
    return {"dict": entries, "batch": list(batch), "class": name, "fields": [*entries, *absent]}


odd = ["a'b", 'a"b', "a'\"b", "é\n\t\\\r", "\x01\x7f\xa0\xad", "\u2028\u200b\U0001f600\U000e0001", "",
       " ", "\x1b[0m", "ǅ中文", "a\r\nb\vc\f\x1c \x1d\x1ed\x85e\u2029f\x1f", "\n", "\n\n"]
numbers = [0, -1, 2**63 - 1, -2**63, 0.0, -0.0, 1.0, -2.5, 0.1, 1 / 3, 1e15, 1e16, 123456789012345678.0, 1e22,
           1.5e300, 5e-324, 1e-4, 0.00012345, 1e-5, 1.7976931348623157e308, 100.0, 1e5, 12345.678]
nested = [None, True, False, [], {}, [[]], [1, "a", None], {"a": [1, 2.5], "b": {}}, [{"k": [True]}],
          {"quote'": "it's", "n": -1}]
a, b = d(a=t(2), sub=d(z=t(2), only=t(1))), d(a=t(3), x=t(1), sub=d(z=t(3)))
same = d(a=t(2), sub=d(z=t(2)))
cases = {}
for i, value in enumerate(odd + numbers + nested):
    cases[f"value-{i}"] = d(s=v(value))
    cases[f"stack-{i}"] = d(s=lst([value, "z"]), batch=[2])
cases |= {
    "deep-text": d(n=d(s=v("two\n\n \n lines\n"), m=d(s=v("a\nb")))),
    "values-of-a-batch": d(s=v("hi"), n=v(3), st=lst(["a", "b"]), batch=[2]),
    "on-cpu": d(s=v("hi"), st=lst(["a", "b"]), n=d(s=v(None)), batch=[2], device="cpu"),
    "two-dims": d(s=lst([["a", "b", "c"], ["d", "e", "f"]], 2), batch=[2]),
    "all-equal": d(s=lst(["a", "a"]), batch=[2]),
    "of-49": d(s=lst(["x" * 45]), batch=[1]),
    "of-50": d(s=lst(["x" * 46]), batch=[1]),
    "of-51": d(s=lst(["x" * 47]), batch=[1]),
    "of-52-wide": d(s=lst(["é" * 48]), batch=[1]),
    "cut-in-an-escape": d(s=lst(["\n" * 60]), batch=[1]),
    "many": d(s=lst([f"word{i}" for i in range(40)]), batch=[40]),
    "numbers": d(s=lst(list(range(100))), batch=[100]),
    "lists-in-lists": d(s=lst([[1, 2], [3]]), batch=[2]),
    "lazy": lazy(a, b),
    "lazy-same": lazy(same, same),
    "lazy-empty": lazy(d(), d()),
    "lazy-of-one": lazy(a),
    "lazy-on-cpu": lazy(d(a=t(2), device="cpu"), d(a=t(3), device="cpu")),
    "lazy-all-exclusive": lazy(d(p=t(1)), d(q=t(1), r=t(2)), d()),
    "lazy-dims": lazy(d(a=t(2, 3, 4), batch=[2, 3]), d(a=t(2, 3, 5), batch=[2, 3]), dim=1),
    "lazy-last-dim": lazy(d(a=t(2, 3), batch=[2, 3]), d(a=t(2, 3), batch=[2, 3]), dim=2),
    "lazy-batches": lazy(d(a=t(2), batch=[2]), d(a=t(3), batch=[3])),
    "lazy-ndim": lazy(d(s=t(2)), d(s=t(2, 2))),
    "lazy-of-lazy": lazy(lazy(a, b), lazy(b, a)),
    "lazy-of-lazy-ragged": lazy(lazy(a, b, dim=0), lazy(a, same, dim=0)),
    "lazy-of-lazy-exclusive": lazy(lazy(d(p=t(1), c=t(1)), d(p=t(1), c=t(1))), lazy(d(c=t(1)), d(c=t(1), q=t(2)))),
    "lazy-of-lazy-ndim": lazy(lazy(d(s=t(2)), d(s=t(2, 2))), lazy(d(s=t(2)), d(s=t(2, 2)))),
    "lazy-of-lazy-dim": lazy(lazy(d(s=t(4, 2), batch=[4]), d(s=t(4, 3), batch=[4]), dim=1),
                             lazy(d(s=t(4, 2), batch=[4]), d(s=t(4, 3), batch=[4]), dim=1), dim=0),
    "lazy-in-dict": d(k=lazy(d(c=t(1)), d(c=t(2), e=v("u"))), o=t(2), batch=[2]),
    "lazy-values": lazy(d(s=v("x"), m=v("y")), d(s=v("z"))),
    "lazy-same-values": lazy(d(s=v("x"), batch=[2]), d(s=v("x"), batch=[2])),
    "lazy-mapped": lazy(d(a=t(2, mapped=True)), d(a=t(3, mapped=True))),
    "lazy-mapped-same": lazy(d(a=t(2, mapped=True)), d(a=t(2, mapped=True))),
    "lazy-mapped-first": lazy(d(a=t(2, mapped=True)), d(a=t(3))),
    "lazy-order": lazy(d(obs=t(1), obs1=t(1), obs_x=t(1), Obs=t(2)), d(obs=t(1), obs1=t(2), obs_x=t(1), Obs=t(2))),
    "lazy-exclusive-order": lazy(d(obs=t(1), obs1=t(1)), d()),
    "lazy-exclusive-nested": lazy(d(n=d(a=t(1), s=v("q"))), d(m=lazy(a, b), batch=[])),
    "record": rec(a=t(2), batch=[2], absent=["text"]),
    "record-values": rec(a=t(2), b=v("x"), text=lst(["p", "q"]), batch=[2], name="Values"),
    "record-with-dict": rec(a=d(x=t(2), batch=[2]), b=rec(a=t(2), batch=[2], name="Other"), batch=[2], name="Nest"),
    "record-in-dict": d(r=rec(a=t(2), batch=[2], absent=["text"]), batch=[2]),
    "record-with-lazy": rec(a=lazy(a, b), batch=[2], absent=["text"]),
    "lazy-records": lazy(rec(a=t(2), absent=["text"]), rec(a=t(2), absent=["text"])),
    "lazy-records-ragged": lazy(rec(a=t(2), absent=["text"]), rec(a=t(3), absent=["text"])),
    "lazy-records-exclusive": lazy(rec(a=t(2), text=t(1)), rec(a=t(2), absent=["text"])),
    "lazy-records-values": lazy(rec(a=t(2), text=v("x")), rec(a=t(2), text=v("y"))),
    "lazy-dicts-of-records": lazy(d(r=rec(a=t(2), absent=["text"])), d(r=rec(a=t(3), absent=["text"]))),
    "lazy-records-in-dict": d(k=lazy(rec(a=t(2), absent=["text"]), rec(a=t(3), absent=["text"])), batch=[2]),
}
out = []
for name, node in cases.items():
    try:
        out.append({"case": name, "tree": node, "text": str(make(node))})
    except Exception as fault:
        print(name, type(fault).__name__, str(fault)[:100], file=sys.stderr)
print("[\n" + ",\n".join(json.dumps(c) for c in out) + "\n]")
