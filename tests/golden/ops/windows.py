"""Writes windows.json: the windows for signals and range(), with the arguments of each call. Run in this folder:
PYTHONPATH=.. python3 windows.py"""

import warnings

import torch

from lines import entry, write

warnings.simplefilter("ignore")  # range() is deprecated
WINDOWS = {"hann": [""], "hamming": ["", ", 0.3", ", 0.3, 0.9"], "blackman": [""], "bartlett": [""], "kaiser": ["", ", 3.5"]}
LENGTHS = 0, 1, 2, 7, 100
RANGES = [
    ([0, 3, 1], "float32"), ([3, 0, -1], "float32"), ([0.5, 3.2, 0.5], "float32"), ([1, 1, 1], "float32"),
    ([0, 1, 0.1], "float32"), ([-1.9, 3.7, 1], "int64"), ([0.5, 3.7, 1], "int32"),
    ([2**53 + 1, 2**53 + 4, 1], "int64"), ([0, 3.9, 1], "float64"), ([0, 3, 0.25], "float16"),
    ([-2, 3, 1.5], "bfloat16"), ([0, 250, 50], "uint8"), ([3, -3, -2], "int8")]


def cases():
    for name, numbers in WINDOWS.items():
        for length in LENGTHS:
            for periodic in True, False:
                for more in numbers:
                    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16)[: 4 if length == 7 else 2]:
                        arguments = [length, periodic, *map(float, more.split(",")[1:])]
                        result = getattr(torch, name + "_window")(*arguments, dtype=dtype)
                        yield {"window": name, "arguments": arguments, "result": entry(result)}


write("windows.json", {
    "windows": list(cases()),
    "ranges": [{"numbers": numbers, "result": entry(torch.range(*numbers, dtype=getattr(torch, dtype)))}
               for numbers, dtype in RANGES]})
