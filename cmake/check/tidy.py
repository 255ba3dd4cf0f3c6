#!/usr/bin/env python3
"""tidy.py full|quick JOBS: runs clang-tidy 14 over the library, and fails if it finds anything.

The full form checks every source. The quick form checks what changed since the commit in tidy_commit, the last commit
that passed the full form.

Most of the time of a source goes into its headers. So several sources of a folder are written one behind the other into
one file, and what clang-tidy says of it is said of the sources. (A file that includes them is not enough: the static
analyzer looks at functions of the main file only.)
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

BUILD = "build/check"
SOURCES = 8  # in one file
HEADER = re.compile(r"\.(h|inc|def)$")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def library_sources():
    """Returns the options of the compiler for each source of the library that it sees, without generated sources."""
    subprocess.run(["cmake", "--preset", "check"], check=True, stdout=subprocess.DEVNULL)
    with open(f"{BUILD}/compile_commands.json") as commands:
        calls = json.load(commands)
    options = {}
    for call in calls:
        source = os.path.relpath(call["file"])
        words = shlex.split(call["command"])
        first = next(i for i, word in enumerate(words) if word.startswith("-"))  # after a launcher and the compiler
        if not source.startswith("build/") and "/generated/" not in source:
            options[source] = words[first : words.index("-o")]
    return options


def changed_files():
    with open("cmake/check/tidy_commit") as commit:
        base = commit.read().strip()
    if subprocess.run(["git", "merge-base", "--is-ancestor", base, "HEAD"], capture_output=True).returncode == 0:
        old = output_of("git", "log", "--format=", "--name-only", f"{base}..HEAD")
    else:
        old = output_of("git", "log", "--format=", "--name-only", "-n", "5")  # a clone without the history of `base`
    new = output_of("git", "ls-files", "--others", "--exclude-standard") + output_of(
        "git", "diff", "--name-only", "HEAD")
    return set(new + old)


def sources_of(files, sources):
    """Returns the sources to check: for a header the source beside it, or else the first one that includes it."""
    chosen = set()
    texts = {}
    for file in files:
        if file in sources:
            chosen.add(file)
        elif HEADER.search(file):
            beside = HEADER.sub(".cpp", file)
            if beside in sources:
                chosen.add(beside)
                continue
            if not texts:
                texts = {source: open(source).read() for source in sorted(sources)}
            chosen.update(next(([source] for source, text in texts.items() if f"<tern/{file}>" in text), []))
    return chosen


def batches_of(chosen, sources):
    """Returns lists of sources that may stand in one file: of one folder, with the same options, without macros. The
    kernels of the CPU repeat names."""
    batches = {}
    for source in sorted(chosen):
        with open(source) as text:
            has_macros = re.search(r"^#define", text.read(), re.MULTILINE)
        alone = source if has_macros or source.startswith("backends/cpu/kernels/") else ""
        lists = batches.setdefault((os.path.dirname(source), *sources[source], alone), [[]])
        if len(lists[-1]) == SOURCES:
            lists.append([])
        lists[-1].append(source)
    return [batch for lists in batches.values() for batch in lists]


def joined(batch):
    """Returns the sources as one text, and the source and the line of each of its lines."""
    lines, places, included = [], [], set()
    for source in batch:
        includes = set()
        with open(source) as text:
            for number, line in enumerate(text.read().splitlines(), 1):
                if line.startswith("#include"):
                    includes.add(line)
                    line = "" if line in included else line
                lines.append(line)
                places.append((source, number))
        included |= includes
    return "\n".join(lines) + "\n", places


def findings(number, batch, options):
    """Returns what clang-tidy says of the sources, an empty text if it finds nothing."""
    text, places = joined(batch)
    path = f"{BUILD}/tidy/{number}.cpp"
    with open(path, "w") as out:
        out.write(text)
    run = subprocess.run(["clang-tidy-14", "--quiet", "--config-file=.clang-tidy", path, "--", *options],
                         capture_output=True, text=True)
    if run.returncode == 0:
        return ""
    place = re.compile(r"^\S*/" + re.escape(path) + r":(\d+)", re.MULTILINE)
    said = place.sub(lambda found: "{}:{}".format(*places[int(found[1]) - 1]), run.stdout)
    return said.replace(os.getcwd() + "/", "") or f"clang-tidy failed for {' '.join(batch)}:\n{run.stderr}"


def main():
    form, jobs = sys.argv[1], int(sys.argv[2])
    sources = library_sources()
    chosen = set(sources) if form == "full" else sources_of(changed_files(), sources)
    print(f"clang-tidy: {len(chosen)} of {len(sources)} sources", flush=True)
    os.makedirs(f"{BUILD}/tidy", exist_ok=True)
    batches = batches_of(chosen, sources)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        calls = [pool.submit(findings, i, batch, sources[batch[0]]) for i, batch in enumerate(batches)]
        found = [call.result() for call in calls]
    print("".join(found), end="")
    return any(found)


if __name__ == "__main__":
    sys.exit(main())
