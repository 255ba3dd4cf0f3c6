"""Arguments that fit, for reductions, norms, differences and histograms."""

from basic_samplers import dim_of
from index_samplers import index, indices
from layer_samplers import floating
from torch_side import dtype_of


def spread(g, form):
    """std and var: PyTorch's gradient over no named dimension is wrong."""
    x = g.tensor()
    rest = [g.argument(k, x) for k in form.kinds[1:]]
    if form.kinds[1:2] == ["dims"] and not rest[0]:
        rest[0] = [0]
    return [x] + rest


def norms(g, form):
    x = g.tensor(dtype=floating(g))
    return [x, g.pick([0, 1, 2, 3, -1, 0.5, 1.5, "inf", "-inf"])] + [g.argument(k, x) for k in form.kinds[2:]]


def matrix_norm(g, form):
    return [g.tensor([g.size() for _ in range(g.pick([2, 2, 3]))], floating(g))]


def renorm(g, form):
    x = g.tensor([g.size() for _ in range(g.pick([2, 2, 3]))], floating(g))
    return [x, g.pick([1, 2, 3, 0.5, "inf"]), dim_of(g, x), g.pick([0, 0.5, 1, 2.0, 100])]


def diff(g, form):
    x = g.tensor(where=lambda t: t.dim() > 0)
    d = dim_of(g, x)
    n = g.pick([1, 1, 1, 2, 3])

    def joined():
        if g.chance(0.4):
            return None
        shape = list(g.t(x).shape)
        if shape:
            shape[d] = g.size()
        return g.tensor(shape, dtype_of(g.t(x)))

    return [x, n, d] + [joined() for _ in form.kinds[3:]]


def gradient(g, form):
    shape = [g.pick([2, 3, 4]) for _ in range(g.pick([1, 2, 2, 3]))]
    return [g.tensor(shape, g.pick([floating(g), "int64"])), g.pick([1.0, 0.5, 2.0])]


def integral(g, form):
    x = g.tensor(where=lambda t: t.dim() > 0 and 0 not in t.shape, dtype=g.pick([floating(g), "int64"]))
    return [x, g.pick([1.0, 0.5, 2.0]), dim_of(g, x)]


def histogram(g, form):
    x, bins, low = g.tensor(dtype=floating(g)), g.pick([1, 2, 3, 5]), g.pick([-2.0, 0.0, 1.0])
    if form.op == "histogram":
        return [x, bins]
    return [x, bins, low, low + g.pick([0.5, 1.0, 4.0])]


def covariance(g, form):
    count = g.size()
    x = g.tensor([count] if g.chance(0.3) else [g.size(), count])
    numbers = [g.pick([0, 1, 1, 2])] if len(form.kinds) > 1 else []
    if len(form.kinds) < 3:
        return [x] + numbers
    frequency = g.make([count], "int64", [g.pick([0, 1, 1, 3]) for _ in range(count)], False)
    weights = g.make([count], g.pick(["float32", "float64"]), [g.pick([0, 0.5, 1.0]) for _ in range(count)], False)
    return [x] + numbers + [g.pick([None, frequency]), g.pick([None, weights])]


def bincount(g, form):
    count = g.size()
    index = indices(g, [count], g.pick([1, 3, 6]))
    if form.kinds[1:] == ["tensor"]:
        return [index, g.make([count], g.pick(["float32", "float64", "int64"]), requires_grad=False)]
    return [index] + [g.pick([0, 2, 9]) for _ in form.kinds[1:]]
