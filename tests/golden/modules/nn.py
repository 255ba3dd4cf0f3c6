#!/usr/bin/env python3
"""Writes nn.json, what PyTorch computes for the tests of nn. Run in this folder: PYTHONPATH=.. python3 nn.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
tensors = {}

# --- Initialisation: seed 3, one module or function each --------------------------------------------


def seeded(make):
    torch.manual_seed(3)
    return make()


linear = seeded(lambda: nn.Linear(5, 3))
tensors["linear_weight"] = linear.weight
tensors["linear_bias"] = linear.bias
linear = seeded(lambda: nn.Linear(5, 3, dtype=torch.float64))
tensors["linear_weight_double"] = linear.weight
tensors["linear_bias_double"] = linear.bias

# --- Modules: inputs and what comes out ---------------------------------------------------------------

torch.manual_seed(4)
x = torch.randn(6, 3)
x3 = torch.randn(4, 3, 5)
tensors["batch"] = x
tensors["batch_3d"] = x3

norm = nn.BatchNorm1d(3)
with torch.no_grad():
    norm.weight.copy_(torch.tensor([0.5, 1.0, -2.0]))
    norm.bias.copy_(torch.tensor([0.0, 0.25, 1.0]))
tensors["norm_train"] = norm(x)
tensors["norm_train_3d"] = norm(x3)
tensors["norm_running_mean"] = norm.running_mean
tensors["norm_running_var"] = norm.running_var
norm.eval()
tensors["norm_eval"] = norm(x)
average = nn.BatchNorm1d(3, momentum=None)
average(x), average(x3)
tensors["norm_average_mean"] = average.running_mean
tensors["norm_average_var"] = average.running_var

layer_norm = nn.LayerNorm(3)
with torch.no_grad():
    layer_norm.weight.copy_(norm.weight)
    layer_norm.bias.copy_(norm.bias)
tensors["layer_norm"] = layer_norm(x)
tensors["layer_norm_wide"] = nn.LayerNorm((3, 5), eps=0.1, bias=False)(x3)

torch.manual_seed(6)
p, t = torch.rand(3, 4), torch.rand(3, 4)
w = torch.rand(4)
logits, classes = torch.randn(5, 4), torch.tensor([1, 0, 3, -100, 2])
tensors["probabilities"] = p
tensors["targets"] = t
tensors["weights"] = w
tensors["logits"] = logits
tensors["mse"] = nn.MSELoss()(p, t)
tensors["mse_sum"] = nn.MSELoss(reduction="sum")(p, t)
tensors["bce"] = nn.BCELoss()(p, t)
tensors["bce_weighted"] = nn.BCELoss(weight=w)(p, t)
tensors["bce_logits"] = nn.BCEWithLogitsLoss()(p, t)
tensors["bce_logits_pos"] = nn.BCEWithLogitsLoss(pos_weight=w)(p, t)
tensors["cross_entropy"] = nn.CrossEntropyLoss()(logits, classes)
tensors["cross_entropy_weighted"] = nn.CrossEntropyLoss(weight=w, label_smoothing=0.1)(logits, classes)

# --- Clipping: two parameters with a gradient each; the norm and the first gradient ----------------------

torch.manual_seed(7)
torch.randn(37)
gradients = torch.randn(10, 37)[:2]
tensors["clip_gradients"] = gradients
for name, kind in {"two": 2.0, "one": 1.0, "inf": float("inf")}.items():
    parameters = [torch.zeros(37, requires_grad=True) for _ in gradients]
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient.clone()
    tensors[f"clip_{name}_norm"] = nn.utils.clip_grad_norm_(parameters, 1.5, kind)
    tensors[f"clip_{name}"] = parameters[0].grad

write("nn.json", {name: entry(tensor) for name, tensor in tensors.items()})
