"""What the records of ops (tests/ops/cases) say about random programs: how exact an op is, and
which sampler draws arguments that fit. Traits of an op:

exact    its results have no rounding of their own, or PyTorch's very rounding
sum      the same as long as no sum rounds
square   it squares numbers, so that large ones overflow
layout   it makes a view or a copy, or chooses strides, after the strides of its argument
step     its result jumps: a small change of an argument may change it much, everywhere
pole     the same near one number, mostly 0
kink     its gradient jumps
"""

import json
from pathlib import Path

CASES = Path(__file__).parent.parent / "ops" / "cases"
# Forms of program_forms.cpp, which are no ops of core/ops.
EXACT = set("make requires_grad_ retain_grad detach detach_ data item set_enabled set_grad".split())
SAMPLERS = {"retain_grad": "retain", "set_grad": "set_grad", "item": "item",
            "backward": "by_python", "grad": "by_python"}


def load():
    """The records by the C++ of their forms."""
    records = {}
    for path in CASES.rglob("*.json"):
        record = json.loads(path.read_text())
        for form in record.get("forms", []):
            records[form["cpp"]] = record
    return records


RECORDS = load()


def traits_of(cpp, op):
    if cpp in RECORDS:
        return frozenset(RECORDS[cpp].get("traits", []))
    return frozenset(["exact"] if op in EXACT else [])


def sampler_name(cpp, op):
    """The name of a function in samplers.py, None if each argument can be drawn alone."""
    return RECORDS[cpp].get("sampler") if cpp in RECORDS else SAMPLERS.get(op)
