import os
import sys
import time


def waited_ns():
    """What waited_ns() of bench.h returns."""
    waited = 0
    for thread in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{thread}/schedstat") as file:
                waited += int(file.read().split()[1])
        except OSError:
            pass  # The thread ended, or the system has no such file.
    return waited


def report(name, fn, calls=1):
    """Prints name and nanoseconds of `fn`, or takes turns, as report() of bench.h does. A turn is the
    smallest of `calls` calls after a warm-up."""

    def call():
        waited, start = waited_ns(), time.perf_counter_ns()
        fn()
        nanoseconds = time.perf_counter_ns() - start
        return nanoseconds, max(waited_ns() - waited, 0) / nanoseconds

    def turn():
        fn()
        return map(min, zip(*(call() for _ in range(calls))))

    if "BENCH_TURNS" not in os.environ:
        print(f"{name}\t{min(next(turn()) for _ in range(5)):.1f}", flush=True)
        return
    print(f"line\t{name}", flush=True)
    while sys.stdin.readline() == "time\n":
        nanoseconds, waited = turn()
        print(f"time\t{nanoseconds:.1f}\t{waited:.4f}", flush=True)
