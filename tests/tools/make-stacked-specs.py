"""Stacks of specs, as TorchRL makes, prints, changes and refuses them.

    python tests/tools/make-stacked-specs.py >tests/data/stacked-specs.json

A spec is given by its text form, a stack by {"stack": [members], "dim": d}."""
import json, sys, warnings
warnings.filterwarnings("ignore")
import torch, torchrl, tensordict
from torchrl.data import (Binary, Bounded, Categorical, Composite, OneHot, Stacked, Unbounded)
from torchrl.data.utils import check_no_exclusive_keys, consolidate_spec, contains_lazy_spec

# TorchRL's stacks of leaves say float32 whatever their members are, and those of stacks have no domain.
Stacked.dtype = property(lambda self: self._specs[0].dtype)
Stacked.domain = property(lambda self: self._specs[0].domain)

def leaf(text):
    kind, _, rest = text.partition(":")
    args = {}
    for part in rest.replace("[", "(").replace("]", ",)").split(";"):
        if part:
            name, value = part.split("=")
            args[name] = getattr(torch, value) if name == "dtype" else eval(value.replace("(,)", "()"))
    return {"bounded": Bounded, "unbounded": Unbounded, "categorical": Categorical, "one-hot": OneHot, "binary": Binary}[kind](**args)

def make(form):
    if form is None: return None
    if isinstance(form, str): return leaf(form)
    if "stack" in form: return torch.stack([make(m) for m in form["stack"]], form["dim"])
    return Composite({k: make(v) for k, v in form["specs"].items()}, shape=form.get("shape", []), device=form.get("device"))

def C(shape=[], device=None, **specs):
    form = {"specs": specs, "shape": shape}
    if device: form["device"] = device
    return form
def S(dim, *members): return {"stack": list(members), "dim": dim}

U = lambda *s: "unbounded:shape=[%s]" % ",".join(map(str, s))
B = lambda *s: "bounded:low=0;high=1;shape=[%s]" % ",".join(map(str, s))
K = lambda n, *s: "categorical:n=%d;shape=[%s]" % (n, ",".join(map(str, s)))
H = lambda n, *s: "one-hot:n=%d;shape=[%s]" % (n, ",".join(map(str, s)))

agents = [C(observation=U(4), action=H(3, 3), info=C(x=K(3))), C(observation=U(5), action=H(3, 3), extra=K(2, 2), info=C(x=K(3), y=U(1))),
          C(observation=U(4), action=H(3, 3), lidar=K(9, 20), info=C(x=K(4)))]
batched = [C([2], a=U(2, 3), m=C([2, 5], p=U(2, 5, 1))), C([2], a=U(2, 4), m=C([2, 5], p=U(2, 5, 2), q=K(2, 2, 5)))]
cases = {
  "leaves": S(0, U(2), U(3)), "leaves-last": S(-1, U(2), U(3)), "bounds": S(1, B(2, 3), "bounded:low=-1;high=1;shape=[2,3]"),
  "classes": S(0, K(3, 2), K(4, 2)), "one-hots": S(0, H(3, 2, 3), H(4, 2, 4)), "nested-leaves": S(0, S(0, U(2, 1), U(3, 1)), S(0, U(2, 1), U(4, 1))),
  "equal": S(0, U(2), U(2)), "equal-last": S(-1, K(3, 2), K(3, 2)), "equal-composites": S(1, batched[0], batched[0]),
  "agents": S(0, *agents), "batched-0": S(0, *batched), "batched-1": S(1, *batched),
  "no-keys": S(0, C(), C(q=U(1))), "on-cpu": S(0, C(device="cpu", a=U(1)), C(device="cpu", a=U(2))),
  "within": C([2], agents=S(1, *batched), time=U(2, 1)), "leaf-within": C([2], x=S(1, U(2, 1), U(2, 3))),
  "shared": S(0, C([2], s=K(2, 2, 5, 5, 5)), C([2]), C([2], s=K(2, 2, 5, 5, 5))),
  "exclusive-lazy": S(0, C(lazy=S(0, K(2, 5, 6, 7), K(2, 5, 8, 7), K(2, 5, 6, 7), K(2, 5, 6, 7))), C()),
  "differing": S(0, C(x=K(2, 3, 4)), C(), C(x=K(2, 3, 5))), "classes-differ": S(0, C(x=K(2, 3)), C(), C(x=U(3))),
  "one": S(0, S(0, U(1, 2), U(1, 3))), "three-deep": S(0, C(a=S(0, U(2), U(3))), C(a=S(0, U(2), U(4)), b=U(1))),
}
refusals = {
  "empty": S(0), "classes": S(0, U(2), B(2)), "dtypes": S(0, U(2), "unbounded:dtype=float64;shape=[2]"), "ndims": S(0, U(2), U(2, 1)),
  "shapes": S(0, C([2]), C([3])), "composite-first": S(0, C([2]), U(2)), "leaf-first": S(0, U(2), C([2])),
  "bounded-dtypes": S(0, B(2), "bounded:low=0;high=1;dtype=int64;shape=[2]"),
}
ops = {
  "unsqueeze0": lambda s: s.unsqueeze(0), "unsqueeze-1": lambda s: s.unsqueeze(-1),
  "squeeze": lambda s: s.squeeze(), "squeeze0": lambda s: s.squeeze(0), "squeeze-1": lambda s: s.squeeze(-1),
  "index0": lambda s: s[0], "slice": lambda s: s[0:2], "ellipsis": lambda s: s[..., 0],
  "batch2": lambda s: s.expand(2, *s.shape), "reshape": lambda s: s.reshape(4), "unbind0": lambda s: list(s.unbind(0)), "unbind-1": lambda s: list(s.unbind(-1)),
  "consolidate": lambda s: consolidate_spec(s), "consolidate-here": lambda s: consolidate_spec(s, False, False),
  "contains-lazy": contains_lazy_spec, "no-exclusive-keys": check_no_exclusive_keys, "no-exclusive-keys-here": lambda s: check_no_exclusive_keys(s, False),
  "keys": lambda s: [".".join(k) if isinstance(k, tuple) else k for k in s.keys(True)] if isinstance(s, Composite) else [],
}
NAMES = {ValueError: "VALUE", RuntimeError: "RUNTIME", IndexError: "INDEX", KeyError: "KEY", NotImplementedError: "NOT_IMPLEMENTED"}
def told(f):
    try: r = f()
    except Exception as e: return {"error": NAMES.get(type(e), type(e).__name__), "message": str(e)}
    if isinstance(r, list) and r and not isinstance(r[0], str): return {"result": [repr(x) for x in r]}
    return {"result": r if isinstance(r, (bool, list)) else repr(r)}

# Errors of TorchRL: dimensions that are not the stack's, in composites that have stacks among their entries.
WRONG = {"within": ["index0", "slice", "ellipsis", "reshape", "unbind0", "unbind-1"], "leaf-within": ["index0", "slice", "ellipsis", "reshape", "unbind0", "unbind-1"]}
def tell(name, form):
    told_ops = {o: told(lambda: g(make(form))) for o, g in ops.items() if o not in WRONG.get(name, [])}
    return {"case": name, "form": form, "repr": repr(make(form)), "shape": list(make(form).shape),
            "ops": {o: t for o, t in told_ops.items() if t.get("error") != "AttributeError"}}

out = {"about": __doc__.split("\n")[0], "versions": {"torch": torch.__version__, "torchrl": torchrl.__version__, "tensordict": tensordict.__version__},
  "cases": [tell(n, f) for n, f in cases.items()],
  "refusals": [{"case": n, "form": f, **told(lambda: make(f))} for n, f in refusals.items()]}
json.dump(out, sys.stdout)
print()
