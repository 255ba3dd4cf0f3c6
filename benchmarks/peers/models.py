"""The lines of `models 2 cuda` for PyTorch: training steps of networks for images on a GPU, in float32."""

import torch
from torch import nn
import torch.nn.functional as F

from queued import need_gpu, report


def conv(inputs, outputs, kernel, stride=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = conv(outputs, outputs, 3), nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        out = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu_()))
        out += x if self.downsample is None else self.downsample(x)
        return out.relu_()


def resnet():
    layers, inputs = [conv(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)], 64
    for outputs in (64, 128, 256, 512):
        layers += [Block(inputs, outputs, 2 if inputs < outputs else 1), Block(outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)).cuda()


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)).cuda()


def main():
    need_gpu()
    net = lenet()
    sgd = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    digits, classes = torch.rand(64, 1, 28, 28, device="cuda"), torch.randint(10, (64,), device="cuda")

    def train():
        sgd.zero_grad()
        F.cross_entropy(net(digits), classes).backward()
        sgd.step()

    report("LeNet, training step, batch 64", train)
    large = resnet()
    for batch in (16, 128):
        images = torch.randn(batch, 3, 224, 224, device="cuda")
        labels = torch.randint(1000, (batch,), device="cuda")

        def step():
            large.zero_grad()
            F.cross_entropy(large(images), labels).backward()

        report(f"ResNet-18, forward + backward, batch {batch}", step)


if __name__ == "__main__":
    main()
