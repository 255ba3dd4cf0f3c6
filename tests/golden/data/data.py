#!/usr/bin/env python3
"""Writes data.json: what torch.utils.data and torchvision draw and compute. Run in this folder:
PYTHONPATH=.. python3 data.py (needs torchvision, on an x86 machine with AVX2).
"""
import torch
from torch.utils.data import (BatchSampler, DataLoader, DistributedSampler, RandomSampler,
                              SequentialSampler, SubsetRandomSampler, WeightedRandomSampler, random_split)
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

from lines import entry, write

BILINEAR, NEAREST = v2.InterpolationMode.BILINEAR, v2.InterpolationMode.NEAREST


def drawn(make, epochs=2):
    """Two epochs of a sampler after the seed 3, and the next number of the generator."""
    torch.manual_seed(3)
    sampler = make()
    return {"epochs": [list(sampler) for _ in range(epochs)], "next": torch.rand(1).item()}


def loader_orders(generator, **options):
    torch.manual_seed(3)
    g = torch.Generator().manual_seed(5) if generator else None
    loader = DataLoader(range(10), batch_size=4, sampler=RandomSampler(range(10), generator=g, **options),
                        generator=g)
    return {"epochs": [[i for batch in loader for i in batch.tolist()] for _ in range(2)],
            "next": torch.rand(1).item()}


def distributed():
    cases = []
    for size, replicas, shuffle, drop_last in [(10, 3, True, False), (10, 3, True, True), (10, 3, False, False),
                                               (2, 5, True, False), (12, 4, False, True), (11, 4, True, True)]:
        for rank in range(replicas):
            sampler = DistributedSampler(range(size), replicas, rank, shuffle, seed=7, drop_last=drop_last)
            epochs = []
            for epoch in range(2):
                sampler.set_epoch(epoch)
                epochs.append(list(sampler))
            cases.append({"size": size, "replicas": replicas, "rank": rank, "shuffle": shuffle,
                          "drop_last": drop_last, "epochs": epochs})
    return cases


def splits():
    cases = []
    for size, lengths in [(10, [7, 3]), (10, [0.5, 0.5]), (11, [0.3, 0.3, 0.4]), (10, [0.7, 0.2, 0.1]),
                          (7, [0.1] * 10), (3, [3]), (5, [0.8, 0.1, 0.1])]:
        torch.manual_seed(3)
        cases.append({"size": size, "lengths": lengths,
                      "parts": [part.indices for part in random_split(range(size), lengths)]})
    return cases


def picture(dtype, height, width, channels=3):
    generator = torch.Generator().manual_seed(height * 100 + width)
    image = torch.randint(0, 256, (channels, height, width), generator=generator, dtype=torch.uint8)
    return image if dtype == torch.uint8 else image.to(torch.float32).mul(1 / 255)


def operations():
    """name, input sizes, arguments and result of the operations on both dtypes."""
    cases = []

    def add(name, function, height, width, channels=3, *arguments):
        for dtype in torch.uint8, torch.float32:
            image = picture(dtype, height, width, channels)
            cases.append({"name": name, "arguments": list(arguments), "image": entry(image),
                          "result": entry(function(image).contiguous())})

    for sizes in [(7, 9, 4, 5), (5, 4, 8, 11), (16, 3, 2, 3), (3, 4, 2, 2), (9, 7, 9, 3)]:
        h, w, oh, ow = sizes
        add("resize", lambda x: F.resize(x, [oh, ow]), h, w, 3, oh, ow)
        add("resize_plain", lambda x: F.resize(x, [oh, ow], antialias=False), h, w, 3, oh, ow)
        add("resize_nearest", lambda x: F.resize(x, [oh, ow], NEAREST), h, w, 3, oh, ow)
    add("resize_edge", lambda x: F.resize(x, [4]), 6, 9, 1, 4)
    add("resize_edge", lambda x: F.resize(x, [5]), 8, 7, 1, 5)
    for arguments in [(1, 2, 3, 2), (-1, -2, 4, 5), (4, 3, 5, 4), (8, 9, 2, 2)]:
        add("crop", lambda x: F.crop(x, *arguments), 5, 6, 1, *arguments)
    for size in [(3, 3), (4, 2), (7, 7), (8, 3)]:
        add("center_crop", lambda x: F.center_crop(x, size), 5, 6, 1, *size)
    add("pad", lambda x: F.pad(x, [1, 2, 3, 0], fill=1), 2, 3, 1, 1, 2, 3, 0)
    add("horizontal_flip", F.horizontal_flip, 2, 3)
    add("vertical_flip", F.vertical_flip, 3, 2)
    for angle in [0, 90, 180, 270, 30, -17.5, 400]:
        add("rotate", lambda x: F.rotate(x, angle, NEAREST, fill=None), 6, 6, 1, angle)
        add("rotate_bilinear", lambda x: F.rotate(x, angle, BILINEAR, fill=1), 5, 7, 1, angle)
    for factor in [0.0, 0.7, 1.0, 1.6]:
        for name in ["brightness", "contrast", "saturation"]:
            function = getattr(F, f"adjust_{name}")
            add(name, lambda x: function(x, factor), 3, 4, 3, factor)
    add("brightness", lambda x: F.adjust_brightness(x, 1.3), 3, 4, 1, 1.3)
    add("contrast", lambda x: F.adjust_contrast(x, 0.6), 3, 4, 1, 0.6)
    for factor in [-0.5, -0.2, 0.0, 0.13, 0.5]:
        add("hue", lambda x: F.adjust_hue(x, factor), 4, 5, 3, factor)
    add("grayscale", lambda x: F.rgb_to_grayscale(x, 1), 3, 4, 3, 1)
    add("grayscale", lambda x: F.rgb_to_grayscale(x, 3), 3, 4, 3, 3)
    add("to_float", lambda x: F.to_dtype(x, torch.float32, scale=True), 3, 4)
    add("to_uint8", lambda x: F.to_dtype(x, torch.uint8, scale=True), 3, 4)
    return cases


def random_transforms():
    """Results of random transforms, one after the other from one seed."""
    cases = []
    for name, transform in [
            ("horizontal_flip", v2.RandomHorizontalFlip()), ("vertical_flip", v2.RandomVerticalFlip(0.3)),
            ("crop", v2.RandomCrop(4)), ("crop_padded", v2.RandomCrop((5, 3), padding=2)),
            ("crop_if_needed", v2.RandomCrop((9, 4), pad_if_needed=True)),
            ("resized_crop", v2.RandomResizedCrop((4, 5))),
            ("resized_crop_wide", v2.RandomResizedCrop((3, 3), scale=(2.0, 3.0))),
            ("rotation", v2.RandomRotation(40)), ("rotation_bilinear", v2.RandomRotation((10, 80), BILINEAR, fill=2)),
            ("jitter", v2.ColorJitter(0.4, 0.3, 0.5, 0.1)), ("jitter_some", v2.ColorJitter((0.5, 0.9), hue=(-0.3, 0.2))),
            ("grayscale", v2.RandomGrayscale(0.5))]:
        torch.manual_seed(11)
        image = picture(torch.uint8, 7, 6)
        cases.append({"name": name, "image": entry(image),
                      "results": [entry(transform(image).contiguous()) for _ in range(6)],
                      "next": torch.rand(1).item()})
    return cases


write("data.json", {
    "subset_random": drawn(lambda: SubsetRandomSampler([4, 9, 1, 7, 3])),
    "weighted": drawn(lambda: WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 12)),
    "weighted_once": drawn(lambda: WeightedRandomSampler([0.9, 0.4, 0.05, 0.2, 0.3, 0.1], 5, False)),
    "batches": [list(BatchSampler(SequentialSampler(range(10)), 3, drop)) for drop in (False, True)],
    "random": loader_orders(False),
    "random_replacement": loader_orders(False, replacement=True, num_samples=37),
    "random_more": loader_orders(False, num_samples=25),
    "random_fewer": loader_orders(False, num_samples=4),
    "random_generator": loader_orders(True),
    "random_generator_replacement": loader_orders(True, replacement=True, num_samples=6),
    "random_generator_more": loader_orders(True, num_samples=23),
    "distributed": distributed(),
    "splits": splits(),
    "operations": operations(),
    "random_transforms": random_transforms(),
})
