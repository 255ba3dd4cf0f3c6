#!/usr/bin/env python3
"""Writes dropouts.json, what PyTorch's dropout layers draw for seed 5. Run in this folder:
PYTHONPATH=.. python3 dropouts.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
INPUTS = {"Dropout": (4, 6), "Dropout1d": (3, 4, 2), "Dropout2d": (2, 5, 2, 2), "Dropout3d": (4, 2, 1, 2),
          "AlphaDropout": (4, 6), "FeatureAlphaDropout": (3, 4, 2)}
tensors = {}
for name, shape in INPUTS.items():
    x = (torch.arange(torch.Size(shape).numel(), dtype=torch.float64).view(shape) / 8 - 1).requires_grad_()
    torch.manual_seed(5)
    out = getattr(nn, name)(0.3)(x)
    (out * x.detach()).sum().backward()
    tensors |= {name: out, name + " gradient": x.grad}
write("dropouts.json", {name: entry(tensor) for name, tensor in tensors.items()})
