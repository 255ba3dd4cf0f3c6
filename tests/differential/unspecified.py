"""Calls whose results PyTorch's documentation leaves open, and those that PyTorch gets wrong."""

import math

import torch

# Ops for which rounding may change the sizes of results.
SIZED_BY_VALUES = frozenset("unique unique_dim unique_consecutive nonzero argwhere nonzero_numpy masked_select "
                            "bincount".split())
# Ops whose results, or gradients, are rounding alone for matrices with equal or vanishing singular values.
DEGENERATE = frozenset("pinverse linalg_pinv linalg_cond linalg_qr linalg_svd linalg_svdvals linalg_matrix_norm "
                       "linalg_norm linalg_lstsq linalg_matrix_sqrth geqrf cholesky_inverse cholesky_solve".split())


def is_degenerate(matrices):
    x = matrices.detach()
    if x.dim() < 2 or not x.numel():
        return False
    if not bool(torch.isfinite(x).all()):
        return True
    values = torch.linalg.svdvals(x.double())
    return bool((values[..., 1:] >= values[..., :-1] * (1 - 1e-4)).any() or (
        values[..., -1] <= values[..., 0] * 1e-4).any())


class Skip(Exception):
    """A result that no program should hold."""


def storage_of(tensor):
    return tensor.untyped_storage()._cdata


def overflows(arguments):
    """The quotient of the smallest integer and -1 ends the process on x86."""
    first, second = [torch.as_tensor(a).detach() for a in arguments[:2]]
    return not first.is_floating_point() and first.dtype != torch.bool and bool(
        (first == torch.iinfo(first.dtype).min).any()) and bool((second == -1).any())


def near_limit(x, p, dim, limit):
    """Whether a norm is the limit of renorm, so that rounding decides about the gradient."""
    norms = x.movedim(dim, 0).flatten(1).norm(p, 1) if x.dim() > 1 else x.abs()
    return bool(((norms - limit).abs() < 1e-3).any())


def check_specified(form, tensors, arguments, taint, promised):
    """Skips calls that depend on what PyTorch's documentation leaves open."""
    first = tensors[0] if tensors else None
    if "layout" in form.traits and first.dim() > 1 and first.numel() > 1 and storage_of(first) not in promised:
        raise Skip()
    if form.op == "range" and len(arguments) > 3 and "int" in str(arguments[3]) and abs(arguments[2]) < 1:
        raise Skip()  # a division by the step 0, which ends the process
    if form.op == "detach_" and first._is_view():
        raise Skip()
    if form.op.startswith("as_strided") and first._is_view() and storage_of(first) not in promised:
        raise Skip()
    if "matrix_exp" in form.op and (first.dtype in (torch.float16, torch.bfloat16) or
                                    not bool((first.abs() < 100).all())):
        raise Skip()  # numbers that are not right
    if form.op.rstrip("_") in ("div", "floor_divide", "remainder", "fmod") and any(
            not t.is_floating_point() and taint(t)[0] == math.inf for t in tensors):
        raise Skip()  # a zero that only one side has
    if form.op.endswith("2d_aa") and arguments[1][-1:] == [1]:
        raise Skip()  # the first row in all rows
    if form.op in ("copysign", "copysign_", "signbit") and bool(tensors[-1].isnan().any()):
        raise Skip()  # the sign of NaN
    if (form.op in ("mode", "unique_dim") or form.op == "unique_consecutive" and "dim=b" in form.python) and bool(
            first.isnan().any()):
        raise Skip()  # sorts without an order for NaN
    if (form.op in SIZED_BY_VALUES or form.python == "torch.where(a)") and any(taint(t)[0] > 0 for t in tensors):
        raise Skip()
    if form.op == "unique" and first.is_floating_point() and first.isnan().sum() > 1:
        raise Skip()  # the order of several NaN
    if (form.op.rstrip("_") in ("gcd", "lcm") or form.op in ("div", "div_") and "trunc" in form.python) and overflows(
            arguments):
        raise Skip()  # ends the process
    if form.op in ("median", "nanmedian") and first.numel() == 0:
        raise Skip()  # NaN as an integer
    if form.op in ("topk", "kthvalue", "median", "nanmedian") and len(form.kinds) > 1 and (
            first.detach().unique().numel() != first.numel()):
        raise Skip()  # may choose any of equal elements
    if (form.op in DEGENERATE or "det" in form.op and first.requires_grad) and is_degenerate(first):
        raise Skip()
    if form.op.startswith(("linalg_lu", "linalg_matrix_rank")) and not bool(torch.isfinite(first).all()):
        raise Skip()
    tolerances = arguments[1:3] if form.op.startswith("linalg_matrix_rank") else []
    if 0.0 in tolerances and not any(tolerances) and is_degenerate(first):
        raise Skip()  # without a tolerance, rounding decides
    if "quantile" in form.op and first.requires_grad and first.detach().unique().numel() != first.numel():
        raise Skip()  # the gradient may go to any of equal elements
    if form.op in ("sort", "argsort", "mode") and "stable" not in form.python and first.numel() > 16:
        raise Skip()  # equal elements may change places
    if form.op == "renorm" and near_limit(first.detach().double(), *arguments[1:]):
        raise Skip()
    if form.op == "norm" and any(isinstance(a, float) and math.isnan(a) for a in arguments):
        raise Skip()
    if form.op in ("addmm_", "addmv_", "addbmm_", "baddbmm_", "masked_scatter_") and any(
            storage_of(t) == storage_of(first) for t in tensors[1:]):
        raise Skip()  # reads elements that it has written
    if form.op in ("searchsorted", "bucketize"):
        sequence = tensors[0 if form.op == "searchsorted" else 1].detach()
        if bool((sequence.sort()[0] != sequence).any()):
            raise Skip()
    if form.op in ("pairwise_distance", "cdist", "pdist", "dist") and any(
            isinstance(p, float) and 0 < p < 0.1 for p in arguments[1:3]):
        raise Skip()  # a power that magnifies the rounding
    by_index = any(part in form.op for part in ("index_", "put_", "scatter_"))
    if form.in_place and any(t is not first and storage_of(t) == storage_of(first) and t.numel() > 0 and
                             (by_index or t.shape != first.shape or t.stride() != first.stride() or
                              t.storage_offset() != first.storage_offset()) for t in tensors[1:]):
        raise Skip()  # an input that overlaps what is written
