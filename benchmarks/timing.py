import time


def report(name, fn):
    """Prints the name and the least of five times in nanoseconds, as bench.h does."""
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        fn()
        best = min(best, time.perf_counter() - start)
    print(f"{name}\t{best * 1e9:.1f}", flush=True)
