#!/usr/bin/env python3
"""What benchmarks/safetensors.cpp does, by Python's safetensors and torch.

Prints a line per figure like the programs: name, tab, nanoseconds. Saving is followed by an fsync,
which the library leaves out. The library maps the file; for figures of reading it into memory, the
tensors are cloned.
"""

import os
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file

from timing import report


def main():
    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
    state = {f"layer.{i}": torch.rand(2048, 2048) for i in range(32)}
    path = os.path.join(tempfile.gettempdir(), "tern-bench-peer.safetensors")

    def save():
        save_file(state, path)
        with open(path, "rb") as file:
            os.fsync(file.fileno())

    def touch():
        for tensor in load_file(path).values():
            tensor.view(torch.uint8).view(-1)[::4096].sum()

    report("512 MB as safetensors, saved", save)
    report("512 MB as safetensors, mapped", lambda: load_file(path))
    report("512 MB as safetensors, mapped and touched", touch)
    report("512 MB as safetensors, read", lambda: [tensor.clone() for tensor in load_file(path).values()])
    os.remove(path)


main()
