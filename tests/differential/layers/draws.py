"""Choices of options, and the numbers of a case. An axis lists the values of an option, the default first."""

import random

import torch

SEVERAL = "several"
INFINITY = float("inf")


def plan(axes, count, mixed):
    """(name, choices of each case): one value in isolation, then all at random."""
    plain = {axis: values[0] for axis, values in axes.items()}
    yield "plain", [plain] * count
    for axis, values in axes.items():
        for value in values[1:]:
            yield f"{axis}={value}", [{**plain, axis: value}] * count
    mixer = random.Random(1)
    yield "all at random", [{axis: values[0] if mixer.random() < 0.5 else mixer.choice(values)
                             for axis, values in axes.items()} for _ in range(mixed)]


class Draw:
    """Draws the sizes and tensors of one case. `grid` rounds elements, so that they are short in a file."""

    def __init__(self, choices, seed, dtype, grid=None):
        self.choices, self.dtype, self.grid = choices, dtype, grid
        self.random = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)

    def __getitem__(self, axis):
        return self.choices[axis]

    def size(self, axis, least=2, most=5):
        return self.random.randint(least, most) if self[axis] == SEVERAL else self[axis]

    def other(self, size):
        return self.random.choice([other for other in range(1, 7) if other != size])

    def options(self, *names):
        """Options that a case gives; "default" leaves one out."""
        return {name: self[name] for name in names if self[name] != "default"}

    def numbers(self, *sizes):
        drawn = torch.randn(sizes, generator=self.generator, dtype=torch.float64)
        if self.grid:
            drawn = (drawn * self.grid).round() / self.grid
        return drawn.to(self.dtype)

    def flags(self, *sizes):
        """True for about a third; never at the first index of the last dimension."""
        drawn = torch.rand(sizes, generator=self.generator) < 0.35
        if sizes[-1]:
            drawn[..., 0] = False
        return drawn

    def mask(self, kind, sizes, is_causal=False, closed=False):
        """A mask, true or -infinity where attention is forbidden. `closed` forbids all keys in the last row."""
        if kind is None:
            return None
        if is_causal:
            forbidden = torch.ones(sizes, dtype=torch.bool).triu(1)
        else:
            forbidden = self.flags(*sizes)
            if closed and forbidden.numel():
                forbidden[..., -1, :] = True
        if "bool" in kind:
            return forbidden
        numbers = torch.zeros(sizes, dtype=self.dtype) if is_causal else self.numbers(*sizes)
        return numbers.masked_fill(forbidden, -INFINITY)


def batched(d, length, batch, size):
    """Sizes of a sequence; `batch` is None without a batch."""
    if batch is None:
        return [length, size]
    return [batch, length, size] if d["batch_first"] else [length, batch, size]


def masks_of(d, names, rows, keys, batch, heads):
    """The mask of scores and the mask of keys of one attention. names: their axes, and the one of the hint."""
    of_scores, of_keys, hint = names
    is_causal = d[hint]
    kind, padding, closed = d[of_scores], d[of_keys], d["query without keys"]
    if kind is None and (is_causal or closed and padding is None):
        kind = "2-D bool"
    sizes = [rows, keys] if kind and "2-D" in kind else [(batch if batch is not None else 1) * heads, rows, keys]
    inputs = [(of_scores, d.mask(kind, sizes, is_causal, closed)),
              (of_keys, d.mask(padding, [keys] if batch is None else [batch, keys], closed=closed and batch is not None))]
    call = {hint: True} if is_causal else {}
    is_leaf = d["gradient of masks"]
    return [(name, mask, is_leaf and mask is not None and mask.is_floating_point()) for name, mask in inputs], call


MASKS = [None, "2-D bool", "2-D float", "3-D bool", "3-D float"]
PADDING = [None, "bool", "float"]
BATCH = [SEVERAL, 1, 0, None]
