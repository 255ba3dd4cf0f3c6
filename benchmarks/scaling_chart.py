"""Draws training steps per second over batch and width, from the lines of benchmarks/scaling."""

import math

from turns import usable

WIDTH, HEIGHT, TOP, BOTTOM = 1000, 450, 76, 390
PANELS = (("batch", "batch size (width 400)", 70, 450), ("width", "width (batch 128)", 560, 940))
# Colours that colour-blind readers can tell apart, too (Okabe and Ito).
COLOURS = ("#0072b2", "#56b4e9", "#d55e00", "#e69f00")


def series_of(rows):
    """Pairs of a name and {"batch": {1: steps per second, ...}, "width": {...}}; `rows` as
    table.write() takes them."""
    result = {}
    for line, program, threads, *times in rows:
        for who, nanoseconds in zip(("tern", "libtorch"), times):
            if program == "scaling" and usable(nanoseconds):
                axis, at = line.split()
                name = f"{who}, {threads} thread{'s' * (threads > 1)}"
                points = result.setdefault(name, {}).setdefault(axis, {})
                points[int(at)] = 1e9 / nanoseconds
    return sorted(result.items(), key=lambda one: one[0].startswith("libtorch"))


def scale(low, high, start, end):
    """Maps [low, high] to [start, end] by its logarithm."""
    factor = (end - start) / math.log(high / low)
    return lambda value: start + factor * math.log(value / low)


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{words}</text>'


def panel(series, axis, label, left, right):
    ats = sorted({at for _, points in series for at in points.get(axis, {})})
    speeds = [speed for _, points in series for speed in points.get(axis, {}).values()]
    if len(ats) < 2:
        return []
    x = scale(ats[0], ats[-1], left, right)
    y = scale(min(speeds) / 1.3, max(speeds) * 1.3, BOTTOM, TOP)
    out = []
    for at in ats:
        out.append(f'<path stroke="#e3e3e3" d="M{x(at):.1f} {TOP}V{BOTTOM}"/>')
        out.append(text(x(at), BOTTOM + 20, at))
    for power in range(-1, 7):
        for digit in (1, 2, 5):
            speed = digit * 10.0**power
            if not TOP <= y(speed) <= BOTTOM:
                continue
            out.append(f'<path stroke="#e3e3e3" d="M{left} {y(speed):.1f}H{right}"/>')
            out.append(text(left - 9, y(speed) + 4.5, f"{speed:g}" if speed < 1e4
                            else f"{speed / 1000:g}k", "end"))
    out.append(f'<path fill="none" stroke="#555" d="M{left} {TOP}V{BOTTOM}H{right}"/>')
    out.append(text((left + right) / 2, BOTTOM + 46, label))
    for colour, (_, points) in zip(COLOURS, series):
        line = sorted(points.get(axis, {}).items())
        path = "L".join(f"{x(at):.1f} {y(speed):.1f}" for at, speed in line)
        out.append(f'<path fill="none" stroke="{colour}" stroke-width="2" d="M{path}"/>')
        out += [f'<circle cx="{x(at):.1f}" cy="{y(speed):.1f}" r="3" fill="{colour}"/>'
                for at, speed in line]
    return out


def draw(path, rows):
    series = series_of(rows)
    if not series:
        return
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, \'DejaVu Sans\', sans-serif" '
           'font-size="13" fill="#222">', '<rect width="100%" height="100%" fill="white"/>',
           text(70, 26, "Training steps per second, 784-width-10 with Adam", "start",
                'font-size="16" font-weight="600"')]
    for which in PANELS:
        out += panel(series, *which)
    for i, (colour, (name, _)) in enumerate(zip(COLOURS, series)):
        at = 70 + 170 * i
        out.append(f'<path stroke="{colour}" stroke-width="3" d="M{at} 50h20"/>')
        out.append(text(at + 26, 54, name, "start"))
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n</svg>\n")

