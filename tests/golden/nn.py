#!/usr/bin/env python3
"""Writes nn.h, what PyTorch computes for the tests of nn: python3 nn.py | clang-format > nn.h"""
import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)


def array(name, tensor):
    """A tensor as a C++ array of literals that read back to the same bits."""
    kind, form = {
        torch.float32: ("float", "{:.9g}f"),
        torch.float64: ("double", "{:.17g}"),
        torch.int64: ("std::int64_t", "{}"),
    }[tensor.dtype]

    def literal(value):
        text = form.format(value)
        return text if tensor.dtype == torch.int64 or any(c in text for c in ".en") else text.replace("f", ".0f")

    print(f"constexpr {kind} {name}[] = {{{', '.join(literal(v) for v in tensor.detach().flatten().tolist())}}};")


print("#pragma once\n\n// Written by nn.py with PyTorch " + torch.__version__.split("+")[0] + ".\n")
print("#include <cstdint>\n\nnamespace golden {\n")

# --- Initialisation: seed 3, one module or function each --------------------------------------------


def seeded(make):
    torch.manual_seed(3)
    return make()


linear = seeded(lambda: nn.Linear(5, 3))
array("kLinearWeight", linear.weight)
array("kLinearBias", linear.bias)
linear = seeded(lambda: nn.Linear(5, 3, dtype=torch.float64))
array("kLinearWeight64", linear.weight)
array("kLinearBias64", linear.bias)
array("kXavierUniform", seeded(lambda: nn.init.xavier_uniform_(torch.empty(4, 6), 0.5)))
array("kXavierNormal", seeded(lambda: nn.init.xavier_normal_(torch.empty(4, 6), 2.0)))
array("kKaimingUniform", seeded(lambda: nn.init.kaiming_uniform_(torch.empty(4, 3, 2), nonlinearity="relu")))
array("kKaimingNormal", seeded(lambda: nn.init.kaiming_normal_(torch.empty(4, 6), 0.2, "fan_out")))
array("kSparse", seeded(lambda: nn.init.sparse_(torch.empty(7, 3), 0.3)))

# --- Modules: inputs and what comes out ---------------------------------------------------------------

torch.manual_seed(4)
x = torch.randn(6, 3)
x3 = torch.randn(4, 3, 5)
array("kBatch", x)
array("kBatch3d", x3)
array("kTanh", nn.Tanh()(x))
array("kSigmoid", nn.Sigmoid()(x))

norm = nn.BatchNorm1d(3)
with torch.no_grad():
    norm.weight.copy_(torch.tensor([0.5, 1.0, -2.0]))
    norm.bias.copy_(torch.tensor([0.0, 0.25, 1.0]))
array("kNormTrain", norm(x))
array("kNormTrain3d", norm(x3))
array("kNormRunningMean", norm.running_mean)
array("kNormRunningVar", norm.running_var)
norm.eval()
array("kNormEval", norm(x))
average = nn.BatchNorm1d(3, momentum=None)
average(x), average(x3)
array("kNormAverageMean", average.running_mean)
array("kNormAverageVar", average.running_var)

layer_norm = nn.LayerNorm(3)
with torch.no_grad():
    layer_norm.weight.copy_(norm.weight)
    layer_norm.bias.copy_(norm.bias)
array("kLayerNorm", layer_norm(x))
array("kLayerNormWide", nn.LayerNorm((3, 5), eps=0.1, bias=False)(x3))

torch.manual_seed(5)
array("kDropout", nn.Dropout(0.3)(torch.ones(20)))

torch.manual_seed(6)
p, t = torch.rand(3, 4), torch.rand(3, 4)
w = torch.rand(4)
logits, classes = torch.randn(5, 4), torch.tensor([1, 0, 3, -100, 2])
array("kProbabilities", p)
array("kTargets", t)
array("kWeights", w)
array("kLogits", logits)
losses = {
    "MSE": nn.MSELoss()(p, t),
    "MSESum": nn.MSELoss(reduction="sum")(p, t),
    "BCE": nn.BCELoss()(p, t),
    "BCEWeighted": nn.BCELoss(weight=w)(p, t),
    "BCELogits": nn.BCEWithLogitsLoss()(p, t),
    "BCELogitsPos": nn.BCEWithLogitsLoss(pos_weight=w)(p, t),
    "CrossEntropy": nn.CrossEntropyLoss()(logits, classes),
    "CrossEntropyWeighted": nn.CrossEntropyLoss(weight=w, label_smoothing=0.1)(logits, classes),
}
for name, loss in losses.items():
    array("k" + name, loss)

# --- Optimizers: parameters after 10 steps with the same gradients -------------------------------------

torch.manual_seed(7)
start = torch.randn(37)
gradients = torch.randn(10, 37)
array("kStart", start)
array("kGradients", gradients)
# PyTorch's own square roots come from a vector library and are off by one ulp at times.
torch.Tensor.sqrt = lambda self: torch.from_numpy(np.sqrt(self.numpy()))
S, A, W = torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW
runs = {
    "Sgd": (S, dict(lr=0.1)),
    "SgdDecay": (S, dict(lr=0.1, weight_decay=0.02)),
    "SgdMomentum": (S, dict(lr=0.1, momentum=0.9)),
    "SgdDampening": (S, dict(lr=0.05, momentum=0.8, dampening=0.3, weight_decay=0.01)),
    "SgdNesterov": (S, dict(lr=0.05, momentum=0.8, nesterov=True)),
    "SgdMaximize": (S, dict(lr=0.1, momentum=0.9, maximize=True)),
    "Adam": (A, dict(lr=0.01)),
    "AdamDecay": (A, dict(lr=0.01, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.1)),
    "AdamAmsgrad": (A, dict(lr=0.02, amsgrad=True)),
    "AdamMaximize": (A, dict(lr=0.01, maximize=True)),
    "AdamW": (W, dict(lr=0.01, weight_decay=0.1)),
}
for name, (kind, options) in runs.items():
    parameter = start.clone().requires_grad_()
    optimizer = kind([parameter], **options)
    for gradient in gradients:
        parameter.grad = gradient.clone()
        optimizer.step()
    array("k" + name, parameter)

# --- Clipping ------------------------------------------------------------------------------------------

for name, kind in {"Two": 2.0, "One": 1.0, "Inf": float("inf")}.items():
    parameter = start.clone().requires_grad_()
    parameter.grad = gradients[0].clone()
    other = start.clone().requires_grad_()
    other.grad = gradients[1].clone()
    norm = nn.utils.clip_grad_norm_([parameter, other], 1.5, kind)
    array(f"kClip{name}Norm", norm)
    array(f"kClip{name}", parameter.grad)

print("\n}  // namespace golden")
