"""Arguments that fit, for ops that sort and search."""

import math

import torch

from basic_samplers import dim_of, dims_of
from layer_samplers import floating
from torch_side import dtype_of


def distinct(g, dtype=None):
    """A tensor without equal elements, of which topk, kthvalue and median may choose any."""
    def fits(t):
        return t.detach().unique().numel() == t.numel() and t.detach().isnan().sum() <= 1
    n = g.tensor(dtype=dtype, where=fits)
    if fits(g.t(n)):
        return n
    t = g.t(n)
    numbers = g.random.sample(range(0, 100), t.numel()) if t.numel() < 100 else None
    return g.make(list(t.shape), dtype_of(t), numbers)


def topk(g, form):
    x = distinct(g)
    d = dim_of(g, x)
    size = g.t(x).shape[d] if dims_of(g, x) else 1
    k = g.random.randint(0, size) if g.chance(0.95) else size + 1
    return [x, k, d, g.chance(0.5)]


def kthvalue(g, form):
    x, k, d, keepdim = topk(g, form)
    return [x, max(k, 1), d, keepdim]


def median(g, form):
    x = distinct(g)
    return [x] + [g.argument(k, x) for k in form.kinds[1:]]


def quantile(g, form):
    d = g.pick(["float32", "float64"])
    x = g.tensor(dtype=d)
    q = g.random.randint(0, 16) / 16
    if form.kinds[1] == "tensor":
        count = g.pick([1, 2, 3])
        values = [g.random.randint(0, 16) / 16 for _ in range(count)]
        q = g.make([count], d, values, False) if g.chance(0.7) else g.make([], d, values[:1], False)
    rest = [g.argument(k, x) for k in form.kinds[2:4]]
    how = [g.pick(["linear", "lower", "higher", "midpoint", "nearest"]) for _ in form.kinds[4:]]
    return [x, q] + rest + how


def sorted_numbers(g, dtype, shape):
    size = shape[-1] if shape else 1
    values = []
    for _ in range(math.prod(shape) // size if size else 0):
        values += sorted(g.random.randint(0, 8) / (1 if "int" in dtype else 4) for _ in range(size))
    return g.make(shape, dtype, [int(v) for v in values] if "int" in dtype else values, False)


def searchsorted(g, form):
    x = g.tensor(where=lambda t: t.dtype != torch.bool)
    d = dtype_of(g.t(x))
    if d == "bool":
        x = g.tensor(dtype="int64")
        d = "int64"
    shape = [g.pick([0, 1, 2, 3, 5])]
    if form.op == "searchsorted" and dims_of(g, x) > 1 and g.chance(0.5):
        shape = list(g.t(x).shape[:-1]) + shape
    sequence = sorted_numbers(g, g.pick([d, d, "float64"]), shape)
    flags = [g.chance(0.5) for _ in form.kinds[2:]]
    return ([x, sequence] if form.op == "bucketize" else [sequence, x]) + flags


def with_order(g, form):
    """polygamma and mvlgamma: a small number that both accept."""
    return [g.tensor(dtype=floating(g)), g.random.randint(1, 3)]
