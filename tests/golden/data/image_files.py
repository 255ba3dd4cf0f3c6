#!/usr/bin/env python3
"""Writes images/ and images.json: files of each kind and their pixels in each ImageMode as Pillow decodes them. Run in this
folder: python3 image_files.py (needs Pillow).
"""
import json
import os

import numpy as np
from PIL import Image

os.makedirs("images", exist_ok=True)
Y, X = np.mgrid[0:14, 0:21]
RGB = np.stack([10 * X + 3, 16 * Y + 5, 200 - 4 * X - 6 * Y], axis=2).astype(np.uint8)
GRAY = (9 * X + 4 * Y).astype(np.uint8)
ALPHA = np.concatenate([RGB, (255 - GRAY)[..., None]], axis=2)

Image.fromarray(RGB).save("images/rgb.jpg", quality=90)
Image.fromarray(RGB).save("images/progressive.jpg", quality=90, progressive=True, subsampling=0)
Image.fromarray(GRAY).save("images/gray.jpg", quality=95)
Image.fromarray(RGB).convert("CMYK").save("images/cmyk.jpg", quality=95)
Image.fromarray(RGB).save("images/rgb.png")
Image.fromarray(GRAY).save("images/gray.png")
Image.fromarray(ALPHA).save("images/rgba.png")
Image.fromarray(RGB).quantize(16).save("images/palette.png")
Image.fromarray((GRAY > 100)).save("images/bits.png")
Image.fromarray(GRAY.astype(np.uint16) * 257).save("images/gray16.png")

files = {}
for name in sorted(os.listdir("images")):
    image = Image.open(f"images/{name}")
    if image.mode == "I;16":
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    pixels = np.asarray(image.convert("RGB")).transpose(2, 0, 1)
    files[name] = pixels.flatten().tolist()
    files[f"{name} gray"] = np.asarray(image.convert("L")).flatten().tolist()
    if len(image.getbands()) == 4:
        channels = np.asarray(image).transpose(2, 0, 1)  # Pillow inverts the inks of CMYK
        files[f"{name} unchanged"] = (255 - channels if image.mode == "CMYK" else channels).flatten().tolist()
with open("images.json", "w") as file:
    file.write("{" + ",\n".join(f'"{name}": {json.dumps(pixels, separators=(",", ":"))}'
                                for name, pixels in files.items()) + "}\n")
