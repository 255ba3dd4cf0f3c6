#!/usr/bin/env python3
"""What benchmarks/json_state.cpp does, by Python's json: json.dump and json.load of nested lists.

Prints a line per figure like the programs: name, tab, nanoseconds.
"""

import array
import json
import os
import random
import tempfile

from timing import report

LAYERS = {"fc1": (784, 400), "fc21": (400, 20), "fc22": (400, 20), "fc3": (20, 400), "fc4": (400, 784)}


def floats(count, fan_in):
    """Numbers as float32 has them, which is what tolist() gives for a layer's weights."""
    limit = fan_in**-0.5
    return array.array("f", (random.uniform(-limit, limit) for _ in range(count))).tolist()


def main():
    state = {}
    for name, (fan_in, fan_out) in LAYERS.items():
        state[name + ".weight"] = [floats(fan_in, fan_in) for _ in range(fan_out)]
        state[name + ".bias"] = floats(fan_out, fan_in)
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        path = file.name

    def save():
        with open(path, "w") as file:
            json.dump(state, file)

    def load():
        with open(path) as file:
            json.load(file)

    report("VAE state as JSON, saved", save)
    report("VAE state as JSON, loaded", load)
    os.remove(path)


main()
