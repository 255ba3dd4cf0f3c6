#!/usr/bin/env python3
"""Random programs, run by PyTorch and by tern: what they answer must be the same."""

import argparse
import json
import os
import re
import subprocess
import sys
import time

from generate import Generator
from shrink import Interpreter, group, report, shrink
from torch_side import Form, try_answer


def load_forms(program):
    rows = json.loads(subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout)
    return {row["python"]: Form(row) for row in rows}


def check(program, arguments, programs, seconds):
    """The first difference of each program, None where there is none. Goes on after a crash."""
    answers = []
    while len(answers) < len(programs):
        rest = programs[len(answers):]
        text = "".join(json.dumps(p) + "\n" for p in rest)
        try:
            done = subprocess.run([program] + arguments, input=text, capture_output=True, text=True, timeout=seconds)
            out, died, err = done.stdout, done.returncode != 0, done.stderr
        except subprocess.TimeoutExpired as hang:
            out, died, err = (hang.stdout or b"").decode(), True, "hangs"
        lines = [l for l in out.split("\n")[:-1]]
        answers += [json.loads(l) or None for l in lines]
        if died and len(answers) < len(programs):
            answers.append({"step": -1, "what": "crash" if err != "hangs" else "hang", "text": err[-2000:]})
        elif len(answers) < len(programs) and not lines:
            raise RuntimeError(err)
    return answers


def load_known():
    """Patterns and reasons of the differences that stay."""
    lines = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.txt")).read().split("\n")
    return [(re.compile(p), p, reason) for p, reason in
            (line.split(" -> ") for line in lines if line and not line.startswith("#"))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="shrink the groups that this pattern finds")
    parser.add_argument("--shrink", type=int, default=1)
    parser.add_argument("--arguments", default="")
    options = parser.parse_args()
    forms = load_forms(options.program)
    groups, known, used = {}, load_known(), set()

    def is_known(program, found):
        text = f"{group(program, found)}: {found['text']}"
        matches = [p for regex, p, _ in known if regex.search(text)]
        used.update(matches)
        return bool(matches)

    start = time.time()
    for chunk in range(0, options.count, 500):
        generator = Generator(forms, options.seed + chunk)
        programs = [try_answer(forms, generator.program()) for _ in range(min(500, options.count - chunk))]
        programs = [p for p in programs if p]
        generated = time.time()
        for program, found in zip(programs, check(options.program, options.arguments.split(), programs, 120)):
            if found and not is_known(program, found):
                groups.setdefault(group(program, found), []).append((program, found))
        print(chunk, "generated", round(generated - start, 1), "checked", round(time.time() - generated, 1),
              "differ", sum(len(g) for g in groups.values()), file=sys.stderr)
    for name, members in sorted(groups.items(), key=lambda kv: -len(kv[1])):
        print(f"{len(members):5d}  {name}: {members[0][1]['text'][:200]}", flush=True)
    interpreter = Interpreter([options.program] + options.arguments.split())
    for name, members in sorted(groups.items(), key=lambda kv: -len(kv[1])):
        if not re.search(options.only, name):
            continue
        # What shows at the end may have many causes.
        members.sort(key=lambda m: len(m[0]["steps"]))
        shown = set()
        for program, found in members[:options.shrink * 4 if name.startswith("end") else options.shrink]:
            program, found = shrink(forms, interpreter, program, found)
            ops = tuple(s["f"] for s in program["steps"] if not s["f"].startswith("make"))
            if ops not in shown and not is_known(program, found):
                print(f"\n{len(members):5d}  {name}\n{report(forms, program, found)}", flush=True)
            shown.add(ops)
    for _, pattern, reason in known:
        if pattern not in used and options.count >= 10000:
            print(f"known.txt: never seen: {pattern} -> {reason}")


main()
