#!/usr/bin/env python3
"""Writes draws.json, the numbers that PyTorch draws on the CPU. Run in this folder: PYTHONPATH=.. python3 draws.py

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
    elif op == "exponential":
        out.exponential_(a)
    elif op == "cauchy":
        out.cauchy_(a, b)
    elif op == "log_normal":
        out.log_normal_(a, b)
    elif op == "geometric":
        out.geometric_(a)
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
    for dtype in [f32, torch.float16, torch.bfloat16]:
        yield draw("exponential", dtype, 1001, 1.7)
        yield draw("cauchy", dtype, 1001, 0.3, 1.7)
        yield draw("log_normal", dtype, 1001, 0.3, 1.7)
        yield draw("log_normal", dtype, 16, 1.0, 2.0, permuted=True)
    for dtype in [f32, i64, torch.float16, torch.int32, torch.int8, torch.uint8]:
        yield draw("geometric", dtype, 1001, 0.25)


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


F = torch.nn.functional
f32, f64, f16, bf16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
i64, i32, i8, u8 = torch.int64, torch.int32, torch.int8, torch.uint8


def ramp(*sizes, dtype=f32):
    """The numbers 1, 2, .. as tests/ops/create/random_test.cpp makes them."""
    count = 1
    for size in sizes:
        count *= size
    return (torch.arange(count) + 1).to(dtype).reshape(sizes)


def into(tensor, draw):
    draw(tensor)
    return tensor


LEAST = -(2**63)
# What tests/ops/create/random_test.cpp draws after manual_seed(0), by the name of the call there.
SAMPLED = {
    "exponential_, transposed": lambda: into(torch.empty(3, 4).t(), lambda x: x.exponential_(2)),
    "cauchy_, double": lambda: torch.empty(4, dtype=f64).cauchy_(0.5, 2),
    "geometric_, strided": lambda: torch.empty(4, 6)[:, ::2].geometric_(0.3),
    "log_normal_, int sizes": lambda: torch.empty(20).log_normal_(),
    "bernoulli p": lambda: torch.bernoulli(torch.empty(10, dtype=i64), 0.3),
    "bernoulli_ tensor": lambda: torch.empty(4, 3).bernoulli_(ramp(3) / 4),
    "bernoulli_ tensor, transposed": lambda: torch.empty(3, 4).t().bernoulli_(ramp(4, 3) / 13),
    "bernoulli_ tensor, double": lambda: torch.empty(5, dtype=i64).bernoulli_(ramp(5, dtype=f64) / 6),
    "bernoulli tensor, transposed": lambda: torch.bernoulli((ramp(3, 4) / 13).t()),
    "normal mean": lambda: torch.normal(ramp(5), 0.3),
    "normal mean, 20": lambda: torch.normal(ramp(20), 0.3),
    "normal std": lambda: torch.normal(0.1, ramp(5)),
    "normal both": lambda: torch.normal(ramp(4, 1), ramp(5)),
    "normal half": lambda: torch.normal(ramp(17, dtype=f16), ramp(17)),
    "normal double std": lambda: torch.normal(ramp(3), ramp(3, dtype=f64) / 3),
    "normal transposed": lambda: torch.normal(ramp(4, 5).t(), 2.0),
    "normal sizes": lambda: torch.normal(1.0, 2.0, (2, 3)),
    "multinomial 1": lambda: torch.multinomial(ramp(5), 1),
    "multinomial 3": lambda: torch.multinomial(ramp(5), 3),
    "multinomial rows": lambda: torch.multinomial(ramp(4, 6), 6),
    "multinomial rows, transposed": lambda: torch.multinomial(ramp(6, 4).t(), 6),
    "multinomial replaced": lambda: torch.multinomial(ramp(4, 6), 9, True),
    "multinomial replaced, half": lambda: torch.multinomial(ramp(100, dtype=f16), 30, True),
    "multinomial half": lambda: torch.multinomial(ramp(100, dtype=f16), 30),
    "multinomial bfloat16": lambda: torch.multinomial(ramp(100, dtype=bf16), 100),
    "multinomial few of many": lambda: torch.multinomial(ramp(1000), 10),
    "multinomial with zeros": lambda: torch.multinomial(torch.tensor([0.0, 1, 0, 2]), 2),
    "multinomial double": lambda: torch.multinomial(ramp(50, dtype=f64), 20, True),
    "poisson": lambda: torch.poisson(ramp(4, 8)),
    "poisson large": lambda: torch.poisson(ramp(20) * 100),
    "poisson half": lambda: torch.poisson(ramp(20, dtype=f16)),
    "poisson transposed": lambda: torch.poisson(ramp(4, 3, dtype=f64).t()),
    "binomial": lambda: torch.binomial(ramp(30) * 3, torch.tensor(0.4)),
    "binomial, p": lambda: torch.binomial(torch.tensor(50.0), ramp(30) / 31),
    "binomial double": lambda: torch.binomial(ramp(3, 1, dtype=f64) * 20, ramp(5, dtype=f64) / 6),
    "random_ float": lambda: torch.empty(5).random_(0, 2**31),
    "random_ float, odd": lambda: torch.empty(5).random_(-(2**31) - 1, 7),
    "random_ bfloat16": lambda: torch.empty(5, dtype=bf16).random_(-200, 300),
    "random_ half": lambda: torch.empty(5, dtype=f16).random_(-3000, 65504),
    "random_ from": lambda: torch.empty(5, dtype=i64).random_(-5, None),
    "random_ from, float": lambda: torch.empty(5).random_(200, None),
    "random_ from, int8": lambda: torch.empty(5, dtype=i8).random_(-5, None),
    "random_ from, int32": lambda: torch.empty(5, dtype=i32).random_(200, None),
    "random_ all": lambda: torch.empty(5, dtype=i64).random_(LEAST, None),
    "random_ all, double": lambda: torch.empty(5, dtype=f64).random_(LEAST, None),
    "randint": lambda: torch.randint(7, (3, 2), dtype=u8),
    "randperm int8": lambda: torch.randperm(9, dtype=i8),
    "rrelu": lambda: torch.rrelu(ramp(3, 4) - 6, 0.1, 0.4, True),
    "rrelu transposed, double": lambda: torch.rrelu((ramp(3, 4, dtype=f64) - 6).t(), 0.1, 0.4, True),
    "rrelu evaluated": lambda: torch.rrelu(ramp(5) - 3, 0.1, 0.4, False),
    "dropout": lambda: torch.dropout(ramp(10), 0.3, True),
    "alpha_dropout": lambda: torch.alpha_dropout(ramp(10), 0.3, True),
    "feature_dropout": lambda: torch.feature_dropout(ramp(3, 4, 2), 0.3, True),
    "feature_alpha_dropout": lambda: torch.feature_alpha_dropout(ramp(3, 4, 2), 0.3, True),
    "dropout1d": lambda: F.dropout1d(ramp(4, 3), 0.3),
    "dropout2d": lambda: F.dropout2d(ramp(4, 3, 2), 0.3),
    "dropout3d": lambda: F.dropout3d(ramp(4, 3, 2, 1), 0.3),
    "gumbel_softmax": lambda: F.gumbel_softmax(ramp(3, 4), 0.7),
    "gumbel_softmax hard": lambda: F.gumbel_softmax(ramp(3, 4).t(), 0.7, True, dim=0),
}

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
    "sampled": {name: entry(seeded(make)) for name, make in SAMPLED.items()},
    "randperm_1000": fnv1a(seeded(lambda: torch.randperm(1000))),
})
