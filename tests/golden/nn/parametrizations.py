#!/usr/bin/env python3
"""Writes parametrizations.json, what PyTorch's normalised weights compute. Run in this folder:
PYTHONPATH=.. python3 parametrizations.py"""
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

from lines import entry, write

torch.set_num_threads(1)
entries = {}


def record(name, make, apply, shape, calls=1):
    """Runs a layer with a parametrized weight: its state, `calls` calls in training, the gradients of
    the last, a call in evaluation, and the weight that stays when the parametrization is removed."""
    torch.manual_seed(3)
    layer = apply(make())
    x = torch.randn(shape, dtype=next(layer.parameters()).dtype, requires_grad=True)
    entries[name + " keys"] = list(layer.state_dict())
    entries[name + " parameters"] = [key for key, _ in layer.named_parameters()]
    for key, value in layer.state_dict().items():
        entries[f"{name} {key}"] = entry(value.clone())
    for _ in range(calls):
        out = layer(x)
    (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
    entries[name + " input"] = entry(x)
    entries[name] = entry(out)
    entries[name + " gradient"] = entry(x.grad)
    for key, parameter in layer.named_parameters():
        entries[f"{name} {key} gradient"] = entry(parameter.grad)
    layer.eval()
    entries[name + " eval"] = entry(layer(x))
    parametrize.remove_parametrizations(layer, "weight")
    entries[name + " removed keys"] = list(layer.state_dict())
    entries[name + " removed"] = entry(layer.weight)


weight_norm, spectral_norm = parametrizations.weight_norm, parametrizations.spectral_norm
record("weight_norm", lambda: nn.Linear(5, 3), weight_norm, (2, 5))
record("weight_norm whole", lambda: nn.Linear(5, 3), lambda m: weight_norm(m, dim=None), (2, 5))
record("weight_norm double", lambda: nn.Linear(5, 3, bias=False, dtype=torch.float64),
       lambda m: weight_norm(m, "weight", 1), (2, 5))
record("spectral_norm", lambda: nn.Linear(5, 3), spectral_norm, (2, 5), calls=2)
record("spectral_norm long", lambda: nn.Linear(5, 3, dtype=torch.float64),
       lambda m: spectral_norm(m, n_power_iterations=3, eps=1e-6, dim=1), (2, 5))
record("spectral_norm vector", lambda: nn.LayerNorm(4), spectral_norm, (2, 4))
record("both", lambda: nn.Linear(5, 3), lambda m: spectral_norm(weight_norm(m)), (2, 5))
write("parametrizations.json", entries)
