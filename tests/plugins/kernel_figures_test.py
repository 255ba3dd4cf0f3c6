#!/usr/bin/env python3
"""kernel_figures_test.py FOLDER LIBRARY TOOLKIT: what cmake/kernel_figures.py says of wrong budgets for a library."""
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv[1])
import kernel_figures  # noqa: E402

LIBRARY, TOOLKIT = sys.argv[2:]


class Budgets(unittest.TestCase):
    def setUp(self):
        self.figures = kernel_figures.figures_of(LIBRARY)

    def complaints(self, **budgets):
        return list(kernel_figures.complaints(self.figures, {**self.figures, **budgets}))

    def test_the_figures_are_those_of_known_kernels(self):
        registers, local, shared = self.figures["tiled_gemm"]
        self.assertTrue(64 <= registers <= 255)
        self.assertGreaterEqual(shared, 2 * 32 * 33 * 8)  # two tiles of doubles
        self.assertEqual(self.figures["fill_elements"][1:], (0, 0))
        self.assertGreater(len(self.figures), 40)

    def test_right_budgets_pass(self):
        self.assertEqual(self.complaints(), [])

    def test_a_kernel_over_its_budget_fails(self):
        registers, local, shared = self.figures["reduce_kernel"]
        for budget, name in [
            ((registers - 8, local, shared), "registers"),
            ((registers, local, shared - 1), "shared memory"),
        ]:
            (text,) = self.complaints(reduce_kernel=budget)
            self.assertIn("reduce_kernel takes", text)
            self.assertIn(name, text)
        self.figures["reduce_kernel"] = (registers, local + 8, shared)
        budgets = {**self.figures, "reduce_kernel": (registers, local, shared)}
        (text,) = kernel_figures.complaints(self.figures, budgets)
        self.assertIn("local memory", text)

    def test_a_budget_may_only_shrink(self):
        registers, local, shared = self.figures["reduce_kernel"]
        (text,) = self.complaints(reduce_kernel=(registers + 8, local, shared))
        self.assertIn("lower its budget", text)
        (text,) = self.complaints(gone_kernel=(8, 0, 0))
        self.assertIn("no such kernel", text)
        budgets = {name: figure for name, figure in self.figures.items() if name != "reduce_kernel"}
        (text,) = kernel_figures.complaints(self.figures, budgets)
        self.assertIn("has no budget", text)

    def test_budgets_of_another_toolkit_are_skipped(self):
        with tempfile.NamedTemporaryFile("w+") as budgets:
            kernel_figures.main([LIBRARY, "--write", budgets.name, TOOLKIT])
            self.assertEqual(kernel_figures.main([LIBRARY, budgets.name, TOOLKIT]), 0)
            self.assertEqual(kernel_figures.main([LIBRARY, budgets.name, "99.9"]), 77)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
