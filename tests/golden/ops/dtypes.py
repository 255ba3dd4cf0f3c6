"""Writes dtypes.json: promotion, can_cast and casts between all dtypes, and how tensors of them print.
Rows and columns are in the order of "dtypes"; letters name dtypes. Run in this folder:
PYTHONPATH=.. python3 dtypes.py"""

import torch

from lines import write

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


def name(dtype):
    return str(dtype)[6:]


def table(shape, other_shape):
    """The dtypes of results: the row is the dtype of the first operand, the column of the second."""
    return ["".join(LETTERS[torch.result_type(torch.ones(shape, dtype=a), torch.ones(other_shape, dtype=b))]
                    for b in DTYPES) for a in DTYPES]


def cast_inputs():
    for dtype in DTYPES:
        values = torch.tensor(VALUES, dtype=torch.float64).to(dtype)
        if not dtype.is_floating_point:
            more = torch.tensor(INTEGERS, dtype=torch.int64).to(dtype)
            values = torch.unique(torch.cat([values, more]))
        yield values


def printed():
    """What print(tensor.to(dtype)) writes, in the order of the cases in dtype_test.cpp."""
    for dtype in (torch.float16, torch.bfloat16):
        yield {"dtype": name(dtype), "texts": [str(eval("torch." + case).to(dtype)) for case in print_cases]}
    for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8):
        yield {"dtype": name(dtype), "texts": [str(eval("torch." + case).to(dtype)) for case in integer_cases]}


write("dtypes.json", {
    "dtypes": [name(dtype) for dtype in DTYPES],
    "letters": "".join(LETTERS.values()),
    "promotion": table((2,), (2,)),
    "promotion_of_0d": table((2,), ()),
    "promotion_of_numbers": ["".join(LETTERS[torch.result_type(torch.ones(2, dtype=a), n)] for n in (1.5, 2, True))
                             for a in DTYPES],
    "can_cast": ["".join("01"[torch.can_cast(a, b)] for b in DTYPES) for a in DTYPES],
    # The bits of elements: the inputs of each dtype, cast to every dtype.
    "casts": [{"from": name(values.dtype), "bits": bits(values), "to": [bits(values.to(b)) for b in DTYPES]}
              for values in cast_inputs()],
    "printed": list(printed()),
})
