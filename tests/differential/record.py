#!/usr/bin/env python3
"""Adds programs with PyTorch's answers to recorded.jsonl, for a test without PyTorch: those of
bugs.py, which once showed mistakes, and random ones until each form of a call stands in two. Drops
programs whose forms are gone.

record.py build/release/bin/differential [--new]     (--new: drops all programs first)
"""

import json
import math
import os
import sys

from bugs import BUGS
from generate import Generator
from run import HERE, Target, load_forms
from torch_side import answer, try_answer

RECORDED = os.path.join(HERE, "recorded.jsonl")
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


def load(forms):
    """The programs that can still run."""
    with open(RECORDED) as lines:
        programs = [json.loads(line) for line in lines]
    return [p for p in programs if all(step["f"] in forms for step in p["steps"])]


def called(program):
    return {step["f"] for step in program["steps"] if "r" in step}


def main():
    program = sys.argv[1]
    forms = load_forms(program)
    targets = [Target("cpu", [program]),
               Target("cuda", [program, "--device", "cuda:0"], {"TERN_SIMULATE_CUDA": "2"})]
    recorded = [] if "--new" in sys.argv[2:] else load(forms)
    known = {candidate.get("about") for candidate in recorded}
    for about, steps in BUGS:
        if about not in known:
            steps = [{"f": f, "a": a, "o": o} for f, a, o in steps]
            recorded.append(short({"about": about, **answer(forms, steps)}))
    missing = {name: TIMES for name in forms}
    for candidate in recorded:
        if "about" not in candidate:
            for form in called(candidate):
                missing[form] -= 1
    for seed in range(200):
        left = [form for form, n in missing.items() if n > 0]
        print(seed, len(recorded), "programs, missing:", len(left), left[:5], flush=True)
        if not left:
            break
        generator = Generator(forms, 1000 + seed)
        # Half of the steps draw what is missing.
        wanted = sorted({forms[form].op for form in left} & set(generator.ops))
        generator.ops = generator.ops + wanted * math.ceil(len(generator.ops) / max(len(wanted), 1))
        drawn = [try_answer(forms, generator.program(longest=9)) for _ in range(250)]
        programs = [p for p in drawn if p]
        differ = [t.check(programs) for t in targets]
        for i, candidate in enumerate(programs):
            new = [form for form in called(candidate) if missing.get(form, 0) > 0]
            if new and not differ[0][i] and not differ[1][i]:
                recorded.append(short(candidate))
                for form in called(candidate):
                    missing[form] -= 1
    with open(RECORDED, "w") as out:
        for candidate in recorded:
            out.write(json.dumps(candidate, separators=(",", ":")) + "\n")


main()
