#!/usr/bin/env python3
"""Writes draws.json, the numbers that PyTorch draws on the CPU. Run in this folder: python3 draws.py

Needs an x86 machine with AVX2; elsewhere PyTorch itself draws other normals. Hashes are FNV-1a of bytes.
"""
import torch

from lines import entry, write

DTYPES = torch.float32, torch.float64, torch.int64, torch.bool


def fnv1a(tensor):
    """64-bit FNV-1a over the bytes of a dense tensor in memory order."""
    value = 0xCBF29CE484222325
    for byte in bytes(tensor.untyped_storage()):
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return f"{value:016x}"


def draw(op, dtype, count, a=0.0, b=0.0, low=0, high=0, permuted=False):
    """A draw that continues where the one before it ended, and the hash of its result."""
    x = torch.empty(count, dtype=dtype)
    out = x.view(-1, 2).t() if permuted else x
    if op == "uniform":
        out.uniform_(a, b)
    elif op == "normal":
        out.normal_(a, b)
    elif op == "bernoulli":
        out.bernoulli_(a)
    elif a == 1:  # all numbers of the dtype, from one word each
        out.random_()
    elif high == low:
        out.random_(low, None)
    elif high < low:
        out.random_()
    else:
        out.random_(low, high)
    return {"op": op, "dtype": str(dtype)[6:], "count": count, "contiguous": not permuted,
            "a": a, "b": b, "low": low, "high": high, "hash": fnv1a(x)}


def draws():
    f32, f64, i64, boolean = DTYPES
    for count in [1, 3, 5, 15, 16, 17, 31, 40, 623, 1024, 1039, 5000, 100003]:
        yield draw("uniform", f32, count, 0.0, 1.0)
        yield draw("normal", f32, count, 0.0, 1.0)
    yield draw("uniform", f32, 1000, -0.03125, 0.1)
    yield draw("uniform", f32, 1000, 1.0, 1.0 + 2**-22)  # rounding reaches the open end
    yield draw("uniform", f64, 5001, 0.0, 1.0)
    yield draw("uniform", f64, 1000, -1e8, 0.1)
    yield draw("normal", f32, 1001, 0.1, 2.5)
    yield draw("normal", f32, 2000, 1.5, 0.3, permuted=True)
    yield draw("uniform", f32, 2000, 0.0, 1.0, permuted=True)
    for dtype in DTYPES:
        for p in [0.0, 0.1, 0.5, 0.8, 1.0]:
            yield draw("bernoulli", dtype, 1001, p)
        yield draw("randint", dtype, 1001, low=0, high=2)
    for dtype in [i64, f64, f32]:
        yield draw("randint", dtype, 1001, low=-5, high=7)
        yield draw("randint", dtype, 10, low=3, high=4)
        yield draw("randint", dtype, 1001, low=0, high=2**24)
    for dtype in [i64, f64]:
        yield draw("randint", dtype, 1001, low=-7, high=2**28 - 8)
        yield draw("randint", dtype, 1001, low=-7, high=2**28 - 7)
        yield draw("randint", dtype, 1001, low=-(2**40), high=2**50)
    yield draw("randint", i64, 1001, low=0, high=-(2**63))  # random_(): 63 bits
    yield draw("randint", i64, 1001, low=-(2**63), high=-(2**63))  # random_(min, None): 64 bits
    for dtype, digits in [(torch.float16, 11), (torch.bfloat16, 8)]:
        for count in [5, 16, 19, 31, 5000]:
            yield draw("uniform", dtype, count, 0.0, 1.0)  # rounding reaches the open end
            yield draw("normal", dtype, count, 0.1, 2.5)
        yield draw("normal", dtype, 2000, 1.5, 0.3, permuted=True)
        yield draw("bernoulli", dtype, 1001, 0.3)
        yield draw("randint", dtype, 1001, low=-5, high=7)
        yield draw("randint", dtype, 1001, a=1.0, low=0, high=2**digits + 1)
    for dtype in [torch.int32, torch.int16, torch.int8, torch.uint8]:
        yield draw("randint", dtype, 1001, low=0, high=100)
        yield draw("randint", dtype, 1001, a=1.0, low=0, high=torch.iinfo(dtype).max + 1)
        yield draw("bernoulli", dtype, 1001, 0.3)
    yield draw("randint", torch.int32, 1001, low=0, high=2**30)  # two words each


def states():
    """The state after seed -1, after 5 uniform numbers, and after one normal number more."""
    torch.manual_seed(-1)
    yield fnv1a(torch.get_rng_state())
    torch.rand(5)
    yield fnv1a(torch.get_rng_state())
    torch.randn(1)
    yield fnv1a(torch.get_rng_state())


def seeded(make):
    torch.manual_seed(0)
    return make()


torch.manual_seed(2024)
write("draws.json", {
    "draws": list(draws()),
    "state_after_draws": fnv1a(torch.get_rng_state()),
    "states": list(states()),
    "rand_5": entry(seeded(lambda: torch.rand(5))),
    "randn_5": entry(seeded(lambda: torch.randn(5))),
    "randn_20": entry(seeded(lambda: torch.randn(20))),
    "randn_double_5": entry(seeded(lambda: torch.randn(5, dtype=torch.float64))),
    "randn_double_20": entry(seeded(lambda: torch.randn(20, dtype=torch.float64))),
    "randperm_10": entry(seeded(lambda: torch.randperm(10))),
    "randperm_1000": fnv1a(seeded(lambda: torch.randperm(1000))),
})
