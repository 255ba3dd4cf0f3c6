#!/usr/bin/env python3
"""Writes attention_parts.json: rotary embeddings, positions, biases and gated layers, which PyTorch lacks, computed with
PyTorch's ops as Hugging Face's models compute them. Run in this folder: PYTHONPATH=.. python3 attention_parts.py"""
import math

import torch
from torch import nn
from torch.nn import functional as F

from lines import entry, write

torch.set_num_threads(1)
DOUBLE = torch.float64


def wave(shape, phase):
    """Numbers that the tests compute, too."""
    return torch.sin(torch.arange(math.prod(shape), dtype=DOUBLE) * 0.7 + phase).reshape(shape)


def frequencies(dim, base, scaling=None):
    w = 1.0 / base ** (torch.arange(0, dim, 2).float() / dim)
    if scaling is None:
        return w
    factor, low, high, context = scaling
    length = 2 * math.pi / w
    s = (context / length - low) / (high - low)
    between = (1 - s) * w / factor + s * w
    return torch.where(length < context / high, w, torch.where(length > context / low, w / factor, between))


def rotate(x, positions, dim, base=10000.0, interleaved=False, scaling=None):
    angles = positions.float()[..., None] * frequencies(dim, base, scaling)
    turned, rest = x[..., :dim], x[..., dim:]
    if interleaved:
        cos, sin = (t.to(x.dtype).repeat_interleave(2, -1) for t in (angles.cos(), angles.sin()))
        half = torch.stack((-turned[..., 1::2], turned[..., ::2]), -1).flatten(-2)
    else:
        cos, sin = (torch.cat((t, t), -1).to(x.dtype) for t in (angles.cos(), angles.sin()))
        half = torch.cat((-turned[..., dim // 2:], turned[..., :dim // 2]), -1)
    return torch.cat((turned * cos + half * sin, rest), -1)


def rotary(name, positions, dim=8, **options):
    x = wave((2, 2, 3, 8), 1).requires_grad_()
    out = rotate(x, torch.tensor(positions), dim, **options)
    (out * wave(out.shape, 2)).sum().backward()
    return {"name": name, "out": entry(out), "gradient": entry(x.grad)}


SCALING = (8.0, 1.0, 4.0, 8192)
ROTARY = [
    rotary("halves", range(3)),
    rotary("offset", range(70, 73)),
    rotary("neighbours", range(70, 73), interleaved=True),
    rotary("part", range(70, 73), dim=6, base=100.0),
    rotary("part of neighbours", range(70, 73), dim=6, base=100.0, interleaved=True),
    rotary("scaling", range(70, 73), base=100.0, scaling=(8.0, 1.0, 4.0, 64)),
    rotary("positions", [[[5, 0, 7]], [[1, 900, 4]]]),
]


def sinusoidal(length, dim, offset):
    w = 10000.0 ** (-torch.arange(0, dim, 2, dtype=DOUBLE) / dim)
    angles = torch.arange(offset, offset + length, dtype=DOUBLE)[:, None] * w
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(-2)


class Gated(nn.Module):
    """Llama's feed-forward part."""

    def __init__(self, activation, **options):
        super().__init__()
        self.activation = activation
        self.gate_proj = nn.Linear(3, 5, dtype=DOUBLE, **options)
        self.up_proj = nn.Linear(3, 5, dtype=DOUBLE, **options)
        self.down_proj = nn.Linear(5, 3, dtype=DOUBLE, **options)

    def forward(self, x):
        return self.down_proj(self.activation(self.gate_proj(x)) * self.up_proj(x))


def gated(name, activation, bias=False):
    torch.manual_seed(3)
    net = Gated(activation, bias=bias)
    x = wave((2, 4, 3), 1).requires_grad_()
    out = net(x)
    (out * wave(out.shape, 2)).sum().backward()
    return {"name": name, "keys": list(net.state_dict()), "out": entry(out), "gradient": entry(x.grad),
            "sums": [(p.grad * wave(p.shape, 5)).sum().item() for p in net.parameters()]}


GATED = [
    gated("SwiGLU", F.silu),
    gated("SwiGLU with bias", F.silu, bias=True),
    gated("GEGLU", F.gelu),
    gated("GEGLU of tanh", lambda x: F.gelu(x, approximate="tanh")),
]
write("attention_parts.json", {
    "rotary": ROTARY,
    "gated": GATED,
    "frequencies of Llama 3": entry(frequencies(128, 5e5, SCALING)),
    "sinusoidal": entry(sinusoidal(5, 6, 0)),
    "sinusoidal offset": entry(sinusoidal(3, 4, 1000)),
})
