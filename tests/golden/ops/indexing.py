"""Writes indexing.json: random cases of x[...], x[...] = values and index_put_ of 2.15.0, for tests/ops/index/indexing_test.cpp.
Run in this folder: PYTHONPATH=.. python3 indexing.py [COUNT [SEED]]

A case is {"x": sizes of arange, "i": the indices, "o": [sizes, elements] of x[i], "v": whether it is a view, "put": sizes of
the values -1, -2, .., "p": what becomes of x, "add": whether they are added}. A case that fails has only "x" and "i". Indices:
a number, "..", null for None, true, false, [start, stop, step], {"t": sizes, "d": elements} for a tensor of int64, {"m": ..}
for a mask.
"""
import random
import sys
import warnings

import torch

from lines import write


def draw_index(r, sizes, bad):
    """Indices of a tensor with these sizes: as JSON."""
    items, dim, ndim = [], 0, len(sizes)
    index_shape = r.choice([[2], [3], [1], [2, 2], [], [0]])
    while dim < ndim and r.random() < 0.8:
        size = sizes[dim]
        kind = r.choice("iisssttmb")
        if kind == "i" and size:
            items.append(r.randint(-size, size - 1) if not bad or r.random() < 0.5 else size + 1)
        elif kind == "t" and size:
            shape = index_shape if r.random() < 0.8 else [1] * len(index_shape)
            if bad and r.random() < 0.3:
                shape = [4]
            count = torch.Size(shape).numel()
            items.append({"t": shape, "d": [r.randint(-size, size - 1 + bad) for _ in range(count)]})
        elif kind == "m":
            count = r.randint(1, min(2, ndim - dim))
            shape = sizes[dim:dim + count]
            if bad and r.random() < 0.5:
                shape = [s + 1 for s in shape]
            chance = r.choice([0.5, 0.5, 0, 1])
            items.append({"m": shape, "d": [int(r.random() < chance) for _ in range(torch.Size(shape).numel())]})
            dim += count - 1
        else:
            bound = lambda: r.choice([None, r.randint(-size - 1, size + 1)])
            items.append([bound(), bound(), r.choice([None, 1, 1, 2, 3])])
        dim += 1
    if r.random() < 0.3:
        items.insert(r.randint(0, len(items)), "..")
        # Dimensions behind the ellipsis are the last ones: what was drawn may not fit any more.
    for extra in (None, None, True, False):
        if r.random() < (0.1 if extra is None else 0.03):
            items.insert(r.randint(0, len(items)), extra)
    return items


def python_index(item):
    if item == "..":
        return ...
    if isinstance(item, list):
        return slice(*item)
    if isinstance(item, dict):
        return (torch.tensor(item["d"], dtype=torch.int64).reshape(item["t"]) if "t" in item
                else torch.tensor(item["d"], dtype=torch.bool).reshape(item["m"]))
    return item


def draw(r):
    sizes = [r.choice([1, 2, 3, 4, 4, 5, 0 if r.random() < 0.2 else 3]) for _ in range(r.randint(1, 4))]
    case = {"x": sizes, "i": draw_index(r, sizes, bad=int(r.random() < 0.08))}
    x = torch.arange(torch.Size(sizes).numel(), dtype=torch.float32).reshape(sizes)
    index = tuple(map(python_index, case["i"]))
    try:
        out = x[index]
    except (IndexError, RuntimeError, ValueError):
        return case
    elements = out.reshape(-1).to(torch.int64).tolist()
    if len(elements) > 60:
        return None
    case["o"] = [list(out.shape), elements]
    case["v"] = out.numel() > 0 and out.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    values = [s if r.random() < 0.8 else 1 for s in out.shape][r.choice([0, 0, 0, 1]):]
    case["put"], case["add"] = values, r.random() < 0.5
    # PyTorch does not say which of several values for one element stays.
    if not case["add"] and len(set(elements)) < len(elements):
        values = case["put"] = []
    source = -1 - torch.arange(torch.Size(values).numel(), dtype=torch.float32).reshape(values)
    if case["add"]:  # through the gradient, which adds: x[index] += values would not
        weight = source.expand(out.shape)
        leaf = x.clone().requires_grad_()
        x = x + torch.autograd.grad(leaf[index], leaf, weight)[0]
    else:
        x[index] = source
    case["p"] = x.reshape(-1).to(torch.int64).tolist()
    return case


def main():
    warnings.simplefilter("ignore")
    count, seed = map(int, (sys.argv[1:3] + ["300", "56000000"][len(sys.argv[1:3]):]))
    r = random.Random(seed)
    cases = []
    while len(cases) < count:
        case = draw(r)
        if case is not None:
            cases.append(case)
    write("indexing.json", {"cases": cases})


if __name__ == "__main__":
    main()
