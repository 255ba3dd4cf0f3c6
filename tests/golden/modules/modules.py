#!/usr/bin/env python3
"""Writes modules.json, the states of PyTorch's new modules. Run in this folder: PYTHONPATH=.. python3 modules.py"""
import torch
from torch import nn

from lines import entry, write

torch.set_num_threads(1)
weight = torch.tensor([1.0, 2.0, 3.0])
MODULES = {
    "Linear": lambda: nn.Linear(4, 3),
    "Linear double": lambda: nn.Linear(4, 3, bias=False, dtype=torch.float64),
    "Bilinear": lambda: nn.Bilinear(2, 3, 2),
    "Embedding": lambda: nn.Embedding(5, 4),
    "Embedding padded": lambda: nn.Embedding(5, 4, padding_idx=1),
    "EmbeddingBag": lambda: nn.EmbeddingBag(5, 4),
    "EmbeddingBag padded": lambda: nn.EmbeddingBag(5, 4, padding_idx=2),
    "PReLU": lambda: nn.PReLU(3),
    "BatchNorm1d": lambda: nn.BatchNorm1d(3),
    "BatchNorm2d": lambda: nn.BatchNorm2d(3, affine=False),
    "BatchNorm3d": lambda: nn.BatchNorm3d(3, track_running_stats=False),
    "SyncBatchNorm": lambda: nn.SyncBatchNorm(3),
    "InstanceNorm1d": lambda: nn.InstanceNorm1d(3),
    "InstanceNorm2d": lambda: nn.InstanceNorm2d(3, affine=True),
    "InstanceNorm3d": lambda: nn.InstanceNorm3d(3, affine=True, track_running_stats=True),
    "LayerNorm": lambda: nn.LayerNorm((2, 3)),
    "RMSNorm": lambda: nn.RMSNorm(3),
    "GroupNorm": lambda: nn.GroupNorm(2, 4),
    "AdaptiveLogSoftmaxWithLoss": lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 12, [4, 8], div_value=2.0),
    "AdaptiveLogSoftmaxWithLoss head_bias": lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2], head_bias=True),
    "BCELoss": lambda: nn.BCELoss(weight=weight),
    "BCEWithLogitsLoss": lambda: nn.BCEWithLogitsLoss(weight=weight, pos_weight=weight),
    "NLLLoss": lambda: nn.NLLLoss(weight=weight),
    "CrossEntropyLoss": lambda: nn.CrossEntropyLoss(weight=weight),
    "MultiMarginLoss": lambda: nn.MultiMarginLoss(weight=weight),
    "MultiLabelSoftMarginLoss": lambda: nn.MultiLabelSoftMarginLoss(weight=weight),
    "MultiheadAttention": lambda: nn.MultiheadAttention(4, 2),
    "MultiheadAttention other sizes": lambda: nn.MultiheadAttention(4, 2, add_bias_kv=True, kdim=3, vdim=2),
    "MultiheadAttention double": lambda: nn.MultiheadAttention(4, 2, bias=False, dtype=torch.float64),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(4, 2, 3),
    "TransformerDecoderLayer": lambda: nn.TransformerDecoderLayer(4, 2, 3, bias=False),
    "TransformerEncoder": lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(2, 1, 3), 2, nn.LayerNorm(2)),
    "TransformerDecoder": lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(2, 1, 3), 2),
    "Transformer": lambda: nn.Transformer(2, 1, 1, 2, 3),
    "Sequential": lambda: nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.PReLU(), nn.Linear(4, 2)),
}
entries = {}
for name, make in MODULES.items():
    torch.manual_seed(5)
    module = make()
    entries[name + " keys"] = list(module.state_dict())
    entries[name + " parameters"] = [key for key, _ in module.named_parameters()]
    for key, value in module.state_dict().items():
        entries[f"{name} {key}"] = entry(value)
write("modules.json", entries)
