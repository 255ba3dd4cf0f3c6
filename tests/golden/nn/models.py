#!/usr/bin/env python3
"""Writes models.json, what torchvision's networks are and compute. Needs torchvision 0.29. Run in this folder:
PYTHONPATH=.. python3 models.py"""
import math

import torch
import torch.nn.functional as F
import torchvision.models as models
from torch import nn
from torchvision.models.resnet import BasicBlock, Bottleneck, ResNet

from lines import entry, write

torch.set_num_threads(1)
entries = {}


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return str(value)


def number(i, k):
    """A number from -1 to 1 for element i of tensor k."""
    return ((i * 40503 + k * 1009) % 65536 - 32768) / 32768


def fill(net):
    """Gives the tensors of a network numbers that models_test.cpp gives them, too."""
    for k, (key, tensor) in enumerate(net.state_dict().items()):
        numbers = number(torch.arange(tensor.numel(), dtype=torch.float64), k)
        if key.endswith("num_batches_tracked"):
            numbers = torch.zeros(1)
        elif key.endswith("running_mean") or key.endswith("bias"):
            numbers = numbers / 8
        elif key.endswith("running_var") or tensor.dim() == 1:
            numbers = 1 + numbers / 2
        else:
            numbers = numbers * math.sqrt(6 / tensor[0].numel())
        tensor.copy_(numbers.view(tensor.shape))


def keys(name, net):
    """The keys and shapes of a state, as a hash: there are up to 932 of them."""
    state = net.state_dict()
    text = "".join(f"{key} {list(tensor.shape)}\n" for key, tensor in state.items())
    entries[name + " keys"] = [len(state), fnv1a(text.encode())]


def image(channels, size):
    return number(torch.arange(2 * channels * size * size, dtype=torch.float64), 5).float().view(2, channels, size, size)


@torch.no_grad()
def record(name, net, channels, size, call=None, part=...):
    """What a network in evaluation computes with the numbers of fill()."""
    keys(name, net)
    fill(net.eval())
    entries[name] = entry((call or net)(image(channels, size))[part])


def gradient(name, net, channels, size, key):
    """The gradient of a parameter in training."""
    fill(net.train())
    loss = F.cross_entropy(net(image(channels, size)), torch.tensor([1, 0]))
    loss.backward()
    entries[name + " loss"] = entry(loss)
    entries[name + " gradient"] = entry(dict(net.named_parameters())[key].grad.flatten()[:8])


class LeNet(nn.Module):
    def __init__(self, in_channels=1, padding=2):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 6, 5, padding=padding)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(torch.flatten(x, 1)))
        return self.fc3(F.relu(self.fc2(x)))


class DoubleConv(nn.Module):
    def __init__(self, i, o, m=None):
        super().__init__()
        m = m or o
        self.double_conv = nn.Sequential(
            nn.Conv2d(i, m, 3, padding=1, bias=False), nn.BatchNorm2d(m), nn.ReLU(),
            nn.Conv2d(m, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU())

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(i, o))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, i, o, bilinear):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(i, o, i // 2)
        else:
            self.up = nn.ConvTranspose2d(i, i // 2, 2, stride=2)
            self.conv = DoubleConv(i, o)

    def forward(self, x, skip):
        x = self.up(x)
        dy, dx = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
        x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.conv(torch.cat([skip, x], 1))


class Out(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.conv = nn.Conv2d(i, o, 1)

    def forward(self, x):
        return self.conv(x)


class UNet(nn.Module):
    """As github.com/milesial/Pytorch-UNet, with a width."""

    def __init__(self, n_channels, n_classes, bilinear=False, width=64):
        super().__init__()
        w, f = width, 2 if bilinear else 1
        self.inc = DoubleConv(n_channels, w)
        self.down1, self.down2, self.down3 = Down(w, 2 * w), Down(2 * w, 4 * w), Down(4 * w, 8 * w)
        self.down4 = Down(8 * w, 16 * w // f)
        self.up1 = Up(16 * w, 8 * w // f, bilinear)
        self.up2 = Up(8 * w, 4 * w // f, bilinear)
        self.up3 = Up(4 * w, 2 * w // f, bilinear)
        self.up4 = Up(2 * w, w, bilinear)
        self.outc = Out(w, n_classes)

    def forward(self, x):
        levels = [self.inc(x)]
        for down in (self.down1, self.down2, self.down3):
            levels.append(down(levels[-1]))
        x = self.down4(levels[-1])
        for up in (self.up1, self.up2, self.up3, self.up4):
            x = up(x, levels.pop())
        return self.outc(x)


for name in ("resnet18 resnet34 resnet50 resnet101 resnet152 mobilenet_v2 alexnet vgg11 vgg11_bn vgg13 vgg13_bn vgg16 "
             "vgg16_bn vgg19 vgg19_bn").split():
    with torch.device("meta"):
        keys(name, getattr(models, name)())
with torch.device("meta"):
    keys("unet", UNet(3, 2))
for name in "resnet18", "mobilenet_v2":
    torch.manual_seed(3)
    net = getattr(models, name)(num_classes=5)
    # The bits of every 97th element.
    chosen = torch.cat([parameter.detach().flatten()[::97] for parameter in net.parameters()])
    entries[name + " draws"] = fnv1a(chosen.numpy().tobytes())
    entries[name + " next"] = entry(torch.rand(2))

record("ResNet basic", ResNet(BasicBlock, [1, 2, 1, 1], num_classes=5), 3, 40)
record("ResNet bottleneck", ResNet(Bottleneck, [2, 1, 1, 1], num_classes=5, groups=4, width_per_group=16), 3, 40)
record("MobileNetV2", models.MobileNetV2(num_classes=5, width_mult=0.35), 3, 40)
record("LeNet", LeNet(), 1, 28)
record("LeNet 32", LeNet(3, 0), 3, 32)
record("UNet", UNet(1, 2, width=4), 1, 19, part=(..., slice(None, None, 3)))
record("UNet bilinear", UNet(3, 1, bilinear=True, width=4), 3, 22, part=(..., slice(None, None, 3)))
with torch.device("meta"):
    vgg, alexnet = models.vgg11_bn(num_classes=5), models.alexnet(num_classes=5)
for name, net, size in ("VGG", vgg, 32), ("AlexNet", alexnet, 64):
    features = nn.Sequential()
    features.features = net.features.to_empty(device="cpu")
    record(name + " features", features, 3, size, lambda x: net.avgpool(features.features(x)).sum((2, 3))[:, ::8])
gradient("ResNet basic", ResNet(BasicBlock, [1, 2, 1, 1], num_classes=5), 3, 40, "conv1.weight")
gradient("LeNet", LeNet(), 1, 28, "conv1.weight")
write("models.json", entries)
