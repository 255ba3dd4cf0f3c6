#!/usr/bin/env python3
"""Writes schedulers.json, the learning rates of PyTorch's schedulers. Run in this folder:
PYTHONPATH=.. python3 schedulers.py"""
import warnings

import torch
from torch.optim.lr_scheduler import *
from torch.optim.swa_utils import SWALR

from lines import number, write

warnings.simplefilter("ignore")
STEPS = 500
SAVED = (0, 1, 2, 5, 20, 21, 30, 50, 100, 101, 150, 200, 299, 300, 333, 400, 499, 500)
RESUMED = 230  # the state after this step is saved


def sgd():
    parameters = [torch.ones(1, requires_grad=True) for _ in range(2)]
    return torch.optim.SGD([{"params": parameters[:1]}, {"params": parameters[1:], "lr": 0.02}], lr=0.1, momentum=0.9)


def adam():
    return torch.optim.Adam([torch.ones(1, requires_grad=True)], lr=0.1)


def warmup_cosine(o, warmup, total, eta_min=0.0):
    return SequentialLR(o, [LinearLR(o, 1 / warmup, 1.0, warmup - 1), CosineAnnealingLR(o, total - warmup, eta_min)], [warmup])


RUNS = {
    "LambdaLR": lambda o: LambdaLR(o, lambda epoch: 0.99 ** epoch),
    "LambdaLR of groups": lambda o: LambdaLR(o, [lambda epoch: 1 / (1 + epoch), lambda epoch: 1 + epoch / 8]),
    "MultiplicativeLR": lambda o: MultiplicativeLR(o, lambda epoch: 0.99 if epoch % 2 else 1.005),
    "StepLR": lambda o: StepLR(o, 30),
    "StepLR gamma": lambda o: StepLR(o, 7, 0.9),
    "MultiStepLR": lambda o: MultiStepLR(o, [20, 100, 100, 333], 0.3),
    "ConstantLR": lambda o: ConstantLR(o),
    "ConstantLR factor": lambda o: ConstantLR(o, 0.7, 50),
    "LinearLR": lambda o: LinearLR(o),
    "LinearLR factor": lambda o: LinearLR(o, 0.9, 0.1, 300),
    "ExponentialLR": lambda o: ExponentialLR(o, 0.97),
    "PolynomialLR": lambda o: PolynomialLR(o),
    "PolynomialLR power": lambda o: PolynomialLR(o, 400, 1.7),
    "CosineAnnealingLR": lambda o: CosineAnnealingLR(o, 50),
    "CosineAnnealingLR min": lambda o: CosineAnnealingLR(o, 300, 0.005),
    "CosineAnnealingWarmRestarts": lambda o: CosineAnnealingWarmRestarts(o, 30),
    "CosineAnnealingWarmRestarts mult": lambda o: CosineAnnealingWarmRestarts(o, 10, 2, 0.001),
    "CyclicLR": lambda o: CyclicLR(o, 0.01, 0.2, 40),
    "CyclicLR triangular2": lambda o: CyclicLR(o, [0.01, 0.02], [0.2, 0.3], 30, 20, "triangular2", base_momentum=[0.5, 0.6],
                                               max_momentum=[0.7, 0.95]),
    "CyclicLR exp_range": lambda o: CyclicLR(o, 0.01, 0.2, 20, mode="exp_range", gamma=0.99, cycle_momentum=False),
    "CyclicLR scale_fn": lambda o: CyclicLR(o, 0.01, 0.2, 20, scale_fn=lambda x: 1 / x),
    "OneCycleLR": lambda o: OneCycleLR(o, 0.5, 500),
    "OneCycleLR three_phase": lambda o: OneCycleLR(o, [0.5, 0.3], epochs=10, steps_per_epoch=50, pct_start=0.4, anneal_strategy="linear",
                                                   base_momentum=0.8, max_momentum=[0.9, 0.92], div_factor=10.0, final_div_factor=100.0,
                                                   three_phase=True),
    "SequentialLR": lambda o: SequentialLR(o, [ConstantLR(o, 0.1, 20), ExponentialLR(o, 0.99), StepLR(o, 50, 0.5)], [20, 300]),
    "SequentialLR closed": lambda o: SequentialLR(o, [LinearLR(o, 0.2, 0.9, 20), LinearLR(o, 0.3, 0.5, 40), PolynomialLR(o, 60, 2.0),
                                                      CosineAnnealingWarmRestarts(o, 20), MultiStepLR(o, [50, 70]), ConstantLR(o, 0.5, 9),
                                                      LambdaLR(o, lambda epoch: 0.9 ** epoch)], [50, 100, 200, 300, 400, 450]),
    "SequentialLR nested": lambda o: SequentialLR(o, [ChainedScheduler([ConstantLR(o, 0.1, 20), ExponentialLR(o, 0.99)]),
                                                      ExponentialLR(o, 0.98)], [150]),
    "ChainedScheduler": lambda o: ChainedScheduler([ConstantLR(o, 0.1, 20), ExponentialLR(o, 0.99), CosineAnnealingLR(o, 200)]),
    "SWALR": lambda o: SWALR(o, 0.05),
    "SWALR linear": lambda o: SWALR(o, [0.3, 0.001], 300, "linear"),
    "SWALR at once": lambda o: SWALR(o, 0.05, 0),
    "warmup_cosine": lambda o: warmup_cosine(o, 40, 400, 0.001),
}
ADAM_RUNS = ["OneCycleLR", "CyclicLR", "StepLR"]
PLATEAU_RUNS = {
    "min": lambda o: ReduceLROnPlateau(o),
    "max": lambda o: ReduceLROnPlateau(o, "max", 0.5, 5, 0.01, "abs", 3, [0.001, 0.002], 1e-4),
    "rel max": lambda o: ReduceLROnPlateau(o, "max", 0.7, 3, 0.1, cooldown=7, min_lr=1e-3),
    "abs": lambda o: ReduceLROnPlateau(o, patience=8, threshold=0.02, threshold_mode="abs", factor=0.3),
}


def metric(step):
    """Falls, with noise that both languages compute to the bit."""
    return 3.0 / (1 + step) + (step * 37 % 101) / 512


def plain(value):
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items() if k not in ("_is_initial", "_get_lr_called_within_step")}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return number(value) if isinstance(value, float) else value


def run(name, kind, scheduler_of, step):
    optimizer = kind()
    scheduler = scheduler_of(optimizer)
    entry = {"name": name, "optimizer": kind.__name__, "saved": {}, "sums": [0.0] * len(optimizer.param_groups)}
    for t in range(STEPS + 1):
        if t:
            optimizer.step()
            step(scheduler, t)
        lrs = [group["lr"] for group in optimizer.param_groups]
        entry["sums"] = [a + b for a, b in zip(entry["sums"], lrs)]
        if t in SAVED:
            momenta = [group["betas"][0] if "betas" in group else group["momentum"] for group in optimizer.param_groups]
            entry["saved"][t] = [lrs, momenta] if "Cycl" in name else [lrs]
        if t == RESUMED:
            entry["state"] = plain(scheduler.state_dict())
            entry["groups"] = [{k: plain(v) for k, v in g.items() if isinstance(v, (float, tuple))} for g in optimizer.param_groups]
        assert list(map(float, scheduler.get_last_lr())) == lrs
    return entry


step = lambda scheduler, t: scheduler.step()
write("schedulers.json", {
    "runs": [run(name, sgd, make, step) for name, make in RUNS.items()] + [run(name, adam, RUNS[name], step) for name in ADAM_RUNS],
    "plateau": [run(name, sgd, make, lambda s, t: s.step(metric(t) * (-1 if s.mode == "max" else 1)))
                for name, make in PLATEAU_RUNS.items()],
})
