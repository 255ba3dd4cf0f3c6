"""Arguments that fit, for ops with indices."""

import math

from basic_samplers import dim_of, dims_of
from torch_side import dtype_of


def indices(g, shape, size):
    count = math.prod(shape)
    low = 0 if g.chance(0.97) else -1
    return g.make(shape, "int64", [g.random.randint(low, max(size - 1, 0)) for _ in range(count)], False)


def signed_indices(g, shape, size):
    """Indices for ops that count negative ones from the end."""
    low = -size if g.chance(0.97) else -size - 1
    return g.make(shape, "int64", [g.random.randint(low, max(size - 1, low)) for _ in range(math.prod(shape))], False)


def slices_of(g, x, draw=indices):
    """A dimension of x and a 1-d index into it."""
    d = dim_of(g, x)
    size = g.t(x).shape[d] if dims_of(g, x) else 1
    count = g.size() if dims_of(g, x) else 1
    return d, draw(g, [count] if g.chance(0.9) else [], size)


def source_for(g, x, d, index):
    shape = list(g.t(x).shape)
    if shape:
        shape[d] = g.t(index).numel()
    return g.tensor(shape, dtype_of(g.t(x)))


def index_select(g, form):
    x = g.tensor()
    d, index = slices_of(g, x)
    if form.op == "index_select":
        return [x, d, index]
    return [x, d, index, source_for(g, x, d, index)] + [g.pick([1, 2, -1]) for _ in form.kinds[4:]]


def index_copy(g, form):
    """Without equal indices: PyTorch's gradient of the source counts the slices that others replace."""
    x = g.tensor()
    d = dim_of(g, x)
    size = g.t(x).shape[d] if dims_of(g, x) else 1
    chosen = g.random.sample(range(size), g.random.randint(0 if dims_of(g, x) else 1, size))
    index = g.make([len(chosen)], "int64", chosen, False)
    return [x, d, index, source_for(g, x, d, index)]


def index_fill(g, form):
    x = g.tensor()
    d, index = slices_of(g, x, signed_indices)
    return [x, d, index, g.tensor([], dtype_of(g.t(x))) if form.kinds[3] == "tensor" else g.pick([0, 3, -1])]


def index_reduce(g, form):
    x = g.tensor(dtype=g.pick(["float32", "float32", "float64", "int64"]))
    d, index = slices_of(g, x)
    return [x, d, index, source_for(g, x, d, index), g.pick(["prod", "mean", "amax", "amin"]), g.chance(0.5)]


def take(g, form):
    x = g.tensor()
    index = signed_indices(g, g.shape(), g.t(x).numel())
    if form.op == "take":
        return [x, index]
    if g.t(x).numel():  # without equal indices: PyTorch does not say which value stays
        chosen = g.random.sample(range(g.t(x).numel()), g.random.randint(0, min(g.t(x).numel(), 5)))
        index = g.make([len(chosen)], "int64", chosen, False)
    return [x, index, g.tensor(list(g.t(index).shape), dtype_of(g.t(x))), g.chance(0.5)]


def take_along_dim(g, form):
    x = g.tensor()
    if g.chance(0.3):
        return [x, indices(g, g.shape(), g.t(x).numel()), None]
    d = dim_of(g, x)
    shape = [s if g.chance(0.8) else 1 for s in g.t(x).shape]
    if shape:
        shape[d] = g.size()
    return [x, indices(g, shape, g.t(x).shape[d] if shape else 1), d]


def index(g, form):
    x = g.tensor(where=lambda t: t.dim() > 0)
    shape = list(g.t(x).shape) or [1]
    if form.kinds[1] == "mask":
        sizes = shape[:g.random.randint(1, len(shape))]
        return [x, g.make(sizes, "bool", [g.chance(0.5) for _ in range(math.prod(sizes))], False)]
    size = shape[-1] if "..." in form.python else shape[0]
    if form.op == "index":
        return [x, signed_indices(g, g.shape(), size)]
    chosen = g.random.sample(range(size), g.random.randint(0, size))
    values = [len(chosen)] + shape[1:]
    while values and g.chance(0.3):
        values.pop(0)
    return [x, g.make([len(chosen)], "int64", chosen, False), g.tensor(values, dtype_of(g.t(x))), g.chance(0.5)]


def masked_scatter(g, form):
    x = g.tensor()
    shape = list(g.t(x).shape)
    mask = g.make(shape, "bool", [g.chance(0.5) for _ in range(math.prod(shape))], False)
    return [x, mask, g.tensor([int(g.t(mask).sum()) + g.pick([0, 0, 1])], dtype_of(g.t(x)))]


def scattered(g, x):
    """A dimension of x and an index for gather()."""
    d = dim_of(g, x)
    shape = list(g.t(x).shape)
    size = shape[d] if shape else 1
    wanted = [g.random.randint(0 if g.chance(0.1) else min(1, s), s) for s in shape]
    if shape:
        wanted[d] = g.size()
    return d, indices(g, wanted, size)


def gather(g, form):
    x = g.tensor()
    d, index = scattered(g, x)
    if form.op == "gather":
        return [x, d, index]
    source = [s + g.pick([0, 0, 1]) for s in g.t(index).shape]
    return [x, d, index, g.tensor(source, dtype_of(g.t(x)))]


def scatter(g, form):
    """Without equal indices, and with a source of the index's shape, whose gradient PyTorch has."""
    x = g.tensor()
    d, index = scattered(g, x)
    shape = list(g.t(index).shape)
    if shape:
        size = g.t(x).shape[d]
        shape[d] = min(shape[d], size)
        index = g.make(shape, "int64", [i // math.prod(shape[d % len(shape) + 1:]) % max(shape[d], 1)
                                        for i in range(math.prod(shape))], False)
    if form.kinds[3] != "tensor":
        return [x, d, index, g.pick([0, 3, -1])]
    return [x, d, index, g.tensor(shape, dtype_of(g.t(x)))]


def scatter_reduce(g, form):
    x = g.tensor(dtype=g.pick(["float32", "float32", "float64", "int64"]))
    d, index = scattered(g, x)
    source = g.tensor(list(g.t(index).shape), dtype_of(g.t(x)))
    return [x, d, index, source, g.pick(["sum", "prod", "mean", "amax", "amin"]), g.chance(0.5)]


def embedding(g, form):
    table = g.tensor([g.size(), g.size()], g.pick(["float32", "float32", "float64", "int64"]))
    rows = g.t(table).shape[0]
    return [table, indices(g, g.shape() if rows else [0], rows), g.random.randint(-1, rows), g.chance(0.3)]


def one_hot(g, form):
    classes = g.random.randint(1, 5)
    return [indices(g, g.shape(), classes), classes]
