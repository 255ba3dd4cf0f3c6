#!/usr/bin/env python3
"""Compares tokenizers and generation with tokenizers, PyTorch and llama.cpp, in turns, and prints a table of ratios.

  GGUF="SmolLM2.Q4_1.gguf ..." FOLDER=DIR benchmarks/text/run.py BUILD_DIR

GGUF: files for llama.cpp and tern; the tokenizer is that of the first one, whose tokens are byte pairs. FOLDER: config.json and
safetensors of the same model in float32, for PyTorch and tern. THREADS (1 2), ROUNDS (3), TOKENS (64); PYTHON (python3) is where the peers
are looked for. Each figure is the best of its rounds. "packed" compares packed weights with blocks as they lie. Figures of a busy machine
say little.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import turns  # noqa: E402

PYTHON = os.environ.get("PYTHON", "python3")
ROUNDS, TOKENS = turns.numbers("ROUNDS", "3")[0], turns.numbers("TOKENS", "64")[0]
MARGIN = 30e6  # bytes of memory beside the file and the cache
MAKE_TOKENIZER = """
import gguf, json, sys
fields = gguf.GGUFReader(sys.argv[1]).fields
strings = lambda key: [bytes(fields[key].parts[i]).decode() for i in fields[key].data]
tokens, merges = strings("tokenizer.ggml.tokens"), strings("tokenizer.ggml.merges")
kinds = [int(fields["tokenizer.ggml.token_type"].parts[i][0]) for i in fields["tokenizer.ggml.token_type"].data]
digits = [{"type": "Digits", "individual_digits": True}] * (strings("tokenizer.ggml.pre") == ["smollm"])
bytes_ = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
json.dump({
    "version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None, "decoder": bytes_,
    "added_tokens": [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
                     for i, t in enumerate(tokens) if kinds[i] == 3],
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": digits + [bytes_]},
    "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
              "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": {t: i for i, t in enumerate(tokens)},
              "merges": [m.split(" ") for m in merges]}}, open(sys.argv[2], "w"))
"""


def lines_of(command):
    """The figures of a program; empty, with its complaint, if it fails."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        turns.complain(f"{' '.join(command)}: {result.stderr.strip().splitlines()[-1:]}")
        return {}
    return {name: float(value) for name, value in (line.split("\t") for line in result.stdout.splitlines() if "\t" in line)}


def in_turns(ours, theirs):
    """The largest figure of each line, of two commands."""
    best = {}, {}
    for _ in range(ROUNDS):
        for command, found in zip((ours, theirs), best):
            for name, value in lines_of(command).items():
                found[name] = max(value, found.get(name, value))
    return best


def row(name, ours, theirs, goal=None, unit="", at_most=False):
    if ours is None or theirs is None:
        print(f"{name:52} {'-':>10}")
        return
    ratio = ours / theirs
    held = "" if goal is None else f"  (goal {'at most ' if at_most else ''}{goal}{'' if (ratio <= goal) == at_most else ', missed'})"
    print(f"{name:52} {ours:10.2f} {theirs:10.2f} {unit:9} {ratio:6.2f}{held}", flush=True)


def rows_of(name, pair, goals):
    ours, theirs = pair
    for line, unit in (("tokens/s", "tokens/s"), ("prompt tokens/s", "tokens/s")):
        what = "one by one" if line == "tokens/s" else "prompt of 512"
        row(f"{name}, {what}", ours.get(line), theirs.get(line), goals.get(line), unit)


def read(path):
    """Seconds of reading a file into memory."""
    start = time.perf_counter()
    with open(path, "rb") as file:
        file.read()
    return time.perf_counter() - start


def first_token(program, model, file, threads, is_cold):
    """Seconds of a program that loads a model and writes one token, and of reading its file: the best of each."""
    found = [], []
    for _ in range(ROUNDS + 2):
        for times, run in zip(found, (lambda: subprocess.run([program, "first", model, str(threads)], stdout=subprocess.DEVNULL, check=True),
                                      lambda: read(file))):
            if is_cold:  # out of the page cache
                descriptor = os.open(file, os.O_RDONLY)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(descriptor)
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
    return [min(times) for times in found]


def make_text(path):
    """About 2 MB of English and C++: pages and sources of tern."""
    root = os.path.dirname(os.path.dirname(HERE))
    names = sorted(glob.glob(root + "/docs/*.md") + glob.glob(root + "/core/ops/*/*.cpp") + glob.glob(root + "/nn/*/*.cpp"))
    with open(path, "w", encoding="utf-8") as file:
        for name in names:
            with open(name, encoding="utf-8") as source:
                file.write(source.read())


def main(build):
    program, peers = os.path.join(build, "bin/text"), os.path.join(HERE, "peers.py")
    files, folder = os.environ.get("GGUF", "").split(), os.environ.get("FOLDER", "")
    if not files or not folder:
        sys.exit(__doc__)
    print(f"{'':52} {'tern':>10} {'peer':>10} {'':9} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as work:
        tokenizer, text = os.path.join(work, "tokenizer.json"), os.path.join(work, "text.txt")
        subprocess.run([PYTHON, "-c", MAKE_TOKENIZER, files[0], tokenizer], check=True)
        make_text(text)
        for name in ("config.json", "model.safetensors"):
            os.symlink(os.path.abspath(os.path.join(folder, name)), os.path.join(work, name))

        ours, theirs = in_turns([program, "encode", tokenizer, text], [PYTHON, peers, "encode", tokenizer, text])
        if ours.get("tokens") != theirs.get("tokens"):
            turns.complain(f"the numbers of tokens differ: {ours.get('tokens')} and {theirs.get('tokens')}")
        row("tokenizers: ids, one thread", ours.get("encode_ids"), theirs.get("encode_ids"), 3, "MB/s")
        row("tokenizers: with offsets, one thread", ours.get("encode"), theirs.get("encode"), 3, "MB/s")

        weights = os.path.join(work, "model.safetensors")
        for threads in turns.numbers("THREADS", "1 2"):
            how = f"{threads} thread" + "s" * (threads > 1)
            arguments = [str(threads), str(TOKENS)]
            pair = in_turns([program, "generate", work, *arguments], [PYTHON, peers, "torch", work, *arguments])
            rows_of(f"PyTorch: float32, {how}", pair, {"tokens/s": 1.2})
            measured = [("float32", pair[0], weights)]
            for file in files:
                pair = in_turns([program, "generate", file, *arguments], [PYTHON, peers, "llama", file, *arguments])
                short = os.path.basename(file).removesuffix(".gguf").split(".")[-1]
                rows_of(f"llama.cpp: {short}, {how}", pair, {"tokens/s": 0.9, "prompt tokens/s": 0.8})
                measured.append((short, pair[0], file))
                pair = in_turns([program, "packed", file, *arguments], [program, "generate", file, *arguments])
                rows_of(f"packed beside blocks: {short}, {how}", pair, {})
            for name, found, file in measured:
                if "peak bytes" in found:
                    most = os.path.getsize(file) + found["cache bytes"] + MARGIN
                    row(f"peak memory over file, cache and 30 MB: {name}, {how}", found["peak bytes"] / 1e6, most / 1e6, 1, "MB", True)
                for is_cold in (False, True):
                    start, reading = first_token(program, work if file == weights else file, os.path.realpath(file), threads, is_cold)
                    row(f"first token over reading the file{' from the disk' * is_cold}: {name}, {how}", start * 1e3, reading * 1e3, 1.5,
                        "ms", True)


if __name__ == "__main__":
    main(*turns.builds(1, __doc__))
