"""Writes print.json: how Python prints tensors, by the C++ expression of each tensor. The expressions
are C++ and Python at once, but for the words that `cpp` replaces. Run in this folder: PYTHONPATH=.. python3 print.py
"""
import re

import torch
from torch import (arange, empty, eye, full, inf, linspace, nan, ones, tensor, zeros)

from lines import write

torch.set_printoptions(profile="default")
f64, i64, b = torch.float64, torch.int64, torch.bool
CASES = """
tensor([1., 2., 3.])
tensor([1.5, -2.25, 1000.])
tensor([0.0001, 1.])
tensor([0.00001, 1.])
tensor([0.001, 1.])
tensor([1000., 0.5])
tensor([1001., 1.])
tensor([1e8, 1.])
tensor([100000000., 200000000.])
tensor([123456789., 1.])
tensor([1e-10, 1e10])
tensor([nan, 1., -2.])
tensor([inf, -inf, nan])
tensor([inf, 0.5])
tensor([0., 0.])
tensor([-0., 0.])
tensor([nan, nan])
tensor([0., nan, 1e-5])
tensor(3.)
tensor(3.14159)
tensor(1e-7)
tensor(nan)
tensor(7)
tensor(True)
tensor([True, False])
tensor([1, -20, 300])
tensor([9223372036854775807, -1])
tensor([1.5, 2.5], dtype=f64)
tensor([1, 0], dtype=f64)
tensor(1.5, dtype=f64)
tensor([0.1, 0.2]) / 3
tensor([[1., 2.], [3., 4.]])
tensor([[1.5, -2.], [300., 4.]])
ones([2, 3, 2])
ones([2, 2, 2, 2])
arange(24).reshape([2, 3, 4])
eye(3)
linspace(0, 1, 30)
arange(100)
arange(1001)
arange(2000).reshape([40, 50])
arange(1200.).reshape([2, 6, 100])
linspace(-1, 1, 2000) * 1000
full([1001], 2.5)
full([2, 600], 0.001)
ones([7, 200])
empty([0])
empty([0, 3])
empty([2, 0, 3])
empty([0], dtype=f64)
empty([0], dtype=i64)
empty([0, 2], dtype=b)
zeros([2]).to("meta")
zeros([2, 3], dtype=i64).to("meta")
ones([2]).requires_grad_()
ones([2], dtype=f64).requires_grad_()
ones([2]).requires_grad_().exp()
ones([2, 2]).requires_grad_().sum()
ones([2, 2]).requires_grad_().mm(ones([2, 2]))
(ones([2]).requires_grad_()).relu()
ones([2, 2]).requires_grad_().t()
ones([4], dtype=f64).requires_grad_().exp().sigmoid()
(ones([11]).requires_grad_() * ones([11])).tanh()
full([10], 1.).requires_grad_()
full([14], 1.).requires_grad_()
full([9], 0.5, dtype=f64).requires_grad_()
ones([2]).requires_grad_().mean()
ones([2, 2]).requires_grad_()[0]
ones([2, 2]).requires_grad_().view([4])
ones([2, 2]).requires_grad_().log_softmax(0)
""".strip().splitlines()


def cpp(text):
    text = re.sub(r"\bTrue\b", "true", text)
    text = re.sub(r"\bFalse\b", "false", text)
    text = text.replace("dtype=f64", "kDouble").replace("dtype=i64", "kLong")
    text = text.replace("dtype=b", "kBool").replace("nan", "NAN").replace("inf", "INFINITY")
    return re.sub(r"\[([\d., A-Za-z()-]*)\](?=[,)])|\[(\[.*\])\](?=[,)])",
                  lambda m: "{" + (m[1] if m[1] is not None else m[2].replace("[", "{").replace("]", "}")) + "}",
                  text)


write("print.json", {"printed": [[cpp(case), repr(eval(case))] for case in CASES]})
