#!/usr/bin/env python3
"""Writes rearranging.json, what PyTorch's layers compute that move elements. Run in this folder:
PYTHONPATH=.. python3 rearranging.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
torch.manual_seed(7)
LAYERS = {
    "ConstantPad1d": (nn.ConstantPad1d((1, 2), 3.5), (2, 2, 3)),
    "ConstantPad2d": (nn.ConstantPad2d(1, -2), (1, 2, 3)),
    "ConstantPad3d": (nn.ConstantPad3d((1, 0, -1, 1, 0, 1), 0.5), (1, 2, 3, 2)),
    "ZeroPad1d": (nn.ZeroPad1d(2), (3,)),
    "ZeroPad2d": (nn.ZeroPad2d((1, -1, 2, 0)), (2, 1, 2, 3)),
    "ZeroPad3d": (nn.ZeroPad3d(1), (2, 1, 2)),
    "ReflectionPad1d": (nn.ReflectionPad1d((2, 1)), (2, 3, 4)),
    "ReflectionPad2d": (nn.ReflectionPad2d((1, 2, 3, 0)), (2, 1, 4, 3)),
    "ReflectionPad3d": (nn.ReflectionPad3d(1), (1, 2, 3, 2)),
    "ReplicationPad1d": (nn.ReplicationPad1d((3, 1)), (3, 2)),
    "ReplicationPad2d": (nn.ReplicationPad2d((1, 2, -1, 3)), (2, 1, 4, 3)),
    "ReplicationPad3d": (nn.ReplicationPad3d((1, 2, 0, 1, 2, 0)), (1, 1, 2, 2, 2)),
    "CircularPad1d": (nn.CircularPad1d((3, 1)), (2, 3)),
    "CircularPad2d": (nn.CircularPad2d((1, 2, 2, 0)), (2, 1, 2, 3)),
    "CircularPad3d": (nn.CircularPad3d((1, 0, 0, 1, 2, -1)), (1, 1, 4, 2, 2)),
    "PixelShuffle": (nn.PixelShuffle(2), (1, 8, 2, 3)),
    "PixelUnshuffle": (nn.PixelUnshuffle(3), (2, 3, 6)),
    "ChannelShuffle": (nn.ChannelShuffle(2), (1, 6, 2, 2)),
    "Flatten": (nn.Flatten(1, 2), (2, 3, 2, 2)),
    "Unflatten": (nn.Unflatten(1, (2, 3)), (2, 6, 2)),
    "Fold": (nn.Fold((3, 4), (2, 3), stride=(1, 2), padding=(0, 1)), (2, 6, 4)),
    "Fold of one": (nn.Fold(3, 2, dilation=2, padding=1), (4, 9)),
    "Unfold": (nn.Unfold((2, 3), dilation=(1, 2), padding=1, stride=2), (2, 1, 3, 4)),
    "Unfold of one": (nn.Unfold(2), (2, 3, 3)),
}
tensors = {}
for name, (layer, shape) in LAYERS.items():
    leaf = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    out = layer(leaf)
    (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
    tensors[name + " input"] = leaf
    tensors[name] = out
    tensors[name + " gradient"] = leaf.grad
write("rearranging.json", {name: entry(tensor) for name, tensor in tensors.items()})
