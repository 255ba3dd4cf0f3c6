#!/usr/bin/env python3
"""Writes norms.json, what PyTorch's normalisation layers compute. Run in this folder: PYTHONPATH=.. python3 norms.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
torch.manual_seed(7)
LAYERS = {
    "BatchNorm1d": (nn.BatchNorm1d(3), (4, 3)),
    "BatchNorm1d of sequences": (nn.BatchNorm1d(3, eps=0.1, momentum=None), (2, 3, 4)),
    "BatchNorm2d": (nn.BatchNorm2d(3), (2, 3, 2, 3)),
    "BatchNorm2d without bias": (nn.BatchNorm2d(3, bias=False), (2, 3, 2, 2)),
    "BatchNorm3d": (nn.BatchNorm3d(2, momentum=0.5), (2, 2, 2, 2, 2)),
    "BatchNorm3d bare": (nn.BatchNorm3d(2, affine=False, track_running_stats=False), (2, 2, 1, 2, 2)),
    "InstanceNorm1d": (nn.InstanceNorm1d(3), (2, 3, 4)),
    "InstanceNorm1d of one": (nn.InstanceNorm1d(3, affine=True, track_running_stats=True), (3, 5)),
    "InstanceNorm2d": (nn.InstanceNorm2d(3, eps=0.1, momentum=0.3, affine=True, track_running_stats=True),
                       (2, 3, 2, 3)),
    "InstanceNorm3d": (nn.InstanceNorm3d(2, affine=True), (2, 2, 2, 1, 3)),
    "InstanceNorm3d tracking": (nn.InstanceNorm3d(2, momentum=None, track_running_stats=True), (2, 2, 2, 1, 3)),
    "GroupNorm": (nn.GroupNorm(2, 4), (3, 4, 3)),
    "GroupNorm of vectors": (nn.GroupNorm(3, 6, eps=0.1, bias=False), (2, 6)),
    "GroupNorm bare": (nn.GroupNorm(1, 4, affine=False), (2, 4, 2, 2)),
    "RMSNorm": (nn.RMSNorm(5), (2, 3, 5)),
    "RMSNorm wide": (nn.RMSNorm((3, 5), eps=0.1), (2, 3, 5)),
    "RMSNorm bare": (nn.RMSNorm([5], elementwise_affine=False), (3, 5)),
    "LocalResponseNorm": (nn.LocalResponseNorm(3), (2, 5, 3)),
    "LocalResponseNorm of images": (nn.LocalResponseNorm(2, alpha=0.5, beta=0.6, k=2), (2, 4, 2, 2)),
    "CrossMapLRN2d": (nn.CrossMapLRN2d(3, alpha=0.7), (2, 6, 2, 2)),
    "CrossMapLRN2d even": (nn.CrossMapLRN2d(4, alpha=0.7, beta=0.5, k=2), (1, 3, 2, 2)),
}
tensors = {}
for name, (layer, shape) in LAYERS.items():
    layer.double()
    for i, parameter in enumerate(layer.parameters()):
        with torch.no_grad():
            parameter.copy_((1 + torch.arange(parameter.numel()) / 4 - i / 2).view(parameter.shape))
    leaf = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    out = layer(leaf)
    (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
    tensors[name + " input"] = leaf
    tensors[name] = out
    if not name.startswith("CrossMap"):  # PyTorch's gradient is not that of its formula
        tensors[name + " gradient"] = leaf.grad
    for key, parameter in layer.named_parameters():
        tensors[f"{name} {key} gradient"] = parameter.grad
    layer.eval()
    tensors[name + " eval"] = layer(leaf)
    for key, buffer in layer.named_buffers():
        tensors[f"{name} {key}"] = buffer
write("norms.json", {name: entry(tensor) for name, tensor in tensors.items()})
