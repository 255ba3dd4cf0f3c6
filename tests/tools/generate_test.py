#!/usr/bin/env python3
"""The generator of tools/generate, and whether what it wrote is stale."""

import importlib.util
import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/generate"
sys.path.insert(0, str(TOOL))

import compat
import cpp
import doxygen
import methods
import options
import pages
import records

SPEC = importlib.util.spec_from_file_location("generate", TOOL / "__main__.py")
generate = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(generate)

HEADER = """#pragma once

namespace tern {

/// Returns the sum of all elements, or along `dim`. Differentiable.
TERN_API Tensor sum(const Tensor& self);
TERN_API Tensor sum(const Tensor& self, StrictInt dim,
                    StrictBool keepdim = false);
/// Returns e^x.
TERN_API Tensor exp(Tensor self);
TERN_API Tensor& exp_(Tensor& self);

/// Returns the largest elements and their places.
TERN_API std::tuple<Tensor, Tensor> max(const Tensor& input, StrictInt dim);
/// Returns ones.
TERN_API Tensor ones(IntArrayRef sizes, const TensorOptions& options = {});

namespace detail {
TERN_API Tensor hidden(const Tensor& self);
}  // namespace detail

}  // namespace tern
"""


def functions():
    return {f.name: f for f in methods.functions_in("core/ops/reduce/sums.h", HEADER)}


def made(function):
    return methods.declared([function]) + function.definition


class CppTest(unittest.TestCase):
    def test_finds_declarations_and_their_comments(self):
        text = "/// A point.\nstruct Point {\n  int x = 0;  // across\n  int norm() const {\n    return x;\n  }\n};\n"
        found = [(d.kind, d.name, d.type, d.doc, d.remark, [scope.name for scope in d.scopes]) for d in cpp.declarations(text)]
        self.assertEqual(found, [("type", "Point", "", ["A point."], "", []), ("variable", "x", "int", [], "across", ["Point"]),
                                 ("function", "norm", "int", [], "", ["Point"])])

    def test_overloads_share_a_comment(self):
        text = "/// F.\nint f(int a);\nint f(int a, int b);\nint& f_(int& a);\nint g();\n\nint f();\n"
        in_place = ["In-place form of f(): writes the result into `self` and returns it.", "", "F."]
        self.assertEqual([d.doc for d in cpp.declarations(text)], [["F."], ["F."], in_place, [], []])

    def test_splits_lists_outside_of_brackets(self):
        self.assertEqual(cpp.split_list("a, b<c, d>, e = {f, g}"), ["a", "b<c, d>", "e = {f, g}"])
        self.assertEqual(cpp.split_list(" "), [])

    def test_removes_constraints(self):
        text = "template <class T> requires requires(T a) { a + a; } && Sum<T> void f(T a);"
        self.assertEqual(cpp.unconstrained(text).split(), "template <class T> void f(T a);".split())


class MethodsTest(unittest.TestCase):
    def test_finds_public_functions(self):
        self.assertEqual(list(functions()), ["sum", "exp", "exp_", "max", "ones"])

    def test_makes_methods_of_functions_with_self(self):
        self.assertEqual(
            made(methods.method(functions()["sum"])),
            "  /// Returns the sum of all elements, or along `dim`. Differentiable.\n"
            "  Tensor sum(StrictInt dim, StrictBool keepdim = false) const;\n"
            "Tensor Tensor::sum(StrictInt dim, StrictBool keepdim) const { return tern::sum(*this, dim, keepdim); }\n"
            .replace(") const { return tern::sum(*this, dim, keepdim); }", ") const {\n"
                     "  return tern::sum(*this, dim, keepdim);\n}"))
        self.assertEqual(
            made(methods.method(functions()["exp_"])),
            "  /// In-place form of exp(): writes the result into this tensor and returns it.\n  ///\n  /// Returns e^x.\n"
            "  Tensor& exp_() const;\nTensor& Tensor::exp_() const { return tern::exp_(handle()); }\n")

    def test_makes_forms_that_write_to_given_tensors(self):
        self.assertIn("Tensor& exp_out(Tensor& out, Tensor self) {\n"
                      '  return detail::write_out("exp", out, exp(std::move(self)));\n}\n', made(methods.out_form(functions()["exp"])))
        self.assertIn("TERN_API std::tuple<Tensor&, Tensor&> max_out(Tensor& out0, Tensor& out1, const Tensor& input,\n"
                      "                                              StrictInt dim);\n", made(methods.out_form(functions()["max"])))
        self.assertIn("Tensor& ones_out(Tensor& out, IntArrayRef sizes) {\n"
                      '  return detail::write_out("ones", out, ones(sizes, out.options()));\n}\n',
                      made(methods.out_form(functions()["ones"])))

    def test_breaks_lines_as_clang_format(self):
        parts = ["const Tensor& first_of_them", "const Tensor& second_of_them", "const Tensor& third_of_them"]
        self.assertEqual(methods.call("Tensor function", parts, ";"), "Tensor function(const Tensor& first_of_them, "
                         "const Tensor& second_of_them,\n                const Tensor& third_of_them);\n")
        self.assertTrue(methods.call("x" * 80, parts, ";").startswith("x" * 80 + "(\n    const Tensor& first_of_them,"))


class RecordsTest(unittest.TestCase):
    def test_writes_calls(self):
        case = {"name": "add", "cpp": "a.add(b)", "in_place": "a.add_(b)"}
        self.assertEqual("".join(records.case_rows({"cases": [case]}, "x/add.json", {"add"})), '    {"x/add.json", "add", TERN_CALL(a.add(b)), '
                         "TERN_IN_PLACE(a.add_(b)), TERN_OUT(add_out(out, a, b))},\n")
        self.assertEqual(records.out_call("exp(a) + exp(b)", {"exp"}), "")

    def test_tells_forms_of_one_python_apart(self):
        forms = [{"cpp": "a + b", "parameters": "T a, T b"}, {"cpp": "a + b", "parameters": "T a, S b"}]
        self.assertEqual(list(records.form_rows({"forms": forms})),
                         ['    TERN_FORM("a + b", (T a, T b), a + b),\n', '    TERN_FORM("a + b #1", (T a, S b), a + b),\n'])

    def test_no_case_has_comments_which_a_macro_would_lose(self):
        for path in (generate.ROOT / "tests/ops/cases").glob("*/*.json"):
            for case in json.loads(path.read_text()).get("cases", []):
                self.assertNotIn("/*", case["cpp"] + case.get("in_place", ""), path)


class PagesTest(unittest.TestCase):
    def test_functions_of_layers_are_apart_from_modules(self):
        header = "namespace tern::nn {\n\nnamespace functional {\nTERN_API Tensor one(const Tensor& input);\n\n}  // namespace functional\n\n"
        header += "/// A layer.\nclass TERN_API OneImpl : public Module {};\nTERN_MODULE(One);\n\n}  // namespace tern::nn\n"
        for functional, name in ((True, "one"), (False, "One")):
            self.assertEqual([found[0] for found in pages.calls_in("nn/modules/one.h", header, functional)], [name])

    def test_shows_calls_and_first_sentences(self):
        found = [(call, pages.sentence(doc)) for _, call, doc in pages.calls_in("core/ops/reduce/sums.h", HEADER)]
        self.assertEqual(found[:3], [("sum(self)", "the sum of all elements, or along `dim`"),
                                     ("sum(self, dim, keepdim = false)", "the sum of all elements, or along `dim`"), ("exp(self)", "e^x")])

    def test_lists_options(self):
        text = "/// Options of f.\nstruct FOptions {\n  FOptions(double p) : p_(p) {}\n  /// The rate.\n  TERN_ARG(double, p);\n};\n"
        self.assertIn("\n### FOptions\n\nOptions of f.\n\nMade from `FOptions(p)`.\n\n| option | type | default | what it says |\n"
                      "| --- | --- | --- | --- |\n| `p` | `double` |  | The rate. |\n", options.page("## Nets = nn/\n", {"nn/options/f.h": text}))

    def test_no_op_has_two_examples(self):
        texts = "".join(path.read_text() for path in (generate.ROOT / "docs/api/examples").glob("*.txt"))
        named = re.findall(r"^\*\*`(\w+)`", texts, re.M)
        self.assertEqual(sorted(named), sorted(set(named)))

    def test_every_family_has_a_title(self):
        titles = re.findall(r"^([\w-]+):", (TOOL / "text/pages.txt").read_text(), re.M)
        for path in methods.Ops(generate.ROOT).headers:
            if path.count("/") > 2:
                self.assertIn(path.split("/")[2], titles, "tools/generate/text/pages.txt")

    def test_every_example_stands_on_a_page(self):
        shown = "".join(path.read_text() for path in (generate.ROOT / "docs/ops").glob("*.md"))
        for path in (generate.ROOT / "docs/api/examples").glob("*.txt"):
            for block in path.read_text().split("\n\n"):
                self.assertIn(block.strip(), shown, f"{path}: no table has its name")


class CompatTest(unittest.TestCase):
    def test_finds_what_a_namespace_declares(self):
        text = """namespace tern {
#include <tern/two.h>
inline constexpr auto kTwo = 2, kOther = 3;
template <class T, class = std::enable_if_t<true>>
std::vector<T> twice(const T& x) {
  return {x, x};
}
struct Twice final {
  int value;
};
bool operator==(const Twice& a, const Twice& b);
namespace nn {
TERN_MODULE(One);
enum class Mode { kOne };
namespace detail {
int hidden();
}
}  // namespace nn
}  // namespace tern
"""
        found = compat.names({"tern.h": "#include <tern/one.h>\n", "one.h": text, "other.h": "namespace tern {\nint f();\n}\n"})
        self.assertEqual(found, {"tern": dict.fromkeys(("kTwo", "twice", "Twice"), "one.h"), "tern::nn": {"One": "one.h", "Mode": "one.h"}})


class DoxygenTest(unittest.TestCase):
    def test_repeats_the_comment_of_overloads(self):
        lines = doxygen.header(HEADER).splitlines()
        self.assertEqual(len(lines), len(HEADER.splitlines()))
        for line in (4, 5):
            self.assertIn("/** Returns the sum of all elements, or along `dim`.", lines[line])
        self.assertTrue(lines[8].endswith("/** Returns e^x. */"), lines[8])
        self.assertIn("/** In-place form of exp(): ", lines[9])

    def test_examples_may_have_comments(self):
        text = "/// A cache.\n///\n///   Cache c(/*layers=*/3);  // in layer i\nclass Cache {\n public:\n  /// Makes one.\n"
        text += "  Cache(int layers);\n  Cache(const Cache&) = delete;\n};\n"
        lines = doxygen.header(text).splitlines()
        self.assertEqual(len(lines), len(text.splitlines()))
        self.assertIn("/// A cache.\\ilinebr \\ilinebr \\code{.cpp}\\ilinebr Cache c(", lines[2])
        self.assertEqual(lines[3], "class Cache {")
        self.assertEqual(lines[6].split("/**")[1], " Not copyable. */")

    def test_makes_declarations_of_macros(self):
        text = "struct FOptions {\n  /// The rate.\n  TERN_ARG(double, p) = 0.5;\n};\n/// A layer.\nTERN_MODULE(F);\n"
        lines = doxygen.header(text).splitlines()
        self.assertTrue(lines[1].endswith("/** The rate. Default: `0.5`. */"), lines[1])
        self.assertIn("FOptions& p(double value); /** The rate. Default: `0.5`. */ const double& p()", lines[2])
        text = "struct FOptions {\n  /// The rate.\n  TERN_OPTIM_ARG(double, p, .later = true) = 0.5;\n};\n"
        self.assertIn(" FOptions& p(double value);", doxygen.header(text))
        text = "struct FState {\n  /// The sum.\n  TERN_OPTIM_STATE(Tensor, sum);\n};\n"
        self.assertIn("/** The sum. */ const Tensor& sum() const noexcept;", doxygen.header(text))
        self.assertEqual(lines[5], "class F : public ModuleHolder<FImpl, F> {};")

    def test_leads_links_to_the_source_tree(self):
        text = "## A heading\n[code](../core/x.h), [page](b.md#part), [here](#a-heading)\n"
        self.assertEqual(doxygen.page("a", text), "## A heading {#a-a-heading}\n"
                         "[code](../../core/x.h), [page](@ref b-part), [here](@ref a-a-heading)\n")


class FilesTest(unittest.TestCase):
    def test_says_which_files_are_stale(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "core/ops/generated"))
            for name in ("fresh", "stale", "left"):
                Path(root, f"core/ops/generated/{name}.h").write_text("old")
            files = {"core/ops/generated/fresh.h": "old", "core/ops/generated/stale.h": "new", "core/ops/generated/missing.h": "new"}
            self.assertEqual(generate.stale(files, Path(root)), ["core/ops/generated/left.h", "core/ops/generated/missing.h", "core/ops/generated/stale.h"])
            generate.write(files, Path(root))
            self.assertEqual(generate.stale(files, Path(root)), [])
            self.assertFalse(Path(root, "core/ops/generated/left.h").exists())

    def test_none_is_stale(self):
        found = generate.stale(generate.generated(), generate.ROOT)
        self.assertFalse(found, "\n".join(["", *(f"{path} is stale: run make generate" for path in found)]))


if __name__ == "__main__":
    unittest.main()
