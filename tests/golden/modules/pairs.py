#!/usr/bin/env python3
"""Writes pairs.json, what PyTorch's layers of two inputs draw and compute. Run in this folder:
PYTHONPATH=.. python3 pairs.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
torch.manual_seed(3)
drawn = nn.Bilinear(3, 2, 4)
tensors = {"drawn weight": drawn.weight, "drawn bias": drawn.bias}
torch.manual_seed(7)
LAYERS = {
    "Bilinear": (nn.Bilinear(3, 2, 4, dtype=torch.float64), (5, 3), (5, 2)),
    "Bilinear without bias": (nn.Bilinear(3, 2, 4, bias=False, dtype=torch.float64), (3,), (2,)),
    "CosineSimilarity": (nn.CosineSimilarity(), (4, 3, 2), (4, 3, 2)),
    "CosineSimilarity dim": (nn.CosineSimilarity(0, 1.5), (3,), (3,)),
    "PairwiseDistance": (nn.PairwiseDistance(), (4, 3), (4, 3)),
    "PairwiseDistance p": (nn.PairwiseDistance(3.0, 0.001, True), (2, 3), (3,)),
}
for name, (layer, *shapes) in LAYERS.items():
    inputs = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    out = layer(*inputs)
    (out * torch.arange(1, out.numel() + 1).view(out.shape)).sum().backward()
    tensors[name] = out
    for key, tensor in [("0", inputs[0]), ("1", inputs[1]), *layer.named_parameters()]:
        tensors |= {f"{name} {key}": tensor, f"{name} {key} gradient": tensor.grad}
write("pairs.json", {name: entry(tensor) for name, tensor in tensors.items()})
