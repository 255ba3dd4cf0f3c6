"""Prints the tables of text/unicode/ranges.cpp: where libutf8proc 2.8 (Unicode 15) and the crates of tokenizers differ.

Needs tokenizers 0.23.3 and libutf8proc. Usage: python make_ranges.py | clang-format >../../text/unicode/ranges.cpp
"""

import ctypes

from tokenizers import Regex, normalizers, pre_tokenizers

UTF8PROC = ctypes.CDLL("libutf8proc.so.2")
NAMES = "Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co".split()
CATEGORY = {c: NAMES[UTF8PROC.utf8proc_category(c)] for c in range(0x110000) if not 0xD800 <= c < 0xE000}
TEXT = "".join(map(chr, CATEGORY))


def of_regex(expression):
    splits = pre_tokenizers.Split(Regex(f"[^{expression}]"), "removed").pre_tokenize_str(TEXT)
    return {ord(c) for part, _ in splits for c in part}


def of_split(split, parts):
    return {c for c in CATEGORY if len(split.pre_tokenize_str("a" + chr(c) + "a")) == parts}


def of_removed(normalizer):
    return {c for c in CATEGORY if normalizer.normalize_str("a" + chr(c) + "a") == "aa"}


def bert(**on):
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**off, **on})


def nfkd(text):
    UTF8PROC.utf8proc_NFKD.restype = ctypes.c_char_p
    return UTF8PROC.utf8proc_NFKD(text.encode()).decode()


def table(comment, name, members, keep_apart):
    """Joins ranges with nothing of `keep_apart` between them."""
    ranges = []
    for c in sorted(members):
        if ranges and not any(k in keep_apart for k in range(ranges[-1][1] + 1, c)):
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    print(f"// {comment}\nconst Range {name}[] = {{")
    line = "   "
    for low, high in ranges:
        item = f" {{0x{low:X}, 0x{high:X}}},"
        if len(line + item) > 100:
            print(line)
            line = "   "
        line += item
    print(f"{line}\n}};\n")


def main():
    everything = set(CATEGORY)
    is_in = lambda letters: {c for c in CATEGORY if CATEGORY[c][0] in letters}
    letters, numbers = of_regex(r"\p{L}"), of_regex(r"\p{N}")
    words = of_split(pre_tokenizers.Whitespace(), 1)
    named = {c for c in CATEGORY if CATEGORY[c][0] in "LM" or CATEGORY[c] in ("Nd", "Nl", "Pc")}
    marks, mine = of_removed(normalizers.StripAccents()), is_in("M")
    print("// Written by tests/text/make_ranges.py.\n\n#include <tern/text/unicode/detail/ranges.h>\n")
    print("namespace tern::text {\nnamespace {\n")
    table("Assigned since Unicode 15.", "kNewLetters", letters - is_in("L"), everything)
    table("Assigned since Unicode 15.", "kNewNumbers", numbers - is_in("N"), everything)
    table("Word characters beside letters, marks, Nd, Nl and Pc.", "kMoreWords",
          words - named - letters - {0x200C, 0x200D}, everything)
    # The judge of these is Unicode 8: punctuation, non-spacing marks and format characters.
    late = is_in("P") - of_split(pre_tokenizers.BertPreTokenizer(), 3) - set(range(128))
    nonspacing = {c for c in CATEGORY if CATEGORY[c] == "Mn"}
    late |= nonspacing - of_removed(bert(strip_accents=True))
    formats = {c for c in CATEGORY if CATEGORY[c] == "Cf"}
    late |= formats - of_removed(bert(clean_text=True))
    table("Punctuation, Mn and Cf that were assigned after Unicode 8.", "kAfterUnicode8", late,
          (is_in("P") | nonspacing | formats) - late)
    table("Marks that were assigned after Unicode 9.", "kMarksAfterUnicode9", mine - marks, marks)
    late = {c for c in CATEGORY if normalizers.NFKD().normalize_str(chr(c)) == chr(c) and nfkd(chr(c)) != chr(c)}
    table("Decompositions that were added after Unicode 9.", "kDecomposedAfterUnicode9", late, everything)
    print("}  // namespace\n")
    for function, name in [("is_new_letter", "kNewLetters"), ("is_new_number", "kNewNumbers"),
                           ("is_more_of_words", "kMoreWords"), ("is_after_unicode_8", "kAfterUnicode8"),
                           ("is_mark_after_unicode_9", "kMarksAfterUnicode9"),
                           ("is_decomposed_after_unicode_9", "kDecomposedAfterUnicode9")]:
        print(f"bool {function}(char32_t code) {{ return is_in_ranges(code, {name}); }}")
    print("\n}  // namespace tern::text")


main()
