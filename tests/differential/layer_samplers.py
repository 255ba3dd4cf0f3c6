"""Arguments that fit, for products of matrices, losses and normalisation."""

import math
import re


def floating(g):
    return g.main


def matmul(g, form):
    d = floating(g)
    n, k, m, b = g.size(), g.size(), g.size(), g.size()
    shapes = {"mm": [([n, k], [k, m])], "mv": [([n, k], [k])], "dot": [([k], [k])],
              "bmm": [([b, n, k], [b, k, m])],
              "matmul": [([n, k], [k, m]), ([k], [k]), ([n, k], [k]), ([k], [k, m]), ([b, n, k], [k, m]),
                         ([b, n, k], [b, k, m]), ([b, n, k], [k]), ([n, k], [b, k, m]), ([k], [b, k, m]),
                         ([1, n, k], [b, k, m]), ([b, 1, n, k], [2, k, m])]}[form.op]
    a, c = g.pick(shapes)
    if g.chance(0.2):
        d = "int64"
    return [g.tensor(a, d), g.tensor(c, d)]


def addmm(g, form):
    n, k, m, d = g.size(), g.size(), g.size(), floating(g)
    return [g.tensor(g.pick([[n, m], [m], [1, m], [n, 1], []]), d), g.tensor([n, k], d), g.tensor([k, m], d),
            g.number(), g.number()]


def linear(g, form):
    k, m, d = g.size(), g.size(), floating(g)
    lead = g.pick([[], [g.size()], [g.size()], [g.size(), g.size()]])
    return [g.tensor(lead + [k], d), g.tensor([m, k] if g.chance(0.95) else [k], d),
            None if g.chance(0.3) else g.tensor([m], d)]


def regular(g, d):
    """Matrices far from singular ones, which differ by more than rounding."""
    n, lead = g.pick([1, 2, 3]), g.pick([[], [], [2]])
    count = math.prod(lead) * n * n
    values = [(g.random.randint(-4, 4) / 4 + (3 * n if i // n % n == i % n else 0)) for i in range(count)]
    return g.make(lead + [n, n], d, values)


def square(g, form):
    rest = [g.chance(0.5) if k == "bool" else g.pick([None, 0.0, 0.001]) for k in form.kinds[1:]]
    return [regular(g, floating(g))] + rest


def solve(g, form):
    d = floating(g)
    a = regular(g, d)
    lead, n, left = list(g.t(a).shape[:-2]), g.t(a).shape[-1], g.chance(0.7)
    b = g.pick([[n, 2], lead + [n, 1], [3, 1, n, 2], lead + [n], [n]] if left else [[3, n], lead + [1, n]])
    return [a, g.tensor(b, d), left] + [g.chance(0.5) for _ in form.kinds[3:]]


def reduction(g):
    return g.pick(["none", "mean", "sum"])


def maybe(g, shape, d):
    return None if g.chance(0.6) else g.tensor(shape, d)


def bce(g, form):
    d, shape = floating(g), g.shape()
    count = math.prod(shape)
    part = lambda: [g.random.randint(0, 4) / 4 for _ in range(count)]
    logits = form.op.endswith("logits")
    x = g.tensor(shape, d) if logits else g.make(shape, d, part())
    if not logits and g.chance(0.4):
        step = {"f": "a.sigmoid()", "a": [g.tensor(shape, d)]}
        if g.do(step) and step.get("o"):
            x = step["o"][0]
    target = g.make(shape, d, part())
    if logits:
        return [x, target, maybe(g, shape, d), maybe(g, shape[-1:], d), reduction(g)]
    return [x, target, maybe(g, shape, d), reduction(g)]


def classes(g, form):
    """nll_loss and cross_entropy."""
    d, c = floating(g), g.pick([1, 2, 3, 4])
    n = g.pick([[], [g.size()], [g.size()], [g.size()], [g.size(), 2]])
    shape = n[:1] + [c] + n[1:]
    x = g.tensor(shape, d)
    ignore = g.pick([-100, -100, 0, 1])
    smoothing = g.pick([0.0, 0.0, 0.25])
    if form.op == "cross_entropy_loss" and g.chance(0.3):
        target = g.tensor(shape, d)
        return [x, target, maybe(g, [c], d), reduction(g), -100, smoothing]
    count = math.prod(n)
    values = [-100 if g.chance(0.1) else g.random.randrange(c) for _ in range(count)]
    target = g.make(n, "int64", values, False)
    weight = None if g.chance(0.6) else g.make([c], d, [g.random.randint(0, 8) / 4 for _ in range(c)], False)
    out = [x, target, weight, reduction(g), ignore]
    return out + [smoothing] if form.op == "cross_entropy_loss" else out


def layer_norm(g, form):
    x = g.tensor(dtype=floating(g), where=lambda t: t.dim() > 0)
    shape = list(g.t(x).shape)
    if not shape:
        return None
    tail = shape[-g.random.randint(1, len(shape)):]
    return [x, tail, maybe(g, tail, floating(g)), maybe(g, tail, floating(g)), g.pick([1e-5, 0.25])]


def rms_norm(g, form):
    arguments = layer_norm(g, form)
    return arguments and arguments[:3] + [g.pick([None, 1e-5, 0.25])]


def channel_norm(g, form):
    """group_norm and instance_norm."""
    d, groups = floating(g), g.pick([1, 1, 2, 3])
    c = groups * g.pick([1, 2]) if form.op == "group_norm" else g.pick([1, 2, 3])
    x = g.tensor([g.size(), c] + g.pick([[], [g.size()], [g.size(), 2]]), d)
    groups = [groups if g.chance(0.95) else 4] if form.op == "group_norm" else []
    dense = lambda t: t.is_contiguous()
    affine = [None if g.chance(0.4) else g.tensor([c], d, dense) for _ in range(2)]
    if any(n is not None and not dense(g.t(n)) for n in affine):  # PyTorch reads it wrongly
        return None
    return [x] + groups + affine + [g.pick([1e-5, 0.25])]


group_norm = instance_norm = channel_norm


def batch_norm(g, form):
    d, c = floating(g), g.pick([1, 2, 3])
    x = g.tensor(g.pick([[g.size(), c], [g.size(), c], [g.size(), c, g.size()]]), d)
    stats, affine = g.chance(0.6), g.chance(0.6)
    dense = lambda t: t.is_contiguous()  # PyTorch reads a weight with gaps wrongly
    weight, bias = (g.tensor([c], d, dense), g.tensor([c], d, dense)) if affine else (None, None)
    if affine and not g.t(weight).is_contiguous():
        return None
    # Tensors of their own: they are changed.
    mean = g.make([c], d, requires_grad=False, layout="contiguous") if stats else None
    var = g.make([c], d, [g.random.randint(1, 8) / 4 for _ in range(c)], False, "contiguous") if stats else None
    return [x, weight, bias, mean, var,
            True if not stats else g.chance(0.6), g.pick([0.1, 0.5, 1.0]), g.pick([1e-5, 0.25])]


def convolution(g, form):
    """conv1d to conv_transpose3d, whose weights name the channels in the other order."""
    n, d, groups = int(re.search(r"(\d)d", form.op)[1]), floating(g), g.pick([1, 1, 2])
    transposed = "transpose" in form.op
    spread = lambda *numbers: [g.pick(numbers) for _ in range(g.pick([1, n]))]
    ins, outs = g.pick([1, 2]), g.pick([1, 2])  # of one group
    x = g.tensor(g.pick([[], [1], [2]]) + [ins * groups] + [g.pick([3, 4, 5]) for _ in range(n)], d)
    kernel = [g.pick([1, 2, 3]) for _ in range(n)]
    weight = g.tensor(([ins * groups, outs] if transposed else [outs * groups, ins]) + kernel, d)
    bias = None if g.chance(0.3) else g.tensor([outs * groups], d)
    stride, padding, dilation = spread(1, 2), spread(0, 0, 1), spread(1, 1, 2)
    if transposed:
        return [x, weight, bias, stride, padding, spread(0, 0, 1), groups, dilation]
    return [x, weight, bias, stride, padding, dilation, groups]


def windows_of(form):
    """The number of dimensions of the windows: max_pool2d and others."""
    return int(form.op[form.op.index("pool") + 4])


def pool(g, form):
    """max_pool and avg_pool, with and without indices."""
    n, d = windows_of(form), floating(g)
    spread = lambda *numbers: [g.pick(numbers) for _ in range(g.pick([1, n]))]
    kernel, padding = spread(1, 2, 3), spread(0, 0, 1)
    largest = max(kernel)
    x = g.tensor(g.pick([[], [1], [2]]) + [g.pick([1, 2])] + [g.pick([2, 3, 4]) for _ in range(n)], d)
    if largest == 1 and g.chance(0.9):
        padding = [0]
    stride = g.pick([[], spread(1, 2, 3)])
    if "max" in form.op:
        return [x, kernel, stride, padding, g.pick([[1], [1], spread(1, 2)]) if padding == [0] else [1], g.chance(0.3)]
    return [x, kernel, stride, padding, g.chance(0.3), g.chance(0.5)]


def adaptive_pool(g, form):
    n = windows_of(form)
    x = g.tensor(g.pick([[], [1], [2]]) + [g.pick([1, 2])] + [g.pick([1, 2, 3, 4]) for _ in range(n)], floating(g))
    return [x, [g.pick([1, 2, 3]) for _ in range(n)]]


def fractional_pool(g, form):
    n, d = windows_of(form), floating(g)
    channels, lead = g.pick([1, 2]), g.pick([[], [1], [2]])
    kernel, out = [g.pick([1, 2]) for _ in range(n)], [g.pick([1, 2]) for _ in range(n)]
    x = g.tensor(lead + [channels] + [k + o + g.pick([0, 1]) for k, o in zip(kernel, out)], d)
    count = (lead or [1])[0] * channels * n
    samples = g.make((lead or [1]) + [channels, n], d, [g.random.randrange(8) / 8 for _ in range(count)], False)
    return [x, kernel, out, samples]


def unpool(g, form):
    n, d = windows_of(form), floating(g)
    shape = g.pick([[], [1], [2]]) + [g.pick([1, 2])] + [g.pick([1, 2]) for _ in range(n)]
    out = [g.pick([2, 3]) for _ in range(n)]
    per_plane, count = math.prod(shape[-n:]), math.prod(shape)
    # Without repetition: of repeated positions PyTorch does not say which element stays.
    values = [v for _ in range(count // per_plane) for v in g.random.sample(range(math.prod(out)), per_plane)]
    return [g.tensor(shape, d), g.make(shape, "int64", values, False), out]


def resample(g, form):
    """upsample_nearest2d and others."""
    n, d = int(re.search(r"(\d)d", form.op)[1]), floating(g)
    x = g.tensor(g.pick([[1], [2]]) + [g.pick([1, 2])] + [g.pick([1, 2, 3, 4]) for _ in range(n)], d)
    rest = [] if "nearest" in form.op else [g.chance(0.5)]
    return [x, [g.pick([1, 2, 3, 5]) for _ in range(n)]] + rest


def grid_sampler(g, form):
    n, d, batch = g.pick([2, 2, 3]), floating(g), g.pick([1, 2])
    x = g.tensor([batch, g.pick([1, 2])] + [g.pick([1, 2, 3]) for _ in range(n)], d)
    shape = [batch] + [g.pick([1, 2]) for _ in range(n)] + [n]
    # Off the multiples of 1/4, at which elements and gradients jump.
    grid = g.make(shape, d, [g.random.randint(-6, 6) / 4 + 1 / 16 for _ in range(math.prod(shape))])
    return [x, grid, g.pick([0, 1, 2]), g.pick([0, 1, 2]), g.chance(0.5)]


def affine_grid(g, form):
    n, batch = g.pick([2, 3]), g.pick([1, 2])
    return [g.tensor([batch, n, n + 1], floating(g)), [batch, 1] + [g.pick([1, 2, 3]) for _ in range(n)], g.chance(0.5)]


def attention(g, form):
    """Query, key and value that fit, perhaps a mask, whether the keys are causal, and the scale."""
    d, rows, keys, size = floating(g), g.size(), g.size(), g.size()
    lead = g.pick([[], [g.size()], [g.size(), g.size()]])
    mask = None if g.chance(0.6) else g.tensor(g.pick([[rows, keys], [1, keys], [rows, 1]]), d)
    return [g.tensor(lead + [rows, size], d), g.tensor(lead + [keys, size], d), g.tensor(lead + [keys, g.size()], d),
            mask, mask is None and g.chance(0.5), g.pick([None, 0.5, 1.0, -1.0])]
