#!/usr/bin/env python3
"""Makes results.md and results.json of the figures in a folder: see run.sh.

Usage: table.py FOLDER PEER   (PEER: what the peer is called, or empty)

FOLDER holds times.tsv (who, threads, program, name, nanoseconds) and footprint.tsv (name, unit, tern,
peer; 0 where there is no peer). Each time is the smallest of its rounds; ratio = tern / peer.
"""

import json
import math
import os
import sys

STEP = "VAE training step, batch 128"  # also compared with what compiled_step.py prints
AGAINST = STEP + ", against "
# Compared with another figure of tern's own.
LIMITS = {"Adam, 652,824 parameters in one tensor": "copying as much memory as Adam touches"}


def read(path):
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file]


def shown(nanoseconds):
    if nanoseconds is None:
        return "-"
    return f"{nanoseconds:.0f} ns" if nanoseconds < 1e4 else f"{nanoseconds / 1e3:.1f} us"


def processor():
    with open("/proc/cpuinfo") as file:
        facts = dict(line.split(":", 1) for line in file if ":" in line)
    facts = {key.strip(): value for key, value in facts.items()}
    flags = facts.get("flags", "").split()
    sets = [s for s in ("avx512_bf16", "avx512f", "avx2") if s in flags]
    return facts.get("model name", "unknown").strip(), ", ".join(sets) or "baseline"


def times(rows):
    """The rows of the table: name, program, and per thread count tern's time and the peer's."""
    best, order = {}, {}
    for who, threads, program, name, ns in rows:
        key = (who, int(threads), name)
        best[key] = min(best.get(key, math.inf), float(ns))
        order.setdefault(name, program)
    for name, program in order.items():
        pairs = {}
        for threads in (1, 2):
            own = STEP if name.startswith(AGAINST) else name
            peer = ("tern", threads, LIMITS[name]) if name in LIMITS else ("peer", threads, name)
            pairs[threads] = best.get(("tern", threads, own)), best.get(peer)
        yield name, program, pairs


def ratio(pair):
    return pair[0] / pair[1] if pair[0] and pair[1] else None


def main(folder, peer):
    rows = list(times(read(os.path.join(folder, "times.tsv"))))
    footprint = read(os.path.join(folder, "footprint.tsv"))
    cpu, sets = processor()
    lines = [
        f"CPU: {cpu} ({sets}). Peer: {peer or 'none'}. Smallest of all rounds; ratio = tern / peer.",
        "",
        "| what | tern, 1 thread | ratio | tern, 2 threads | ratio |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    programs = {}
    for name, program, pairs in rows:
        cells = []
        for threads, pair in pairs.items():
            r = ratio(pair)
            cells += [shown(pair[0]), "-" if r is None else f"{r:.2f}"]
            if r is not None:
                programs.setdefault((program, threads), []).append((r, name))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        "",
        "| program | threads | lines | geometric mean | worst | which |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for (program, threads), found in programs.items():
        mean = math.exp(sum(math.log(r) for r, _ in found) / len(found))
        worst, name = max(found)
        lines.append(f"| {program} | {threads} | {len(found)} | {mean:.2f} | {worst:.2f} | {name} |")
    lines += ["", "| what | tern | peer | ratio |", "| --- | ---: | ---: | ---: |"]
    for name, unit, tern, other in footprint:
        beside = (f"{other} {unit}", f"{float(tern) / float(other):.3f}") if float(other) else ("-", "-")
        lines.append(f"| {name} | {tern} {unit} | {' | '.join(beside)} |")
    with open(os.path.join(folder, "results.md"), "w") as file:
        file.write("\n".join(lines) + "\n")

    results = [
        {"name": name, "program": program, "threads": t, "tern_ns": pair[0], "peer_ns": pair[1]}
        for name, program, pairs in rows
        for t, pair in pairs.items()
    ]
    small = [
        {"name": name, "unit": unit, "tern": float(tern), "peer": float(other)}
        for name, unit, tern, other in footprint
    ]
    with open(os.path.join(folder, "results.json"), "w") as file:
        json.dump(
            {"cpu": cpu, "instruction_sets": sets, "peer": peer, "results": results, "footprint": small},
            file,
            indent=1,
        )


main(*sys.argv[1:])
