#!/usr/bin/env python3
"""Writes tests/data/spec-kinds.json: what TorchRL prints of specs that are given here in Reel's text form beside
the call that makes them. Run with TorchRL 0.14.1: python tests/tools/make-spec-kinds.py > tests/data/spec-kinds.json"""
import json
import sys

import torch
from tensordict import NonTensorData
from torchrl.data import Bounded, Categorical, Choice, Composite, MultiCategorical, MultiOneHot, NonTensor, OneHot

CASES = [
    ("non-tensor:example='\"a string\"',shape=[2]", NonTensor(shape=(2,), example_data="a string")),
    ("non-tensor:example='{\"a\":[1,null]}'", NonTensor(shape=(1,), example_data={"a": [1, None]})),
    ("non-tensor", NonTensor()),
    ("choice:choices=[(bounded:low=0,high=1,shape=[1]),(bounded:low=10,high=11,shape=[1])]",
     Choice([Bounded(0, 1, shape=(1,)), Bounded(10, 11, shape=(1,))])),
    ("choice:values=['{\"data\":\"a\"}','{\"data\":\"b\"}']", Choice([NonTensorData(s) for s in "ab"])),
    ("multi-categorical:nvec=[[2,3],[4,5]]", MultiCategorical(torch.tensor([[2, 3], [4, 5]]))),
    ("multi-categorical:nvec=[3,4],shape=[2,2]", MultiCategorical([3, 4], shape=(2, 2))),
    ("multi-one-hot:nvec=[2,3],shape=[4,5]", MultiOneHot([2, 3], shape=(4, 5))),
    ("categorical:n=-1", Categorical(-1)),
    ("categorical:n=3,mask=[1,0,1],shape=[2]", Categorical(3, (2,), mask=torch.tensor([True, False, True]))),
    ("one-hot:n=3,shape=[-1,3]", OneHot(3, shape=(-1, 3))),
    ("bounded:low=0,high=1,shape=[-1,2]", Bounded(0, 1, shape=(-1, 2))),
    ("non-tensor:shape=[]", NonTensor(shape=())),
    ("composite:a=(non-tensor),n=(composite:b=(non-tensor:example=1)),device=cpu",
     Composite(a=NonTensor(shape=(1,)), n=Composite(b=NonTensor(shape=(1,), example_data=1)), device="cpu")),
]

json.dump({"about": "what TorchRL prints", "torch": torch.__version__,
           "cases": [{"text": text, "repr": repr(spec)} for text, spec in CASES]}, sys.stdout, indent=1)
print()
