"""The lines of cuda_step.cpp for PyTorch: a training step of the variational autoencoder on a GPU."""

import torch
from torch import nn
import torch.nn.functional as F

from queued import need_gpu, report


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 400)
        self.fc21 = nn.Linear(400, 20)
        self.fc22 = nn.Linear(400, 20)
        self.fc3 = nn.Linear(20, 400)
        self.fc4 = nn.Linear(400, 784)

    def forward(self, x):
        hidden = torch.relu(self.fc1(x))
        mean, log_variance = self.fc21(hidden), self.fc22(hidden)
        deviation = torch.exp(0.5 * log_variance)
        code = mean + torch.randn_like(deviation) * deviation
        return torch.sigmoid(self.fc4(torch.relu(self.fc3(code)))), mean, log_variance


def loss_of(model, x):
    image, mean, log_variance = model(x)
    error = F.binary_cross_entropy(image, x, reduction="sum")
    return error - 0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())


def main():
    need_gpu()
    for precision, label in (("highest", "float32"), ("high", "TF32")):
        torch.set_float32_matmul_precision(precision)
        torch.manual_seed(0)
        model = Autoencoder().cuda()
        x = torch.rand(128, 784, device="cuda")

        def stepper(optimizer):
            def step():
                optimizer.zero_grad()
                loss_of(model, x).backward()
                optimizer.step()
            return step

        adam = lambda **options: torch.optim.Adam(model.parameters(), lr=1e-3, **options)
        report(f"VAE step, op by op, {label}", stepper(adam()))
        report(f"VAE step, op by op, fused Adam, {label}", stepper(adam(fused=True)))
        step = stepper(adam(fused=True, capturable=True))
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        report(f"VAE step, graph, {label}", graph.replay)


if __name__ == "__main__":
    main()
