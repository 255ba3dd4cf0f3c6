#!/usr/bin/env python3
"""Writes ddp.json: 100 steps of PyTorch's DistributedDataParallel over gloo on 2 and 4 processes, and of one process
with the whole batch (1). Run in this folder: OMP_NUM_THREADS=1 PYTHONPATH=.. python3 ddp.py"""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

from lines import numbers, write

STEPS, ROWS = 100, 8


def draw(sizes, seed):
    return torch.randn(sizes, generator=torch.Generator().manual_seed(seed))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 8)
        self.head, self.spare = nn.Linear(8, 3), nn.Linear(8, 3)
        with torch.no_grad():
            for seed, parameter in enumerate(self.parameters()):
                parameter.copy_(draw(parameter.shape, seed) * 0.3)

    def forward(self, x):
        h = torch.tanh(self.second(torch.relu(self.first(x))))
        return self.head(h) + self.spare(h)


def train(rank, size, results):
    net = Net()
    model = net
    if size > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517")
        dist.init_process_group("gloo", rank=rank, world_size=size)
        model = nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    losses, first = [], None
    for step in range(STEPS):
        x = draw((ROWS, 6), 1000 + step).chunk(size)[rank]
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), x[:, :3])
        loss.backward()
        optimizer.step()
        loss = loss.detach()
        if size > 1:
            dist.all_reduce(loss.div_(size))
        losses.append(loss)
        if step == 0:
            first = torch.cat([p.detach().flatten() for p in net.parameters()])
    if rank == 0:
        results[size] = {"losses": numbers(torch.stack(losses)), "first_step": numbers(first)}
    if size > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    results = mp.Manager().dict()
    train(0, 1, results)
    for size in (2, 4):
        mp.spawn(train, args=(size, results), nprocs=size)
    write("ddp.json", {str(size): results[size] for size in (1, 2, 4)})
