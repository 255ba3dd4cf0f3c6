#!/usr/bin/env python3
"""Writes grad_scaler.json: 50 steps with PyTorch's GradScaler on the CPU, some with an infinite or
NaN gradient. Run in this folder: PYTHONPATH=.. python3 grad_scaler.py

Each run has the factors of the scaler, the gradients' factor c of each step, and after each step
the scale, the number of finite steps since it changed, and the parameter. The loss is
sum(w * w) / 2 + sum(w) * c."""
import torch

from lines import write

STEPS = 50
BROKEN = {0: float("inf"), 1: float("inf"), 9: float("nan"), 23: float("-inf"), 24: float("nan"),
          40: float("inf")}


def run(growth, backoff, interval, scale):
    scaler = torch.amp.GradScaler("cpu", init_scale=scale, growth_factor=growth,
                                  backoff_factor=backoff, growth_interval=interval)
    w = torch.tensor([1.0, -0.5, 0.25], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.5)
    steps = []
    for i in range(STEPS):
        c = BROKEN.get(i, (i % 7 - 3) / 8)
        optimizer.zero_grad()
        scaler.scale((w * w).sum() / 2 + w.sum() * c).backward()
        scaler.step(optimizer)
        scaler.update()
        state = scaler.state_dict()
        steps.append([str(c) if i in BROKEN else c, state["scale"], state["_growth_tracker"],
                      *w.detach().double().tolist()])
    return [[growth, backoff, interval, scale], *steps]


write("grad_scaler.json", {"doubled": run(2.0, 0.5, 4, 65536.0), "odd": run(1.7, 0.3, 3, 1000.0),
                           "overflow": run(1e30, 0.5, 5, 1e20)})
