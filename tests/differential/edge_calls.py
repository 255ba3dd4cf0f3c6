"""The calls of edges.py: each option at its edges, elements that no rule of thumb covers (ties, zeros, NaN, infinities,
the ends of a dtype), and numbers for which a careless formula leaves the range of the dtype."""

from itertools import product

from edge_call import CALLS, INF, NAN, C, I, T, call


def quantiles():
    modes = ["linear", "lower", "higher", "midpoint", "nearest"]
    parts = [0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0]
    for mode, count in product(modes, [1, 2, 3, 5]):
        values = [3.0, -1.0, 2.5, 7.0, -4.0][:count]
        call("a.quantile(b, c, keepdim=d, interpolation=e)", T(values), C(parts), 0, False, mode)
    for mode in modes:
        for values in ([1, INF, 2], [-INF, INF], [INF, INF], [1, NAN, 2], [NAN, NAN]):
            for op in ("quantile", "nanquantile"):
                call(f"a.{op}(b, c, keepdim=d, interpolation=e)", C(values), C([0, 0.5, 1]), 0, False, mode)


def classes():
    worst = [-1, -INF, -2, -INF, -0.5, -1, -3, -2, -INF]
    for target, ignored, weight, reduction in product(
            [(0, 1, 2), (1, 1, 0), (1, -100, 2)], [1, -100], [None, C([1, 0, 2])], ["none", "mean", "sum"]):
        call("F.nll_loss(a, b, c, reduction=d, ignore_index=e)", T(worst, [3, 3]), I(*target), weight, reduction, ignored)
    for ignored, reduction, smoothing in product([0, -100], ["none", "mean", "sum"], [0.0, 0.25, 1.0]):
        for target in ((0, 0), (0, 2)):
            call("F.cross_entropy(a, b, c, reduction=d, ignore_index=e, label_smoothing=f)",
                 T([1, 2, -1, 0, 50, -30], [2, 3]), I(*target), C([2, 0, 1]), reduction, ignored, smoothing)
    for power, margin in product([1, 2], [0.0, 1.0, -1.0]):
        call("F.multi_margin_loss(a, b, c, d, e, reduction=f)", T([1, 2, 0, 0, 0, 1], [2, 3]), I(0, 2), power, margin,
             C([1, 0, 2]), "none")
    for target in ((0, -1, 1), (-1, 0, 1), (2, 0, 1)):
        call("F.multilabel_margin_loss(a, b, reduction=c)", T([0.1, 0.5, 1.1]), I(*target), "mean")


def spreads():
    for values, correction in product([[2, 2, 2], [2], [1, 3], [], [1, NAN], [3e38, -3e38]],
                                      [0, 1, 2, 3, 5, -1]):
        for op in ("std", "var"):
            make = C if 3e38 in values else T
            call(f"a.{op}(b, correction=c, keepdim=d)", make(values), [0], correction, False)
    for op in ("std_mean", "var_mean"):
        call(f"torch.{op}(a, b, correction=c, keepdim=d)", T([2, 2, 3, 5], [2, 2]), [1], 2, True)
    floats, counts = [C([0.5, 0, 0.25, 0.25]), C([0, 1, 0, 0])], [I(1, 0, 2, 0), I(0, 0, 1, 0), I(0, 0, 0, 0)]
    for correction, count, weight in product([0, 1, 2, 3, 5], [None, *counts], [None, *floats]):
        call("a.cov(correction=b, fweights=c, aweights=d)", T([1, 2, -1, 3, 0, 1, 1, 5], [2, 4]), correction, count, weight)
    call("a.cov(correction=b)", T([1, 2]), 3)
    call("a.corrcoef()", T([1, 1, 1, 2, 3, 4], [2, 3]))
    call("a.corrcoef()", T([5]))


def by_index():
    source, index = [4, 4, 1, 7, 4, -2], I(0, 0, 1, 1, 0, 3)
    for reduce, include in product(["sum", "prod", "mean", "amax", "amin"], [True, False]):
        # Elements of self that equal a result have a share in PyTorch, even if they do not count.
        equal = [4, 7, 2, -2] if include or not reduce.startswith("a") else [5, 8, 2, -3]
        for values in (equal, [9, -9, 2, -3], [0, 0, 2, 0] if include else [0.5, 9, 2, -9], [NAN, INF, NAN, -INF]):
            call("a.scatter_reduce(b, c, d, e, include_self=f)", T(values), 0, index, T(source), reduce, include)
            call("a.scatter_reduce(b, c, d, e, include_self=f)", T(values), 0, index, T([0, 3, NAN, 1, 0, 0]), reduce, include)
            if reduce != "sum":
                call("a.index_reduce(b, c, d, e, include_self=f)", T(values), 0, index, T(source), reduce, include)
        for dtype in ("int64", "int8", "uint8", "bfloat16"):
            call("a.scatter_reduce(b, c, d, e, include_self=f)", T([90, 8, 2, 50], None, dtype), 0, index,
                 T([100, 100, 1, 7, 3, 2], None, dtype), reduce, include)
    for accumulate in (True, False):
        call("a.put(b, c, accumulate=d)", T([1, 2, 3]), I(-1, 0, -1 if accumulate else 1), T([5, NAN, 7]), accumulate)
        call("a.index_put((b,), c, d)", T([1, 2, 3]), I(-1, -3, 1), T([5, INF, 7]), accumulate)
    for freq in (True, False):
        for padding in (-1, 0, 2):
            call("torch.embedding(a, b, c, d)", T([1, 2, 3, 4, 5, 6], [3, 2]), I(0, 2, 2, 1, 2), padding, freq)
    call("a.bincount(minlength=b)", I(1, 1, 4), 0)
    call("a.bincount(minlength=b)", I(1, 1, 4), 7)
    call("a.bincount(b)", I(0, 2, 2), C([1, NAN, INF]))


def ranks():
    near = C([1, 0, 0, 0, 0.01, 0, 0, 0, 1e-5], [3, 3])
    for atol, rtol in product([None, 0.0, 1e-6, 1e-3, 0.5], [None, 0.0, 1e-6, 1e-3, 0.5]):
        call("torch.linalg.matrix_rank(a, atol=b, rtol=c)", near, atol, rtol)
        call("torch.linalg.pinv(a, atol=b, rtol=c)", near, atol, rtol)
    for dtype, small in (("float32", 1e-7), ("float64", 4e-16)):  # near the default of rtol
        for atol in (None, 0.0, 1e-30, 2 * small):
            call("torch.linalg.matrix_rank(a, atol=b, rtol=c)", C([1, 0, 0, small], [2, 2], dtype), atol, None)
            call("torch.linalg.pinv(a, atol=b, rtol=c)", C([1, 0, 0, small], [2, 2], dtype), atol, None)


def scans():
    rows = [[1, 0, 2, 0, 3], [1, NAN, 2, INF, 3], [INF, -INF, 1, 2, 2], [-INF, -INF, -INF, 0, 1], [2], []]
    far = [[3e38, 3e38, -3e38, -3e38, 1], [1e-30, 1e-30, 1e30, 1e30, 1]]
    for values in rows + far:
        # Sums and products of `far` leave the range on the way: extreme_calls.py has them.
        for op in (() if values in far else ("cumsum", "cumprod")) + ("logcumsumexp", "cummax", "cummin"):
            odd = op in ("cumprod", "logcumsumexp") and any(not abs(v) < 1e20 for v in values)
            odd = odd and (op == "cumprod" or values[0] != -INF)
            call(f"a.{op}(b)", C(values) if odd else T(values), 0)
    for op, values in product(("cumsum", "cumprod"), ([100, 100, 3], [-128, -1, 2])):
        call(f"a.{op}(b, dtype=c)", T(values, None, "int8"), 0, "int8")
        call(f"a.{op}(b)", T(values, None, "int8"), 0)
    call("a.cumsum(b)", T([2**63 - 1, 1, -5], None, "int64"), 0)


def distances():
    x, y = [0, 0, 3, 4, 1, 1], [0, 0, 1, 1, 1, -1]
    odd, big = [NAN, 1, INF, 2, 0, 0], [3e19, 1, 3e19, 2, 1e-30, 0]
    for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, INF):
        call("torch.cdist(a, b, c)", T(x, [3, 2]), T(y, [3, 2]), p)
        call("F.pdist(a, b)", T(x, [3, 2]), p)
        if p in (0.0, 1.0, 2.0, INF):
            call("torch.cdist(a, b, c)", T(x, [3, 2]), T(x, [3, 2]), p)
            call("torch.cdist(a, b, c)", C(big, [3, 2]), C(x, [3, 2]), 1.0 if p == 2 else p)
        if p not in (0.0, INF):  # PyTorch counts or drops NaN
            make = T if p in (1.0, 2.0) else C
            call("torch.cdist(a, b, c)", make(odd, [3, 2]), make(y, [3, 2]), p)
            call("torch.cdist(a, b, c)", make(y, [3, 2]), make(odd, [3, 2]), p)
            call("F.pdist(a, b)", make(odd, [3, 2]), p)
        call("torch.pairwise_distance(a, b, c, d)", C(odd, [3, 2]), C(y, [3, 2]), p, 0.0)
        call("torch.pairwise_distance(a, b, c, d)", T(x, [3, 2]), T(y, [3, 2]), p, 0.25)
        make = T if p > 0 else C  # PyTorch has no gradient
        call("a.dist(b, c)", make(x), make(y), p)
        call("a.dist(b, c)", make(x), make(x), p)
    for values in ([0, 0, 0, 0], [1e-20, 0, 0, 1e-20], [1e-9, 0, 3, 4], [NAN, 1, INF, 1]):
        call("torch.cosine_similarity(a, b, c)", T(values, [2, 2]), T([1, 2, 3, 4], [2, 2]), 1)
    for target in (1, -1, 0):
        for margin in (0.0, 0.5, -0.5):
            call("F.cosine_embedding_loss(a, b, c, margin=d, reduction=e)", T([1, 0, 0, 0], [2, 2]),
                 T([1, 1, 0, 1], [2, 2]), C([target, target]), margin, "none")
    for swap, p in product([True, False], [1.0, 2.0]):
        call("torch.triplet_margin_loss(a, b, c, d, e, f, g, F._Reduction.get_enum(h))", T([0, 0, 1, 1], [2, 2]),
             T([0, 1, 5, 5], [2, 2]), T([0, 2, 4, 4], [2, 2]), 1.0, p, 0.0, swap, "none")


def reductions():
    rows = [[1, NAN, 3], [INF, -INF, 1], [2, 2, 1], [0.0, -0.0, 0], [INF, INF, 2], [1e12, 1e12, -1e12], [-INF, -INF, -INF]]
    for values in rows:
        for op in ("sum", "mean", "amax", "amin", "nansum", "nanmean", "logsumexp"):
            call(f"a.{op}(b, c)", T(values), [0], False)
        for op in ("max", "min", "argmax", "argmin", "prod", "median", "nanmedian", "mode"):
            if op != "mode" or NAN not in values:
                call(f"a.{op}(b, c)", C(values) if op == "prod" else T(values), 0, True)
        for op in ("max", "min", "median", "nanmedian"):
            call(f"a.{op}()", T(values))
        call("a.aminmax(dim=b, keepdim=c)", T(values), 0, False)
        for op in ("all", "any"):
            call(f"a.{op}(b, c)", T(values), [], False)
        call("a.count_nonzero(b)", T(values), [0])
        for order in (0, 0.5, 1, 2, 3, -1, -2, INF, -INF):
            plain = order in (0, 1, 2, INF, -INF)
            call("a.norm(b, c, d)", T(values) if plain else C(values), order, [0], False)
    for op in ("sum", "mean", "nansum", "nanmean", "logsumexp"):
        call(f"a.{op}(b, c)", T([], [0, 2]), [0], False)
    for op in ("prod", "max", "argmax", "median"):
        call(f"a.{op}(b, c)", T([], [0, 2]), 0, False)
    for zeros in ([0, 2, 3], [0, 0, 3], [2, 5, 0]):
        call("a.prod(b, c)", T(zeros), 0, False)
        call("a.cumprod(b)", T(zeros), 0)
    call("a.sum(b, c)", T([2**63 - 1, 1], None, "int64"), [0], False)
    call("a.sum(dtype=b)", T([127, 1], None, "int8"), "int8")
    for p, limit in product([1, 2, INF, 0.5], [0, 0.5, 1, 5]):
        call("a.renorm(b, c, d)", T([3, 4, 0, 0, 1, 2], [3, 2]), p, 0, limit)
    for count in (0, 1, 2, 3, 4):
        call("a.diff(b, c)", T([1, 4, 9, 16, 30]), count, 0)
        call("a.diff(b, c)", T([1, 4]), count, 0)
    call("a.diff(b, c, d, e)", T([1, 4]), 1, 0, T([0]), T([9, 10]))
    for op in ("trapezoid", "cumulative_trapezoid"):
        call(f"torch.{op}(a, dx=b, dim=c)", T([5]), 2.0, 0)
        call(f"torch.{op}(a, dx=b, dim=c)", T([5, 7]), 0.0, 0)


def orders():
    rows = [[2, NAN, 1, NAN, 3], [1, 1, 0, 1, 0], [-0.0, 0.0, -0.0, 1, INF], [5, -INF, INF, 5, -INF]]
    distinct = [[2, NAN, 1, 5, 3], [5, -INF, INF, 0, 1]]
    for values, descending in product(rows, [True, False]):
        call("a.sort(stable=True, dim=b, descending=c)", T(values), 0, descending)
    for values, descending, k in product(distinct, [True, False], [0, 1, 3, 5, 6]):
        call("a.topk(b, c, d)", T(values), k, 0, descending)
    for values, k in product(distinct, [0, 1, 3, 5, 6]):
        call("a.kthvalue(b, c, d)", T(values), k, 0, False)
    edges = C([1, 2, 2, 3])
    for right in (True, False):
        for value in ([0, 1, 2, 3, 4], [NAN, INF, -INF]):
            call("searchsorted(a, b, out_int32=c, right=d)", edges, C(value), False, right)
            call("bucketize(a, b, out_int32=c, right=d)", C(value), edges, True, right)
    call("isin(a, b)", C([1, NAN, 0.0, INF]), C([NAN, -0.0, INF]))
    for values in ([1, 1, 2], [], [3], [-0.0, 0.0]):
        call("a.unique_consecutive(return_inverse=True, return_counts=True)", C(values))
    for values in ([1e10], [-1e10, -1e10], [5, 5], [16777216.0], [33554432.0, 33554432.0], [3.4e38], [1, 2, 3, 4], []):
        for bins in (1, 4, 5):
            call("a.histc(b, c, d)", C(values), bins, 0.0, 0.0)
        call("a.histc(b, c, d)", C(values), 4, 1.0, 4.0)
        call("a.detach().histogram(b)", C(values), 4)
    for values in ([1e17], [-1e17], [1e300], [1.7e308], [9007199254740992.0]):
        call("a.histc(b, c, d)", C(values, None, "float64"), 4, 0.0, 0.0)
        call("a.detach().histogram(b)", C(values, None, "float64"), 4)
    for low, high in ((0.0, INF), (NAN, 1.0), (1.0, 0.0), (5.0, 5.0), (0.0, 1e-30)):
        call("a.histc(b, c, d)", C([1, 2, 3]), 3, low, high)


def sequences():
    big = 2**53
    for start, end, step in ((big, big + 3, 1), (big + 1, big + 4, 1), (2**63 - 4, 2**63 - 1, 1), (-2**63, -2**63 + 3, 1),
                             (2**62, 2**63 - 1, 2**61), (3, 0, -1), (5, 5, 1), (0, 1, 2), (1, 0, 1), (0, 5, 0),
                             (0.5, 3.7, 1), (0.0, 1.0, 0.1), (0.0, 3e38, 1e38)):
        call("torch.arange(a, b, c)", start, end, step)
    call("torch.arange(a, b, c, dtype=d)", 0.5, 3.7, 1, "int64")
    for steps in (-1, 0, 1, 2, 3, 5):
        for start, end in ((0, 1), (1, -1), (2.5, 2.5), (1e38, 3e38), (NAN, 1), (0, INF)):
            call("torch.linspace(a, b, c)", start, end, steps)
            call("torch.logspace(a, b, c)", start if start != 1e38 else 30, end if end != 3e38 else 37, steps)
    for dtype, low, high in (("int8", -128, 127), ("uint8", 0, 255), ("int64", -big, big)):
        call("torch.linspace(a, b, c, dtype=d)", low, high, 5, dtype)


def elementwise():
    some = [-INF, -3e38, -1, -0.5, -1e-30, -0.0, 0.0, 1e-30, 0.5, 1, 20, 21, 90, 3e38, INF, NAN]
    for name in ("F.celu(a)", "F.elu(a)", "F.hardsigmoid(a)", "F.logsigmoid(a)",
                 "F.mish(a)", "F.selu(a)", "F.silu(a)", "softplus(a)", "a.sigmoid()", "a.tanh()",
                 "a.nan_to_num()", "a.frac()", "a.round()", "a.sign()", "a.abs()", "a.relu()", "a.sqrt()", "a.rsqrt()",
                 "a.log1p()", "a.expm1()", "a.erf()", "a.reciprocal()", "a.square()"):
        call(name, T(some))
    numbers = some[:-1]  # PyTorch's gradients at NaN depend on the place of an element
    for name in ("F.hardtanh(a)", "F.relu6(a)", "F.softshrink(a)"):
        call(name, T(numbers))
    for name in ("F.gelu(a)", "F.hardswish(a)"):
        call(name, T([v for v in numbers if abs(v) < 1e30]))
    call("F.glu(a, b)", T([3e38, -3e38, 1, 30, 100, -50]), 0)
    for bound in (0.0, 0.5, 1.0):
        call("a.hardshrink(b)", T(numbers), bound)
        call("F.threshold(a, b, c)", T(some), bound, -7.0)
        call("F.leaky_relu(a, b)", T(some), bound - 0.5)
    for beta, limit in ((1.0, 20.0), (2.0, 3.0), (-1.0, 20.0), (0.5, -1.0)):
        call("softplus(a, b, c)", T(some), beta, limit)
    for low, high in ((None, 0.5), (-0.5, None), (1.0, -1.0), (NAN, 1.0), (0.5, 0.5), (-INF, INF)):
        call("a.clamp(b, c)", T(some), low, high)
    for eps in (0.0, 0.25, 0.5):
        call("a.logit(b)", T([0, 0.125, 0.25, 0.5, 0.75, 1, -1, 2, NAN]), eps)
    call("a.nan_to_num(b, c, d)", T(some), 5.0, None, -INF)
    pairs = [-INF, -2, -0.0, 0.0, 1, 2.5, INF, NAN]
    left, right = [a for a in pairs for _ in pairs], pairs * len(pairs)
    for op in ("pow", "atan2", "hypot", "copysign", "fmod", "remainder", "maximum", "minimum", "fmax", "fmin", "logaddexp",
               "logaddexp2", "xlogy", "div", "floor_divide", "heaviside", "ldexp", "float_power"):
        make = C if op in ("heaviside", "floor_divide") else T  # these two have no gradient
        call(f"a.{op}(b)", make(left), make(right))
    for weight in (0.0, 0.25, 0.5, 0.75, 1.0, 2.0):
        call("a.lerp(b, c)", T(left), T(right), weight)
    call("a.hypot(b)", T([3e38, 1e-30, 2e38]), T([1e38, 1e-30, -2e38]))
    for x, y in (([3e38], [3e38]), ([-3e38], [3e38]), ([100, -100, 0], [-100, -100, 0])):
        call("a.logaddexp(b)", T(x), T(y))
        call("a.logaddexp2(b)", T(x), T(y))
    for dtype, low, high in (("int8", -128, 127), ("uint8", 0, 255), ("int64", -2**63, 2**63 - 1)):
        numbers = [low, low + 1, 0, 1, high - 1, high]
        pairs_of = C([a for a in numbers for _ in numbers], None, dtype), C(numbers * 6, None, dtype)
        for op in ("add", "sub"):
            call(f"a.{op}(b, alpha=c)", *pairs_of, 1)
        for op in ("mul", "maximum", "bitwise_xor", "lt", "eq"):
            call(f"a.{op}(b)", *pairs_of)
        call("a.abs()", C(numbers, None, dtype))
        call("a.neg()", C(numbers, None, dtype))
        call("a.clamp(b, c)", C(numbers, None, dtype), 1, high - 1)
        call("a.square()", C(numbers, None, dtype))
        call("a.isclose(b, c, d, e)", C(numbers, None, dtype), C(numbers[::-1], None, dtype), 0.1, 1.0, False)


def losses():
    x, y = [0, 1, 1.5, -1, INF, NAN, 3e19], [0, 0, 0.5, 0.5, 0, 0, -3e19]
    for reduction in ("none", "mean", "sum"):
        for beta in (0.0, 0.5, 1.0, 2.0):
            call("F.smooth_l1_loss(a, b, reduction=c, beta=d)", T(x), T(y), reduction, beta)
            call("F.huber_loss(a, b, reduction=c, delta=d)", T(x), T(y), reduction, beta)
        call("F.l1_loss(a, b, reduction=c)", T(x), T(y), reduction)
        call("F.mse_loss(a, b, reduction=c)", T(x), T(y), reduction)
        call("F.mse_loss(a, b, reduction=c)", T([]), T([]), reduction)
        probabilities, targets = [0, 0, 1, 1, 0.5, 1e-40], [0, 1, 0, 1, 0.5, 1]
        call("F.binary_cross_entropy(a, b, c, reduction=d)", T(probabilities), C(targets), None, reduction)
        for weight in (None, C([2, 0, 1, 0.5, 3, 1])):
            call("F.binary_cross_entropy_with_logits(a, b, c, pos_weight=d, reduction=e)", T([INF, -INF, 100, -100, 0, 90]),
                 C([0, 1, 0, 1, 0.5, 0]), None, weight, reduction)
        for log_target in (True, False):
            call("F.kl_div(a, b, reduction=c, log_target=d)", T([0, -1, -INF, -2]),
                 T([0, 1, 0, 0.5] if not log_target else [-INF, 0, -INF, -1]), reduction, log_target)
        for log_input, full in product([True, False], [True, False]):
            call("F.poisson_nll_loss(a, b, log_input=c, full=d, eps=e, reduction=f)", T([0, 0, 1, 2, 5]), C([0, 1, 1, 2, 0.5]),
                 log_input, full, 1e-8, reduction)
        call("F.soft_margin_loss(a, b, reduction=c)", T([0, 30, 1, -1]), C([1, 1, -1, -1]), reduction)
        call("F.hinge_embedding_loss(a, b, margin=c, reduction=d)", T([0, 1, 2, 1, 3]), C([1, -1, -1, 0, 1]), 1.0, reduction)
        call("torch.margin_ranking_loss(a, b, c, d, F._Reduction.get_enum(e))", T([1, 1, 2]), T([1, 2, 1]), C([1, -1, 1]), 1.0,
             reduction)


def normalizations():
    flat = [2, 2, 2, 2, 1, 3, -1, 5]
    for eps in (0.0, 1e-5, 1.0):
        for values in (flat, [8, 8, -8, -8, 1, 2, 3, 4], [INF, 1, 2, 3, NAN, 2, 4, 7]):
            make = T if values is flat and eps > 0 else C
            call("F.layer_norm(a, b, c, d, e)", make(values, [2, 4]), [4], C([1, 2, 3, 4]), None, eps)
            call("F.rms_norm(a, b, c, d)", make(values, [2, 4]), [4], None, eps)
            call("torch.group_norm(a, b, c, d, e)", make(values, [2, 4]), 2, None, C([1, 0.5, 1, 0.5]), eps)
            call("F.instance_norm(a, None, None, b, c, True, 0.1, d)", make(values, [1, 2, 4]), None, None, eps)
            for training in (True, False):
                for momentum in (0.0, 0.1, 1.0):
                    call("F.batch_norm(a, d, e, b, c, f, g, h)", make(values, [2, 4]), None, None, C([0, 1, 2, 3]), C([1, 1, 2, 4]),
                         training, momentum, eps)
    call("F.instance_norm(a, None, None, b, c, True, 0.1, d)", C([1, 3, -1, 5], [1, 1, 4]), None, None, 0.0)
    call("F.rms_norm(a, b, c, d)", T([0, 0, 1e-30, 1e-30], [2, 2]), [2], None, None)
    call("F.layer_norm(a, b, c, d, e)", T([7, -7], [2, 1]), [1], None, None, 1e-5)
    call("F.batch_norm(a, d, e, b, c, f, g, h)", T([7, -7], [1, 2]), None, None, None, None, True, 0.1, 1e-5)
    for values in ([INF, 1, 2], [-INF, 1, 2], [-INF, -INF, -INF], [NAN, 1, 2], [3e38, -3e38, 0], [100, -100, 100], [5]):
        call("a.softmax(b)", T(values), 0)
        call("a.log_softmax(b)", T(values), 0)
        call("a.logsumexp(b, c)", T(values), [0], True)


def images():
    odd = T([1, NAN, 3, INF, 5, -INF, 7, 8, 9], [1, 1, 3, 3])
    plain = T([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 1, 3, 3])
    for x, ceil in product([plain, odd], [True, False]):
        for kernel, stride, padding in (([2], [2], [1]), ([3], [], [0]), ([3], [2], [1]), ([2], [3], [0]), ([1], [1], [0])):
            call("F.max_pool2d(a, b, c, d, e, f, return_indices=True)", x, kernel, stride, padding, [1], ceil)
            for counts in (True, False):
                call("avg_pool2d(a, b, c, d, e, f)", x, kernel, stride, padding, ceil, counts)
        for size in ([1, 1], [2, 2], [3, 3], [5, 4]):
            call("F.adaptive_avg_pool2d(a, b)", x, size)
            call("F.adaptive_max_pool2d(a, b, return_indices=True)", x, size)
    for x, size in product([plain, odd], ([1, 1], [3, 3], [3, 5], [2, 3], [6, 2])):
        for align in (True, False):
            for op in ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
                if x is plain:
                    call(f"torch._C._nn.{op}(a, b, c, None, None)", x, size, align)
        call("torch._C._nn.upsample_nearest2d(a, b, None, None)", x, size)
        call("torch._C._nn._upsample_nearest_exact2d(a, b, None, None)", x, size)
    for mode, pads in product(["reflect", "replicate", "circular"], ([2, 2], [3, 0], [0, 3], [-1, 2], [-2, -1], [-3, 0])):
        call("F.pad(a, b, c)", T([1, 2, 3], [1, 1, 3]), pads, mode)
    for pads in ([2, 2], [-1, 2], [-2, -1], [-3, 0], [-4, 0], [0, 0]):
        call("F.pad(a, b, value=c)", T([1, 2, 3], [1, 1, 3]), pads, float("nan"))


def grids():
    image, volume = T(list(range(1, 10)), [1, 1, 3, 3]), C(list(range(1, 28)), [1, 1, 3, 3, 3])
    for mode, padding, align in product([0, 1, 2], [0, 1, 2], [True, False]):
        if mode != 2:
            for place, value in product(range(3), [INF, -INF, NAN]):
                point = [0.25, -0.5, 0.375]
                point[place] = value
                call("grid_sampler(a, b, c, d, e)", volume, C(point, [1, 1, 1, 1, 3]), mode, padding, align)
            call("grid_sampler(a, b, c, d, e)", C([5], [1, 1, 1, 1, 1]), C([INF, 0, NAN], [1, 1, 1, 1, 3]), mode, padding, align)
        # The gradient reads outside of the image in PyTorch.
        for place, value in product(range(2), [INF, -INF, NAN]):
            point = [0.25, -0.5]
            point[place] = value
            call("grid_sampler(a, b, c, d, e)", C(list(range(1, 10)), [1, 1, 3, 3]), C(point, [1, 1, 1, 2]), mode, padding, align)
        if mode == 1:
            call("grid_sampler(a, b, c, d, e)", C([INF, 1, 2, 3], [1, 1, 2, 2]), T([-1, -1, 0.75, 1], [1, 1, 2, 2]), mode, padding,
                 align)
        call("grid_sampler(a, b, c, d, e)", image, T([-1, 1, 1, -1, 0, 0, -1.25, 1.375], [1, 1, 4, 2]), mode, padding, align)


def products():
    bad, one = [NAN, INF, 1, 2], [1, 0, 0, 1]
    for beta, alpha in product([0, 1, 2.5], [0, 1, -1.5]):
        call("torch.addmm(a, b, c, beta=d, alpha=e)", T(bad, [2, 2]), T(one, [2, 2]), T([1, 2, 3, 4], [2, 2]), beta, alpha)
        call("torch.baddbmm(a, b, c, beta=d, alpha=e)", T(bad, [1, 2, 2]), T(one, [1, 2, 2]), T([1, 2, 3, 4], [1, 2, 2]), beta, alpha)
        call("torch.addmv(a, b, c, beta=d, alpha=e)", T([NAN, 1]), T(one, [2, 2]), T([1, 2]), beta, alpha)
        call("torch.addr(a, b, c, beta=d, alpha=e)", T([1, 2, 3, 4], [2, 2]), T([1, 2]), T([3, 4]), beta, alpha)
    for power in (0, 1, 2, 3, -1):
        call("a.matrix_power(b)", T([2, 1, 0, 1], [2, 2]), power)
    for k in (-3, -1, 0, 1, 3):
        call("a.tril(b)", T([1, NAN, 3, 4], [2, 2]), k)
        call("a.triu(b)", T([1, 2, NAN, 4], [2, 2]), k)


def infinities():
    for values, gradient in product([[2, 2, 2], [0, 0]], [INF, NAN]):
        call("a.std(b, correction=c, keepdim=d)", T(values), [0], 1, False, gradient=[gradient])
    for values in ([INF, 1, 2], [1, INF, INF, 2]):
        call("a.logcumsumexp(b)", T(values), 0)
    for shape in ([2, 4], [2, 2, 2]):  # fixed statistics
        channels = shape[1]
        call("F.batch_norm(a, d, e, b, c, f, g, h)", T([INF, 1, 2, 3, NAN, 2, 4, 7], shape), None, None,
             C([0.5] * channels), C([2] * channels), False, 0.1, 1e-5)
    call("F.binary_cross_entropy_with_logits(a, b, c, pos_weight=d, reduction=e)", T([-INF, INF, 2, -3]), T([0.5, 0, 1, 0.25]),
         None, C([1, 2, 1, 3]), "none")
    for dtype in ("bool", "int64"):
        call("a.nansum(b, c, dtype=d)", C([NAN, 2.5, NAN, NAN], [2, 2]), [1], False, dtype)
    for op in ("std", "var"):
        call(f"a.{op}(b, correction=c, keepdim=d)", C([1, 2, INF, 1], [2, 2], "float64"), [1], 1, False)
        call(f"torch.{op}_mean(a, b, correction=c, keepdim=d)", C([1, 2, INF, 1], [2, 2], "float64"), [0], 1, True)
    for width, gradient in product([3, 5], [1, INF]):  # at a border the window has fewer elements
        call("torch._C._nn._upsample_bilinear2d_aa(a, b, c, None, None)", T([1, 2, 3, INF], [1, 1, 1, 4]), [1, width], False,
             gradient=[gradient] * width)


for group in (quantiles, classes, spreads, by_index, ranks, scans, distances, reductions, orders, sequences, elementwise, losses,
              normalizations, images, grids, products, infinities):
    first = len(CALLS)
    group()
    for each in CALLS[first:]:  # whether the elements of a result are sums of terms of about one size
        each["sums"] = group in (normalizations, images, grids)
