#!/usr/bin/env python3
"""Writes conv.json, what PyTorch's convolution modules draw and compute. Run in this folder:
PYTHONPATH=.. python3 conv.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
entries = {}


def record(name, make, *shape, **call):
    """Makes a module from seed 3, and writes its parameters, its result and all gradients."""
    torch.manual_seed(3)
    module = make()
    x = ((torch.arange(torch.Size(shape).numel()) % 11 - 4.5) / 4).view(shape).requires_grad_()
    out = module(x, **call)
    (out * (torch.arange(out.numel()) % 5 - 1.5).view(out.shape)).sum().backward()
    entries[name + " shape"] = list(shape)
    entries[name + " keys"] = list(module.state_dict())
    entries[name] = entry(out)
    entries[name + " input.grad"] = entry(x.grad)
    for key, value in module.named_parameters():
        entries[f"{name} {key}"] = entry(value)
        entries[f"{name} {key}.grad"] = entry(value.grad)


record("Conv1d", lambda: nn.Conv1d(2, 4, 3), 2, 2, 7)
record("Conv1d options", lambda: nn.Conv1d(4, 6, 3, stride=2, padding=2, dilation=2, groups=2, bias=False), 2, 4, 9)
record("Conv1d reflect", lambda: nn.Conv1d(2, 3, 3, padding=2, padding_mode="reflect"), 1, 2, 5)
record("Conv2d", lambda: nn.Conv2d(3, 4, (2, 3), padding=1), 2, 3, 4, 5)
record("Conv2d depthwise", lambda: nn.Conv2d(4, 4, 3, padding=1, groups=4), 1, 4, 4, 9)
record("Conv2d same", lambda: nn.Conv2d(2, 3, (2, 4), padding="same", dilation=(1, 2)), 1, 2, 5, 6)
record("Conv2d reflect", lambda: nn.Conv2d(2, 3, 3, padding=(1, 2), padding_mode="reflect"), 1, 2, 4, 5)
record("Conv2d same replicate", lambda: nn.Conv2d(2, 3, (2, 3), padding="same", padding_mode="replicate"), 1, 2, 4, 5)
record("Conv2d circular", lambda: nn.Conv2d(2, 3, 3, padding=1, stride=2, padding_mode="circular"), 2, 4, 5)
record("Conv3d", lambda: nn.Conv3d(2, 4, 2, stride=(1, 2, 1), padding=(0, 1, 1), groups=2), 1, 2, 3, 4, 3)
record("ConvTranspose1d", lambda: nn.ConvTranspose1d(2, 4, 3, stride=2, output_padding=1, groups=2), 2, 2, 4)
record("ConvTranspose2d", lambda: nn.ConvTranspose2d(3, 2, 3, stride=2, padding=1), 1, 3, 3, 2)
record("ConvTranspose2d size", lambda: nn.ConvTranspose2d(2, 2, 3, stride=2, padding=1), 1, 2, 3, 2, output_size=(6, 3))
record("ConvTranspose3d", lambda: nn.ConvTranspose3d(2, 2, 2, dilation=(2, 1, 1), bias=False), 1, 2, 2, 3, 2)
record("LazyConv2d", lambda: nn.LazyConv2d(4, 3, stride=2), 1, 2, 5, 5)
record("LazyConvTranspose1d", lambda: nn.LazyConvTranspose1d(3, 2, groups=3), 3, 5)
write("conv.json", entries)
