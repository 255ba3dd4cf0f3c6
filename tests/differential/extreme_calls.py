"""Calls of edges.py with finite numbers whose squares, products or sums leave the range of float32. PyTorch's float32 gives
infinity, NaN or 0, so it answers in float64."""

from edge_call import CALLS, C, T, call


def extremes():
    base = [1, -2, 0.5, 3, 1.5, -1, 2, 0.25]
    for size in (1e-30, 1e10, 1e15, 1e19, 3e19, 1e25, 1e30, 1e38):
        x = [v * size for v in base]
        for eps in (1e-5, 0.0):
            weight = T([1, 0.5, 2, 1])
            call("F.layer_norm(a, b, c, d, e)", T(x, [2, 4]), [4], weight, T([1, 2, 3, 4]), eps)
            call("F.rms_norm(a, b, c, d)", T(x, [2, 4]), [4], weight, eps)
            call("torch.group_norm(a, b, c, d, e)", T(x, [1, 4, 2]), 2, weight, None, eps)
            call("F.instance_norm(a, None, None, b, c, True, 0.1, d)", T(x, [1, 2, 4]), None, None, eps)
        for shape in ([4, 2], [1, 2, 4]):
            call("F.batch_norm(a, d, e, b, c, f, g, h)", T(x, shape), T([0.5, 2]), T([1, -1]), None, None, True, 0.1, 1e-5)
            call("F.batch_norm(a, d, e, b, c, f, g, h)", T(x, shape), T([0.5, 2]), None, C([2 * size, -2 * size]),
                 C([min(size * size, 3e38), size]), False, 0.1, 1e-5)
        for op in ("std", "var"):
            call(f"a.{op}(b, correction=c, keepdim=d)", T(x), [0], 1, False)
            call(f"a.{op}(b, correction=c, keepdim=d)", T(x * 5, [20, 2]), [0], 1, False)
        call("torch.var_mean(a, b, correction=c, keepdim=d)", T(x), [0], 1, False)
    for values in ([1e-30, 1e-30, 1e30, 1e30], [1e30, 1e30, 1e-30, 1e-30], [1e-20, 2, 1e30, 1e30], [1e20, 1e20, 1e20, -1e-30],
                   [1e-30, 1e30] * 4):
        call("a.cumprod(b)", T(values), 0)
        call("a.prod(b, c)", T(values), 0, False)
    call("a.cumsum(b)", T([3e38, 3e38, -3e38, -3e38, 1]), 0)
    call("F.instance_norm(a, None, None, b, c, True, 0.1, d)", T([2, 2, 2, 2, 1, 3, -1, 5], [1, 2, 4]), None, None, 0.0)
    for matrix in ([-3e38, 3e38, 0, -3e38], [3e38] * 4, [-3e38, 0, 0, -3e38], [-1e30, 0, 1e3, -1e30]):
        call("torch.linalg.matrix_exp(a)", C(matrix, [2, 2]))
    near_pole = [-1e-300, -1e-20, -1e-10, 1e-20, 1e-10, -1e-3]
    for values, dtype in ((near_pole[1:], "float32"), (near_pole, "float64")):
        for order in (1, 2):
            call("a.polygamma(b)", C(values, None, dtype), order)


before = len(CALLS)
extremes()
EXTREMES = [{**each, "sums": True} for each in CALLS[before:]]
del CALLS[before:]
