"""Named sets of inputs for golden numbers: what the ops must meet beside ordinary numbers."""
import math
import zlib

import torch

INF, NAN = math.inf, math.nan
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 20.0, -100.0, INF, -INF, NAN)
PAIRS = (0.0, -0.0, 1.0, -1.0, 2.0, -2.5, INF, -INF, NAN)
LOGS = (0.0, 1.0, 2.0, 0.125, 1e-3, 1e30, -1.0, INF, NAN)
# A sample in samples larger than this is for the other tests.
LARGEST = 60


def is_data(argument):
    """Tells elements from a shape."""
    return isinstance(argument, dict) and "data" in argument


def tensor_of(data, dtype):
    """The tensor of these elements."""
    exact = torch.float64 if dtype.is_floating_point else dtype
    values = [float(value) if exact == torch.float64 else value for value in data["data"]]
    return torch.tensor(values, dtype=exact).reshape(data["shape"]).to(dtype)


def vec(*values):
    return torch.tensor(values, dtype=torch.float64)


def ints(*values):
    return torch.tensor(values, dtype=torch.int64)


def bools(*values):
    return torch.tensor(values, dtype=torch.bool)


def grid(values):
    """Every value against every value."""
    v = vec(*values)
    return [v.repeat_interleave(len(values)), v.repeat(len(values))]


class Inputs:
    """Draws inputs. The same case draws the same numbers."""

    def __init__(self, case):
        self.generator = torch.Generator().manual_seed(zlib.crc32(case.encode()))

    def rand(self, *shape, low=-2.0, high=2.0):
        """Random multiples of 1/256, so exact in float32."""
        x = torch.rand(shape, generator=self.generator, dtype=torch.float64)
        return (low + (high - low) * x).mul(256).round().div(256)

    def single(self, *shape):
        """Random numbers that stay float32 in a run with float64."""
        return self.rand(*shape).float()

    def sets(self):
        rand, single, regular = self.rand, self.single, self.regular
        flags = bools(True, False, True)
        return {
            # One argument.
            "unary": lambda: [[rand(3, 4)], [rand()], [rand(0, 3)], [vec(*EDGES)]],
            "positive": lambda: [[rand(3, 4, low=0.125, high=3)], [vec(*LOGS)]],
            "matrix": lambda: [[rand(3, 4)], [rand(2, 3, 4)]],
            "square": lambda: [[regular(3, 3)], [regular(1, 1)], [regular(2, 1, 3, 3)],
                               [rand(0, 0)], [rand(0, 3, 3)], [rand(2, 0, 0)]],
            "ties": lambda: [[rand(3, 4)], [vec(1, 3, 3, -1, 3, 0).view(2, 3)],
                             [vec(1, NAN, 3, NAN, 2, 2).view(2, 3)],
                             [vec(INF, -INF, INF, -INF, -INF, -INF).view(2, 3)]],
            "counts": lambda: [[ints(3, -1, 0, 2)], [ints(-2).view(())]],
            "flags": lambda: [[flags]],
            # Two arguments that broadcast.
            "binary": lambda: [[rand(3, 4), rand(3, 4)], [rand(3, 1), rand(4)],
                               [rand(2, 2), rand()], grid(PAIRS)],
            "many": lambda: [[rand(2, 1, 3), rand(4, 1)], [rand(1, 3), rand(2, 2, 1)],
                             [rand(1, 1), rand(3)]],
            "mixed": lambda: [[rand(2, 3), single(3)], [single(2, 1), rand(3)], [single(3), rand()],
                              [rand(), single(2)], [single(), rand()], [rand(2, 3), ints(1, -2, 3)],
                              [ints(1, -2, 3), rand()], [ints(2, 3).view(2, 1), single(3)],
                              [flags, rand(2, 1)], [single(3), flags]],
            "whole": lambda: [[ints(5, -7, 2), ints(3, -2, 2)], [ints(5, -7, 2), ints(-2).view(())],
                              [ints(5, -7, 2), ints(4, 3).view(2, 1)]],
            "truths": lambda: [[flags, bools(True, True, False)], [flags, ints(2, 1, 1)],
                               [flags, torch.tensor(True)]],
            "integers": lambda: [[ints(6, -1, 8, -9, 0), ints(3, 5, -8, -4, 7)],
                                 [ints(6, -7), ints(3)],
                                 [bools(True, True, False), bools(True, False, False)],
                                 [bools(True, False), ints(3, -2)]],
        }

    def regular(self, *shape):
        """Random matrices far from singular ones."""
        return self.rand(*shape) + 3 * torch.eye(shape[-1], dtype=torch.float64)

    def draw(self, argument):
        """An argument of a sample: a shape, or an object that says more."""
        if is_data(argument):
            own = argument["dtype"]
            return tensor_of(argument, torch.float64 if own == "floating" else getattr(torch, own))
        if isinstance(argument, list):
            argument = {"sizes": argument}
        dtype = getattr(torch, argument.get("dtype", "float64"))
        if "integers" in argument:
            return torch.tensor(argument["integers"]).reshape(argument["sizes"]).to(dtype)
        low, high = argument.get("range", (-2, 2))
        return self.rand(*argument["sizes"], low=low, high=high).to(dtype)

    def of_samples(self, samples):
        """Inputs for the samples of a case, with the edges of their set."""
        if isinstance(samples, str):
            names = {"matrices": "matrix"}
            return self.sets()[names.get(samples, samples)]()
        if isinstance(samples, dict):
            (name, (low, high)), = samples.items()
            if name not in ("unary", "binary"):
                raise ValueError(f"only the sets unary and binary take a range, not {name}")
            edges = {"unary": [[vec(*EDGES)]], "binary": [grid(PAIRS)]}.get(name, [])
            count = 2 if name == "binary" else 1
            return [[self.rand(*shape, low=low, high=high) for _ in range(count)]
                    for shape in ((3, 4), (2, 3))] + edges
        drawn = []
        for sample in samples:
            if isinstance(sample, list):
                drawn.append([self.draw(argument) for argument in sample])
            else:
                drawn += self.of_samples(sample)
        return [sample for sample in drawn if all(x.numel() <= LARGEST for x in sample)]

    def expand(self, inputs, samples):
        """The samples that the "inputs" of a new entry stand for."""
        if inputs == "samples":
            return self.of_samples(samples)
        if isinstance(inputs, str):
            sets = self.sets()
            if inputs not in sets:
                raise ValueError(f"no set of inputs is called {inputs}, only {', '.join(sets)}")
            return sets[inputs]()
        return [[self.draw(argument) for argument in inputs]]
