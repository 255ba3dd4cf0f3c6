"""Dimensions and indices, for the other samplers."""


def dims_of(g, n):
    return g.t(n).dim()


def dim_of(g, n, extra=0):
    dim = max(dims_of(g, n) + extra, 1)
    return g.random.randint(-dim, dim - 1)


def index_of(g, size):
    return g.random.randint(-size, size - 1) if size else 0
