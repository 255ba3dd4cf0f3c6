"""Arguments that fit, for ops that rearrange, cut and join tensors."""

import math

from layer_samplers import floating
from torch_side import dtype_of


def shape_of(g, n):
    return list(g.t(n).shape)


def dim_in(g, count):
    return g.random.randint(-max(count, 1), max(count, 1) - 1)


def at_least(g, count):
    """A tensor with this many dimensions or more."""
    x = g.tensor(where=lambda t: t.dim() >= count)
    return x if g.t(x).dim() >= count else g.tensor([g.size() for _ in range(count)])


def parts_of(g, size):
    """Numbers that sum to a size."""
    parts = []
    while size > 0 or not parts:
        parts.append(g.random.randint(0, size))
        size -= parts[-1]
    return parts


def split(g, form):
    x = at_least(g, 1)
    if form.kinds[1] == "int":
        return None
    d = dim_in(g, g.t(x).dim())
    return [x, parts_of(g, shape_of(g, x)[d]), d]


def movedim(g, form):
    x = at_least(g, 1)
    count = g.t(x).dim()
    if form.kinds[1] == "dim":
        return [x, dim_in(g, count), dim_in(g, count)]
    some = g.random.randint(0, count)
    signed = lambda dims: [d - count if g.chance(0.3) else d for d in dims]
    return [x, signed(g.random.sample(range(count), some)), signed(g.random.sample(range(count), some))]


def unflatten(g, form):
    x = at_least(g, 1)
    d = dim_in(g, g.t(x).dim())
    size = shape_of(g, x)[d]
    first = g.pick([k for k in range(1, size + 1) if size % k == 0] or [1])
    sizes = [first, size // first]
    if size and g.chance(0.4):
        sizes[g.random.randrange(2)] = -1
    return [x, d, sizes]


def unfold(g, form):
    x = g.tensor()
    d = dim_in(g, g.t(x).dim())
    size = shape_of(g, x)[d] if g.t(x).dim() else 1
    return [x, d, g.random.randint(0, size), g.pick([1, 1, 2, 3])]


def tensor_split(g, form):
    x = at_least(g, 1)
    d = dim_in(g, g.t(x).dim())
    size = shape_of(g, x)[d]
    cuts = [g.random.randint(-size - 1, size + 1) for _ in range(g.pick([0, 1, 2]))]
    if form.kinds[1] == "int":
        return [x, g.pick([1, 2, 3, 4]), d]
    return [x, g.make([len(cuts)], "int64", cuts, False, "contiguous") if form.kinds[1] == "indices" else cuts, d]


def split_in_two(g, form):
    first = {"hsplit": 1, "vsplit": 2, "dsplit": 3}[form.op]
    x = at_least(g, first)
    shape = shape_of(g, x)
    d = {"hsplit": 0 if len(shape) == 1 else 1, "vsplit": 0, "dsplit": 2}[form.op]
    if form.kinds[1] == "int":
        return [x, g.pick([k for k in range(1, 5) if shape[d] % k == 0])]
    return [x, [g.random.randint(-1, shape[d] + 1) for _ in range(g.pick([0, 1, 2]))]]


def matrices(g, form):
    return [g.tensor([g.size(), g.size()]) if g.chance(0.5) else g.tensor(where=lambda t: t.dim() == 2)]


def rot90(g, form):
    x = at_least(g, 2)
    count = g.t(x).dim()
    return [x, g.random.randint(-5, 5), [d - count if g.chance(0.3) else d for d in g.random.sample(range(count), 2)]]


def roll(g, form):
    x = g.tensor() if len(form.kinds) == 2 else at_least(g, 1)
    shift = lambda: g.random.randint(-5, 5)
    if form.kinds[1] == "int":
        return [x, shift()] + [dim_in(g, g.t(x).dim()) for _ in form.kinds[2:]]
    dims = [dim_in(g, g.t(x).dim()) for _ in range(g.pick([1, 2]))]
    return [x, [shift() for _ in dims], dims]


def repeat(g, form):
    x = g.tensor()
    return [x, [g.pick([0, 1, 1, 2, 2, 3]) for _ in range(g.t(x).dim() + g.pick([0, 0, 1]))]]


def tile(g, form):
    x = g.tensor()
    return [x, [g.pick([0, 1, 2, 2, 3]) for _ in range(g.random.randint(0, g.t(x).dim() + 1))]]


def counts(g, count):
    return g.make([count], "int64", [g.pick([0, 1, 1, 2, 3]) for _ in range(count)], False)


def repeat_interleave(g, form):
    if len(form.kinds) == 1:
        return [counts(g, g.size())]
    if len(form.kinds) == 2:
        return [g.tensor(), g.pick([0, 1, 2, 3])]
    x = at_least(g, 1)
    d = dim_in(g, g.t(x).dim())
    if form.kinds[1] == "int":
        return [x, g.pick([0, 1, 2, 3]), d]
    return [x, counts(g, 1 if g.chance(0.2) else shape_of(g, x)[d]), d]


def view_scatter(g, form):
    x = at_least(g, 2 if form.op == "diagonal_scatter" else 1)
    t = g.t(x)
    d = dim_in(g, t.dim())
    size = t.shape[d]
    if form.op == "select_scatter":
        rest = [d, g.random.randint(-size, size - 1)]
        part = t.select(*rest)
    elif form.op == "slice_scatter":
        edge = lambda: None if g.chance(0.3) else g.random.randint(-size - 1, size + 1)
        start, end, step = edge(), edge(), g.pick([1, 1, 2])
        rest = [d, start, end, step]
        index = [slice(None)] * t.dim()
        index[d] = slice(start, end, step)
        part = t[tuple(index)]
    else:
        rest = [g.pick([0, 0, 1, -1])]
        part = t.diagonal(*rest)
    return [x, g.tensor(list(part.shape), dtype_of(t) if g.chance(0.8) else None)] + rest


def as_strided_scatter(g, form):
    """PyTorch's gradient of the tensor itself is wrong."""
    x = g.make([g.pick([1, 2, 3]), g.pick([1, 2, 3])], None, None, False, "contiguous")
    t = g.t(x)
    count = g.random.randint(1, t.numel())
    return [x, g.tensor([count], dtype_of(t)), [count], [1], g.random.randint(0, t.numel() - count)]


def pixels(g, form):
    r, c, h, w = g.pick([1, 2, 2, 3]), g.pick([1, 2]), g.pick([1, 2, 3]), g.pick([1, 2])
    lead = g.pick([[], [1], [2]])
    if form.op == "channel_shuffle":
        return [g.tensor([g.pick([1, 2]), c * r, h] + g.pick([[], [w]])), g.pick([r, c])]
    small = math.prod(lead) * c * r * r * h * w <= 150
    lead = lead if small else []
    shape = [c * r * r, h, w] if form.op == "pixel_shuffle" else [c, h * r, w * r]
    return [g.tensor(lead + shape), r]


def constant_pad_nd(g, form):
    x = g.tensor()
    pad = [g.pick([0, 1, 1, 2, -1]) for _ in range(2 * g.random.randint(0, g.t(x).dim()))]
    return [x, pad] + [g.number(dtype_of(g.t(x))) for _ in form.kinds[2:]]


def pad(g, form):
    if form.kinds[2] == "double":
        return constant_pad_nd(g, form)[:2] + [g.pick([0.0, 0.5, -2.0])]
    mode, rank = g.pick(["reflect", "replicate", "circular"]), g.pick([1, 1, 2, 3])
    shape = [g.pick([1, 2, 2, 3]) for _ in range(rank + g.pick([1, 2]))]
    # PyTorch's circular padding reads unset memory where it removes what it would repeat.
    numbers = [0, 1, 1, 2] if mode == "circular" else [0, 1, 1, 2, -1]
    return [g.tensor(shape), [g.pick(numbers) for _ in range(2 * rank)], mode]


def blocks(g, form):
    """im2col and col2im."""
    two = lambda *numbers: [g.pick(numbers), g.pick(numbers)]
    image, kernel, dilation, padding, stride = two(2, 3), two(1, 2), two(1, 2), two(0, 1), two(1, 2)
    lead, c, d = g.pick([[], [1], [2]]), g.pick([1, 2]), g.main
    options = [kernel, dilation, padding, stride]
    if form.op == "im2col":
        return [g.tensor(lead + [c] + image, d)] + options
    counts = [(image[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2)]
    return [g.tensor(lead + [c * kernel[0] * kernel[1], counts[0] * counts[1]], d), image] + options


im2col = col2im = blocks


def line(g, form):
    x = g.tensor(where=lambda t: t.dim() == 1) if g.chance(0.5) else g.tensor([g.size()])
    if g.t(x).dim() != 1:
        x = g.tensor([g.size()])
    rest = [g.pick([1, 2, 2, 3]), g.chance(0.4)] if len(form.kinds) > 1 else []
    return [x] + rest


def diagonal(g, form):
    offset = g.pick([0, 0, 1, -1, 2])
    if form.op == "diag_embed":
        x = at_least(g, 1)
        count = g.t(x).dim() + 1
    else:
        x = at_least(g, 2)
        count = g.t(x).dim()
    return [x, offset] + [d - count if g.chance(0.3) else d for d in g.random.sample(range(count), 2)]


def diag(g, form):
    shape = g.pick([[g.size()], [g.size(), g.size()]])
    return [g.tensor(shape), g.pick([0, 0, 1, -1, 2])]


def fill_diagonal(g, form):
    n = g.size()
    shape = g.pick([[n, g.size()], [n, n], [n, n, n], [g.pick([4, 5, 6]), g.pick([1, 2])]])
    return [g.tensor(shape), g.number(g.main), g.chance(0.4)]


def triangle(g, form):
    return [at_least(g, 2), g.pick([0, 0, 1, -1, 2, -9])]


def triangle_indices(g, form):
    return [g.size(), g.size(), g.pick([0, 0, 1, -1, 7, -7])] + [g.pick(["int64", "int32"]) for _ in form.kinds[3:]]


def join_parts(g, form):
    """hstack, vstack, dstack, column_stack."""
    shape = g.shape()
    dim = {"hstack": 0 if len(shape) < 2 else 1, "vstack": 0, "dstack": 2, "column_stack": 1}[form.op]
    parts = []
    for _ in range(g.pick([1, 2, 2, 3])):
        other = list(shape)
        grows = form.op == "hstack" or len(shape) >= 2
        if grows and dim < len(other) and g.chance(0.5):
            other[dim] = g.size()
        parts.append(g.tensor(other, None if g.chance(0.2) else floating(g)))
    return [parts]


def small_parts(g, form):
    shapes = [[], [g.size()], [g.size(), g.size()]]
    return [[g.tensor(g.pick(shapes), None if g.chance(0.2) else floating(g)) for _ in range(g.pick([1, 2, 3]))]]


def broadcast_parts(g, form):
    x = g.tensor()
    return [[x] + [g.like(x) for _ in range(g.pick([0, 1, 2]))]]


def grid_parts(g, form):
    d = floating(g)
    shapes = [[g.size()]] if form.op == "cartesian_prod" or g.chance(0.8) else [[g.size()], []]
    parts = [g.tensor(g.pick(shapes), d) for _ in range(g.pick([1, 2, 2, 3]))]
    return [parts] + [g.chance(0.4) for _ in form.kinds[1:]]


def window(g, form):
    dtype = lambda: g.pick(["float32", "float64", "float16", "bfloat16", "int64"])
    return [g.pick([-1, 0, 1, 2, 3, 5, 8])] + ([g.chance(0.5), dtype()] if form.kinds[1:] else [])


def inclusive_range(g, form):
    step = g.pick([1, 2, -1])  # PyTorch crashes if a step becomes 0 in an integer dtype
    start = g.pick([0, 3, -2])
    return [start, start + g.pick([0, 1, 3, 5]) * step, step, g.dtype()]


def rows(g, form):
    return [g.tensor(), g.pick([-1, 0, 1, 3, 12])]


def logspace(g, form):
    number = lambda: g.pick([0, 1, 2, -1, 0.5, 3])
    return [number(), number(), g.pick([0, 1, 2, 5])] + [g.pick(["float32", "float64", "int64"]) for _ in form.kinds[3:]]
