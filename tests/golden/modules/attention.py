#!/usr/bin/env python3
"""Writes attention.json, what PyTorch's attention and Transformer modules compute. Run in this folder:
PYTHONPATH=.. python3 attention.py"""
import math

import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
DOUBLE = torch.float64


def wave(shape, phase):
    """Numbers that the tests compute, too."""
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=DOUBLE) * 0.7 + phase).reshape(shape)


def set_parameters(module):
    module.to(DOUBLE)
    with torch.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter.copy_(wave(parameter.shape, i) / 2)
    return module


def bits(rows):
    return torch.tensor(rows, dtype=torch.bool)


def argument(value):
    """An argument of a call; the reader takes numbers, also for bool."""
    if not isinstance(value, torch.Tensor):
        return value
    return {**entry(value), "data": [x if math.isfinite(x) else str(x) for x in value.double().flatten().tolist()]}


def run(case, module, inputs, call, forward):
    """Adds results and gradients to a case."""
    leaves = [x.requires_grad_() for x in inputs]
    torch.manual_seed(9)
    results = forward(*leaves, **call)
    out, weights = results if isinstance(results, tuple) else (results, None)
    loss = (out * wave(out.shape, 1)).sum()
    if weights is not None:
        loss = loss + (weights * wave(weights.shape, 2)).sum()
    loss.backward()
    case["call"] = {key: argument(value) for key, value in call.items()}
    case["inputs"] = [list(x.shape) for x in leaves]
    case["out"] = entry(out)
    if weights is not None:
        case["weights"] = entry(weights)
    case["gradients"] = [entry(x.grad) for x in leaves]
    # One number for each parameter: the sum of the gradient times other numbers.
    case["sums"] = [(x.grad * wave(x.shape, 5)).sum().item() for x in module.parameters()]
    return case


def multihead(name, shapes, call, **options):
    module = set_parameters(nn.MultiheadAttention(4, 2, **options))
    inputs = [wave(shape, i) for i, shape in enumerate(shapes)]
    return run({"name": name, "options": options}, module, inputs, call, module)


LSB = [(3, 2, 4), (5, 2, 4), (5, 2, 4)]
OTHER = [(3, 2, 4), (5, 2, 3), (5, 2, 5)]
FIRST = [(2, 3, 4), (2, 5, 4), (2, 5, 4)]
ONE = [(3, 4), (5, 4), (5, 4)]
allowed = bits([[0, 1, 0, 0, 1], [0, 0, 1, 1, 0], [1, 0, 0, 0, 0]])
padding = bits([[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]])
heads = wave((4, 3, 5), 3)
triangle = nn.Transformer.generate_square_subsequent_mask(5).to(DOUBLE)[:3]
no_weights = {"need_weights": False}
MULTIHEAD = [
    multihead("plain", LSB, {}),
    multihead("without weights", LSB, no_weights),
    multihead("weights of heads", LSB, {"average_attn_weights": False}),
    multihead("without bias", LSB, {}, bias=False),
    multihead("other sizes", OTHER, {"average_attn_weights": False}, kdim=3, vdim=5),
    multihead("other sizes without weights", OTHER, no_weights, kdim=3, vdim=5, bias=False),
    multihead("appended row", LSB, {"attn_mask": allowed, "key_padding_mask": padding}, add_bias_kv=True),
    multihead("appended zeros", LSB, {"attn_mask": allowed}, add_zero_attn=True),
    multihead("appended both", LSB, {"key_padding_mask": padding, **no_weights}, add_bias_kv=True, add_zero_attn=True),
    multihead("batch first", FIRST, {"attn_mask": allowed}, batch_first=True),
    multihead("batch first without weights", FIRST, {"key_padding_mask": padding, **no_weights}, batch_first=True),
    multihead("unbatched", ONE, {"key_padding_mask": padding[0], "attn_mask": allowed}),
    multihead("unbatched heads", ONE, {"average_attn_weights": False, "attn_mask": heads[:2]}),
    multihead("unbatched without weights", ONE, {"attn_mask": allowed, **no_weights}, batch_first=True),
    multihead("mask of numbers", LSB, {"attn_mask": heads[0]}),
    multihead("mask of heads", LSB, {"attn_mask": heads, **no_weights}),
    multihead("mask of heads and padding", LSB, {"attn_mask": heads, "key_padding_mask": padding}),
    multihead("padding of numbers", LSB, {"key_padding_mask": wave((2, 5), 4), **no_weights}),
    multihead("causal", LSB, {"attn_mask": triangle, "is_causal": True, **no_weights}),
    multihead("causal with weights", LSB, {"attn_mask": triangle, "is_causal": True}),
    multihead("dropout", LSB, {}, dropout=0.4),
    multihead("dropout without weights", LSB, no_weights, dropout=0.4),
]

# --- Transformer --------------------------------------------------------------------------------------

SQUARE = {"gelu": "gelu", "relu": "relu", "square": lambda x: x * x}


def python_options(options):
    return {**options, "activation": SQUARE[options.get("activation", "relu")]}


def make(kind, options):
    options = python_options(options)
    if kind == "encoder layer":
        return nn.TransformerEncoderLayer(4, 2, 6, **options)
    if kind == "decoder layer":
        return nn.TransformerDecoderLayer(4, 2, 6, **options)
    if kind == "encoder":
        return nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, **options), 2, nn.LayerNorm(4),
                                     enable_nested_tensor=False)
    if kind == "decoder":
        return nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, **options), 2)
    return nn.Transformer(4, 2, 1, 2, 6, **options)


def transformer(kind, call, first=False, unbatched=False, **options):
    if first:
        options["batch_first"] = True
    options.setdefault("dropout", 0.0)
    module = set_parameters(make(kind, options))
    source = (3, 4) if unbatched else (2, 3, 4) if first else (3, 2, 4)
    target = (5, 4) if unbatched else (2, 5, 4) if first else (5, 2, 4)
    shapes = [source] if kind.startswith("encoder") else [source, target]
    if kind.startswith("decoder"):
        shapes.reverse()  # target and memory
    inputs = [wave(shape, i) for i, shape in enumerate(shapes)]
    return run({"kind": kind, "options": options}, module, inputs, call, module)


square3 = nn.Transformer.generate_square_subsequent_mask(3).to(DOUBLE)
square5 = nn.Transformer.generate_square_subsequent_mask(5).to(DOUBLE)
source_padding, target_padding = bits([[0, 0, 1], [0, 0, 0]]), bits([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]])
cross = bits([[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 1, 1]])
decoder_masks = {"tgt_mask": square5, "memory_mask": cross}
decoder_padding = {"tgt_key_padding_mask": target_padding, "memory_key_padding_mask": source_padding}
TRANSFORMER = [
    transformer("encoder layer", {}),
    transformer("encoder layer", {"src_mask": square3, "is_causal": True}, norm_first=True, activation="gelu"),
    transformer("encoder layer", {"src_key_padding_mask": source_padding}, first=True, bias=False, layer_norm_eps=0.1),
    transformer("encoder layer", {}, unbatched=True, activation="square"),
    transformer("encoder layer", {}, dropout=0.4),
    transformer("decoder layer", {}),
    transformer("decoder layer", {**decoder_masks, "tgt_is_causal": True}, norm_first=True, activation="gelu"),
    transformer("decoder layer", decoder_padding, first=True, bias=False),
    transformer("decoder layer", {}, unbatched=True),
    transformer("decoder layer", decoder_masks, dropout=0.4),
    transformer("encoder layer", {}, first=True, dropout=0.4),
    transformer("decoder layer", {}, first=True, dropout=0.4, norm_first=True),
    transformer("encoder", {"mask": square3, "src_key_padding_mask": source_padding}),
    transformer("encoder", {"mask": square3, "is_causal": True}),
    transformer("encoder", {}, norm_first=True, dropout=0.2),
    transformer("decoder", {**decoder_masks, **decoder_padding}, activation="gelu"),
    transformer("transformer", {}),
    transformer("transformer", {"src_mask": square3, "src_key_padding_mask": source_padding, **decoder_masks,
                                **decoder_padding}, first=True, norm_first=True, activation="gelu"),
    transformer("transformer", {}, bias=False, unbatched=True, layer_norm_eps=0.01),
    transformer("transformer", {"src_mask": square3, "tgt_mask": square5, "memory_mask": square5[:, :3], "src_is_causal": True,
                                "tgt_is_causal": True, "memory_is_causal": True}),
    transformer("transformer", {}, dropout=0.3),
]
write("attention.json", {"multihead": MULTIHEAD, "transformer": TRANSFORMER})
