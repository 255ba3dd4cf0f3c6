#!/usr/bin/env python3
"""Writes activations.json, what PyTorch's activation layers compute. Run in this folder:
PYTHONPATH=.. python3 activations.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
torch.manual_seed(7)
x = torch.randn(2, 4, 3, dtype=torch.float64) * 4
LAYERS = {
    "ReLU": nn.ReLU(), "ReLU6": nn.ReLU6(), "LeakyReLU": nn.LeakyReLU(0.2), "ELU": nn.ELU(1.5), "SELU": nn.SELU(),
    "CELU": nn.CELU(0.5), "GELU": nn.GELU(), "GELU tanh": nn.GELU("tanh"), "SiLU": nn.SiLU(), "Mish": nn.Mish(),
    "Sigmoid": nn.Sigmoid(), "LogSigmoid": nn.LogSigmoid(), "Hardsigmoid": nn.Hardsigmoid(),
    "Hardswish": nn.Hardswish(), "Tanh": nn.Tanh(), "Tanhshrink": nn.Tanhshrink(), "Hardtanh": nn.Hardtanh(-2, 3),
    "Hardshrink": nn.Hardshrink(1.5), "Softshrink": nn.Softshrink(1.5), "Softplus": nn.Softplus(2, 3),
    "Softsign": nn.Softsign(), "Threshold": nn.Threshold(0.5, -7), "GLU": nn.GLU(1), "Softmax": nn.Softmax(1),
    "Softmin": nn.Softmin(-1), "LogSoftmax": nn.LogSoftmax(0), "Softmax2d": nn.Softmax2d(), "RReLU": nn.RReLU(0.1, 0.5),
    "PReLU": nn.PReLU(4, dtype=torch.float64),
}
tensors = {"input": x}
for name, layer in LAYERS.items():
    leaf = x.clone().requires_grad_()
    torch.manual_seed(11)  # RReLU draws
    out = layer(leaf)
    (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
    tensors[name] = out
    tensors[name + " gradient"] = leaf.grad
write("activations.json", {name: entry(tensor) for name, tensor in tensors.items()})
