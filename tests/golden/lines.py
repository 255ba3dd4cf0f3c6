"""Golden files as JSON with one line per entry. golden.h reads them."""
import json
import math

import numpy as np
import torch


def number(value):
    """Infinities and NaN as strings: JSON has no numbers for them."""
    return value if math.isfinite(value) else str(value)


def numbers(tensor):
    """The elements in row-major order, as the shortest decimals that read back to the same bits."""
    tensor = tensor.detach().flatten()
    values = tensor.tolist()
    if tensor.dtype == torch.float32:
        values = [float(str(np.float32(value))) for value in values]
        back = torch.tensor(values, dtype=torch.float64).to(torch.float32)
        assert torch.equal(back.view(torch.int32), tensor.contiguous().view(torch.int32))
    return [number(value) for value in values]


def entry(tensor):
    """A tensor with its dtype and shape."""
    return {"dtype": str(tensor.dtype)[6:], "shape": list(tensor.shape), "data": numbers(tensor)}


def write(path, entries):
    """Writes a dictionary. A list of lists or dictionaries takes one line per element."""
    def compact(value):
        return json.dumps(value, separators=(",", ":"))

    def text(value):
        if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
            return "[\n" + ",\n".join(compact(element) for element in value) + "]"
        return compact(value)

    entries = {"torch": torch.__version__.split("+")[0], **entries}
    with open(path, "w") as file:
        file.write("{" + ",\n".join(f"{compact(k)}: {text(v)}" for k, v in entries.items()) + "}\n")
