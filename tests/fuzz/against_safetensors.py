#!/usr/bin/env python3
"""Compares tern with the reference library of safetensors, by means of tern-state:

  against_safetensors.py TERN_STATE [ROUNDS] [SEED]

- Random tensors of every dtype, written by the library, converted by tern to another file and to
  shards, must come back equal to the bit, and the data of the file equal to the byte.
- Of randomly changed files tern must accept none that the library refuses. What tern refuses
  beyond that is counted by the reason it gives.

Needs PyTorch and safetensors 0.8.
"""

import collections
import json
import os
import random
import subprocess
import sys
import tempfile

import safetensors
import torch
from safetensors.torch import load_file, save_file

DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
    torch.bfloat16, torch.float32, torch.float64,
]
TOKENS = [
    b"0", b"1", b"8", b"-1", b"2.0", b"1e2", b"null", b"true", b"{}", b"[]", b'"a"', b",", b":", b"{",
    b"}", b"[", b"]", b'"', b"\\u0061", b"F64", b"F4", b"BF16", b"shape", b"dtype", b"data_offsets",
    b"__metadata__", b"[0,0]", b"[0,8]", b"\x00", b"\xff", b"\xc3\xa9", b" ", b'"extra":1,',
    b"18446744073709551615", b"9223372036854775808",
]


def bits(tensor):
    return tensor.reshape(-1).contiguous().view(torch.uint8) if tensor.numel() else tensor


def random_tensor():
    sizes = range(0 if random.random() < 0.1 else 1, 7)
    shape = [random.choice(sizes) for _ in range(random.randint(0, 5))]
    dtype = random.choice(DTYPES)
    if dtype == torch.bool:
        return torch.rand(shape) < 0.5
    if 0 in shape:
        return torch.empty(shape, dtype=dtype)
    count = torch.Size(shape).numel() * torch.empty(0, dtype=dtype).element_size()
    return torch.randint(0, 256, (count,), dtype=torch.uint8).view(dtype).reshape(shape)


def check_equal(got, expected):
    assert set(got) == set(expected)
    for key, tensor in expected.items():
        assert got[key].dtype == tensor.dtype and got[key].shape == tensor.shape, key
        assert torch.equal(bits(got[key]), bits(tensor)), key


def data_of(path):
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        assert size % 8 == 0
        return file.read()[size:]


def round_trip(program):
    state = {f"{random.choice(['a', 'b.c', 'ü', 'x y'])}{i}": random_tensor() for i in range(20)}
    with tempfile.TemporaryDirectory() as folder:
        a, b, c = (os.path.join(folder, name + ".safetensors") for name in "abc")
        save_file(state, a, metadata={"format": "pt"})
        subprocess.run([program, "convert", a, b], check=True)
        check_equal(load_file(b), state)
        assert data_of(a) == data_of(b)
        subprocess.run([program, "convert", "--max-shard-size", "64", a, c], check=True)
        with open(c + ".index.json") as file:
            files = set(json.load(file)["weight_map"].values())
        shards = [load_file(os.path.join(folder, name)) for name in files]
        check_equal({k: v for shard in shards for k, v in shard.items()}, state)


def changed(file):
    size = int.from_bytes(file[:8], "little")
    header, data = bytearray(file[8 : 8 + size]), file[8 + size :]
    at, kind = random.randrange(len(header)), random.random()
    if kind < 0.4:
        header[at : at + random.randint(0, 4)] = random.choice(TOKENS)
    elif kind < 0.55:
        del header[at : at + random.randint(1, 6)]
    elif kind < 0.7:
        header[at] ^= 1 << random.randrange(8)
    elif kind < 0.9:
        digit = random.choice([i for i, c in enumerate(header) if chr(c).isdigit()])
        header[digit] = random.choice(b"0123456789")
    else:
        header[at:at] = header[random.randrange(len(header)) :][: random.randint(1, 60)]
    if random.random() < 0.1:
        data = data[:-1] if random.random() < 0.5 else data + b"\0"
    size = len(header) + random.choice([0] * 40 + [-1, 1, 8])
    return size.to_bytes(8, "little") + bytes(header) + data


def is_valid(file):
    try:
        safetensors.deserialize(file)
        return True
    except safetensors.SafetensorError:
        return False


def compare_verdicts(program, seeds, reasons):
    files = [changed(random.choice(seeds)) for _ in range(250)]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{i}.safetensors") for i in range(len(files))]
        for path, file in zip(paths, files):
            with open(path, "wb") as out:
                out.write(file)
        result = subprocess.run([program, "validate", *paths], stdout=subprocess.PIPE, check=False)
    lines = result.stdout.decode(errors="replace").splitlines()
    assert len(lines) == len(files)
    for path, line, file in zip(paths, lines, files):
        accepts = line.startswith(path + ": valid")
        assert is_valid(file) or not accepts, file
        if is_valid(file) and not accepts:
            reasons[line.split("safetensors': ")[-1]] += 1
    return len(files)


def main(program, rounds=20, seed=1):
    torch.manual_seed(seed)
    random.seed(seed)
    seeds = []
    for _ in range(5):
        state = {f"n{i}": random_tensor().reshape(-1)[:3].clone() for i in range(3)}
        seeds.append(safetensors.torch.save(state, {"k": "v"}))
    files, reasons = 0, collections.Counter()
    for _ in range(rounds):
        round_trip(program)
        files += compare_verdicts(program, seeds, reasons)
    print(f"{rounds} round trips equal to the bit; {files} changed files, none accepted that the "
          f"library refuses; refused by tern alone: {dict(reasons)}")


main(sys.argv[1], *map(int, sys.argv[2:]))
