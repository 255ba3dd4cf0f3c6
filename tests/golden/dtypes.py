"""Writes dtypes.h: promotion, can_cast and casts between all dtypes, and how tensors of them print.
Run with PyTorch 2.x in this folder: python3 dtypes.py"""

import torch

NAMES = ["Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double"]
DTYPES = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
          torch.float16, torch.bfloat16, torch.float32, torch.float64]
LETTERS = dict(zip(DTYPES, "bBcsilhHfd"))

VALUES = [0., -0., 1., -1., .5, 1.5, 2.5, -2.5, .1, -1 / 3, 127., 128.7, 255., 300.7, -129.5,
          32768., -32769., 2049., 2051., 65504., 65519.9, 65520., -65536.5, 2.**24 + 1, 2.**31 - 1,
          -2.**31 - .5, 2.**31, 3000000001., -3000000001., 2.**32 + 1, 2.**40 + 2.**31 + 1,
          2.**63, -2.**63, 1e20, 3.3e38, 3.4e38, -1e39, 1e300, 6.1e-5, 1e-7, 2.9e-8, 2.**-25,
          1.0001 * 2.**-25, 1e-40, 1e-300, 1 + 2.**-11, 1 + 3 * 2.**-11, 1 + 2.**-8, 1 + 3 * 2.**-8,
          1 + 2.**-11 + 2.**-40, float("inf"), -float("inf"), float("nan")]
INTEGERS = [2**53 + 1, 2**62 + 2**38 + 1, -2**63, 2**63 - 1, 2**24 + 1, 2**25 + 3]

print_cases = [
    "tensor([0.1, -2.5, 3.0])", "tensor([1.0, 2.0])", "tensor([1e-4, 6e4])",
    "tensor([float('nan'), float('inf'), 1.0])", "tensor(2.5)", "tensor([])", "zeros(2, 0)",
]
integer_cases = ["tensor([1, 20, 100])", "tensor([[1], [0]])", "tensor(7)", "tensor([])"]


def bits(t):
    """The elements as hexadecimal numbers; n for NaN."""
    kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[t.element_size()]
    raw = t.view(kind).numpy().view(f"u{t.element_size()}").tolist()
    return " ".join("n" if t.is_floating_point() and torch.isnan(t[i]) else f"{raw[i]:x}"
                    for i in range(len(raw)))


def text(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def wrapped(s):
    lines = [s[i:i + 90] for i in range(0, len(s), 90)]
    return "\n     ".join('"' + line + '"' for line in lines)


with open("dtypes.h", "w") as out:
    w = lambda *parts: print(*parts, file=out)
    w("#pragma once\n\n// Written by dtypes.py. Rows and columns: kDtypes; letters name dtypes.\n")
    w("namespace tern::golden {\n\n// clang-format off")
    w("constexpr ScalarType kDtypes[] = {" + ", ".join("k" + n for n in NAMES) + "};")
    w("constexpr char kLetters[] = " + text("".join(LETTERS.values())) + ";\n")
    for name, shapes in (("kPromotion", ((2,), (2,))), ("kPromotionOf0d", ((2,), ()))):
        rows = ["".join(LETTERS[torch.result_type(torch.ones(shapes[0], dtype=a),
                                                  torch.ones(shapes[1], dtype=b))]
                        for b in DTYPES) for a in DTYPES]
        w(f"constexpr const char* {name}[] = {{" + ", ".join(map(text, rows)) + "};")
    rows = ["".join(LETTERS[torch.result_type(torch.ones(2, dtype=a), n)] for n in (1.5, 2, True))
            for a in DTYPES]
    w("// With 1.5, 2 and true.")
    w("constexpr const char* kPromotionOfNumbers[] = {" + ", ".join(map(text, rows)) + "};")
    rows = ["".join("01"[torch.can_cast(a, b)] for b in DTYPES) for a in DTYPES]
    w("constexpr const char* kCanCast[] = {" + ", ".join(map(text, rows)) + "};\n")

    w("// The bits of elements: kCastInputs[from] cast to every dtype.")
    inputs = []
    for dtype in DTYPES:
        values = torch.tensor(VALUES, dtype=torch.float64).to(dtype)
        if not dtype.is_floating_point:
            more = torch.tensor(INTEGERS, dtype=torch.int64).to(dtype)
            values = torch.unique(torch.cat([values, more]))
        inputs.append(values)
    w("constexpr const char* kCastInputs[] = {")
    for values in inputs:
        w("    " + wrapped(bits(values)) + ",")
    w("};")
    w("constexpr const char* kCasts[][10] = {")
    for values in inputs:
        w("    {" + ",\n     ".join(wrapped(bits(values.to(b))) for b in DTYPES) + "},")
    w("};\n")

    w("// What print(tensor.to(dtype)) writes, in the order of the cases in dtype_test.cpp.")
    w("constexpr const char* kPrinted[] = {")
    for dtype in (torch.float16, torch.bfloat16):
        for case in print_cases:
            w("    " + text(str(eval("torch." + case).to(dtype))) + ",")
    for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8):
        for case in integer_cases:
            w("    " + text(str(eval("torch." + case).to(dtype))) + ",")
    w("};\n// clang-format on\n\n}  // namespace tern::golden")
