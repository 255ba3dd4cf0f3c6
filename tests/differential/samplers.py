"""Arguments that fit, for ops whose arguments hang together: the record of such an op names its
"sampler", one of these functions. Other ops need none."""

import math

import torch

from basic_samplers import (
    dims_of, dim_of, index_of)
from index_samplers import (
    indices, signed_indices, slices_of, source_for, index_select, index_copy, index_fill,
    index_reduce, take, take_along_dim, index, masked_scatter, scattered, gather, scatter,
    scatter_reduce, embedding, one_hot)
from order_samplers import (
    distinct, topk, kthvalue, median, quantile, sorted_numbers, searchsorted, with_order)
from recurrent_samplers import recurrent, recurrent_cell
from reduce_samplers import (
    spread, norms, matrix_norm, renorm, diff, gradient, integral, histogram, bincount, covariance)
from layer_samplers import (
    adaptive_pool, addmm, affine_grid, attention, batch_norm, bce, classes, convolution, floating, fractional_pool,
    grid_sampler, group_norm, instance_norm, layer_norm, linear, matmul, pool, resample, rms_norm, solve, square, unpool)
from loss_samplers import (
    alignments, classes_of_margin, divergence, labels, poisson, ranks, robust, signs, triplets)
from shape_samplers import (
    split, movedim, unflatten, unfold, tensor_split, split_in_two, matrices, rot90, roll, repeat,
    tile, repeat_interleave, view_scatter, as_strided_scatter, pixels, constant_pad_nd, pad, im2col, col2im, line,
    diagonal, diag, fill_diagonal, triangle, triangle_indices, join_parts, small_parts,
    broadcast_parts, grid_parts, logspace, window, inclusive_range, rows)
from product_samplers import products
from torch_side import dtype_of


def select(g, form):
    x = g.tensor(where=lambda t: t.dim() > 0)
    if form.python == "a[b]":
        size = g.t(x).shape[0] if dims_of(g, x) else 1
        return [x, index_of(g, size)]
    d = dim_of(g, x)
    return [x, d, index_of(g, g.t(x).shape[d] if dims_of(g, x) else 1)]


def slice_(g, form):
    x = g.tensor(where=lambda t: t.dim() > 0)
    d = dim_of(g, x)
    size = g.t(x).shape[d] if dims_of(g, x) else 1
    edge = lambda: None if g.chance(0.3) else g.random.randint(-size - 1, size + 1)
    return [x, d, edge(), edge(), g.pick([1, 1, 2, 3])]


def narrow(g, form):
    x = g.tensor(where=lambda t: t.dim() > 0)
    d = dim_of(g, x)
    size = g.t(x).shape[d] if dims_of(g, x) else 1
    start = g.random.randint(0, size)
    return [x, d, start - size if g.chance(0.2) and start < size else start, g.random.randint(0, size - start)]


def view(g, form):
    x = g.tensor()
    count = g.t(x).numel()
    sizes = []
    if g.chance(0.4):
        sizes = [s for s in g.t(x).shape]
        g.random.shuffle(sizes)
    elif count == 0:
        sizes = g.pick([[0], [0, 3], [2, 0], [1, 0]])
    else:
        rest = count
        while rest > 1:
            divisor = g.pick([d for d in range(2, rest + 1) if rest % d == 0])
            sizes.append(divisor)
            rest //= divisor
    if g.chance(0.2):
        sizes.insert(g.random.randint(0, len(sizes)), 1)
    if sizes and g.chance(0.3):
        sizes[g.random.randrange(len(sizes))] = -1
    return [x, sizes]


def view_as(g, form):
    x = g.tensor()
    count = g.t(x).numel()
    return [x, g.tensor(where=lambda t: t.numel() == count, fresh=0)]


def expand(g, form):
    x = g.tensor(where=lambda t: 1 in t.shape or t.dim() < 2)
    sizes = [g.size() if s == 1 else g.pick([s, s, -1]) for s in g.t(x).shape]
    if g.chance(0.3):
        sizes = [g.size()] + sizes
    return [x, sizes]


def expand_as(g, form):
    x = g.tensor()
    return [x, g.like(x)]


def sum_to_size(g, form):
    x = g.tensor()
    sizes = [1 if g.chance(0.4) else s for s in g.t(x).shape]
    if g.chance(0.3):
        sizes = sizes[1:]
    return [x, sizes]


def permute(g, form):
    x = g.tensor()
    dims = list(range(dims_of(g, x)))
    g.random.shuffle(dims)
    return [x, [d - len(dims) if g.chance(0.2) else d for d in dims]]


def unsqueeze(g, form):
    x = g.tensor()
    return [x, dim_of(g, x, 1)]


def t_(g, form):
    return [g.tensor(where=lambda t: t.dim() <= 2)]


def as_strided(g, form):
    x = g.tensor()
    t = g.t(x)
    room = t.untyped_storage().nbytes() // t.element_size()
    sizes = [g.size() for _ in range(g.pick([0, 1, 2]))]
    strides = [g.pick([0, 1, 1, 2, 3]) for _ in sizes]
    end = 1 + sum((s - 1) * st for s, st in zip(sizes, strides))
    if end > room and not g.chance(0.05):
        return [x, list(t.shape), list(t.stride()), None]
    return [x, sizes, strides, None if g.chance(0.5) else g.random.randint(0, max(room - end, 0))]


def join(g, form):
    n = g.tensor(where=lambda t: t.dim() > 0)
    shape = list(g.t(n).shape)
    dim = dim_of(g, n, 1 if form.op == "stack" else 0)
    parts = [n]
    for _ in range(g.pick([0, 1, 1, 2])):
        other = list(shape)
        if form.op == "cat" and shape:
            other[dim] = g.size()
        if form.op == "cat" and g.chance(0.05):
            other = [0]
        parts.append(g.tensor(other, None if g.chance(0.3) else dtype_of(g.t(n))))
    g.random.shuffle(parts)
    return [parts, dim]


bucketize = searchsorted
def copy_(g, form):
    x = g.tensor()
    return [x, g.like(x)]


def fill_(g, form):
    return [g.tensor(), g.tensor([]) if form.kinds[1] == "tensor" else g.number()]


def lerp(g, form):
    x = g.tensor(dtype=floating(g))
    end = g.tensor(list(g.t(x).shape) if g.chance(0.6) else None, floating(g))
    return [x, end, g.number() if form.kinds[2] == "number" else g.like(x)]


def clamp(g, form):
    if form.kinds[1] != "tensor?":
        return None
    x = g.tensor()
    bound = lambda: None if g.chance(0.3) else g.like(x)
    return [x, bound(), bound()]


def masked_fill(g, form):
    x = g.tensor()
    return [x, g.argument("mask", x), g.number() if form.kinds[2] == "number" else g.tensor([])]


def same_shape(g, form):
    """Distances: two floating tensors of one shape."""
    x = g.tensor(dtype=floating(g), where=lambda t: t.dim() > 0)
    y = g.tensor(list(g.t(x).shape), floating(g))
    if form.op == "dist":
        return [x, y, g.pick([1, 2, 2, 3])]
    if form.op == "pairwise_distance":
        return [x, y, g.pick([1.0, 2.0, 2.0, 3.0]), g.pick([1e-6, 0.25])]
    return [x, y, dim_of(g, x)]


def one_dtype(g, form):
    """isclose and allclose."""
    x = g.tensor()
    d = dtype_of(g.t(x))
    y = g.tensor(list(g.t(x).shape), d)
    return [x, y] + [g.argument(k, x) for k in form.kinds[2:]]


def wants_grad(t):
    return t.requires_grad


def backward(g, form):
    x = g.tensor(where=lambda t: t.requires_grad and t.grad_fn is not None, fresh=0)
    t = g.t(x)
    gradient = None
    if t.numel() != 1 or g.chance(0.2):
        gradient = g.make(list(t.shape), dtype_of(t), requires_grad=g.chance(0.1))
    return [x, gradient, g.pick([None, True, True, False]), g.chance(0.15)]


def grad(g, form):
    x = g.tensor(where=lambda t: t.requires_grad and t.grad_fn is not None, fresh=0)
    t = g.t(x)
    wanted = [g.tensor(where=wants_grad, fresh=0) for _ in range(g.pick([1, 1, 2]))]
    weights = g.make(list(t.shape), dtype_of(t), requires_grad=g.chance(0.1))
    if form.op == "backward":
        return [[x], [weights], [w for w in wanted if g.t(w).is_leaf] or None]
    return [[x], wanted, [weights], g.pick([None, True, True]), g.chance(0.6), g.chance(0.6)]


def read_grad(g, form):
    return [g.tensor(where=lambda t: t.is_leaf and t.grad is not None, fresh=0)]


def retain(g, form):
    return [g.tensor(where=wants_grad)]


def set_grad(g, form):
    x = g.tensor(where=wants_grad)
    t = g.t(x)
    return [x, None if g.chance(0.4) else g.make(list(t.shape), dtype_of(t))]


def item(g, form):
    return [g.tensor(where=lambda t: t.numel() == 1)]


def new_sizes(g, form):
    x = g.tensor()
    return [x, g.shape()] + [g.argument(k, x) for k in form.kinds[2:]]


def sizes(g, form):
    return [g.shape()] + [g.argument(k, None) for k in form.kinds[1:]]


def arange(g, form):
    d = g.pick(["int64", "float32"])
    start, count = g.number(d), g.pick([0, 1, 3, 5])
    step = g.pick([1, 1, 2, -1]) if d == "int64" else g.pick([0.25, 0.5, -0.5, 1.0])
    start = start if not isinstance(start, str) and abs(start) < 100 else 0
    if len(form.kinds) == 1:
        return [abs(start)]
    return [start, start + count * step, step] + [g.dtype() for _ in form.kinds[3:]]


def linspace(g, form):
    return [g.number(), g.number(), g.pick([0, 1, 2, 5])] + [g.dtype() for _ in form.kinds[3:]]


def eye(g, form):
    return [g.size()] if len(form.kinds) == 1 else [g.size(), g.size(), g.dtype()]


def by_python(g, form):
    if form.python == "a.grad":
        return read_grad(g, form)
    if form.python.startswith("backward("):
        return backward(g, form)
    if form.op in ("grad", "backward"):
        return grad(g, form)
    return None


def bits(g, form):
    x = g.tensor(dtype=g.pick(["int64", "int64", "bool"]))
    rest = [g.like(x) if k == "tensor" else g.number(g.pick(["int64", "bool"])) for k in form.kinds[1:]]
    if form.kinds[1:] == ["tensor"] and g.chance(0.8):
        rest = [g.tensor(list(g.t(x).shape), g.pick(["int64", "bool"]))]
    return [x] + rest


def of_floating(g, form):
    """Ops of floating tensors, with numbers."""
    rest = [g.pick([0.0, 0.125, 0.25, 0.5, 1.0]) if k == "double" else g.number() for k in form.kinds[1:]]
    return [g.tensor(dtype=floating(g))] + rest


def of_numbers(g, form):
    """Ops of all dtypes but bool, with numbers."""
    return [g.tensor(where=lambda t: dtype_of(t) != "bool")] + [g.number() for _ in form.kinds[1:]]


def decimals(g, form):
    return [g.tensor(dtype=floating(g)), g.random.randint(-2, 3)]


def glu(g, form):
    x = g.tensor(dtype=floating(g), where=lambda t: any(s % 2 == 0 for s in t.shape))
    even = [d for d, s in enumerate(g.t(x).shape) if s % 2 == 0]
    return [x, g.pick(even) if even else 0]


def prelu(g, form):
    d = floating(g)
    x = g.tensor(dtype=d)
    channels = g.t(x).shape[1] if dims_of(g, x) > 1 else 1
    return [x, g.tensor([g.pick([1, channels])], d)]
