#!/usr/bin/env python3
"""Random programs, run by PyTorch and by tern: what they answer must be the same.

run.py build/release/bin/differential --count 100000 --cuda --asan build/asan
"""

import argparse
import faulthandler
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from generate import Generator
from shrink import Interpreter, group, report, shrink
from torch_side import Form, try_answer

HERE = os.path.dirname(os.path.abspath(__file__))
CHUNK = 250


def load_forms(program):
    rows = json.loads(subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout)
    return {row["python"]: Form(row) for row in rows}


def load_known(path=os.path.join(HERE, "known.txt")):
    """Patterns and reasons of the differences that stay."""
    with open(path) as lines:
        rows = [line.rstrip("\n").split(" -> ") for line in lines if line.strip() and not line.startswith("#")]
    with open(os.path.join(HERE, "../../docs/pytorch-differences.md")) as page:
        page = page.read()
    for _, reason in rows:
        if reason not in page:
            sys.exit(f"known.txt: no row of docs/pytorch-differences.md says: {reason}")
    return [(re.compile(pattern), pattern, reason) for pattern, reason in rows]


def results_of(program):
    """What is known of each tensor that a program makes, by its number."""
    results = {}
    for step in program["steps"]:
        for number, result in zip(step.get("o", []), step.get("r", [])):
            if result and "s" in result:
                results[number] = result
    return results


def circumstances(program):
    """What a pattern may ask for beside the names of calls."""
    found, results = set(), results_of(program)
    sizes = {number: result["s"] for number, result in results.items()}
    if any(0 in shape for shape in sizes.values()):
        found.add("a tensor without elements")
    if any(isinstance(x, str) for result in results.values() for x in result.get("x", [])):
        found.add("an infinite number")  # or NaN
    for step in program["steps"]:
        if step["f"].startswith("F.binary_cross_entropy_with_logits("):
            if len({results[number]["d"] for number in step["a"][:2] if number in results}) > 1:
                found.add("a loss of two dtypes")
        if step["f"].startswith("a.cov(") and any(number is not None for number in step["a"][2:]):
            if sizes.get(step["a"][0], [])[-1:] in ([], [1]):
                found.add("a covariance of one observation with weights")
        if re.match(r"torch\.linalg\.(cholesky|inv|solve)_ex\(", step["f"]) and len(step.get("o", [])) == 2:
            if any(results.get(step["o"][1], {}).get("x", [])):
                found.add("a matrix without a result")
        if not re.match(r"conv(_transpose)?\dd\(", step["f"]):
            continue
        weight, stride, padding = sizes.get(step["a"][1], []), step["a"][3], step["a"][4]
        if "transpose" in step["f"] or any(padding) or set(stride) != {1}:
            found.add("a convolution with gaps")  # where padding or the space between strides is read
        if any(size > 1 for size in weight[2:]):
            found.add("a convolution whose gradient is padded")
        if weight[2:] == [3, 3]:
            found.add("a convolution by 3 x 3")
    return found


def known_by(known, program, found):
    """The patterns that know a difference."""
    calls = ", ".join(sorted({step["f"] for step in program["steps"]}))
    text = f"{group(program, found)}: {found['text']} | {calls} | {', '.join(sorted(circumstances(program)))}"
    return [pattern for regex, pattern, _ in known if regex.search(text)]


class Target:
    """One way to run the C++ side; a share of the programs goes there."""

    def __init__(self, name, command, environment=None, share=1.0):
        self.name, self.command, self.share = name, command, share
        self.environment = {**os.environ, **(environment or {})}

    def check(self, programs):
        """The first difference of each program, None where there is none. Goes on after a crash."""
        answers = []
        while len(answers) < len(programs):
            text = "".join(json.dumps(p) + "\n" for p in programs[len(answers):])
            try:
                done = subprocess.run(self.command, input=text, capture_output=True, text=True, timeout=300,
                                      env=self.environment)
                out, died = done.stdout, f"exit status {done.returncode}: {done.stderr[:3000]}"
            except subprocess.TimeoutExpired as hang:
                out, died = (hang.stdout or b"").decode(), "hangs"
            lines = out.split("\n")[:-1]
            answers += [json.loads(line) or None for line in lines]
            if len(answers) < len(programs):
                answers.append({"step": -1, "what": "hang" if died == "hangs" else "crash", "text": died})
            elif died != "hangs" and done.returncode != 0:  # behind the last answer
                answers[-1] = answers[-1] or {"step": -1, "what": "crash", "text": died}
        return answers


def targets_of(command, cuda, emulated, asan, asan_share=0.05):
    """The targets that options of the command line ask for."""
    targets, device, simulated = [Target("cpu", command)], ["--device", "cuda:0"], {"TERN_SIMULATE_CUDA": "2"}
    if cuda:
        targets.append(Target("cuda", command + device, simulated))
    if emulated:
        kernels = {**simulated, "TERN_PLUGIN_PATH": os.path.abspath(emulated)}
        targets.append(Target("emulated", command + device, kernels, 0.05))
    if asan:
        library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
        sanitizer = {"LD_PRELOAD": library, "LD_LIBRARY_PATH": os.path.abspath(asan) + "/lib",
                     "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}
        targets.append(Target("asan", command, sanitizer, asan_share))
        if cuda:
            targets.append(Target("asan-cuda", command + device, {**sanitizer, **simulated}, 0.02))
    return targets


def run_chunk(forms, targets, seed, count):
    """Programs from one seed on all targets: (target's index, program, difference) of each difference."""
    generator = Generator(forms, seed)
    programs = [p for p in (try_answer(forms, generator.program()) for _ in range(count)) if p]
    findings = []
    for i, target in enumerate(targets):
        some = programs[:max(1, round(len(programs) * target.share))]
        findings += [(i, p, f) for p, f in zip(some, target.check(some)) if f]
    return len(programs), findings


def work(task):
    return run_chunk(*work.shared, *task)


def leave_signals_to_parent():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def shrink_on(target, program, found):
    return shrink(shrink_on.forms, Interpreter(target.command, target.environment), program, found)


def shrink_apart(target, program, found):
    """Shrinks in a process of its own: PyTorch may crash in what is left of a program."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        try:
            return pool.submit(shrink_on, target, program, found).result()
        except BrokenProcessPool:
            return program, found


def print_findings(groups, targets, forms, known, options):
    for (target, name), members in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"{len(members):6d}  {target}  {name}: {members[0][1]['text'][:200]}", flush=True)
    shrink_on.forms, targets = forms, {t.name: t for t in targets}
    for (target, name), members in sorted(groups.items(), key=lambda item: -len(item[1])):
        if not re.search(options.only, name):
            continue
        members.sort(key=lambda m: len(m[0]["steps"]))
        shown = set()
        # What shows at the end may have many causes.
        for program, found in members[:options.shrink * (4 if name.startswith("end") else 1)]:
            program, found = shrink_apart(targets[target], program, found)
            calls = tuple(step["f"] for step in program["steps"] if forms[step["f"]].op != "make")
            if calls not in shown and not known_by(known, program, found):
                print(f"\n{len(members):6d}  {target}  {name}\n{report(forms, program, found)}", flush=True)
                if options.keep:
                    with open(options.keep, "a") as kept:
                        kept.write(json.dumps(program) + "\n")
            shown.add(calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the C++ side, build/release/bin/differential")
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--cuda", action="store_true", help="also on a simulated device")
    parser.add_argument("--emulated", metavar="FOLDER", help="a share also with the CUDA kernels: build/release/lib/emulated")
    parser.add_argument("--asan", metavar="BUILD", help="a twentieth also with this build's library, under its sanitizers")
    parser.add_argument("--names", action="store_true", help="compare the names of gradients, too")
    parser.add_argument("--shrink", type=int, default=1, help="how many of each group to shrink")
    parser.add_argument("--only", default="", help="shrink the groups that this pattern finds")
    parser.add_argument("--keep", metavar="FILE", help="append the shrunk programs to this file")
    options = parser.parse_args()
    faulthandler.enable()  # names the call of PyTorch that crashes

    command = [options.program] + (["--names"] if options.names else [])
    targets = targets_of(command, options.cuda, options.emulated, options.asan)
    forms, known = load_forms(options.program), load_known()

    tasks = [(options.seed + i, min(CHUNK, options.count - i)) for i in range(0, options.count, CHUNK)]
    work.shared = forms, targets
    groups, used, total, stopped, start = {}, set(), 0, False, time.time()
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell lets a program in the background ignore the first
        signal.signal(number, signal.default_int_handler)
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork"), leave_signals_to_parent) as pool:
        try:
            for chunk in as_completed([pool.submit(work, task) for task in tasks]):
                count, findings = chunk.result()
                total += count
                for i, program, found in findings:
                    patterns = known_by(known, program, found)
                    used.update(patterns)
                    if not patterns:
                        groups.setdefault((targets[i].name, group(program, found)), []).append((program, found))
                print(f"\r{total} programs, {sum(map(len, groups.values()))} differ, {time.time() - start:.0f} s",
                      end="", file=sys.stderr)
        except (KeyboardInterrupt, BrokenProcessPool) as error:  # shows what there is until now
            stopped = True
            print(f"\nended early: {type(error).__name__}", file=sys.stderr)
            pool.shutdown(wait=False, cancel_futures=True)
    print(file=sys.stderr)
    print_findings(groups, targets, forms, known, options)
    for _, pattern, reason in known:
        if pattern not in used and total >= 50000:
            print(f"known.txt: never seen: {pattern} -> {reason}")
    print(f"{total} programs on {', '.join(t.name for t in targets)}: {sum(map(len, groups.values()))} differ in "
          f"{len(groups)} ways, beside those in known.txt")
    sys.exit(1 if groups or stopped else 0)


if __name__ == "__main__":
    main()
