"""Writes print_random.json: how Python prints random tensors with random options. Each case says how
tests/ops/common/print_random_test.cpp makes the tensor, with random numbers that both draw alike. Long texts are
stored as their FNV-1a. Run in this folder: PYTHONPATH=.. python3 print_random.py [FILE COUNT SEED]
"""
import random
import sys

import torch

from lines import write

FLOATS = torch.float32, torch.float64, torch.float16, torch.bfloat16
INTEGERS = torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool
POWERS = [1e-10, 1e-5, 1e-4, 0.01, 1.0, 10.0, 100.0, 1e4, 1e8]
LONG = 120


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return f"#{value:016x}"


def make(seed, dtype, sizes, kind, scale):
    """kind: a set of letters; w whole numbers, m mixed magnitudes, s special values, g requires grad, c a
    tensor with history."""
    torch.manual_seed(seed)
    count = 1
    for size in sizes:
        count *= size
    if not dtype.is_floating_point:
        low = 0 if dtype in (torch.uint8, torch.bool) else -scale
        return torch.randint(int(low), int(scale) + 1, (count,)).to(dtype).reshape(sizes)
    x = (torch.rand(count, dtype=torch.float64) * 2 - 1) * scale
    if "m" in kind:
        x = x * torch.tensor(POWERS, dtype=torch.float64)[torch.randint(0, len(POWERS), (count,))]
    if "w" in kind:
        x = x.round()
    if "s" in kind:
        place = torch.randint(0, 12, (count,))
        for index, value in enumerate([float("nan"), float("inf"), -float("inf"), -0.0, 0.0]):
            x = x.masked_fill(place == index, value)
    x = x.to(dtype).reshape(sizes)
    if "g" in kind or "c" in kind:
        x = x.requires_grad_()
    return x.clone() if "c" in kind else x


def case(draw):
    dtype = draw.choice(FLOATS * 2 + INTEGERS)
    dims = draw.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4])
    most = draw.choice([3, 8, 12, 40]) if dims > 2 else draw.choice([4, 10, 30, 70])
    if dims == 1 and draw.random() < 0.2:
        most = 3000
    sizes = [draw.randint(1, most) for _ in range(dims)]
    if dims and draw.random() < 0.06:
        sizes[draw.randrange(dims)] = 0
    while dims and torch.Size(sizes).numel() > 20000:
        sizes = [max(1, size // 2) for size in sizes]
    kind, scale = "", 1.0
    if dtype.is_floating_point:
        kind = "".join(letter for letter in "wmsgc" if draw.random() < 0.22)
        scale = draw.choice([1e-6, 1e-3, 0.5, 1.0, 10.0, 999.0, 2000.0, 3e4, 2e8, 1e30])
    else:
        scale = 1 if dtype == torch.bool else draw.choice([1, 9, 100])
        if dtype in (torch.int64, torch.int32, torch.int16):
            scale = draw.choice([1, 30, 30000])
        if dtype == torch.int64:
            scale = draw.choice([scale, 2**31, 2**60])
    plain = draw.random() < 0.4
    options = {
        "precision": draw.choice([4, 4, 2, 0, 7]),
        "threshold": draw.choice([1000, 1000, 5, 100, 10**6 if torch.Size(sizes).numel() < 2000 else 200]),
        "edgeitems": draw.choice([3, 3, 1, 2, 5, 0]),
        "linewidth": draw.choice([80, 80, 40, 120, 10]),
        "sci_mode": draw.choice([None, None, None, True, False]),
    }
    if plain:
        options = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
    seed = draw.randrange(2**31)
    torch.set_printoptions(**options)
    text = repr(make(seed, dtype, sizes, kind, scale))
    return [seed, str(dtype)[6:], sizes, kind, scale, list(options.values()),
            text if len(text) <= LONG else fnv1a(text)]


path, count, seed = sys.argv[1:4] if len(sys.argv) > 3 else ("print_random.json", 500, 58000000)
draw = random.Random(int(seed))
write(path, {"printed": [case(draw) for _ in range(int(count))]})
