import os
import sys
import time


def report(name, fn, calls=1):
    """Prints name and nanoseconds of `fn`, or takes turns, as report() of bench.h does. A turn is the
    smallest of `calls` calls after a warm-up."""

    def call():
        start = time.perf_counter()
        fn()
        return (time.perf_counter() - start) * 1e9

    def turn():
        fn()
        return min(call() for _ in range(calls))

    if "BENCH_TURNS" not in os.environ:
        print(f"{name}\t{min(turn() for _ in range(5)):.1f}", flush=True)
        return
    print(f"line\t{name}", flush=True)
    while sys.stdin.readline() == "time\n":
        print(f"time\t{turn():.1f}", flush=True)
