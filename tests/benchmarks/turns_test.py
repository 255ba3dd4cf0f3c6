#!/usr/bin/env python3
"""Judges recorded turns of benchmark programs: a program that waited for a core in every turn has no
time and no ratio, but a reason."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../benchmarks"))

import compare
import scaling_chart
import table
import turns

# Two threads on two cores, which compilers used at the same time: nanoseconds of each turn, and the
# smallest share of a batch that threads waited for a core. Batch norm of 128 x 400 and its gradients:
TERN = [(25044, 0.3851), (25628, 0.6367), (26941, 0.6892), (25578, 0.0073), (23872, 0.005)]
LIBTORCH = [(67731691, 1.0047), (83710984, 1.0483), (80754815, 1.2179), (71909252, 1.0874),
            (79964186, 1.0051)]
# libtorch in evaluation: it had both cores in the last turn.
LAST_TURN = [(7865602, 1.0125), (7903818, 1.01), (7884469, 1.0116), (7931029, 1.0077), (9524, 0.0)]
# libtorch in evaluation of 1024 x 1024: nothing else ran.
QUIET = [(91126, 0.0), (90525, 0.0), (89894, 0.0), (90715, 0.0), (89223, 0.0)]


class Recorded:
    """A program whose turns are known."""

    def __init__(self, recorded):
        self.turns = iter(recorded)

    def time(self):
        nanoseconds, waited = next(self.turns)
        return nanoseconds and float(nanoseconds), waited


def figures(*recorded):
    return turns.time_line([Recorded(one) for one in recorded], len(recorded[0]), threads=2)


def line_of(tern, peer):
    """The line of results.md."""
    return list(table.lines_table([("norm", "norms", 2, tern, peer)]))[-1]


class Figures(unittest.TestCase):
    def test_smallest_time_of_a_program_that_had_its_cores(self):
        self.assertEqual(figures(QUIET, TERN), [89223, 23872])
        self.assertEqual(figures(LAST_TURN), [9524])

    def test_no_time_of_a_program_that_always_waited(self):
        self.assertEqual(figures(TERN, LIBTORCH), [23872, turns.WAITED])
        self.assertEqual(figures(LAST_TURN[:4]), [turns.WAITED])

    def test_no_time_of_a_program_that_failed(self):
        self.assertEqual(figures(QUIET[:2] + [(None, 0)]), [None])

    def test_turns_of_a_process(self):
        for answer, expected in (("12.5\t0.75", (12.5, 0.75)), ("12.5", (12.5, 0)), ("x", (None, 0))):
            program = turns.Program(
                ["sh", "-c", f'printf "line\\tnorm\\n"; while read c; do printf "time\\t{answer}\\n"; done'])
            try:
                self.assertEqual(program.time(), expected)
            finally:
                program.end()


class Tables(unittest.TestCase):
    def test_ratio(self):
        self.assertEqual(line_of(*figures(TERN, QUIET)), "| norm | 23.9 us | 0.27 |")

    def test_dash_with_its_reason(self):
        self.assertEqual(line_of(*figures(TERN, LIBTORCH)),
                         "| norm | 23.9 us | - (peer waited for a core) |")
        self.assertEqual(line_of(*figures(LIBTORCH, TERN)), "| norm | - | - (tern waited for a core) |")
        self.assertEqual(line_of(*figures(LIBTORCH, LIBTORCH)),
                         "| norm | - | - (tern and peer waited for a core) |")
        self.assertEqual(line_of(23872.0, None), "| norm | 23.9 us | - |")

    def test_means_leave_dashes_out(self):
        rows = [("a", "norms", 2, *figures(TERN, QUIET)), ("b", "norms", 2, *figures(TERN, LIBTORCH))]
        self.assertEqual(list(table.programs_table(rows))[-1], "| norms | 2 | 1 | 0.27 | 0.27 | a |")
        self.assertEqual(table.waits(table.reason(*row[3:]) for row in rows),
                         "Lines without a ratio because a program waited for a core in every round: 1.")
        self.assertIsNone(table.waits([None]))

    def test_chart_leaves_dashes_out(self):
        rows = [("batch 1", "scaling", 2, *figures(TERN, LIBTORCH))]
        self.assertEqual([name for name, _ in scaling_chart.series_of(rows)], ["tern, 2 threads"])

    def test_builds(self):
        line = compare.Line("norms", 2, "norm")
        line.passes.append(figures(TERN, LIBTORCH))
        self.assertFalse(line.suspicious())
        self.assertEqual(line.row(), "| norm | norms, 2 | 23.9 us | - | - | - | new waited for a core |")
        line.passes.append(figures(TERN, QUIET))
        self.assertEqual(line.row(), "| norm | norms, 2 | 23.9 us | 89.2 us | 3.74 | -, 3.74 |  |")


unittest.main(warnings="ignore")  # pipes that are still open
