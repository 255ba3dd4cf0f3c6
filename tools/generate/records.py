"""C++ of the records in tests/ops/cases: calls of their cases, and forms for random programs."""

import json
import re
from collections import Counter
from itertools import chain
from string import Template

from cpp import ROUND
from methods import words


def literal(text):
    return json.dumps(text, ensure_ascii=False)


def out_call(code, out_forms):
    """The call of a.add(b) or add(a, b) as add_out(out, a, b); "" if there is no such form."""
    found = re.fullmatch(rf"(?:([a-h])\.)?(\w+)({ROUND})", code)
    if not found or found[2] not in out_forms:
        return ""
    return f"{found[2]}_out({', '.join(filter(None, ('out', found[1], found[3][1:-1])))})"


def case_rows(record, path, out_forms):
    for case in record.get("cases", []):
        out = out_call(case["cpp"], out_forms)
        parts = [literal(path), literal(case["name"]), f"TERN_CALL({case['cpp']})"]
        if "in_place" in case:
            parts.append(f"TERN_IN_PLACE({case['in_place']})")
        elif out:
            parts.append("TERN_NOT_IN_PLACE")
        parts += [f"TERN_OUT({out})"] if out else []
        yield f"    {{{', '.join(parts)}}},\n"


def form_rows(record, *_):
    """Programs know a form by its Python. A comment behind the text tells equal ones apart."""
    uses = Counter()
    for form in record.get("forms", []):
        python = form.get("python", form["cpp"])
        name = literal(f"{python} #{uses[python]}" if uses[python] else python)
        uses[python] += 1
        yield f"    TERN_FORM({name}, ({form['parameters']}), {form['cpp']}),\n"


KINDS = {  # of files for a family of ops: the rows of a record, and the text around all rows
    "tests/ops/generated/{family}_cases.cpp": (case_rows, "cases"),
    "tests/differential/generated/{family}_forms.cpp": (form_rows, "forms"),
}


def files(root, text):
    """The texts of the files by path."""
    out, out_forms = {}, set(sum(words(root / "core/ops/out_forms.txt"), []))
    for folder in (root / "tests/ops/cases").iterdir():
        paths = sorted(folder.glob("*.json"))
        records = {f"{folder.name}/{path.name}": json.loads(path.read_text()) for path in paths}
        for file, (rows_of, template) in KINDS.items():
            rows = (rows_of(record, path, out_forms) for path, record in records.items())
            facts = {"family": folder.name, "rows": "".join(chain(*rows))}
            out[file.format(**facts)] = Template(text[template]).substitute(facts)
    return out
