#!/usr/bin/env python3
"""Fills in what PyTorch 2.15.0 computes for the cases of records, and puts the files in layout.

    tests/ops/golden.py tests/ops/cases/reduce/sum.json ...

Without a file it does this for all records. Changes nothing where a record is up to date.

Each entry of "golden" has inputs that are exact in float32 and, per dtype, the output and the
gradients of the inputs for an output gradient of 1, 1.25, 1.5, 1.75, 1, ... "node" is the name of
the output's grad_fn. An input of dtype "floating" has the dtype of the run, any other keeps its
own. The first entry has the narrow dtypes, too; null says that PyTorch refuses one. Numbers that
JSON lacks are strings. "shares" says what the result is to an argument whose memory it shares, for
arguments in each of the three layouts of op_case.h: "view of a", "same as a" (the tensor itself),
"alias of a" (no view) or ""; the field is missing where no result shares any.

A new entry is {"inputs": S}, where S is the name of a set in golden_inputs.py or one sample, as in
"samples". A case without "golden" gets the set that fits its samples.
"""
import json
import math
import sys
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F

from golden_inputs import Inputs, is_data, tensor_of
from record_layout import LayoutError, check, layout

CASES = Path(__file__).parent / "cases"
DTYPES = (torch.float32, torch.float64)
NARROW = (torch.float16, torch.bfloat16, torch.int32, torch.int16, torch.int8, torch.uint8)


# Twins of tests/ops/record_functions.h.

def first(pieces):
    return pieces[0]


def second(pieces):
    return pieces[1]


def constant(x):
    return x.detach()


def third(pieces):
    return pieces[2]


def floating(x):
    """Refuses integers, with which PyTorch computes some convolutions and refuses others."""
    if not x.is_floating_point():
        raise RuntimeError("not a floating dtype")
    return x


def positive_definite(x):
    return x @ x.mT + x.shape[-1] * torch.eye(x.shape[-1], dtype=x.dtype)


# The functions of torch need no prefix, so that most texts are the same in both languages.
NAMESPACE = {**vars(torch._C._linalg), **vars(torch), **vars(F), "torch": torch, "F": F,
             "math": math, "inf": math.inf, "nan": math.nan, "true": True, "false": False,
             "first": first, "second": second, "third": third, "constant": constant,
             "positive_definite": positive_definite, "floating": floating}


def numbers(tensor):
    def number(value):
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        return int(value) if float(value) == int(value) and str(value) != "-0.0" else value

    values = tensor.detach().reshape(-1).tolist()
    if tensor.dtype == torch.float32:
        values = [float("%.9g" % value) for value in values]
    return [number(value) for value in values]


def show(tensor):
    """A tensor as data; one of float64 follows the dtype of the run."""
    dtype = "floating" if tensor.dtype == torch.float64 else str(tensor.dtype)[6:]
    return {"dtype": dtype, "shape": list(tensor.shape), "data": numbers(tensor)}


def read(data, dtype):
    """The tensor that show() wrote, in a run with `dtype`."""
    own = dtype if data["dtype"] == "floating" else getattr(torch, data["dtype"])
    if dtype in NARROW and own == dtype:  # casts what a narrow tensor cannot be made of
        return tensor_of(data, torch.float64).to(own)
    return tensor_of(data, own)


def results(function, sample, dtype):
    inputs = [read(data, dtype) for data in sample]
    for x in inputs:
        x.requires_grad_(x.is_floating_point())
    out = function(*inputs)
    result = {"dtype": str(out.dtype)[6:], "shape": list(out.shape), "data": numbers(out)}
    if out.requires_grad:
        result["node"] = out.grad_fn.name().replace("torch::autograd::", "")
        weight = 1 + torch.arange(out.numel()).remainder(4).to(out.dtype).view(out.shape) / 4
        leaves = [x for x in inputs if x.requires_grad]
        grads = torch.autograd.grad(out, leaves, weight, allow_unused=True)
        result["grads"] = [None if g is None else numbers(g) for g in grads]
    return result


def results_or_none(function, sample, dtype):
    try:
        return results(function, sample, dtype)
    except RuntimeError:
        return None


def laid_out(x, layout):
    """The tensor in a layout of op_case.h: contiguous, transposed, with gaps."""
    if layout == 1 and x.dim() > 1:
        return x.transpose(0, -1).contiguous().transpose(0, -1)
    if layout == 2 and x.dim() > 0:
        gaps = x.new_zeros([*x.shape[:-1], 2 * x.shape[-1]])[..., ::2]
        return gaps.copy_(x)
    return x


def sharing(function, sample, layout):
    """Which argument shares its memory with the result, and how."""
    inputs = [laid_out(read(data, torch.float32), layout) for data in sample]
    try:
        out = function(*inputs)
    except RuntimeError:  # a view that the layout does not allow
        return ""
    for name, x in zip("abcdefgh", inputs):
        if out is x:
            return f"same as {name}"
        if out.untyped_storage()._cdata == x.untyped_storage()._cdata:
            return f"{'view' if out._is_view() else 'alias'} of {name}"
    return ""


def fill_in(case):
    text = case.get("python", case["cpp"])
    entries, draw = [], Inputs(case["name"])
    for entry in case.get("golden", [{"inputs": "samples"}]):
        inputs = entry["inputs"]
        if isinstance(inputs, list) and all(map(is_data, inputs)):
            entries.append(inputs)
        else:
            samples = draw.expand(inputs, case["samples"])
            entries += [[show(x) for x in sample] for sample in samples]
    case["golden"] = []
    for inputs in entries:
        function = eval(f"lambda {', '.join('abcdefgh'[:len(inputs)])}: {text}", NAMESPACE)
        entry = {"inputs": inputs}
        for dtype in DTYPES:
            entry[str(dtype)[6:]] = results(function, inputs, dtype)
        if not case["golden"] and any(data["dtype"] == "floating" for data in inputs):
            for dtype in NARROW:
                entry[str(dtype)[6:]] = results_or_none(function, inputs, dtype)
        shares = [sharing(function, inputs, layout) for layout in range(3)]
        if any(shares):
            entry["shares"] = shares
        case["golden"].append(entry)
    nodes = [entry["float32"]["node"] for entry in case["golden"] if "node" in entry["float32"]]
    if nodes:
        case.setdefault("node", nodes[0])


def update(path):
    before = path.read_text()
    record = json.loads(before)
    check(record, path.stem)
    for case in record.get("cases", []):
        try:
            fill_in(case)
        except Exception as error:
            raise LayoutError(f"case {case['name']}: {type(error).__name__}: {error}") from error
    after = layout(record)
    if after != before:
        path.write_text(after)
        print(path)


def main():
    warnings.simplefilter("ignore")
    if torch.__version__.split("+")[0] != "2.15.0":
        sys.exit(f"the numbers are PyTorch 2.15.0's, and this is {torch.__version__}")
    failed = False
    for path in [Path(name) for name in sys.argv[1:]] or sorted(CASES.rglob("*.json")):
        try:
            update(path)
        except (LayoutError, json.JSONDecodeError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
