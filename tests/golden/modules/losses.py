#!/usr/bin/env python3
"""Writes losses.json, what PyTorch's losses compute. Run in this folder: PYTHONPATH=.. python3 losses.py"""
import warnings

import torch
from torch import nn

from lines import entry, write

warnings.simplefilter("ignore")  # kl_div's mean
torch.set_num_threads(1)
torch.manual_seed(8)
f64 = {"dtype": torch.float64}
classes = torch.tensor([1, 0, 3])
INPUTS = {
    "x": torch.randn(3, 4, **f64), "y": torch.randn(3, 4, **f64), "z": torch.randn(3, 4, **f64),
    "log p": torch.randn(3, 4, **f64).log_softmax(1), "q": torch.rand(3, 4, **f64).softmax(1),
    "variances": torch.rand(3, 4, **f64) + 0.1, "variance": torch.rand(3, 1, **f64) + 0.1,
    "counts": torch.tensor([[0, 1, 2, 5], [3, 0, 1, 2], [4, 7, 2, 1]], **f64),
    "signs": torch.tensor([[1, -1, 1, 1], [-1, -1, 1, -1], [1, 1, -1, -1]]), "row signs": torch.tensor([1, -1, -1]),
    "classes": classes, "labels": torch.tensor([[1, 2, -1, 0], [3, -1, 1, -1], [0, 1, 3, -1]]),
    "hot": torch.tensor([[0, 1, 1, 0], [0, 0, 0, 1], [1, 1, 0, 1]], **f64),
    "weight": torch.rand(4, **f64) + 0.5, "image": torch.randn(2, 4, 2, 2, **f64).log_softmax(1),
    "image classes": torch.tensor([[[0, 2], [1, 1]], [[2, 0], [-100, 1]]]),
    "logits": torch.randn(6, 3, 4, **f64), "padded": torch.tensor([[1, 2, 3], [2, 2, 0], [3, 0, 0]]),
    "joined": torch.tensor([1, 2, 3, 2, 2, 3]), "input lengths": torch.tensor([6, 5, 3]),
    "short lengths": torch.tensor([6, 5, 0]), "target lengths": torch.tensor([3, 2, 1]),
}
w = INPUTS["weight"]
distance = lambda a, b: (a - b).square().sum(1)
CASES = {
    "L1Loss": (nn.L1Loss, {}, "x", "y"),
    "SmoothL1Loss": (nn.SmoothL1Loss, {"beta": 0.5}, "x", "y"),
    "HuberLoss": (nn.HuberLoss, {"delta": 0.75}, "x", "y"),
    "NLLLoss": (nn.NLLLoss, {"weight": w, "ignore_index": 0}, "log p", "classes"),
    "NLLLoss of images": (nn.NLLLoss, {"weight": w}, "image", "image classes"),
    "PoissonNLLLoss": (nn.PoissonNLLLoss, {}, "x", "counts"),
    "PoissonNLLLoss of rates": (nn.PoissonNLLLoss, {"log_input": False, "full": True, "eps": 0.01}, "q", "variances"),
    "GaussianNLLLoss": (nn.GaussianNLLLoss, {}, "x", "y", "variances"),
    "GaussianNLLLoss full": (nn.GaussianNLLLoss, {"full": True, "eps": 0.5}, "x", "y", "variance"),
    "KLDivLoss": (nn.KLDivLoss, {}, "log p", "q"),
    "KLDivLoss of logarithms": (nn.KLDivLoss, {"log_target": True}, "log p", "x"),
    "HingeEmbeddingLoss": (nn.HingeEmbeddingLoss, {"margin": 0.5}, "x", "signs"),
    "SoftMarginLoss": (nn.SoftMarginLoss, {}, "x", "signs"),
    "MultiMarginLoss": (nn.MultiMarginLoss, {"p": 2, "margin": 0.5, "weight": w}, "x", "classes"),
    "MultiLabelMarginLoss": (nn.MultiLabelMarginLoss, {}, "x", "labels"),
    "MultiLabelSoftMarginLoss": (nn.MultiLabelSoftMarginLoss, {"weight": w}, "x", "hot"),
    "CosineEmbeddingLoss": (nn.CosineEmbeddingLoss, {"margin": -0.5}, "x", "y", "row signs"),
    "MarginRankingLoss": (nn.MarginRankingLoss, {"margin": 0.5}, "x", "y", "signs"),
    "TripletMarginLoss": (nn.TripletMarginLoss, {"margin": 2.0, "p": 3, "eps": 1e-4, "swap": True}, "x", "y", "z"),
    "TripletMarginWithDistanceLoss": (nn.TripletMarginWithDistanceLoss,
                                      {"distance_function": distance, "margin": 2.0, "swap": True}, "x", "y", "z"),
    "TripletMarginWithDistanceLoss by default": (nn.TripletMarginWithDistanceLoss, {}, "x", "y", "z"),
    "CTCLoss": (nn.CTCLoss, {}, "logits", "padded", "input lengths", "target lengths"),
    "CTCLoss joined": (nn.CTCLoss, {"zero_infinity": True}, "logits", "joined", "short lengths", "target lengths"),
}
tensors = dict(INPUTS)
for name, (kind, options, *inputs) in CASES.items():
    for reduction in ("none", "mean", "sum") + (("batchmean",) if kind is nn.KLDivLoss else ()):
        leaves = [INPUTS[i].clone() for i in inputs]
        for leaf, i in zip(leaves, inputs):
            leaf.requires_grad_(leaf.is_floating_point() and i not in ("hot", "counts"))
        ready = [a.log_softmax(2) if i == "logits" else a for a, i in zip(leaves, inputs)]
        out = kind(**options, reduction=reduction)(*ready)
        (out * torch.arange(1, out.numel() + 1).view(out.shape)).sum().backward()
        tensors[f"{name} {reduction}"] = out
        for leaf, i in zip(leaves, inputs):
            if leaf.grad is not None:
                tensors[f"{name} {reduction} {i}"] = leaf.grad
write("losses.json", {name: entry(tensor) for name, tensor in tensors.items()})
