"""The page of all classes of options: docs/options.md."""

import re

from cpp import items

SECTIONS = {
    "Tensors and autograd": "core/",
    "Layers and their functions": r"nn/(options|utils|module|parallel|\w+\.h)",
    "Models": "nn/models",
    "Optimizers and schedulers": "nn/optim",
    "Data": "nn/data",
    "Training": "train/",
    "Files": "serialization/",
}
NAME = r"(?:template <.*> )?(?:struct|class)(?: TERN_API)? ([A-Za-z]*Options)\b"


def shown_type(text):
    """A C++ type as users read it."""
    text = re.sub(r"^Integer<uint64_t>$", "uint64", re.sub(r"std::|Strict(er<std::size_t>)?", "", text))
    text = re.sub(r"Integer<size_t>|int64_t|^Int$", "int64", re.sub(r"^Bool$", "bool", text))
    return re.sub(r"^optional<(.*)>$", r"\1 or nullopt", text)


def about(item):
    text = " ".join(item.doc) or "".join(re.findall(";  // (.*)", item.lines[0]))
    return re.sub(r" (Example|Shape|Throws):.*", "", text).rstrip()


def parameter_name(text):
    return re.sub(r".*[ &*]", "", re.sub(" *=.*", "", text))


class Options:
    """A class of options: its constructors and its fields."""

    def __init__(self, path, name, text):
        self.name, self.text = name, text
        self.shown = "train::Options" if path.startswith("train/fit") else name
        self.made, self.rows, self.hidden = [], {}, False

    def add(self, item):
        code, field, value = re.sub(r"^template <[^>]*> |\[\[nodiscard\]\] |explicit ", "", item.code), "", ""
        copies = re.search(r"const [A-Za-z]*Options&|delete", code)
        if item.kind == "label":
            self.hidden = "public" not in code
        elif found := re.match(r"TERN_(?:OPTIM_)?ARG\((.*?), (\w+)(?:, \.[^)]*)?\)(?: *= *)?(.*?);", code):
            kind, field, value = found.groups()
        elif not (self.hidden or copies) and (found := re.match(rf"{self.name}&? ([a-z_]+)\((.*?) [a-z_]+\)", code)):
            field, kind = found.groups()
        elif not copies and (found := re.match(rf"{self.name}\(([^)]+)\)", code)):
            self.made.append(f"`{self.name}({', '.join(map(parameter_name, found[1].split(',')))})`")
        elif found := re.fullmatch(r"(?!using)([a-zA-Z][\w:<>, *]*) ([a-z_0-9]+)(?: = (.*))?;", code):
            kind, field, value = found[1], found[2], found[3] or ""
            if field.endswith("_"):  # the member of a setter
                self.rows.get(field[:-1], ["", ""])[1] = value
            field = "" if field.endswith("_") or self.hidden else field
        if field and field not in self.rows:
            self.rows[field] = [shown_type(kind), value.removesuffix("{}"), about(item).replace("|", "\\|")]

    def table(self, also):
        facts = [f"The class of {', '.join(also)}."] if also else []
        facts += [f"Made from {' or '.join(dict.fromkeys(self.made))}."] if self.made else []
        lines = ["", f"### {self.shown}", "", self.text] + (["", " ".join(facts)] if facts else [])
        if self.rows:
            lines += ["", "| option | type | default | what it says |", "| --- | --- | --- | --- |"]
        for field, (kind, value, text) in self.rows.items():
            lines.append(f"| `{field}` | `{kind}` | {value and f'`{value}`'} | {text} |")
        return lines if self.made or self.rows else []


def options_in(path, text):
    found, inside = [], None
    for item in items(text):
        if item.kind == "scope" and (name := re.match(NAME, item.code)):
            found.append(Options(path, name[1], about(item)))
            inside = name[1]
        elif any(scope[1] == inside for scope in item.scopes) and item.kind in ("label", "whole", "function"):
            found[-1].add(item)
    return found


def page(introduction, headers):
    """headers: the texts of the public headers by path."""
    also, alias = {}, r"^using ([A-Za-z0-9]+Options) = (?:\w+::)*(\w+Options)(?:<[^>]*>)?;"
    for text in headers.values():
        for name, of in re.findall(alias, text, re.M):
            also.setdefault(of, []).append(f"`{name}`")
    lines = [introduction.rstrip("\n")]
    for heading, pattern in SECTIONS.items():
        lines += ["", f"## {heading}"]
        for path in sorted(path for path in headers if re.match(pattern, path)):
            for options in options_in(path, headers[path]):
                lines += options.table(also.get(options.name))
    return "\n".join(lines) + "\n"
