#!/usr/bin/env python3
"""Times distributed_step on two ranks under mpirun beside PyTorch's DDP over gloo, in turns.

  benchmarks/distributed.py BUILD_DIR

ROUNDS (3) times; each figure is the smallest of its rounds. PYTHON (python3) is where PyTorch is looked for. Waiting
ranks of both need their cores: figures of a busy machine say little.
"""
import os
import subprocess

import turns

HERE = os.path.dirname(os.path.abspath(__file__))
MPIRUN = ("mpirun --allow-run-as-root --oversubscribe --bind-to none --mca btl self,vader --mca oob_tcp_if_include lo "
          "--timeout 300 -np 2").split()
# At most this share of PyTorch's time, and of the time of another line.
GOALS = {"VAE step": 0.5, "MLP of 50 MiB step": 0.8}


def lines_of(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "OMP_NUM_THREADS": "1", "TERN_NUM_THREADS": "1"})
    return {name: float(time) for name, time in (line.split("\t") for line in result.stdout.splitlines() if "\t" in line)}


def main(build):
    tern, python = os.path.join(build, "bin/distributed_step"), os.environ.get("PYTHON", "python3")
    peer = os.path.join(HERE, "peers/distributed_step.py")
    ours, theirs = {}, {}
    for _ in range(turns.numbers("ROUNDS", "3")[0]):
        for command, best in ((MPIRUN + [tern, "1"], ours), ([python, peer], theirs), ([tern, "1"], ours), ([python, peer, "1"], theirs)):
            for name, time in lines_of(command).items():
                best[name] = min(time, best.get(name, time))
    print(f"{'':64} tern ms  PyTorch ms  ratio")
    for name, time in ours.items():
        other = theirs.get(name)
        print(f"{name:64} {time / 1e6:7.2f}" + (f" {other / 1e6:11.2f} {time / other:6.2f}" if other else "")
              + (f"  (goal {GOALS[name]})" if name in GOALS else ""))
    one = ours["VAE step, group of one rank"] / ours["VAE step without DDP"]
    print(f"a group of one rank over a step without DDP: {one:.3f} (goal 1.02)")
    for name, step in ours.items():
        if name.endswith(": step"):
            larger = max(ours[name[:-4] + part] for part in ("compute", "communication"))
            print(f"{name[:-6]}: {step / larger:.3f} of the larger part (goal 1.15)")


if __name__ == "__main__":
    main(*turns.builds(1, __doc__))
