"""Splits C++ headers into declarations with the comments above them."""

import re
from dataclasses import dataclass

STRING = r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
LINES = (  # kinds of lines that are no part of a declaration
    ("doc", r"\s*///(?![/<]) ?"),
    ("blank", r"\s*$"),
    ("remark", r"\s*//"),
    ("include", r"#include <tern/.*\.(inc|def)>"),
    ("label", r"\s*(public|private|protected):\s*$"),
)
SCOPE = r'\s*(template\s*<.*>\s*)?(TERN_API\s+)?(inline\s+)?(namespace|class|struct|enum|union|extern\s+"")[\s{]'


def nested(opening, closing):
    """A pattern of brackets with brackets in them."""
    inner = ""
    for _ in range(5):
        inner = rf"{opening}(?:[^{opening}{closing}]{f'|{inner}' if inner else ''})*{closing}"
    return inner


ROUND = nested(r"\(", r"\)")
OPERAND = rf"\s*(?:requires\s*(?:{ROUND})?\s*{nested('{', '}')}|!?{ROUND}|[\w:]+(?:{nested('<', '>')})?[\w:]*)"
CONSTRAINT = rf"\brequires\b(?:{OPERAND}\s*(?:\|\||&&))*{OPERAND}"


@dataclass
class Item:
    """A declaration ("whole", "function" with a body below, "scope", "value" of an enum), or a line of another kind: those of LINES,
    "define" and "macro", its other lines, "directive", "body", a line in a function, and "end" of a scope."""

    kind: str
    lines: list
    doc: list  # the comment above, without slashes
    scopes: list  # those around it: (level, name, whether it is an enum)
    bare: str = ""  # on one line, without comments and the texts of strings

    @property
    def code(self):
        """The declaration on one line without comments."""
        return " ".join(filter(None, (without_remark(line).strip() for line in self.lines)))


def without_remark(line):
    return re.sub(STRING + "|//.*", lambda found: "" if found[0].startswith("//") else found[0], line)


def balance(text, brackets):
    return text.count(brackets[0]) - text.count(brackets[1])


def split_list(text):
    """Splits at the commas outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "<({[") - (c in ">)}]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts] if text.strip() else []


def unconstrained(text):
    """A declaration without its requires clauses."""
    return text if "concept " in text else re.sub(CONSTRAINT, "", text)


def scope_name(bare):
    name = re.sub(r"^\s*template\s*<.*?>(?=\s*(class|struct))|alignas\([^)]*\)|TERN_API|final|\s*(?<!:):(?!:).*|\s*{.*|<.*", "", bare)
    return name.split()[-1] if name.split() else ""


def items(text):
    """All lines of a header as items."""
    level, body_level, kind = 0, None, ""
    scopes, doc, lines, bare = [], [], [], ""
    for line in text.splitlines():
        code = re.sub(STRING, lambda found: found[0][0] * 2, without_remark(line))
        is_macro, kind = kind in ("define", "macro") and last.endswith("\\"), ""
        last = line
        if is_macro:
            kind = "macro"
        elif re.match(r"\s*#\s*define", line):
            kind = "define"
        elif body_level is None and not lines:
            kind = next((kind for kind, pattern in LINES if re.match(pattern, line)), "")
        if not kind and re.match(r"\s*#", line):
            kind = "directive"
        elif not kind and body_level is not None:
            kind = "body"
            level += balance(code, "{}")
            body_level = None if level <= body_level else body_level
        elif not kind and not lines and re.match(r"\s*}", code):
            kind = "end"
            level -= code.count("}")
            scopes = [scope for scope in scopes if scope[0] < level]
        if kind == "doc":
            doc.append(re.sub(LINES[0][1], "", line))
        if kind:
            yield Item(kind, [line], doc, scopes)
            doc = doc if kind in ("doc", "remark") else []
            continue
        lines, bare = lines + [line], bare + " " + code
        rest, around = unconstrained(bare).rstrip(), scopes
        if balance(bare, "()") > 0:
            continue
        if scopes and scopes[-1][2]:
            kind = "value"
        elif rest.endswith(";") or rest.endswith("}") and balance(rest, "{}") == 0:
            kind = "whole"
        elif rest.endswith("{") and re.match(SCOPE, bare) and not re.search(r"\)\s*(const)?\s*(noexcept)?\s*{", bare):
            kind = "scope"
            scopes = scopes + [(level, scope_name(bare), bool(re.match(r"\s*enum\s", bare)))]
        elif rest.endswith("{"):
            kind = "function"
            body_level = level
        if kind:
            level += balance(bare, "{}")
            yield Item(kind, lines, doc, around, bare)
            doc, lines, bare = [], [], ""
