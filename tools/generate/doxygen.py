"""doxygen.py FILE prints what Doxygen reads instead of a header or a page, so that headers keep the house rules.

One comment stands for all overloads directly under it and for the form in place. Lists of declarations become part of the header
that includes them, macros the declarations that they make. Every line gives one line, so that warnings name the right one.
"""

import re
import sys
from pathlib import Path

from cpp import items, split_list, unconstrained, without_remark

HEADING = re.compile(r"(Shape|Parameters|Buffers|Throws|Returns|Example): ?")
BREAK = "\\ilinebr "  # starts a new line inside a comment
LIST = "[a-z_]+( = [^,;({]+)?"


def escaped(text):
    """Escapes what Doxygen would read as markup, except between backticks."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([@#%*])", r"\\\1", parts[i].replace("<", "&lt;").replace(">", "&gt;"))
    return "`".join(parts)


def comment(doc):
    """A comment on one line. Indented lines are code, and words such as "Shape:" headings."""
    rows, is_code, is_list = [], False, False
    for row in re.sub("`[^`]*`", lambda found: found[0].replace("\n", " "), "\n".join(doc)).split("\n"):
        if is_code and row and not row.startswith("  "):
            rows.append("\\endcode")
            is_code = False
        elif not is_code and not is_list and re.match("  +[^ ]", row):
            rows.append("\\code{.cpp}")
            is_code = True
        if is_code:
            rows.append(row.removeprefix("  "))
            continue
        is_list = row.startswith("- ") or is_list and row.startswith(" ")
        if found := HEADING.match(row):
            row = row[found.end() :]
            rows.append("\\par " + found[1])
            if found[1] == "Example":
                rows += ["\\code{.cpp}", row, "\\endcode"] if row else []
                continue
        rows.append(escaped(row))
    return BREAK.join(rows + ["\\endcode"] * is_code)


def function_name(item, group):
    """The name of a function, and one for a run of constants or aliases, for which one comment stands."""
    text = re.sub(r"decltype\(auto\)|__attribute__\(\([^)]*\)\)|explicit\([^)]*\)", "", unconstrained(item.bare))
    if found := re.search(r"operator\s*\(\)|operator[^(]*(?=\()|^\s*constexpr(?= [^(]*=)|^\s*using(?= \w+ =)", text):
        return re.sub(r"\s", "", found[0])
    found = re.match(r"[^(=]*?([\w~]*)\s*\(", text) if item.kind in ("whole", "function") else None
    return group if not found or found[1] == "end" and group == "begin" else found[1]


def commented(doc, line):
    """A declaration behind its comment, which is a line of its own if it has another comment inside."""
    return f"/// {doc}\n{line}" if "*/" in doc else f"/** {doc} */ {line}"


def one_each(line, doc):
    """`Tensor weight, bias;` as two declarations with one comment each."""
    is_list = re.match(rf" *[\w:]+ {LIST}(, {LIST})+;", line)
    return line.replace(", ", f"; /** {doc} */ {line.split()[0]} ") if is_list else line


def accessors(line, doc, owner):
    """TERN_ARG(Type, name) = initial; and its kin as a setter and a getter."""
    kind, name, initial = re.search(r"(?:ARG|STATE)\((.*?),\s*(\w+)(?:, \.[^)]*)?\)(?:\s*=\s*)?([^;]*)", line).groups()
    if doc and initial:
        is_long = ". " in doc
        doc = f"{doc} Default: `{initial}`." if is_long else f"{doc.removesuffix('.')} (default: `{initial}`)."
    doc = doc and f"/** {doc} */ "
    return f"public: {doc}{owner}& {name}({kind} value); {doc}const {kind}& {name}() const noexcept; private:"


def holder(line, doc):
    """TERN_MODULE(Name); as a class."""
    name = re.search(r"\((\w+)\)", line)[1]
    doc = doc or (
        f"\\copydoc {name}Impl {BREAK}{BREAK}{name} is the holder of {name}Impl: a shared pointer that makes, "
        "calls and moves the module; see ModuleHolder."
    )
    return f"/** {doc} */ class {name} : public ModuleHolder<{name}Impl, {name}> {{}};"


def behind(line, is_value):
    """A comment behind a field or a value documents it."""
    found = re.search("(?<!/)//(?!/)<? ?(.*)", line)
    if not found:
        return line
    before, text = line[: found.start()], found[1]
    if re.match("clang-format|NOLINT", text):
        return before
    doc = escaped(text[:1].upper() + text[1:] + "." * (not text.endswith(".")))
    return f"{before}/**< {doc} */" if is_value else f"/** {doc} */ {one_each(before, doc)}"


def declared(item, group, group_text):
    """The lines of a declaration with its comment, the name of its group of overloads and their comment."""
    lines, bare, name = list(item.lines), item.bare, function_name(item, "")
    text = comment(item.doc)
    if text:
        group, group_text = name, text
    elif re.search(r"=\s*delete;", bare):
        text = "Not copyable."
    elif name and name in (group, "end" if group == "begin" else group):
        text = group_text
    elif group and name == group + "_":
        text = f"In-place form of {group}(): writes the result into `self` and returns it.{BREAK}{BREAK}{group_text}"
    if re.match(r"\s*TERN_((OPTIM_)?ARG|OPTIM_STATE)\(", bare):
        lines[0] = accessors(lines[0], text, item.scopes[-1][1])
    elif re.match(r"\s*TERN_MODULE\(", bare):
        lines[0] = holder(lines[0], text)
    elif re.match(r"\s*(extern\s+)?template\s+(class|struct)", bare):
        lines[0] = ""
    elif text:
        lines[0] = commented(text, lines[0] if name or len(lines) > 1 else one_each(lines[0], text))
    elif len(lines) == 1 and not name and item.kind in ("whole", "value"):
        lines[0] = behind(lines[0], item.kind == "value")
    if re.search(r"[\s>]requires[\s(]", bare):
        lines = [unconstrained(" ".join(lines))] + [""] * (len(lines) - 1)
    return [line.replace("TERN_API ", "") for line in lines], group, group_text


def expanded(macro, row):
    """The body of a macro for a row of a list."""
    name, parameters, body = re.match(r"#\s*define\s+(\w+)\(([^)]*)\)(.*)", macro).groups()
    if not row.startswith(name + "("):
        return ""
    for parameter, argument in zip(split_list(parameters), split_list(row[len(name) + 1 : row.rindex(")")])):
        body = re.sub(rf"\b{parameter}\b", lambda _: argument.replace('"', ""), body)
    return " " + body.replace("##", "")


def header(root, text):
    out, group, group_text, macro = [], "", "", ""
    for item in items(text):
        line, kept = item.lines[0], [""]
        if item.kind in ("blank", "label", "end", "define", "include"):
            group = ""
        if item.kind in ("define", "macro"):
            text = "" if item.kind == "define" else macro + " "
            macro = text + line.removesuffix("\\").rstrip()
            kept = [(f"/** {comment(item.doc)} */\n" if item.doc else "") + line]
            kept = [""] if macro.startswith("#define TERN_DTYPE") else kept  # undefined again below
        elif item.kind == "include":
            rows = (root / line.split("<tern/")[1].split(">")[0]).read_text().splitlines()
            if ".inc>" in line:  # on one line, where a comment would hide the other declarations
                rows = [row if "///" in row else without_remark(row) for row in rows if not re.match(" *// ", row)]
                kept = [header(root, "\n".join(rows)).replace("\n", " ")]
            else:
                kept = ["".join(expanded(macro, row) for row in rows)]
        elif item.kind in ("directive", "remark", "body", "label", "end"):
            kept = [line.replace("<tern/", "<") if item.kind == "directive" else line]
        elif item.kind not in ("blank", "doc"):
            kept, group, group_text = declared(item, group, group_text)
            if kept[0].startswith("///") and item.doc:
                out.pop()  # the last line of the comment, which is empty here
        out += kept
    return "\n".join(out) + "\n"


def page(name, text):
    """A page of Markdown, in which headings have GitHub's names and links to sources lead from build/docs to them."""
    fenced, out = False, []

    def link(found):
        label, target = found[1].replace("`", ""), found[2]  # Doxygen shows the backticks of a link
        if ".md#" in target or target.startswith("#"):
            file, _, heading = target.rpartition("#")
            target = f"@ref {file.split('/')[-1].removesuffix('.md') or name}-{heading}"
        elif not re.match("[a-z]+:", target) and not target.endswith(".md"):
            is_image = re.search(r"\.(png|svg)$", target)
            target = ("" if is_image else "../../") + re.sub(r"^(\.\./)+", "", target)
        return f"[{label}]({target})"

    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if not fenced and re.match("##+ ", line):
            slug = re.sub("[^a-z0-9 _-]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            line += f" {{#{name}-{slug}}}"
        if not fenced:
            line = re.sub(r"\*\*(`[^`]*`)\*\*", r"<b>\1</b>", line)  # whose asterisks Doxygen shows
            line = re.sub(r"\[((?:`[^`]*`|[^`\[\]])*)\]\(([^)]*)\)", link, line)
        out.append(line)
    return "\n".join(out) + "\n"


if __name__ == "__main__":  # doxygen.py FOLDER FILE...: writes what Doxygen reads instead of each file
    root, folder = Path(__file__).resolve().parents[2], Path(sys.argv[1])
    for path in map(Path, sys.argv[2:]):
        text, out = path.read_text(), folder / path
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page(path.stem, text) if path.suffix == ".md" else "/** \\file */ " + header(root, text))
