#!/usr/bin/env python3
"""Writes pooling.json, what PyTorch's pooling layers compute. Run in this folder: PYTHONPATH=.. python3 pooling.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
torch.manual_seed(11)
LAYERS = {
    "MaxPool1d": (nn.MaxPool1d(3, 2, padding=1), (2, 2, 7)),
    "MaxPool2d": (nn.MaxPool2d((2, 3), (1, 2), (1, 0), (2, 1), ceil_mode=True), (1, 2, 4, 5)),
    "MaxPool3d": (nn.MaxPool3d(2), (1, 2, 2, 4, 3)),
    "AvgPool1d": (nn.AvgPool1d(3, 2, 1, ceil_mode=True), (2, 2, 6)),
    "AvgPool2d": (nn.AvgPool2d((3, 2), 2, (1, 0), ceil_mode=True, count_include_pad=False), (2, 1, 4, 5)),
    "AvgPool3d": (nn.AvgPool3d(2, (1, 2, 1), divisor_override=3), (1, 1, 2, 4, 3)),
    "AdaptiveMaxPool1d": (nn.AdaptiveMaxPool1d(3), (2, 2, 7)),
    "AdaptiveMaxPool2d": (nn.AdaptiveMaxPool2d((None, 2)), (1, 2, 3, 5)),
    "AdaptiveMaxPool3d": (nn.AdaptiveMaxPool3d((2, 1, 3)), (1, 1, 3, 2, 4)),
    "AdaptiveAvgPool1d": (nn.AdaptiveAvgPool1d(4), (2, 2, 6)),
    "AdaptiveAvgPool2d": (nn.AdaptiveAvgPool2d((2, None)), (1, 2, 3, 4)),
    "AdaptiveAvgPool3d": (nn.AdaptiveAvgPool3d(2), (1, 1, 3, 4, 2)),
    "LPPool1d": (nn.LPPool1d(2, 3, 2), (2, 2, 7)),
    "LPPool2d": (nn.LPPool2d(1.5, (2, 3), 1), (1, 1, 3, 4)),
    "LPPool3d": (nn.LPPool3d(3, 2, ceil_mode=True), (1, 1, 2, 3, 4)),
    "LPPool2d infinite": (nn.LPPool2d(float("inf"), 2), (1, 2, 4, 4)),
    "FractionalMaxPool2d": (nn.FractionalMaxPool2d(2, output_size=(3, 2)), (2, 2, 6, 5)),
    "FractionalMaxPool2d ratio": (nn.FractionalMaxPool2d(3, output_ratio=(0.5, 0.6)), (3, 6, 7)),
    "FractionalMaxPool3d": (nn.FractionalMaxPool3d((1, 2, 2), output_size=2), (1, 2, 3, 4, 5)),
}
tensors = {}
for name, (layer, shape) in LAYERS.items():
    leaf = torch.randn(shape, dtype=torch.float64)
    leaf = (leaf.abs() if name.startswith("LP") else leaf).requires_grad_()
    torch.manual_seed(3)
    out = layer(leaf)
    (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
    tensors[name + " input"] = leaf
    tensors[name] = out
    tensors[name + " gradient"] = leaf.grad
    if name.startswith(("Max", "Adaptive")) and "Max" in name:
        layer.return_indices = True
        tensors[name + " indices"] = layer(leaf)[1]
for name, pool, unpool, shape, size in (
        ("MaxUnpool1d", nn.MaxPool1d(2), nn.MaxUnpool1d(2), (2, 2, 6), None),
        ("MaxUnpool2d", nn.MaxPool2d((3, 2), stride=2), nn.MaxUnpool2d((3, 2), stride=2), (1, 2, 6, 5), (1, 2, 6, 5)),
        ("MaxUnpool3d", nn.MaxPool3d(2), nn.MaxUnpool3d(2), (1, 1, 2, 4, 5), (2, 4, 5))):
    pool.return_indices = True
    leaf, indices = pool(torch.randn(shape, dtype=torch.float64))
    leaf = leaf.detach().requires_grad_()
    out = unpool(leaf, indices, size)
    (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
    for what, tensor in (("", out), (" input", leaf), (" indices", indices), (" gradient", leaf.grad)):
        tensors[name + what] = tensor
write("pooling.json", {name: entry(tensor) for name, tensor in tensors.items()})
