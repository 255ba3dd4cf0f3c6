#!/usr/bin/env python3
"""Plants mistakes in the library, one at a time, and tells which ones no test notices.

  tests/mutants/mutants.py [FILE[:LINE[-LINE]]...]      (make mutants N=20 SEED=1 FILES="core/ops")

Environment: N mistakes (20), drawn with SEED (1) from the files or folders (the whole library), JOBS
at a time (1; make: one for each core). Builds in build/mutants. Neither sources nor build are changed: see build.py. What the
compiler refuses, or compiles to the same code, does not count, and another one is drawn.
"""

import os
import platform
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time

import noticing
import rules
from build import Build, Trial, stop_all
from source import Source

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
FOLDER = os.path.join(ROOT, "build/mutants")
FOLDERS = ["core", "nn", "serialization", "train", "compat", "backends"]
# A header is compiled into some objects, then into some more, nearest folders first.
FIRST_OBJECTS, MOST_OBJECTS = 2, 8


def configure():
    """Builds the library with one set of CPU kernels, and the test programs."""
    if not os.path.exists(os.path.join(FOLDER, "build.ninja")):
        kernels = "avx2" if platform.machine() in ("x86_64", "AMD64") else "baseline"
        subprocess.run(["cmake", "--preset", "release", "-B", FOLDER, "-G", "Ninja",
                        f"-DTERN_CPU_SETS={kernels}", "-DTERN_CUDA=OFF",
                        "-DTERN_BUILD_BENCHMARKS=OFF", "-DTERN_INSTALL=OFF"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", FOLDER, "--parallel", os.environ.get("JOBS", "1"), "--target",
                    "tern", *noticing.programs()], cwd=ROOT, check=True)


def draw(arguments, seed):
    """All mistakes in the order in which they are tried: each line is as probable as any other."""
    ranges = []
    for argument in arguments or FOLDERS:
        path, _, lines = argument.partition(":")
        first, _, last = lines.partition("-")
        ranges.append((path.rstrip("/"), int(first or 1), int(last or first or 10**9)))
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *[r[0] for r in ranges]],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    sources, by_line = {}, {}
    for path in sorted(set(listed)):
        if not re.search(r"\.(cpp|cu|h|def)$", path) or path.startswith("tests/"):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            sources[path] = Source(path, file.read())
        for mistake in rules.mistakes(sources[path]):
            if any((path + "/").startswith(name + "/") and first <= mistake.line <= last
                   for name, first, last in ranges):
                by_line.setdefault((path, mistake.line), []).append(mistake)
    chosen, order = random.Random(seed), []
    while by_line:
        lines = sorted(by_line)
        chosen.shuffle(lines)
        for line in lines:
            rule = chosen.choice(sorted({mistake.rule for mistake in by_line[line]}))
            mistake = chosen.choice([m for m in by_line[line] if m.rule == rule])
            order.append(mistake)
            by_line[line].remove(mistake)
            if not by_line[line]:
                del by_line[line]
    return sources, order


class Worker:
    def __init__(self, build, tests, sources, number):
        self.build, self.tests, self.sources = build, tests, sources
        self.folder = os.path.join(FOLDER, f"trial-{number}")
        self.scratch = os.path.join(FOLDER, f"scratch-{number}")

    def judge(self, mistake):
        """"refused", "same" or "absent" for what does not count, else the test that noticed."""
        source = self.sources[mistake.path]
        at = mistake.start
        text = source.text[:at] + mistake.new + source.text[at + len(mistake.old):]
        _, tests = noticing.area_of(mistake.path)
        function = source.function_at(mistake.line)
        objects = self.build.objects(mistake.path)
        header = mistake.path.endswith((".h", ".def"))
        in_tests = header and self.build.in_tests(mistake.path)
        if not objects and not in_tests:
            return "absent", None
        trial = Trial(self.build, self.folder, mistake.path, text)
        for some in [objects[:FIRST_OBJECTS], objects[FIRST_OBJECTS:MOST_OBJECTS]] if header else [objects]:
            if not some:
                continue
            if not all(trial.compile(target) for target in some) or not trial.link():
                return "refused", None
            noticed = self.tests.notice(trial, tests, mistake.path, function, self.scratch)
            if noticed:
                return "noticed", noticed
        if in_tests:  # what only the test programs instantiate
            for test in [test for test in tests if not test.startswith("fuzz_")][:2]:
                targets = self.build.test_objects(re.split("[ @]", test)[0], mistake.path)
                for some in [targets[:1], targets[1:]]:
                    if some and not trial.compile_tests(some):
                        return "refused", None
                    noticed = some and self.tests.notice(trial, [test], mistake.path, function,
                                                         self.scratch)
                    if noticed:
                        return "noticed", noticed
        elif self._same_code(trial, source):
            return "same", None
        return "survived", None

    def _same_code(self, trial, source):
        """True when the compiler makes the same of the file without the mistake."""
        plain = Trial(self.build, self.folder + "-plain", source.path, source.text)
        for target in trial.objects:
            if not plain.compile(target):
                return False
            with open(plain.objects[target], "rb") as old, open(trial.objects[target], "rb") as new:
                if old.read() != new.read():
                    return False
        return True


class Run:
    """Gives the mistakes to the workers until the first `count` that count are judged."""

    def __init__(self, order, count):
        self.order, self.count, self.next = order, count, 0
        self.verdicts, self.lock, self.failed = {}, threading.Lock(), False

    def _counted(self):
        return [i for i in sorted(self.verdicts) if self.verdicts[i][1] in ("noticed", "survived")]

    def take(self):
        with self.lock:
            if self.next >= len(self.order) or len(self._counted()) >= self.count:
                return None
            self.next += 1
            return self.next - 1

    def work(self, worker):
        while (number := self.take()) is not None:
            mistake, start = self.order[number], time.time()
            try:
                verdict, test = worker.judge(mistake)
            except Exception:
                print("at", shown(mistake), flush=True)
                self.order, self.failed = [], True  # the other workers stop, too
                raise
            with self.lock:
                self.verdicts[number] = mistake, verdict, test
                print(f"{len(self._counted())}/{self.count} {verdict} {test or ''} "
                      f"{time.time() - start:.0f} s: {shown(mistake)}", flush=True)

    def results(self):
        return [self.verdicts[i] for i in self._counted()[:self.count]]


def shown(mistake):
    old, new = (" ".join(text.split()) for text in (mistake.old, mistake.new))
    return f"{mistake.path}:{mistake.line}: {mistake.rule}: `{old}` -> `{new}`"


def report(results, sources):
    survivors = [mistake for mistake, verdict, _ in results if verdict == "survived"]
    print("\n| area | mistakes | noticed | share |\n| --- | ---: | ---: | ---: |")
    areas = list(dict.fromkeys(name for name, _, _ in noticing.AREAS))
    for area in areas + ["all"]:
        verdicts = [verdict for mistake, verdict, _ in results
                    if area in (noticing.area_of(mistake.path)[0], "all")]
        if verdicts:
            noticed = verdicts.count("noticed")
            print(f"| {area} | {len(verdicts)} | {noticed} | {100 * noticed / len(verdicts):.0f} % |")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{(used.ru_utime + used.ru_stime) / 60:.0f} CPU-minutes")
    print(f"\n{len(survivors)} of {len(results)} that no test noticed:" if survivors
          else f"\nNo survivors of {len(results)}.")
    for mistake in survivors:
        print(f"{shown(mistake)}\n    {sources[mistake.path].lines[mistake.line - 1].strip()}")


def main():
    count = int(os.environ.get("N", "20"))
    seed, jobs = os.environ.get("SEED", "1"), int(os.environ.get("JOBS", "1"))
    configure()
    sources, order = draw(sys.argv[1:], seed)
    if not order:
        sys.exit("no place for a mistake in: " + " ".join(sys.argv[1:]))
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell lets a program in the background ignore the first
        signal.signal(number, signal.default_int_handler)
    build = Build(ROOT, FOLDER)
    tests = noticing.Tests(build)
    run = Run(order, count)
    print(f"{len(order)} mistakes in {len(sources)} files; {count} with seed {seed}", flush=True)
    threads = [threading.Thread(target=run.work, args=(Worker(build, tests, sources, i),), daemon=True)
               for i in range(jobs)]
    for thread in threads:
        thread.start()
    results = None
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        results = run.results()  # a test that stop_all() kills would count as one that noticed
        run.order, run.failed = [], True
        print("stopped")
    finally:
        stop_all()
    report(run.results() if results is None else results, sources)
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
