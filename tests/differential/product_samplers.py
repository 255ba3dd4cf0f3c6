"""Arguments that fit, for products over chosen dimensions, distances and linear algebra."""

import math


def added(g, op, d):
    b, n, k, m = g.size(), g.size(), g.size(), g.size()
    shapes = {"addmv": ([n], [n, k], [k]), "addr": ([n, m], [n], [m]),
              "baddbmm": ([b, n, m], [b, n, k], [b, k, m]), "addbmm": ([n, m], [b, n, k], [b, k, m]),
              "addmm": ([n, m], [n, k], [k, m])}
    return [list(shape) for shape in shapes[op]]


def einsum(g, form, d):
    i, j, k = g.size(), g.size(), g.size()
    if "ij,jk->ik" in form.python:
        shapes = [[i, j], [j, k]]
    elif "..." in form.python:
        shapes = [g.pick([[], [k]]) + [i], g.pick([[], [k], [j, k]]) + [i]]
    else:
        shapes = [[i, j], [j], [j, k]]
    return [[g.tensor(shape, d) for shape in shapes]]


def chain(g, d):
    sizes = [g.size() for _ in range(g.pick([3, 4, 5]))]
    shapes = [[a, b] for a, b in zip(sizes, sizes[1:])]
    if g.chance(0.2):
        shapes[0] = shapes[0][1:]
    return [[g.tensor(shape, d) for shape in shapes]]


def distances(g, form, d):
    p = g.pick([0.0, 1.0, 2.0, 3.0, "inf"])
    m = g.pick([1, 2, 3])
    if form.op == "pdist":
        return [g.tensor([g.pick([1, 2, 3, 4]), m], d), p]
    if form.op == "cdist":
        lead = g.pick([[], [], [2]])
        return [g.tensor(lead + [g.size(), m], d), g.tensor(g.pick([[], lead]) + [g.size(), m], d), p]
    shape = g.pick([[3], [2, 3]])
    if form.op == "pairwise_distance":
        return [g.tensor(shape, d), g.tensor(g.pick([shape, [3]]), d), p, g.pick([1e-6, 0.5]), g.chance(0.5)]
    return [g.tensor(shape, d), g.tensor(shape, d), g.random.randint(-len(shape), len(shape) - 1),
            g.pick([1e-8, 0.5])]


def cholesky(g, form, d):
    n, lead = g.pick([1, 2, 3]), g.pick([[], [], [2]])
    values = [(g.random.randint(-4, 4) / 4 + (4 if i // n % n == i % n else 0))
              for i in range(math.prod(lead) * n * n)]
    factor = g.make(lead + [n, n], d, values)
    if form.op == "cholesky_inverse":
        return [factor, g.chance(0.5)]
    return [factor, g.tensor(g.pick([[n, 2], lead + [n, 1]]), d), g.chance(0.5)]


def products(g, form):
    d, op = g.main, form.op.rstrip("_")
    if op in ("addmm", "addmv", "addr", "baddbmm", "addbmm"):
        shapes = added(g, op, d)
        if form.kinds and not form.in_place and g.chance(0.3):
            shapes[0] = shapes[0][1:]
        return [g.tensor(shape, d) for shape in shapes] + [g.number(), g.number()]
    if op in ("cdist", "pdist", "pairwise_distance", "cosine_similarity"):
        return distances(g, form, d)
    if op.startswith("cholesky"):
        return cholesky(g, form, d)
    if op == "einsum":
        return einsum(g, form, d)
    if op == "linalg_multi_dot" or op == "multi_dot":
        return chain(g, d)
    n, k = g.size(), g.size()
    if op in ("vdot", "outer"):
        return [g.tensor([n], d), g.tensor([n] if op == "vdot" else [k], d)]
    if op == "inner":
        return [g.tensor(g.pick([[n], [k, n]]), d), g.tensor(g.pick([[n], [2, n]]), d)]
    if op in ("matrix_power", "linalg_matrix_power"):
        return [g.tensor(g.pick([[n, n], [2, n, n]]), d), g.pick([0, 1, 2, 3])]
    if op in ("matrix_exp", "linalg_matrix_exp"):
        return [g.tensor(g.pick([[n, n], [2, n, n]]), d)]
    if op == "tensordot":
        return [g.tensor([n, k], d), g.tensor([k, n], d), g.pick([0, 1])]
    if op == "kron":
        return [g.tensor(g.pick([[2], [2, n]]), d), g.tensor(g.pick([[2], [k, 2]]), d)]
    if op in ("cross", "linalg_cross"):
        shape = g.pick([[3], [2, 3], [3, 3]])
        dims = [len(shape) - 1] if len(form.kinds) == 3 else []
        return [g.tensor(shape, d), g.tensor(shape, d)] + dims
    if op in ("vecdot", "linalg_vecdot"):
        return [g.tensor([n, k], d), g.tensor(g.pick([[n, k], [k]]), d), -1]
    if op == "bilinear":
        out, lead = g.size(), g.pick([[], [n], [n, 2]])
        return [g.tensor(lead + [2], d), g.tensor(lead + [k], d), g.tensor([out, 2, k], d),
                None if g.chance(0.5) else g.tensor([out], d)]
    return [g.tensor([g.pick([1, 2, 3])], d)] + ([g.chance(0.5)] if len(form.kinds) == 2 else [])
