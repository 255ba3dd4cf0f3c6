#!/usr/bin/env python3
"""Writes iou.json: intersection over union and Dice as torchmetrics computes them. Run in this folder with a Python
that has torchmetrics: PYTHONPATH=.. python3 iou.py"""
import torch
from torchmetrics.functional.classification import binary_f1_score, binary_jaccard_index, multiclass_f1_score
from torchmetrics.functional.classification import multiclass_jaccard_index

from lines import entry, number, write

torch.manual_seed(5)
AVERAGES = {"none": "none", "micro": "micro", "macro": "macro", "weighted": "weighted"}


def values(result):
    return [number(value) for value in result.double().flatten().tolist()]


def segmentation(name, classes, prediction, target, ignore=None):
    """Maps of classes [N, H, W]. The counts of float64 tensors, because torchmetrics divides in float32."""
    result = {"name": name, "classes": classes, "ignore_index": ignore, "prediction": entry(prediction), "target": entry(target)}
    for key, theirs in AVERAGES.items():
        result[f"iou {key}"] = values(multiclass_jaccard_index(prediction, target, classes, average=theirs, ignore_index=ignore))
        if ignore is None:
            result[f"dice {key}"] = values(multiclass_f1_score(prediction, target, classes, average=theirs))
    if classes == 2:
        result["iou binary"] = values(binary_jaccard_index(prediction, target))
        result["dice binary"] = values(binary_f1_score(prediction, target))
    return result


def mixed(target, classes, share=0.7):
    return torch.where(torch.rand(target.shape) < share, target, torch.randint(classes, target.shape))


target = torch.randint(4, (3, 4, 5))
rare = torch.randint(3, (3, 4, 4))
two = torch.randint(2, (4, 3, 3))
write("iou.json", {"segmentation": [
    segmentation("4 classes", 4, mixed(target, 4), target),
    segmentation("absent classes", 6, mixed(rare, 4), rare),
    segmentation("2 classes", 2, mixed(two, 2), two),
    segmentation("ignored background", 4, mixed(target, 4), target, 0),
    segmentation("ignored border", 4, mixed(target, 4), torch.where(torch.rand(target.shape) < 0.2, 255, target), 255),
]})
