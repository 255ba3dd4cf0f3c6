"""What queued.h is for the programs of tern, for their peers in Python: the time of steps on a GPU."""

import sys
import time

import torch


def need_gpu():
    """Ends the program with code 77, "not run", where PyTorch has no GPU."""
    if not torch.cuda.is_available():
        print("PyTorch finds no GPU", file=sys.stderr)
        sys.exit(77)


def queued_ns(step):
    """The nanoseconds of a step: the smallest of seven batches of 50 ms."""

    def batch(steps):
        start = time.perf_counter()
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / steps

    batch(5)
    steps = min(max(int(0.05 / batch(5)), 1), 2000)
    return 1e9 * min(batch(steps) for _ in range(7))


def report(name, step):
    print(f"{name}\t{queued_ns(step):.1f}", flush=True)
