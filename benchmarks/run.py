#!/usr/bin/env python3
"""Times tern, beside libtorch where there is one, and prints a table of ratios.

  benchmarks/run.py BUILD_DIR            (make bench)

PYTHON (python3) is where PyTorch and JAX are looked for; TORCH_DIR names another libtorch (the
folder with include/ and lib/). tern and its peer take turns at each line, ROUNDS (5) times, with
each number of THREADS ("1 2"); each figure is the smallest of its rounds, a dash if a program waited
for a core in all of them (docs/performance.md). PROGRAMS chooses
programs; without it the footprint is measured, too. LINES chooses lines of the programs (a regular
expression). MNIST_DIR names the folder of MNIST's files for the epoch, which takes drawn digits
without. JOBS compilers run at once.
Results: BUILD_DIR/bench/results.md, results.json and scaling.svg; what the programs say in log.txt.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import time

import scaling_chart
import table
import turns

HERE = os.path.dirname(os.path.abspath(__file__))
STEP = "VAE training step, batch 128"
COMPILERS = {"torch.compile": "torch", "JAX jit": "jax"}
# Peers with a different source: another mode of the program itself, or Python's libraries.
OTHER_PEERS = ("adam_limit", "json_state", "safetensors")
# Lines that begin after so many seconds get one round, unless ROUNDS is set, so that the whole run takes
# about 9 minutes, five of which are those of every_op.
SECONDS = 220


def said_by(*command, log=subprocess.DEVNULL):
    """What the command prints, empty if it fails."""
    command = [str(part) for part in command]
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=log, text=True)
    except OSError:
        return ""
    return result.stdout.strip() if result.returncode == 0 else ""


def version_of(torch):
    for name in ("version.py", "build-version"):
        try:
            with open(os.path.join(torch, name)) as file:
                return re.search(r"\d+\.\d[\w.+]*", file.read()).group()
        except (OSError, AttributeError):
            pass
    return "unknown"


def compile_peers(programs, torch, folder):
    """Compiles against libtorch what is older than its source or a header."""
    os.makedirs(folder, exist_ok=True)
    headers = [entry.stat().st_mtime for entry in os.scandir(HERE) if entry.name.endswith(".h")]

    def build(program):
        source, peer = os.path.join(HERE, program + ".cpp"), os.path.join(folder, program)
        if os.path.exists(peer):
            if os.path.getmtime(peer) > max(headers + [os.path.getmtime(source)]):
                return
            os.remove(peer)  # A peer that no longer compiles is missing.
        print(f"compiling {program}.cpp against libtorch", flush=True)
        if subprocess.run(
                [os.environ.get("CXX", "g++"), "-std=c++20", "-O2", f"-I{torch}/include",
                 f"-I{torch}/include/torch/csrc/api/include", source, f"-L{torch}/lib",
                 f"-Wl,-rpath,{torch}/lib", "-ltorch", "-ltorch_cpu", "-lc10", "-o", peer]).returncode:
            turns.complain(f"{program}: no peer, it does not compile")

    jobs = int(os.environ.get("JOBS") or os.cpu_count())
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(build, programs))


def footprint(build, torch, peers, log):
    """Rows of name, unit, tern, peer."""
    said = said_by(os.path.join(HERE, "footprint.sh"), build, torch, peers, log=log)
    mnist = [os.environ["MNIST_DIR"]] if os.environ.get("MNIST_DIR") else []
    epoch = said_by(os.path.join(build, "bin/epoch"), 2, *mnist, log=log)
    epoch = epoch or "epoch of the example over its steps alone\tratio\t-"
    return [(line.split("\t") + ["-"])[:4] for line in said.splitlines() + [epoch]]


def main(build):
    programs, thread_counts, rounds = turns.chosen()
    python = os.environ.get("PYTHON", "python3")
    torch = os.environ.get("TORCH_DIR") or said_by(
        python, "-c", "import torch, os; print(os.path.dirname(torch.__file__))")
    out = os.path.join(build, "bench")
    os.makedirs(out, exist_ok=True)
    version = version_of(torch) if torch else ""
    jax = said_by(python, "-c", "import jax; print(jax.__version__)")
    peers = os.path.join(out, "libtorch-" + version)
    versions = ", ".join(([f"libtorch {version}"] if torch else []) + ([f"JAX {jax}"] if jax else []))
    if torch:
        compile_peers([p for p in programs if p not in OTHER_PEERS] + ["peak_memory"], torch, peers)
    else:
        print("no libtorch found (set PYTHON or TORCH_DIR): tern alone is timed")

    def commands(program, threads):
        tern = [os.path.join(build, "bin", program), threads]
        script = os.path.join(HERE, "peers", {"safetensors": "safetensors_state.py"}.get(program, program + ".py"))
        if program == "adam_limit":
            return [tern, tern + ["copy"]]
        if program in OTHER_PEERS:
            return [tern, [python, script, threads]]
        peer = os.path.join(peers, program)
        return [tern, [peer, threads]] if torch and os.path.exists(peer) else [tern]

    rows, start, late = [], time.monotonic(), []

    def rounds_now():
        if "ROUNDS" in os.environ or time.monotonic() - start < SECONDS:
            return rounds
        late.append(1)
        return 1

    def measure(label, threads, pair, only=None):
        began = time.monotonic()
        lines = only or turns.Lines()
        for name, times in turns.take_turns(pair, threads, rounds_now, lines, log):
            name = f"{name}, against {label}" if only else name
            rows.append((name, label, threads, times[0], times[1] if len(times) > 1 else None))
        print(f"{label}, {threads} thread{'s' * (threads > 1)}: {time.monotonic() - began:.0f} s", flush=True)

    with open(os.path.join(out, "log.txt"), "w") as log:
        for program, threads in ((p, t) for p in programs for t in thread_counts):
            measure(program, threads, commands(program, threads))
            for label, module in COMPILERS.items() if program == "vae_step" else ():
                tern = [os.path.join(build, "bin/vae_step"), threads]
                script = [python, os.path.join(HERE, "peers", "compiled_step.py"), threads, module]
                measure(label, threads, [tern, script], only=[STEP])
        small = [] if os.environ.get("PROGRAMS") else footprint(build, torch, peers, log)
    seconds = time.monotonic() - start
    table.write(out, rows, small, versions, seconds, len(late))
    scaling_chart.draw(os.path.join(out, "scaling.svg"), rows)
    with open(os.path.join(out, "results.md")) as file:
        print(file.read())
    print(f"took {seconds // 60:.0f} min {seconds % 60:.0f} s without compiling the peers")


if __name__ == "__main__":
    main(*turns.builds(1, __doc__))
