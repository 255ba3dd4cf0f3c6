#!/usr/bin/env python3
"""Compares tern's state files with those of Python's libraries, by means of tern-state:

  against_python.py TERN_STATE [ROUNDS] [SEED]

States of random bits, written by torch, numpy, safetensors and json, are converted to every format.
What Python's readers find there must be equal to the bit, and so must what comes back as a .pt.
"""

import base64
import functools
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy
import torch
from safetensors import safe_open
from safetensors.torch import save_file

DTYPES = {
    "BOOL": torch.bool, "U8": torch.uint8, "I8": torch.int8, "I16": torch.int16, "I32": torch.int32,
    "I64": torch.int64, "F16": torch.float16, "F32": torch.float32, "F64": torch.float64, "BF16": torch.bfloat16,
}


def random_tensor(dtype):
    shape = [random.choice([0, 1, 2, 2, 3, 3, 4, 4]) for _ in range(random.randint(0, 4))]
    count = torch.Size(shape).numel() * torch.empty(0, dtype=dtype).element_size()
    if dtype == torch.bool or count == 0:
        return (torch.rand(shape) < 0.5).to(dtype)
    tensor = torch.randint(0, 256, (count,), dtype=torch.uint8).view(dtype).reshape(shape)
    return tensor.transpose(0, -1) if shape and random.random() < 0.3 else tensor


def random_state(with_bfloat16=False):
    dtypes = list(DTYPES.values())[: None if with_bfloat16 else -1]
    base = torch.randn(4, 6)
    tensors = {f"{random.choice(['a', 'b.c', 'ü'])}{i}": random_tensor(random.choice(dtypes)) for i in range(12)}
    return {"base": base, **tensors, "part": base[1:3, ::2], "tied": base}


def plain_state():  # what lists of numbers can tell: no dtypes, nothing empty or not finite
    return {"f": torch.randn(2, 3), "d": torch.randn(5, 1, 2, dtype=torch.float64),
            "n": torch.randint(-(2**62), 2**62, (5,)), "m": torch.rand(2, 3) < 0.5}


def checkpoint():
    return {"model": random_state(), "epoch": random.randint(-(2**63), 2**63 - 1), "lr": random.random(),
            "on": True, "none": None, "nan": float("nan"), "name": "ü\n", "list": [1, 2.0, [], {}]}


def load_json(path):
    def tensor(dtype, shape, data, encoding=None):
        if encoding is not None:
            data = torch.tensor(list(base64.b64decode(data)), dtype=torch.uint8)
            return data.view(DTYPES[dtype]).reshape(shape)
        array = numpy.array(data, numpy.float64 if "F" in dtype else None)
        return torch.from_numpy(array).to(DTYPES[dtype]).reshape(shape)

    def value(node):
        if isinstance(node, list):
            return [value(v) for v in node]
        if not isinstance(node, dict):
            return node
        if node.keys() == {"$tensor"}:
            return tensors[node["$tensor"]]
        if node.keys() == {"$double"}:
            return float(node["$double"])
        return {k: value(v) for k, v in node.items()}

    file = json.loads(path.read_text())
    tensors = {k: tensor(**v) for k, v in file["tensors"].items()}
    return value(file["state"]) if file["version"] == 2 else tensors


def load_safetensors(path):
    with safe_open(path, "pt") as file:
        tensors = {k: file.get_tensor(k) for k in file.keys()}
        return tensors | {k: tensors[v] for k, v in file.metadata().items() if v in tensors}


def facts(state, one_nan):
    """Equal for equal states; the text of JSON has one NaN."""
    if isinstance(state, dict):
        return {k: facts(v, one_nan) for k, v in state.items()}
    if not torch.is_tensor(state):
        return repr(state)
    if one_nan and state.is_floating_point():
        state = torch.where(state.isnan(), torch.full_like(state, float("nan")), state)
    elements = state.clone(memory_format=torch.contiguous_format).reshape(-1)
    return state.dtype, state.shape, bytes(elements.view(torch.uint8).numpy())


old_save = functools.partial(torch.save, _use_new_zipfile_serialization=False)
load_torch = functools.partial(torch.load, weights_only=True)
WRITERS = [
    (random_state, "pt", torch.save), (random_state, "pth", old_save), (checkpoint, "pt", torch.save),
    (functools.partial(random_state, True), "pt", torch.save),
    (lambda: {k: v.clone().contiguous() for k, v in random_state(True).items()}, "safetensors", save_file),
    (random_state, "npz", lambda state, path: numpy.savez(path, **{k: v.numpy() for k, v in state.items()})),
    (plain_state, "json", lambda state, path: path.write_text(json.dumps({k: v.tolist() for k, v in state.items()}))),
]
READERS = [
    ("pt", [], load_torch), ("json", [], load_json), ("json", ["--base64"], load_json),
    ("safetensors", [], load_safetensors),
    ("npz", [], lambda path: {k: torch.from_numpy(v) for k, v in numpy.load(path).items()}),
]


def main(program, rounds=20, seed=1):
    torch.manual_seed(seed)
    random.seed(seed)
    count = 0
    for (make, suffix, write), (target, options, read) in itertools.product(WRITERS * rounds, READERS):
        with tempfile.TemporaryDirectory() as folder:
            state = make()
            a, b, c = (pathlib.Path(folder) / name for name in ("a." + suffix, "b." + target, "c.pt"))
            write(state, a)
            result = subprocess.run([program, "convert", *options, a, b], stderr=subprocess.PIPE, check=False)
            if b"bfloat16" in result.stderr:  # which numpy has not
                assert target == "npz" and torch.bfloat16 in [v.dtype for v in state.values()]
                continue
            assert result.returncode == 0, result
            subprocess.run([program, "convert", b, c], check=True)
            expected = facts(state, one_nan := target == "json" and not options)
            assert facts(load_torch(c), one_nan) == expected, (suffix, target, state)
            if "model" not in state or target in ("pt", "json"):
                assert facts(read(b), one_nan) == expected, (suffix, target, state)
            count += 1
    print(f"{count} conversions, all equal to the bit")


main(sys.argv[1], *map(int, sys.argv[2:]))
