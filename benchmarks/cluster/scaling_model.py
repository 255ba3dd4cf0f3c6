#!/usr/bin/env python3
"""Predicts how DistributedDataParallel scales to many GPUs, and compares the model with ranks here.

  benchmarks/cluster/scaling_model.py                 the table of docs/distributed.md
  benchmarks/cluster/scaling_model.py BUILD_DIR       beside it steps of 1, 2 and 4 ranks of this machine, measured and predicted
  benchmarks/cluster/scaling_model.py --record BUILD_DIR > benchmarks/cluster/bucket_schedules.tsv

A step is replayed from the recorded times at which gradients are complete (bucket_schedule.cpp): bucket i starts when its
last gradient is complete and bucket i - 1 is through, and takes the time of an all_reduce; the optimizer follows. An
all_reduce takes latency + bytes / bandwidth, the least over NCCL's ring and tree and its protocols, with the latencies
of NCCL's tuner. Stragglers, input and congestion are not in the model: real clusters are slower.
"""
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Milliseconds of a step of one GPU: assumed, of the order of an H100's in mixed precision.
STEP_MS = {"VAE": 0.3, "ResNet-50": 85.0, "GPT-2": 61.0}
SIZES = (8, 64, 1024, 10000)
PER_NODE = 8
BUS = 370e9  # bytes a second, within a node and between nodes
MIB = 1 << 20
# Microseconds of the protocols LL, LL128 and Simple: start, hop within a node, hop between nodes.
RING = ((6.6, 0.6, 2.7), (14, 1.9, 4), (8.4, 3.4, 14))
TREE = ((6.8, 0.6, 5), (14, 1.25, 8.5), (8.4, 4, 14))
SHARE_OF_BUS = (0.5, 0.92, 1)
TREE_SHARE = 0.92


def gpu_all_reduce(size, ranks):
    """Seconds of an all_reduce of `size` bytes."""
    if ranks == 1:
        return 0
    nodes = math.ceil(ranks / PER_NODE)
    within, between = 2 * (ranks - nodes), 2 * (nodes - 1)
    moved = 2 * size * (ranks - 1) / ranks
    times = []
    for (ring, tree, share) in zip(RING, TREE, SHARE_OF_BUS):
        times.append((ring[0] + within * ring[1] + between * ring[2]) * 1e-6 + moved / (BUS * share))
        depth = 2 * (min(ranks, PER_NODE) - 1), 2 * math.log2(nodes)
        times.append((tree[0] + depth[0] * tree[1] + depth[1] * tree[2]) * 1e-6 + moved / (BUS * share * TREE_SHARE))
    return min(times)


def read_schedules(lines):
    """{model: (share of forward, [(elements, share of backward until then)])}"""
    schedules = {}
    for line in lines:
        name, forward, *arrivals = line.rstrip("\n").split("\t")
        schedules[name] = float(forward), [(int(n), float(share)) for n, share in (a.split() for a in arrivals)]
    return schedules


def buckets_of(arrivals, cap_mib, element_size=4):
    """[(bytes, share of backward)]: a bucket is full at the cap, the first one at 1 MiB, as in the library."""
    buckets, size = [], 0
    for elements, share in arrivals:
        size += elements * element_size
        if size >= min(cap_mib, cap_mib if buckets else 1) * MIB:
            buckets.append((size, share))
            size = 0
    return buckets + ([(size, arrivals[-1][1])] if size else [])


def step_of(schedule, seconds, all_reduce, cap_mib=25):
    """Seconds of a step whose computation takes `seconds`."""
    forward, arrivals = schedule
    backward = seconds * (1 - forward)
    end = 0
    for size, share in buckets_of(arrivals, cap_mib):
        end = max(share * backward, end) + all_reduce(size)
    return seconds * forward + max(backward, end)


def print_predictions(schedules):
    print(f"{'model':10} {'MiB':>6} {'ms, 1':>7}" + "".join(f" {'x' + str(n):>15}" for n in SIZES) + "   best bucket, MiB")
    for name, schedule in schedules.items():
        seconds = STEP_MS[name] / 1e3
        mib = sum(elements for elements, _ in schedule[1]) * 4 / MIB
        line = f"{name:10} {mib:6.1f} {STEP_MS[name]:7.1f}"
        for ranks in SIZES:
            step = step_of(schedule, seconds, lambda size: gpu_all_reduce(size, ranks))
            line += f" {step * 1e3:8.2f} ({seconds / step:4.0%})"
        best = min((1, 2, 5, 10, 25, 50, 100, 1000),
                   key=lambda cap: step_of(schedule, seconds, lambda size: gpu_all_reduce(size, SIZES[-1]), cap))
        print(line + f"   {best}")


def compare_here(build, schedule):
    """The VAE's step on ranks that share this machine's cores: then communication is computation, too."""
    sys.path.insert(0, os.path.dirname(HERE))
    import distributed

    program = os.path.join(build, "bin/distributed_step")
    one = distributed.lines_of([program, "1", "vae"])
    alone = one["VAE step without DDP"] / 1e9
    cores = os.cpu_count()
    print(f"\nVAE, {cores} cores: ranks, ms measured, ms predicted")
    for ranks in (1, 2, 4):
        if ranks == 1:
            measured = one["VAE step, group of one rank"]
        else:
            measured = distributed.lines_of(distributed.MPIRUN[:-1] + [str(ranks), program, "1", "vae"])["VAE step"]
        turns = max(1, ranks / cores)
        # Over shared memory: 0.5 us and 4 GB/s for each rank that has a core, after backward, which needs all cores.
        moved = [2 * size * (ranks - 1) / ranks for size, _ in buckets_of(schedule[1], 25)]
        slow = turns * (alone + sum(0.5e-6 + size / 4e9 for size in moved if ranks > 1))
        print(f"{ranks:3} {measured / 1e6:8.2f} {slow * 1e3:8.2f}")


def main(arguments):
    if arguments[:1] in (["--help"], ["-h"]) or len(arguments) > 2:
        sys.exit(__doc__)
    if arguments[:1] == ["--record"]:
        return subprocess.run([os.path.join(arguments[1], "bin/bucket_schedule")], check=True)
    with open(os.path.join(HERE, "bucket_schedules.tsv"), encoding="utf-8") as file:
        schedules = read_schedules(file)
    print_predictions(schedules)
    if arguments:
        compare_here(arguments[0], schedules["VAE"])


if __name__ == "__main__":
    main(sys.argv[1:])
