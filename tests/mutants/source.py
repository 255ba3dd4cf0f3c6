"""A C++ file as tokens, with marks on the tokens that no mistake is planted in."""

import re

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<preprocessor>^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<text>R"(?P<mark>[^()\s\\"]*)\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    |(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    |(?P<character>'(?:\\.|[^'\\\n])+')
    |(?P<name>[A-Za-z_]\w*)
    |(?P<operator><<=|>>=|<=>|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])""",
    re.VERBOSE | re.MULTILINE | re.DOTALL)

_CLOSING = {"(": ")", "[": "]", "{": "}"}

# Calls whose arguments are error texts, checks of the compiler or hints to it.
_NO_MISTAKES = {
    "TERN_ASSERT", "TERN_OP", "alignas", "assertion_failed", "decltype", "fail", "fprintf",
    "noexcept", "printf", "raise", "raise_joined", "refuse", "requires", "snprintf",
    "static_assert", "text_of", "__attribute__", "__launch_bounds__"}

# A mistake in these lines changes time or memory alone, or which thread sees a write first.
_NO_EFFECT = re.compile(
    r"reserve\(|grain|Grain|memory_order|prefetch|relax\(|yield|spin|Spin|kPatience|kCacheLine|"
    r"[Hh]ash|__restrict|capacity|max_load_factor|shrink_to_fit")
_TUNED = re.compile(r"constexpr\b.*\bk\w*(Unroll|Chunk|Block|Tile|Cache|Thread|Segment|Request|"
                    r"Width|Lanes|Lines|Most|Large|Small|Short|Long|Few|Many|Window|Buffer)\w* =")


class Token:
    """`text` at `start` of the file. `partner` is the index of the other bracket."""

    def __init__(self, kind, text, start, line):
        self.kind, self.text, self.start, self.line = kind, text, start, line
        self.end = start + len(text)
        self.partner = None
        self.skipped = False


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.lines = text.split("\n")
        self.tokens = []
        line, at = 1, 0
        for match in _TOKEN.finditer(text):
            line += text.count("\n", at, match.start())
            at = match.start()
            if match.lastgroup not in ("comment", "preprocessor"):
                kind = "text" if match.lastgroup == "mark" else match.lastgroup
                self.tokens.append(Token(kind, match.group(), match.start(), line))
        self._match_brackets()
        self._skip()

    def between(self, first, last):
        """The text from token `first` up to and with token `last`."""
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def arguments(self, opening):
        """The arguments of the bracket at `opening`, each as (first token, last token)."""
        closing = self.tokens[opening].partner
        parts, first, at = [], opening + 1, opening + 1
        while at < closing:
            token = self.tokens[at]
            if token.text in _CLOSING and token.partner:
                at = token.partner
            elif token.text == ",":
                parts.append((first, at - 1))
                first = at + 1
            at += 1
        if first < closing:
            parts.append((first, closing - 1))
        return [part for part in parts if part[0] <= part[1]]

    def function_at(self, line):
        """The name of the function that line `line` is in, or nothing."""
        for text in reversed(self.lines[:line]):
            match = re.match(r"[A-Za-z_].*?(\w+)\(", text)
            if match and not text.startswith("TERN_"):
                return match[1]
        return ""

    def _match_brackets(self):
        open_ones = []
        for i, token in enumerate(self.tokens):
            if token.kind != "operator":
                continue
            if token.text in _CLOSING:
                open_ones.append(i)
            elif token.text in _CLOSING.values():
                while open_ones and _CLOSING[self.tokens[open_ones[-1]].text] != token.text:
                    open_ones.pop()
                if open_ones:
                    token.partner = open_ones.pop()
                    self.tokens[token.partner].partner = i

    def _mark(self, first, last):
        for token in self.tokens[first:last + 1]:
            token.skipped = True

    def _skip(self):
        tokens = self.tokens
        for i, token in enumerate(tokens):
            following = tokens[i + 1] if i + 1 < len(tokens) else None
            if following is None:
                break
            if token.text in _NO_MISTAKES:
                opening = i + 1
                while opening < i + 12 and opening < len(tokens) and tokens[opening].text != "(":
                    opening += 1
                if opening < len(tokens) and tokens[opening].partner:
                    self._mark(i, tokens[opening].partner)
            elif token.text == "TERN_CHECK" and following.partner:
                parts = self.arguments(i + 1)
                if len(parts) > 1:  # the condition may be wrong, kind and text not
                    self._mark(parts[1][0], following.partner)
            elif token.text == "throw":
                end = i
                while end < len(tokens) and tokens[end].text != ";":
                    end += 1
                self._mark(i, end)
            elif token.text == "[" and following.text == "[" and token.partner:
                self._mark(i, token.partner)
            elif token.text == "operator":
                self._mark(i, i + 2)
            elif token.text == "template" and following.text == "<":
                end, depth = i + 1, 0
                while end < len(tokens):
                    depth += {"<": 1, ">": -1, ">>": -2}.get(tokens[end].text, 0)
                    if depth <= 0:
                        break
                    end += 1
                self._mark(i, end)
        for token in tokens:
            line = self.lines[token.line - 1]
            if _NO_EFFECT.search(line) or _TUNED.search(line):
                token.skipped = True
