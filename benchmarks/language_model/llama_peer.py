"""Compares language_model with llama.cpp on the same GGUF files, in turns, on one machine.

    python3 llama_peer.py PROGRAM FILE... [--threads 1 2] [--rounds 3]
    python3 llama_peer.py --agree FLOAT32.gguf FILE TEXT

PROGRAM is the benchmark language_model. Prints tokens per second of both, the best of all rounds, for
a prompt of 512 tokens and for tokens one by one, and their ratio. --agree prints how often llama.cpp
itself has the same most likely next token with the file and with a file of the same numbers in
float32 (made by llama_model_quantize to LLAMA_FTYPE_ALL_F32), of the text's first 1,024 tokens.

Needs the package llama-cpp-python, built for this processor.
"""

import argparse
import os
import subprocess
import sys
import time

PROMPT, NEW = 512, 64


def measure_llama(path: str, threads: int) -> None:
    """Prints seconds per token of a prompt and one by one. Runs in a process of its own."""
    from llama_cpp import Llama

    model = Llama(path, n_ctx=PROMPT + NEW, n_batch=PROMPT, n_ubatch=PROMPT, n_threads=threads,
                  n_threads_batch=threads, verbose=False)
    ids = [100 + i % 1000 for i in range(PROMPT)]
    prompt, one = [], []
    for _ in range(5):
        model.reset()
        start = time.perf_counter()
        model.eval(ids)
        prompt.append((time.perf_counter() - start) / PROMPT)
        model.reset()
        model.eval(ids[:16])
        start = time.perf_counter()
        for token in ids[16 : 16 + NEW]:
            model.eval([token])
        one.append((time.perf_counter() - start) / NEW)
    print(min(prompt), min(one))


def llama_times(path: str, threads: int) -> list[float]:
    command = [sys.executable, __file__, "--llama", path, "--threads", str(threads)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [float(word) for word in output.split()[-2:]]


def tern_times(program: str, path: str, threads: int) -> list[float]:
    output = subprocess.run([program, path, str(threads)], check=True, capture_output=True,
                            text=True).stdout
    return [float(line.split("\t")[1]) * 1e-9 for line in output.splitlines()]


def compare(program: str, files: list[str], all_threads: list[int], rounds: int) -> None:
    print("file\tthreads\twhat\ttern\tllama.cpp\tratio")
    for path in files:
        for threads in all_threads:
            tern, llama = [], []
            for _ in range(rounds):
                tern.append(tern_times(program, path, threads))
                llama.append(llama_times(path, threads))
            for i, what in enumerate(("prompt", "one by one")):
                ours, theirs = (1 / min(times[i] for times in all_times)
                                for all_times in (tern, llama))
                print(f"{os.path.basename(path)}\t{threads}\t{what}\t{ours:.1f}\t{theirs:.1f}\t"
                      f"{ours / theirs:.2f}", flush=True)


def agree(reference: str, path: str, text_path: str) -> None:
    import numpy
    from llama_cpp import Llama

    with open(text_path, encoding="utf-8") as file:
        text = file.read()

    def best_tokens(model_path: str) -> numpy.ndarray:
        model = Llama(model_path, n_ctx=1024, n_batch=1024, logits_all=True, verbose=False)
        ids = model.tokenize(text.encode(), add_bos=False)[:1024]
        for token in ids:
            model.eval([token])
        return numpy.array(model.scores[: len(ids)]).argmax(1)

    same = best_tokens(reference) == best_tokens(path)
    print(f"the same next token: {same[:200].sum()} of 200, {same.sum()} of {len(same)}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--agree", action="store_true")
    parser.add_argument("--llama", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.llama:
        measure_llama(args.paths[0], args.threads[0])
    elif args.agree:
        agree(*args.paths)
    else:
        compare(args.paths[0], args.paths[1:], args.threads, args.rounds)


if __name__ == "__main__":
    main()
