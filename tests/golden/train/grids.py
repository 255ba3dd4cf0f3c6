#!/usr/bin/env python3
"""Writes grids.json: pictures of torchvision's make_grid and the bytes that its save_image writes. Run in this folder with
a Python that has both: PYTHONPATH=.. python3 grids.py"""
import io

import numpy as np
import torch
from PIL import Image
from torchvision.utils import make_grid, save_image

from lines import entry, write

torch.manual_seed(3)


def case(name, images, **options):
    file = io.BytesIO()
    save_image(images, file, format="png", **options)
    pixels = torch.from_numpy(np.array(Image.open(file))).permute(2, 0, 1)
    return {"name": name, "images": entry(images), "options": options, "grid": entry(make_grid(images, **options)), "pixels": entry(pixels)}


grey, colour = torch.rand(5, 1, 2, 3), torch.randn(3, 3, 2, 2)
write("grids.json", {"grids": [
    case("grey", grey),
    case("rows of two", grey, nrow=2, padding=1, pad_value=0.3),
    case("no padding", grey, nrow=3, padding=0),
    case("one image in a batch", grey[:1], padding=5),
    case("one image", colour[0]),
    case("one grey image", grey[0]),
    case("a matrix", grey[0, 0]),
    case("clipped", colour),
    case("normalized", colour, normalize=True, nrow=2),
    case("normalized alone", colour, normalize=True, scale_each=True),
    case("in a range", colour, normalize=True, value_range=(-0.5, 1.5)),
    case("constant", torch.full((2, 3, 2, 2), 7.0), normalize=True, scale_each=True),
    case("RGBA", torch.rand(2, 4, 2, 2), pad_value=1.0),
    case("float64", colour.double(), normalize=True),
]})
