#!/usr/bin/env python3
"""Compiles programs written for libtorch against tern's compat headers, runs them and compares.

FOLDER has programs in folders by area, each with the output of libtorch beside it (name.out), or
somebody's tests that use gtest, which have no output: a case passes if its assertions hold. A test
file that does not compile is compiled case by case.

Programs that are known to fail are lines of FOLDER/known.txt: the name, then the reason.

With --libtorch each program also runs with libtorch, and --update writes its output to name.out.
With --built the programs of an executable run, and nothing is compiled (tests/CMakeLists.txt).
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import struct
import subprocess
import tempfile

CASE = re.compile(r"^TEST(?:_F)?\(\s*(\w+)\s*,\s*(\w+)\s*\)[^\n]*\{\n.*?^\}[^\n]*\n", re.M | re.S)
NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|inf)")
TIMEOUT = 300


class Library:
    """A library with a folder for its precompiled torch/torch.h and for what is made with it."""

    def __init__(self, name, root, includes, names, work):
        self.folder = work / name
        (self.folder / "torch").mkdir(parents=True, exist_ok=True)
        self.flags = ["-std=c++20", "-O0", "-w", f"-I{self.folder}"]
        self.flags += [f"-I{root / include}" for include in includes]
        self.link = [f"-L{root / 'lib'}", f"-Wl,-rpath,{root / 'lib'}", "-Wl,--no-as-needed"]
        self.link += [f"-l{one}" for one in names] + ["-pthread"]
        self.compiler = os.environ.get("CXX", "g++")
        header = self.folder / "torch/torch.h"
        if not header.with_suffix(".h.gch").exists():
            header.write_text("#include_next <torch/torch.h>\n")
            error = self.call(["-x", "c++-header", str(header), "-o", f"{header}.gch"])
            if error:
                raise SystemExit(f"torch/torch.h does not compile: {error}")

    def call(self, arguments):
        """Calls the compiler; returns the first error, or nothing."""
        done = subprocess.run([self.compiler, *self.flags, *arguments], capture_output=True,
                              text=True, env={**os.environ, "LC_ALL": "C"})
        if done.returncode == 0:
            return None
        errors = re.findall(r"(?:error: |(?=undefined reference))(.*)", done.stderr)
        return errors[0] if errors else done.stderr.strip().split("\n")[-1]

    def compile(self, text, name, near, only_check=False):
        """Compiles a text; returns the path of the program and the first error."""
        source = self.folder / (re.sub(r"\W", "_", name) + ".cpp")
        source.write_text(text)
        program = source.with_suffix("")
        arguments = [f"-I{near}", str(source)]
        gtest = []
        if CASE.search(text):
            gtest = ["-lgtest", "-lgtest_main"]
        if "<torch/torch.h>" in text:  # the precompiled header must come first
            arguments = ["-include", "torch/torch.h"] + arguments
        if only_check:
            return program, self.call(["-fsyntax-only", *arguments])
        return program, self.call([*arguments, "-o", str(program), *gtest, *self.link])


def write_digits(folder):
    """Writes MNIST's four files, with patterns instead of digits."""
    folder.mkdir()
    for part, count in ("train", 60000), ("t10k", 10000):
        pixels = bytes(i * i % 251 for i in range(7840)) * (count // 10)
        labels = bytes(range(10)) * (count // 10)
        (folder / f"{part}-images-idx3-ubyte").write_bytes(
            struct.pack(">4i", 2051, count, 28, 28) + pixels)
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(
            struct.pack(">2i", 2049, count) + labels)


def run(command, folder, text=""):
    """Runs the program of a text in a new folder; returns its output and what went wrong."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        if "datasets::MNIST" in text:
            write_digits(pathlib.Path(scratch) / "data")
        try:
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                                  errors="replace", timeout=TIMEOUT, cwd=scratch)
        except subprocess.TimeoutExpired:
            return "", f"ran longer than {TIMEOUT} s"
    output = re.sub(r"\bprogram_\d+::", "", done.stdout)  # a namespace of CMakeLists.txt
    if done.returncode == 0:
        return output, None
    lines = [line for line in done.stderr.split("\n") if line.strip()]
    what = [line for line in lines if "what():" in line] or lines or [""]
    return output, f"exit status {done.returncode}: {what[0].strip()}"


def same(one, other):
    """Compares two lines: numbers with a point up to rounding, everything else exactly."""
    if one == other:
        return True
    words = [NUMBER.sub("#", " ".join(line.split())) for line in (one, other)]
    pairs = list(zip(NUMBER.findall(one), NUMBER.findall(other)))
    if words[0] != words[1] or all(left == right for left, right in pairs):
        return False
    return all(left == right or
               (not (left.isdigit() and right.isdigit()) and
                (math.isclose(float(left), float(right), rel_tol=2e-4, abs_tol=1.1e-4) or
                 math.isnan(float(left)) and math.isnan(float(right))))
               for left, right in pairs)


def difference(got, expected):
    """Names the first line in which two outputs differ, or nothing."""
    left, right = got.split("\n"), expected.split("\n")
    for number, (one, other) in enumerate(zip(left, right), 1):
        if not same(one, other):
            return f"line {number}: {one.strip()!r}, libtorch: {other.strip()!r}"
    return f"{len(left)} lines, libtorch: {len(right)}" if len(left) != len(right) else None


def run_program(source, name, args, tern, libtorch):
    """Returns the result of one program: (name, compiles, reason)."""
    text = source.read_text()
    record = source.with_suffix(".out")
    if libtorch:
        program, error = libtorch.compile(text, name, source.parent)
        output, error = (None, error) if error else run([program], libtorch.folder, text)
        program.unlink(missing_ok=True)
        if error:
            return name, True, f"fails with libtorch: {error}"
        if args.update:
            record.write_text(output)
        elif not record.exists() or difference(record.read_text(), output):
            return name, True, f"libtorch prints something else than {record.name}"
    if args.built:
        command, folder = [args.built, name], args.work
    else:
        program, error = tern.compile(text, name, source.parent)
        if error:
            return name, False, error
        command, folder = [program], tern.folder
    output, error = run(command, folder, text)
    if not args.built:
        program.unlink()
    if not record.exists():
        return name, True, "no recorded output"
    return name, True, error or difference(output, record.read_text())


def run_cases(source, name, tern):
    """Returns the results of the cases of a test file."""
    text = source.read_text()
    cases = {f"{match[1]}.{match[2]}": match[0] for match in CASE.finditer(text)}
    head = CASE.sub("", text)
    errors = {}
    program, error = tern.compile(text, name, source.parent)
    if error:
        for case, body in cases.items():
            errors[case] = tern.compile(head + body, f"{name} {case}", source.parent, True)[1]
        good = [body for case, body in cases.items() if not errors[case]]
        program, error = tern.compile(head + "".join(good), name, source.parent)
    results = []
    for case in cases:
        if errors.get(case) or error:
            results.append((f"{name} {case}", False, errors.get(case) or error))
            continue
        output, reason = run([program, f"--gtest_filter={case}"], tern.folder)
        if reason:
            failure = re.search(r": Failure\n((?:[^\[\n].*\n){1,4})", output)
            reason = " ".join(failure[1].split()) if failure else reason
        results.append((f"{name} {case}", True, reason))
    return results


def report(results, known, of, page):
    """Writes the page of results; a known failure has the reason of known.txt."""
    rows, reasons = {}, []
    for name, compiles, reason in results:
        row = rows.setdefault(of(name), [0, 0, 0])
        row[0] += 1
        row[1] += compiles
        row[2] += compiles and not reason
        if reason:
            reason = known.get(name, reason)
            reason = reason.replace("|", "\\|").replace("<", "&lt;").replace("\\x", "\\\\x")[:200]
            reasons.append(f"| {name} | {reason} |")
    sums = [sum(row[i] for row in rows.values()) for i in range(3)]
    table = [f"| {name} | {row[0]} | {row[1]} | {row[2]} |" for name, row in rows.items()]
    lines = ["# Programs written for libtorch", "",
             "Made by `make conformance`: each program is compiled against tern's `<torch/torch.h>`"
             " and runs; it passes if it",
             "prints what libtorch 2.15 prints.", "",
             "| area | programs | compile | pass |", "| --- | ---: | ---: | ---: |", *table,
             f"| all | {sums[0]} | {sums[1]} | {sums[2]} |"]
    if reasons:
        lines += ["", "## Programs that do not pass", "", "| program | reason |", "| --- | --- |",
                  *reasons]
    page.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("tern", type=pathlib.Path, help="a build folder or an installed tern")
    parser.add_argument("--libtorch", type=pathlib.Path, help="folder with libtorch's include, lib")
    parser.add_argument("--update", action="store_true", help="write libtorch's output to name.out")
    parser.add_argument("--built", type=pathlib.Path, help="executable with all programs")
    parser.add_argument("--report", type=pathlib.Path, help="page to write, docs/conformance.md")
    parser.add_argument("--filter", default="", help="regular expression for names to run")
    parser.add_argument("--work", type=pathlib.Path,
                        help="folder for programs and precompiled headers, which a later run uses")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()

    sources = [(source, str(source.relative_to(args.folder).with_suffix("")))
               for source in sorted(args.folder.rglob("*.cpp"))]
    known = args.folder / "known.txt"
    known = dict(line.split(maxsplit=1) for line in known.read_text().split("\n")
                 if line and line[0] != "#") if known.exists() else {}
    sources = [(source, name) for source, name in sources
               if re.search(args.filter, name) and not (args.built and name in known)]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        args.work = (args.work or pathlib.Path(folder)).resolve()
        tern = libtorch = None
        if not args.built:
            root = args.tern.resolve()
            includes = ["include/tern/compat", "moved/tern/compat", "include", "moved"]
            tern = Library("tern", root, includes, ["tern"], args.work)
        if args.libtorch:
            root = args.libtorch.resolve()
            includes = ["include/torch/csrc/api/include", "include"]
            libtorch = Library("libtorch", root, includes, ["torch", "torch_cpu", "c10"], args.work)

        def work(one):
            source, name = one
            if CASE.search(source.read_text()):
                return run_cases(source, name, tern)
            return [run_program(source, name, args, tern, libtorch)]

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for some in pool.map(work, sources):
                results += some
                for name, compiles, reason in some:
                    if reason:
                        kind = "differs" if compiles else "does not compile"
                        print(f"{name}: {kind}: {reason}", flush=True)
    passed = {name for name, _, reason in results if not reason}
    print(f"{len(passed)} of {len(results)} pass")
    for name in sorted(passed & set(known)):
        print(f"{name} passes: remove it from known.txt")
    if args.report:
        tests = any(CASE.search(source.read_text()) for source, _ in sources)
        report(results, known, lambda name: name.split(" ")[0] if tests else name.split("/")[0],
               args.report)
    raise SystemExit({name for name, _, _ in results} - set(known) != passed)


if __name__ == "__main__":
    main()
