"""Trains small tokenizers of many kinds and records what the reference makes of strings with odd Unicode.

Needs tokenizers 0.23.3 (pip install tokenizers==0.23.3). Usage: python golden.py, which writes golden/*.json: the tokenizer, and per
case [bytes in hex, ids, type ids, special tokens mask, offsets, decoded text]; a case of two texts has two entries of bytes.
"""

import json
import os
import random

from tokenizers import AddedToken, Regex, Tokenizer, models, trainers
from tokenizers import decoders as D
from tokenizers import normalizers as N
from tokenizers import pre_tokenizers as P
from tokenizers import processors as R

from places import starts

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
TRAINING = [
    "The quick brown fox jumps over the lazy dog. It doesn't think that they'll do what we've done, and the dog isn't there.",
    "Schöne Grüße aus Köln: naïve café, résumé. Ελληνικά. Русский текст. 日本語のテキスト 中文 한국어 हिन्दी 😀👩‍👩‍👧 עברית",
    "for (int i = 0; i < 100; ++i) {\n    sum += values[i] * 3.14;\n}\n\nthe other thing, another one, and then the end.",
] * 5
STRINGS = [
    "", " ", "Hello world", " Hello  world ", "\n\n  x\n", "I'm we'LL don't it’s DON'T '’s", "2024-01-31 12345 ½ Ⅷ ٣", "naïve café",
    "e\u0301 vs é a\u0323\u0301 a\u0301\u0323", "日本語のテキスト中文", "नमस्ते हिन्दी", "👩‍👩‍👧 🏳️‍🌈", "a\u00a0b\u3000c\u200bd\u2028e",
    "tab\there\r\nend\n \n", "<|im_start|>user<|im_end|> b<s>x</s>", "x=[1,2];//c", "     five", "x  12 y", "\u0000\u0001\ufffd\ufeff",
    "ﬁne Ⅳ ① ㎏", "İstanbul ıI ẞß ΣΑΣ", "the the" * 12, "[MASK] [SEP]x [UNK]", "a \n b\n\n\nc  ", "'s 's''s'S'ſ", "kern kernel, kern",
    "  <mask2>  the <r>   x <rr>y", "GRÜ Grü grü KÖLN Köln", "\u05e2\u05d1\u05e8\u05d9\u05ea \u0e01\u0e33 \u0f40\u0fb5 각 각", "aab abab oo food",
    "▁the ▁▁x Ġ ##a @@", "i do not know , it is n't so . 's", "<0x41>eee x e y", "!?... -- ___ a_b «» “x” $€+=`^~|", "𠀀\u2f800豈\uf900",
    "\u1c89\ua7cb\u16d40 \U00016d70 \U0001e5f1 \U00011de0 \u0897", "\u2e52\u1734\u180f\u1cf2\u0898a \U00011938\u10ea", "a" * 120,
]
BYTES = [b"\xff", b"a\xc3", b"\xe2\x82 x\xf0\x9f\x98", b"\xed\xa0\x80\xc0\xaf \xf4\x90\x80\x80", b"the \x80\x80 end\xe6\x97"]


def save(name, tokenizer):
    text = tokenizer.to_str()
    maker = random.Random(name)
    texts = [s.encode() for s in STRINGS] + BYTES
    for _ in range(6):
        texts.append("".join(maker.choice(STRINGS) for _ in range(3)).encode())
    cases = [record(tokenizer, [raw]) for raw in texts]
    cases += [record(tokenizer, maker.sample(texts, 2)) for _ in range(6)]
    with open(os.path.join(FOLDER, name + ".json"), "w", encoding="ascii") as file:
        file.write('{"tokenizer": ' + json.dumps(json.loads(text), separators=(",", ":")) + ',\n"cases": [\n')
        file.write(",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]}\n")


def record(tokenizer, raws):
    encoding = tokenizer.encode(*(raw.decode(errors="replace") for raw in raws))
    places = [starts(raw) for raw in raws]
    offsets = [[0, 0] if text is None else [places[text][begin], places[text][end]]
               for (begin, end), text in zip(encoding.offsets, encoding.sequence_ids)]
    decoded = tokenizer.decode(encoding.ids, skip_special_tokens=False)
    return [[raw.hex() for raw in raws], encoding.ids, encoding.type_ids, encoding.special_tokens_mask, offsets, decoded]


def bpe(name, pre, *, size=330, special=("<|im_start|>", "<|im_end|>"), norm=None, post=None, decoder=None, added=(), chars=False, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre
    if norm:
        tokenizer.normalizer = norm
    affixes = {k: model[k] for k in ("continuing_subword_prefix", "end_of_word_suffix") if k in model}
    tokenizer.train_from_iterator(TRAINING, trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(special), show_progress=False,
        initial_alphabet=[] if chars else P.ByteLevel.alphabet(), **affixes))
    tokenizer.add_tokens(list(added))
    if post:
        tokenizer.post_processor = post
    if decoder or not chars:
        tokenizer.decoder = decoder or D.ByteLevel()
    save(name, tokenizer)


def word_piece(name, norm, *, pre=None, post=None, added=(), truncation=None, padding=None, **model):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", **model))
    tokenizer.normalizer = norm
    tokenizer.pre_tokenizer = pre or P.BertPreTokenizer()
    tokenizer.train_from_iterator(TRAINING, trainers.WordPieceTrainer(
        vocab_size=220, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
    tokenizer.post_processor = post or R.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.decoder = D.WordPiece()
    tokenizer.add_tokens(list(added))
    if truncation:
        tokenizer.enable_truncation(**truncation)
    if padding:
        tokenizer.enable_padding(**padding)
    save(name, tokenizer)


def main():
    os.makedirs(FOLDER, exist_ok=True)
    bpe("gpt2", P.ByteLevel(add_prefix_space=True), post=R.ByteLevel(trim_offsets=True))
    bpe("smollm", P.Sequence([P.Digits(individual_digits=True), P.ByteLevel(add_prefix_space=False)]))
    bpe("llama3", P.Sequence([P.Split(Regex(LLAMA3), "isolated"), P.ByteLevel(add_prefix_space=False, use_regex=False)]),
        post=R.Sequence([R.ByteLevel(trim_offsets=False), R.TemplateProcessing(
            single="<|im_start|> $A", pair="<|im_start|> $A <|im_start|>:1 $B:1", special_tokens=[("<|im_start|>", 0)])]),
        ignore_merges=True)
    bpe("qwen2", P.Sequence([P.Split(Regex(LLAMA3.replace("{1,3}", "")), "removed", invert=True),
                             P.ByteLevel(add_prefix_space=False, use_regex=False)]), norm=N.NFC())
    bpe("roberta", P.ByteLevel(add_prefix_space=True), special=("<s>", "</s>"),
        post=R.RobertaProcessing(("</s>", 1), ("<s>", 0)),
        added=[AddedToken("<mask2>", lstrip=True, special=True), AddedToken("kern", single_word=True),
               AddedToken("Grü", normalized=True), AddedToken("<r>", rstrip=True, normalized=False),
               AddedToken("<rr>", normalized=False)])
    bpe("words", P.Whitespace(), special=("[UNK]",), chars=True, size=200, unk_token="[UNK]",
        norm=N.Sequence([N.NFKD(), N.StripAccents(), N.Lowercase()]))
    bpe("suffixes", P.WhitespaceSplit(), special=("[UNK]",), chars=True, size=200, unk_token="[UNK]", fuse_unk=True,
        end_of_word_suffix="</w>", decoder=D.BPEDecoder("</w>"), norm=N.NFD())
    bpe("prefixes", P.Sequence([P.WhitespaceSplit(), P.Punctuation("merged_with_previous")]), special=("[UNK]",), chars=True,
        size=200, unk_token="[UNK]", continuing_subword_prefix="@@", decoder=D.WordPiece("@@", cleanup=False), norm=N.NFKC())
    bpe("metaspace", P.Metaspace(), special=["<unk>"] + [f"<0x{i:02X}>" for i in range(256)], chars=True, size=420, unk_token="<unk>",
        byte_fallback=True, fuse_unk=True, norm=N.Sequence([N.Replace("ab", "zz"), N.Strip()]),
        decoder=D.Sequence([D.Replace("▁", " "), D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)]))
    bpe("metaspace_first", P.Metaspace(prepend_scheme="first", split=False), special=("<unk>",), chars=True, size=200,
        unk_token="<unk>", decoder=D.Metaspace(prepend_scheme="first"), norm=N.Sequence([N.Replace("oo", "xyz"), N.Prepend("_")]))
    bpe("splits", P.Sequence([P.Punctuation("contiguous"), P.Split(" ", "merged_with_next"), P.Split("e", "merged_with_previous"),
                              P.Digits(False), P.ByteLevel(add_prefix_space=True, use_regex=False)]))
    word_piece("bert", N.BertNormalizer())
    word_piece("bert_cased", N.BertNormalizer(lowercase=False), post=R.BertProcessing(("[SEP]", 3), ("[CLS]", 2)),
               added=[AddedToken("Hello", normalized=True), AddedToken("Köln", single_word=True, lstrip=True)])
    word_piece("bert_short", N.BertNormalizer(), max_input_chars_per_word=8, truncation=dict(max_length=12),
               padding=dict(length=16, pad_id=0, pad_token="[PAD]", pad_type_id=7))
    word_piece("bert_left", N.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False),
               pre=P.Whitespace(), truncation=dict(max_length=11, direction="left"),
               padding=dict(direction="left", pad_to_multiple_of=8))


main()
