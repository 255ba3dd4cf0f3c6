"""What edge_calls.py makes its calls of."""

import math

INF, NAN = math.inf, math.nan
CALLS = []


def T(values, shape=None, dtype="float32", grad=True):
    """A tensor."""
    return (values, shape, dtype, grad)


def C(values, shape=None, dtype="float32"):
    """A tensor without a gradient."""
    return T(values, shape, dtype, False)


def I(*values, shape=None):
    """Indices."""
    return T(list(values), shape, "int64")


def call(form, *arguments, gradient=None):
    """Adds a call; `gradient` holds the elements of the gradient of its first result."""
    # JSON lacks some numbers.
    arguments = [str(a) if isinstance(a, float) and not math.isfinite(a) else a for a in arguments]
    CALLS.append({"about": f"{form}, call {len(CALLS)}", "f": form, "a": arguments, "gradient": gradient})
