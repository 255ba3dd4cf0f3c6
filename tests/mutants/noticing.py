"""Which tests should notice a mistake in a file, and whether they do."""

import os
import re
import resource
import shutil
import threading
import time

from build import Trial, run_limited

# In nn_test: trees of 10^5 modules, slow.
_SMALL_TREES = "nn_test -LargeTree.*"
_LARGE_TREES = "nn_test LargeTree.*"
# In serialization_test: kills, failing calls, limits, memory.
_QUICK_FILES = "serialization_test -*Memory*:*SaveCrash*:*Resume*:*Limits*:*Faults*:*Bombs*"
_SLOW_FILES = "serialization_test *Memory*:*SaveCrash*:*Resume*:*Limits*:*Faults*:*Bombs*"
_CPU_KERNELS, _CUDA_KERNELS = "backends_test -*/cuda", "backends_test */cuda"

# Area, its files, and the tests in the order in which they run: "program filter", where
# "program@emulated" runs on the emulated CUDA kernels. The first match counts.
AREAS = [
    ("autograd", r"core/autograd/",
     ["core_autograd_test", "ops_test", "differential_test", "compat_test", "docs_test", "backends_cuda_test",
      _SMALL_TREES, "serialization_test *Module*"]),
    ("ops", r"core/ops/",
     ["ops_test", "core_tensor_test", "core_autograd_test", "differential_test", "compat_test",
      "docs_test", "backends_cuda_test", _SMALL_TREES]),
    ("tensor, base", r"core/(tensor|base)/",
     ["core_base_test", "core_tensor_test", "core_autograd_test", "backends_cuda_test",
      "nn_data_test", "compat_test", "docs_test", "ops_test", _SMALL_TREES,
      "backends_test *Allocator*", _QUICK_FILES]),
    ("optim", r"nn/optim/|core/kernels/optim",
     ["nn_test *Optim*", "backends_test *Optim*/avx2:*Optim*/baseline", "compat_test", "docs_test",
      _SMALL_TREES, "serialization_test *Checkpoint*:*Resume*:*Module*", "examples_test"]),
    ("CPU kernels", r"core/kernels/.*(formula|math|trig|pow|philox|by_size|cast|is_nan|elementwise)",
     ["core_kernels_test", "ops_test", "core_tensor_test", "backends_sim_test", _CPU_KERNELS,
      _CUDA_KERNELS]),
    ("ops", r"core/kernels/",
     ["core_kernels_test", "ops_test", "backends_cuda_test", "backends_sim_test", "faults_test",
      "backends_test -Sets/*", _SMALL_TREES]),
    ("CPU kernels", r"backends/cpu/",
     ["core_tensor_test", "ops_test", _CPU_KERNELS, "core_autograd_test", _SMALL_TREES]),
    ("CUDA host", r"backends/cuda/host/",
     ["backends_cuda_test", "faults_test", "nn_data_test", "ops_test *evice*:*/cuda*", _SMALL_TREES,
      "docs_test", "serialization_test *Device*:*Module*"]),
    ("CUDA kernels", r"backends/cuda/device/",
     ["backends_test -Sets/*", _CUDA_KERNELS, "ops_test@emulated", "backends_cuda_test@emulated",
      "backends_sim_test@emulated", "nn_test@emulated -LargeTree.*"]),
    ("simulator", r"backends/(sim|meta|builtin)",
     ["backends_sim_test", "backends_cuda_test", "faults_test", "ops_test", _SMALL_TREES]),
    ("nn", r"nn/data/",
     ["nn_data_test", "examples_test", "docs_test", "compat_test", "nn_test *Pin*:*Parallel*",
      "fuzz_idx"]),
    ("nn", r"nn/",
     [_SMALL_TREES, "compat_test", "docs_test", "serialization_test *Module*:*Checkpoint*",
      "examples_test", _LARGE_TREES]),
    ("serialization", r"serialization/",
     [_QUICK_FILES, "fuzz_json", "fuzz_pt", "fuzz_npz", "fuzz_safetensors", "fuzz_index",
      "examples_test", "docs_test", _SLOW_FILES]),
    ("train", r"train/", ["train_test", "docs_test", "examples_test"]),
    ("compat", r"compat/|tern\.h", ["compat_test", "docs_test", "examples_test"]),
]


def area_of(path):
    """The name of the area of a file and the tests that should notice a mistake in it."""
    for name, files, tests in AREAS:
        if re.match(files, path):
            return name, tests
    return "other", ["core_tensor_test", "ops_test", _SMALL_TREES]


def programs():
    return sorted({re.split("[ @]", test)[0] for _, _, tests in AREAS for test in tests})


def _hints(path, function):
    """A filter for the tests that bear the name of the file or of the function."""
    words = {os.path.splitext(os.path.basename(path))[0], function.strip("_")}
    names = set()
    for word in filter(None, words):
        names.add(word)
        names.add("".join(part.capitalize() for part in word.split("_")))
    return [f"*{name}*" for name in sorted(names) if len(name) > 2]


class Tests:
    """Runs tests with a trial. `scratch` is an empty folder for them to write to."""

    def __init__(self, build):
        self.build, self.times, self.lock = build, {}, threading.Lock()
        self.broken = {}  # test -> filter against what fails anyway
        # The build's own libraries in the place where the mistakes will be.
        self.plain = Trial(build, os.path.join(build.folder, "trial-plain"), "plain.cpp", "")
        self.plain.link()

    def _run(self, trial, test, scratch, filters, cpu, wall):
        """Returns what failed first, or nothing; of the plain trial, all that failed."""
        program, _, _ = test.partition(" ")
        program, _, kernels = program.partition("@")
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(scratch)
        env = dict(os.environ, TMPDIR=scratch, **trial.environment())
        if kernels:
            env["TERN_PLUGIN_PATH"] = os.path.join(trial.folder, "lib/emulated")
        path = trial.program(program)
        if self.broken.get(test):
            filters += (":" if "-" in filters else "-") + self.broken[test]
        command = [path, "--gtest_brief=1", f"--gtest_filter={filters}"]
        if trial is not self.plain:
            command.append("--gtest_fail_fast")
        if program.startswith("fuzz_"):
            corpus = os.path.join(self.build.root, "tests/fuzz/corpus", program[len("fuzz_"):])
            command = [path, corpus, "2000"]
        log = scratch + ".log"
        with open(log, "wb") as output:
            status = run_limited(command, scratch, cpu, wall, env, output)
        shutil.rmtree(scratch, ignore_errors=True)
        if status == 0:
            return None
        if status == "time":
            return f"{test.split(' ')[0]} (time)"
        with open(log, encoding="utf-8", errors="replace") as file:
            failed = re.findall(r"^\[  FAILED  \] (\S+?)(?:,|$| \()", file.read(), re.MULTILINE)
        if trial is self.plain and failed:
            return ":".join(sorted(set(failed)))
        what = failed[0] if failed else "status %s" % status
        return f"{test.split(' ')[0]} ({what})"

    def time_of(self, test, scratch):
        """CPU-seconds and seconds of the test without a mistake. What fails then is left out."""
        with self.lock:
            if test not in self.times:
                before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
                failed = self._run(self.plain, test, scratch, test.partition(" ")[2] or "*",
                                   600, 3000)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                if failed and " " in failed:
                    raise RuntimeError(f"fails without a mistake: {failed}; see {scratch}.log")
                if failed:
                    print(f"{test} fails without a mistake, left out: {failed}", flush=True)
                    self.broken[test] = failed
                self.times[test] = (cpu, time.time() - start)
            return self.times[test]

    def notice(self, trial, tests, path, function, scratch):
        """The first test that fails with the trial, or nothing."""
        hints = _hints(path, function)
        for test in tests:
            cpu, wall = self.time_of(test, scratch)
            limits = 3 * cpu + 10, 10 * wall + 60
            wanted = test.partition(" ")[2] or "*"
            order = [wanted]
            if cpu > 2 and hints and not test.startswith("fuzz_"):
                # Those that bear the name first, in a run of their own.
                kept, _, dropped = wanted.partition("-")
                if kept in ("", "*"):
                    order.insert(0, ":".join(hints) + (f"-{dropped}" if dropped else ""))
            for filters in order:
                failure = self._run(trial, test, scratch, filters, *limits)
                if failure:
                    return failure
        return None
