#!/usr/bin/env python3
"""Writes memory_formats.json, the strides that PyTorch gives results of images and their gradients. Run in this
folder: PYTHONPATH=.. python3 memory_formats.py"""
import torch
import torch.nn.functional as F

from lines import write

torch.set_num_threads(1)
SIZES = [(2, 3, 4, 6), (2, 1, 4, 6), (2, 4, 1, 1), (1, 3, 4, 6), (1, 1, 4, 6), (2, 4, 1, 6), (2, 4, 6, 1), (2, 1, 1, 1),
         (2, 3, 4, 6, 4), (2, 1, 4, 6, 4), (2, 4, 1, 1, 1)]


def last(x):
    return torch.channels_last if x.dim() == 4 else torch.channels_last_3d


def strides(shape):
    """The strides of a channels-last tensor, also where PyTorch's copies keep others."""
    return torch.empty(shape, memory_format=torch.channels_last if len(shape) == 4 else torch.channels_last_3d).stride()


LAYOUTS = {
    "contiguous": torch.rand,
    "channels last": lambda s: torch.rand(s).contiguous(memory_format=last(torch.rand(s))),
    "exactly channels last": lambda s: torch.rand(s).as_strided(s, strides(s)),
    "part": lambda s: torch.rand(s[:1] + (2 * s[1],) + s[2:]).contiguous(
        memory_format=last(torch.rand(s)))[:, :s[1]],
}


def ones(x, *shape):
    return torch.ones(shape + (3,) * (x.dim() - 2))


def each(x, number):
    return (number,) * (x.dim() - 2)


def conv(x, weight, **options):
    return (F.conv2d if x.dim() == 4 else F.conv3d)(x, weight, **options)


def transposed(x, weight):
    return (F.conv_transpose2d if x.dim() == 4 else F.conv_transpose3d)(x, weight, stride=2)


def resized(mode):
    return lambda x: F.interpolate(x, scale_factor=2.0, mode=mode)


def like_last(x, *shape):
    weight = ones(x, *shape)
    return weight.contiguous(memory_format=last(weight))


PLAIN = {
    "clone": lambda x: x.clone(),
    "clone channels last": lambda x: x.clone(memory_format=last(x)),
    "clone contiguous": lambda x: x.clone(memory_format=torch.contiguous_format),
    "to double": lambda x: x.double(),
    "to channels last": lambda x: x.to(memory_format=last(x)),
    "to contiguous": lambda x: x.to(memory_format=torch.contiguous_format),
    "contiguous channels last": lambda x: x.contiguous(memory_format=last(x)),
    "zeros_like": torch.zeros_like,
    "zeros_like channels last": lambda x: torch.zeros_like(x, memory_format=last(x)),
    "empty_like contiguous": lambda x: torch.empty_like(x, memory_format=torch.contiguous_format),
    "relu": F.relu,
    "add number": lambda x: x + 1,
    "add channels": lambda x: x + torch.ones((1, x.size(1)) + each(x, 1)),
    "channels add": lambda x: torch.ones((1, x.size(1)) + each(x, 1)) + x,
    "add contiguous": lambda x: x + torch.ones(x.shape),
    "contiguous add": lambda x: torch.ones(x.shape) + x,
    "cat": lambda x: torch.cat([x, x], 1),
    "cat contiguous": lambda x: torch.cat([x, torch.ones(x.shape)], 1),
    "pad": lambda x: F.pad(x, (1, 1) * (x.dim() - 2)),
    "layer_norm": lambda x: F.layer_norm(x, [x.size(-1)]),
    "max indices": lambda x: (F.max_pool2d if x.dim() == 4 else F.max_pool3d)(x, 3, 2, 1, return_indices=True)[1],
    "nearest": resized("nearest"),
    "pixel_shuffle": lambda x: F.pixel_shuffle(torch.cat([x] * 4, 1), 2) if x.dim() == 4 else None,
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(torch.cat([torch.cat([x, x], 2)] * 2, 3), 2) if x.dim() == 4 else None,
    "linear": lambda x: resized("bilinear" if x.dim() == 4 else "trilinear")(x),
    "bicubic": lambda x: resized("bicubic")(x) if x.dim() == 4 else None,
    "global average": lambda x: F.adaptive_avg_pool2d(x, 1) if x.dim() == 4 else None,
    "unpool": lambda x: F.max_unpool2d(x, torch.arange(x.numel()).view(x.shape) % 4, 2) if x.dim() == 4 else None,
    "fractional": lambda x: F.fractional_max_pool2d(x, 1, output_size=1, _random_samples=torch.zeros(
        x.size(0), x.size(1), 2)) if x.dim() == 4 else None,
    "area": resized("area"),
}
WITH_GRADIENT = {
    "conv": lambda x: conv(x, ones(x, 5, x.size(1)), padding=1),
    "conv, weight channels last": lambda x: conv(x, like_last(x, 5, x.size(1)), padding=1),
    "conv to 1": lambda x: conv(x, ones(x, 1, x.size(1)), padding=1),
    "conv 1x1": lambda x: F.conv2d(x, torch.ones(5, x.size(1), 1, 1)),
    "depthwise": lambda x: conv(x, ones(x, x.size(1), 1), padding=1, groups=x.size(1)),
    "transposed": lambda x: transposed(x, ones(x, x.size(1), 5)),
    "transposed, weight channels last": lambda x: transposed(x, like_last(x, x.size(1), 5)),
    "max": lambda x: (F.max_pool2d if x.dim() == 4 else F.max_pool3d)(x, 3, 2, 1),
    "avg": lambda x: (F.avg_pool2d if x.dim() == 4 else F.avg_pool3d)(x, 3, 1, 1),
    "adaptive avg": lambda x: (F.adaptive_avg_pool2d if x.dim() == 4 else F.adaptive_avg_pool3d)(x, 2),
    "adaptive max": lambda x: (F.adaptive_max_pool2d if x.dim() == 4 else F.adaptive_max_pool3d)(x, 2),
    "batch_norm": lambda x: F.batch_norm(x, torch.zeros(x.size(1)), torch.ones(x.size(1))),
    "batch_norm training": lambda x: F.batch_norm(x, None, None, training=True),
    "group_norm": lambda x: F.group_norm(x, 1),
    "replicate": lambda x: F.pad(x, (1, 1) * (x.dim() - 2), mode="replicate"),
}
entries = {"sizes": [list(s) for s in SIZES]}
for name, op in {**PLAIN, **WITH_GRADIENT}.items():
    for layout, make in LAYOUTS.items():
        rows = []
        for size in SIZES:
            x = make(size)
            x = x.detach().requires_grad_() if name in WITH_GRADIENT else x
            try:
                out = op(x)
            except (RuntimeError, ValueError):
                out = None
            row = [] if out is None else [list(out.stride())]
            if row and name in WITH_GRADIENT:
                row.append(list(torch.autograd.grad(out, x, torch.ones(out.shape))[0].stride()))
            rows.append(row)
        entries[f"{name}: {layout}"] = rows
write("memory_formats.json", entries)
