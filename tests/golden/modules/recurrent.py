#!/usr/bin/env python3
"""Writes recurrent.json, what PyTorch's recurrent layers draw and compute. Run in this folder:
PYTHONPATH=.. python3 recurrent.py"""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from lines import entry, numbers, write

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)

KINDS = {"RNN": (nn.RNN, {}), "RNN relu": (nn.RNN, {"nonlinearity": "relu"}), "LSTM": (nn.LSTM, {}), "GRU": (nn.GRU, {})}
OPTIONS = {
    "plain": {},
    "deep": {"num_layers": 2, "bidirectional": True},
    "without bias": {"bias": False},
    "batch first": {"batch_first": True, "bidirectional": True},
    "dropout": {"num_layers": 2, "dropout": 0.5},
    "packed": {"num_layers": 2, "bidirectional": True},
    "packed dropout": {"num_layers": 2, "dropout": 0.5},
    "projected": {"num_layers": 2, "bidirectional": True, "proj_size": 2},
    "projected packed": {"bidirectional": True, "proj_size": 2},
}


def weighted(tensor):
    """One number for all elements."""
    return (tensor * torch.arange(tensor.numel()).view(tensor.shape).cos()).sum()


def record(tensors, module, x, states):
    """The results, gradients of the inputs, and one number for the gradient of each parameter."""
    sum(weighted(tensor) for tensor in tensors.values()).backward()
    gradients = {"gradient of x": x.grad} | {f"gradient of {n}": s.grad for n, s in states.items()}
    return {name: entry(tensor) for name, tensor in (tensors | gradients).items()} | {
        "gradients": numbers(torch.stack([weighted(p.grad) for p in module.parameters()]))}


def randn(*sizes):
    return torch.randn(*sizes).requires_grad_()


def layer(make, options, is_packed):
    torch.manual_seed(5)
    module = make(3, 4, **options)
    x = randn(4, 3, 3)
    batch = x.size(0) if options.get("batch_first") else x.size(1)
    rows = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    states = {"h": randn(rows, batch, options.get("proj_size") or 4)}
    if make is nn.LSTM:
        states["c"] = randn(rows, batch, 4)
    given = tuple(states.values()) if make is nn.LSTM else states["h"]
    inputs = pack_padded_sequence(x, torch.tensor([2, 4, 1]), enforce_sorted=False) if is_packed else x
    out, last = module(inputs, given)
    last = last if make is nn.LSTM else (last,)
    out = out.data if is_packed else out
    return record({"out": out} | {f"last {n}": s for n, s in zip(states, last)}, module, x, states)


def cell(make, options):
    torch.manual_seed(6)
    module = make(3, 4, **options)
    x = randn(2, 3)
    states = {n: randn(2, 4) for n in ("h", "c")[: 2 if make is nn.LSTMCell else 1]}
    last = module(x, tuple(states.values()) if make is nn.LSTMCell else states["h"])
    last = last if make is nn.LSTMCell else (last,)
    return record({f"last {n}": s for n, s in zip(states, last)}, module, x, states)


entries = {}
for kind, (make, own) in KINDS.items():
    for name, options in OPTIONS.items():
        if "proj_size" not in options or make is nn.LSTM:
            entries[f"{kind}, {name}"] = layer(make, own | options, "packed" in name)
for kind, (make, own) in {"RNNCell": (nn.RNNCell, {}), "RNNCell relu": (nn.RNNCell, {"nonlinearity": "relu"}),
                          "LSTMCell": (nn.LSTMCell, {}), "GRUCell": (nn.GRUCell, {})}.items():
    entries[kind] = cell(make, own)
    entries[f"{kind}, without bias"] = cell(make, own | {"bias": False})

torch.set_default_dtype(torch.float32)
for make in (nn.LSTM, nn.GRU):
    torch.manual_seed(0)
    module = make(3, 4, num_layers=2, bidirectional=True)
    out, last = module(torch.randn(5, 2, 3))
    last = last if make is nn.LSTM else (last,)
    entries[f"{make.__name__} drawn"] = {"out": entry(out)} | {f"last {n}": entry(s) for n, s in zip("hc", last)}
write("recurrent.json", entries)
