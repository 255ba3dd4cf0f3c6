#!/usr/bin/env python3
"""Writes edges.jsonl: calls of ops with options and elements at their edges, with PyTorch's answers; and extremes.jsonl:
calls in float32 that PyTorch answers in float64, because its float32 leaves the range. recorded_test runs them. Each is a
program of its own (program.h); "rel" of a result is the relative error that it may have.

edges.py build/release/bin/differential
"""
import json
import math
import os
import sys

import torch

from edge_calls import CALLS
from extreme_calls import EXTREMES
from run import HERE, load_forms
from torch_side import DTYPES, argument_of

REL = {torch.float32: 1e-5, torch.float64: 1e-13, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}


def element(value, dtype=torch.float32):
    """A number as JSON holds it; with no more digits than float32 has, unless it is a float64."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return str(value)
    # Rounding the largest numbers could give one that float32 cannot hold.
    return float(f"{value:.9g}") if dtype != torch.float64 and abs(value) < 3e38 else value


def shown(tensor, sums):
    if tensor is None:
        return None
    x = tensor.detach()
    answer = {"d": str(x.dtype)[6:], "s": list(x.shape), "x": [element(v, x.dtype) for v in x.flatten().tolist()]}
    if x.dtype in REL:
        answer["rel"] = REL[x.dtype]
        finite = x[torch.isfinite(x)].abs()
        if sums and finite.numel():
            answer["tol"] = float(f"{finite.max().item() * REL[x.dtype] / 10:.2g}")
    return answer


class Program:
    """The steps of one call: it makes the tensors, calls the form, and asks for the gradients of the first result."""

    def __init__(self, forms, call, in_double):
        self.forms, self.steps, self.variables = forms, [], {}
        self.sums, self.gradient = call["sums"], call["gradient"]
        # Whether PyTorch computes in float64 what the program does in float32.
        self.double = in_double and not any(isinstance(a, tuple) and a[2] != "float32" for a in call["a"])
        form = forms[call["f"]]
        arguments = [self.argument(kind, value) for kind, value in zip(form.kinds, call["a"])]
        self.step(call["f"], arguments)

    def argument(self, kind, value):
        if kind in ("tensor", "mask", "indices", "tensor?"):
            return None if value is None else self.make(*value)
        if kind == "tensors":
            return [self.make(*each) for each in value]
        return value

    def make(self, values, shape=None, dtype="float32", grad=True):
        shape = [len(values)] if shape is None else shape
        grad = grad and DTYPES[dtype].is_floating_point
        n = self.step("make(a, b, c, d, e)", [dtype, shape, [element(v) for v in values], "contiguous", grad])
        if self.double:
            self.variables[n] = self.variables[n].detach().double().requires_grad_(grad)
        return n

    def step(self, name, arguments):
        """Runs a step. Returns the number of its first result; an error is an answer, too."""
        form, step = self.forms[name], {"f": name, "a": arguments}
        self.steps.append(step)
        try:
            results = form.call(*[argument_of(self.variables, k, v) for k, v in zip(form.kinds, arguments)])
        except Exception as error:  # whatever PyTorch raises
            step.update(o=[], e="index" if isinstance(error, IndexError) else "error")
            return None
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        results = [torch.tensor(r) if isinstance(r, (bool, int, float)) else r for r in results]
        first = len(self.variables)
        step["o"] = list(range(first, first + len(results)))
        step["r"] = [shown(r.float() if self.double else r, self.sums) for r in results]
        if form.op == "make":
            step["r"][0].pop("x")
        self.variables.update(zip(step["o"], results))
        recorded = [n for n in step["o"] if self.variables[n] is not None and self.variables[n].grad_fn is not None]
        if recorded and form.op not in ("grad", "make"):
            self.gradients(recorded[0])
        return first

    def gradients(self, n):
        out = self.variables[n]
        leaves = [m for m, x in self.variables.items() if x is not None and x.is_leaf and x.requires_grad]
        weights = self.gradient or [1 + i % 4 / 4 for i in range(out.numel())]
        weights = self.make(weights, list(out.shape), "float32" if self.double else str(out.dtype)[6:], False)
        self.step("grad(a, b, c, d, e, f)", [[n], leaves, [weights], None, False, True])


def main():
    forms = load_forms(sys.argv[1])
    for name, calls in (("edges", CALLS), ("extremes", EXTREMES)):
        with open(os.path.join(HERE, name + ".jsonl"), "w") as out:
            for call in calls:
                program = Program(forms, call, calls is EXTREMES)
                line = {"about": call["about"], "steps": program.steps, "end": {}}
                out.write(json.dumps(line, separators=(",", ":")) + "\n")
        print(len(calls), name)


if __name__ == "__main__":
    main()
