#!/usr/bin/env python3
"""Writes optim_long.json: 1,000 steps of PyTorch's optimizers. Run in this folder:
PYTHONPATH=.. python3 optim_long.py"""
import torch

from lines import entry, number, numbers, write

torch.set_num_threads(1)
STEPS, RESUMED = 1000, 500
SAVED = (1, 7, RESUMED, STEPS)


class Lion(torch.optim.Optimizer):
    """PyTorch has no Lion. This is the algorithm of Chen et al., 2023, in PyTorch's operations."""

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, maximize=False):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay, maximize=maximize))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                grad = -p.grad if group["maximize"] else p.grad
                average = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                beta1, beta2 = group["betas"]
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(average.mul(beta1).add_(grad, alpha=1 - beta1).sign_(), alpha=-group["lr"])
                average.mul_(beta2).add_(grad, alpha=1 - beta2)


O = torch.optim
RUNS = [
    (O.Adagrad, dict()),
    (O.Adagrad, dict(lr=0.1, lr_decay=0.01, weight_decay=0.02, initial_accumulator_value=0.3, eps=1e-6, maximize=True)),
    (O.Adadelta, dict()),
    (O.Adadelta, dict(lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.05, maximize=True)),
    (O.Adamax, dict()),
    (O.Adamax, dict(lr=0.01, betas=(0.4, 0.95), eps=1e-3, weight_decay=0.1, maximize=True)),
    (O.NAdam, dict()),
    (O.NAdam, dict(lr=0.01, betas=(0.8, 0.98), eps=1e-4, weight_decay=0.1, momentum_decay=0.02, maximize=True)),
    (O.NAdam, dict(lr=0.01, weight_decay=0.1, decoupled_weight_decay=True)),
    (O.RAdam, dict()),
    (O.RAdam, dict(lr=0.01, betas=(0.8, 0.98), eps=1e-4, weight_decay=0.1, maximize=True)),
    (O.RAdam, dict(lr=0.01, weight_decay=0.1, decoupled_weight_decay=True)),
    (O.ASGD, dict()),
    (O.ASGD, dict(lr=0.05, lambd=1e-2, alpha=0.6, t0=20, weight_decay=0.03, maximize=True)),
    (O.Rprop, dict()),
    (O.Rprop, dict(lr=0.003, etas=(0.6, 1.1), step_sizes=(1e-4, 0.1), maximize=True)),
    (Lion, dict()),
    (Lion, dict(lr=0.01, betas=(0.7, 0.9), weight_decay=0.1, maximize=True)),
    (O.Adafactor, dict()),
    (O.Adafactor, dict(lr=0.1, beta2_decay=-0.5, eps=(1e-4, 1e-2), d=1.5, weight_decay=0.1, maximize=True)),
]


def start(shape):
    """Numbers that both languages compute to the bit."""
    count = torch.Size(shape).numel()
    return torch.tensor([(i * 577 % 101 - 50) / 64 for i in range(count)], dtype=torch.float64).reshape(shape)


def gradient(shape, t):
    count = torch.Size(shape).numel()
    values = [0 if i == 5 and t % 2 == 0 else (t * 7919 + i * 104729 + t * t * (31 * i + 7)) % 2001 - 1000 + 40 * i for i in range(count)]
    return (torch.tensor(values, dtype=torch.float64) / 1024).reshape(shape)


def run(kind, options, dtype, shape):
    parameter = start(shape).to(dtype).requires_grad_()
    optimizer = kind([parameter], **options)
    steps = {}
    for t in range(1, STEPS + 1):
        parameter.grad = gradient(shape, t).to(dtype)
        optimizer.step()
        if t in SAVED:
            steps[t] = numbers(parameter)
        if t == RESUMED:
            state = {k: entry(v) for k, v in optimizer.state_dict()["state"].get(0, {}).items() if v is not None}
    group = {k: v for k, v in optimizer.state_dict()["param_groups"][0].items() if k not in ("params", "foreach", "differentiable", "fused")}
    return {"optimizer": kind.__name__, "dtype": str(dtype)[6:], "shape": shape, "options": group, "steps": steps, "state": state}


def shapes(kind):
    return [[8], [3, 4], [2, 3, 2]] if kind is O.Adafactor else [[8]]


def run_lbfgs(options):
    """Rosenbrock's function of two parameters with two elements each, 10 calls of step()."""
    parameters = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in ([-1.2, 1.0], [0.5, -0.75])]
    optimizer = O.LBFGS(parameters, **options)
    sign = -1 if options.get("maximize") else 1

    def closure():
        optimizer.zero_grad()
        x = torch.cat(parameters)
        loss = sign * (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
        loss.backward()
        return loss

    steps, losses = [], []
    for t in range(1, 11):
        losses.append(number(optimizer.step(closure).item()))
        steps.append(numbers(torch.cat(parameters)))
        if t == 2:
            values = optimizer.state_dict()["state"][0]
            plain = lambda v: numbers(v) if torch.is_tensor(v) else [plain(e) for e in v] if isinstance(v, list) else v
            state = {k: plain(v) for k, v in values.items() if k != "al"}
    return {"options": options, "steps": steps, "losses": losses, "state": state}


LBFGS_RUNS = [
    dict(line_search_fn="strong_wolfe"),
    dict(line_search_fn="strong_wolfe", lr=0.5, max_iter=4, history_size=3, maximize=True),
    dict(line_search_fn="strong_wolfe", max_iter=6, max_eval=9, lr=2.0),
    dict(lr=1e-3, max_iter=5),
]


def run_muon(options, shape):
    parameter = start(shape).to(torch.float32).requires_grad_()
    optimizer = O.Muon([parameter], **options)
    steps = {}
    for t in range(1, STEPS + 1):
        parameter.grad = gradient(shape, t).to(torch.float32)
        optimizer.step()
        if t in SAVED:
            steps[t] = numbers(parameter)
    group = {k: v for k, v in optimizer.state_dict()["param_groups"][0].items() if k != "params"}
    return {"shape": shape, "options": group, "steps": steps, "buffer": numbers(optimizer.state[parameter]["momentum_buffer"])}


MUON_RUNS = [(dict(), [3, 4]), (dict(lr=0.01, weight_decay=0.01, momentum=0.8, nesterov=False, ns_steps=3, adjust_lr_fn="match_rms_adamw"), [4, 3]),
             (dict(lr=0.01, ns_coefficients=(2.0, -1.5, 0.5), adjust_lr_fn="spectral_unclamped"), [2, 5])]

write("optim_long.json", {
    "runs": [run(kind, options, dtype, shape) for kind, options in RUNS for shape in shapes(kind)
             for dtype in (torch.float32, torch.float64)],
    "lbfgs": [run_lbfgs(options) for options in LBFGS_RUNS],
    "muon": [run_muon(options, shape) for options, shape in MUON_RUNS],
})
