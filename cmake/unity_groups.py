#!/usr/bin/env python3
"""unity_groups.py BUILD: chooses the files that are compiled as one unit and writes them to unity_groups.txt.

BUILD has the file times.tsv, the lines of timed.sh for each call of the compiler, as `make build-times` leaves it. The
seconds of a unit are divided among its files by their size. A unit takes neighbours in the alphabet, up to LIMIT
CPU-seconds.
"""

import os
import re
import sys

LIMIT = 6.0  # CPU-seconds of a unit
HEADERS = 0.9  # of them, to read the headers


def files_of(source, root, build):
    """Returns the paths of a unit's files without ending, as unity.cmake names them."""
    sources = [source]
    if "/Unity/" in source:
        with open(source) as unit:
            sources = re.findall(r'#include "(.*)"', unit.read())
    names = {}
    for path in sources:
        name = "build/" + os.path.relpath(path, build) if path.startswith(build + "/") else os.path.relpath(path, root)
        names[name.removesuffix(".cpp")] = os.path.getsize(path)
    return names


def read_costs(build, root):
    """Returns the seconds of each file of each target and folder, without its headers."""
    costs = {}
    with open(os.path.join(build, "times.tsv")) as times:
        for line in times:
            seconds, _, source, output = line.rstrip("\n").split("\t")
            target = re.search(r"CMakeFiles/(\w+)\.dir/", output)
            if not source.endswith((".cpp", ".cxx")) or "cmake_pch" in source or target is None:
                continue
            names = files_of(source, root, build)
            for name, size in names.items():
                share = max(float(seconds) - HEADERS, 0.1) * size / max(sum(names.values()), 1)
                costs.setdefault((os.path.dirname(name), target[1]), {})[os.path.basename(name)] = share
    return costs


def groups_of(costs):
    """Returns the names of each unit."""
    groups, seconds = [], LIMIT
    for name, cost in sorted(costs.items()):
        if seconds + cost > LIMIT:
            groups.append([])
            seconds = HEADERS
        groups[-1].append(name)
        seconds += cost
    return [group for group in groups if len(group) > 1]


def main():
    build, root = os.path.abspath(sys.argv[1]), os.getcwd()
    lines, seen = [], set()
    for (folder, target), costs in sorted(read_costs(build, root).items()):
        if folder.startswith("backends/cpu/kernels") or folder == "nn/data/codecs":
            continue  # each file has flags or macros of its own
        for group in groups_of({name: cost for name, cost in costs.items() if (folder, name) not in seen}):
            lines.append(f"{folder}: {' '.join(group)}\n")
        seen.update((folder, name) for name in costs)
    with open("cmake/unity_groups.txt", "w") as out:
        out.write("# The files of each unit; written by `make unity-groups`, read by unity.cmake.\n")
        out.writelines(lines)


if __name__ == "__main__":
    main()
