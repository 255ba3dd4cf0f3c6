#!/usr/bin/env python3
"""Writes upsampling.json, what PyTorch's interpolate, Upsample, grid_sample and affine_grid compute. Run in this
folder:
PYTHONPATH=.. python3 upsampling.py"""
import torch
import torch.nn.functional as F
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
torch.manual_seed(13)
CASES = {
    "nearest 1d": (lambda x: F.interpolate(x, 5), (2, 1, 3)),
    "nearest 3d": (lambda x: F.interpolate(x, (2, 3, 4)), (1, 1, 3, 2, 2)),
    "nearest scale": (lambda x: F.interpolate(x, scale_factor=1.7), (1, 2, 3, 4)),
    "nearest recomputed": (lambda x: F.interpolate(x, scale_factor=1.7, recompute_scale_factor=True), (1, 2, 3, 4)),
    "nearest-exact": (lambda x: F.interpolate(x, scale_factor=(1.5, 0.6), mode="nearest-exact"), (1, 1, 4, 5)),
    "linear": (lambda x: F.interpolate(x, 7, mode="linear"), (1, 2, 4)),
    "bilinear": (lambda x: F.interpolate(x, (5, 2), mode="bilinear", align_corners=True), (1, 2, 3, 4)),
    "bilinear scale": (lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear"), (1, 1, 3, 4)),
    "bilinear recomputed": (lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True), (1, 1, 3, 4)),
    "bilinear antialias": (lambda x: F.interpolate(x, (3, 2), mode="bilinear", antialias=True), (1, 1, 7, 6)),
    "bicubic": (lambda x: F.interpolate(x, (6, 3), mode="bicubic"), (1, 1, 4, 5)),
    "bicubic antialias": (lambda x: F.interpolate(x, scale_factor=0.4, mode="bicubic", antialias=True), (1, 1, 8, 7)),
    "trilinear": (lambda x: F.interpolate(x, 3, mode="trilinear"), (1, 1, 2, 2, 4)),
    "area": (lambda x: F.interpolate(x, (2, 3), mode="area"), (1, 2, 5, 4)),
    "area scale": (lambda x: F.interpolate(x, scale_factor=0.5, mode="area"), (1, 1, 7)),
    "Upsample": (nn.Upsample(scale_factor=2), (1, 2, 2, 3)),
    "Upsample bilinear": (nn.Upsample(size=(4, 5), mode="bilinear", align_corners=True), (1, 1, 3, 3)),
}
tensors = {}
for name, (call, shape) in CASES.items():
    leaf = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    out = call(leaf)
    (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
    for what, tensor in (("", out), (" input", leaf), (" gradient", leaf.grad)):
        tensors[name + what] = tensor
# A spatial transformer, with its gradients of the first and second order.
theta = torch.tensor([[[0.9, 0.2, 0.1], [-0.3, 1.1, -0.2]]], dtype=torch.float64, requires_grad=True)
image = torch.randn((1, 2, 4, 5), dtype=torch.float64, requires_grad=True)
out = F.grid_sample(image, F.affine_grid(theta, (1, 2, 3, 4)), padding_mode="border")
first = torch.autograd.grad((out ** 2).sum(), [theta, image], create_graph=True)
second = torch.autograd.grad(sum((g ** 2).sum() for g in first), [theta, image])
for name, tensor in (("theta", theta), ("image", image), ("sampled", out), ("theta first", first[0]), ("image first", first[1]),
                     ("theta second", second[0]), ("image second", second[1])):
    tensors[name] = tensor
write("upsampling.json", {name: entry(tensor) for name, tensor in tensors.items()})
