#!/usr/bin/env python3
"""Sequence layers as modules, run by PyTorch and by tern: random shapes for each option.

compare.py build/release/bin/differential --cuda --asan build/asan

The parameters, which PyTorch has drawn and changed, come from its file. tern must draw the same parameters for
the same seed, and compute the same results and gradients of inputs and parameters.
"""

import argparse
import json
import math
import os
import re
import sys
import tempfile
import time

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from draws import plan  # noqa: E402
from run import load_known, targets_of  # noqa: E402
from torch_layers import AXES, answer, as_json, draw_case, in_float64, shown  # noqa: E402

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}
# The norm of numbers that are nearly equal enlarges what rounding has lost, here and in PyTorch.
LOSS = 8
CHUNK = 200


def numbers_of(description):
    return [float(x) for x in description["x"]]


def error_of(expected, found):
    """The largest error relative to the largest finite number, or to 1; infinite for NaN in different elements."""
    largest, off = 1.0, 0.0
    for x, y in zip(expected, found):
        if math.isfinite(x):
            largest = max(largest, abs(x))
        if not (x == y or math.isnan(x) and math.isnan(y)):
            off = max(off, abs(x - y)) if math.isfinite(x - y) else math.inf
    return off / largest


def differ(expected, found):
    """The largest error of all tensors, and what has it; or a text in place of the error."""
    worst, name_of_worst = 0.0, ""
    if [name for name, _ in expected] != [name for name, _ in found]:
        return math.inf, f"names: PyTorch {[n for n, _ in expected]}, tern {[n for n, _ in found]}"
    for (name, want), (_, got) in zip(expected, found):
        want = shown(want)
        if want is None or got is None:
            if want is not got:
                return math.inf, f"{name}: PyTorch {want and 'a tensor'}, tern {got and 'a tensor'}"
            continue
        if (want["d"], want["s"]) != (got["d"], got["s"]):
            return math.inf, f"{name}: PyTorch {want['d']} {want['s']}, tern {got['d']} {got['s']}"
        error = error_of(numbers_of(want), numbers_of(got))
        if error > worst or not name_of_worst:
            worst, name_of_worst = error, name
    return worst, name_of_worst


def values_in(tensors):
    return [[name, shown(value)] for name, value in tensors]


class Comparison:
    """Compares one case after the other, and keeps counts by layer and option."""

    def __init__(self, known, only):
        self.known, self.only = known, only
        self.rows, self.used, self.differences = {}, set(), []
        self.beyond = 0  # of float32, where PyTorch's own float32 has lost as much

    def row(self, layer, name):
        return self.rows.setdefault((layer, name), {"cases": 0, "errors": 0, torch.float64: 0.0, torch.float32: 0.0})

    def judge(self, target, layer, name, case, d, expected, found):
        """Counts a case, or adds a difference."""
        drawn, values = expected
        row = self.row(layer, name)
        row["cases"] += 1
        if isinstance(values, Exception) or "e" in found or "text" in found:
            if isinstance(values, Exception) and "e" in found:
                row["errors"] += 1
            elif isinstance(values, Exception):
                self.differs(target, layer, name, case, f"does not raise: PyTorch {str(values).splitlines()[0]}")
            else:
                self.differs(target, layer, name, case, f"raises: {found.get('e') or found['text']}")
            return
        if "drawn" in found and found["drawn"] and found["drawn"] != values_in(drawn):
            self.differs(target, layer, name, case, f"drawn parameters: {differ(drawn, found['drawn'])}")
            return
        error, what = differ(values, found["values"])
        dtype = case["dtype"]
        if error > TOLERANCE[dtype]:
            if not (dtype == torch.float32 and self.is_as_close(case, d, values, found["values"])):
                self.differs(target, layer, name, case, f"values: {what}: {error:.3g}")
                return
            self.beyond += 1
        else:
            row[dtype] = max(row[dtype], error)

    @staticmethod
    def is_as_close(case, d, values, found):
        """Whether float32 numbers of tern are about as close to those of float64 as PyTorch's, in each tensor."""
        _, exact = answer(in_float64(case), d)
        for (_, of_torch), (_, of_tern), (_, want) in zip(values, found, exact):
            if of_tern is None:
                continue
            want = numbers_of(shown(want))
            off = error_of(want, numbers_of(of_tern))
            if not off <= max(TOLERANCE[torch.float32], LOSS * error_of(want, numbers_of(shown(of_torch)))):
                return False
        return True

    def differs(self, target, layer, name, case, text):
        choices = ", ".join(f"{axis}={value}" for axis, value in case["choices"].items())
        line = f"{layer}: {text} | {choices}"
        patterns = [pattern for regex, pattern, _ in self.known if regex.search(line)]
        self.used.update(patterns)
        if not patterns:
            self.differences.append((target, layer, name, text, case))


def cases_of(layer, options):
    """(option, choices, seed, dtype, number) of each case of a layer."""
    seed = options.seed * 1000000 + 10007 * sorted(AXES).index(layer)
    for name, choices in plan(AXES[layer], options.count, options.mixed):
        for chosen in choices:
            seed += 2
            for dtype in (torch.float64, torch.float32):
                yield name, chosen, seed, dtype


def drops(case):
    default = 0.1 if "Transformer" in case["layer"] else 0
    return case["training"] and case["options"].get("dropout", default) > 0


def run_chunk(comparison, targets, layer, chunk):
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for number, (name, choices, seed, dtype) in enumerate(chunk):
            case, d = draw_case(layer, choices, seed, dtype)
            expected = answer(case, d)
            line = {**as_json(case), "state": os.path.join(folder, f"{number}.pt")}
            torch.save(case.get("state", {}), line["state"])
            cases.append((name, {**case, "choices": choices}, d, expected, line))
        for target in targets:
            on_cpu = "cuda" not in target.name
            some = cases[:max(1, round(len(cases) * target.share))]
            # A device draws other numbers.
            some = [c for c in some if on_cpu or not drops(c[1])]
            answers = target.check([{**line, "compare_drawn": on_cpu} for *_, line in some])
            for (name, case, d, expected, _), found in zip(some, answers):
                comparison.judge(target.name, layer, name, case, d, expected, found or {"e": "no answer"})


def print_report(comparison, layer):
    print(f"\n{layer}")
    for (of_layer, name), row in comparison.rows.items():
        if of_layer == layer:
            errors = f", {row['errors']} errors in both" if row["errors"] else ""
            print(f"  {name}: {row['cases']} cases, largest error {row[torch.float64]:.1e} in float64, "
                  f"{row[torch.float32]:.1e} in float32{errors}")
    groups = {}
    for target, of_layer, name, text, case in comparison.differences:
        if of_layer == layer:
            groups.setdefault((target, re.sub(r"[-+]?\d[\d.e+-]*", "N", text)), []).append((name, text, case))
    for (target, _), members in sorted(groups.items(), key=lambda item: -len(item[1])):
        name, text, case = members[0]
        given = [(n, v if isinstance(v, str) else list(v.shape)) for n, v, _ in case["inputs"] if v is not None]
        print(f"  {len(members)} differ on {target}, in {', '.join(sorted({m[0] for m in members}))}: {text}\n"
              f"    {case['dtype']}, seed {case['seed']}, sizes {case['sizes']}, {case['options']}, {case['call']}, "
              f"training {case['training']}, gradients {case['record']}: {', '.join(f'{n} {v}' for n, v in given)}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the C++ side, build/release/bin/differential")
    parser.add_argument("--count", type=int, default=10, help="shapes of each value of an option")
    parser.add_argument("--mixed", type=int, default=150, help="shapes with all options at random, of each layer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cuda", action="store_true", help="also on a simulated device")
    parser.add_argument("--asan", metavar="BUILD", help="a tenth also with this build's library, under its sanitizers")
    parser.add_argument("--layer", default="", help="only the layers that this pattern finds")
    options = parser.parse_args()
    targets = targets_of([options.program, "--layers"], options.cuda, None, options.asan, asan_share=0.1)
    layers = [layer for layer in AXES if re.search(options.layer, layer)]
    comparison, start = Comparison(load_known(os.path.join(HERE, "known.txt")), options.layer), time.time()
    total = 0
    for layer in layers:
        cases = list(cases_of(layer, options))
        for i in range(0, len(cases), CHUNK):
            run_chunk(comparison, targets, layer, cases[i:i + CHUNK])
            total += len(cases[i:i + CHUNK])
            print(f"\r{total} cases, {len(comparison.differences)} differ, {time.time() - start:.0f} s", end="",
                  file=sys.stderr)
        print(file=sys.stderr)
        print_report(comparison, layer)
    for _, pattern, reason in comparison.known:
        if pattern not in comparison.used and not options.layer:
            print(f"layers/known.txt: never seen: {pattern} -> {reason}")
    largest = {dtype: max(row[dtype] for row in comparison.rows.values()) for dtype in TOLERANCE}
    print(f"\n{total} cases of {len(layers)} layers on {', '.join(t.name for t in targets)}: largest error "
          f"{largest[torch.float64]:.1e} in float64, {largest[torch.float32]:.1e} in float32; in {comparison.beyond} "
          f"PyTorch's float32 is as far from its float64; {len(comparison.differences)} differ, beside those in known.txt")
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
