"""Writes ops.json: what PyTorch computes for the op records of tests/ops, gradients included.

    python tests/golden/ops.py > tests/golden/ops.json

Each case has inputs that are exact in float32 and, per dtype, the output and the gradients of the
inputs for an output gradient of 1, 1.25, 1.5, 1.75, 1, ... Numbers that JSON lacks are strings. An
input of float64 is cast to the dtype of the run, any other keeps its own.
"node" is the name of the output's grad_fn.
"""
import json
import math
import sys
import warnings

import torch
import torch.nn.functional as F

from linalg_cases import add_linalg_cases

warnings.simplefilter("ignore")
INF, NAN = math.inf, math.nan
generator = torch.Generator().manual_seed(11)


def rand(*shape, low=-2.0, high=2.0):
    """Random multiples of 1/256, so exact in float32."""
    x = torch.rand(shape, generator=generator, dtype=torch.float64)
    return (low + (high - low) * x).mul(256).round().div(256)


def vec(*values):
    return torch.tensor(values, dtype=torch.float64)


def ints(*values):
    return torch.tensor(values, dtype=torch.int64)


def grid(values):
    """Every value against every value."""
    v = vec(*values)
    return v.repeat_interleave(len(values)), v.repeat(len(values))


EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 20.0, -100.0, INF, -INF, NAN)
PAIRS = (0.0, -0.0, 1.0, -1.0, 2.0, -2.5, INF, -INF, NAN)
LOGS = (0.0, 1.0, 2.0, 0.125, 1e-3, 1e30, -1.0, INF, NAN)
unary = [[rand(3, 4)], [rand()], [rand(0, 3)], [vec(*EDGES)]]
positive = [[rand(3, 4, low=0.125, high=3)], [vec(*LOGS)]]
binary = [[rand(3, 4), rand(3, 4)], [rand(3, 1), rand(4)], [rand(2, 2), rand()], list(grid(PAIRS))]
matrix = [[rand(3, 4)], [rand(2, 3, 4)]]
ties = [[rand(3, 4)], [vec(1, 3, 3, -1, 3, 0).view(2, 3)], [vec(1, NAN, 3, NAN, 2, 2).view(2, 3)],
        [vec(INF, -INF, INF, -INF, -INF, -INF).view(2, 3)]]
mask = torch.tensor([[True, False, False], [True, True, False]])

CASES = {}


def case(name, function, samples):
    CASES[name] = (function, samples)


def more(names, samples):
    """Further samples of cases."""
    for name in names.split():
        function, before = CASES[name]
        CASES[name] = (function, before + samples)


def single(*shape):
    """Random numbers that stay float32 in a run with float64."""
    return rand(*shape).float()


for name in ("neg abs sign square floor ceil round trunc relu exp expm1 sin cos tanh "
             "sigmoid").split():
    samples = unary
    if name in ("sin", "cos"):
        samples = unary[:3] + [[vec(*(e for e in EDGES if not math.isinf(e)), 1000.0)]]
    case(name, getattr(torch, name), samples)
for name in "log log1p sqrt rsqrt reciprocal".split():
    case(name, getattr(torch, name), positive)

case("add", lambda a, b: torch.add(a, b, alpha=2), binary + [[rand(2, 3), ints(1, -2, 3)]])
case("add_number", lambda a: a + 1.5, unary)
case("sub", lambda a, b: torch.sub(a, b, alpha=0.5), binary)
case("number_minus", lambda a: 1 - a, unary)
case("sub_number", lambda a: a - 2, unary)
case("mul", torch.mul, binary + [[rand(2, 3), ints(1, -2, 3)]])
case("mul_number", lambda a: 2.5 * a, unary)
case("div", torch.div, binary)
case("div_number", lambda a: a / 3, unary)
case("remainder", torch.remainder, binary[:3] + [list(grid((0.0, 1.0, -1.0, 2.5, -3.0, 7.0, NAN)))] +
     [[vec(1, -1, 5, -5, 5, INF), vec(0.1, 0.1, INF, -INF, 1e30, 2).float().double()]])
case("remainder_number", lambda a: a % 0.75, unary)
case("pow_square", lambda a: a.pow(2), unary)
case("pow_number", lambda a: a.pow(2.5), positive)
case("pow_zero", lambda a: a.pow(0), unary)
case("pow", torch.pow, [[rand(3, 4, low=0.25), rand(4)], list(grid(PAIRS)),
                        [vec(-8, -8, 0, 4), vec(1 / 3, 3, 0.5, -0.5).float().double()]])
case("number_pow", lambda a: 2.5 ** a, unary)
case("maximum", torch.maximum, binary)
case("minimum", torch.minimum, binary)
case("addcmul", lambda a, b, c: torch.addcmul(a, b, c, value=0.5),
     [[rand(2, 3), rand(3), rand(2, 1)], [rand(4), rand(4), rand(4)]])
case("lerp", lambda a, b: torch.lerp(a, b, 0.25), binary[:3])

for name in "eq ne lt le gt ge".split():
    case(name, getattr(torch, name), binary)
    case(name + "_number", lambda a, f=getattr(torch, name): f(a, 0.5), unary)
case("logical_and", lambda a, b: torch.logical_and(a > 0, b > 0), binary)
case("logical_or", lambda a, b: torch.logical_or(a > 0, b), binary)
case("logical_xor", lambda a, b: torch.logical_xor(a > 0, b > 0), binary)
integers = [[ints(6, -1, 8, -9, 0), ints(3, 5, -8, -4, 7)], [ints(6, -7), ints(3)],
            [torch.tensor([True, True, False]), torch.tensor([True, False, False])],
            [torch.tensor([True, False]), ints(3, -2)]]
case("bitwise_and", torch.bitwise_and, integers)
case("bitwise_or", torch.bitwise_or, integers)
case("bitwise_xor", torch.bitwise_xor, integers)
case("bitwise_not", torch.bitwise_not, [[a] for a, _ in integers])
case("logical_not", lambda a: ~(a > 0), unary)
case("isfinite", lambda a: torch.isfinite(a / a.floor()), unary)
bounds = unary[:3] + [[vec(-0.5, 0.5, 0, 2, -2, INF, -INF, NAN)]]
case("clamp", lambda a: a.clamp(-0.7, 0.9), bounds)
case("clamp_at_bounds", lambda a: a.clamp(-0.5, 0.5), bounds)
case("clamp_crossed", lambda a: a.clamp(1, -1), bounds)
case("clamp_min", lambda a: a.clamp_min(-0.5), bounds)
case("clamp_max", lambda a: a.clamp_max(0.5), bounds)
case("where", torch.where, [[mask, rand(2, 3), rand(3)], [mask, rand(2, 3), vec(NAN, INF, 1)]])
case("where_number", lambda c, a: torch.where(c, 2, a), [[mask, rand(2, 3)]])
case("masked_fill", lambda a, m: a.masked_fill(m, 3), [[rand(2, 3), mask]])

case("sum", torch.sum, unary)
case("sum_dim", lambda a: a.sum(1), matrix + [[rand(3, 0)], [rand(0, 3)]])
case("sum_first", lambda a: a.sum(0), matrix + [[rand(3, 0)], [rand(0, 3)]])
case("sum_keepdim", lambda a: a.sum((-1, 0), keepdim=True), matrix)
case("mean", torch.mean, unary[:3])
case("mean_dim", lambda a: a.mean(0), matrix + [[rand(0, 3)]])
zeros = [[vec(2, 0, 3, 4)], [vec(0, 0, 3, 4)]]
case("prod", torch.prod, unary[:3] + zeros)
case("prod_dim", lambda a: a.prod(1), matrix + [[vec(2, 0, 3, 0, 0, 4).view(2, 3)], [rand(2, 0)]])
equal = [[vec(1, 1, 1, 1, 2, 3).view(3, 2)], [rand(1, 3)], [rand(0, 3)]]
case("var", torch.var, matrix + [[rand(1)], [rand(0)], [vec(1, 1, 1)]])
case("var_dim", lambda a: a.var(1, False, True), matrix + [[rand(3, 1)], [rand(3, 0)]])
case("std", lambda a: a.std(0), matrix + equal)
case("norm", torch.norm, unary[:3] + [[vec(0, 0)], [vec(INF, 1)], [vec(NAN, 1)]])
case("norm_one", lambda a: a.norm(1, 0), matrix + [[vec(0, -1, 2, 0, 0, 0).view(3, 2)]])
case("norm_three", lambda a: a.norm(3, 1), matrix + [[vec(0, 0, 2, 0, -3, 1).view(3, 2)]])
case("norm_inf", lambda a: a.norm(INF, 1), matrix + [[vec(0, 0, 2, -2, -3, 1).view(3, 2)]])
case("norm_zero", lambda a: a.norm(0, 1), matrix + [[vec(0, 0, 2, -2, 0, 1).view(3, 2)]])
case("amax", lambda a: a.amax(1), ties + matrix)
case("amin", lambda a: a.amin(0, True), ties + matrix)
case("max", torch.max, ties + [[rand()]])
case("min", torch.min, ties)
case("max_dim", lambda a: a.max(1)[0], ties + matrix)
case("min_dim", lambda a: a.min(0, True)[0], ties + matrix)
case("argmax", torch.argmax, ties)
case("argmax_dim", lambda a: a.argmax(1, True), ties)
case("argmin_dim", lambda a: a.argmin(0), ties)
case("all", lambda a: (a > -1).all(), unary)
case("all_dim", lambda a: (a > -1).all(1), matrix + [[rand(3, 0)]])
case("any", lambda a: (a > 1).any(), unary)
case("any_dim", lambda a: (a > 1).any(0, True), matrix + [[rand(0, 3)]])
rows = [[vec(-INF, 0, 1, -INF, -INF, -INF, INF, 0, 1, NAN, 0, 1, 1e4, -1e4, 0).view(5, 3)]]
case("softmax", lambda a: a.softmax(-1), matrix + rows + [[rand(3, 0)]])
case("softmax_first", lambda a: a.softmax(0), matrix + [[rand()], [rand(0, 2)]])
case("log_softmax", lambda a: a.log_softmax(1), matrix + rows)

case("view", lambda a: a.contiguous().view(2, -1), [[rand(3, 4)]])
case("reshape", lambda a: a.reshape(-1), [[rand(3, 4)], [rand()], [rand(0, 2)]])
case("reshape_copies", lambda a: a.t().reshape(-1), [[rand(3, 4)]])
case("flatten", lambda a: a.flatten(1), [[rand(2, 3, 4)], [rand(2, 0, 4)]])
case("transpose", lambda a: a.transpose(0, -1), matrix)
case("t", lambda a: a.t(), matrix[:1] + [[rand(3)]])
case("permute", lambda a: a.permute(2, 0, 1), matrix[1:])
case("select", lambda a: a.select(1, -1), matrix)
case("subscript", lambda a: a[1], matrix)
case("slice", lambda a: a[1:100:2], matrix)
case("narrow", lambda a: a.narrow(1, 1, 2), matrix)
case("expand", lambda a: a.expand(2, -1, 3), [[rand(2, 1)], [rand(4, 3)]])
case("squeeze", lambda a: a.squeeze(), [[rand(3, 1, 2, 1)], [rand(1)]])
case("squeeze_dim", lambda a: a.squeeze(1), [[rand(3, 1, 2)], [rand(3, 2)]])
case("unsqueeze", lambda a: a.unsqueeze(-1), matrix + [[rand()]])
case("as_strided", lambda a: a.as_strided((2, 2), (1, 2), 1), [[rand(2, 3)]])
case("as_strided_overlapping", lambda a: a.as_strided((3, 2), (1, 1)), [[rand(5)]])
case("chunk", lambda a: a.chunk(3)[1], [[rand(5)], [rand(4, 2)]])
case("unbind", lambda a: a.unbind(1)[1], matrix)
case("sum_to_size", lambda a: a.sum_to_size(3, 1), [[rand(2, 3, 4)], [rand(3, 2)]])

case("mm", torch.mm, [[rand(3, 4), rand(4, 2)], [rand(3, 0), rand(0, 2)], [rand(0, 2), rand(2, 3)],
                      [vec(0, 1, 2, 3).view(2, 2), vec(INF, 1, 2, NAN).view(2, 2)]])
case("bmm", torch.bmm, [[rand(2, 3, 4), rand(2, 4, 2)]])
case("matmul_batched", torch.matmul, [[rand(2, 1, 3, 4), rand(3, 4, 2)], [rand(3, 4), rand(2, 4, 2)]])
case("mv", torch.matmul, [[rand(3, 4), rand(4)], [rand(2, 3, 4), rand(4)]])
case("vm", torch.matmul, [[rand(4), rand(4, 3)], [rand(4), rand(2, 4, 3)]])
case("dot", torch.dot, [[rand(5), rand(5)], [rand(0), rand(0)]])
case("addmm", lambda a, b, c: torch.addmm(a, b, c, beta=0.5, alpha=2),
     [[rand(3, 2), rand(3, 4), rand(4, 2)], [rand(2), rand(3, 0), rand(0, 2)]])
case("addmm_no_input", lambda a, b, c: torch.addmm(a, b, c, beta=0, alpha=2),
     [[vec(NAN, INF), rand(3, 4), rand(4, 2)]])
case("linear", F.linear, [[rand(3, 4), rand(2, 4), rand(2)], [rand(3, 0), rand(2, 0), rand(2)]])
case("linear_no_bias", F.linear, [[rand(3, 4), rand(2, 4)]])
case("linear_batched", F.linear, [[rand(2, 3, 4), rand(5, 4), rand(5)], [rand(4), rand(5, 4), rand(5)]])

three, square = ints(2, 0, 2), ints(1, 0, 1, 1).view(2, 2)
case("cat", lambda a, b: torch.cat([a, b], 0), [[rand(2, 3), rand(1, 3)], [rand(4), rand(0)]])
case("cat_last", lambda a, b: torch.cat([a, b, a], -1), [[rand(2, 3), rand(2, 1)]])
case("stack", lambda a, b: torch.stack([a, b], 1), [[rand(2, 3), rand(2, 3)]])
case("index_select", lambda a, i: a.index_select(0, i), [[rand(4, 3), three], [rand(3), three]])
case("index_select_last", lambda a, i: a.index_select(-1, i), [[rand(2, 4), three]])
case("index_add", lambda a, i, s: a.index_add(0, i, s), [[rand(4, 2), three, rand(3, 2)]])
case("gather", lambda a, i: a.gather(1, i), [[rand(2, 3), square], [rand(4, 2), square]])
case("scatter_add", lambda a, i, s: a.scatter_add(1, i, s),
     [[rand(2, 3), square, rand(2, 2)], [rand(3, 2), square, rand(2, 2)]])

case("clone", torch.clone, unary)
casts = [vec(1.5, -1.5, 0, -0.0, NAN, INF, -INF, 3e9, 1e20, -1e20)]
case("to_dtype", lambda a: a.detach().float().long().bool(), [casts])
case("to_long", lambda a: a.detach().long(), [casts])
case("to_bool", lambda a: a.detach().bool(), [casts])
case("copy", lambda a, b: (a * 1).copy_(b), [[rand(2, 3), rand(2, 3)], [rand(2, 3), rand(3)]])
case("fill", lambda a: (a * 1).fill_(2.5), unary[:2])
case("zeros_like", torch.zeros_like, unary)
case("new_full", lambda a: a.new_full((2, 2), 3), unary[:1])


def probability(*shape):
    return rand(*shape, low=0.125, high=0.875)


target = ints(1, 0, 3)
edge_p = [vec(0, 1, 0.5, 1), vec(0, 1, 0, 1)]
edge_x = [vec(100, -100, 100, -100, INF, 0), vec(0, 0, 1, 1, 0, 0.5)]
case("mse_loss", F.mse_loss, [[rand(3, 2), rand(3, 2)], [rand(0), rand(0)]])
case("bce", lambda x, t: F.binary_cross_entropy(x, t, reduction="sum"),
     [[probability(3, 4), probability(3, 4)], edge_p])
case("bce_weight", lambda x, t, w: F.binary_cross_entropy(x, t, w.detach(), reduction="none"),
     [[probability(3, 4), probability(3, 4), probability(4)]])
case("bce_logits", F.binary_cross_entropy_with_logits, [[rand(3, 4), probability(3, 4)], edge_x])
case("bce_logits_pos_weight", lambda x, t, w: F.binary_cross_entropy_with_logits(
    x, t, pos_weight=w.detach(), reduction="sum"), [[rand(3, 4), probability(3, 4), probability(4)]])
case("nll_loss", F.nll_loss, [[rand(3, 4), target], [rand(4), ints(2).view(())],
                              [rand(3, 4), ints(1, -100, 2)], [rand(2, 4), ints(-100, -100)],
                              [rand(0, 4), ints()]])
case("nll_loss_weight", lambda x, t, w: F.nll_loss(x, t, w.detach(), ignore_index=0),
     [[rand(3, 4), target, probability(4)]])
case("cross_entropy", F.cross_entropy, [[rand(3, 4), target], [rand(1, 4, 2), ints(3, 0).view(1, 2)],
                                        [rand(3, 4), ints(1, -100, 2)], [rand(0, 4), ints()]])
case("cross_entropy_smooth", lambda x, t: F.cross_entropy(x, t, label_smoothing=0.2),
     [[rand(3, 4), target], [rand(3, 4), ints(1, -100, 2)]])
case("cross_entropy_probabilities", F.cross_entropy, [[rand(3, 4), probability(3, 4)]])


case("layer_norm", lambda x, w, b: F.layer_norm(x, w.shape, w, b),
     [[rand(3, 4), rand(4), rand(4)], [rand(2, 3, 4), rand(3, 4), rand(3, 4)],
      [rand(0, 3), rand(3), rand(3)],
      [vec(INF, 1, 2, NAN, 0, 1, 5, 7, 5).view(3, 3), rand(3), rand(3)]])
case("layer_norm_plain", lambda x: F.layer_norm(x, x.shape[-1:]), [[rand(2, 3, 5)], [rand(3, 1)]])
case("layer_norm_weight", lambda x, w: F.layer_norm(x, w.shape, w, eps=0.1), [[rand(3, 4), rand(4)]])
case("layer_norm_bias", lambda x, b: F.layer_norm(x, b.shape, None, b), [[rand(3, 4), rand(4)]])
case("batch_norm", lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
     [[rand(4, 3), rand(3), rand(3)], [rand(2, 3, 4), rand(3), rand(3)]])
case("batch_norm_plain", lambda x: F.batch_norm(x, None, None, training=True, eps=0.1), [[rand(4, 3)]])
case("batch_norm_eval", lambda x, w, b: F.batch_norm(
    x, torch.full((3,), 0.25, dtype=x.dtype), torch.full((3,), 1.5, dtype=x.dtype), w, b),
     [[rand(4, 3), rand(3), rand(3)], [rand(2, 3, 4), rand(3), rand(3)]])

# Appended, so that the cases above keep the numbers they drew.
case("isinf", lambda a: torch.isinf(a / a.floor()), unary)
case("isnan", lambda a: torch.isnan(a.floor() / a.floor()), unary)
case("isclose", lambda a, b: torch.isclose(a, b, 0.25, 0.125), binary)
case("argmin", lambda a: a.argmin(), ties)
case("mT", lambda a: a.mT, matrix)
case("view_as", lambda a: a.view_as(a.new_empty((2, 6))), [[rand(3, 4)]])
case("reshape_as", lambda a: a.reshape_as(a.new_empty((2, 6))), [[rand(3, 4)]])
case("expand_as", lambda a: a.expand_as(a.new_empty((2, 4, 3))), [[rand(4, 1)], [rand()]])
case("split", lambda a: a.split(2)[1], [[rand(5)], [rand(3, 2)]])
case("contiguous", lambda a: a.t().contiguous(), [[rand(3, 4)]])
case("to", lambda a: a.to(a.dtype, copy=True), unary)
case("toType", lambda a: a.long(), [[rand(3, 4, low=-1e3, high=1e3)]])
case("type_as", lambda a: a.type_as(a.isnan()), unary)
case("zero", lambda a: (a * 1).zero_(), unary)
case("ones_like", torch.ones_like, unary[:3])
case("full_like", lambda a: torch.full_like(a, -2.5), unary[:3])
case("new_zeros", lambda a: a.new_zeros((2, 3)), unary[:1])
case("new_ones", lambda a: a.new_ones((2, 0)), unary[:1])
case("new_tensor", lambda a: a.new_tensor([[1, 2], [3, 4]]), unary[:1])
case("new_empty_strided", lambda a: a.new_empty_strided((2, 3), (1, 4)).fill_(1), unary[:1])
case("type", lambda a: a.type(torch.int64), [[rand(3, 4, low=-1e3, high=1e3)]])

# Dtypes that meet, with and without dimensions, and operands that broadcast in each gradient.
bools = torch.tensor([True, False, True])
mixed = [[rand(2, 3), single(3)], [single(2, 1), rand(3)], [single(3), rand()], [rand(), single(2)],
         [single(), rand()], [rand(2, 3), ints(1, -2, 3)], [ints(1, -2, 3), rand()],
         [ints(2, 3).view(2, 1), single(3)], [bools, rand(2, 1)], [single(3), bools]]
whole = [[ints(5, -7, 2), ints(3, -2, 2)], [ints(5, -7, 2), ints(-2).view(())],
         [ints(5, -7, 2), ints(4, 3).view(2, 1)]]
truths = [[bools, torch.tensor([True, True, False])], [bools, ints(2, 1, 1)], [bools, torch.tensor(True)]]
many = [[rand(2, 1, 3), rand(4, 1)], [rand(1, 3), rand(2, 2, 1)], [rand(1, 1), rand(3)]]
comparisons = "eq ne lt le gt ge logical_or"
more("add mul div maximum minimum mse_loss " + comparisons, mixed)
more("sub", mixed[:8])
more("remainder", mixed[:5])
more("pow", [[a.abs() if a.is_floating_point() else a.abs() + 1, b] for a, b in mixed[:8]])
more("mul div maximum minimum " + comparisons, whole)
more("add", whole)
more("remainder", whole)
more("pow", [[a, b.abs()] for a, b in whole])
more("mul div maximum minimum " + comparisons, truths)
more("add sub mul div maximum minimum mse_loss", many)
more("pow", [[a.abs(), b] for a, b in many])
more("lerp remainder", many)
more("addcmul", [[rand(2, 1), single(3), rand()], [single(2, 3), single(3), rand()],
                 [rand(3), ints(1, 2, 3), rand(2, 1)], [ints(1, 2, 3), single(3), ints(2)],
                 [rand(1), rand(2, 1), rand(1, 3)], [single(2, 3), ints(1, 2, 3), rand(3)],
                 [ints(1, 2, 3), ints(4, 5, 6), single(3)]])
counts, flags = [[ints(3, -1, 0, 2)], [ints(-2).view(())]], [[bools]]
more("abs sign floor ceil round trunc neg square relu", counts)
more("exp expm1 sin cos tanh sigmoid", counts + flags)
more("log log1p sqrt rsqrt reciprocal", [[ints(3, 1, 2)], [torch.tensor([True, True])]])
more("logical_not", flags)
more("number_minus", counts)
more("add_number mul_number div_number remainder_number pow_square pow_number pow_zero number_pow fill "
     "zero clone zeros_like full_like", counts + flags)
more("sub_number", counts)
more("clamp clamp_at_bounds clamp_crossed clamp_min clamp_max", counts)
more("where", [[mask, rand(2, 3), single(3)], [mask, single(2, 1), rand()], [mask, ints(1, 2, 3), rand(2, 1)],
               [mask, ints(1, 2, 3), bools], [mask, rand(), rand(2, 1)], [bools, rand(2, 1), rand(1)]])
more("where_number", [[mask, ints(1, 2, 3)], [mask, rand()]])
more("masked_fill", [[ints(1, 2, 3), bools], [bools, bools], [rand(2, 3), bools], [rand(3), mask]])
grid_of_ints = ints(3, -1, 0, 2, 5, 2).view(2, 3)
more("sum sum_dim sum_first sum_keepdim prod prod_dim amax amin max min max_dim min_dim argmax argmax_dim "
     "argmin_dim argmin all all_dim any any_dim", [[grid_of_ints]])
more("sum sum_first sum_keepdim prod prod_dim amax amin max min", [[mask]])
more("cat", [[rand(2, 3), single(1, 3)], [ints(1, 2), rand(3)], [ints(1, 2), bools]])
more("stack", [[rand(2, 3), single(2, 3)], [ints(1, 2, 3).view(3, 1), rand(3, 1)]])
more("mm", [[grid_of_ints, ints(1, 2, 3, 4, 5, 6).view(3, 2)]])
more("copy", [[rand(2, 3), single(2, 3)], [single(2, 3), rand(3)], [rand(2, 3), ints(1, 2, 3)],
              [rand(2, 3), rand(2, 1)], [rand(2, 3), rand()]])
more("cross_entropy_probabilities", [[rand(2, 3, 4), probability(2, 3, 4)], [rand(4), probability(4)]])
more("nll_loss cross_entropy", [[rand(2, 3, 2, 2), ints(0, 2, 1, 1, 2, 0, 0, 1).view(2, 2, 2)]])
more("bmm", [[rand(2, 1, 3), rand(2, 3, 1)]])
more("matmul_batched", [[rand(2, 3, 4), rand(4, 2)], [rand(2, 1, 2, 3), rand(1, 2, 3, 2)]])
more("addmm", [[rand(3, 1), rand(3, 4), rand(4, 2)], [rand(1, 1), rand(3, 4), rand(4, 2)],
               [rand(), rand(3, 4), rand(4, 2)]])
more("slice", [[rand(6, 2)], [rand(7)]])
case("slice_from_the_end", lambda a: a[-3:-1], [[rand(5)], [rand(2, 3)]])
case("as_strided_of_a_part", lambda a: a[2:].as_strided((2, 2), (2, 1)), [[rand(8)]])
add_linalg_cases(case, rand, vec)


def number(value):
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return int(value) if float(value) == int(value) and str(value) != "-0.0" else value


def numbers(tensor):
    tensor = tensor.detach()
    values = tensor.reshape(-1).tolist()
    if tensor.dtype == torch.float32:
        values = [float("%.9g" % v) for v in values]
    return [number(v) for v in values]


def results(function, sample, dtype):
    inputs = []
    for x in sample:
        x = x.clone()
        if x.dtype == torch.float64:
            x = x.to(dtype)
        if x.is_floating_point():
            x.requires_grad_()
        inputs.append(x)
    out = function(*inputs)
    result = {"dtype": str(out.dtype)[6:], "shape": list(out.shape), "data": numbers(out)}
    if out.requires_grad:
        result["node"] = out.grad_fn.name().replace("torch::autograd::", "")
        weight = 1 + torch.arange(out.numel()).remainder(4).to(out.dtype).view(out.shape) / 4
        leaves = [x for x in inputs if x.requires_grad]
        grads = torch.autograd.grad(out, leaves, weight, allow_unused=True)
        result["grads"] = [None if g is None else numbers(g) for g in grads]
    return result


def main():
    lines = []
    for name, (function, samples) in CASES.items():
        for sample in samples:
            entry = {"op": name, "inputs": [
                {"dtype": "floating" if x.dtype == torch.float64 else str(x.dtype)[6:],
                 "shape": list(x.shape), "data": numbers(x)} for x in sample]}
            for dtype in (torch.float32, torch.float64):
                entry[str(dtype)[6:]] = results(function, sample, dtype)
            lines.append(json.dumps(entry))
    sys.stdout.write("[\n" + ",\n".join(lines) + "\n]\n")


main()
