#!/usr/bin/env python3
"""Writes old_states.json: states in the forms that PyTorch 1.0 to 2.15 wrote, and what this PyTorch
makes of them. Run in this folder: PYTHONPATH=.. python3 old_states.py

A form is a version and the keys that came with it. The keys are those of the sources of the
releases; what this PyTorch does not write any more is left out, because nothing reads it. Options
that came later get the values that __setstate__() gives them. The few forms that this PyTorch itself
cannot read (Adagrad without eps, CyclicLR without _scale_fn_custom, MultiStepLR with a list) get the
missing values first, see repaired()."""
import copy
import warnings

import torch
from torch import optim
from torch.optim.lr_scheduler import *
from torch.optim.swa_utils import SWALR

from lines import entry, number, write

warnings.simplefilter("ignore")
torch.set_num_threads(1)
torch.manual_seed(3)
START = (torch.randn(2, 2) * 100).round() / 100
GRADIENTS = (torch.randn(6, 2, 2) * 100).round() / 100
TRAINED, RESUMED = 3, 3

ADAM, FOREACH = ["lr", "betas", "eps", "weight_decay"], ["foreach"]
MAXIMIZE, DIFFERENTIABLE, CAPTURABLE, FUSED = ["maximize"], ["differentiable"], ["capturable"], ["fused"]
DECOUPLED = ["decoupled_weight_decay"]
# class: options of the training, options of the optimizer that loads, [version, new keys] of the groups
OPTIMIZERS = {
    "Adadelta": (dict(lr=0.5), dict(maximize=True),
                 [("1.0", ["lr", "rho", "eps", "weight_decay"]), ("1.12", FOREACH), ("1.13", MAXIMIZE),
                  ("2.0", DIFFERENTIABLE), ("2.3", CAPTURABLE)]),
    "Adafactor": (dict(lr=0.1), dict(maximize=True),
                  [("2.5", ["lr", "beta2_decay", "eps", "d", "weight_decay", "foreach", "maximize"])]),
    "Adagrad": (dict(lr=0.1, lr_decay=0.1), dict(maximize=True, eps=0.5),
                [("1.0", ["lr", "lr_decay", "weight_decay", "initial_accumulator_value"]), ("1.4", ["eps"]),
                 ("1.12", FOREACH), ("1.13", MAXIMIZE), ("2.0", DIFFERENTIABLE), ("2.4", FUSED)]),
    "Adam": (dict(lr=0.1), dict(amsgrad=True, maximize=True),
             [("0.4", ADAM), ("1.0", ["amsgrad"]), ("1.11", MAXIMIZE), ("1.12", FOREACH + CAPTURABLE),
              ("1.13", DIFFERENTIABLE + FUSED), ("2.6", DECOUPLED)]),
    "AdamW": (dict(lr=0.1), dict(amsgrad=True, maximize=True),
              [("1.2", ADAM + ["amsgrad"]), ("1.11", MAXIMIZE), ("1.12", FOREACH + CAPTURABLE),
               ("2.0", DIFFERENTIABLE + FUSED), ("2.6", DECOUPLED)]),
    "Adamax": (dict(lr=0.1), dict(maximize=True),
               [("1.0", ADAM), ("1.12", FOREACH), ("1.13", MAXIMIZE), ("2.0", DIFFERENTIABLE), ("2.2", CAPTURABLE)]),
    "ASGD": (dict(lr=0.1, t0=1), dict(maximize=True),
             [("1.0", ["lr", "lambd", "alpha", "t0", "weight_decay"]), ("1.12", FOREACH), ("1.13", MAXIMIZE),
              ("2.0", DIFFERENTIABLE), ("2.2", CAPTURABLE)]),
    "LBFGS": (dict(lr=0.1, max_iter=2), dict(maximize=True),
              [("1.0", ["lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size",
                        "line_search_fn"]), ("2.13", MAXIMIZE)]),
    "Muon": (dict(lr=0.1), dict(),
             [("2.9", ["lr", "weight_decay", "momentum", "nesterov", "ns_coefficients", "eps", "ns_steps",
                       "adjust_lr_fn"])]),
    "NAdam": (dict(lr=0.1), dict(decoupled_weight_decay=True, maximize=True),
              [("1.10", ADAM + ["momentum_decay"]), ("1.12", FOREACH), ("2.1", DECOUPLED + DIFFERENTIABLE),
               ("2.2", CAPTURABLE), ("2.3", MAXIMIZE)]),
    "RAdam": (dict(lr=0.1), dict(decoupled_weight_decay=True, maximize=True),
              [("1.10", ADAM), ("1.12", FOREACH), ("2.1", DECOUPLED + DIFFERENTIABLE), ("2.3", MAXIMIZE + CAPTURABLE)]),
    "RMSprop": (dict(lr=0.1), dict(momentum=0.5, centered=True, maximize=True),
                [("0.1", ["lr", "alpha", "eps", "weight_decay"]), ("1.0", ["momentum", "centered"]), ("1.12", FOREACH),
                 ("1.13", MAXIMIZE), ("2.0", DIFFERENTIABLE), ("2.3", CAPTURABLE)]),
    "Rprop": (dict(lr=0.1), dict(maximize=True),
              [("1.0", ["lr", "etas", "step_sizes"]), ("1.12", FOREACH), ("1.13", MAXIMIZE), ("2.0", DIFFERENTIABLE),
               ("2.3", CAPTURABLE)]),
    "SGD": (dict(lr=0.1, momentum=0.9), dict(momentum=0.5, nesterov=True, maximize=True),
            [("0.1", ["lr", "momentum", "dampening", "weight_decay"]), ("1.0", ["nesterov"]), ("1.10", MAXIMIZE),
             ("1.12", FOREACH), ("2.0", DIFFERENTIABLE), ("2.3", FUSED)]),
}
LAST = ("2.15", [])

STEP_COUNT, LAST_LR = ["_step_count"], ["_last_lr", "_get_lr_called_within_step"]
SINCE_1_0 = [("1.0", ["base_lrs", "last_epoch"]), ("1.1", STEP_COUNT), ("1.4", LAST_LR)]
SINCE_1_1 = [("1.1", ["base_lrs", "last_epoch"] + STEP_COUNT), ("1.4", LAST_LR)]
SINCE_1_4 = [("1.4", ["base_lrs", "last_epoch"] + STEP_COUNT + LAST_LR)]
CYCLE = ["max_lrs", "total_size", "step_ratio", "mode", "gamma", "scale_mode", "cycle_momentum", "base_momentums",
         "max_momentums"]
LISTED = ["base_lrs", "last_epoch", "_schedulers", "_milestones"]


def plus(forms, keys):
    return [(forms[0][0], forms[0][1] + keys)] + forms[1:]


# class: maker, [version, new keys]
SCHEDULERS = {
    "LambdaLR": (lambda o: LambdaLR(o, lambda epoch: 0.5 ** epoch), plus(SINCE_1_0, ["lr_lambdas"])),
    "MultiplicativeLR": (lambda o: MultiplicativeLR(o, lambda epoch: 0.5), plus(SINCE_1_4, ["lr_lambdas"])),
    "StepLR": (lambda o: StepLR(o, 2, 0.5), plus(SINCE_1_0, ["step_size", "gamma"])),
    "MultiStepLR": (lambda o: MultiStepLR(o, [2, 4, 4], 0.5), plus(SINCE_1_0, ["milestones", "gamma"])),
    "ConstantLR": (lambda o: ConstantLR(o, 0.5, 5), plus(SINCE_1_4, ["factor", "total_iters"])),
    "LinearLR": (lambda o: LinearLR(o, 0.5, 1.0, 5), plus(SINCE_1_4, ["start_factor", "end_factor", "total_iters"])),
    "ExponentialLR": (lambda o: ExponentialLR(o, 0.9), plus(SINCE_1_0, ["gamma"])),
    "PolynomialLR": (lambda o: PolynomialLR(o, 6, 2.0), plus(SINCE_1_4, ["total_iters", "power"])),
    "CosineAnnealingLR": (lambda o: CosineAnnealingLR(o, 7), plus(SINCE_1_0, ["T_max", "eta_min"])),
    "CosineAnnealingWarmRestarts": (lambda o: CosineAnnealingWarmRestarts(o, 2, 2),
                                    plus(SINCE_1_1, ["T_0", "T_i", "T_mult", "eta_min", "T_cur"])),
    "CyclicLR": (lambda o: CyclicLR(o, 0.01, 0.1, 3),
                 plus(SINCE_1_1, CYCLE) + [("2.0", ["use_beta1", "_scale_fn_custom"])]),
    "OneCycleLR": (lambda o: OneCycleLR(o, 0.5, 10),
                   plus([("1.3", ["base_lrs", "last_epoch"] + STEP_COUNT), ("1.4", LAST_LR)],
                        ["total_steps", "cycle_momentum", "use_beta1"]) +
                   [("1.8", ["_schedule_phases"]), ("2.0", ["_anneal_func_type"])]),
    "SWALR": (lambda o: SWALR(o, 0.05, 4), plus(SINCE_1_4, ["anneal_epochs"]) + [("2.0", ["_anneal_strategy"])]),
    "SequentialLR": (lambda o: SequentialLR(o, [ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)], [2]),
                     [("1.10", LISTED), ("1.11", ["_last_lr"])]),
    "ChainedScheduler": (lambda o: ChainedScheduler([ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)]),
                         [("1.10", ["_schedulers"]), ("1.11", ["_last_lr"])]),
    "ReduceLROnPlateau": (lambda o: ReduceLROnPlateau(o, factor=0.5, patience=0),
                          [("1.0", ["factor", "min_lrs", "patience", "cooldown", "cooldown_counter", "mode", "threshold",
                                    "threshold_mode", "best", "num_bad_epochs", "mode_worse", "eps", "last_epoch"]),
                           ("1.4", ["_last_lr"]), ("2.6", ["default_min_lr"])]),
}


def version_of(text):
    return tuple(int(part) for part in text.split("."))


def forms_of(forms):
    """Every version with all keys until then."""
    keys = []
    for version, more in forms + ([LAST] if forms[-1][0] != LAST[0] else []):
        keys = keys + more
        yield version, keys


def as_json(value):
    if isinstance(value, torch.Tensor):
        return entry(value)
    if isinstance(value, dict):
        return {str(key): as_json(element) for key, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(element) for element in value]
    return number(value) if isinstance(value, float) else value


def as_tensors(value, names):
    """Learning rates as 0-d tensors."""
    def convert(element):
        return torch.tensor(float(element)) if isinstance(element, (int, float)) else [convert(each) for each in element]
    return {key: convert(element) if key in names else element for key, element in value.items()}


def take_steps(optimizer, parameter, gradients):
    for gradient in gradients:
        def closure():
            parameter.grad = gradient.clone()
            return (parameter.detach() * gradient).sum()
        closure()
        optimizer.step(closure)


def old_entries(kind, state, version):
    """The numbers of a parameter's state before they became tensors."""
    state = dict(state)
    if kind != "LBFGS" and version_of(version) < (1, 12) and "step" in state:
        state["step"] = int(state["step"])
    if kind in ("ASGD", "NAdam") and version_of(version) < (1, 12):
        for name in ("eta", "mu", "mu_product"):
            if name in state:
                state[name] = float(state[name])
    return state


def repaired(state):
    state = copy.deepcopy(state)
    for group in state["param_groups"]:
        if "lr_decay" in group:
            group.setdefault("eps", 1e-10)
        if "line_search_fn" in group:
            group.setdefault("maximize", False)
    return state


def optimizer_run(kind, training, loading, version, keys, tensor_lr=False):
    parameter = START.clone().requires_grad_()
    optimizer = getattr(optim, kind)([parameter], **training)
    take_steps(optimizer, parameter, GRADIENTS[:TRAINED])
    state = optimizer.state_dict()
    state["state"] = {0: old_entries(kind, state["state"][0], version)} if state["state"] else {}
    group = {key: value for key, value in state["param_groups"][0].items() if key in keys + ["params"]}
    state["param_groups"] = [as_tensors(group, ["lr"]) if tensor_lr else group]
    start = parameter.detach().clone()
    saved = as_json(state)  # load_state_dict() keeps parts of it
    again = start.clone().requires_grad_()
    other = getattr(optim, kind)([again], **{**training, **loading})
    other.load_state_dict(repaired(state))
    take_steps(other, again, GRADIENTS[TRAINED:TRAINED + RESUMED])
    options = {key: value for key, value in other.param_groups[0].items()
               if key not in ("params", "foreach", "differentiable", "fused", "capturable")}
    return {"class": kind, "version": version, "state": saved, "start": entry(start), "options": as_json(options),
            "end": entry(again)}


def trimmed(state, keys):
    state = {key: value for key, value in state.items() if key in keys}
    if "_schedulers" in state:
        state["_schedulers"] = [trimmed(each, ["base_lrs", "last_epoch", "_step_count", "factor", "total_iters", "gamma"]
                                        + keys) for each in state["_schedulers"]]
    return state


def scheduler_run(kind, make, version, keys, tensor_lr=False):
    def sgd():
        return optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)

    def step(optimizer, scheduler):
        scheduler.step(*([1.0] if kind == "ReduceLROnPlateau" else []))
        group = optimizer.param_groups[0]
        return [float(group["lr"]), group["momentum"]]

    optimizer = sgd()
    scheduler = make(optimizer)
    for _ in range(TRAINED):
        step(optimizer, scheduler)
    state = trimmed(copy.deepcopy(scheduler.state_dict()), keys)
    group = dict(optimizer.state_dict()["param_groups"][0])
    if tensor_lr:
        state = as_tensors(state, ["base_lrs", "_last_lr", "max_lrs", "min_lrs"])
        group = as_tensors(group, ["lr", "initial_lr", "max_lr", "min_lr", "swa_lr"])
    saved = as_json(state)
    saved.pop("_get_lr_called_within_step", None)
    if kind == "MultiStepLR" and version == "1.0":
        saved["milestones"] = [2, 4, 4]
    if kind == "CyclicLR":
        state.setdefault("_scale_fn_custom", None)
    groups = as_json([group])
    other = sgd()
    again = make(other)
    other.load_state_dict({"state": {}, "param_groups": [group]})
    again.load_state_dict(state)
    return {"class": kind, "version": version, "state": saved, "groups": groups,
            "steps": [step(other, again) for _ in range(RESUMED)]}


def main():
    optimizers, schedulers = [], []
    for kind, (training, loading, forms) in OPTIMIZERS.items():
        for version, keys in forms_of(forms):
            optimizers.append(optimizer_run(kind, training, loading, version, keys))
        optimizers.append(optimizer_run(kind, {**training, **({"foreach": False} if "foreach" in keys else {})}, loading, "2.15", keys, tensor_lr=True))
    for kind, (make, forms) in SCHEDULERS.items():
        for version, keys in forms_of(forms):
            schedulers.append(scheduler_run(kind, make, version, keys))
        schedulers.append(scheduler_run(kind, make, "2.15", keys, tensor_lr=True))
    write("old_states.json", {"gradients": [entry(g) for g in GRADIENTS[TRAINED:TRAINED + RESUMED]],
                              "optimizers": optimizers, "schedulers": schedulers})


main()
