#!/usr/bin/env python3
"""Images per second of the program `images` beside torchvision, turn by turn.

    images.py PROGRAM FOLDER [--count 10000] [--workers 2] [--rounds 3]

Makes FOLDER with JPEG files of 256 x 256 to 320 x 240 pixels in ten classes if it is not there (needs torch,
torchvision, Pillow). torchvision reads with Pillow and transforms tensors of bytes, its fastest way on a CPU.
"""
import argparse
import os
import subprocess
import time


def make(folder, count):
    import numpy as np
    from PIL import Image
    random = np.random.default_rng(0)
    for i in range(count):
        height, width = ((256, 256), (240, 320), (320, 240))[i % 3]
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        planes = [np.full((height, width), 128, np.float32) for _ in range(3)]
        for plane in planes:
            for _ in range(6):
                a, b, phase = random.uniform(-0.12, 0.12, 2).tolist() + [random.uniform(0, 6.3)]
                plane += 25 * np.sin(a * x + b * y + phase)
        image = np.stack(planes, 2) + random.normal(0, 6, (height, width, 3))
        path = os.path.join(folder, f"class{i % 10}")
        os.makedirs(path, exist_ok=True)
        Image.fromarray(image.clip(0, 255).astype(np.uint8)).save(f"{path}/{i:05}.jpg", quality=90)


def torchvision_rate(folder, workers, batch_size):
    import torch
    import torchvision
    from torchvision.transforms import v2
    torch.set_num_threads(1)
    augment = v2.Compose([v2.PILToTensor(), v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip(),
                          v2.ToDtype(torch.float32, scale=True),
                          v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    dataset = torchvision.datasets.ImageFolder(folder, augment)
    loader = torch.utils.data.DataLoader(dataset, batch_size, shuffle=True, num_workers=workers)
    start, count = time.perf_counter(), 0
    for images, _ in loader:
        count += len(images)
    return count / (time.perf_counter() - start)


def positive(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"should be a whole number above 0, got '{text}'")
    return int(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--count", type=positive, default=10000)
    parser.add_argument("--workers", type=positive, default=2)
    parser.add_argument("--batch-size", type=positive, default=64)
    parser.add_argument("--rounds", type=positive, default=3)
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(f"not a program: {options.program}")
    if not os.path.exists(options.folder):
        make(options.folder, options.count)
    best = [0.0, 0.0]
    for _ in range(options.rounds):
        out = subprocess.run([options.program, options.folder, str(options.workers), str(options.batch_size)],
                             check=True, capture_output=True, text=True).stdout
        rates = float(out.split("\t")[1]), torchvision_rate(options.folder, options.workers, options.batch_size)
        print(f"tern {rates[0]:.1f}, torchvision {rates[1]:.1f} images per second", flush=True)
        best = [max(pair) for pair in zip(best, rates)]
    print(f"best: tern {best[0]:.1f}, torchvision {best[1]:.1f} images per second, ratio {best[0] / best[1]:.2f}")


if __name__ == "__main__":
    main()
