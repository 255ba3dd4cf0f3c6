#!/usr/bin/env python3
"""Writes recorded.jsonl: cases with several options at random and PyTorch's answers, for a test without PyTorch.

record.py
"""

import json
import os

import torch

from compare import HERE, values_in
from draws import plan
from torch_layers import AXES, answer, as_json, draw_case, shown

TIMES = 4          # cases of each layer
LARGEST = 9000     # bytes of a case


def short(value):
    """Numbers with the digits that the test compares."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, list):
        return [short(x) for x in value]
    return {key: short(x) for key, x in value.items()} if isinstance(value, dict) else value


def recorded(layer, choices, seed):
    """A case, or None where it says little or is long."""
    case, d = draw_case(layer, choices, seed, torch.float64, grid=32)
    _, values = answer(case, d)
    if isinstance(values, Exception) or choices["batch"] == 0 or not all(
            value is None or value.isfinite().all() for _, value in values):
        return None
    line = {**as_json(case), "state": {name: shown(value) for name, value in case["state"].items()},
            "answer": short(values_in(values))}
    return line if len(json.dumps(line)) < LARGEST else None


def main():
    with open(os.path.join(HERE, "recorded.jsonl"), "w") as out:
        for layer, axes in AXES.items():
            *_, (_, mixed) = plan(axes, 1, 400)
            found = [line for line in (recorded(layer, chosen, 2 * i) for i, chosen in enumerate(mixed)) if line]
            for line in found[:TIMES]:
                out.write(json.dumps(line, separators=(",", ":")) + "\n")
            print(f"{layer}: {len(found)} found")


main()
