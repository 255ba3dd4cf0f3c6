#!/usr/bin/env python3
"""Writes histograms.json: the messages of torch.utils.tensorboard's make_histogram. Run in this folder with a Python that
has torch and tensorboard: PYTHONPATH=.. python3 histograms.py"""
import torch
from torch.utils.tensorboard.summary import make_histogram

from lines import entry, write

torch.manual_seed(5)


def default_bins():
    """The bins that every SummaryWriter makes in its constructor."""
    limits, v = [], 1e-12
    while v < 1e20:
        limits.append(v)
        v *= 1.1
    return [-limit for limit in limits[::-1]] + [0] + limits


def case(name, values):
    message = make_histogram(values.double().flatten().numpy(), default_bins())
    return {"name": name, "values": entry(values), "min": message.min, "max": message.max, "num": message.num, "sum": message.sum,
            "sum_squares": message.sum_squares, "bins": len(message.bucket), "first": message.bucket_limit[0],
            "last": message.bucket_limit[-1], "counts": [[i, count] for i, count in enumerate(message.bucket) if count]}


write("histograms.json", {"histograms": [
    case("normal", torch.randn(40)),
    case("zeros", torch.zeros(3)),
    case("one", torch.tensor([0.7])),
    case("both signs", torch.tensor([-3.0, -1e-13, 0.0, 1e-13, 1e6])),
    case("on a limit", torch.tensor([1e-12, 1.1e-12, -1e-12], dtype=torch.float64)),
    case("integers", torch.arange(-5, 20)),
    case("a matrix", torch.rand(4, 5)),
]})
