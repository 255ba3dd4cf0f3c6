#!/usr/bin/env python3
"""Writes metrics.json: metrics of random batches as scikit-learn and PyTorch compute them. Run in this folder with a
Python that has both: PYTHONPATH=.. python3 metrics.py"""
import numpy as np
import sklearn.metrics as sk
import torch

from lines import entry, number, write

torch.manual_seed(7)
AVERAGES = {"none": None, "micro": "micro", "macro": "macro", "weighted": "weighted"}


def values(result):
    return [number(float(value)) for value in np.atleast_1d(result)]


def scores_of(samples, classes, steps=None):
    """Random scores; with `steps`, on a coarse grid, so that many are equal."""
    scores = torch.randn(samples, classes)
    return scores if steps is None else (scores * steps).round() / steps


def accuracy(name, scores, target, k, ignore=None):
    best = scores.sort(dim=1, descending=True, stable=True).indices[:, :k]
    counted = target != ignore if ignore is not None else torch.ones_like(target, dtype=torch.bool)
    right = (best == target[:, None]).any(1)[counted].double().mean().item()
    if ignore is None and len(scores.unique()) == scores.numel():
        labels = list(range(scores.size(1)))
        assert abs(sk.top_k_accuracy_score(target, scores.double(), k=k, labels=labels) - right) < 1e-12
    return {"name": name, "scores": entry(scores), "target": entry(target), "top_k": k, "ignore_index": ignore, "value": right}


def confusion(name, classes, prediction, target):
    matrix = sk.confusion_matrix(target, prediction, labels=list(range(classes)))
    result = {"name": name, "classes": classes, "prediction": entry(prediction), "target": entry(target),
              "matrix": matrix.flatten().tolist(), "accuracy": sk.accuracy_score(target, prediction)}
    for by in ("true", "pred", "all"):
        result["normalized " + by] = values(sk.confusion_matrix(target, prediction, labels=list(range(classes)), normalize=by).flatten())
    scores = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}
    for key, score in scores.items():
        # Of all classes for None; without the absent ones otherwise, as scikit-learn does it unless told the labels.
        for average, theirs in AVERAGES.items():
            labels = {"labels": list(range(classes))} if theirs is None else {}
            result[f"{key} {average}"] = values(score(target, prediction, average=theirs, zero_division=0, **labels))
        if classes == 2:
            result[f"{key} binary"] = values(score(target, prediction, average="binary", zero_division=0))
    return result


def auroc(name, scores, target):
    entries = {"name": name, "scores": entry(scores), "target": entry(target)}
    if scores.dim() == 1:
        return {**entries, "binary": values(sk.roc_auc_score(target, scores.double()))}
    each = [sk.roc_auc_score(target == c, scores[:, c].double()) for c in range(scores.size(1))]
    support = [(target == c).sum().item() for c in range(scores.size(1))]
    return {**entries, "none": values(each), "macro": values(np.mean(each)), "weighted": values(np.average(each, weights=support))}


def perplexity(name, logits, target, ignore=None):
    loss = torch.nn.functional.cross_entropy(logits.double().flatten(0, -2), target.flatten(), ignore_index=-100 if ignore is None else ignore)
    return {"name": name, "logits": entry(logits), "target": entry(target), "ignore_index": ignore, "value": loss.exp().item()}


def mean(name, values_, weights):
    return {"name": name, "values": entry(values_), "weights": entry(weights),
            "value": float(np.average(values_.double(), weights=weights.double().expand_as(values_)))}


target = torch.randint(5, (40,))
absent = torch.randint(4, (30,))
binary = torch.randint(2, (50,))
write("metrics.json", {
    "accuracy": [accuracy(f"top {k}", scores_of(40, 5), target, k) for k in (1, 2, 3, 5)]
    + [accuracy(f"ties, top {k}", scores_of(40, 5, 1), target, k) for k in (1, 2, 4)]
    + [accuracy(f"ignored, top {k}", scores_of(40, 5), target, k, 2) for k in (1, 3)],
    "confusion": [
        confusion("5 classes", 5, torch.where(torch.rand(40) < 0.6, target, torch.randint(5, (40,))), target),
        confusion("absent classes", 6, torch.randint(3, (30,)) + 1, absent),
        confusion("2 classes", 2, torch.where(torch.rand(50) < 0.7, binary, 1 - binary), binary),
    ],
    "auroc": [
        auroc("2 classes", torch.sigmoid(torch.randn(50) + binary), binary),
        auroc("ties", (torch.randn(50) * 2 + binary).round(), binary),
        auroc("5 classes", scores_of(40, 5).softmax(1), target),
        auroc("5 classes, ties", scores_of(40, 5, 2), target),
    ],
    "perplexity": [
        perplexity("sequences", torch.randn(3, 4, 6), torch.randint(6, (3, 4))),
        perplexity("ignored", torch.randn(2, 5, 4) * 3, torch.randint(4, (2, 5)), 1),
    ],
    "mean": [
        mean("by rows", torch.randn(4, 3), torch.rand(4, 1)),
        mean("by element", torch.randn(2, 3) * 100, torch.rand(2, 3)),
    ],
})
