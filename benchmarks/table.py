"""Writes results.md and results.json of what run.py measured. A figure that cannot be had, None or
turns.WAITED, is a dash."""

import json
import math
import os

import turns


def shown(nanoseconds):
    if not turns.usable(nanoseconds):
        return "-"
    return f"{nanoseconds:.0f} ns" if nanoseconds < 1e4 else f"{nanoseconds / 1e3:.1f} us"


def shown_ratio(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def ratio(above, below):
    return above / below if turns.usable(above) and turns.usable(below) else None


def who_waited(figures, names):
    """The reason for a dash, such as "peer waited for a core"; None if no program waited."""
    who = [name for figure, name in zip(figures, names) if figure == turns.WAITED]
    return f"{' and '.join(who)} {turns.WAITED}" if who else None


def reason(tern, peer):
    return who_waited((tern, peer), ("tern", "peer"))


def waits(reasons):
    """How many lines have no ratio because a program waited; None if none has."""
    count = sum(map(bool, reasons))
    return f"Lines without a ratio because a program {turns.WAITED} in every round: {count}." if count else None


def mean_of(ratios):
    """The geometric mean, None of nothing."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def number(text):
    """What a row of the footprint holds: a positive number, None for a dash."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def time_or_null(figure):
    return figure if turns.usable(figure) else None


def processor():
    with open("/proc/cpuinfo") as file:
        facts = dict(line.split(":", 1) for line in file if ":" in line)
    facts = {key.strip(): value for key, value in facts.items()}
    flags = facts.get("flags", "").split()
    sets = [s for s in ("amx_bf16", "avx512_bf16", "avx512f", "avx2") if s in flags]
    return facts.get("model name", "unknown").strip(), ", ".join(sets) or "baseline"


def lines_table(rows):
    threads = sorted({row[2] for row in rows})
    heads = [f"tern, {t} thread{'s' * (t > 1)} | ratio" for t in threads]
    pairs = {}
    for name, program, t, tern, peer in rows:
        pairs.setdefault((program, name), {})[t] = tern, peer
    yield f"| what | {' | '.join(heads)} |"
    yield "| --- |" + " ---: |" * 2 * len(threads)
    for (_, name), found in pairs.items():
        cells = []
        for t in threads:
            tern, peer = found.get(t, (None, None))
            why = reason(tern, peer)
            cells += [shown(tern), f"- ({why})" if why else shown_ratio(ratio(tern, peer))]
        yield f"| {name} | {' | '.join(cells)} |"


def programs_table(rows):
    programs = {}
    for name, program, t, tern, peer in rows:
        found = programs.setdefault((program, t), [])
        if ratio(tern, peer) is not None:
            found.append((ratio(tern, peer), name))
    yield "| program | threads | lines | geometric mean | worst | which |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    for (program, t), found in programs.items():
        mean = shown_ratio(mean_of([r for r, _ in found]))
        worst, name = max(found, default=(None, "-"))
        yield f"| {program} | {t} | {len(found)} | {mean} | {shown_ratio(worst)} | {name} |"


def footprint_table(footprint):
    yield "| what | tern | peer | ratio |"
    yield "| --- | ---: | ---: | ---: |"
    for name, unit, *figures in footprint:
        tern, peer = map(number, figures)
        cells = [f"{value:g} {unit}" if value else "-" for value in (tern, peer)]
        yield f"| {name} | {' | '.join(cells)} | {shown_ratio(ratio(tern, peer), 3)} |"


def write(folder, rows, footprint, versions, seconds, late):
    """`rows`: (name, program, threads, tern's nanoseconds, the peer's); `footprint`: (name, unit,
    tern, peer) as texts; `versions`: of the peers; `seconds`: what measuring took; `late`: lines
    that had just one round."""
    cpu, sets = processor()
    with open(os.path.join(folder, "results.md"), "w") as file:
        print(f"CPU: {cpu} ({sets}). Peers: {versions or 'none'}. Smallest of all rounds; ratio = "
              f"tern / peer; a dash is a figure that could not be had. Took {seconds:.0f} s.", file=file)
        if late:
            print(f"The last {late} lines had one round: the time was over.", file=file)
        waited = waits(reason(tern, peer) for *_, tern, peer in rows)
        if waited:
            print(waited, file=file)
        tables = [lines_table(rows), programs_table(rows)] + [footprint_table(footprint)] * bool(footprint)
        for table in tables:
            print("", *table, sep="\n", file=file)
    results = [{"name": name, "program": program, "threads": t, "tern_ns": time_or_null(tern),
                "peer_ns": time_or_null(peer), "reason": reason(tern, peer)}
               for name, program, t, tern, peer in rows]
    small = [{"name": name, "unit": unit, "tern": number(tern), "peer": number(peer)}
             for name, unit, tern, peer in footprint]
    with open(os.path.join(folder, "results.json"), "w") as file:
        json.dump({"cpu": cpu, "instruction_sets": sets, "peers": versions, "seconds": seconds,
                   "results": results, "footprint": small}, file, indent=1)
