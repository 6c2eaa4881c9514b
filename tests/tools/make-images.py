"""Images as torch resizes them, and as TorchRL makes them gray and puts their channels first.

    python tests/tools/make-images.py >tests/data/images.json

Images are given by shape and dtype alone: pixel i of a table is (i * 37 + i * i % 101) % 256, divided by 255 where it is real."""
import json, sys, warnings
warnings.filterwarnings("ignore")
import torch, torchrl
from torchrl.envs.transforms import GrayScale, ToTensorImage

def image(shape, dtype):
    n = 1
    for d in shape: n *= d
    i = torch.arange(n, dtype=torch.int64)
    pixels = (i * 37 + i * i % 101) % 256
    if dtype.is_floating_point:
        return (pixels.double() / 255).to(dtype).view(shape)
    return pixels.to(dtype).view(shape)

def tensor(t):
    real = t.dtype.is_floating_point
    return {"dtype": str(t.dtype)[6:], "shape": list(t.shape),
            "data": [float(v).hex() if real else int(v) for v in t.contiguous().flatten()]}

def resize(x, size, mode, antialias):
    kind = x.dtype
    y = x[None] if kind == torch.float64 else x[None].float()
    more = {"antialias": antialias} if mode in ("bilinear", "bicubic") else {}
    if mode not in ("nearest", "nearest-exact"):
        y = torch.nn.functional.interpolate(y, size, mode=mode, **more)[0]
    else:
        y = torch.nn.functional.interpolate(y, size, mode=mode)[0]
    if kind == torch.uint8:  # as torchvision does
        if mode == "bicubic": y = y.clamp(0, 255)
        y = y.round()
    return y.to(kind)

cases = []
for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area"):
    for antialias in ((True, False) if mode in ("bilinear", "bicubic") else (True,)):
        for shape, size in (((2, 7, 5), (3, 3)), ((1, 6, 8), (3, 4)), ((3, 3, 2), (5, 7)), ((1, 11, 4), (11, 9)),
                            ((1, 1, 1), (2, 3)), ((1, 9, 13), (4, 2)), ((1, 23, 31), (7, 5))):
            for dtype in (torch.float64, torch.uint8):
                x = image(shape, dtype)
                cases.append({"shape": shape, "dtype": str(dtype)[6:], "w": size[0], "h": size[1], "interpolation": mode,
                              "antialias": antialias, "output": tensor(resize(x, list(size), mode, antialias))})
gray = []
for shape in ((3, 2, 4), (2, 3, 3, 1)):
    for dtype in (torch.uint8, torch.float32, torch.float64, torch.int32):
        x = image(shape, dtype)
        gray.append({"shape": shape, "dtype": str(dtype)[6:], "output": tensor(GrayScale()._apply_transform(x))})
to_image = []
for arguments in ({}, {"from_int": True}, {"from_int": False}, {"unsqueeze": True}, {"dtype": "float64"}, {"shape_tolerant": True}):
    for shape in ((2, 3, 4), (2, 4, 2, 3), (3, 4, 3)):
        for dtype in (torch.uint8, torch.float32, torch.int64):
            x = image(shape, dtype)
            given = {k: getattr(torch, v) if k == "dtype" else v for k, v in arguments.items()}
            text = ",".join(f"{k.replace('_', '-')}={str(v).lower()}" for k, v in arguments.items())
            to_image.append({"shape": shape, "dtype": str(dtype)[6:], "arguments": text,
                             "output": tensor(ToTensorImage(**given)._apply_transform(x))})
json.dump({"about": "images of pixels (i * 37 + i * i % 101) % 256", "versions": {"torch": torch.__version__, "torchrl": torchrl.__version__},
           "resize": cases, "gray-scale": gray, "to-tensor-image": to_image}, sys.stdout, indent=0)
