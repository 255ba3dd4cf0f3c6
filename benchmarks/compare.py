#!/usr/bin/env python3
"""Compares two builds of tern: their benchmark programs take turns at each line.

  benchmarks/compare.py OLD NEW          (make bench-compare OLD=build-dir NEW=build-dir)

Environment: PROGRAMS, THREADS ("1 2") and ROUNDS (5), as in run.py. Lines whose ratio new / old is
above LIMIT are measured again in new processes, with three times the rounds, up to PASSES passes, in
which the builds start in turns first. A line that is above LIMIT in every pass is slower; the others
were noise. Prints the worst lines and writes all to NEW/bench/compare.md.
"""

import os
import sys
import time

import turns
from table import mean_of, ratio, shown, shown_ratio, waits, who_waited

LIMIT, PASSES, PRINTED = 1.02, 3, 40


class Line:
    """One line with the times of both builds in each pass."""

    def __init__(self, program, threads, name):
        self.program, self.threads, self.name, self.passes = program, threads, name, []

    def ratios(self):
        return [ratio(new, old) for old, new in self.passes]

    def suspicious(self):
        return all(r is not None and r > LIMIT for r in self.ratios())

    def slower(self):
        return len(self.passes) == PASSES and self.suspicious()

    def reason(self):
        """Why the line has no ratio."""
        return who_waited(self.passes[-1], ("old", "new"))

    def row(self):
        # Uses the last pass: programs chosen for being slow in the first pass have a ratio too high there.
        old, new = self.passes[-1]
        ratios = ", ".join(map(shown_ratio, self.ratios()))
        verdict = "slower" if self.slower() else self.reason() or ""
        return (f"| {self.name} | {self.program}, {self.threads} | {shown(old)} | {shown(new)} | "
                f"{shown_ratio(self.ratios()[-1])} | {ratios} | {verdict} |")


def measure(builds, program, threads, rounds):
    """The lines of one program after all passes."""
    commands = [[os.path.join(build, "bin", program), threads] for build in builds]
    lines = {}
    for name, times in turns.take_turns(commands, threads, lambda: rounds):
        lines[name] = Line(program, threads, name)
        lines[name].passes.append(times)
    for pass_ in range(1, PASSES):
        again = {name for name, line in lines.items() if line.suspicious()}
        if not again:
            break
        # The process that starts later is more often the one whose memory is up to a seventh slower.
        order = -1 if pass_ % 2 else 1
        for name, times in turns.take_turns(commands[::order], threads, lambda: 3 * rounds, only=again):
            lines[name].passes.append(times[::order])
    return list(lines.values())


def means_table(lines):
    """Of the first pass, in which no line was chosen for its ratio."""
    programs = {}
    for line in lines:
        programs.setdefault((line.program, line.threads), []).append(line.ratios()[0])
    yield "| program | threads | lines | geometric mean, new / old |"
    yield "| --- | ---: | ---: | ---: |"
    for (program, threads), ratios in programs.items():
        found = [r for r in ratios if r is not None]
        yield f"| {program} | {threads} | {len(found)} | {shown_ratio(mean_of(found), 3)} |"


def lines_table(lines):
    yield "| what | program, threads | old | new | ratio | ratio of each pass | |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | --- |"
    yield from (line.row() for line in lines)


def main(old, new):
    programs, thread_counts, rounds = turns.chosen()
    start, lines = time.monotonic(), []
    for threads in thread_counts:
        for program in programs:
            print(f"{program}, {threads} threads", file=sys.stderr, flush=True)
            lines += measure((old, new), program, threads, rounds)
    # Slower lines first, then by ratio; lines that could not be measured come last.
    lines.sort(key=lambda line: (line.slower(), line.ratios()[-1] or 0), reverse=True)
    summary = (f"{sum(line.slower() for line in lines)} of {len(lines)} lines are above {LIMIT} in all "
               f"{PASSES} passes. Took {time.monotonic() - start:.0f} s.")
    waited = waits(line.reason() for line in lines)
    if waited:
        summary += "\n" + waited
    path = os.path.join(new, "bench", "compare.md")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        print(f"Old: {old}. New: {new}. Smallest of all rounds.", "", *lines_table(lines), "",
              *means_table(lines), "", summary, sep="\n", file=file)
    print(*lines_table(lines[:PRINTED]), "", *means_table(lines), "", summary, sep="\n")
    print(f"All lines are in {path}.")


if __name__ == "__main__":
    main(*turns.builds(2, __doc__))
