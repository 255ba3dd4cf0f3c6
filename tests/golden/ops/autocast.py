#!/usr/bin/env python3
"""Writes autocast.json: the dtypes that PyTorch 2.15.0 gives the results of ops under autocast.

    tests/golden/ops/autocast.py

Runs each case of tests/ops/cases with its first golden inputs, on the CPU in a region of bfloat16
and on CUDA in a region of float16. A machine without a GPU is enough: fake tensors have a device
and a dtype, but no elements. The floating inputs have these dtypes, in this order:

    all float32 | all of the region | the first float32, the others of the region | the reverse

The last two are only for cases with several floating inputs. "error" says that PyTorch refuses the
call, or needs elements that a fake tensor lacks. Cases with the same results share a line.
"""
import json
import logging
import sys
import warnings
from pathlib import Path

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

sys.path.insert(0, str(Path(__file__).parents[2] / "ops"))
from golden import CASES, NAMESPACE, read  # noqa: E402

REGIONS = {"cpu": torch.bfloat16, "cuda": torch.float16}


def dtypes_of(count, low):
    """The dtypes of `count` floating inputs, one list for each call."""
    high = torch.float32
    yield [high] * count
    yield [low] * count
    if count > 1:
        yield [high] + [low] * (count - 1)
        yield [low] + [high] * (count - 1)


def call(function, sample, dtypes, device, low):
    left = list(dtypes)
    inputs = []
    for data in sample:
        dtype = left.pop(0) if data["dtype"] == "floating" else torch.float32
        inputs.append(read(data, dtype).to(device))
    torch.set_autocast_dtype(device, low)
    torch.set_autocast_enabled(device, True)
    try:
        return str(function(*inputs).dtype)[6:]
    except (RuntimeError, NotImplementedError, ValueError, TypeError, AssertionError):
        return "error"
    finally:
        torch.set_autocast_enabled(device, False)
        torch.clear_autocast_cache()


def results(case, device, low):
    sample = case["golden"][0]["inputs"]
    text = case.get("python", case["cpp"])
    function = eval(f"lambda {', '.join('abcdefgh'[:len(sample)])}: {text}", NAMESPACE)
    count = sum(data["dtype"] == "floating" for data in sample)
    return " ".join(call(function, sample, dtypes, device, low)
                    for dtypes in dtypes_of(count, low)) if count else ""


def table(device, low):
    lines = {}
    for path in sorted(CASES.rglob("*.json")):
        for case in json.loads(path.read_text()).get("cases", []):
            found = results(case, device, low)
            if found.replace("error", "").strip():
                lines.setdefault(found, []).append(case["name"])
    return lines


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)  # of calls that PyTorch refuses
    if torch.__version__.split("+")[0] != "2.15.0":
        sys.exit(f"the dtypes are PyTorch 2.15.0's, and this is {torch.__version__}")
    tables = {"cpu": table("cpu", REGIONS["cpu"])}
    with FakeTensorMode():
        tables["cuda"] = table("cuda", REGIONS["cuda"])
    regions = []
    for device, lines in tables.items():
        rows = [f"{json.dumps(dtypes)}: {json.dumps(names)}" for dtypes, names in sorted(lines.items())]
        regions.append(f'"{device}": {{\n' + ",\n".join(rows) + "\n}")
    path = Path(__file__).with_suffix(".json")
    path.write_text("{\n" + ",\n".join(regions) + "\n}\n")


if __name__ == "__main__":
    main()
