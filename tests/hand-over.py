"""Tensors and batches handed to NumPy, PyTorch and pyarrow and back, without copies; and what
TorchRL makes of files that are saved.

hand-over.py LIBRARY: prints TAP; cases whose module is missing are skipped.
"""

import ctypes
import gc
import importlib
import pathlib
import struct
import sys
import tempfile

MAX_NDIM = 16
DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 "
    "float16 bfloat16 float32 float64 complex32 complex64 complex128"
).split()
KIND_HEAP = 0

c_void_p, c_char_p, c_int, c_int64 = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int64
Destroy = ctypes.CFUNCTYPE(None, c_void_p)


class Tensor(ctypes.Structure):
    _fields_ = [
        ("dtype", c_int),
        ("ndim", c_int),
        ("shape", c_int64 * MAX_NDIM),
        ("strides", c_int64 * MAX_NDIM),
        ("data", c_void_p),
        ("memory", c_void_p),
    ]


class Failure(ctypes.Structure):
    _fields_ = [("domain", ctypes.c_uint32), ("code", c_int), ("message", c_char_p)]


reel = ctypes.CDLL(sys.argv[1])
TensorP, FailureP = ctypes.POINTER(Tensor), ctypes.POINTER(Failure)


def declare(name, result, *arguments):
    function = getattr(reel, name)
    function.restype, function.argtypes = result, arguments
    return function


declare("reel_init", None)
declare("reel_memory_new_wrapped", c_void_p, c_int, c_void_p, ctypes.c_size_t, Destroy, c_void_p)
declare("reel_memory_set_read_only", None, c_void_p)
declare("reel_memory_unref", None, c_void_p)
declare(
    "reel_tensor_new_from_memory",
    TensorP,
    c_void_p,
    ctypes.c_size_t,
    c_int,
    c_int,
    ctypes.POINTER(c_int64),
    ctypes.POINTER(c_int64),
    ctypes.POINTER(FailureP),
)
declare("reel_tensor_unref", None, TensorP)
for version in ("", "_versioned"):
    declare("reel_tensor_to_dlpack" + version, c_void_p, TensorP, ctypes.POINTER(FailureP))
    declare("reel_tensor_from_dlpack" + version, TensorP, c_void_p, ctypes.POINTER(FailureP))

declare("reel_tensordict_new", c_void_p, c_int, ctypes.POINTER(c_int64))
declare("reel_tensordict_unref", None, c_void_p)
declare("reel_tensordict_set_tensor", c_int, c_void_p, c_char_p, TensorP, c_void_p)
declare("reel_tensordict_set_non_tensor", c_int, c_void_p, c_char_p, c_void_p, c_void_p)
declare("reel_non_tensor_new_from_list", c_void_p, c_void_p, c_int, c_void_p)
declare("reel_non_tensor_unref", None, c_void_p)
declare(
    "reel_tensordict_to_arrow", c_int, c_void_p, c_void_p, c_void_p, ctypes.POINTER(FailureP)
)
declare("reel_tensordict_from_arrow", c_void_p, c_void_p, c_void_p, ctypes.POINTER(FailureP))
declare("reel_tensordict_get_tensor", TensorP, c_void_p, c_char_p, c_void_p)
declare("reel_tensordict_dup_value", c_void_p, c_void_p, c_char_p, c_void_p)
declare("reel_tensordict_set_class", c_int, c_void_p, c_char_p, c_void_p, c_void_p)
declare("reel_tensordict_save", c_int, c_void_p, c_char_p, c_int, ctypes.POINTER(FailureP))
declare("reel_tree_new", c_void_p, c_int)
declare("reel_tree_append_tensor", c_int, c_void_p, TensorP, c_void_p)
declare("reel_tree_save", c_int, c_void_p, c_char_p, c_int64, ctypes.POINTER(FailureP))
declare("reel_non_tensor_new_meta", c_void_p, c_void_p, c_int, ctypes.POINTER(c_int64), c_void_p)
declare("reel_tree_new_single", c_void_p, TensorP)
declare("reel_tree_new_single_value", c_void_p, c_void_p, c_void_p)
declare("reel_storage_get_type", ctypes.c_size_t)
declare("reel_object_new_from_text", c_void_p, ctypes.c_size_t, c_char_p, c_void_p, c_void_p)
declare("reel_replay_buffer_new", c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_void_p)
declare("reel_replay_buffer_add", c_int, c_void_p, c_void_p, c_void_p, c_void_p)
declare("reel_replay_buffer_extend", c_int, c_void_p, c_void_p, c_void_p, c_void_p)
declare("reel_sampler_get_type", ctypes.c_size_t)
declare("reel_replay_buffer_ensemble_new", c_void_p, c_void_p, ctypes.c_uint, c_void_p, c_void_p)
declare("reel_replay_buffer_ensemble_dumps", c_int, c_void_p, c_char_p, c_int, ctypes.POINTER(FailureP))
for part in "storage", "sampler", "writer":
    declare(f"reel_replay_buffer_get_{part}", c_void_p, c_void_p)
declare("reel_storage_dumps", c_int, c_void_p, c_void_p, c_char_p, c_int, c_void_p, ctypes.POINTER(FailureP))
declare("reel_sampler_dumps", c_int, c_void_p, c_void_p, c_char_p, c_int, ctypes.POINTER(FailureP))
declare("reel_writer_dumps", c_int, c_void_p, c_void_p, c_char_p, c_int, ctypes.POINTER(FailureP))
declare("reel_storage_loads", c_int, c_void_p, c_void_p, c_char_p, c_void_p, ctypes.POINTER(FailureP))
declare("reel_sampler_loads", c_int, c_void_p, c_void_p, c_char_p, ctypes.POINTER(FailureP))
declare("reel_writer_loads", c_int, c_void_p, c_void_p, c_char_p, ctypes.POINTER(FailureP))
declare("reel_replay_buffer_dumps", c_int, c_void_p, c_char_p, c_int, ctypes.POINTER(FailureP))
declare("g_object_unref", None, c_void_p)
declare("g_variant_print", c_char_p, c_void_p, c_int)
declare("g_variant_parse", c_void_p, c_void_p, c_char_p, c_char_p, c_void_p, c_void_p)
declare("g_variant_unref", None, c_void_p)

capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = ctypes.py_object, (c_void_p, c_char_p, c_void_p)
capsule_get = ctypes.pythonapi.PyCapsule_GetPointer
capsule_get.restype, capsule_get.argtypes = c_void_p, (ctypes.py_object, c_char_p)
capsule_rename = ctypes.pythonapi.PyCapsule_SetName
capsule_rename.restype, capsule_rename.argtypes = c_int, (ctypes.py_object, c_char_p)

NAMES = {False: b"dltensor", True: b"dltensor_versioned"}


def checked(result, failure):
    if failure:
        raise RuntimeError(failure.contents.message.decode())
    return result


class Owned:
    """Memory whose end can be seen, and a tensor of it."""

    alive = {}

    @staticmethod
    @Destroy
    def end(key):
        del Owned.alive[key]

    def __init__(self, dtype, shape, values=bytes(range(256)), strides=None, read_only=False):
        self.buffer = ctypes.create_string_buffer(values, len(values))
        address = ctypes.addressof(self.buffer)
        Owned.alive[address] = self.buffer
        memory = reel.reel_memory_new_wrapped(
            KIND_HEAP, address, len(values), Owned.end, address
        )
        if read_only:
            reel.reel_memory_set_read_only(memory)
        sizes = (c_int64 * max(len(shape), 1))(*shape)
        steps = (c_int64 * max(len(shape), 1))(*strides) if strides else None
        failure = FailureP()
        self.tensor = reel.reel_tensor_new_from_memory(
            memory, 0, DTYPES.index(dtype), len(shape), sizes, steps, ctypes.byref(failure)
        )
        checked(self.tensor, failure)
        reel.reel_memory_unref(memory)

    def lend(self, versioned):
        """What __dlpack__ returns."""
        failure = FailureP()
        to_dlpack = getattr(reel, "reel_tensor_to_dlpack" + ("_versioned" if versioned else ""))
        loan = checked(to_dlpack(self.tensor, ctypes.byref(failure)), failure)
        return capsule_new(loan, NAMES[versioned], None)

    def drop(self):
        reel.reel_tensor_unref(self.tensor)


class Exporter:
    """What from_dlpack() functions take."""

    def __init__(self, owned, versioned):
        self.owned, self.versioned = owned, versioned

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        return self.owned.lend(self.versioned)


def borrow(array, versioned):
    """A tensor that views the array of another library."""
    if versioned:
        capsule = array.__dlpack__(max_version=(1, 0))
    else:
        capsule = array.__dlpack__()
    failure = FailureP()
    from_dlpack = getattr(reel, "reel_tensor_from_dlpack" + ("_versioned" if versioned else ""))
    tensor = from_dlpack(capsule_get(capsule, NAMES[versioned]), ctypes.byref(failure))
    checked(tensor, failure)
    capsule_rename(capsule, b"used_" + NAMES[versioned])
    return tensor


# ---- cases ------------------------------------------------------------------------------------

cases = []


def case(*modules):
    def add(function):
        cases.append((function, modules))
        return function

    return add


def numpy_view(np, owned, versioned):
    return np.from_dlpack(Exporter(owned, versioned))


def torch_view(torch, owned, versioned):
    return torch.utils.dlpack.from_dlpack(Exporter(owned, versioned))


def check_lifetime(make_view, address_of):
    """The view shows the same memory, and keeps it when the tensor is gone."""
    for versioned in (False, True):
        owned = Owned("float32", (2, 3))
        address = owned.tensor.contents.data
        view = make_view(owned, versioned)
        assert address_of(view) == address
        owned.drop()
        gc.collect()
        assert list(Owned.alive) == [address]
        assert view[1, 2].item() == struct.unpack_from("<f", ctypes.string_at(address, 24), 20)[0]
        del view
        gc.collect()
        assert not Owned.alive


@case("numpy")
def numpy_shows_the_same_memory(np):
    check_lifetime(lambda *lent: numpy_view(np, *lent), lambda array: array.ctypes.data)


@case("torch")
def torch_shows_the_same_memory(torch):
    check_lifetime(lambda *lent: torch_view(torch, *lent), lambda tensor: tensor.data_ptr())


@case("numpy")
def numpy_reads_every_dtype_it_has(np):
    for dtype in DTYPES:
        if dtype in ("bfloat16", "complex32"):
            continue
        owned = Owned(dtype, (3,), bytes([0, 1] * 128))
        array = numpy_view(np, owned, True)
        assert str(array.dtype) == dtype and array.shape == (3,)
        assert array.tobytes() == owned.buffer.raw[: array.nbytes]
        owned.drop()


@case("torch")
def torch_reads_every_dtype(torch):
    for dtype in DTYPES:
        for versioned in (False, True):
            owned = Owned(dtype, (2, 2), bytes([0, 1] * 128))
            tensor = torch_view(torch, owned, versioned)
            assert str(tensor.dtype) == "torch." + dtype, tensor.dtype
            assert tensor.data_ptr() == owned.tensor.contents.data
            owned.drop()


@case("numpy", "torch")
def what_one_writes_the_other_sees(np, torch):
    owned = Owned("int32", (4,))
    array, tensor = numpy_view(np, owned, True), torch_view(torch, owned, True)
    array[1] = 77
    tensor[2] = 78
    assert tensor[1] == 77 and array[2] == 78
    owned.drop()


@case("torch")
def strides_are_kept(torch):
    owned = Owned("int16", (3, 2), strides=(2, 6))
    tensor = torch_view(torch, owned, True)
    assert tensor.stride() == (1, 3)
    expected = torch.frombuffer(owned.buffer, dtype=torch.int16)[:6].view(2, 3).T
    assert tensor.tolist() == expected.tolist()
    owned.drop()


@case("numpy")
def numpy_may_not_write_what_is_read_only(np):
    owned = Owned("int64", (3,), read_only=True)
    array = numpy_view(np, owned, True)
    assert not array.flags.writeable
    owned.drop()


@case("numpy", "torch")
def tensors_without_elements(np, torch):
    for shape in ((0,), (2, 0, 3)):
        owned = Owned("float64", shape)
        assert numpy_view(np, owned, True).shape == shape
        assert tuple(torch_view(torch, owned, False).shape) == shape
        owned.drop()


@case("numpy")
def a_view_of_numpy_keeps_its_array(np):
    for versioned in (False, True):
        array = np.arange(12, dtype=np.int32).reshape(3, 4).T[1:, ::2]
        references = sys.getrefcount(array)
        tensor = borrow(array, versioned)
        assert tensor.contents.data == array.ctypes.data
        assert tuple(tensor.contents.shape[:2]) == array.shape
        assert tuple(tensor.contents.strides[:2]) == array.strides
        assert sys.getrefcount(array) > references
        reel.reel_tensor_unref(tensor)
        assert sys.getrefcount(array) == references


@case("torch")
def a_view_of_torch_keeps_its_tensor(torch):
    for dtype in DTYPES:
        source = torch.zeros(4, 3, dtype=getattr(torch, dtype)).T
        tensor = borrow(source, False)
        assert DTYPES[tensor.contents.dtype] == dtype
        assert tensor.contents.data == source.data_ptr()
        steps = tuple(step * source.itemsize for step in source.stride())
        assert tuple(tensor.contents.strides[:2]) == steps
        address = source.data_ptr()
        del source
        gc.collect()
        assert ctypes.string_at(address, 12) == bytes(12)
        reel.reel_tensor_unref(tensor)


# ---- Arrow ----


class Batch:
    """A tensordict [rows]."""

    def __init__(self, rows):
        self.td = reel.reel_tensordict_new(1, (c_int64 * 1)(rows))

    def set(self, key, owned):
        assert reel.reel_tensordict_set_tensor(self.td, key.encode(), owned.tensor, None)
        owned.drop()
        return owned.tensor.contents.data

    def set_list(self, key, text):
        parsed = reel.g_variant_parse(None, text.encode(), None, None, None)
        values = reel.reel_non_tensor_new_from_list(parsed, 1, None)
        reel.g_variant_unref(parsed)
        assert reel.reel_tensordict_set_non_tensor(self.td, key.encode(), values, None)
        reel.reel_non_tensor_unref(values)

    def lend(self, pa):
        """The record batch that pyarrow makes of it; the tensordict is gone."""
        schema, array = ctypes.create_string_buffer(72), ctypes.create_string_buffer(80)
        addresses = ctypes.addressof(schema), ctypes.addressof(array)
        failure = FailureP()
        lent = reel.reel_tensordict_to_arrow(self.td, *addresses, ctypes.byref(failure))
        checked(lent, failure)
        reel.reel_tensordict_unref(self.td)
        batch = pa.RecordBatch._import_from_c(addresses[1], addresses[0])
        batch.validate(full=True)
        return batch


def innermost(column):
    while hasattr(column.type, "value_type") and hasattr(column, "flatten"):
        column = column.flatten()
    return getattr(column, "storage", column)


@case("pyarrow")
def arrow_shows_the_same_memory(pa):
    batch = Batch(3)
    numbers = bytes(range(256))
    addresses = {
        "action": batch.set("action", Owned("int64", (3,), numbers)),
        "observation": batch.set("observation", Owned("float32", (3, 2, 4), numbers)),
        "done": batch.set("done", Owned("bool", (3,), bytes([0, 1] * 8))),
    }
    columns = batch.lend(pa)
    gc.collect()
    assert len(Owned.alive) == 3
    for name, address in addresses.items():
        assert innermost(columns[name]).buffers()[1].address == address, name
    assert columns["action"].to_pylist() == list(struct.unpack_from("<3q", numbers))
    assert str(columns["observation"].type).count("fixed_size_list") == 2
    assert columns["observation"].to_pylist()[2][1] == list(struct.unpack_from("<4f", numbers, 80))
    assert columns["done"].to_pylist() == [False, True, False]


@case("pyarrow")
def a_column_of_arrow_keeps_its_memory(pa):
    batch = Batch(3)
    batch.set("next/reward", Owned("float32", (3,)))
    batch.set("next/done", Owned("bool", (3,), bytes([0, 1] * 8)))
    columns = batch.lend(pa)
    reward = columns["next"].field("reward")
    del columns
    gc.collect()
    assert reward.to_pylist() == list(struct.unpack_from("<3f", bytes(range(256))))
    del reward
    gc.collect()
    assert not Owned.alive


@case("pyarrow", "numpy")
def arrow_columns_become_numpy_views(pa, np):
    batch = Batch(4)
    for dtype in DTYPES:
        if dtype != "bool":
            batch.set(dtype, Owned(dtype, (4,), bytes([0, 1] * 128)))
    address = batch.set("bool", Owned("bool", (4,), bytes([0, 1] * 8)))
    columns = batch.lend(pa)
    for name in columns.schema.names:
        values = innermost(columns[name]).to_numpy(zero_copy_only=True)
        expected = {"bfloat16": "uint16", "bool": "int8"}.get(name, name)
        if name.startswith("complex"):
            expected = f"float{int(name[7:]) // 2}"
        assert values.dtype == expected, (name, values.dtype)
    assert columns.schema.field("bfloat16").metadata == {b"reel:dtype": b"bfloat16"}
    assert columns.schema.field("complex64").metadata == {b"reel:dtype": b"complex64"}
    assert columns.schema.field("bool").type == pa.bool8()
    assert columns["bool"].to_numpy().ctypes.data == address


@case("pyarrow")
def strings_are_a_dictionary(pa):
    batch = Batch(3)
    batch.set_list("said", "[<'hey'>, <@mv nothing>, <'hey'>]")
    batch.set_list("count", "[<int64 1>, <int64 2>, <int64 1>]")
    batch.set_list("sure", "[<true>, <false>, <true>]")
    columns = batch.lend(pa)
    assert columns["said"].to_pylist() == ["hey", None, "hey"]
    assert len(columns["said"].dictionary) == 1
    assert columns["count"].to_pylist() == [1, 2, 1]
    assert columns["sure"].to_pylist() == [True, False, True]


@case("pyarrow")
def batches_without_rows_or_columns(pa):
    batch = Batch(0)
    batch.set("x", Owned("float32", (0, 3)))
    assert batch.lend(pa).num_rows == 0
    assert Batch(5).lend(pa).num_columns == 0


class Borrowed:
    """A tensordict that views a record batch of pyarrow."""

    def __init__(self, batch):
        schema, array = ctypes.create_string_buffer(72), ctypes.create_string_buffer(80)
        addresses = ctypes.addressof(schema), ctypes.addressof(array)
        batch._export_to_c(addresses[1], addresses[0])
        failure = FailureP()
        self.td = reel.reel_tensordict_from_arrow(*addresses, ctypes.byref(failure))
        if failure:
            batch = type(batch)._import_from_c(addresses[1], addresses[0])
        checked(self.td, failure)

    def tensor(self, path):
        tensor = reel.reel_tensordict_get_tensor(self.td, path.encode(), None).contents
        return DTYPES[tensor.dtype], tuple(tensor.shape[: tensor.ndim]), tensor.data

    def text(self, path):
        value = reel.reel_tensordict_dup_value(self.td, path.encode(), None)
        text = reel.g_variant_print(value, 0).decode()
        reel.g_variant_unref(value)
        return text

    def drop(self):
        reel.reel_tensordict_unref(self.td)


@case("pyarrow")
def a_batch_of_arrow_is_viewed(pa):
    numbers = pa.array(range(12), pa.float32())
    lists = pa.FixedSizeListArray.from_arrays(pa.FixedSizeListArray.from_arrays(numbers, 2), 2)
    action = pa.array([5, 6, 7], pa.int64())
    batch = pa.record_batch({"action": action, "observation": lists})
    place, start = numbers.buffers()[1].address, action.buffers()[1].address
    del numbers, lists, action
    for first in range(4):
        td = Borrowed(batch.slice(first))
        rows = 3 - first
        assert td.tensor("action")[:2] == ("int64", (rows,))
        assert td.tensor("observation")[:2] == ("float32", (rows, 2, 2))
        if rows:
            assert td.tensor("action")[2] == start + 8 * first
            assert td.tensor("observation")[2] == place + 16 * first
        td.drop()
    td = Borrowed(batch)
    used = pa.total_allocated_bytes()
    del batch
    gc.collect()
    assert pa.total_allocated_bytes() == used
    assert ctypes.string_at(td.tensor("observation")[2], 8) == struct.pack("<2f", 0, 1)
    td.drop()
    assert pa.total_allocated_bytes() < used


@case("pyarrow")
def what_is_lent_comes_back(pa):
    batch = Batch(3)
    addresses = {}
    for dtype in DTYPES:
        address = batch.set("next/" + dtype, Owned(dtype, (3, 2), bytes([0, 1] * 128)))
        addresses[dtype] = address
    td = Borrowed(batch.lend(pa))
    for dtype, address in addresses.items():
        assert td.tensor("next/" + dtype) == (dtype, (3, 2), address)
    td.drop()


@case("pyarrow")
def arrow_s_own_booleans_and_strings(pa):
    flags = [True, False, True, True, False, False, True, False, True, True]
    words = ["hey", None, "", "hey"] + ["\u00e9"] * 6
    batch = pa.record_batch(
        {
            "flag": pa.array(flags),
            "word": pa.array(words),
            "large": pa.array(words, pa.large_string()),
            "kept": pa.array(words).dictionary_encode(),
            "deep": pa.array([{"x": i, "w": str(i)} for i in range(10)]),
        }
    )
    for first in (0, 3):
        td = Borrowed(batch.slice(first))
        dtype, shape, data = td.tensor("flag")
        assert (dtype, shape) == ("bool", (10 - first,))
        assert [bool(byte) for byte in ctypes.string_at(data, shape[0])] == flags[first:]
        assert td.text("word") == td.text("large") == td.text("kept")
        expected = ", ".join("<@mv nothing>" if w is None else f"<'{w}'>" for w in words[first:])
        assert td.text("word") == f"[{expected}]", td.text("word")
        assert td.text("deep/w").startswith(f"[<'{first}'>")
        assert ctypes.string_at(td.tensor("deep/x")[2], 8) == struct.pack("<q", first)
        td.drop()


@case("pyarrow")
def what_no_tensor_holds_is_named(pa):
    for column, told in (
        (pa.array([1, None, 3]), '"x" is null at element 1'),
        (pa.array([[1], [2, 3], []]), '"x" is of Arrow\'s type "+l"'),
        (pa.array([b"a", b"b", b"c"]), '"x" is of Arrow\'s type "z"'),
    ):
        try:
            Borrowed(pa.record_batch({"x": column}))
        except RuntimeError as refusal:
            assert told in str(refusal), refusal
        else:
            raise AssertionError(told)


# ---- files ----


def saved(save, *arguments):
    """A directory that TorchRL may open."""
    folder = tempfile.TemporaryDirectory()
    failure = FailureP()
    checked(save(arguments[0], folder.name.encode(), *arguments[1:], ctypes.byref(failure)), failure)
    return folder


@case("torch", "tensordict", "torchrl.data.llm.prompt")
def a_saved_record_is_one_of_torchrl(torch, tensordict, prompt):
    names = [field.name for field in prompt.PromptData.fields()]
    fields = (c_char_p * (len(names) + 1))(*(name.encode() for name in names), None)
    batch = Batch(3)
    batch.set("input_ids", Owned("int64", (3, 2)))
    batch.set("attention_mask", Owned("int64", (3, 2)))
    batch.set("prompt_rindex", Owned("int64", (3,)))
    name = prompt.PromptData.__module__ + ".PromptData"
    assert reel.reel_tensordict_set_class(batch.td, name.encode(), fields, None)
    with saved(reel.reel_tensordict_save, batch.td, 0) as folder:
        reel.reel_tensordict_unref(batch.td)
        opened = tensordict.TensorDict.load_memmap(folder)
        assert type(opened) is prompt.PromptData and opened.batch_size == (3,)
        assert opened.labels is None and opened.loss is None
        expected = torch.frombuffer(bytes(range(48)), dtype=torch.int64).view(3, 2)
        assert torch.equal(opened.input_ids, expected)
        assert torch.equal(opened.prompt_rindex, expected.view(6)[:3])


@case("tensordict", "tensordict.tensorclass")
def saved_values_keep_their_class(tensordict, tensorclass):
    batch = Batch(2)
    parsed = reel.g_variant_parse(None, b"'about'", None, None, None)
    meta = reel.reel_non_tensor_new_meta(parsed, 1, (c_int64 * 1)(2), None)
    reel.g_variant_unref(parsed)
    assert reel.reel_tensordict_set_non_tensor(batch.td, b"meta", meta, None)
    reel.reel_non_tensor_unref(meta)
    batch.set_list("words", "[<'a'>, <'b'>]")
    with saved(reel.reel_tensordict_save, batch.td, 0) as folder:
        reel.reel_tensordict_unref(batch.td)
        opened = tensordict.TensorDict.load_memmap(folder)
        assert type(opened.get("meta")) is tensorclass.MetaData
        assert opened["meta"] == "about" and opened.get("words").tolist() == ["a", "b"]


@case("torch", "torchrl.data", "torchrl.data.replay_buffers.checkpointers")
def torchrl_fills_a_storage_with_a_saved_tree(torch, data, checkpointers):
    tuple_kind = 4
    tree = reel.reel_tree_new(tuple_kind)
    for dtype, shape in (("float32", (3, 2)), ("bool", (3,))):
        owned = Owned(dtype, shape, bytes([0, 1] * 128))
        assert reel.reel_tree_append_tensor(tree, owned.tensor, None)
        owned.drop()
    with saved(reel.reel_tree_save, tree, 3) as folder:
        reel.reel_tensordict_unref(tree)
        storage = data.LazyTensorStorage(3)
        storage.set(range(3), (torch.zeros(3, 2), torch.zeros(3, dtype=torch.bool)))
        checkpointers.TensorStorageCheckpointer().loads(storage, pathlib.Path(folder))
        numbers, flags = storage[:]
        expected = torch.frombuffer(bytes([0, 1] * 12), dtype=torch.float32).view(3, 2)
        assert torch.equal(numbers, expected) and flags.tolist() == [False, True, False]


@case("torch", "torchrl.data")
def torchrl_loads_a_compressed_list(torch, data):
    text = b"compressed-list:capacity=4"
    storage = reel.reel_object_new_from_text(reel.reel_storage_get_type(), text, None, None)
    buffer = reel.reel_replay_buffer_new(storage, None, None, 0, None)
    owned = Owned("int64", (3, 2))
    word = reel.g_variant_parse(None, b"'a string!'", None, None, None)
    batch = Batch(3)
    batch.set("x", Owned("int64", (3, 2)))
    rows = [reel.reel_tree_new_single(owned.tensor), reel.reel_tree_new_single_value(word, None)]
    for row in (*rows, reel.reel_tree_new_single_value(None, None), batch.td):
        assert reel.reel_replay_buffer_add(buffer, row, None, None)
        reel.reel_tensordict_unref(row)
    owned.drop()
    with saved(reel.reel_replay_buffer_dumps, buffer, 0) as folder:
        reel.g_object_unref(buffer)
        reel.g_object_unref(storage)
        reel.g_variant_unref(word)
        loaded = data.ReplayBuffer(storage=data.CompressedListStorage(9))
        loaded.loads(folder)
    expected = torch.frombuffer(bytes(range(48)), dtype=torch.int64).view(3, 2)
    assert len(loaded) == 4 and loaded[1] == "a string!" and loaded[2] is None
    assert torch.equal(loaded[0], expected) and torch.equal(loaded[3]["x"], expected)
    assert loaded[3].batch_size == (3,)


def new_member(sampler, rows):
    """A buffer of 4 rows, of which so many are written."""
    parts = [
        reel.reel_object_new_from_text(reel.reel_storage_get_type(), b"tensor:capacity=4", None, None),
        reel.reel_object_new_from_text(reel.reel_sampler_get_type(), sampler, None, None),
    ]
    buffer = reel.reel_replay_buffer_new(*parts, None, 0, None)
    if rows:
        batch = Batch(rows)
        batch.set("x", Owned("int64", (rows, 2)))
        assert reel.reel_replay_buffer_extend(buffer, batch.td, None, None)
        reel.reel_tensordict_unref(batch.td)
    for part in parts:
        reel.g_object_unref(part)
    return buffer


def parts_of(buffer):
    return [getattr(reel, f"reel_replay_buffer_get_{part}")(buffer) for part in ("storage", "sampler", "writer")]


def new_parts(data):
    return data.LazyTensorStorage(4), data.PrioritizedSampler(4, 0.7, 0.5), data.RoundRobinWriter()


@case("torch", "torchrl.data")
def storage_sampler_and_writer_alone(torch, data):
    text = b"prioritized:max-capacity=4,alpha=0.7,beta=0.5"
    buffer, copy, failure = new_member(text, 3), new_member(text, 0), FailureP()
    for rows in 2, 1:  # round the ring
        batch = Batch(rows)
        batch.set("x", Owned("int64", (rows, 2)))
        assert reel.reel_replay_buffer_extend(buffer, batch.td, None, None)
        reel.reel_tensordict_unref(batch.td)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = pathlib.Path(folder, "ours"), pathlib.Path(folder, "theirs")
        ours.mkdir()
        theirs.mkdir()
        paths = [bytes(ours / part) for part in ("storage", "sampler", "writer")]
        storage, sampler, writer = parts_of(buffer)
        checked(reel.reel_storage_dumps(storage, None, paths[0], 0, None, failure), failure)
        checked(reel.reel_sampler_dumps(sampler, storage, paths[1], 0, failure), failure)
        checked(reel.reel_writer_dumps(writer, storage, paths[2], 0, failure), failure)
        loaded = data.ReplayBuffer(**dict(zip(("storage", "sampler", "writer"), new_parts(data))))
        for part in "storage", "sampler", "writer":
            getattr(loaded, "_" + part).loads(ours / part)
            getattr(loaded, "_" + part).dumps(theirs / part)
        row = torch.frombuffer(bytes(range(16)), dtype=torch.int64)
        assert len(loaded) == 4 and loaded._writer._cursor == 2 and loaded._writer._write_count == 6
        assert torch.equal(loaded[0]["x"], row + 0x1010101010101010) and torch.equal(loaded[1]["x"], row)
        assert {float(loaded._sampler._sum_tree[i]) for i in range(4)} == {1.0}
        paths = [bytes(theirs / part) for part in ("storage", "sampler", "writer")]
        storage, sampler, writer = parts_of(copy)
        checked(reel.reel_storage_loads(storage, None, paths[0], None, failure), failure)
        checked(reel.reel_writer_loads(writer, storage, paths[2], failure), failure)
        checked(reel.reel_sampler_loads(sampler, storage, paths[1], failure), failure)
        for path in ours, theirs:
            reel.reel_replay_buffer_dumps(buffer if path == ours else copy, bytes(path / "all"), 0, failure)
        for file in "storage/x.memmap", "sampler/sumtree.memmap", "writer/metadata.json":
            assert (ours / "all" / file).read_bytes() == (theirs / "all" / file).read_bytes()
    reel.g_object_unref(buffer)
    reel.g_object_unref(copy)


@case("torch", "torchrl.data")
def torchrl_loads_an_ensemble(torch, data):
    texts = b"random", b"prioritized:max-capacity=4,alpha=0.7,beta=0.5", b"without-replacement"
    members = [new_member(text, rows) for text, rows in zip(texts, (3, 2, 0))]
    ensemble = reel.reel_replay_buffer_ensemble_new((c_void_p * 3)(*members), 3, None, None)
    with saved(reel.reel_replay_buffer_ensemble_dumps, ensemble, 0) as folder:
        for held in (ensemble, *members):
            reel.g_object_unref(held)
        samplers = (
            data.RandomSampler(),
            data.PrioritizedSampler(4, 0.7, 0.5),
            data.SamplerWithoutReplacement(),
        )
        loaded = data.ReplayBufferEnsemble(
            *(data.ReplayBuffer(storage=data.LazyTensorStorage(4), sampler=s) for s in samplers),
            p=[1, 0, 0],
        )
        loaded.loads(folder)
    expected = torch.frombuffer(bytes(range(48)), dtype=torch.int64).view(3, 2)
    assert [len(loaded[i]) for i in range(3)] == [3, 2, 0]
    assert [loaded[i].writer._cursor for i in range(3)] == [3, 2, 0]
    assert torch.equal(loaded[0][:]["x"], expected) and torch.equal(loaded[1][:]["x"], expected[:2])
    batch = loaded.sample(6)
    for buffer, index, x in zip(
        batch["index", "buffer_ids"].flatten(), batch["index", "index"].flatten(), batch["x"].view(6, 2)
    ):
        assert int(buffer) == 0 and torch.equal(x, expected[index])


def run():
    reel.reel_init()
    print(f"1..{len(cases)}")
    failed = False
    for number, (function, modules) in enumerate(cases, 1):
        name = function.__name__.replace("_", " ")
        try:
            found = [importlib.import_module(module) for module in modules]
        except ImportError as missing:
            print(f"ok {number} - {name} # SKIP {missing}")
            continue
        try:
            function(*found)
            gc.collect()
            assert not Owned.alive, f"{len(Owned.alive)} memories are alive"
            print(f"ok {number} - {name}")
        except Exception as fault:
            failed = True
            print(f"not ok {number} - {name}\n# {type(fault).__name__}: {fault}")
            Owned.alive.clear()
    return failed


sys.exit(run())
