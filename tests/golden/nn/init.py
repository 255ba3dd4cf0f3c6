#!/usr/bin/env python3
"""Writes init.json, what the functions of torch.nn.init draw for seed 3. Run in this folder:
PYTHONPATH=.. python3 init.py"""
import torch
from torch.nn import init

from lines import entry, write

torch.set_num_threads(1)
F64 = torch.float64
empty = torch.empty
CALLS = {
    "trunc_normal": lambda: init.trunc_normal_(empty(6, 7)),
    "trunc_normal, bounds": lambda: init.trunc_normal_(empty(6, 7), 1.0, 2.0, 0.5, 4.0),
    "trunc_normal, tail": lambda: init.trunc_normal_(empty(6, 7), 0.0, 1.0, 1.5, 4.0),
    "trunc_normal, outside": lambda: init.trunc_normal_(empty(20), 3.0, 0.5, -1.0, 2.0),
    "trunc_normal, double": lambda: init.trunc_normal_(empty(6, 7, dtype=F64), 0.0, 0.02, -0.02, 0.02),
    "trunc_normal, half": lambda: init.trunc_normal_(empty(20, dtype=torch.float16), 0.0, 1.0, -0.7, 0.7),
    "trunc_normal, strided": lambda: init.trunc_normal_(empty(5, 4).t()),
    "orthogonal, wide": lambda: init.orthogonal_(empty(3, 5)),
    "orthogonal, high": lambda: init.orthogonal_(empty(5, 3), 2.0),
    "orthogonal, 4d": lambda: init.orthogonal_(empty(4, 3, 2, 2), 0.5),
    "orthogonal, double": lambda: init.orthogonal_(empty(4, 4, dtype=F64)),
    "orthogonal, strided": lambda: init.orthogonal_(empty(4, 3).t()),
    "sparse": lambda: init.sparse_(empty(7, 3), 0.3),
    "sparse, all": lambda: init.sparse_(empty(3, 2), 1.5, 0.5),
    "eye": lambda: init.eye_(empty(3, 5)),
    "dirac, 3d": lambda: init.dirac_(empty(4, 2, 3), 2),
    "dirac, 4d": lambda: init.dirac_(empty(2, 3, 3, 4)),
    "dirac, 5d": lambda: init.dirac_(empty(6, 2, 2, 3, 1), 3),
    "xavier_uniform": lambda: init.xavier_uniform_(empty(4, 6), 0.5),
    "xavier_normal": lambda: init.xavier_normal_(empty(4, 6), 2.0),
}
for shape in ((4, 3, 2), (2, 3, 2, 2), (2, 2, 1, 2, 2)):
    for kind in ("uniform", "normal"):
        xavier, kaiming = getattr(init, f"xavier_{kind}_"), getattr(init, f"kaiming_{kind}_")
        CALLS[f"xavier_{kind} {len(shape)}d"] = lambda f=xavier, s=shape: f(empty(s, dtype=F64), 1.5)
        for mode in ("fan_in", "fan_out"):
            CALLS[f"kaiming_{kind} {len(shape)}d {mode}"] = lambda f=kaiming, s=shape, m=mode: f(empty(s), 0.3, m)
            CALLS[f"kaiming_{kind} {len(shape)}d {mode} tanh"] = lambda f=kaiming, s=shape, m=mode: f(
                empty(s, dtype=F64), 0, m, "tanh")
tensors = {}
for name, call in CALLS.items():
    torch.manual_seed(3)
    tensors[name] = call()
write("init.json", {name: entry(tensor) for name, tensor in tensors.items()})
