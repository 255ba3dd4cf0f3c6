#!/usr/bin/env python3
"""Writes random_shapes.json: ten random shapes for each option of PyTorch's sequence modules. Run in this folder:
PYTHONPATH=.. python3 random_shapes.py

The test draws parameters, inputs and masks from the seed of a case, as this script does. So a case has only sizes and a
few numbers: sums of results and gradients in which each element has its own weight, and some elements."""
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from lines import write

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
CASES = 10
sizes = random.Random(1)


def weighted(tensor):
    """One number for all elements."""
    return (tensor * torch.arange(tensor.numel()).view(tensor.shape).cos()).sum()


def figures(tensor, elements=1):
    """The weighted sum, as large as an element, and some elements."""
    count = tensor.numel()
    picked = [tensor.flatten()[count * i // (elements + 1)] for i in range(1, elements + 1)]
    return [weighted(tensor) / count**0.5, *picked]


def record(module, inputs, results):
    sum(weighted(result) for result in results).backward()
    gradients = torch.cat([parameter.grad.flatten() for parameter in module.parameters()])
    found = figures(results[0], 2) + figures(gradients)
    for tensor in [*results[1:], *(x.grad for x in inputs)]:
        found += figures(tensor)
    return [float(f"{x:.11g}") for x in found]


def draw_parameters(module):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape) * 0.3)


def randn(*shape):
    return torch.randn(shape).requires_grad_()


def flags(*shape):
    """A mask that leaves the first key to all."""
    mask = torch.rand(shape) < 0.3
    mask[..., 0] = False
    return mask


# --- Recurrent layers ---------------------------------------------------------------------------------

KINDS = {"RNN": (nn.RNN, {}), "RNN relu": (nn.RNN, {"nonlinearity": "relu"}), "LSTM": (nn.LSTM, {}), "GRU": (nn.GRU, {})}
LAYERS = {
    "plain": {},
    "layers": {"num_layers": 3},
    "bidirectional": {"bidirectional": True},
    "batch first": {"batch_first": True, "num_layers": 2},
    "without bias": {"bias": False, "bidirectional": True},
    "unbatched": {"num_layers": 2, "bidirectional": True},
    "packed": {"num_layers": 2, "bidirectional": True},
    "projected": {"num_layers": 2, "bidirectional": True, "proj_size": 2},
    "packed projected": {"proj_size": 2},
}


def draw_layer(name):
    t, b, i, h = (sizes.randint(1, most) for most in (6, 5, 6, 7))
    lengths = [t] + [sizes.randint(1, t) for _ in range(b - 1)] if "packed" in name else []
    return [t, b, i, h + 2, *sizes.sample(lengths, len(lengths))]


def run_layer(kind, name, options, case):
    t, b, i, h, *lengths = case
    module = KINDS[kind][0](i, h, **KINDS[kind][1], **options)
    draw_parameters(module)
    is_single = name == "unbatched"
    x = randn(t, i) if is_single else randn(b, t, i) if options.get("batch_first") else randn(t, b, i)
    rows = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    batch = [] if is_single else [b]
    states = [randn(rows, *batch, options.get("proj_size") or h)]
    if kind == "LSTM":
        states.append(randn(rows, *batch, h))
    packed = pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=False) if lengths else x
    out, last = module(packed, tuple(states) if kind == "LSTM" else states[0])
    last = list(last) if kind == "LSTM" else [last]
    return record(module, [x, *states], [out.data if lengths else out, *last])


CELLS = {"RNN": nn.RNNCell, "RNN relu": nn.RNNCell, "LSTM": nn.LSTMCell, "GRU": nn.GRUCell}


def draw_cell(name):
    return [sizes.randint(1, most) for most in (5, 7, 9)]


def run_cell(kind, name, options, case):
    b, i, h = case
    module = CELLS[kind](i, h, **KINDS[kind][1], **options)
    draw_parameters(module)
    batch = [] if name == "unbatched" else [b]
    x, states = randn(*batch, i), [randn(*batch, h) for _ in range(2 if kind == "LSTM" else 1)]
    last = module(x, tuple(states) if kind == "LSTM" else states[0])
    return record(module, [x, *states], list(last) if kind == "LSTM" else [last])


# --- Attention ----------------------------------------------------------------------------------------

ATTENTION = {
    "plain": {},
    "kdim": {"kdim": 0},
    "vdim": {"vdim": 0},
    "kdim and vdim": {"kdim": 0, "vdim": 0},
    "without bias": {"bias": False},
    "bias_kv": {"add_bias_kv": True},
    "zero attention": {"add_zero_attn": True},
    "both rows, bool mask, bool padding": {"add_bias_kv": True, "add_zero_attn": True},
    "bool mask": {},
    "float mask": {},
    "bool mask of heads": {},
    "float mask of heads": {},
    "bool padding": {},
    "float padding": {},
    "bool mask, bool padding": {},
    "causal": {},
    "without weights": {},
    "without weights, float mask, float padding": {},
    "weights of heads": {},
    "batch first": {"batch_first": True},
    "unbatched, bool mask": {},
}


def draw_attention(name):
    return [sizes.randint(1, most) for most in (7, 7, 4, 3, 4, 5, 6)]


def masks_of(name, b, heads, queries, keys):
    """The masks that a name has: of scores and of keys. Draws them."""
    mask = padding = None
    rows = [b * heads, queries, keys] if "of heads" in name else [queries, keys]
    if "bool mask" in name:
        mask = flags(*rows)
    elif "float mask" in name:
        mask = torch.randn(rows)
    elif "causal" in name:
        mask = torch.ones(queries, keys, dtype=torch.bool).triu(1)
    if "padding" in name:
        padding = flags(b, keys) if "bool padding" in name else torch.randn(b, keys)
    return mask, padding


def shape_of(name, rows, b, size):
    return [rows, size] if "unbatched" in name else [b, rows, size] if "batch first" in name else [rows, b, size]


def run_attention(kind, name, options, case):
    queries, keys, b, heads, size, of_key, of_value = case
    width = heads * size
    of_key, of_value = (of_key if "kdim" in options else width), (of_value if "vdim" in options else width)
    module = nn.MultiheadAttention(width, heads, **{**options, "kdim": of_key, "vdim": of_value})
    draw_parameters(module)
    inputs = [randn(*shape_of(name, queries, b, width)), randn(*shape_of(name, keys, b, of_key)),
              randn(*shape_of(name, keys, b, of_value))]
    mask, padding = masks_of(name, b, heads, queries, keys)
    out, weights = module(*inputs, attn_mask=mask, key_padding_mask=padding, is_causal="causal" in name,
                          need_weights="without weights" not in name and "causal" not in name,
                          average_attn_weights=name != "weights of heads")
    return record(module, inputs, [out] if weights is None else [out, weights])


# --- Transformer layers -------------------------------------------------------------------------------

TRANSFORMER = {
    "plain": {},
    "norm first": {"norm_first": True},
    "gelu": {"activation": "gelu"},
    "batch first": {"batch_first": True},
    "without bias": {"bias": False},
    "bool mask, bool padding": {},
    "float mask, float padding": {"norm_first": True, "activation": "gelu"},
    "causal": {},
    "unbatched": {},
}


def draw_transformer(name):
    return [sizes.randint(1, most) for most in (6, 6, 4, 3)] + [sizes.randint(4, 6), sizes.randint(1, 9)]


def run_transformer(kind, name, options, case):
    rows, of_memory, b, heads, size, forward = case
    width = heads * size
    make = nn.TransformerEncoderLayer if kind == "encoder" else nn.TransformerDecoderLayer
    module = make(width, heads, forward, dropout=0.0, **options)
    draw_parameters(module)
    is_causal = "causal" in name
    x = randn(*shape_of(name, rows, b, width))
    if kind == "encoder":
        mask, padding = masks_of(name, b, heads, rows, rows)
        return record(module, [x], [module(x, mask, padding, is_causal)])
    memory = randn(*shape_of(name, of_memory, b, width))
    mask, padding = masks_of(name, b, heads, rows, rows)
    of_scores, of_keys = masks_of(name, b, heads, rows, of_memory)
    return record(module, [x, memory], [module(x, memory, mask, of_scores, padding, of_keys, is_causal, is_causal)])


# --- All ----------------------------------------------------------------------------------------------

PARTS = {
    "layers": (KINDS, LAYERS, draw_layer, run_layer),
    "cells": (CELLS, {"plain": {}, "without bias": {"bias": False}, "unbatched": {}}, draw_cell, run_cell),
    "attention": (["multihead"], ATTENTION, draw_attention, run_attention),
    "transformer": (["encoder", "decoder"], TRANSFORMER, draw_transformer, run_transformer),
}


def group(part, kind, name, seed):
    _, options, draw, run = PARTS[part]
    cases = []
    for i in range(CASES):
        case = draw(name)
        torch.manual_seed(seed + i)
        cases.append([case, run(kind, name, options[name], case)])
    return {"kind": kind, "name": name, "options": options[name], "seed": seed, "cases": cases}


entries, seed = {}, 0
for part, (kinds, options, _, _) in PARTS.items():
    entries[part] = []
    for kind in kinds:
        for name in options:
            if "proj" not in name or kind == "LSTM":
                entries[part].append(group(part, kind, name, seed := seed + CASES))
write("random_shapes.json", entries)
