"""Draws random programs: it runs them with PyTorch while it draws, so it knows what fits."""

import math
import random

import torch

from torch_side import DTYPES, Machine, Skip

EDGES = [0.0, -0.0, "inf", "-inf", "nan", 1e30, -1e30, 1e-30, 0.5, 1.0, -1.0]
INT_EDGES = [0, -1, 2**63 - 1, -2**63, 2**53 + 1, 2**31]
NAMES = {v: k for k, v in DTYPES.items()}
FLOATS = ("float32", "float64")
NARROW_INTS = ("int32", "int16", "int8", "uint8")


class Generator:
    def __init__(self, forms, seed):
        self.forms, self.random = forms, random.Random(seed)
        self.by_op = {}
        for form in forms.values():
            if form.op != "make":
                self.by_op.setdefault(form.op, []).append(form)
        self.ops = sorted(self.by_op)

    # --- Small draws -------------------------------------------------------------------------

    def chance(self, p):
        return self.random.random() < p

    def pick(self, items):
        return self.random.choice(items)

    def size(self):
        return 0 if self.chance(0.04) else self.pick([1, 2, 2, 3, 3, 4])

    def shape(self):
        r = self.random.random()
        base = self.base
        if r < 0.5:
            return list(base)
        if r < 0.62:
            return list(base[1:])
        if r < 0.74:
            return [1 if self.chance(0.5) else s for s in base]
        if r < 0.84:
            return []
        return [self.size() for _ in range(self.pick([1, 1, 2, 2, 3]))]

    def dtype(self):
        r = self.random.random()
        if r < 0.55:
            return self.main
        if r < 0.68:
            return self.pick(FLOATS)
        if r < 0.78:
            return "int64"
        return "bool" if r < 0.88 else self.pick(sorted(DTYPES))

    def number(self, dtype=None):
        kind = dtype or self.pick(["float32", "float32", "int64", "int64", "bool"])
        if kind == "bool":
            return self.chance(0.5)
        if kind in FLOATS or kind in ("float16", "bfloat16"):
            if self.edges and self.chance(0.15):
                return self.pick(EDGES)
            return self.random.randint(-12, 12) / 4
        if kind == "int64" and self.edges and self.chance(0.05):
            return self.pick(INT_EDGES)
        if kind in NARROW_INTS and self.edges and self.chance(0.1):
            limits = torch.iinfo(DTYPES[kind])
            return self.pick([limits.min, limits.max])
        return self.random.randint(0 if kind == "uint8" else -4, 5)

    # --- Tensors -----------------------------------------------------------------------------

    def do(self, step):
        """Runs a step and keeps it, if PyTorch does not mind, or now and then if it does."""
        machine = self.machine
        outcome = machine.run(step)
        if isinstance(outcome, Exception):
            if self.wrong <= 0 or not self.chance(0.35):
                return False
            self.wrong -= 1
            step["o"] = []
        self.steps.append(step)
        return True

    def make(self, shape=None, dtype=None, values=None, requires_grad=None, layout=None):
        shape = self.shape() if shape is None else list(shape)
        dtype = dtype or self.dtype()
        count = math.prod(shape)
        if count > 200:
            raise Skip()
        if values is None:
            values = [self.number(dtype) for _ in range(count)]
        floating = DTYPES[dtype].is_floating_point
        if requires_grad is None:
            requires_grad = floating and self.chance(0.5)
        if layout is None:
            layouts = ["contiguous"] * 5
            if shape:
                layouts += ["gaps"] + (["transposed"] if len(shape) > 1 else [])
                layouts += ["expanded"] if self.chance(0.3) else []
            layout = self.pick(layouts)
        step = {"f": self.make_form.python, "a": [dtype, shape, values, layout, bool(requires_grad)]}
        self.machine.run(step)
        self.steps.append(step)
        return step["o"][0]

    def tensor(self, shape=None, dtype=None, where=None, fresh=0.15):
        """The number of a tensor that fits, made when there is none."""
        if not self.chance(fresh):
            fits = [n for n, t in self.machine.variables.items()
                    if (shape is None or list(t.shape) == list(shape))
                    and (dtype is None or NAMES[t.dtype] == dtype) and (where is None or where(t))]
            if fits:
                recent = fits[-4:]
                return self.pick(recent if self.chance(0.6) else fits)
        return self.make(shape, dtype)

    def like(self, n):
        """One that broadcasts with tensor n, mostly."""
        x = self.machine.variables[n]

        def fits(t):
            try:
                torch.broadcast_shapes(x.shape, t.shape)
            except RuntimeError:
                return False
            return True
        r = self.random.random()
        if r < 0.3:
            return self.tensor(list(x.shape), None)
        if r < 0.85:
            return self.tensor(None, None, fits, fresh=0.05)
        return self.tensor()

    def t(self, n):
        return self.machine.variables[n]

    # --- Arguments ---------------------------------------------------------------------------

    def argument(self, kind, first):
        x = self.t(first) if first is not None else None
        dim = x.dim() if x is not None else 2
        if kind == "tensor":
            return self.tensor() if first is None else self.like(first)
        if kind == "tensor?":
            return None if self.chance(0.5) else self.tensor()
        if kind == "tensors":
            return [self.tensor() for _ in range(self.pick([1, 2, 3]))]
        if kind == "mask":
            if first is None:
                return self.tensor(dtype="bool")
            return self.tensor(list(x.shape) if self.chance(0.7) else None, "bool")
        if kind == "indices":
            return self.make([self.size()], "int64", requires_grad=False)
        if kind.endswith("?") and self.chance(0.35):
            return None
        kind = kind.rstrip("?")
        if kind == "number":
            return self.number()
        if kind == "int":
            return self.pick([0, 1, 1, 2, 2, 3, -1])
        if kind == "dim":
            return self.random.randint(-max(dim, 1), max(dim, 1) - 1)
        if kind == "index":
            top = max(x.shape) if x is not None and dim else 3
            return self.random.randint(-top, top)
        if kind == "dims":
            count = self.random.randint(0, dim)
            dims = self.random.sample(range(dim), count)
            return [d - dim if self.chance(0.3) else d for d in dims]
        if kind == "sizes":
            return self.shape()
        if kind == "ints":
            return [self.pick([0, 1, 1, 2, 3]) for _ in range(self.pick([0, 1, 2]))]
        if kind == "bool":
            return self.chance(0.5)
        if kind == "double":
            return self.pick([2.0**-16, 0.0, 0.1, 0.25, 0.5, 1.0])
        if kind == "dtype":
            return self.dtype()
        if kind == "reduction":
            return self.pick(["none", "mean", "sum"])
        raise ValueError(kind)

    def draw(self, form):
        """Arguments of a call."""
        import samplers
        sampler = getattr(samplers, form.sampler) if form.sampler else None
        if sampler and not self.chance(0.04):
            arguments = sampler(self, form)
            if arguments is not None:
                return arguments
        arguments, first = [], None
        for kind in form.kinds:
            arguments.append(self.argument(kind, first))
            if form.op in ("pow", "pow_") and isinstance(arguments[-1], bool):
                arguments[-1] = int(arguments[-1])  # PyTorch's gradient tells False from 0
            if first is None and kind in ("tensor", "mask"):
                first = arguments[-1]
        return arguments

    # --- Programs ----------------------------------------------------------------------------

    def program(self, longest=25):
        """The steps of a program of 5 to 25."""
        self.make_form = next(f for f in self.forms.values() if f.op == "make")
        while True:
            self.machine, self.steps = Machine(self.forms), []
            self.base = [self.size() for _ in range(self.pick([0, 1, 2, 2, 2, 3, 3]))]
            self.main = self.pick(["float32", "float32", "float32", "float64", "float64"] if self.chance(0.6)
                                  else ["float16", "bfloat16", "float16", "bfloat16", *NARROW_INTS])
            self.edges = self.chance(0.3)
            self.wrong = self.pick([0, 0, 0, 1, 2])
            length = self.random.randint(5, longest)
            try:
                wants_grad = DTYPES[self.main].is_floating_point and self.chance(0.8)
                self.make(dtype=self.main, requires_grad=True if wants_grad else None)
                tries = 0
                while len(self.steps) < length and tries < 200 and not self.machine.over:
                    tries += 1
                    try:
                        self.step()
                    except Skip:
                        pass
                    except (RuntimeError, IndexError, ValueError, TypeError, KeyError):
                        pass  # arguments that a sampler cannot draw here
            finally:
                torch.set_grad_enabled(True)
            if len(self.steps) >= 5:
                return self.steps[:longest]

    def step(self):
        if self.chance(0.12):
            form = self.forms[self.pick(self.AUTOGRAD)]
        else:
            form = self.pick(self.by_op[self.pick(self.ops)])
        arguments = self.draw(form)
        if len(self.steps) >= 25:
            return
        if self.do({"f": form.python, "a": arguments}):
            if not torch.is_grad_enabled() and self.chance(0.5):
                self.do({"f": "torch.set_grad_enabled(a)", "a": [True]})

    AUTOGRAD = (["backward(a, b, c, d)"] * 3 + ["grad(a, b, c, d, e, f)"] * 4 +
                ["backward_inputs(a, b, c)", "a.grad"])
