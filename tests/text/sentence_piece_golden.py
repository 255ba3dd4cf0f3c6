"""Trains two small models of SentencePiece and records what the library makes of strings with odd Unicode.

Needs gguf and sentencepiece 0.1.97 (pip install gguf sentencepiece==0.1.97), the version of Debian 12. Usage: python sentence_piece_golden.py,
which writes golden_sentence_piece/: the models, and for each of them a JSON file with the pieces [text, score, type], the cases
[bytes in hex, ids, offsets in bytes, decoded text], and random lists of ids with their text; and llama.gguf, a tiny Llama with the
pieces of the first model.
"""

import io
import json
import os
import random

import gguf
import numpy
import sentencepiece

from places import starts

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden_sentence_piece")
TRAINING = [
    "The quick brown fox jumps over the lazy dog. It doesn't think that they'll do what we've done, and the dog isn't there.",
    "Schöne Grüße aus Köln: naïve café, résumé. Ελληνικά. Русский текст. 日本語のテキスト 中文 한국어",
    "for (int i = 0; i < 100; ++i) { sum += values[i] * 3.14; } the other thing, another one, and then the end.",
] * 5
STRINGS = [
    "Hello world", " Hello  world ", "  ", "\n\n  x\n", "don't they'll", "2024-01-31 ½ Ⅷ ٣", "naïve café", "e\u0301 vs é", "日本語 中文 😀",
    "👩‍👩‍👧 🏳️‍🌈 x", "a\u00a0b\u3000c\u200bd\u2028e", "tab\there\r\nend", "<s>a</s> <unk><sep>b <ctl>", "x=[1,2];//c", "     five",
    "\u0000\u0001\ufffd\ufeff", "ﬁne Ⅳ ① ㎏", "the the" * 30, "▁the ▁▁x", "<0x41>eee <0xE2>", "𠀀豈", "<sep><sep> <sep>", "a" * 200,
]
BYTES = [b"\xff", b"the \xc3", b"\xe2\x82 x\xf0\x9f\x98", b"\xed\xa0\x80\xc0\xaf \xf4\x90\x80\x80", b"the \x80\x80 end\xe6\x97"]
# Normal forms of the library take 240 KB of each model; these few characters show that the model's own is used.
NORMAL = {"ﬁ": "fi", "Ⅳ": "IV", "㎏": "kg", "①": "1", "\u3000": " ", "\u00a0": " ", "e\u0301": "é", "\t": " ", "\n": " "}
KINDS = {"unknown": 2, "control": 3, "unused": 5, "byte": 6}


def record(model, raw):
    pieces = model.encode(raw.decode(errors="replace"), out_type="immutable_proto").pieces
    places, spans = starts(raw), []
    for piece in reversed(pieces):  # each byte of a character has its place
        begin, end = places[piece.begin], places[piece.end]
        if begin == end and model.is_byte(piece.id) and spans and spans[-1][0] == begin:
            end = spans[-1][1]
        spans.append([begin, end])
    ids = [piece.id for piece in pieces]
    return [raw.hex(), ids, spans[::-1], model.decode(ids)]


def write_llama(pieces):
    size, maker = 32, numpy.random.default_rng(0)
    writer = gguf.GGUFWriter(os.path.join(FOLDER, "llama.gguf"), "llama")
    writer.add_block_count(1)
    writer.add_context_length(64)
    writer.add_embedding_length(size)
    writer.add_feed_forward_length(size)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(pieces))
    writer.add_rope_dimension_count(size // 2)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([piece[0] for piece in pieces])
    writer.add_token_scores([piece[1] for piece in pieces])
    writer.add_token_types([piece[2] for piece in pieces])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    square = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
    tensors = {"token_embd": (len(pieces), size), "output_norm": (size,), "blk.0.attn_norm": (size,), "blk.0.ffn_norm": (size,)}
    tensors |= {"blk.0." + name: (size, size) for name in square}
    for name, sizes in tensors.items():
        values = maker.standard_normal(sizes).astype(numpy.float16 if len(sizes) > 1 else numpy.float32)
        writer.add_tensor(name + ".weight", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    os.makedirs(FOLDER, exist_ok=True)
    os.chdir(FOLDER)  # a model keeps the path of its rules
    rules = "rules.tsv"
    with open(rules, "w", encoding="ascii") as out:
        for rule in NORMAL.items():
            out.write("\t".join(" ".join(f"{ord(c):X}" for c in side) for side in rule) + "\n")
    for name, size, normal, trims in (("bpe", 400, {"normalization_rule_name": "identity"}, False),
                                      ("unigram", 350, {"normalization_rule_tsv": rules}, True)):
        file = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TRAINING), model_writer=file, vocab_size=size, model_type=name, byte_fallback=True, minloglevel=2,
            user_defined_symbols=["<sep>"], control_symbols=["<ctl>"], remove_extra_whitespaces=trims, num_threads=1,
            **normal)
        with open(os.path.join(FOLDER, name + ".model"), "wb") as out:
            out.write(file.getvalue())
        model = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
        count, maker = model.get_piece_size(), random.Random(name)
        kinds = [next((KINDS[kind] for kind in KINDS if getattr(model, "is_" + kind)(id)), 1) for id in range(count)]
        kinds[model.piece_to_id("<sep>")] = 4
        texts = [text.encode() for text in STRINGS] + BYTES
        texts += ["".join(maker.choice(STRINGS) for _ in range(3)).encode() for _ in range(6)]
        odd = [model.piece_to_id(piece) for piece in ("▁", "<unk>", "<s>", "<ctl>", "<0xE2>", "<0x82>", "<0xAC>", "<0xF0>", "<0x41>")]
        lists = [[maker.choice(odd) if maker.random() < 0.6 else maker.randrange(count) for _ in range(10)] for _ in range(40)]
        with open(os.path.join(FOLDER, name + ".json"), "w", encoding="ascii") as out:
            pieces = [[model.id_to_piece(id), model.get_score(id), kinds[id]] for id in range(count)]
            if name == "bpe":
                write_llama(pieces)
            parts = {"pieces": pieces,
                     "cases": [record(model, raw) for raw in texts], "decoded": [[ids, model.decode(ids)] for ids in lists]}
            out.write("{" + ",\n".join(f'"{key}": [\n' + ",\n".join(json.dumps(one, separators=(",", ":")) for one in part) + "]"
                                        for key, part in parts.items()) + "}\n")
    os.remove(rules)


main()
