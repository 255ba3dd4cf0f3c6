"""Prints the promotion table of tests/core/tensor/promotion_test.cpp.

Rows: dtype of a dimensioned tensor, columns: the other operand; f d l b = float32 float64 int64 bool.
"""
import torch

letters = {torch.float32: "f", torch.float64: "d", torch.int64: "l", torch.bool: "b"}
for title, sizes in (("equal", ((2,), (2,))), ("0-d", ((2,), ())), ("both 0-d", ((), ()))):
    print(title, ["".join(letters[torch.result_type(torch.ones(sizes[0], dtype=a),
                                                    torch.ones(sizes[1], dtype=b))]
                          for b in letters) for a in letters])
for title, shape in (("number", (2,)), ("number with 0-d", ())):
    print(title, ["".join(letters[torch.result_type(torch.ones(shape, dtype=a), n)]
                          for n in (1.5, 2, True)) for a in letters])
