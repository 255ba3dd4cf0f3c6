#!/usr/bin/env python3
"""Writes adaptive.json, what PyTorch's adaptive softmax computes. Run in this folder:
PYTHONPATH=.. python3 adaptive.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
f64 = {"dtype": torch.float64}
tensors = {}
torch.manual_seed(3)
adaptive = nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3, 7], div_value=2.0, head_bias=True)
for key, parameter in adaptive.named_parameters():
    tensors[key] = parameter.detach().clone()
adaptive = adaptive.double()
torch.manual_seed(16)
features = (torch.randn(5, 8, **f64) * 4).requires_grad_()
words = torch.tensor([0, 11, 4, 2, 5])
output, loss = adaptive(features, words)
loss.backward()
tensors |= {"features": features, "words": words, "output": output, "loss": loss,
            "gradient features": features.grad, "log_prob": adaptive.log_prob(features),
            "predict": adaptive.predict(features)}
for key, parameter in adaptive.named_parameters():
    tensors[f"gradient {key}"] = parameter.grad
write("adaptive.json", {name: entry(tensor) for name, tensor in tensors.items()})
