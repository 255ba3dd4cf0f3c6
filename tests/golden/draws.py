#!/usr/bin/env python3
"""Writes draws.h, the numbers that PyTorch draws on the CPU: python3 draws.py > draws.h

Needs an x86 machine with AVX2; elsewhere PyTorch itself draws other normals.
"""
import torch

NAMES = {torch.float32: "kFloat", torch.float64: "kDouble", torch.int64: "kLong", torch.bool: "kBool"}


def fnv1a(tensor):
    """64-bit FNV-1a over the bytes of a dense tensor in memory order."""
    value = 0xCBF29CE484222325
    for byte in bytes(tensor.untyped_storage()):
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def array(name, tensor):
    """A tensor as a C++ array of literals that read back to the same bits."""
    kind, form = {
        torch.float32: ("float", "{:.9g}f"),
        torch.float64: ("double", "{:.17g}"),
        torch.int64: ("std::int64_t", "{}"),
    }[tensor.dtype]
    literals = ", ".join(form.format(v) for v in tensor.tolist())
    print(f"constexpr {kind} {name}[] = {{{literals}}};")


def draw(op, dtype, count, a=0.0, b=0.0, low=0, high=0, permuted=False):
    """One row: a draw that continues where the one before it ended, and the hash of its result."""
    x = torch.empty(count, dtype=dtype)
    out = x.view(-1, 2).t() if permuted else x
    if op == "kUniform":
        out.uniform_(a, b)
    elif op == "kNormal":
        out.normal_(a, b)
    elif op == "kBernoulli":
        out.bernoulli_(a)
    elif high == low:
        out.random_(low, None)
    elif high < low:
        out.random_()
    else:
        out.random_(low, high)
    low = "-kMaxLong - 1" if low == -(2**63) else low
    high = "-kMaxLong - 1" if high == -(2**63) else high
    numbers = f"{a!r}, {b!r}, {low}, {high}"
    contiguous = "false" if permuted else "true"
    print(f"    {{RandomOp::{op}, {NAMES[dtype]}, {count}, {contiguous}, {numbers}, {fnv1a(x):#x}u}},")


def draws():
    f32, f64, i64, boolean = NAMES
    for count in [1, 3, 5, 15, 16, 17, 31, 40, 623, 1024, 1039, 5000, 100003]:
        draw("kUniform", f32, count, 0.0, 1.0)
        draw("kNormal", f32, count, 0.0, 1.0)
    draw("kUniform", f32, 1000, -0.03125, 0.1)
    draw("kUniform", f32, 1000, 1.0, 1.0 + 2**-22)  # rounding reaches the open end
    draw("kUniform", f64, 5001, 0.0, 1.0)
    draw("kUniform", f64, 1000, -1e8, 0.1)
    draw("kNormal", f32, 1001, 0.1, 2.5)
    draw("kNormal", f32, 2000, 1.5, 0.3, permuted=True)
    draw("kUniform", f32, 2000, 0.0, 1.0, permuted=True)
    for dtype in NAMES:
        for p in [0.0, 0.1, 0.5, 0.8, 1.0]:
            draw("kBernoulli", dtype, 1001, p)
        draw("kRandint", dtype, 1001, low=0, high=2)
    for dtype in [i64, f64, f32]:
        draw("kRandint", dtype, 1001, low=-5, high=7)
        draw("kRandint", dtype, 10, low=3, high=4)
        draw("kRandint", dtype, 1001, low=0, high=2**24)
    for dtype in [i64, f64]:
        draw("kRandint", dtype, 1001, low=-7, high=2**28 - 8)
        draw("kRandint", dtype, 1001, low=-7, high=2**28 - 7)
        draw("kRandint", dtype, 1001, low=-(2**40), high=2**50)
    draw("kRandint", i64, 1001, low=0, high=-(2**63))  # random_(): 63 bits
    draw("kRandint", i64, 1001, low=-(2**63), high=-(2**63))  # random_(min, None): 64 bits


print("#pragma once\n")
print(f"// Written by draws.py with PyTorch {torch.__version__.split('+')[0]}.\n")
print("#include <cstdint>\n#include <limits>\n")
print("#include <tern/core/kernels/families/random.h>\n")
print("namespace tern::golden {\n")
print("using kernels::RandomOp;")
print("constexpr std::int64_t kMaxLong = std::numeric_limits<std::int64_t>::max();\n")
print("struct Draw {")
print("  RandomOp op;\n  ScalarType dtype;\n  std::int64_t count;\n  bool contiguous;")
print("  double a, b;\n  std::int64_t low, high;")
print("  std::uint64_t hash;  // FNV-1a of the bytes\n};\n")
print("// One after the other from seed 2024.\nconstexpr Draw kDraws[] = {")
torch.manual_seed(2024)
draws()
print("};")
print(f"constexpr std::uint64_t kStateAfterDraws = {fnv1a(torch.get_rng_state()):#x}u;\n")

torch.manual_seed(-1)
print("// From seed -1: at once, after 5 uniform numbers, and after one normal number more.")
states = [fnv1a(torch.get_rng_state())]
torch.rand(5)
states.append(fnv1a(torch.get_rng_state()))
torch.randn(1)
states.append(fnv1a(torch.get_rng_state()))
print(f"constexpr std::uint64_t kStates[] = {{{', '.join(f'{s:#x}u' for s in states)}}};\n")

print("// From seed 0 each.")
for name, make in [
    ("kRand5", lambda: torch.rand(5)),
    ("kRandn5", lambda: torch.randn(5)),
    ("kRandn20", lambda: torch.randn(20)),
    ("kRandnDouble5", lambda: torch.randn(5, dtype=torch.float64)),
    ("kRandnDouble20", lambda: torch.randn(20, dtype=torch.float64)),
    ("kRandperm10", lambda: torch.randperm(10)),
]:
    torch.manual_seed(0)
    array(name, make())
torch.manual_seed(0)
print(f"constexpr std::uint64_t kRandperm1000 = {fnv1a(torch.randperm(1000)):#x}u;")
print("\n}  // namespace tern::golden")
