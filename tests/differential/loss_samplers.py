"""Arguments that fit, for losses other than those of layer_samplers.py."""

import math

from layer_samplers import floating, maybe, reduction


def pick_from(g, shape, dtype, values, layout=None):
    """A constant tensor of such values."""
    return g.make(shape, dtype, [g.pick(values) for _ in range(math.prod(shape))], False, layout)


def robust(g, form):
    """smooth_l1_loss and huber_loss: two tensors of one dtype and the bound between their parts."""
    d = floating(g)
    x = g.tensor(dtype=d)
    return [x, g.tensor(list(g.t(x).shape), d), reduction(g), g.pick([0.25, 1.0, 1.0, 2.5])]


def divergence(g, form):
    d = floating(g)
    x = g.tensor(dtype=d)
    shape, is_log = list(g.t(x).shape), g.chance(0.4)
    target = g.tensor(shape, d) if is_log else g.make(
        shape, d, [g.random.randint(0, 4) / 4 for _ in range(math.prod(shape))])
    return [x, target, reduction(g), is_log]


def poisson(g, form):
    d, shape = floating(g), g.shape()
    is_log = g.chance(0.6)
    rates = lambda: [g.random.randint(1, 12) / 4 for _ in range(math.prod(shape))]
    x = g.tensor(shape, d) if is_log else g.make(shape, d, rates())
    return [x, g.make(shape, d, rates()), is_log, g.chance(0.4), g.pick([1e-8, 0.25]), reduction(g)]


def signs(g, form):
    """soft_margin_loss and hinge_embedding_loss."""
    x = g.tensor(dtype=floating(g))
    target = pick_from(g, list(g.t(x).shape), floating(g), [1, -1])
    return [x, target] + ([g.pick([1.0, 0.5, 2.0])] if len(form.kinds) == 4 else []) + [reduction(g)]


def ranks(g, form):
    """margin_ranking_loss and cosine_embedding_loss."""
    d = floating(g)
    shape = g.shape() if form.op == "margin_ranking_loss" else [g.size() for _ in range(g.pick([1, 2, 2]))]
    signs_of = shape if form.op == "margin_ranking_loss" else shape[:-1]
    return [g.tensor(shape, d), g.tensor(shape, d), pick_from(g, signs_of, d, [1, -1]),
            g.pick([0.0, 0.5]), reduction(g)]


def triplets(g, form):
    d = floating(g)
    x = g.tensor(dtype=d, where=lambda t: t.dim() > 0)
    shape = list(g.t(x).shape)
    return [x, g.tensor(shape, d), g.tensor(shape, d), g.pick([1.0, 0.5]), g.pick([1.0, 2.0, 2.0, 3.0]),
            g.pick([1e-6, 0.25]), g.chance(0.4), reduction(g)]


def samples_of_classes(g):
    """The sizes of a batch, which is not empty, or of one sample; and the number of classes."""
    c = g.pick([1, 2, 3, 4])
    return g.pick([[], [1], [2], [3]]), c


def classes_of_margin(g, form):
    d = floating(g)
    n, c = samples_of_classes(g)
    weight = None if g.chance(0.6) else pick_from(g, [c], d, [0.0, 0.5, 1.0, 1.5])
    return [g.tensor(n + [c], d), pick_from(g, n, "int64", range(c)), g.pick([1, 2]), g.pick([1.0, 0.5]),
            weight, reduction(g)]


def labels(g, form):
    n, c = samples_of_classes(g)
    return [g.tensor(n + [c], floating(g)), pick_from(g, n + [c], "int64", [-1, *range(c)]), reduction(g)]


def alignments(g, form):
    """ctc_loss of log-probabilities."""
    n, c, steps, longest = g.pick([1, 2, 3]), g.pick([2, 3, 4]), g.pick([1, 3, 5]), g.pick([1, 2, 3])
    logits = g.tensor([steps, n, c], floating(g))
    step = {"f": "a.log_softmax(b)", "a": [logits, -1]}
    if not g.do(step) or not step.get("o"):
        return None
    blank = g.random.randrange(c)
    lengths = [g.random.randint(0, longest) for _ in range(n)]
    others = [k for k in range(c) if k != blank]
    shape = [n, longest] if g.chance(0.6) else [sum(lengths)]
    layout = "contiguous" if len(shape) == 1 else None  # PyTorch reads joined targets with gaps wrongly
    return [step["o"][0], pick_from(g, shape, "int64", others, layout), [g.random.randint(1, steps) for _ in range(n)],
            lengths, blank, reduction(g), g.chance(0.7)]
