"""The lines of bandwidth.cpp for PyTorch: nanoseconds of ops that only wait for a GPU's memory."""

import torch

from queued import need_gpu, report


def measure(bits, dtype, name):
    rows, columns = 1 << (bits - bits // 2), 1 << bits // 2
    x = torch.rand(rows, columns, device="cuda").to(dtype)
    y = torch.rand_like(x)
    row = y[0].clone()
    images = x.view(-1, 8, rows // 8, columns // 8)
    for op, step in {
        "copy": lambda: y.copy_(x),
        "multiply by a number": lambda: x.mul(0.5),
        "add two tensors": lambda: x.add(y),
        "add in place": lambda: y.add_(x, alpha=0.0),
        "add a row": lambda: x.add(row),
        "exp": lambda: x.exp(),
        "gelu": lambda: torch.nn.functional.gelu(x),
        "sum": lambda: x.sum(),
        "sum of rows": lambda: x.sum(1),
        "sum of columns": lambda: x.sum(0),
        "maximum of rows": lambda: x.amax(1),
        "softmax of rows": lambda: x.softmax(1),
        "softmax of columns": lambda: x.softmax(0),
        "layer norm": lambda: torch.nn.functional.layer_norm(x, (columns,)),
        "transpose": lambda: x.t().contiguous(),
        "channels last": lambda: images.contiguous(memory_format=torch.channels_last),
    }.items():
        report(f"{op}, {name}", step)


def main():
    need_gpu()
    with torch.no_grad():
        measure(26, torch.float32, "float32")
        measure(26, torch.float16, "float16")


if __name__ == "__main__":
    main()
