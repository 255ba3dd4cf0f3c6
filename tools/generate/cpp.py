"""Reads the declarations of C++ headers, with the comments above them."""

import re
from dataclasses import dataclass
from functools import cache

STRING = r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
DOC = r"\s*///(?![/<]) ?"


def nested(opening, closing):
    """A pattern of brackets with brackets in them."""
    inner = ""
    for _ in range(5):
        inner = rf"{opening}(?:[^{opening}{closing}]{f'|{inner}' if inner else ''})*{closing}"
    return inner


ROUND, ANGLE, CURLY = nested(r"\(", r"\)"), nested("<", ">"), nested("{", "}")
OPERAND = rf"\s*(?:requires\s*(?:{ROUND})?\s*{CURLY}|!?{ROUND}|[\w:]+(?:{ANGLE})?[\w:]*)"
CONSTRAINT = rf"\brequires\b(?:{OPERAND}\s*(?:\|\||&&))*{OPERAND}"
PREFIX = rf"""(?x)
    ^\s*template\s*{ANGLE} | \b(?:TERN_API|inline|constexpr|static|extern|virtual|friend)\b
    | \bexplicit\s*(?:{ROUND})? | \[\[.*?\]\] | \b(?:alignas|__attribute__)\s*{ROUND}
    | \bdecltype\(auto\)"""
KINDS = {  # what a declaration is without its prefixes: the first pattern that matches
    "directive": "#",
    "operator": r"[^(=]*\b(?P<name>operator\s*(?:\(\)|[^(]+))",
    "namespace": r"namespace\s*(?P<name>[\w:]*)|\"C\"",
    "enum": r"enum (?:class )?(?P<name>\w+)",
    "type": rf"""(?x) (?:class|struct|union)\b\s*(?P<name>\w*)
        (?P<specialized>(?:{ANGLE})?[\w:]*)\s*(?:final\s*)?(?:[{{;]|:[^:])""",
    "alias": r"(?:using|concept) (?P<name>\w+) =",
    "import": r"using (?:typename )?(?:\w*::)*(?P<name>\w+);",
    "module": r"TERN_MODULE(?:_IMPL)?\((?P<name>\w+)",  # the holder of a module
    "option": r"""(?x) TERN_(?:OPTIM_)?(?:ARG|STATE)\((?P<type>.*?),\s*(?P<name>\w+)
        (?:,\ \.[^)]*)?\)(?:\ *=\ *)?(?P<value>.*?);""",
    "other": r"using namespace|static_assert|template\b|[A-Z]+_[A-Z_]+\(|[^(={]*::~?\w+\s*\(",
    "function": rf"(?P<type>[^(={{]*?)(?P<name>~?\w+)\s*(?P<parameters>{ROUND})",
    "variable": r"(?P<type>[^(={]*[\s&*>])(?P<name>\w+)(?:\[\w*\])?(?:[,;{]|\s*= (?P<value>.*);)",
}


@dataclass
class Declaration:
    lines: slice  # where it stands, without the body below a function
    code: str  # the lines as one, without comments
    remark: str  # the comment behind it
    scopes: list  # the declarations around it
    doc: list  # the comment above, without slashes; overloads share that of the first
    kind: str = "other"  # of KINDS, or "value" of an enum
    name: str = ""
    type: str = ""  # of a variable; the result of a function
    value: str = ""
    parameters: str = ""
    specialized: str = ""

    def __post_init__(self):
        bare = re.sub(PREFIX, "", unconstrained(self.code)).strip()
        for kind, pattern in KINDS.items():
            if found := re.match(pattern, bare):
                self.kind = kind
                for key, text in found.groupdict("").items():
                    setattr(self, key, text.strip())
                break
        self.parameters = split_list(self.parameters[1:-1])

    @property
    def space(self):
        return "::".join(scope.name for scope in self.scopes if scope.kind == "namespace")

    @property
    def is_member(self):
        return any(scope.kind != "namespace" for scope in self.scopes)

    @property
    def group(self):
        """What a run of declarations below one comment has in common."""
        is_constant = self.kind == "variable" and "constexpr" in self.code
        return self.kind if is_constant or self.kind == "alias" else self.name

    def share(self, above):
        """Takes the comment above the declarations before, if it is about this one, too."""
        if self.group in (above.group, "end" if above.group == "begin" else above.group):
            self.doc = above.doc
        elif self.name == above.name + "_":
            about = f"In-place form of {above.name}(): writes the result into `self`"
            self.doc = [about + " and returns it.", "", *above.doc]


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


def name_of(parameter):
    """The name of a parameter, without its type and default."""
    return re.sub(".*[ &*>]", "", parameter.partition(" = ")[0])


def without_remarks(text):
    return re.sub(f"{STRING}|//.*", lambda found: "" if found[0][0] == "/" else found[0], text)


def unconstrained(text):
    """A declaration without its requires clauses."""
    return text if "concept " in text else re.sub(CONSTRAINT, "", text)


def is_complete(bare):
    if bare.lstrip().startswith("#"):
        return not bare.endswith("\\")
    rest = unconstrained(bare).rstrip()
    is_open = balance(bare, "()") > 0 or rest.endswith("}") and balance(rest, "{}") > 0
    return not is_open and re.search(rf"[;{{}}]$|^\s*[A-Z_]+{ROUND}$", rest)


@cache
def declarations(text):
    """The declarations of a header in order, those of a scope behind it."""
    found, scopes, doc, codes, above, body = [], [], [], [], None, 0
    for i, (line, code) in enumerate(zip(text.splitlines(), without_remarks(text).splitlines())):
        plain = re.sub(STRING, '""', code)
        if body:
            body += balance(plain, "{}")
        elif not codes and (match := re.match(DOC, line)):
            doc.append(line[match.end() :])
        elif not codes and re.match(r"\s*//", line):
            continue
        elif not codes and re.match(r"\s*(}|$|(public|private|protected):)", plain):
            doc, above, scopes = [], None, scopes[: len(scopes) - plain.count("}")]
        else:
            codes.append(code.strip())
            bare = f"{bare} {plain}" if len(codes) > 1 else plain
            is_value = bool(scopes) and scopes[-1].kind == "enum" and codes[0][:1] != "#"
            if not is_complete(bare) and not is_value:
                continue
            remark = re.sub("^//(/<)? ?|(clang-format|NOLINT).*", "", line[len(code) :])
            where, remark = slice(i + 1 - len(codes), i + 1), remark if len(codes) == 1 else ""
            d = Declaration(where, " ".join(filter(None, codes)), remark, scopes, doc)
            d.kind = "value" if is_value else d.kind
            if "= delete;" in code and not doc:
                d.doc = ["Not copyable."]
            elif above and d.name and not doc:
                d.share(above)
            found, doc, codes, above = [*found, d], [], [], d if doc else above
            if balance(bare, "{}") > 0 and d.kind in ("namespace", "enum", "type"):
                scopes = [*scopes, d]
            else:
                body = balance(bare, "{}")
    return found
