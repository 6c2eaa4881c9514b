#!/usr/bin/env python3
"""Writes seeds of tests/fuzz/fuzz-pickle: one pickle for each thing that its reader takes or refuses, opcode by opcode."""
import pathlib
import struct
import sys

OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "fuzz/corpus/pickle")

PROTO, MEMOIZE, STACK_GLOBAL = b"\x80\x02", b"\x94", b"\x93"
ORDERED_DICT = b"ccollections\nOrderedDict\n)R"


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def short(value):
    return b"\x8c" + bytes([len(value)]) + value.encode()


def number(value):
    return b"\x8a\x08" + struct.pack("<q", value)


def counts(*values):
    return b"(" + b"".join(map(number, values)) + b"t"


def storage(kind="FloatStorage", name="3", elements=6, tag="storage"):
    return b"(" + text(tag) + b"ctorch\n" + kind.encode() + b"\n" + text(name) + text("cpu") + number(elements) + b"tQ"


def tensor(offset=0, shape=(2, 3), strides=(3, 1), grad=b"\x89", hooks=ORDERED_DICT, rows=None):
    return (b"ctorch._utils\n_rebuild_tensor_v2\n(" + (storage() if rows is None else rows) + number(offset) + counts(*shape)
            + counts(*strides) + grad + hooks + b"tR")


def item(value, key="a"):
    return PROTO + b"}" + text(key) + value + b"s."


SEEDS = {
    # memory of what came before
    "put-in-order": PROTO + b"}q\x00" + text("a") + b"q\x01" + b"h\x01s.",
    "long-put-and-get": PROTO + b"}r\x00\x00\x00\x00" + text("a") + b"r\x01\x00\x00\x00j\x01\x00\x00\x00s.",
    "memoize-and-get": b"\x80\x04}" + MEMOIZE + short("a") + MEMOIZE + b"h\x01s.",
    "put-of-nothing": PROTO + b"q\x00.",
    "put-number-of-another": PROTO + b"}q\x07.",
    "long-put-cut-off": PROTO + b"}r\x00\x00",
    "get-of-nothing": PROTO + b"}" + text("a") + b"h\x05s.",
    "long-get-of-nothing": PROTO + b"}" + text("a") + b"j\x05\x00\x00\x00s.",
    "get-of-mark": PROTO + b"(q\x00h\x00.",
    "get-of-dict": PROTO + b"}q\x00" + text("a") + b"h\x00s.",
    "get-of-list": PROTO + b"}(" + text("a") + b"]q\x00" + text("b") + b"h\x00u.",
    # globals
    "stack-global": b"\x80\x04\x95" + struct.pack("<Q", 31) + short("collections") + short("OrderedDict") + STACK_GLOBAL + b")R.",
    "stack-global-of-number": b"\x80\x04K\x01" + short("OrderedDict") + STACK_GLOBAL + b".",
    "stack-global-of-one-name": b"\x80\x04" + short("OrderedDict") + STACK_GLOBAL + b".",
    "stack-global-unknown": b"\x80\x04" + short("posix") + short("system") + STACK_GLOBAL + b".",
    "global-unknown": PROTO + b"cposix\nsystem\n(" + text("true") + b"tR.",
    "global-cut-off": PROTO + b"ccollections\nOrdered",
    "global-no-utf8": PROTO + b"ccoll\xff\nOrderedDict\n.",
    "global-long-name": PROTO + b"c" + "é".encode() * 99 + b"\n" + b"x" + "é".encode() * 99 + b"\n.",
    "global-unknown-storage": item(storage("BoxStorage")),
    "global-as-value": item(b"ccollections\nOrderedDict\n"),
    # values
    "text-no-utf8": item(text(b"\xff")),
    "text-with-zero": item(text(b"a\0b")),
    "text-cut-off": PROTO + b"}X\xff\xff\xff\xffa",
    "long-of-nine-bytes": item(b"\x8a\x09" + bytes(9)),
    "long-of-no-bytes": item(b"\x8a\x00"),
    "plain-values": item(b"(" + b"K\xff" + b"M\xff\xff" + b"J\xff\xff\xff\xff" + number(-2**63) + b"G" + struct.pack(">d", -0.5)
                   + b"N\x88\x89" + text("é") + short("") + b"t"),
    "tuples": item(b")" + b"\x85" + b"N\x88\x86" + b"K\x01K\x02K\x03\x87\x87"),
    "lists": item(b"]K\x01a(K\x02]K\x03ae"),
    # containers
    "key-twice": PROTO + b"}(" + text("a") + b"K\x01" + text("a") + b"K\x02u.",
    "key-number": PROTO + b"}K\x01K\x02s.",
    "key-tuple": PROTO + b"})K\x02s.",
    "key-without-value": PROTO + b"}(" + text("a") + b"u.",
    "key-with-slash": item(b"}" + text("c/d") + b"K\x01s", key="a/b"),
    "key-empty": item(b"K\x01", key=""),
    "items-of-list": PROTO + b"](" + text("a") + b"K\x01u.",
    "append-to-tuple": PROTO + b")K\x01a.",
    "append-to-dict": PROTO + b"}K\x01a.",
    "append-nothing": PROTO + b"]a.",
    "append-over-mark": PROTO + b"](a.",
    "appends-without-mark": PROTO + b"]K\x01e.",
    "items-without-mark": PROTO + b"}" + text("a") + b"K\x01u.",
    "tuple-without-mark": PROTO + b"K\x01t.",
    "tuple-of-two-with-one": PROTO + b"K\x01\x86.",
    "dict-in-list": item(b"]}a"),
    "tensor-in-list": item(b"]" + tensor() + b"a"),
    "tensor-in-tuple": item(tensor() + b"\x85"),
    "global-in-list": item(b"]ccollections\nOrderedDict\na"),
    "too-deep-list": item(b"]" * 200 + b"a" * 199),
    "too-deep-tuple": item(b")" + b"\x85" * 200),
    "too-deep-dict": PROTO + b"".join(b"}" + text("a") for _ in range(200)) + b"N" + b"s" * 200 + b".",
    # the pickle
    "nothing": b"",
    "opcode-unknown": PROTO + b"\x00.",
    "opcode-of-text-protocol": PROTO + b"(lp0\n.",
    "protocol-in-the-middle": PROTO + b"}" + PROTO + b".",
    "protocol-cut-off": b"\x80",
    "protocol-one": b"\x80\x01}.",
    "protocol-five": b"\x80\x05}.",
    "without-protocol": b"}.",
    "frame-too-long": b"\x80\x04\x95" + struct.pack("<Q", 2**63) + b"}.",
    "frame-cut-off": b"\x80\x04\x95\x02",
    "stop-missing": PROTO + b"}",
    "stop-in-the-middle": PROTO + b"}.}.",
    "stop-after-two": PROTO + b"}}.",
    "stop-after-none": PROTO + b".",
    "stop-after-mark": PROTO + b"(.",
    "stop-after-list": PROTO + b"].",
    # storages
    "storage-whole": item(tensor()),
    "storage-alone": item(storage()),
    "storage-other-tag": item(storage(tag="module")),
    "storage-of-number": PROTO + b"K\x01Q.",
    "storage-of-list": PROTO + b"]Q.",
    "storage-of-four": PROTO + b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("3") + text("cpu") + b"tQ.",
    "storage-of-ordered-dict": PROTO + b"(" + text("storage") + b"ccollections\nOrderedDict\n" + text("3") + text("cpu") + number(6) + b"tQ.",
    "storage-name-number": PROTO + b"(" + text("storage") + b"ctorch\nFloatStorage\nK\x03" + text("cpu") + number(6) + b"tQ.",
    "storage-negative": item(storage(elements=-1)),
    "storage-shorter": item(storage(elements=7)),
    "storage-huge": item(storage(elements=2**62)),
    "storage-missing": item(storage(name="none")),
    "storage-long-name": item(storage(name="é" * 300)),
    # tensors
    "tensor-of-five": item(b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage() + number(0) + counts(6) + counts(1) + b"\x89tR"),
    "tensor-of-no-storage": item(tensor(rows=number(1))),
    "tensor-offset-negative": item(tensor(offset=-1)),
    "tensor-offset-behind": item(tensor(offset=1)),
    "tensor-offset-huge": item(tensor(offset=2**62)),
    "tensor-shape-negative": item(tensor(shape=(-2, 3))),
    "tensor-shape-text": item(tensor().replace(counts(2, 3), text("a"))),
    "tensor-many-dimensions": item(tensor(shape=(1,) * 70, strides=(1,) * 70)),
    "tensor-fewer-strides": item(tensor(strides=(1,))),
    "tensor-strides-huge": item(tensor(strides=(2**62, 1))),
    "tensor-strides-outside": item(tensor(strides=(4, 1))),
    "tensor-more-than-storage": item(tensor(shape=(7,), strides=(0,))),
    "tensor-product-overflows": item(tensor(shape=(2**40, 2**40), strides=(0, 0))),
    "tensor-empty-huge": item(tensor(shape=(2**40, 0), strides=(1, 1))),
    "tensor-grad-number": item(tensor(grad=b"K\x01")),
    "tensor-with-gradient": item(tensor(grad=b"\x88")),
    "tensor-hooks-none": item(tensor(hooks=b"N")),
    "tensor-with-hooks": item(tensor(hooks=b"}" + text("a") + b"K\x01s")),
    # calls
    "call-of-nothing": PROTO + b")R.",
    "call-with-number": PROTO + b"ccollections\nOrderedDict\nK\x01R.",
    "call-of-storage": PROTO + b"ctorch\nFloatStorage\n)R.",
    "call-with-items": PROTO + b"ccollections\nOrderedDict\n]\x85R.",
    "build-metadata": PROTO + ORDERED_DICT + b"}" + text("_metadata") + b"}sb.",
    "build-other": PROTO + ORDERED_DICT + b"}" + text("other") + b"}sb.",
    "build-plain-dict": PROTO + b"}}" + text("_metadata") + b"}sb.",
    "build-of-list": PROTO + b"]}b.",
    "build-with-list": PROTO + b"}]b.",
}


def main():
    for name, pickle in SEEDS.items():
        (OUT / name).write_bytes(b"p" + pickle)


main()
