"""doxygen.py FOLDER FILE...: writes what Doxygen reads instead of each header or page into FOLDER.

Overloads share a comment, and so do a form in place and its function. A comment takes one line, the
one above its declaration, so that warnings name the right lines; except below a list that a header
includes, which becomes a part of the header.
"""

import re
import sys
from pathlib import Path

from cpp import declarations, unconstrained, without_remarks

ROOT = Path(__file__).resolve().parents[2]
BREAK = "\\ilinebr "  # starts a new line inside a comment
HEADING = "(?m)^(Shape|Parameters|Buffers|Throws|Returns|Example): ?"
CODE = r"(?m)((?:^  .*\n(?:\n(?=  ))?)+)"


def escaped(text):
    """Escapes what Doxygen would read as markup, except between backticks."""
    parts = text.split("`")
    for i, part in enumerate(parts):
        shown = part.replace("<", "&lt;").replace(">", "&gt;")
        parts[i] = part.replace("\n", " ") if i % 2 else re.sub(r"([@#%*])", r"\\\1", shown)
    return "`".join(parts)


def comment(doc):
    """A comment on one line. Indented lines are code, and words such as "Shape:" headings."""
    text = re.sub(r"(?m)^- .*(?:\n  .*)*", lambda item: item[0].replace("\n ", ""), "\n".join(doc))
    text = re.sub("(?m)^Example: (.+)", r"Example:\n  \1", text)
    parts = re.split(CODE, re.sub(HEADING, r"\\par \1\n", text) + "\n")
    for i, part in enumerate(parts):
        code = re.sub("(?m)^  ", "", part)
        parts[i] = f"\\code{{.cpp}}\n{code}\\endcode\n" if i % 2 else escaped(part)
    return "".join(parts).strip("\n").replace("\n", BREAK)


def header(text):
    """The text of a header with the comments that Doxygen asks for."""
    lines = without_remarks(text).replace("<tern/", "<").splitlines()
    for d in declarations(text):
        doc, code = comment(d.doc), unconstrained(d.code)
        if d.remark and not doc and d.kind in ("variable", "value"):
            doc = escaped(f"{d.remark[0].upper()}{d.remark[1:].removesuffix('.')}.")
        if d.kind == "option":  # a setter and a getter
            if doc and d.value and "Default: " not in doc:
                doc += f" Default: `{d.value}`."
            code = f"public: {d.scopes[-1].name}& {d.name}({d.type} value); "
            code += f"/** {doc} */ const {d.type}& {d.name}() const noexcept; private:"
        elif d.kind == "module":
            code = f"class {d.name} : public ModuleHolder<{d.name}Impl, {d.name}> {{}};"
            doc = doc or f"\\holder{{{d.name}}}"
        elif d.kind == "variable":  # `Tensor weight, bias;`
            code = re.sub(", (?=[^<>(){}]*;)", lambda _: f", /** {doc} */ ", code)
        if d.kind != "directive":
            lines[d.lines] = [code] + [""] * (d.lines.stop - d.lines.start - 1)
        if doc:
            lines[d.lines.start - 1] += f" /// {doc}" if "*/" in doc else f" /** {doc} */"
    return "/** \\file */ " + "\n".join(lines) + "\n"


def with_lists(text):
    """The text of a header with those of the lists that it includes."""
    included = r"(?m)^(?:#define (?:.*\\\n)*.*\n)?#include <tern/(.*\.(?:inc|def))>$"
    return re.sub(included, lambda path: with_lists((ROOT / path[1]).read_text()), text)


def page(name, text):
    """A page of Markdown: headings have GitHub's names, links lead from build/docs to sources."""

    def heading(found):
        slug = re.sub("[^a-z0-9 _-]", "", found[1].strip().lower()).replace(" ", "-")
        return f"{found[0]} {{#{name}-{slug}}}"

    def link(found):
        label, target = found[1].replace("`", ""), found[2]  # Doxygen shows the backticks of a link
        file, hash, part = target.rpartition("#")
        if file.endswith(".md") or hash and not file:
            target = f"@ref {file.split('/')[-1].removesuffix('.md') or name}-{part}"
        elif not re.match(r"[a-z]+:|.*\.md$", target):
            is_image = re.search(r"\.(png|svg)$", target)
            target = ("" if is_image else "../../") + re.sub(r"^(\.\./)+", "", target)
        return f"[{label}]({target})"

    parts = re.split(r"(?ms)(^```.*?^```)", text)
    for i in range(0, len(parts), 2):
        part = re.sub("(?m)^##+ (.*)", heading, parts[i])
        part = re.sub(r"\*\*(`[^`\n]*`)\*\*", r"<b>\1</b>", part)  # whose asterisks Doxygen shows
        parts[i] = re.sub(r"\[((?:`[^`\n]*`|[^`\[\]\n])*)\]\(([^)\n]*)\)", link, part)
    return "".join(parts)


if __name__ == "__main__":
    for path in map(Path, sys.argv[2:]):
        text, out = path.read_text(), Path(sys.argv[1]) / path
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page(path.stem, text) if path.suffix == ".md" else header(with_lists(text)))
