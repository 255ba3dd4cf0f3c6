#!/usr/bin/env python3
"""Writes lazy.json, what PyTorch's lazy modules become. Run in this folder: PYTHONPATH=.. python3 lazy.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
entries = {}


def record(name, make, shape):
    """Makes a module from seed 3, calls it once, and writes its state and its result."""
    torch.manual_seed(3)
    module = make()
    x = (torch.arange(torch.Size(shape).numel()) % 7 - 2.5).view(shape)
    out = module(x)
    entries[name + " keys"] = list(module.state_dict())
    entries[name + " text"] = str(module)
    for key, value in module.state_dict().items():
        entries[f"{name} {key}"] = entry(value)
    entries[name] = entry(out)


record("LazyLinear", lambda: nn.LazyLinear(3), (2, 4))
record("LazyLinear bare", lambda: nn.LazyLinear(3, bias=False, dtype=torch.float32), (2, 2, 4))
record("LazyBatchNorm1d", lambda: nn.LazyBatchNorm1d(), (4, 3))
record("LazyBatchNorm2d", lambda: nn.LazyBatchNorm2d(eps=0.1, momentum=0.3), (2, 3, 2, 2))
record("LazyBatchNorm3d", lambda: nn.LazyBatchNorm3d(affine=False), (2, 2, 1, 2, 2))
record("LazyInstanceNorm1d", lambda: nn.LazyInstanceNorm1d(), (2, 3, 4))
record("LazyInstanceNorm2d", lambda: nn.LazyInstanceNorm2d(track_running_stats=False), (2, 3, 2, 2))
record("LazyInstanceNorm3d", lambda: nn.LazyInstanceNorm3d(affine=False), (2, 2, 1, 2, 2))
record("Sequential", lambda: nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d(), nn.ReLU(), nn.LazyLinear(2)), (3, 5))
write("lazy.json", entries)
