"""Writes torch_entries_*.pt and .pth: a checkpoint with what stands beside weights, as each protocol
of pickle and the older form of files write it. Run with PyTorch 2.x in this folder:
python3 torch_entries.py"""

import argparse
import collections
import enum
import pathlib
import warnings

import numpy as np
import torch
from torch import nn

warnings.simplefilter("ignore")  # sparse and quantized tensors


class Mine(torch.Tensor):
    pass


class Color(enum.Enum):
    RED = 1


class Words(list):
    pass


def with_note(thing):
    thing.note = "dropped"
    return thing


ones = torch.ones(2)
args = argparse.Namespace(lr=0.1, betas=(0.9, 0.99), weight=torch.full((3,), 9.0))
args.myself = (args, [args])  # a cycle
complex_ones = torch.ones(2, dtype=torch.complex64)
held = {
    "weight": torch.arange(3.0),
    "device": torch.device("cuda", 1),
    "cpu": torch.device("cpu"),
    "dtype": torch.float8_e5m2,
    "set": {7},
    "no set": set(),
    "frozen": frozenset([8]),
    "bytes": b"a\xff\0",
    "a": b"a",  # one string of Python for the key and the bytes
    "no bytes": b"",
    "bytearray": bytearray(b"b\x80"),
    "noted": with_note(torch.ones(2)),
    "mine": torch.ones(2).as_subclass(Mine),
    "parameter": with_note(nn.Parameter(torch.ones(2))),
    "buffer": nn.Buffer(torch.ones(2)),
    "meta": torch.empty(2, 3, dtype=torch.float64, device="meta").t(),
    "ordered": with_note(collections.OrderedDict(x=1)),
    "default": collections.defaultdict(list, {"x": [1]}),
    "counts": collections.Counter("aab"),
    "large": 2**63 - 1,
}
left_out = {
    "seed": 2**63,
    "huge": -(2**4000),
    "complex": 1 + 2j,
    "keys": {(0, 1): 1, "kept": 2, 2.5: 3, None: 4, 2**70: 5, b"b": 6, 1: 7, "1": 8},
    "list": [1, 2j, 3],
    "sparse": torch.eye(2).to_sparse(),
    "rows": torch.eye(2).to_sparse_csr(),
    "uint16": torch.tensor([1, 2], dtype=torch.uint16),
    "complex64": complex_ones,
    "complex128": torch.ones(2, dtype=torch.complex128),
    "conj": complex_ones.conj(),
    "neg": complex_ones.clone().conj().imag,
    "float8": torch.ones(2).to(torch.float8_e4m3fn),
    "quantized": torch.quantize_per_tensor(ones, 0.1, 0, torch.quint8),
    "meta": torch.empty(2, dtype=torch.complex64, device="meta"),
    "uninitialized": nn.UninitializedParameter(),
    "storage": torch.full((5,), 3.0).untyped_storage(),
    "number": np.float64(1.5),
    "array": np.ones(2),
    "args": args,
    "color": Color.RED,
    "words": Words(["a"]),
    "path": pathlib.PurePosixPath("a/b"),
    "class": nn.Linear,
    "layout": torch.strided,
    "slice": slice(1, 2),
}
state = {**held, "left": left_out, "last": torch.arange(4.0)}
for protocol in range(2, 6):
    torch.save(state, f"torch_entries_{protocol}.pt", pickle_protocol=protocol)
for protocol in (2, 4):
    torch.save(state, f"torch_entries_{protocol}.pth", pickle_protocol=protocol,
               _use_new_zipfile_serialization=False)
torch.serialization.set_crc32_options(False)  # changed copies must not end at a checksum
torch.save(state, "../../../fuzz/corpus/pt/entries_no_crc.pt")
