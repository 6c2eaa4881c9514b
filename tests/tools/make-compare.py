"""python make-compare.py >../data/compare.json: every pair of some values of a dtype, compared by tensordict.

For each dtype: values (floats and parts of complex numbers as C99 hex), and for each ordered pair a digit that says
whether `==` is true, and whether `assert_close` passes: with defaults, with equal_nan=False, with rtol=0.25, atol=0.5.
"""
import json
import math
import sys
import warnings

import torch
from tensordict import TensorDict, assert_close

warnings.simplefilter("ignore")
nan, inf = math.nan, math.inf
VALUES = {
    "float32": [0.0, -0.0, 1.0, 1.000001, 1.00001, 1.0000023, 1e-5, 1.1e-5, 1e6, 1000001.0, 1000002.0, nan, inf, -inf, 2.5],
    "float64": [0.0, -0.0, 1.0, 1.0000001, 1.00000015, 1.0000003, 1e-7, 1.1e-7, 1e9, 1e9 + 100, 1e9 + 101, nan, inf, -inf],
    "float16": [0.0, 1.0, 1.001, 1.002, 1e-5, 2e-5, nan, inf, 1000.0, 1001.0],
    "bfloat16": [0.0, 1.0, 1.0078125, 1.015625, 1.0234375, nan, inf, 64.0, 65.0],
    "int64": [0, 1, -1, 2**53, 2**53 + 1, 2**62],
    "uint8": [0, 1, 255],
    "bool": [False, True],
    "complex64": [0j, 1 + 0j, 1 + 1e-5j, 1.000001 + 0j, 1.00001 + 0j, complex(nan, 0), complex(inf, 0), complex(0, inf)],
}


def encode(tensor):
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor).flatten()
    if tensor.is_floating_point():
        return [float(x).hex() for x in tensor.tolist()]
    return [int(x) for x in tensor.tolist()]


def is_close(a, b, **options):
    try:
        return assert_close(a, b, **options)
    except AssertionError:
        return False


def compare(name, values):
    tensor = torch.tensor(values, dtype=getattr(torch, name))
    n = len(values)
    a = TensorDict({"x": tensor.repeat_interleave(n)}, [n * n])
    b = TensorDict({"x": tensor.repeat(n)}, [n * n])

    def digits(**options):
        return "".join(str(int(is_close(a[i], b[i], **options))) for i in range(n * n))

    return {
        "dtype": name,
        "values": encode(tensor),
        "eq": "".join(str(int(x)) for x in (a == b)["x"].tolist()),
        "close": digits(),
        "nan_differs": digits(equal_nan=False),
        "given": digits(rtol=0.25, atol=0.5),
    }


json.dump({"cases": [compare(*item) for item in VALUES.items()]}, sys.stdout, indent=0)
print()
