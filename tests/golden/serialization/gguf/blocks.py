"""Writes blocks.json: blocks of ggml's formats, quantised and dequantised by the Python package gguf. Run in this
folder: PYTHONPATH=../.. python3 blocks.py"""

import numpy as np
import torch
from gguf import GGMLQuantizationType as Type
from gguf import quants

import lines

FORMATS = {"Q8_0": (32, 34), "Q4_0": (32, 18), "Q4_1": (32, 20), "Q4_K": (256, 144), "Q6_K": (256, 210)}
# Byte positions of the halves in a block.
HALVES = {"Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q4_K": [0, 2], "Q6_K": [208]}


def inputs(rng):
    """Blocks of 32: ordinary ones, and the borders of rounding and of the half."""
    rows = [rng.standard_normal(32) for _ in range(3)]
    rows.append(np.zeros(32))
    rows.append(np.where(np.arange(32) % 2 == 0, 3.5, -3.5))  # two elements of the largest size
    rows.append(np.full(32, -1.25))
    rows.append(np.arange(32) / 2 - 8)  # halves: ties of rounding
    rows.append(rng.standard_normal(32) * 1e-6)  # scales that are denormal halves
    rows.append(rng.standard_normal(32) * 1e5)
    rows.append(np.where(np.arange(32) == 7, 1e7, 0))  # a scale above the largest half
    return np.stack(rows).astype(np.float32)


def random_blocks(name, count, rng):
    """Any bytes are valid blocks; the halves are kept finite."""
    blocks = rng.integers(0, 256, (count, FORMATS[name][1]), dtype=np.uint8)
    for at in HALVES[name]:
        halves = rng.standard_normal(count).astype(np.float16)
        halves[0] = np.float16(6e-8)  # the smallest denormal
        blocks[:, at:at + 2] = halves[:, None].view(np.uint8)
    return blocks


def text(blocks):
    return [row.tobytes().hex() for row in blocks]


rng = np.random.default_rng(7)
result = {"quantized": [], "dequantized": []}
for name in FORMATS:
    kind = Type[name]
    if name in ("Q8_0", "Q4_0", "Q4_1"):
        rows = inputs(rng)
        with np.errstate(over="ignore"):
            blocks = quants.quantize(rows, kind)
        result["quantized"].append(
            {"format": name, "in": lines.numbers(torch.tensor(rows)), "blocks": text(blocks)})
    blocks = random_blocks(name, 6 if FORMATS[name][0] == 32 else 3, rng)
    values = quants.dequantize(blocks, kind).astype(np.float32)
    result["dequantized"].append(
        {"format": name, "blocks": text(blocks), "out": lines.numbers(torch.tensor(values))})
lines.write("blocks.json", result)
