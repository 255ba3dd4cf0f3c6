"""The fields of a record, and how its file looks. tests/ops/op_case.h says what the fields mean."""
import json

RECORD = ("op", "traits", "sampler", "forms", "cases")
TRAITS = ("exact", "sum", "square", "layout", "step", "pole", "kink")
FORM = ("cpp", "python", "parameters")
CASE = ("name", "comment", "cpp", "python", "in_place", "node", "in_place_node", "samples", "dtypes",
        "mixes_devices", "numbers_join", "meta", "second_order", "tolerance", "golden_factor", "other_node", "kernel",
        "optional", "calls_before", "rejections", "golden")
WIDTH = 100


class LayoutError(Exception):
    """What is wrong with a record."""


def check_fields(value, place, known, needed):
    for name in value:
        if name not in known:
            raise LayoutError(f"{place} has no field \"{name}\"")
    for name in needed:
        if name not in value:
            raise LayoutError(f"{place} lacks the field \"{name}\"")


def check(record, stem):
    check_fields(record, "a record", RECORD, ("op",))
    if record["op"] != stem:
        raise LayoutError(f"the file is not called {record['op']}.json")
    for trait in record.get("traits", []):
        if trait not in TRAITS:
            raise LayoutError(f"no trait is called {trait}, only {', '.join(TRAITS)}")
    for form in record.get("forms", []):
        check_fields(form, "a form", FORM, ("cpp", "parameters"))
    for case in record.get("cases", []):
        check_fields(case, f"case {case.get('name')}", CASE, ("name", "cpp", "samples"))


def inner(value):
    return json.dumps(value, ensure_ascii=False)


def in_lines(name, values, indent):
    """A list with one element per line."""
    if not values:
        return f"{indent}\"{name}\": []"
    lines = ",\n".join(f"{indent}  {inner(value)}" for value in values)
    return f"{indent}\"{name}\": [\n{lines}\n{indent}]"


def ordered(value, names):
    return {name: value[name] for name in names if name in value}


def case_layout(case):
    indent = " " * 6
    fields = []
    for name, value in ordered(case, CASE).items():
        line = f"{indent}\"{name}\": {inner(value)}"
        is_long = isinstance(value, list) and len(line) > WIDTH
        several = is_long or name in ("rejections", "golden")
        fields.append(in_lines(name, value, indent) if several else line)
    return "    {\n" + ",\n".join(fields) + "\n    }"


def layout(record):
    fields = [f"  \"{name}\": {inner(record[name])}" for name in RECORD[:3] if name in record]
    if "forms" in record:
        fields.append(in_lines("forms", [ordered(form, FORM) for form in record["forms"]], "  "))
    if "cases" in record:
        fields.append("  \"cases\": [\n" + ",\n".join(map(case_layout, record["cases"])) + "\n  ]")
    return "{\n" + ",\n".join(fields) + "\n}\n"
