#!/usr/bin/env python3
"""Writes optim.json, the steps of PyTorch's optimizers. Run in this folder: PYTHONPATH=.. python3 optim.py"""
import numpy as np
import torch

from lines import numbers, write

torch.set_num_threads(1)
torch.manual_seed(7)
# PyTorch's own square roots come from a vector library and are off by one ulp at times.
torch.Tensor.sqrt = lambda self: torch.from_numpy(np.sqrt(self.numpy()))
torch.Tensor.sqrt_ = lambda self: self.copy_(self.sqrt())

# Few digits, so that both dtypes start from the same text. Large gradients come first, so that a
# maximum is larger than the averages that follow.
start = (torch.randn(21, dtype=torch.float64) * 1000).round() / 1000
gradients = (torch.randn(8, 21, dtype=torch.float64) * 1000).round() / 1000
gradients[:3] *= 4
gradients[:, 5] = 0
SAVED_STEPS = (1, 2, 8)

S, A, W, R = torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop
RUNS = [
    (S, dict(lr=0.1)),
    (S, dict(lr=0.1, weight_decay=0.02)),
    (S, dict(lr=0.1, maximize=True)),
    (S, dict(lr=0.1, momentum=0.9)),
    (S, dict(lr=0.1, momentum=0.9, maximize=True)),
    (S, dict(lr=0.05, momentum=0.8, dampening=0.3, weight_decay=0.01)),
    (S, dict(lr=0.05, momentum=0.8, nesterov=True)),
    (S, dict(lr=0.05, momentum=0.8, nesterov=True, weight_decay=0.03, maximize=True)),
    (A, dict(lr=0.01)),
    (A, dict(lr=0.01, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.1)),
    (A, dict(lr=0.01, betas=(0.8, 0.99), eps=1e-3, weight_decay=0.1)),
    (A, dict(lr=0.02, amsgrad=True)),
    (A, dict(lr=0.02, amsgrad=True, betas=(0.9, 0.7))),
    (A, dict(lr=0.01, maximize=True)),
    (A, dict(lr=0.01, betas=(0.3, 0.9))),
    (A, dict(lr=0.01, betas=(0.0, 0.0), eps=1e-4)),
    (A, dict(lr=0.02, betas=(0.5, 0.6), eps=1e-2, weight_decay=0.2, amsgrad=True, maximize=True)),
    (W, dict(lr=0.01)),
    (W, dict(lr=0.01, weight_decay=0.1)),
    (W, dict(lr=0.01, weight_decay=0)),
    (W, dict(lr=0.1, betas=(0.8, 0.7), eps=1e-3, weight_decay=0.3, amsgrad=True)),
    (W, dict(lr=0.1, betas=(0.2, 0.7), weight_decay=0.3, amsgrad=True, maximize=True)),
    (R, dict(lr=0.01)),
    (R, dict(lr=0.01, alpha=0.8, eps=1e-3, weight_decay=0.1)),
    (R, dict(lr=0.01, alpha=0.9, maximize=True)),
    (R, dict(lr=0.01, alpha=0.9, momentum=0.8)),
    (R, dict(lr=0.01, alpha=0.9, centered=True)),
    (R, dict(lr=0.01, alpha=0.3, eps=1e-3, centered=True)),
    (R, dict(lr=0.01, alpha=0.7, eps=1e-2, weight_decay=0.2, momentum=0.6, centered=True, maximize=True)),
]


def run(kind, options, dtype):
    parameter = start.to(dtype, copy=True).requires_grad_()
    optimizer = kind([parameter], **options)
    steps = {}
    for number, gradient in enumerate(gradients.to(dtype), 1):
        parameter.grad = gradient.clone()
        optimizer.step()
        if number in SAVED_STEPS:
            steps[number] = numbers(parameter)
    saved = optimizer.state_dict()
    state = {name: numbers(value) for name, value in saved["state"].get(0, {}).items() if value is not None}
    group = {name: value for name, value in saved["param_groups"][0].items() if name != "params"}
    return {"optimizer": kind.__name__, "dtype": str(dtype)[6:], "options": group, "steps": steps, "state": state}


write("optim.json", {
    "start": numbers(start),
    "gradients": [numbers(gradient) for gradient in gradients],
    "runs": [run(kind, options, dtype) for kind, options in RUNS for dtype in (torch.float32, torch.float64)],
})
