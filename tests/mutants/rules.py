"""The mistakes: what people write wrong, as replacements of tokens."""

import re
from collections import namedtuple

# `old` from `start` of the file becomes `new`.
Mistake = namedtuple("Mistake", "path line start old new rule")

_OPERATORS = {
    "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"],
    "&&": ["||"], "||": ["&&"], "&": ["|"], "|": ["&"], "^": ["|"],
    "+=": ["-=", "="], "-=": ["+="], "*=": ["=", "+="], "/=": ["*="], "|=": ["&="], "&=": ["|="]}

_NAMES = {}
for _a, _b in [
        ("true", "false"), ("min", "max"), ("begin", "end"), ("front", "back"), ("floor", "ceil"),
        ("lower_bound", "upper_bound"), ("any_of", "all_of"), ("isnan", "isinf"),
        ("continue", "break"), ("first", "second"), ("self", "other"), ("rows", "columns"),
        ("row", "column"), ("sizes", "strides"), ("input", "target"), ("start", "end"),
        ("from", "to"), ("source", "target"), ("mean", "variance"), ("outer", "inner"),
        ("lower", "upper"), ("weight", "bias"), ("left", "right"), ("a", "b"), ("x", "y"),
        ("m", "n"), ("i", "j"), ("missing_keys", "unexpected_keys"), ("numel", "dim"),
        ("parameters_", "buffers_"), ("row_stride", "col_stride")]:
    _NAMES.setdefault(_a, []).append(_b)
    _NAMES.setdefault(_b, []).append(_a)

_KEYWORDS = {"true", "false", "continue", "break", "min", "max", "lower_bound", "upper_bound",
             "any_of", "all_of", "floor", "ceil"}

# Methods whose result has the type of the object: forgetting one compiles.
_FORGOTTEN = {"abs", "clone", "contiguous", "cpu", "detach", "expand", "mT", "neg", "reciprocal",
              "reshape", "sqrt", "square", "squeeze", "sum_to_size", "t", "to", "unsqueeze", "view"}

_SYMMETRIC = {"gcd", "max", "min", "swap", "check_same_device", "same_kind", "equal", "hypot",
              "needs_grad", "result_type", "promote_types", "is_same_v", "check_same_dtype"}

_NO_EXPRESSION = {
    "auto", "case", "catch", "class", "const", "constexpr", "default", "do", "else", "enum",
    "explicit", "extern", "for", "friend", "goto", "if", "inline", "namespace", "operator",
    "private", "protected", "public", "return", "static", "static_assert", "struct", "switch",
    "template", "throw", "try", "typedef", "typename", "using", "virtual", "while", "TERN_ASSERT",
    "break", "continue"}

_DECLARATION = re.compile(r"(?:[\w:]|<[^;=]*>)+(?:\s+|\s*[&*]+\s*)\w+\s*(?:[=({\[;]|$)")
_PARAMETER = re.compile(r"(?:const\s+)?[\w:]+(?:<.*>)?(?:::\w+)?(?:\s*[&*]+\s*|\s+)\w+(?:\s*=.*)?$",
                        re.DOTALL)


def mistakes(source):
    """All mistakes that can be planted in `source`."""
    found = []

    def add(rule, first, last, new):
        tokens = source.tokens[first:last + 1]
        old = source.between(first, last)
        if old != new and not any(token.skipped for token in tokens):
            found.append(Mistake(source.path, tokens[0].line, tokens[0].start, old, new, rule))

    for i, token in enumerate(source.tokens):
        if token.skipped:
            continue
        if token.kind == "operator":
            _operator(source, i, add)
            _statement(source, i + 1, add)
        elif token.kind == "number":
            for new in _other_numbers(token.text):
                add("number", i, i, new)
        elif token.kind == "name":
            _name(source, i, add)
            if token.text in ("else", "do"):
                _statement(source, i + 1, add)
    return found


def _is_binary(source, i):
    """True for an operator with spaces around it: clang-format leaves none at <T>, T& and -x."""
    token = source.tokens[i]
    return source.text[token.start - 1] in " \n" and source.text[token.end] in " \n"


def _operator(source, i, add):
    tokens, token = source.tokens, source.tokens[i]
    if i == 0 or i + 1 >= len(tokens):
        return
    if token.text in _OPERATORS and _is_binary(source, i):
        if "text" in (tokens[i - 1].kind, tokens[i + 1].kind):
            return
        for new in _OPERATORS[token.text]:
            add("operator", i, i, new)
    elif token.text in ("<<", ">>") and "number" in (tokens[i - 1].kind, tokens[i + 1].kind):
        add("operator", i, i, {"<<": ">>", ">>": "<<"}[token.text])
    elif token.text == "!" and not tokens[i + 1].skipped:
        add("negation", i, i, "")
    elif token.text == "-" and source.text[token.end] not in " \n" and (
            tokens[i - 1].text in ("return", "(", ",", "=", "?", ":", "[", "{", "*", "/")):
        add("negation", i, i, "")
    elif token.text == "?":
        _exchange_branches(source, i, add)
    elif token.text in (".", "->") and tokens[i + 1].text in _FORGOTTEN and (
            tokens[i + 2].text == "(" and tokens[i + 2].partner and token.text == "."):
        add("forgotten call", i, tokens[i + 2].partner, "")
    elif token.text == "{" and token.partner and tokens[i - 1].text in ("=", "(", "return", ",") and (
            tokens[i - 2].text not in _SYMMETRIC):
        _swap(source, i, add)


def _exchange_branches(source, i, add):
    tokens, depth, colon, end = source.tokens, 0, None, i + 1
    while end < len(tokens):
        text = tokens[end].text
        if text in ("(", "[", "{") and tokens[end].partner:
            end = tokens[end].partner
        elif text == "?":
            depth += 1
        elif text == ":" and depth == 0 and colon is None:
            colon = end
        elif text == ":":
            depth -= 1
        elif text in (";", ",", ")", "}", "]"):
            break
        end += 1
    if colon is not None and depth == 0 and end < len(tokens) and colon + 1 < end:
        left, right = source.between(i + 1, colon - 1), source.between(colon + 1, end - 1)
        if "\n" not in left + right:
            add("branches", i, end - 1, f"? {right} : {left}")


def _name(source, i, add):
    tokens, token = source.tokens, source.tokens[i]
    if i == 0 or i + 1 >= len(tokens):
        return
    following = tokens[i + 1]
    # A variable that is declared keeps its name: "const Tensor& a", "int m = 0".
    declared = (tokens[i - 1].kind == "name" and tokens[i - 1].text not in ("return", "case")
                or tokens[i - 1].text in ("&", "*", "&&") and not _is_binary(source, i - 1)
                or tokens[i - 1].text == ">" and not _is_binary(source, i - 1))
    if token.text in _KEYWORDS or not declared:
        near = "\n".join(source.lines[max(0, token.line - 30):token.line + 5])
        for new in _NAMES.get(token.text, []):
            if token.text in _KEYWORDS or re.search(rf"\b{new}\b", near):
                add("name", i, i, new)
    if token.text in ("if", "while"):
        opening = i + 2 if following.text == "constexpr" else i + 1
        if tokens[opening].text == "(" and tokens[opening].partner:
            _negate(source, opening, add)
    elif following.text == "(" and following.partner and token.text not in _SYMMETRIC:
        _swap(source, i + 1, add)
    if token.text in ("size", "numel") and following.text == "(" and following.partner == i + 2 and (
            tokens[i - 1].text in (".", "->")):
        add("off by one", i, i + 2, source.between(i, i + 2) + " - 1")


def _negate(source, opening, add):
    closing = source.tokens[opening].partner
    first = opening + 1
    for at in range(opening + 1, closing):
        if source.tokens[at].text == ";":
            first = at + 1
    if first < closing and not any(t.text == "=" for t in source.tokens[first:closing]):
        condition = source.between(first, closing - 1)
        add("negation", first, closing - 1, f"!({condition})")


def _swap(source, opening, add):
    parts = source.arguments(opening)
    texts = [source.between(*part) for part in parts]
    if any(_PARAMETER.match(text) for text in texts):
        return  # a declaration
    for k in range(len(parts) - 1):
        kinds = [source.tokens[at].kind == "text" for at in (parts[k][0], parts[k + 1][0])]
        if len(texts[k]) + len(texts[k + 1]) < 100 and kinds[0] == kinds[1] and "\n" not in texts[k] + texts[k + 1]:
            add("swapped", parts[k][0], parts[k + 1][1], f"{texts[k + 1]}, {texts[k]}")


def _statement(source, first, add):
    """Drops the statement that begins at token `first`."""
    tokens = source.tokens
    if first >= len(tokens) or not _begins_statement(source, first) or _in_declarations(source, first):
        return
    end = first
    while end < len(tokens) and tokens[end].text != ";":
        if tokens[end].text in ("(", "[", "{") and tokens[end].partner:
            end = tokens[end].partner
        elif tokens[end].text in (")", "]", "}"):
            return
        end += 1
    if end >= len(tokens) or end == first:
        return
    text, start = source.between(first, end), tokens[first].text
    if text.count("\n") > 5:
        return
    if start == "return":
        if not _is_early(source, first, end):
            return
    elif start in ("break", "continue"):
        pass
    elif start in _NO_EXPRESSION or _DECLARATION.match(text):
        return
    elif tokens[first].kind != "name" and start not in ("*", "++", "--", "("):
        return
    # The condition of a check is code, but its text is marked: drop the whole by hand.
    marked = [token.skipped for token in tokens[first:end + 1]]
    if start == "TERN_CHECK":
        for token in tokens[first:end + 1]:
            token.skipped = False
    add("dropped", first, end, ";" + "\n" * text.count("\n"))
    for token, mark in zip(tokens[first:end + 1], marked):
        token.skipped = mark


def _begins_statement(source, first):
    tokens, before = source.tokens, source.tokens[first - 1]
    if before.text in (";", "{", "}", "else", "do"):
        # The second part of for (a; b; c) is none.
        return before.text != ";" or not _inside_parentheses(source, first)
    if before.text == ")" and before.partner:
        head = before.partner - 1
        return tokens[head].text in ("if", "for", "while") or tokens[head].text == "constexpr"
    if before.text == ":":
        return any(t.text in ("case", "default") for t in tokens[max(0, first - 8):first])
    return False


def _enclosing(source, at):
    """The index of the innermost bracket around token `at`, or nothing."""
    at -= 1
    while at >= 0:
        token = source.tokens[at]
        if token.text in (")", "}", "]") and token.partner:
            at = token.partner
        elif token.text in ("(", "{", "["):
            return at
        at -= 1
    return None


def _inside_parentheses(source, at):
    opening = _enclosing(source, at)
    return opening is not None and source.tokens[opening].text == "("


def _in_declarations(source, at):
    """True in a class, in a namespace, and outside of all."""
    opening = _enclosing(source, at)
    if opening is None:
        return True
    head = opening - 1
    while head >= 0 and source.tokens[head].text not in (";", "{", "}", ")"):
        if source.tokens[head].text in ("class", "struct", "union", "namespace", "enum"):
            return True
        head -= 1
    return False


def _is_early(source, first, end):
    """True for `return` under an `if`: without it the function goes on."""
    tokens, before = source.tokens, source.tokens[first - 1]
    if before.text == "{" and first >= 2 and tokens[first - 2].text == ")" and (
            tokens[end + 1].text == "}"):
        before = tokens[first - 2]
    if before.text != ")" or not before.partner:
        return False
    return tokens[before.partner - 1].text in ("if", "constexpr")


def _other_numbers(text):
    match = re.fullmatch(r"(\d+)([uUlLzZ]*)", text)
    if match and not (text.startswith("0") and len(match[1]) > 1):
        value = int(match[1])
        if value > 16 and value & (value - 1) == 0:
            return []  # sizes that were chosen for speed
        others = [value + 1] + ([value - 1] if value > 0 else [])
        return [f"{other}{match[2]}" for other in others]
    match = re.fullmatch(r"(\d+\.?\d*)([fF]?)", text)
    if match and "." in text:
        return [f"{float(match[1]) + 1}{match[2]}"]
    return []
