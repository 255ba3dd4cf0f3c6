#!/usr/bin/env python3
"""Peers of text.cpp, in its order of lines: peers.py encode TOKENIZER_JSON FILE | torch FOLDER THREADS TOKENS | llama GGUF THREADS TOKENS |
agree GGUF FLOAT32_GGUF FILE: as `text agree`, of llama.cpp; llama_model_quantize to LLAMA_FTYPE_ALL_F32 makes FLOAT32_GGUF.

Needs tokenizers; torch and transformers; llama-cpp-python.
"""
import os
import sys
import time

os.environ.update(TOKENIZERS_PARALLELISM="false", RAYON_NUM_THREADS="1")
PROMPT = [(i * 7919 + 13) % 49152 for i in range(512)]  # the same as in text.cpp


def report(name, value):
    print(f"{name}\t{value:.9g}", flush=True)


def best_of(rounds, call):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def encode(path, file):
    import tokenizers
    tokenizer = tokenizers.Tokenizer.from_file(path)
    with open(file, encoding="utf-8") as stream:
        text = stream.read()
    # The forms that return ids alone, and offsets with them.
    size = len(text.encode()) * 1e-6
    report("encode_ids", size / best_of(3, lambda: tokenizer.encode_batch_fast([text])))
    report("encode", size / best_of(3, lambda: tokenizer.encode(text)))
    report("tokens", len(tokenizer.encode(text).ids))


def torch_model(folder, threads, tokens):
    import torch
    import transformers
    torch.set_num_threads(threads)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def run(prompt, count):
        """Greedy search without generate(), which costs more than the model; seconds of the prompt and of the rest."""
        start = time.perf_counter()
        cache = transformers.DynamicCache(config=model.config)
        ids = torch.tensor([prompt])
        with torch.inference_mode():
            for i in range(count):
                out = model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
                ids = out.logits[:, -1].argmax(-1, keepdim=True)
                if i == 0:
                    first = time.perf_counter() - start
        return first, time.perf_counter() - start - first

    report("tokens/s", (tokens - 1) / min(run(PROMPT[:16], tokens)[1] for _ in range(3)))
    report("prompt tokens/s", 512 / min(run(PROMPT, 1)[0] for _ in range(3)))


def llama_model(path, threads, tokens):
    import ctypes

    import llama_cpp
    import numpy
    model = llama_cpp.Llama(path, n_ctx=1024, n_batch=512, n_ubatch=512, n_threads=threads, n_threads_batch=threads, verbose=False)

    def decode(ids):
        array = (llama_cpp.llama_token * len(ids))(*ids)
        if llama_cpp.llama_decode(model.ctx, llama_cpp.llama_batch_get_one(array, len(ids))) != 0:
            sys.exit("llama_decode failed")
        logits = ctypes.cast(llama_cpp.llama_get_logits_ith(model.ctx, -1), ctypes.POINTER(ctypes.c_float))
        return int(numpy.ctypeslib.as_array(logits, (model.n_vocab(),)).argmax())

    def run(prompt, count):
        model._ctx.kv_cache_clear()
        start = time.perf_counter()
        token = decode(prompt)
        first = time.perf_counter() - start
        for _ in range(count - 1):
            token = decode([token])
        return first, time.perf_counter() - start - first

    report("tokens/s", (tokens - 1) / min(run(PROMPT[:16], tokens)[1] for _ in range(3)))
    report("prompt tokens/s", 512 / min(run(PROMPT, 1)[0] for _ in range(3)))


def agree(path, reference, file):
    import llama_cpp
    with open(file, encoding="utf-8") as stream:
        text = stream.read()

    def best_tokens(name):
        model = llama_cpp.Llama(name, n_ctx=1024, logits_all=True, verbose=False)
        ids = model.tokenize(text.encode(), add_bos=False)[:1024]
        for token in ids:
            model.eval([token])
        return model.scores[:len(ids)].argmax(1)

    same = best_tokens(reference) == best_tokens(path)
    report("blocks same of 200", same[:200].sum())
    report("blocks same of 1024", same.sum())


if __name__ == "__main__":
    kind, model, *rest = sys.argv[1:]
    if kind == "encode":
        encode(model, rest[0])
    elif kind == "agree":
        agree(model, *rest)
    else:
        {"torch": torch_model, "llama": llama_model}[kind](model, *map(int, rest))
