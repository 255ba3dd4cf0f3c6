#!/usr/bin/env python3
"""Writes embeddings.json, what PyTorch's embedding layers draw and compute. Run in this folder:
PYTHONPATH=.. python3 embeddings.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
tensors = {}
for name, make in {"Embedding drawn": nn.Embedding, "EmbeddingBag drawn": nn.EmbeddingBag}.items():
    torch.manual_seed(3)
    tensors[name] = make(5, 3, padding_idx=-3).weight

torch.manual_seed(7)
table = torch.randn(6, 3, dtype=torch.float64)
factors = torch.randn(2, 3, dtype=torch.float64)
tensors |= {"table": table, "factors": factors}
rows = torch.tensor([[1, 4, 2], [2, 2, 0]])
line, offsets = rows.flatten(), torch.tensor([0, 2, 2, 5])


def layer(kind, **options):
    return kind.from_pretrained(table.clone(), freeze=False, **options)


CALLS = {
    "rows": (layer(nn.Embedding), rows),
    "rows, padding": (layer(nn.Embedding, padding_idx=-4), rows),
    "rows, frequency": (layer(nn.Embedding, scale_grad_by_freq=True), rows),
    "rows, norm 2": (layer(nn.Embedding, max_norm=1.0), rows),
    "rows, norm 1": (layer(nn.Embedding, max_norm=1.5, norm_type=1.0), rows),
    "bags": (layer(nn.EmbeddingBag), rows),
    "bags, offsets": (layer(nn.EmbeddingBag), line, offsets),
    "bags, last offset": (layer(nn.EmbeddingBag, include_last_offset=True), line, torch.tensor([0, 2, 2, 6])),
    "bags, sum": (layer(nn.EmbeddingBag, mode="sum"), line, offsets),
    "bags, factors": (layer(nn.EmbeddingBag, mode="sum"), rows, None, factors),
    "bags, max": (layer(nn.EmbeddingBag, mode="max"), line, offsets),
    "bags, padding": (layer(nn.EmbeddingBag, padding_idx=2), line, offsets),
    "bags, max, padding": (layer(nn.EmbeddingBag, mode="max", padding_idx=2), line, offsets),
    "bags, frequency": (layer(nn.EmbeddingBag, scale_grad_by_freq=True), line, offsets),
    "bags, norm": (layer(nn.EmbeddingBag, max_norm=1.0), rows),
}
for name, (module, *inputs) in CALLS.items():
    out = module(*inputs)
    (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
    tensors |= {name: out, name + " gradient": module.weight.grad, name + " table": module.weight}
write("embeddings.json", {name: entry(tensor) for name, tensor in tensors.items()})
