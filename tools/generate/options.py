"""The page of all classes of options: docs/options.md."""

import re

from cpp import declarations, name_of

TYPES = {  # how users read the types of C++
    r"std::|Strict(er<std::size_t>)?": "",
    r"^Integer<uint64_t>$": "uint64",
    r"Integer<size_t>|int64_t|\bInt\b": "int64",
    r"\bBool\b": "bool",
    r"^optional<(.*)>$": r"\1 or nullopt",
}
OTHER = r"const \w*Options&|= delete|\bstatic\b|/\*"  # functions that set no field
ALIAS = r"(?m)^using (\w+Options) = (?:\w+::)*(\w+Options)(?:<[^>]*>)?;"
HEAD = "\n| option | type | default | what it says |\n| --- | --- | --- | --- |\n"


def shown(type):
    for pattern, text in TYPES.items():
        type = re.sub(pattern, text, type)
    return type


def about(d):
    text = re.sub(" (Example|Shape|Throws):.*", "", " ".join(d.doc) or d.remark)
    return text.rstrip().replace("|", "\\|")


def section(title, options, members, also):
    """What the class is made from, and its fields; empty if it has neither."""
    made, rows = {}, {}
    values = {d.name[:-1]: d.value for d in members if d.name.endswith("_")}  # behind setters
    for d in members:
        is_call = d.kind == "function" and d.parameters and not re.search(OTHER, d.code)
        if is_call and d.name == options.name:
            made[f"`{d.name}({', '.join(map(name_of, d.parameters))})`"] = True
        elif is_call and d.type.removesuffix("&") == options.name and d.doc:  # not private
            type = d.parameters[0].rpartition(" ")[0]
            rows.setdefault(d.name, (type, values.get(d.name, ""), about(d)))
        elif d.kind in ("option", "variable") and not d.name.endswith("_") and not re.search(r"\bstatic\b", d.code):
            rows.setdefault(d.name, (d.type, d.value, about(d)))
    facts = [f"The class of {', '.join(also)}."] if also else []
    facts += [f"Made from {' or '.join(made)}."] if made else []
    text = f"\n### {title}\n\n{about(options)}\n" + (f"\n{' '.join(facts)}\n" if facts else "")
    text += HEAD if rows else ""
    for field, (type, value, what) in rows.items():
        value = value.removesuffix("{}") and f"`{value}`"
        text += f"| `{field}` | `{shown(type)}` | {value} | {what} |\n"
    return text if made or rows else ""


def page(template, headers):
    """The template with the classes of options below each `## HEADING = PATTERN OF HEADERS`."""
    also = {}
    for name, of in (found for text in headers.values() for found in re.findall(ALIAS, text)):
        also.setdefault(of, []).append(f"`{name}`")

    def sections(found):
        text = found[1] + "\n"
        for path in sorted(path for path in headers if re.match(found[2], path)):
            all = declarations(headers[path])
            for d in all:
                if d.kind == "type" and d.name.endswith("Options") and d.code.endswith("{"):
                    title = "train::Options" if path.startswith("train/fit") else d.name
                    members = [each for each in all if any(scope is d for scope in each.scopes)]
                    text += section(title, d, members, also.get(d.name))
        return text

    return re.sub("(?m)^(## .*) = (.*)\n", sections, template)
