#!/usr/bin/env python3
"""Writes recorded.jsonl: programs with PyTorch's answers for a test without PyTorch. First those of bugs.py, which
once showed mistakes, then random ones until each form of a call stands in two.

record.py build/release/bin/differential
"""

import json
import os
import sys

from bugs import BUGS
from generate import Generator
from run import HERE, Target, load_forms
from torch_side import answer, try_answer

TIMES = 2


def short(program):
    """The program without what the test does not read, and with no more digits than it compares."""
    for step in program["steps"]:
        step.pop("text", None)
        for shown in step.get("r", []):
            shorten(shown)
    for shown in program["end"].values():
        shorten(shown["v"])
        shorten(shown["g"])
    return program


def shorten(shown):
    if shown and "tol" in shown:
        digits = 16 if shown["d"] == "float64" else 8
        shown["tol"] = float(f"{shown['tol']:.2g}")
        shown["x"] = [v if isinstance(v, str) else float(f"{v:.{digits}g}") for v in shown.get("x", [])]


def main():
    program = sys.argv[1]
    forms = load_forms(program)
    targets = [Target("cpu", [program]),
               Target("cuda", [program, "--device", "cuda:0"], {"TERN_SIMULATE_CUDA": "2"})]
    recorded, missing = [], {name: TIMES for name in forms}
    for about, steps in BUGS:
        steps = [{"f": f, "a": a, "o": o} for f, a, o in steps]
        recorded.append({"about": about, **answer(forms, steps)})
    for seed in range(200):
        generator = Generator(forms, 1000 + seed)
        programs = [p for p in (try_answer(forms, generator.program(longest=9)) for _ in range(250)) if p]
        differ = [t.check(programs) for t in targets]
        for i, candidate in enumerate(programs):
            called = {s["f"] for s in candidate["steps"] if "r" in s}
            new = [f for f in called if missing.get(f, 0) > 0]
            if new and not differ[0][i] and not differ[1][i]:
                recorded.append(candidate)
                for f in new:
                    missing[f] -= 1
        left = [f for f, n in missing.items() if n > 0]
        print(seed, len(recorded), "programs, missing:", len(left), left[:5], flush=True)
        if not left:
            break
    with open(os.path.join(HERE, "recorded.jsonl"), "w") as out:
        for candidate in recorded:
            out.write(json.dumps(short(candidate), separators=(",", ":")) + "\n")


main()
